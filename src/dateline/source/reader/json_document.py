"""Reading the text of a JSON file."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable
from itertools import accumulate
from typing import Any, Final, NoReturn

from dateline.collector import collection_off
from dateline.model import Map, Place
from dateline.source.problems import EMPTY, Log, duplicate, line_and_column, word_at
from dateline.source.reader.characters import text_refusals
from dateline.source.reader.limits import Limits, too_deep, too_many
from dateline.source.scalars import INTEGER, RefusedError, decimal_value, integer_value

_STRUCTURE: Final = b"[]{}"
_NO_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in _STRUCTURE + b'"')
_STEPS: Final = bytes.maketrans(_STRUCTURE, b"\x01\xff\x01\xff")

# strings once the escaped quotes are out of the way; and every token, whatever its escapes
_STRING: Final = re.compile(b'"[^"]*"?')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)

# Escapes of forbidden characters and of lone halves of surrogate pairs, doubled backslashes aside.
_FORBIDDEN_ESCAPE: Final = re.compile(
    r"\\(?:[bf]|u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|061c|200[ef]|202[89a-e]"
    r"|206[6-9]|feff|fff[ef]|d[89ab][0-9a-f]{2}(?!\\ud[c-f])"
    r"|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f]))",
    re.IGNORECASE,
)

_DECODER: Final = json.JSONDecoder()

_NOT_JSON: Final = frozenset(("NaN", "Infinity", "-Infinity"))

# What the parser complains of: a part of its message, and the way out.
_WAYS_OUT: Final = (
    ("property name", "write a key in double quotes, or remove the comma before }"),
    ("trailing comma", "remove the comma before } or ]"),
    ("',' delimiter", "look for a missing comma or bracket before it"),
    ("':' delimiter", "write ':' between key and value"),
    ("Expecting value", "write a value as JSON has it, or remove the comma before ]"),
    ("Unterminated string", "close the text with a double quote"),
    ("Invalid control character", "write a line end as \\n and a tab as \\t"),
    ("escape", "double the backslash"),
    ("Extra data", "one file holds one value"),
)


class JsonDocument(Map):
    """The mapping that a JSON file holds, with the text to find places in."""

    __slots__ = ("text",)

    text: str


class JsonReader:
    """Reads one JSON text with the parser in C.

    That one tells no places, so here it is only asked whether anything is wrong; only then is
    the text walked, token by token, for what and where.
    """

    def __init__(self, text: str, limits: Limits, log: Log) -> None:
        self._text = text
        self._limits = limits
        self._log = log
        self._suspicious = False

    def read(self) -> JsonDocument:
        """Return what the text holds; raises StoppedError where it is not JSON to its end."""
        self.check_structure()
        if _FORBIDDEN_ESCAPE.search(self._text.replace("\\\\", "")):
            self._suspicious = True
        with collection_off():
            value = self._parsed()
        if self._suspicious:
            self._inspect()
        if not isinstance(value, Map):
            message = "the file must hold an object; write { ... }"
            self._log.stop(*self._place(after_blanks(self._text, 0)), "not-a-mapping", message)
        document = JsonDocument(value)
        document.file, document.mark, document.marks = value.file, value.mark, value.marks
        document.text = self._text
        return document

    def _place(self, offset: int) -> tuple[int, int]:
        return line_and_column(self._text, offset)

    def check_structure(self) -> None:
        """Decide depth and number on what stands outside of strings, before anything is made.

        Raises StoppedError where there is more than there may be.
        """
        text = self._text.encode(errors="surrogatepass")
        if b"\\" in text:
            text = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        longest = self._limits.text
        if longest < len(text) and re.search(b'"[^"]{%d}' % (longest + 1), text):
            self._suspicious = True
        # two quotes in a row begin and end nothing that counts
        quoted = text.translate(None, _NO_STRUCTURE).replace(b'""', b"")
        brackets = _STRING.sub(b"", quoted).translate(_STEPS)
        # an empty array or object counts as one value too many, which is near enough
        nodes = 1 + text.count(b",") + text.count(b":") + brackets.count(b"\x01")
        if nodes > self._limits.nodes:
            outside = _STRING.sub(b"", text)
            nodes = 1 + outside.count(b",") + outside.count(b":") + brackets.count(b"\x01")
        if nodes > self._limits.nodes:
            self._log.stop(1, 1, *too_many(self._limits))
        if max(accumulate(array("b", brackets)), default=0) > self._limits.depth:
            self._log.stop(*self._place(self._too_deep_at()), *too_deep(self._limits))

    def _too_deep_at(self) -> int:
        depth = 0
        for token in _TOKEN.finditer(self._text):
            first = token.group()[0]
            depth += (first in "[{") - (first in "]}")
            if depth > self._limits.depth:
                return token.start()
        return 0  # a backslash outside of a string: no JSON, and its quotes counted otherwise

    def _parsed(self) -> Any:
        file = self._log.file
        no_marks: list[int] = []

        def mapping(pairs: list[tuple[str, Any]]) -> Map:
            made = Map(pairs)
            if len(made) != len(pairs):
                self._suspicious = True
                # the first of equal keys stays, as in YAML
                made.update(reversed(pairs))
            made.file = file
            made.mark = 0
            made.marks = no_marks
            return made

        try:
            return json.loads(
                self._text,
                object_pairs_hook=mapping,
                parse_int=self._checked(integer_value),
                parse_float=self._checked(decimal_value),
                parse_constant=self._refused,
            )
        except json.JSONDecodeError as error:
            self._stop_at(error)

    def _checked(self, number: Callable[[str], Any]) -> Callable[[str], Any]:
        def checked(text: str) -> Any:
            try:
                return number(text)
            except RefusedError:
                return self._refused(text)

        return checked

    def _refused(self, text: str) -> str:
        self._suspicious = True
        return text

    def _stop_at(self, error: json.JSONDecodeError) -> NoReturn:
        if not self._text.strip():
            self._log.stop(1, 1, *EMPTY)
        way_out = next((way for part, way in _WAYS_OUT if part in error.msg), "look before it")
        message = f"{word_at(self._text, error.pos)} can't be here; {way_out}"
        self._log.stop(error.lineno, error.colno, "json-syntax", message)

    def _inspect(self) -> None:
        """Note, each with its place, the problems of a text that is well formed."""
        # for each object around: where its keys stand
        around: list[dict[str, int] | None] = []
        before = ""
        for token in _TOKEN.finditer(self._text):
            text, offset = token.group(), token.start()
            first = text[0]
            if first == '"':
                value = _DECODER.raw_decode(self._text, offset)[0]
                for refusal in text_refusals(value, self._limits.text):
                    self._log.note(*self._place(offset), *refusal)
                if around and (keys := around[-1]) is not None and before in "{,":
                    self._check_key(value, offset, keys)
            elif first in "{[":
                around.append({} if first == "{" else None)
            elif first in "}]":
                around.pop()
            elif first not in ",:":
                self._check_word(text, offset)
            before = first

    def _check_key(self, key: str, offset: int, keys: dict[str, int]) -> None:
        first = keys.setdefault(key, offset)
        if first != offset:
            place = Place(self._log.file, *self._place(first))
            self._log.note(*self._place(offset), *duplicate(key, place))

    def _check_word(self, text: str, offset: int) -> None:
        if text in _NOT_JSON:
            message = f"{text} is not in JSON; write null or a number"
            self._log.note(*self._place(offset), "json-syntax", message)
        elif text[0] not in "tfn":
            number = integer_value if INTEGER.fullmatch(text) else decimal_value
            try:
                number(text)
            except RefusedError as refused:
                self._log.note(*self._place(offset), refused.kind, refused.message)


_BLANKS: Final = re.compile(r"[ \t\n\r]*")


def after_blanks(text: str, offset: int) -> int:
    """Return where the white space that begins at *offset* ends."""
    found = _BLANKS.match(text, offset)
    return found.end() if found else offset
