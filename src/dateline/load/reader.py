"""One source file in, its mappings and lists with places out; what is wrong becomes problems."""

from __future__ import annotations

import errno
import gc
import json
import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in its stub
from math import isinf
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import yaml

from dateline.model import Map, Place, Problem, Seq, pack


class Limits(NamedTuple):
    """What a source may have at most: bytes, values and keys, levels, bytes in one text."""

    size: int
    nodes: int
    depth: int
    text: int


AUTHORED: Final = Limits(size=4 << 20, nodes=200_000, depth=64, text=16 << 10)
ADOPTED: Final = Limits(size=64 << 20, nodes=5_000_000, depth=512, text=64 << 20)

MOST_PROBLEMS: Final = 200
"""After so many problems the rest of a file is not read."""


def read(path: Path, name: str, *, adopted: bool, problems: list[Problem]) -> Map | None:
    """Return what the `.yaml` or `.json` file at *path* holds; *name* is its name for people.

    Mappings from YAML are ``Map`` and lists ``Seq``, with the place of every key, value and
    item. Objects from JSON are ``Map`` without marks, arrays plain lists: ``Locator`` finds
    their places when one is needed.

    Never raises for bad input: everything wrong is appended to *problems*. Returns None where
    the file could not be read to its end; else what it holds, with refused values as text and
    the first value of a duplicate key.
    """
    log = _Log(name, problems)
    limits = ADOPTED if adopted else AUTHORED
    try:
        text = _text(_content(path, limits.size, log), log)
        if path.suffix == ".json":
            return _Json(text, limits, log).read()
        return _Yaml(text, limits, adopted, log).read()
    except _StoppedError:
        return None


class _StoppedError(Exception):
    """The rest of the file can't be read, or is not worth reading; the reason is noted."""


class _Log:
    """The problems of one file."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file = file
        self._problems = problems
        self._left = MOST_PROBLEMS

    def note(self, line: int, column: int, kind: str, message: str) -> None:
        place = Place(self.file, line, column)
        self._problems.append(Problem(place=place, id=kind, message=message))
        self._left -= 1
        if not self._left:
            message = f"{MOST_PROBLEMS} problems; the rest of the file was not read"
            self._problems.append(Problem(place=place, id="too-many-problems", message=message))
            raise _StoppedError

    def stop(self, line: int, column: int, kind: str, message: str) -> NoReturn:
        self.note(line, column, kind, message)
        raise _StoppedError


def _shown(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


# --- The file and its characters


def _content(path: Path, limit: int, log: _Log) -> bytes:
    """Return the bytes of the regular file at *path*, which must lie in its own folder."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(path.parent.resolve()):
            message = f"the link leads to {_shown(os.fspath(path.readlink()), 80)}"
            log.stop(1, 1, "symlink-outside", message + ", outside its folder; copy the file here")
        if not real.is_file():
            # a pipe would keep its reader waiting
            log.stop(1, 1, "unreadable-file", "this is not a regular file; put a file here")
        with real.open("rb") as file:
            content = file.read(limit + 1)
    except (OSError, RuntimeError) as error:
        # a loop of links is a RuntimeError to `resolve` until Python 3.12, ELOOP from 3.13 on
        if isinstance(error, RuntimeError) or error.errno == errno.ELOOP:
            reason = "the links lead in a circle"
        else:
            reason = error.strerror or "it can not be opened"
        log.stop(1, 1, "unreadable-file", f"{reason}; make it a file that can be read")
    if len(content) > limit:
        log.stop(1, 1, "too-large", f"the file has more than {limit:,} bytes; split it by resource")
    return content


_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")

# Control and bidi characters, line separators that YAML readers disagree on, characters that
# YAML forbids, and halves of surrogate pairs.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff]"
)


