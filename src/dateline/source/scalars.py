"""Scalars of YAML and JSON, both ways: how plain text is read, and how a value is written.

Text that a reader could take for anything else is never written plain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isinf
from typing import Any, Final

from dateline.source.problems import ReadError, short


class RefusedError(ReadError):
    """A plain scalar has no clear value; the message says what to write instead."""


_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
INTEGER: Final = re.compile("-?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+][0-9]+)?")

# The same in the core schema of YAML 1.2.2 (section 10.3.2), without what JSON lacks and without
# the integers that mean others in YAML 1.1.
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

MOST_DIGITS: Final = 308
"""A longer integer has no counterpart among the floating-point numbers."""

# Words that some readers, of YAML 1.1 or 1.2, interpret as something other than text; and what to
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

# The same for words that begin like a number.
_DISPUTED_NUMBERS: Final = (
    (
        re.compile(
            r"[-+]?(?:0[bB][01_]+|0[oO][0-7_]+|0[xX][0-9a-fA-F_]+"
            r"|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # sexagesimal
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


def authored_value(text: str) -> Any:
    """Return the value of plain *text* for every reader of YAML, and of JSON; dates are text.

    Raises RefusedError if readers disagree, or if the text is empty.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not text:
        raise RefusedError("missing-value", "a value is missing; write null, '', [] or {}")
    if text in _DISPUTED_WORDS:
        raise _ambiguous_error(text, _DISPUTED_WORDS[text])
    if text[0] not in _NUMBER_STARTS:
        return text
    number = _number(text, INTEGER, _DECIMAL)
    if number is not None:
        return number
    for pattern, alternative in _DISPUTED_NUMBERS:
        if pattern.fullmatch(text):
            # out of range in every notation
            _number(text, _CORE_INTEGER, _CORE_DECIMAL)
            raise _ambiguous_error(text, alternative)
    return text


def adopted_value(text: str) -> Any:
    """Return the value of plain *text* in YAML 1.2, or text if YAML 1.1 has another number.

    Raises RefusedError for a number out of range.
    """
    if text in _CORE_WORDS:
        return _CORE_WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    number = _number(text, _CORE_INTEGER, _CORE_DECIMAL)
    return text if number is None else number


def key_refusal(text: str) -> tuple[str, str] | None:
    """Return id and message for a plain *text* that can't be a key of an authored source."""
    key = short(text)
    if not text:
        return "key-not-text", "a key is missing here; write one before ':'"
    try:
        if isinstance(authored_value(text), str):
            return None
    except RefusedError as refused:
        if refused.kind == "ambiguous-scalar":
            return refused.kind, f"YAML readers disagree about the key {key}; write '{key}'"
    return "key-not-text", f"the key {key} is not text; write '{key}'"


def _number(text: str, integer: re.Pattern[str], decimal: re.Pattern[str]) -> int | float | None:
    if integer.fullmatch(text):
        return integer_value(text)
    if decimal.fullmatch(text):
        return decimal_value(text)
    return None


def integer_value(text: str) -> int:
    """Return the integer that *text* represents; raises RefusedError for one out of range."""
    if len(text.lstrip("+-")) > MOST_DIGITS:
        raise _range_error(text)
    return int(text)


def decimal_value(text: str) -> float:
    """Return the number that *text* represents; raises RefusedError for one out of range."""
    number = float(text)
    if isinf(number):
        raise _range_error(text)
    return number


def _range_error(text: str) -> RefusedError:
    message = f"the number {short(text)} is too large to be read everywhere; write it as text"
    return RefusedError("number-out-of-range", message)


def _ambiguous_error(text: str, alternative: str) -> RefusedError:
    word = short(text)
    message = f"YAML readers disagree about {word}; write '{word}' for the text{alternative}"
    return RefusedError("ambiguous-scalar", message)


# How values are written

# Text that every YAML 1.1 and 1.2 reader reads as just this text. What begins like a number, a date
# or an indicator is quoted, and so are the words below. A colon is allowed only before what can't
# make it the end of a key, and a blank only before what can't begin a comment.
_PLAIN: Final = re.compile(
    r"[A-Za-z_/$](?:[A-Za-z0-9_./{}$()+*'@!?;=,\-]|[ :](?=[A-Za-z0-9_(/$-]))*"
)
# The same for files that people write: letters of every language, and more punctuation.
_PLAIN_TO_PEOPLE: Final = re.compile(
    r"[^\W\d](?:[^\s:#]|:(?=[\w/])| (?=[^\s#:])|(?<=[^\s])#)*|[/$][\w./{}-]*"
)
_IN_BRACKETS: Final = re.compile(r"[][{},?:]")
_QUOTED_WORDS: Final = frozenset(
    [word.lower() for word in (*_CORE_WORDS, *_DISPUTED_WORDS)] + ["nan", "inf", "infinity"]
)

_encode: Any = json.encoder.encode_basestring


def is_plain(text: str, *, to_people: bool = False, brackets: bool = False) -> bool:
    """Return whether *text* can be written without quotes, in a collection in *brackets* or not.

    A file written *to_people* may have letters of every language.
    """
    pattern = _PLAIN_TO_PEOPLE if to_people else _PLAIN
    return (
        pattern.fullmatch(text) is not None
        and text.lower() not in _QUOTED_WORDS
        and text.isprintable()
        and not (brackets and _IN_BRACKETS.search(text))
    )


