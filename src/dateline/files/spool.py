"""Artifacts whose bytes are on the disk, not in memory, until they are written to the outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from dateline.model import Artifact
from dateline.spool import Spool


class _Spooled(Artifact):
    """An artifact whose content is what *read* returns."""

    _read: Callable[[], bytes]

    def __init__(self, path: str, read: Callable[[], bytes]) -> None:
        self.__dict__.update(path=path, _read=read)

    @property
    def content(self) -> bytes:
        return self._read()

    def move(self, path: str) -> Artifact:
        return _Spooled(path, self._read)


@contextmanager
def spooling() -> Iterator[Callable[[Artifact], Artifact]]:
    """Yield a function that returns an equal artifact whose bytes are not in memory.

    They are in a file without a name, which disappears at the end, or with the process. If there is
    no room for one, they stay in memory.
    """
    with closing(Spool()) as spool:
        yield lambda artifact: _Spooled(artifact.path, spool.add(artifact.content))
