"""A temporary file for contents that are needed again, but not in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryFile
from typing import BinaryIO, Final

# What is shorter than a block stays in memory.
_SMALL: Final = 1 << 12


class Spool:
    """A file without a name, which disappears with the object, or with the process.

    If there is no room for one, contents stay in memory.
    """

    def __init__(self) -> None:
        self._file: BinaryIO | None = None

    def add(self, content: bytes) -> Callable[[], bytes]:
        """Return a function that returns *content*, which is on the disk if it is long."""
        if len(content) < _SMALL:
            return lambda: content
        try:
            if self._file is None:
                # a buffer would keep what there was no room for, and fail again with each later use
                self._file = TemporaryFile(prefix="dateline-", buffering=0)  # noqa: SIM115
            file = self._file
            start = file.seek(0, os.SEEK_END)
            is_complete = file.write(content) == len(content)
        except OSError:
            is_complete = False
        if not is_complete:
            return lambda: content
        return partial(_read, file, start, len(content))

    def close(self) -> None:
        """Delete the file; what it has can't be read any more."""
        if self._file is not None:
            self._file.close()

    __del__ = close


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)
