"""Locks that tell the processes on one SQLite file which requests are running.

Whoever waits for one of them must not wait for the file: it tells neither whose changes hold it
nor how long. What one process does twice is still kept apart by the file alone.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

_EVERY: Final = 0.01
"""How many seconds pass before it is tried again."""


class Running:
    """A file beside the database, of which a byte is locked for each request that is running.

    A lock ends with its process at the latest.
    """

    def __init__(self, beside: Path) -> None:
        self._path = beside.with_name(f"{beside.name}-running")
        self._file: int | None = None

    @asynccontextmanager
    async def hold(self, digest: str) -> AsyncIterator[None]:
        """Hold the request called *digest*, hexadecimal, as soon as no other process does."""
        if sys.platform == "win32":
            # there, others wait for the file after all
            yield
            return
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        # as far as files may reach
        place = int(digest[:15], 16)
        while not _is_locked(self._file, place):
            await asyncio.sleep(_EVERY)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _is_locked(file: int, place: int) -> bool:
    """Lock a byte, unless another process has done so; tell whether."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):
        return False
    return True