def _text(content: bytes, log: _Log) -> str:
    """Return *content* as text with LF for every line end and without a byte order mark."""
    if content.startswith(_WIDE_MARKS) or b"\0" in content[:4]:
        log.stop(1, 1, "not-utf-8", "the file is in UTF-16 or UTF-32; save it as UTF-8")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8").removeprefix("\ufeff")
        log.stop(
            *_line_and_column(before, len(before)),
            "not-utf-8",
            f"the byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8",
        )
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            place = _line_and_column(text, text.index("\r"))
            message = "a carriage return stands without a line feed; end lines with LF or CRLF"
            log.note(*place, "control-character", message)
            text = text.replace("\r", "\n")
    if _FORBIDDEN.search(text):
        for index, line in enumerate(text.split("\n")):
            if found := _FORBIDDEN.search(line):
                message = _invisible(found.group()) + "; delete it"
                log.note(index + 1, found.start() + 1, "control-character", message)
        # a blank keeps every place as it is, so that the other problems are found as well
        text = _FORBIDDEN.sub(" ", text)
    return text


def _invisible(character: str) -> str:
    return f"the invisible character U+{ord(character):04X} stands here"


# --- YAML: plain words and numbers


class _RefusedError(Exception):
    """A plain scalar is no value: the id of the problem, and what to write instead."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_INTEGER: Final = re.compile("-?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")

# The same as YAML 1.2.2 has them in its core schema (section 10.3.2), less what JSON lacks and
# less the integers that YAML 1.1 takes for others.
_CORE_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_CORE_INTEGER: Final = re.compile("[-+]?(?:0|[1-9][0-9]*)")
_CORE_DECIMAL: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
)

_NUMBER_STARTS: Final = frozenset("0123456789+-.")

_MOST_DIGITS: Final = 308
"""An integer with more has no counterpart among the floating-point numbers."""

# Words that some readers, of YAML 1.1 or 1.2, take for something else than text; and what to
# write if that was meant.
_DISPUTED_WORDS: Final = {
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "True", "TRUE"),
        " or true for the boolean",
    ),
    **dict.fromkeys(
        ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "False", "FALSE"),
        " or false for the boolean",
    ),
    **dict.fromkeys(("~", "Null", "NULL"), " or null for no value"),
    **dict.fromkeys(("<<", "="), ""),
}

# The same for what begins as a number may.
_DISPUTED_NUMBERS: Final = (
    (
        re.compile(
            r"[-+]?(?:0[bB][01_]+|0[oO][0-7_]+|0[xX][0-9a-fA-F_]+"
            r"|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # to the base of 60
            r"|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)"
        ),
        " or a plain decimal for the number",
    ),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), ""),
    (
        re.compile(
            r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}"
            r"(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?"
        ),
        "",
    ),
)


def _authored(text: str) -> Any:
    """Return what plain *text* is to every reader of YAML, and of JSON; dates are text."""
    if text in _WORDS:
        return _WORDS[text]
    if not text:
        raise _RefusedError("missing-value", "no value stands here; write null, '', [] or {}")
    if text in _DISPUTED_WORDS:
        raise _disputed(text, _DISPUTED_WORDS[text])
    if text[0] not in _NUMBER_STARTS:
        return text
    number = _number(text, _INTEGER, _DECIMAL)
    if number is not None:
        return number
    for pattern, alternative in _DISPUTED_NUMBERS:
        if pattern.fullmatch(text):
            # out of range in every notation
            _number(text, _CORE_INTEGER, _CORE_DECIMAL)
            raise _disputed(text, alternative)
    return text


def _adopted(text: str) -> Any:
    """Return what plain *text* is in YAML 1.2, or text where YAML 1.1 has another number."""
    if text in _CORE_WORDS:
        return _CORE_WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    number = _number(text, _CORE_INTEGER, _CORE_DECIMAL)
    return text if number is None else number


def _number(text: str, integer: re.Pattern[str], decimal: re.Pattern[str]) -> int | float | None:
    if integer.fullmatch(text):
        return _integer(text)
    if decimal.fullmatch(text):
        return _decimal(text)
    return None


def _integer(text: str) -> int:
    if len(text.lstrip("+-")) > _MOST_DIGITS:
        raise _out_of_range(text)
    return int(text)


def _decimal(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise _out_of_range(text)
    return number


def _out_of_range(text: str) -> _RefusedError:
    message = f"the number {_shown(text)} is too large to be read everywhere; write it as text"
    return _RefusedError("number-out-of-range", message)


def _disputed(text: str, alternative: str) -> _RefusedError:
    shown = _shown(text)
    message = f"YAML readers disagree about {shown}; write '{shown}' for the text{alternative}"
    return _RefusedError("ambiguous-scalar", message)


# --- YAML: the document

# The reader in C, many times faster, where PyYAML was built with it.
_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Escapes in double quotes that can stand for a forbidden character.
_RISKY_ESCAPE: Final = re.compile(r"\\[0abefvNLPxuU]")

# Each handle is compared with all before it: a file of nothing else would take minutes.
_TAG_DIRECTIVE: Final = re.compile("^%TAG", re.MULTILINE)

# How the parser writes out `!!`.
_STANDARD_TAGS: Final = "tag:yaml.org,2002:"

_UNKNOWN: Final = object()

_NOT_A_KEY: Final = "a mapping or list can't be a key; put a text with {{ }} in quotes"
_EMPTY: Final = "nothing stands in this file; write a mapping, or delete the file"
_NOT_A_MAPPING: Final = "the file must hold a mapping; write `key: value` lines"
_SEVERAL: Final = "a second document begins here; put it into a file of its own"


class _Complaint(NamedTuple):
    """A part of what PyYAML's parsers say, and what we say of it."""

    part: str
    message: str
    kind: str = "yaml-syntax"
    at_opening: bool = False


