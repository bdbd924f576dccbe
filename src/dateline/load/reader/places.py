"""A path into a document in, the place in its file out."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Final

from dateline.load.reader.collector import collection_off
from dateline.load.reader.json_document import JsonDocument, after_blanks
from dateline.model import Map, Place, Seq

Trail = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to a place in it."""


class Locator:
    """Tells where the trails of a joined document lead to in its files."""

    def __init__(self, fragments: Iterable[Map]) -> None:
        """Take the mappings that ``read`` returned for those files, at least one."""
        self._fragments = [
            (
                fragment,
                _JsonPlaces(fragment).find
                if isinstance(fragment, JsonDocument)
                else partial(_by_marks, fragment),
            )
            for fragment in fragments
        ]

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return where the key or item at *path* stands; with *value*, what it holds.

        The file that has most of *path* answers, the first of equals; what it lacks of *path* is
        left off. The empty trail is the document itself.
        """
        reached = [(_depth(fragment, path), find) for fragment, find in self._fragments]
        depth, find = max(reached, key=itemgetter(0))
        return find(path[:depth], value and depth == len(path))


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
    """Return the place of what *path* leads to; containers without marks are passed over."""
    place = root.place()
    here: Any = root
    for step in path:
        if isinstance(here, Map) and isinstance(step, str):
            place = here.place(step, value=value)
        elif isinstance(here, Seq) and isinstance(step, int):
            place = here.place(step)
        here = here[step]
    return place


class _JsonPlaces:
    """Places by scanning the text, one container at a time; each is scanned once."""

    # numbers are left as they stand: only their ends matter
    _decoder: Final = json.JSONDecoder(parse_int=str, parse_float=str)

    def __init__(self, document: JsonDocument) -> None:
        self._file = document.file
        self._text = document.text
        self._scanned: dict[int, dict[str | int, tuple[int, int]]] = {}
        # where the objects end that were scanned, by where they begin
        self._ends: dict[int, int] = {}

    def find(self, path: Trail, value: bool) -> Place:
        place = inside = after_blanks(self._text, 0)
        # most of a document stands two levels below its root, in `paths` and in sections of
        # `components`: scanned once, those need not be read through to find where they end
        self._children(inside, below=2)
        for step in path:
            children = self._children(inside)
            if step not in children:
                break
            key, inside = children[step]
            place = inside if value else key
        return self._place(place)

    def _place(self, offset: int) -> Place:
        line = bisect_right(self._lines, offset)
        return Place(self._file, line, offset - self._lines[line - 1] + 1)

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self._text))]

    def _children(self, offset: int, below: int = 0) -> dict[str | int, tuple[int, int]]:
        """Return where each key and value of the object at *offset*, or each item, begins.

        So many levels *below* it objects are scanned as well.
        """
        if offset not in self._scanned:
            first = self._text[offset]
            with collection_off():
                self._scanned[offset] = dict(
                    self._members(offset, below)
                    if first == "{"
                    else self._items(offset)
                    if first == "["
                    else ()
                )
        return self._scanned[offset]

    def _members(self, offset: int, below: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        text = self._text
        at = after_blanks(text, offset + 1)
        while text[at] == '"':
            key, end = self._decoder.raw_decode(text, at)
            value = after_blanks(text, after_blanks(text, end) + 1)
            yield key, (at, value)
            if below and text[value] == "{":
                self._children(value, below - 1)
            at = self._next(value)
        self._ends[offset] = at + 1

    def _items(self, offset: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        at = after_blanks(self._text, offset + 1)
        index = 0
        while self._text[at] != "]":
            yield index, (at, at)
            index += 1
            at = self._next(at)

    def _next(self, value: int) -> int:
        """Return where the member or item after the one at *value* begins, or the bracket."""
        end = self._ends.get(value) or self._decoder.raw_decode(self._text, value)[1]
        end = after_blanks(self._text, end)
        return after_blanks(self._text, end + 1) if self._text[end] == "," else end
