"""Read files of definitions, from the cache if they were read before."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache as once
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from dateline.bundle.sources import refers_to_files
from dateline.cache import Cache
from dateline.load.meaning import Meaning
from dateline.model import Map, Place, Problem, Trail
from dateline.source.reader import (
    KeptDocument,
    choose_search,
    read_bytes,
    read_content,
)


class Fragment(NamedTuple):
    """The content of a file of definitions, and whether it may refer to other files.

    With a cache, also its meaning without its words.
    """

    document: Map
    refers: bool
    meaning: Meaning | None


def read_fragment(
    path: Path,
    name: str,
    *,
    adopted: bool,
    problems: list[Problem],
    cache: Cache | None,
    inside: Path | None = None,
) -> Fragment | None:
    """Return the content of the file at *path*, as `dateline.source.reader.read` does.

    A link may lead no further than to the folder *inside*, by default that of the file. If the
    *cache* has the content, the file is read again only when a place in it is needed for the first
    time, and its mappings have no places of their own.
    """
    content = read_bytes(path, name, adopted=adopted, problems=problems, inside=inside)
    if content is None:
        return None
    if cache is None:
        read = read_content(content, name, adopted=adopted, problems=problems)
        return None if read is None else Fragment(read, refers_to_files(read), None)
    key = cache.key("source", path.suffix, str(adopted), content)
    if (known := cache.get(key)) is not None:
        meaning, refers, root = json.loads(known)
        reread = once(partial(_reread, content, name, adopted=adopted))
        return Fragment(
            _restore(root, name, _KnownPlaces(cache, key, name, reread).find),
            refers,
            Meaning.restore(meaning),
        )
    found: list[Problem] = []
    document = read_content(content, name, adopted=adopted, problems=found)
    problems += found
    if document is None:
        return None
    refers, meaning = refers_to_files(document), Meaning.of(document)
    if not found:
        cache.put(key, json.dumps([meaning.write(), refers, document]).encode())
    return Fragment(document, refers, meaning)


def _restore(root: dict[str, Any], name: str, find: Callable[[Trail, bool], Place]) -> KeptDocument:
    document = KeptDocument(root)
    document.file, document.mark, document.marks = name, 0, []
    document.find = find
    return document


class _KnownPlaces:
    """The places in a file that some run needed: one entry of the *cache* for each file.

    *key* is that of the file, which is called *name*, and *reread* returns it with all its places.
    """

    def __init__(self, cache: Cache, key: bytes, name: str, reread: Callable[[], Map]) -> None:
        self._cache = cache
        self._key = cache.key("places", key)
        self._name = name
        self._reread = reread

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        kept = self._cache.get(self._key)
        return {} if kept is None else json.loads(kept)

    def find(self, path: Trail, value: bool) -> Place:
        """Return the place of *path* in the file, or that of its *value*."""
        at = json.dumps([path, value])
        if at not in self._known:
            found = choose_search(self._reread())(path, value)
            self._known[at] = [found.line, found.column]
            self._cache.put_at_end(self._key, self._write)
        return Place(self._name, *self._known[at])

    def _write(self) -> bytes:
        return json.dumps(self._known).encode()


def _reread(content: bytes, name: str, *, adopted: bool) -> Map:
    document = read_content(content, name, adopted=adopted, problems=[])
    assert document is not None, "only what could be read is kept"
    return document