_HALF_CHARACTER: Final = "this escape stands for no whole character; write the character itself"

_COMPLAINTS: Final = (
    _Complaint(
        "mapping values are not allowed",
        "':' can't stand here; put a text that holds ': ' in quotes, and align keys",
    ),
    _Complaint("tab character", "a tab can't indent; use spaces"),
    _Complaint("cannot start any token", "{found} can't begin a text; put the text in quotes"),
    _Complaint("alphabetic or numeric", "* and & can't begin a text; put the text in quotes"),
    _Complaint(
        "quoted scalar: found unexpected",
        "the text in quotes that begins here never ends; close it with the same quote",
        at_opening=True,
    ),
    _Complaint("unknown escape", "no such escape; double the backslash, or use single quotes"),
    _Complaint("Unicode character escape", _HALF_CHARACTER, "lone-surrogate", at_opening=True),
    _Complaint("document start", _SEVERAL, "several-documents"),
    _Complaint(
        "could not find expected ':'",
        "the key that begins here has no ':'; write `key: value`",
        at_opening=True,
    ),
    _Complaint("node content", "{found} can't stand here; write a value, or text in quotes"),
    _Complaint(
        "directive",
        "no directive but %YAML is known; delete this line",
        at_opening=True,
    ),
    _Complaint(
        "parsing a flow ",
        "{found} can't follow in the brackets that open at {opening}; look for a missing , or "
        "closing bracket",
    ),
    _Complaint(
        "parsing a block ",
        "{found} can't follow in what begins at {opening}; align it, or put the text in quotes",
    ),
    _Complaint("", "{found} can't stand here; put the text in quotes"),
)


