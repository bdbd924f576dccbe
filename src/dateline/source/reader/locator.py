"""Find the position in a file of a path into a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Any

from dateline.model import Map, Place, Seq
from dateline.source.reader.json_document import JsonDocument
from dateline.source.reader.json_text import Trail


class KeptDocument(Map):
    """The mapping of a file that was read before; ``find`` returns places in it."""

    __slots__ = ("find",)

    find: Callable[[Trail, bool], Place]


class Locator:
    """Finds the places in its files of paths into a joined document."""

    def __init__(self, fragments: Iterable[Map]) -> None:
        """Take the mappings that ``read`` returned for those files, at least one."""
        self._fragments = [(fragment, choose_search(fragment)) for fragment in fragments]

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return the place of the key or item at *path*; with *value*, that of its value.

        The file that has most of *path* is searched, the first of equals; a missing rest of *path*
        is dropped. The empty path is the document itself.
        """
        reached = [(_depth(fragment, path), find) for fragment, find in self._fragments]
        depth, find = max(reached, key=itemgetter(0))
        return find(path[:depth], value and depth == len(path))


def choose_search(fragment: Map) -> Callable[[Trail, bool], Place]:
    """Return a function that finds the place of a path in *fragment*, or of the value there."""
    if isinstance(fragment, JsonDocument):
        return fragment.text.find
    if isinstance(fragment, KeptDocument):
        return fragment.find
    return partial(_by_marks, fragment)


def _depth(fragment: Map, path: Trail) -> int:
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


def _by_marks(root: Map, path: Trail, value: bool) -> Place:
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
