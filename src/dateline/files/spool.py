"""Artifacts whose bytes are on the disk, not in memory, until they are written to the outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO, Final

from dateline.model import Artifact

# What is shorter than a block stays in memory.
_SMALL: Final = 1 << 12


class _Spooled(Artifact):
    """An artifact whose content is *size* bytes of *file*, from *start* on."""

    _place: tuple[BinaryIO, int, int]

    def __init__(self, path: str, file: BinaryIO, start: int, size: int) -> None:
        self.__dict__.update(path=path, _place=(file, start, size))

    @property
    def content(self) -> bytes:
        file, start, size = self._place
        file.seek(start)
        return file.read(size)

    def move(self, path: str) -> Artifact:
        return _Spooled(path, *self._place)


@contextmanager
def spooling() -> Iterator[Callable[[Artifact], Artifact]]:
    """Yield a function that returns an equal artifact whose bytes are not in memory.

    They are in a file without a name, which disappears at the end, or with the process. If there is
    no room for one, artifacts are returned unchanged.
    """
    with ExitStack() as opened:
        try:
            # a buffer would keep what there was no room for, and fail again with each later use
            file = opened.enter_context(TemporaryFile(prefix="dateline-", buffering=0))
        except OSError:
            yield lambda artifact: artifact
        else:
            yield lambda artifact: _spool(file, artifact)


def _spool(file: BinaryIO, artifact: Artifact) -> Artifact:
    size = len(artifact.content)
    if size < _SMALL:
        return artifact
    try:
        start = file.seek(0, os.SEEK_END)
        is_complete = file.write(artifact.content) == size
    except OSError:
        return artifact
    return _Spooled(artifact.path, file, start, size) if is_complete else artifact