class _Yaml:
    """Builds the mappings and lists of one YAML text from its events."""

    def __init__(self, text: str, limits: Limits, adopted: bool, log: _Log) -> None:
        self._text = text
        self._limits = limits
        self._adopted = adopted
        self._log = log
        # no character takes more than four bytes
        self._most_characters = limits.text // 4
        self._anchors: set[str] = set()
        # What the plain keys and values met so far stand for; equal texts become one object.
        self._keys: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def read(self) -> Map:
        if found := _TAG_DIRECTIVE.search(self._text):
            place = _line_and_column(self._text, found.start())
            self._log.stop(*place, "tag-used", "tags are not read; delete the %TAG line")
        loader = _Loader(self._text.encode())
        try:
            with _collection_off():
                return self._document(loader.get_event)
        except yaml.MarkedYAMLError as error:
            self._stop_at(error)
        finally:
            loader.dispose()

    def _document(self, get_event: Callable[[], Any]) -> Map:
        """Return the mapping that is the only document among the events."""
        get_event()
        if isinstance(get_event(), yaml.StreamEndEvent):
            self._log.stop(1, 1, "empty-file", _EMPTY)
        first = get_event()
        if not isinstance(first, yaml.MappingStartEvent):
            if isinstance(first, yaml.ScalarEvent) and not (first.style or first.value):
                self._log.stop(1, 1, "empty-file", _EMPTY)
            self._log.stop(*_place(first), "not-a-mapping", _NOT_A_MAPPING)
        if first.anchor is not None:
            self._refuse_anchor(first)
        if first.tag is not None:
            self._refuse_tag(first)
        root = Map()
        root.file = self._log.file
        root.mark = pack(*_place(first))
        root.marks = []
        self._fill(root, get_event)
        get_event()
        after = get_event()
        if not isinstance(after, yaml.StreamEndEvent):
            self._log.stop(*_place(after), "several-documents", _SEVERAL)
        return root

    def _fill(self, root: Map, get_event: Callable[[], Any]) -> None:
        """Put into *root* what the events hold up to its end.

        One loop without recursion and with few calls: it runs for every node of documents that
        have hundreds of thousands, and nesting must not reach the interpreter's stack. Depth and
        number are decided on each event before anything is made of it.
        """
        scalar, alias = yaml.ScalarEvent, yaml.AliasEvent
        mapping, mapping_end = yaml.MappingStartEvent, yaml.MappingEndEvent
        sequence_end = yaml.SequenceEndEvent
        keys, values = self._keys, self._values
        most_nodes, most_around = self._limits.nodes, self._limits.depth - 1
        most_characters = self._most_characters
        risky = _RISKY_ESCAPE.search(self._text) is not None
        nodes = 1
        # the containers around the current one, each with whether it is a mapping
        stack: list[tuple[Any, bool]] = []
        here: Any = root
        in_map = wants_key = True
        key, key_mark, fresh = "", 0, True
        while True:
            event = get_event()
            kind = type(event)
            if kind is mapping_end or kind is sequence_end:
                if not stack:
                    return
                here, in_map = stack.pop()
                wants_key = in_map
                continue
            start = event.start_mark
            mark = pack(start.line + 1, start.column + 1)
            nodes += 1
            if nodes > most_nodes:
                self._log.stop(*_place(event), *_too_many(self._limits))
            if event.anchor is not None:
                self._refuse_anchor(event)
            if kind is alias:
                value = "*" + event.anchor
            elif event.tag is not None:
                self._refuse_tag(event)
            if kind is scalar:
                value = event.value
                if event.style:
                    if len(value) > most_characters or (risky and event.style == '"'):
                        self._check_text(value, event)
                elif wants_key:
                    value = keys.get(value) or self._key(event)
                else:
                    value = values.get(value, _UNKNOWN)
                    if value is _UNKNOWN:
                        value = self._value(event)
            elif kind is not alias:
                if wants_key:
                    self._log.stop(*_place(event), "key-not-text", _NOT_A_KEY)
                if len(stack) >= most_around:
                    self._log.stop(*_place(event), *_too_deep(self._limits))
                value = Map() if kind is mapping else Seq()
                value.file = root.file
                value.mark = mark
                value.marks = []
            if wants_key:
                key, key_mark = value, mark
                wants_key = False
                fresh = key not in here
                if not fresh:
                    self._refuse_duplicate(here, key, event)
                continue
            if not in_map:
                here.append(value)
                here.marks.append(mark)
            elif fresh:
                here[key] = value
                here.marks += (key_mark, mark)
            if kind is scalar or kind is alias:
                wants_key = in_map
            else:
                stack.append((here, in_map))
                here = value
                in_map = wants_key = kind is mapping

    # The rare cases, out of the loop.

    def _key(self, event: Any) -> str:
        """Return what a plain key stands for: its own text, refused or not."""
        text: str = event.value
        if len(text) > self._most_characters:
            self._check_text(text, event)
        refusal = None if self._adopted else _key_refusal(text)
        if refusal is None:
            self._keys[text] = text
        else:
            self._log.note(*_place(event), *refusal)
        return text

    def _value(self, event: Any) -> Any:
        """Return what a plain value stands for; its own text if it is refused."""
        text: str = event.value
        if len(text) > self._most_characters:
            self._check_text(text, event)
        try:
            value = _adopted(text) if self._adopted else _authored(text)
        except _RefusedError as refused:
            self._log.note(*_place(event), refused.kind, refused.message)
            return text
        if len(text) <= self._most_characters:
            self._values[text] = value
        return value

    def _check_text(self, text: str, event: Any) -> None:
        for refusal in _text_refusals(text, self._limits.text):
            self._log.note(*_place(event), *refusal)

    def _refuse_anchor(self, event: Any) -> None:
        """Note an anchor; an alias only where nothing stands behind it."""
        name = event.anchor
        if not isinstance(event, yaml.AliasEvent):
            self._anchors.add(name)
            message = f"&{name} can't be reused; write the value out where *{name} stands"
        elif name not in self._anchors:
            message = f"*{name} stands for nothing; put the text in quotes"
        else:
            return
        self._log.note(*_place(event), "anchor-used", message)

    def _refuse_tag(self, event: Any) -> None:
        tag = event.tag
        if tag.startswith(_STANDARD_TAGS):
            tag = "!!" + tag.removeprefix(_STANDARD_TAGS)
        message = f"the tag {_shown(tag)} is not read; delete it, or put the text in quotes"
        self._log.note(*_place(event), "tag-used", message)

    def _refuse_duplicate(self, here: Map, key: str, event: Any) -> None:
        self._log.note(*_place(event), *_duplicate(key, here.place(key)))

    def _stop_at(self, error: Any) -> NoReturn:
        mark = error.problem_mark
        said = f"{error.context}: {error.problem}"
        if self._text.startswith("\t", mark.index):
            said = "tab character"
        complaint = next(complaint for complaint in _COMPLAINTS if complaint.part in said)
        opening = error.context_mark or mark
        message = complaint.message.format(
            found=_found(self._text, mark.index),
            opening=Place(self._log.file, opening.line + 1, opening.column + 1),
        )
        if complaint.at_opening:
            mark = opening
        self._log.stop(mark.line + 1, mark.column + 1, complaint.kind, message)


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _key_refusal(text: str) -> tuple[str, str] | None:
    """Return why the plain *text* may not be a key, if so."""
    shown = _shown(text)
    if not text:
        return "key-not-text", "a key is missing here; write one before ':'"
    try:
        if isinstance(_authored(text), str):
            return None
    except _RefusedError as refused:
        if refused.kind == "ambiguous-scalar":
            return refused.kind, f"YAML readers disagree about the key {shown}; write '{shown}'"
    return "key-not-text", f"the key {shown} is not text; write '{shown}'"


