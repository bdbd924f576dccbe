"""Read a JSON text with positions, although the parser in C reports none."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Final

from dateline.collector import collection_off
from dateline.model import Map, Place, Trail
from dateline.source.scalars import RefusedError, decimal_value, integer_value

_BLANKS: Final = re.compile(r"[ \t\n\r]*")


def after_blanks(text: str, offset: int) -> int:
    """Return the end of the white space that begins at *offset*."""
    found = _BLANKS.match(text, offset)
    return found.end() if found else offset


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of *pairs*; a repeated key is a ValueError."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError
    return result


def _unique_map(file: str, pairs: list[tuple[str, Any]]) -> Map:
    """Return the same as a mapping that knows its *file*."""
    result = Map(_unique(pairs))
    result.file, result.mark, result.marks = file, 0, []
    return result


def _in_range(number: Callable[[str], Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return number(text)
        except RefusedError as error:
            raise ValueError from error

    return parse


def _refuse_constant(_: str) -> Any:
    raise ValueError


def _strict(mapping: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=mapping,
        parse_int=_in_range(integer_value),
        parse_float=_in_range(decimal_value),
        parse_constant=_refuse_constant,
    )


_DECODER: Final = json.JSONDecoder()
_STRICT: Final = _strict(_unique)
# Most of a document is two levels below its root, in `paths` and in sections of `components`:
# known once, these objects need not be read through to find their ends.
_BELOW: Final = 2

_Child = tuple[str | int, tuple[int, int]]
"""A text that was read, and the offset of something in it."""

_Twin = tuple["JsonText", int]
"""A text that was read, and where something in it begins."""


class TextLines:
    """The text of a *file*, which converts offsets to places."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    def place(self, offset: int) -> Place:
        """Return the place of *offset*."""
        line = bisect_right(self._lines, offset)
        return Place(self.file, line, offset - self._lines[line - 1] + 1)

    @cached_property
    def _lines(self) -> list[int]:
        """The offset of each line."""
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]


class JsonText(TextLines):
    """A JSON text. Places are found by scanning one container at a time, each of them once.

    In a *source*, which dateline checks, objects are ``Map`` and know their file.
    """

    def __init__(self, file: str, text: str, *, source: bool = False) -> None:
        super().__init__(file, text)
        self.make_object: Callable[[list[tuple[str, Any]]], dict[str, Any]] = (
            partial(_unique_map, file) if source else _unique
        )
        self._strict = _strict(self.make_object) if source else _STRICT
        self._scanned: dict[int, dict[str | int, tuple[int, int]]] = {}
        # what is left to scan of containers, by their beginnings
        self._left: dict[int, Iterator[_Child]] = {}
        # the ends of the objects that were scanned whole, by their beginnings
        self._ends: dict[int, int] = {}
        # what was decoded whole, and its end, by its beginning
        self._decoded: dict[int, tuple[Any, int]] = {}
        # the objects that were scanned, except for the root, by their beginnings
        self._objects: dict[int, dict[str, Any]] = {}
        self._decoder = _DECODER

    def read(self, like: JsonText | None = None) -> Any:
        """Return the content, as ``json.loads`` does; most places are known after that.

        Parts that *like*, which has been read, has at the same place with the same text are the
        same objects. Raises ValueError if it is not JSON, if an object has a duplicate key, and for
        numbers out of range. The text may not be nested more deeply than Python can follow.
        """
        self._decoder = self._strict
        start = after_blanks(self.text, 0)
        twin = (like, after_blanks(like.text, 0)) if like else None
        try:
            with collection_off():
                value, end = self._scan(start, below=_BELOW, twin=twin)
        except IndexError as error:
            raise ValueError from error
        finally:
            self._decoder = _DECODER  # checked text need not be checked again to find places
        if after_blanks(self.text, end) != len(self.text):
            raise ValueError
        return value

    def find(self, path: Trail, value: bool = False) -> Place:
        """Return the place of the key or item at *path*, or of its nearest ancestor in the text.

        With *value*, return the place of the value of the key.
        """
        place = inside = after_blanks(self.text, 0)
        if inside not in self._scanned:
            with collection_off():
                self._scan(inside, below=_BELOW)
        for step in path:
            child = self._find_child(inside, step)
            if child is None:
                break
            key, inside = child
            place = inside if value else key
        return self.place(place)

    def _find_child(self, offset: int, step: str | int) -> tuple[int, int] | None:
        """Return the offsets of the key and the value of *step* into the container at *offset*.

        What follows them is not scanned until it is needed.
        """
        if offset not in self._scanned:
            self._scanned[offset] = {}
            if self.text[offset] in "{[":
                self._left[offset] = _list_children(self.text, offset, self._ends)
        known = self._scanned[offset]
        left = self._left.get(offset, iter(()))
        while step not in known and (child := next(left, None)):
            known[child[0]] = child[1]
        return known.get(step)

    def _scan(self, offset: int, *, below: int, twin: _Twin | None = None) -> tuple[Any, int]:
        """Return the value at *offset* and its end, recording objects down to the level *below*."""
        text = self.text
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
            if key in value and self._decoder is not _DECODER:
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
        if below < _BELOW:
            other = twin[0]._objects.get(twin[1]) if twin else None
            if other is not None and _is_same(value, other):
                value = other
            self._objects[offset] = value
        return value, at + 1

    def _decode(self, offset: int, twin: _Twin | None) -> tuple[Any, int]:
        """Return the value at *offset* and its end; that of *twin* if the texts are equal."""
        if self.text[offset] not in "{[":
            return self._decoder.raw_decode(self.text, offset)
        found = self._alike(offset, *twin) if twin else None
        self._decoded[offset] = found or self._decoder.raw_decode(self.text, offset)
        return self._decoded[offset]

    def _alike(self, offset: int, other: JsonText, begin: int) -> tuple[Any, int] | None:
        if begin not in other._decoded:
            return None
        value, end = other._decoded[begin]
        same = self.text.startswith(other.text[begin:end], offset)
        return (value, offset + end - begin) if same else None


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two objects have the same entries in the same order.

    Arrays and objects in them have to be the same objects.
    """
    return [*one] == [*other] and all(
        mine is value or (isinstance(mine, str) and mine == value)
        for mine, value in zip(one.values(), other.values(), strict=True)
    )


def _list_children(text: str, offset: int, ends: dict[int, int]) -> Iterator[_Child]:
    """Yield the content of the container at *offset* of *text*; some objects have known *ends*."""
    is_object = text[offset] == "{"
    at = after_blanks(text, offset + 1)
    index = 0
    while text[at] not in "}]":
        step: str | int = index
        begin = at
        if is_object:
            step, end = _DECODER.raw_decode(text, at)
            begin = after_blanks(text, after_blanks(text, end) + 1)
        yield step, (at, begin)
        index += 1
        end = after_blanks(text, ends.get(begin) or _DECODER.raw_decode(text, begin)[1])
        at = after_blanks(text, end + 1) if text[end] == "," else end
