"""Places in files of what is at a path of a document."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Final

from dateline.collector import collection_off
from dateline.model import Map, Place, Seq
from dateline.source.reader.json_document import JsonDocument, after_blanks
from dateline.source.scalars import RefusedError, decimal_value, integer_value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of *pairs*; a key that stands twice is a ValueError."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def _in_range(number: Callable[[str], Any]) -> Callable[[str], Any]:
    def checked(text: str) -> Any:
        try:
            return number(text)
        except RefusedError as refused:
            raise ValueError from refused

    return checked


def _refused(_: str) -> Any:
    raise ValueError


_DECODER: Final = json.JSONDecoder()
_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_in_range(integer_value),
    parse_float=_in_range(decimal_value),
    parse_constant=_refused,
)
# Most of a document stands two levels below its root, in `paths` and in sections of `components`:
# noted once, those need not be read through to find where they end.
_BELOW: Final = 2

Trail = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to a place in it."""


class Locator:
    """Tells where the trails of a joined document lead to in its files."""

    def __init__(self, fragments: Iterable[Map]) -> None:
        """Take the mappings that ``read`` returned for those files, at least one."""
        self._fragments = [
            (
                fragment,
                JsonPlaces(fragment.file, fragment.text).find
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


_Twin = tuple["JsonPlaces", int]
"""A text that was read, and where something in it begins."""


class JsonPlaces:
    """Places in a JSON text, found by scanning one container at a time; each is scanned once."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text
        self._scanned: dict[int, dict[str | int, tuple[int, int]]] = {}
        # where the objects end that were scanned, by where they begin
        self._ends: dict[int, int] = {}
        # what was decoded whole, and where it ends, by where it begins
        self._decoded: dict[int, tuple[Any, int]] = {}
        self._decoder = _DECODER

    def read(self, like: JsonPlaces | None = None) -> Any:
        """Return what the text holds, as ``json.loads`` does; most places are known after that.

        Parts that *like*, which has been read, holds at the same place in the same words are
        the same objects. Raises ValueError where it is not JSON, where an object has a key
        twice, and for numbers out of range. The text may not be nested more deeply than Python
        can follow.
        """
        self._decoder = _STRICT
        start = after_blanks(self._text, 0)
        twin = (like, after_blanks(like._text, 0)) if like else None
        try:
            value, end = self._scan(start, below=_BELOW, twin=twin)
        except IndexError as error:
            raise ValueError from error
        if after_blanks(self._text, end) != len(self._text):
            raise ValueError
        self._decoder = _DECODER  # what is checked need not be checked again to find places
        return value

    def find(self, path: Trail, value: bool = False) -> Place:
        """Return where the key or item at *path*, or what is nearest around it, stands."""
        place = inside = after_blanks(self._text, 0)
        if inside not in self._scanned:
            with collection_off():
                self._scan(inside, below=_BELOW)
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

    def _children(self, offset: int) -> dict[str | int, tuple[int, int]]:
        """Return where each key and value of the object at *offset*, or each item, begins."""
        if offset not in self._scanned:
            first = self._text[offset]
            if first == "{":
                self._scan(offset, below=0)
            else:
                self._scanned[offset] = dict(self._items(offset)) if first == "[" else {}
        return self._scanned[offset]

    def _scan(self, offset: int, *, below: int, twin: _Twin | None = None) -> tuple[Any, int]:
        """Return the value at *offset* and where it ends; objects so far *below* it are noted."""
        text = self._text
        if below < 0 or text[offset] != "{":
            return self._decode(offset, twin)
        theirs = twin[0]._scanned.get(twin[1], {}) if twin else {}
        value: dict[str, Any] = {}
        places: dict[str | int, tuple[int, int]] = {}
        at = after_blanks(text, offset + 1)
        while text[at] == '"':
            key, end = _DECODER.raw_decode(text, at)
            colon = after_blanks(text, end)
            begin = after_blanks(text, colon + 1)
            known = (twin[0], theirs[key][1]) if twin and key in theirs else None
            if key in value and self._decoder is _STRICT:
                raise ValueError
            value[key], end = self._scan(begin, below=below - 1, twin=known)
            places[key] = at, begin
            comma = after_blanks(text, end)
            at = after_blanks(text, comma + 1) if text[comma] == "," else comma
            if text[colon] != ":" or (text[comma] == ",") != (text[at] == '"'):
                raise ValueError
        if text[at] != "}":
            raise ValueError
        self._scanned[offset] = places
        self._ends[offset] = at + 1
        return value, at + 1

    def _decode(self, offset: int, twin: _Twin | None) -> tuple[Any, int]:
        """Return the value at *offset* and where it ends: that of *twin* if the words are equal."""
        if self._text[offset] not in "{[":
            return self._decoder.raw_decode(self._text, offset)
        found = self._alike(offset, *twin) if twin else None
        self._decoded[offset] = found or self._decoder.raw_decode(self._text, offset)
        return self._decoded[offset]

    def _alike(self, offset: int, other: JsonPlaces, begin: int) -> tuple[Any, int] | None:
        if begin not in other._decoded:
            return None
        value, end = other._decoded[begin]
        same = self._text.startswith(other._text[begin:end], offset)
        return (value, offset + end - begin) if same else None

    def _items(self, offset: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        at = after_blanks(self._text, offset + 1)
        index = 0
        while self._text[at] != "]":
            yield index, (at, at)
            index += 1
            end = self._ends.get(at) or _DECODER.raw_decode(self._text, at)[1]
            end = after_blanks(self._text, end)
            at = after_blanks(self._text, end + 1) if self._text[end] == "," else end