# --- What YAML and JSON share

_WORD: Final = re.compile(r"\S+")
_BLANK: Final = re.compile(r"[ \t\n\r]*")


def _text_refusals(text: str, most_bytes: int) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a text once its escapes are undone."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most_bytes:
        message = f"this text has {size:,} bytes, of at most {most_bytes:,}; shorten it"
        yield "too-large", message
    if found := _FORBIDDEN.search(text):
        if "\ud800" <= found.group() <= "\udfff":
            yield "lone-surrogate", _HALF_CHARACTER
        else:
            yield "control-character", _invisible(found.group()) + ", as an escape; delete it"


def _duplicate(key: str, first: Place) -> tuple[str, str]:
    return "duplicate-key", f"'{_shown(key)}' stands at {first} already; keep one of the two"


def _too_deep(limits: Limits) -> tuple[str, str]:
    message = f"more than {limits.depth} mappings and lists stand within each other; use $ref"
    return "too-deep", message


def _too_many(limits: Limits) -> tuple[str, str]:
    message = f"the file has more than {limits.nodes:,} keys and values; split it by resource"
    return "too-large", message


def _found(text: str, offset: int) -> str:
    """Return the word at *offset* for a message."""
    word = _WORD.match(text, offset)
    if word is None:
        return "the end of the line" if text[offset : offset + 1] else "the end of the file"
    return f"'{_shown(word.group(), 20)}'"


