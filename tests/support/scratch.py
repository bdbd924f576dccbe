"""The folder for files of tests: in memory, if the machine has enough of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
_ENOUGH: Final = 2 << 30
"""Bytes: several times what all tests at once have there."""


def use_memory() -> None:
    """Let this process and those that it starts make temporary files in memory.

    To make and remove a small file on a disk's file system takes six times the CPU. Nothing
    changes where TMPDIR says already where they go, or where memory has no room or runs no
    programs.
    """
    if "TMPDIR" in os.environ or not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return
    room = os.statvfs(_MEMORY)
    if room.f_bavail * room.f_frsize >= _ENOUGH and not room.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None
