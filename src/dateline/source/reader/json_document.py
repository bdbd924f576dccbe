"""Read a JSON file: return its content, or report everything that is wrong with it."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final, cast

from dateline.model import Map, Place, Problem
from dateline.source.problems import (
    EMPTY,
    EQUAL_TWICE,
    Log,
    are_same,
    duplicate,
    line_and_column,
    word_at,
)
from dateline.source.reader.characters import text_refusals
from dateline.source.reader.json_text import JsonText, after_blanks
from dateline.source.reader.limits import ADOPTED, Limits, too_deep, too_many
from dateline.source.scalars import (
    INTEGER,
    MOST_DIGITS,
    RefusedError,
    decimal_value,
    integer_value,
)

_STRUCTURE: Final = b"[]{}"
_NO_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in _STRUCTURE + b'"')
_STEPS: Final = bytes.maketrans(_STRUCTURE, b"\x01\xff\x01\xff")

# strings, once the escaped quotes are removed; and every token, whatever its escapes
_STRING: Final = re.compile(b'"[^"]*"?')
TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)

# Escapes of forbidden characters and of lone halves of surrogate pairs, except after a backslash.
_FORBIDDEN_ESCAPE: Final = re.compile(
    r"\\(?:[bf]|u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|061c|200[ef]|202[89a-e]"
    r"|206[6-9]|feff|fff[ef]|d[89ab][0-9a-f]{2}(?!\\ud[c-f])"
    r"|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f]))",
    re.IGNORECASE,
)
# The same for halves alone, without IGNORECASE: for texts of many megabytes.
_LONE_HALF: Final = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])"
)

# A backslash with a quote or another one after it. Written so that it is searched for by the first
# character alone, which is many times as fast.
_ESCAPED: Final = re.compile(rb'\\[\\"]')
# The escapes that may be forbidden.
_UNUSUAL: Final = re.compile(r"\\[bfuBFU]")

_DECODER: Final = json.JSONDecoder()

_NOT_JSON: Final = frozenset(("NaN", "Infinity", "-Infinity"))

# The complaints of the parser: a part of its message, and the way out.
_WAYS_OUT: Final = (
    ("trailing comma", "remove the comma before } or ]"),
    ("property name", "write a key in double quotes"),
    ("',' delimiter", "look for a missing comma or bracket before it"),
    ("':' delimiter", "write ':' between key and value"),
    ("Expecting value", "write a value as JSON has it"),
    ("Unterminated string", "close the text with a double quote"),
    ("Invalid control character", "write a line end as \\n and a tab as \\t"),
    ("escape", "double the backslash"),
    ("Extra data", "a file contains one value"),
)


class JsonDocument(Map):
    """The mapping in a JSON file, with the text to find positions in."""

    __slots__ = ("text",)

    text: JsonText


class JsonReader:
    """Reads one JSON text with the parser in C.

    The parser only reports whether anything is wrong; only then is the text walked, token by token,
    to find out what and where.
    """

    def __init__(
        self,
        text: str,
        limits: Limits,
        log: Log,
        *,
        published: bool = False,
        part: bool = False,
    ) -> None:
        self._text = text
        self._beginnings = "{[" if part else "{"
        self._limits = limits
        self._log = log
        self._is_published = published
        self._has_long_text = False
        self.notes: list[Problem] = []
        """equal values under equal keys, which are read once in a *published* text"""

    def read(self) -> JsonDocument:
        """Return the content of a source, and report whatever is wrong in it.

        Raises StoppedError if it is not JSON to its end.
        """
        text = JsonText(self._log.file, self._text, source=True)
        document = JsonDocument(self._read(text, None))
        document.file, document.mark, document.marks = self._log.file, 0, []
        document.text = text
        return document

    def read_foreign(self, like: JsonText | None) -> tuple[dict[str, Any], JsonText]:
        """Return the content of a third-party text, which may have invisible characters.

        That of a part of a document may be a list. What is in *like*, too, is shared with it.
        Raises StoppedError as ``read`` does.
        """
        text = JsonText(self._log.file, self._text)
        return self._read(text, like), text

    def _read(self, text: JsonText, like: JsonText | None) -> dict[str, Any]:
        suspicious = _LONE_HALF if self._limits is ADOPTED else _FORBIDDEN_ESCAPE
        self._check_structure()
        refused: ValueError | None = None
        try:
            root = text.read(like)
        except ValueError as error:
            root, refused = self._read_leniently(text), error
        noted = False
        if refused or self._has_long_text or self._has_escape(suspicious):
            for offset, kind, message in self._find_problems():
                self._log.note(*self._place(offset), kind, message)
                noted = True
        start = after_blanks(self._text, 0)
        if self._text[start] not in self._beginnings:
            message = "the file must contain an object; write { ... }"
            self._log.stop(*self._place(start), "not-a-mapping", message)
        if refused and not noted and not self.notes:
            raise refused  # nothing may go unreported
        return cast(dict[str, Any], root)

    def _has_escape(self, suspicious: re.Pattern[str]) -> bool:
        """Return whether a *suspicious* escape is in the text, not just after a backslash."""
        if not _UNUSUAL.search(self._text) or not suspicious.search(self._text):
            return False
        return suspicious.search(self._text.replace("\\\\", "")) is not None

    def _place(self, offset: int) -> tuple[int, int]:
        return line_and_column(self._text, offset)

    def _check_structure(self) -> None:
        """Check depth and size by what is outside of strings, before any object is created.

        Raises StoppedError if a limit is exceeded.
        """
        text = bytearray(self._text, "utf-8", "surrogatepass")
        for start in [found.start() for found in _ESCAPED.finditer(text)]:
            text[start : start + 2] = b"__"
        longest = self._limits.text
        if longest < len(text) and re.search(b'"[^"]{%d}' % (longest + 1), text):
            self._has_long_text = True
        # two quotes in a row delimit nothing that counts
        quoted = text.translate(None, _NO_STRUCTURE).replace(b'""', b"")
        brackets = _STRING.sub(b"", quoted).translate(_STEPS)
        if self._count_nodes(text, brackets.count(b"\x01")) > self._limits.nodes:
            self._log.stop(1, 1, *too_many(self._limits))
        if max(accumulate(array("b", brackets)), default=0) > self._limits.depth:
            self._log.stop(*self._place(self._too_deep_at()), *too_deep(self._limits))

    def _count_nodes(self, text: bytearray, containers: int) -> int:
        """Return the number of values in *text*, including *containers*.

        An empty array or object counts as one value too many, which is near enough. For a short
        text, it is the maximum for its length.
        """
        # the shortest text for each value that counts is `[],`
        nodes = 1 + len(text) * 2 // 3
        if nodes > self._limits.nodes:
            nodes = 1 + text.count(b",") + text.count(b":") + containers
        if nodes > self._limits.nodes:
            outside = _STRING.sub(b"", text)
            nodes = 1 + outside.count(b",") + outside.count(b":") + containers
        return nodes

    def _too_deep_at(self) -> int:
        depth = 0
        for token in TOKEN.finditer(self._text):
            first = token.group()[0]
            depth += (first in "[{") - (first in "]}")
            if depth > self._limits.depth:
                return token.start()
        return 0  # a backslash outside of a string: not JSON, and its quotes were counted wrongly

    def _read_leniently(self, text: JsonText) -> Any:
        """Return the content with the first of equal keys, and with numbers within the range.

        Raises StoppedError, after reporting the reason, if the text is not JSON.
        """
        if not self._text.strip():
            self._log.stop(1, 1, *EMPTY)
        try:
            return json.loads(
                self._text,
                object_pairs_hook=lambda pairs: text.make_object(
                    [*{**dict(pairs), **dict(reversed(pairs))}.items()]
                ),
                parse_int=lambda digits: int(digits[:MOST_DIGITS]),
            )
        except json.JSONDecodeError as error:
            offset, reason = error.pos, error.msg
            head = self._text[:offset].rstrip(" \t\r\n")
            if head.endswith(",") and self._text.startswith(("}", "]"), offset):
                # Python 3.11 and 3.12 complain about the bracket
                offset, reason = len(head) - 1, "trailing comma"
            way_out = next((way for part, way in _WAYS_OUT if part in reason), "look before it")
            if self._text.startswith(("//", "/*", "#"), offset):
                way_out = "there are no comments in JSON"
            message = f"{self._quote(offset)} can't be here; {way_out}"
            self._log.stop(*self._place(offset), "json-syntax", message)

    def _quote(self, offset: int) -> str:
        """Return the word at *offset*, or the name of an invisible character there."""
        found = self._text[offset : offset + 1]
        if found in "\n " or found.isprintable():
            return word_at(self._text, offset)
        return f"the character U+{ord(found):04X}"

    def _find_problems(self) -> Iterator[tuple[int, str, str]]:
        """Yield offset, id and message of the problems of a well-formed text."""
        # for each surrounding object: the positions of its keys
        around: list[dict[str, int] | None] = []
        before = ""
        for token in TOKEN.finditer(self._text):
            text, offset = token.group(), token.start()
            first = text[0]
            if first == '"':
                value = _DECODER.raw_decode(self._text, offset)[0]
                is_adopted = self._limits is ADOPTED
                for kind, message in text_refusals(value, self._limits.text, adopted=is_adopted):
                    yield offset, kind, message
                if around and (keys := around[-1]) is not None and before in "{,":
                    earlier = keys.setdefault(value, offset)
                    if earlier != offset:
                        place = Place(self._log.file, *self._place(earlier))
                        id, message = duplicate(value, place)
                        if self._is_published and self._are_equal(earlier, offset):
                            at = Place(self._log.file, *self._place(offset))
                            self.notes.append(Problem(place=at, id=id, message=EQUAL_TWICE))
                        else:
                            yield offset, id, message
            elif first in "{[":
                around.append({} if first == "{" else None)
            elif first in "}]":
                around.pop()
            elif text in _NOT_JSON:
                message = f"{text} is not in JSON; write null or a number"
                yield offset, "json-syntax", message
            elif first not in ",:tfn":
                number = integer_value if INTEGER.fullmatch(text) else decimal_value
                try:
                    number(text)
                except RefusedError as refused:
                    yield offset, refused.kind, refused.message
            before = first

    def _are_equal(self, *keys: int) -> bool:
        """Return whether the values of *keys*, given by their offsets, are equal."""
        found = []
        for offset in keys:
            colon = after_blanks(self._text, _DECODER.raw_decode(self._text, offset)[1])
            begin = after_blanks(self._text, colon + 1)
            found.append(_DECODER.raw_decode(self._text, begin)[0])
        return are_same(*found)