def _blank(text: str, offset: int) -> int:
    """Return where the white space that begins at *offset* ends."""
    found = _BLANK.match(text, offset)
    return found.end() if found else offset


@contextmanager
def _collection_off() -> Iterator[None]:
    """Keep the collector from walking, over and over, a document that only grows."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


# --- JSON

_STRUCTURE: Final = b"[]{}"
_NO_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in _STRUCTURE)
_STEPS: Final = bytes.maketrans(_STRUCTURE, b"\x01\xff\x01\xff")

# strings once the escaped quotes are out of the way; and every token, whatever its escapes
_STRING: Final = re.compile('"[^"]*"?')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)

# Escapes of forbidden characters and of lone halves of surrogate pairs, doubled backslashes aside.
_FORBIDDEN_ESCAPE: Final = re.compile(
    r"\\(?:[bf]|u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|061c|200[ef]|202[89a-e]"
    r"|206[6-9]|feff|fff[ef]|d[89ab][0-9a-f]{2}(?!\\ud[c-f])"
    r"|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f]))",
    re.IGNORECASE,
)

_NOT_JSON: Final = frozenset(("NaN", "Infinity", "-Infinity"))
_JSON_DECIMAL: Final = re.compile("[-0-9.eE+]+")

# What the parser complains of: a part of its message, and the way out.
_JSON_WAYS_OUT: Final = (
    ("property name", "write a key in double quotes; no comma stands before }"),
    ("trailing comma", "no comma stands before } or ]"),
    ("',' delimiter", "look for a missing comma or bracket before it"),
    ("':' delimiter", "write ':' between key and value"),
    ("Expecting value", "write a value as JSON has it; no comma stands before ]"),
    ("Unterminated string", "close the text with a double quote"),
    ("Invalid control character", "write a line end as \\n and a tab as \\t"),
    ("escape", "double the backslash"),
    ("Extra data", "one file holds one value"),
)


class JsonDocument(Map):
    """The mapping that a JSON file holds, with the text to find places in."""

    __slots__ = ("text",)

    text: str


class _Json:
    """Reads one JSON text with the parser in C.

    That one tells no places, so here it is only asked whether anything is wrong; only then is
    the text walked, token by token, for what and where.
    """

    def __init__(self, text: str, limits: Limits, log: _Log) -> None:
        self._text = text
        self._limits = limits
        self._log = log
        self._suspicious = False

    def read(self) -> JsonDocument:
        self._check_structure()
        if _FORBIDDEN_ESCAPE.search(self._text.replace("\\\\", "")):
            self._suspicious = True
        with _collection_off():
            value = self._parsed()
        if self._suspicious:
            self._inspect()
        if not isinstance(value, Map):
            message = "the file must hold an object; write { ... }"
            self._log.stop(*self._place(_blank(self._text, 0)), "not-a-mapping", message)
        document = JsonDocument(value)
        document.file, document.mark, document.marks = value.file, value.mark, value.marks
        document.text = self._text
        return document

    def _place(self, offset: int) -> tuple[int, int]:
        return _line_and_column(self._text, offset)

    def _check_structure(self) -> None:
        """Decide depth and number on what stands outside of strings, before anything is made."""
        text = self._text.replace("\\\\", "__").replace('\\"', "__")
        # no character takes more than four bytes
        if re.search(f'"[^"]{{{self._limits.text // 4 + 1}}}', text):
            self._suspicious = True
        outside = _STRING.sub("", text).encode()
        brackets = outside.translate(_STEPS, _NO_STRUCTURE)
        # an empty array or object counts as one value too many, which is near enough
        nodes = 1 + outside.count(b",") + outside.count(b":") + brackets.count(b"\x01")
        if nodes > self._limits.nodes:
            self._log.stop(1, 1, *_too_many(self._limits))
        if max(accumulate(array("b", brackets)), default=0) > self._limits.depth:
            self._log.stop(*self._place(self._too_deep_at()), *_too_deep(self._limits))

    def _too_deep_at(self) -> int:
        depth = 0
        for token in _TOKEN.finditer(self._text):
            first = token.group()[0]
            depth += (first in "[{") - (first in "]}")
            if depth > self._limits.depth:
                return token.start()
        return 0

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
                parse_int=self._checked(_integer),
                parse_float=self._checked(_decimal),
                parse_constant=self._refused,
            )
        except json.JSONDecodeError as error:
            self._stop_at(error)
        except RecursionError:
            # brackets that are balanced only if quotes are counted wrongly
            self._log.stop(1, 1, *_too_deep(self._limits))

    def _checked(self, number: Callable[[str], Any]) -> Callable[[str], Any]:
        def checked(text: str) -> Any:
            try:
                return number(text)
            except _RefusedError:
                return self._refused(text)

        return checked

    def _refused(self, text: str) -> str:
        self._suspicious = True
        return text

    def _stop_at(self, error: json.JSONDecodeError) -> NoReturn:
        if not self._text.strip():
            self._log.stop(1, 1, "empty-file", _EMPTY)
        way_out = next((way for part, way in _JSON_WAYS_OUT if part in error.msg), "look before it")
        message = f"{_found(self._text, error.pos)} can't stand here; {way_out}"
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
                value = scanstring(self._text, offset + 1)[0]
                for refusal in _text_refusals(value, self._limits.text):
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
            self._log.note(*self._place(offset), *_duplicate(key, place))

    def _check_word(self, text: str, offset: int) -> None:
        if text in _NOT_JSON:
            message = f"{text} is not in JSON; write null or a number"
            self._log.note(*self._place(offset), "json-syntax", message)
        elif text[0] not in "tfn":
            try:
                _number(text, _INTEGER, _JSON_DECIMAL)
            except _RefusedError as refused:
                self._log.note(*self._place(offset), refused.kind, refused.message)


# --- Places

Trail = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to a place in it."""