def quote_json(text: str) -> str:
    """Return *text* as a JSON string (RFC 8259 section 7), unprintable characters escaped."""
    return _escape(text, lambda one: json.dumps(one)[1:-1])


def quote_yaml(text: str) -> str:
    """Return *text* as a YAML double-quoted scalar (YAML 1.2.2 section 7.3.1).

    The same as JSON, but a character beyond U+FFFF is one escape and not two surrogates.
    """
    return _escape(
        text, lambda one: json.dumps(one)[1:-1] if one <= "\uffff" else f"\\U{ord(one):08x}"
    )


def _escape(text: str, escape: Callable[[str], str]) -> str:
    """Return *text* in double quotes; *escape* returns the escape of an unprintable character."""
    quoted = str(_encode(text))
    if quoted.isprintable():
        return quoted
    return "".join(one if one.isprintable() else escape(one) for one in quoted)


# YAML 1.2.2, sections 7.4.2 and 8.2.2: the colon is at most that many characters after the start
# of the key, unless the key follows a question mark.
_LONGEST_KEY: Final = 1024


def is_long_key(written: str) -> bool:
    """Return whether the key *written* has to follow a question mark."""
    return len(written) > _LONGEST_KEY


def end_key(written: str, margin: str) -> str:
    """Return the key *written* with its colon, in block style indented by *margin*."""
    return f"? {written}\n{margin}:" if is_long_key(written) else f"{written}:"


_NAMED: Final[dict[bool | None, str]] = {None: "null", True: "true", False: "false"}


def format_number(value: float | bool | None) -> str:
    """Return a number, true, false or null as JSON and every YAML reader interpret it."""
    if type(value) is int:
        return str(value)
    if value is None or isinstance(value, bool):
        return _NAMED[value]
    text = json.dumps(value)
    if "e" in text and "." not in text:
        # YAML 1.1 knows an exponent only after a decimal point
        return text.replace("e", ".0e")
    return text


def format_block(text: str, margin: str) -> str | None:
    """Return *text* as a literal block scalar (YAML 1.2.2 section 8.1.2) indented by *margin*.

    None if that has no advantage, or would not preserve the text.
    """
    lines = _split_block(text) if "\n" in text else None
    if lines is None or lines[0].startswith((" ", "\t")):
        return None
    return _join_block("|", text, lines, margin)


def _split_block(text: str) -> list[str] | None:
    """Return the lines of *text* if a block scalar can preserve them, else None."""
    lines = text.removesuffix("\n").split("\n")
    is_kept = all(line.isprintable() and not line.endswith(" ") for line in lines)
    return lines if is_kept and lines[0] and lines[-1] else None


def _join_block(style: str, text: str, lines: list[str], margin: str) -> str:
    """Return a block scalar of *style* with *lines*, which stand for *text*."""
    head = style if text.endswith("\n") else f"{style}-"
    return f"{head}\n" + "\n".join(margin + line if line else "" for line in lines)


# A blank at which a line may be folded: others are preserved.
_FOLD: Final = re.compile(r"(?<=[^ ]) (?=[^ ])")
# The parts of a double-quoted scalar that can't be split.
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|.)|[^\\]")


def format_folded(text: str, margin: str, width: int) -> str | None:
    """Return *text* as a folded block scalar (YAML 1.2.2 section 8.1.3) indented by *margin*.

    Its lines have at most *width* characters, unless a word is longer. None if that would not
    preserve the text.
    """
    lines = _split_block(text)
    if lines is None or any(line.startswith((" ", "\t")) for line in lines):
        return None
    folded: list[str] = []
    for number, line in enumerate(lines):
        if number:
            # one line break is a blank, each further one is a line break of the text
            folded.append("")
        if line:
            folded += _fold(line, width - len(margin))
    return _join_block(">", text, folded, margin)


def _fold(line: str, room: int) -> list[str]:
    """Return *line* split into lines of at most *room* characters, if its words are shorter."""
    folded: list[str] = []
    for word in _FOLD.split(line):
        if folded and len(folded[-1]) + 1 + len(word) <= room:
            folded[-1] += f" {word}"
        else:
            folded.append(word)
    return folded


def wrap_quoted(text: str, margin: str, width: int, column: int) -> str:
    """Return *text* as a double-quoted scalar on lines of at most *width* characters.

    The first line follows *column* characters, the others *margin*. Lines end at line breaks of the
    text, and after blanks (YAML 1.2.2 section 7.3.1).
    """
    room = width - column - 3
    lines = [""]
    last_blank = 0
    for piece in _ESCAPE.findall(quote_yaml(text)[1:-1]):
        if len(lines[-1]) + len(piece) > room:
            cut = last_blank or len(lines[-1])
            lines[-1:] = [lines[-1][:cut], lines[-1][cut:]]
            last_blank = 0
            room = width - len(margin) - 2
        lines[-1] += piece
        if piece == " ":
            last_blank = len(lines[-1])
        elif piece == "\\n":
            lines.append("")
            last_blank = 0
            room = width - len(margin) - 2
    lines = [line for line in lines if line]
    # blanks at the start of a line would be ignored
    kept = [f"\\{line}" if line.startswith(" ") else line for line in lines]
    return '"' + f"\\\n{margin}".join(kept) + '"'
