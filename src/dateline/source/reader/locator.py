"""Find the position in a file of a path into a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Final

from dateline.model import Map, Place, Seq, Trail
from dateline.source.reader.json_document import JsonDocument

_Search = Callable[[Trail, bool], Place]
"""Returns the place of a path in a file, or that of its value."""

_INDEXED: Final = 3
"""How many steps of a path lead to a component, which is in one file."""


class KeptDocument(Map):
    """The mapping of a file that was read before; ``find`` returns places in it."""

    __slots__ = ("find",)

    find: _Search


class Locator:
    """Finds the places in its files of paths into a joined document."""

    def __init__(self, fragments: Iterable[Map | Seq]) -> None:
        """Take what ``read`` returned for those files, at least one."""
        self._fragments = [(fragment, choose_search(fragment)) for fragment in fragments]

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return the place of the key or item at *path*; with *value*, that of its value.

        The file that has most of *path* is searched, the first of equals; a missing rest of *path*
        is dropped. The empty path is the document itself.
        """
        near = next(
            (
                found
                for end in range(min(len(path), _INDEXED), 0, -1)
                if (found := self._index.get(path[:end]))
            ),
            self._fragments[:1],
        )
        reached = [(_depth(fragment, path), find) for fragment, find in near]
        depth, find = max(reached, key=itemgetter(0))
        return find(path[:depth], value and depth == len(path))

    @cached_property
    def _index(self) -> dict[Trail, list[tuple[Map | Seq, _Search]]]:
        """The files that have a path, in their order, by its first steps as far as mappings."""
        index: dict[Trail, list[tuple[Map | Seq, _Search]]] = {}
        for pair in self._fragments:
            for path in _list_paths(pair[0], ()):
                index.setdefault(path, []).append(pair)
        return index


def _list_paths(node: Any, path: Trail) -> Iterator[Trail]:
    """Yield the paths of up to `_INDEXED` steps in *node*, which is at *path*."""
    for key in node if isinstance(node, dict) else ():
        below = (*path, key)
        yield below
        if len(below) < _INDEXED:
            yield from _list_paths(node[key], below)


def choose_search(fragment: Map | Seq) -> _Search:
    """Return a function that finds the place of a path in *fragment*, or of the value there."""
    if isinstance(fragment, JsonDocument):
        return fragment.text.find
    if isinstance(fragment, KeptDocument):
        return fragment.find
    return partial(_by_marks, fragment)


def _depth(fragment: Map | Seq, path: Trail) -> int:
    """Return how many steps of *path* exist in *fragment*."""
    here: Any = fragment
    for index, step in enumerate(path):
        if isinstance(here, dict):
            if step not in here:
                return index
        elif not (isinstance(here, list) and isinstance(step, int) and 0 <= step < len(here)):
            return index
        here = here[step]
    return len(path)


def _by_marks(root: Map | Seq, path: Trail, value: bool) -> Place:
    """Return the place of what *path* leads to; containers without marks are skipped."""
    place = root.place()
    here: Any = root
    for step in path:
        if isinstance(here, Map) and isinstance(step, str):
            place = here.place(step, value=value)
        elif isinstance(here, Seq) and isinstance(step, int):
            place = here.place(step)
        here = here[step]
    return place
