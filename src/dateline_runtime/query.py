"""Read query strings as typed values: one spelling for each value, everything else is refused."""

from __future__ import annotations

import re
import uuid as uuids
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from math import isinf
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from .bodies import LONGEST_INTEGER
from .errors import RequestError, quote

_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_NOT_AN_ESCAPE: Final = re.compile(rb"%(?![0-9a-fA-F]{2})")
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_FOUR_YEARS: Final = timedelta(days=1461)

Reader = Callable[[str], Any]
"""Reads one value; raises RequestError with the end of a sentence: `has to be an integer`."""


@dataclass(frozen=True)
class Parameter:
    """How a parameter is read; with ``ignores_empty``, an empty one counts as absent.

    One that ``is_repeated`` is a list: it is sent once for each item.
    """

    read: Reader
    is_repeated: bool = False
    ignores_empty: bool = False


def read(query: bytes, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the values of those *parameters* that the query string has, by name.

    Parameters of other names are ignored. Raises RequestError for a query string that is not
    percent-encoded UTF-8, for a parameter given more than once unless its items are, and for values
    that their reader refuses.
    """
    given: dict[str, list[str]] = {}
    for name, value in pairs(query):
        if name in parameters:
            given.setdefault(name, []).append(value)
    return values(given, parameters)


def values(given: Mapping[str, list[str]], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the values of *parameters* from the texts in *given*, each as often as sent.

    Raises RequestError like `read`, for decoded texts from any place.
    """
    return {
        name: _value(name, texts, parameters[name])
        for name, texts in given.items()
        if any(texts) or not parameters[name].ignores_empty
    }


def pairs(query: bytes) -> Iterator[tuple[str, str]]:
    """Yield names and values in the order sent, decoded; `+` means a space.

    Raises RequestError for what is not percent-encoded UTF-8, and for NUL.
    """
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            yield decode(name), decode(value)


def text(value: str) -> str:
    """Read any text."""
    return value


def number(value: str) -> int | float:
    """Read a number as JSON writes it; an integer in plain decimal stays one."""
    if not _NUMBER.fullmatch(value) or len(value) > LONGEST_INTEGER:
        raise RequestError("has to be a number")
    read = int(value) if _INTEGER.fullmatch(value) else float(value)
    if isinstance(read, float) and isinf(read):
        raise RequestError("has to be a number that a double has room for")
    return read


def integer(value: str) -> int:
    """Read an integer in plain decimal: no `+`, no leading zeros, no `-0`."""
    if not _INTEGER.fullmatch(value) or len(value.lstrip("-")) > LONGEST_INTEGER:
        raise RequestError("has to be an integer in plain decimal digits")
    return int(value)


def boolean(value: str) -> bool:
    """Read `true` or `false`."""
    if value not in ("true", "false"):
        raise RequestError("has to be true or false")
    return value == "true"


def uuid(value: str) -> uuids.UUID:
    """Read a UUID with its hyphens, letters in either case (RFC 9562, section 4)."""
    if not _UUID.fullmatch(value):
        raise RequestError("has to be a UUID with hyphens")
    return uuids.UUID(value)


def instant(value: str) -> datetime:
    """Read a date-time of RFC 3339 with its offset; return it in UTC, to the microsecond.

    A leap second counts as the second after it. An instant outside the years 1 to 9999 becomes the
    first or the last datetime, which compares alike with all others.
    """
    found = _INSTANT.fullmatch(value)
    if not found:
        hint = "; write the + of its offset as %2B" if " " in value else ""
        raise RequestError(f"has to be a date-time with seconds and an offset{hint}")
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    fraction, offset = found.groups()[6:]
    is_leap = second == 60
    shift = timedelta(seconds=1) if is_leap else timedelta()
    try:
        if year == 0:
            # has no datetime of its own; its calendar is that of year 4
            year, shift = 4, shift - _FOUR_YEARS
        micro = 0 if is_leap else int((fraction or "0")[:6].ljust(6, "0"))
        clock = datetime(year, month, day, hour, minute, 59 if is_leap else second, micro)
        shift -= _offset(offset)
    except ValueError:
        raise RequestError("has to be a date-time that exists") from None
    try:
        moment = (clock + shift).replace(tzinfo=UTC)
    except OverflowError:
        return _EARLIEST if shift < timedelta() else _LATEST
    if is_leap and (moment.day, moment.time()) != (1, time()):
        raise RequestError("has a leap second where none can be")
    return moment


def _offset(written: str) -> timedelta:
    """Return the offset from UTC that `Z`, `+02:00` and the like mean. Raises ValueError."""
    if written in "Zz":
        return timedelta()
    # a time of day has the same bounds; since Python 3.14, only its constructor refuses 24:00
    hour, minute = map(int, written[1:].split(":"))
    away = time(hour, minute)
    ahead = timedelta(hours=away.hour, minutes=away.minute)
    return -ahead if written[0] == "-" else ahead


def decode(encoded: bytes, *, plus: bool = True) -> str:
    """Return what is percent-encoded in a query string; with *plus*, `+` means a space.

    Raises RequestError for what is not percent-encoded UTF-8, and for NUL.
    """
    if _NOT_AN_ESCAPE.search(encoded):
        raise RequestError("the query string has a % without two hexadecimal digits")
    try:
        spaced = encoded.replace(b"+", b" ") if plus else encoded
        decoded = unquote_to_bytes(spaced).decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError("the query string is not UTF-8") from None
    if "\0" in decoded:
        raise RequestError("the query string contains NUL")
    return decoded


def _value(name: str, values: list[str], parameter: Parameter) -> Any:
    if len(values) > 1 and not parameter.is_repeated:
        raise RequestError(f"the parameter {quote(name)} is given more than once")
    try:
        read = [parameter.read(value) for value in values]
    except RequestError as error:
        raise RequestError(f"the parameter {quote(name)} {error}") from None
    return read if parameter.is_repeated else read[0]