class Locator:
    """Tells where the trails of a joined document lead to in its files."""

    def __init__(self, fragments: Iterable[Map]) -> None:
        """Take the mappings that ``read`` returned for those files, at least one."""
        self._fragments = [
            (fragment, _JsonPlaces(fragment).find)
            if isinstance(fragment, JsonDocument)
            else (fragment, _YamlPlaces(fragment).find)
            for fragment in fragments
        ]

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return where the key or item at *path* stands; with *value*, what it holds.

        The file that has most of *path* answers, the first of equals; what it lacks of *path* is
        left off. The empty trail is the document itself.
        """
        depth, find = 0, self._fragments[0][1]
        for fragment, finder in self._fragments:
            reached = _depth(fragment, path)
            if reached > depth:
                depth, find = reached, finder
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


class _YamlPlaces:
    """Places by the marks; containers without any are passed over."""

    def __init__(self, root: Map) -> None:
        self._root = root

    def find(self, path: Trail, value: bool) -> Place:
        place = self._root.place()
        here: Any = self._root
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

    def find(self, path: Trail, value: bool) -> Place:
        place = inside = _blank(self._text, 0)
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
            members = {"{": self._members, "[": self._items}.get(self._text[offset])
            with _collection_off():
                self._scanned[offset] = dict(members(offset)) if members else {}
        return self._scanned[offset]

    def _members(self, offset: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        text = self._text
        at = _blank(text, offset + 1)
        while text[at] == '"':
            key, end = scanstring(text, at + 1)
            value = _blank(text, _blank(text, end) + 1)
            yield key, (at, value)
            at = self._next(value)

    def _items(self, offset: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        at = _blank(self._text, offset + 1)
        index = 0
        while self._text[at] != "]":
            yield index, (at, at)
            index += 1
            at = self._next(at)

    def _next(self, value: int) -> int:
        """Return where the member or item after the one at *value* begins, or the bracket."""
        _, end = self._decoder.raw_decode(self._text, value)
        end = _blank(self._text, end)
        return _blank(self._text, end + 1) if self._text[end] == "," else end
