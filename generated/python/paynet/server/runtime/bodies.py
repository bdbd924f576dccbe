"""Read the body of a request as JSON, and refuse what two parsers could read differently."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from typing import Any, Final, NoReturn

from .errors import Fault, RequestError, quote
from .negotiation import BLANKS

DEEPEST: Final = 64
"""The maximum nesting of arrays and objects."""

LONGEST_INTEGER: Final = 308
"""The maximum number of digits of a number without fraction: those that a double can have."""

# A string ends at its quote or at the end of the text: a search that can fail at the end would
# start anew at every quote. The quantifiers are possessive for the same reason.
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)

# Escapes for what text must not contain: half of a surrogate pair, NUL. An escaped backslash may
# precede it, so this only says where to look.
_SUSPECT: Final = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")


def check_encoding(content_encoding: str) -> None:
    """Accept no content coding but `identity`.

    Raises RequestError (ENCODED) for any other (RFC 9110, section 15.5.16).
    """
    codings = [coding.strip(BLANKS).lower() for coding in content_encoding.split(",")]
    if any(coding not in ("", "identity") for coding in codings):
        raise RequestError("the body must not be encoded", Fault.ENCODED)


def read(body: bytes) -> Any:
    """Return the JSON value in *body* (RFC 8259).

    Objects come as dict, integers as int, other numbers as float. Raises RequestError for what is
    not JSON in UTF-8, and for what readers disagree about: a byte order mark, a member named
    twice, a number that no double can hold, half of a surrogate pair, NUL, more than 64 levels.
    """
    text = _decode(body)
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise RequestError(
            f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    if _SUSPECT.search(text):
        _check_text(value)
    return value


def _decode(body: bytes) -> str:
    if body.startswith(codecs.BOM_UTF8):
        raise RequestError("the body begins with a byte order mark")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(f"the body is not UTF-8: byte {error.start}") from None
    if "\0" in text:
        raise RequestError("the body contains NUL, or is not UTF-8")
    return text


def _check_depth(text: str) -> None:
    """Refuse what is nested too deeply, before a recursive reader sees it."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth = 0
    for character in re.sub(r"[^\[\]{}]++", "", _STRING.sub("", text)):
        depth += 1 if character in "[{" else -1
        if depth > DEEPEST:
            raise RequestError(f"the body is nested more than {DEEPEST} levels deep")


def _check_text(value: Any) -> None:
    """Refuse text, including names of members, that can't be stored or sent on."""
    if isinstance(value, str):
        if "\0" in value:
            raise RequestError("the body contains NUL in a string")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise RequestError("the body contains half of a surrogate pair in a string")
    elif isinstance(value, list):
        for item in value:
            _check_text(item)
    elif isinstance(value, dict):
        for name, member in value.items():
            _check_text(name)
            _check_text(member)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        # what is left over when each name is removed once
        [twice, *_] = Counter(name for name, _ in members) - Counter(found.keys())
        raise RequestError(f"an object in the body has the member {quote(twice)} twice")
    return found


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_INTEGER:
        raise RequestError("a number in the body is too large")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise RequestError("a number in the body is too large")
    return number


def _constant(name: str) -> NoReturn:
    raise RequestError(f"the body is not JSON: {name} is not a number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_constant,
)
