"""Put the temporary files of tests into memory if the machine has enough of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
_ENOUGH: Final = 2 << 30
"""Bytes: several times what all tests at once have there."""


def use_memory() -> None:
    """Let this process and its children create temporary files in memory.

    On a disk, creating and removing a small file takes six times the CPU. Does nothing if TMPDIR is
    set, or if the file system in memory is full or mounted without execution.
    """
    if "TMPDIR" in os.environ or not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return
    room = os.statvfs(_MEMORY)
    if room.f_bavail * room.f_frsize >= _ENOUGH and not room.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None
