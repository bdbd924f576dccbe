"""Negotiate the version to serve from what a request names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Final, Literal

LONGEST_ECHO: Final = 256
"""The number of characters of the sent value that a rejection repeats."""

BLANKS: Final = " \t"
"""What may surround a header's value without being part of it (RFC 9110, section 5.5)."""

_NUMBER: Final = re.compile("[0-9]+")
_DIGITS: Final = 18
DATED_VERSION: Final = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?|[0-9]{6}(?:[0-9]{2})?)"
    r"(?P<suffix>[.-][a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)?"
)
"""A name of any form that begins with a date, which may be impossible."""

_WORD: Final = re.compile("[a-z][a-z0-9-]*")

Reason = Literal["version_unknown", "version_malformed"]


@dataclass(frozen=True)
class Supported:
    """The versions that can be requested, oldest first, and the one served if none is named.

    A request names its version at the *place*: in the *header*, in a parameter of the `query` or of
    the `media-type` with this name, or in its `path`. Versions are named in the *form*; a moving
    one is a word, and the last. With *nearest*, an unknown version of that form is served as the
    nearest earlier one. *retired* are versions that have ended, with the day: they are refused.

    Raises ValueError for versions in another form, out of order or repeated, and for an unknown
    default.
    """

    default: str
    versions: tuple[str, ...]
    header: str = "X-API-Version"
    place: str = "header"
    form: str = "YYYY-MM-DD"
    nearest: bool = False
    retired: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, contracts: Mapping[str, Any]) -> Supported:
        """Return the versions that the contract data have."""
        versions, naming = tuple(contracts["supported"]), contracts.get("naming", {})
        retired = contracts.get("retired", {})
        return cls(contracts["default"], versions, contracts["header"], **naming, retired=retired)

    def __post_init__(self) -> None:
        for version in self.versions:
            if not is_well_formed(version, self.form) and not (
                version == self.versions[-1] and _WORD.fullmatch(version)
            ):
                raise ValueError(f"{version!r} is not a canonical {self.form} date")
        if list(self.versions) != sorted(self.known, key=order):
            raise ValueError("the versions have to be listed oldest first, each once")
        if self.default not in self.known:
            raise ValueError(f"the default {self.default!r} is not a supported version")

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.versions)


@dataclass(frozen=True)
class Rejection:
    """Why no version is served. All fields but ``why`` are the body, in the specification's order.

    ``why`` is the reason in words, of a version that ends or has ended. After ``retry_after``
    seconds, the version is served again.
    """

    error: Literal["unsupported_api_version"] = field(default="unsupported_api_version", init=False)
    reason: Reason
    requested: str
    supported: tuple[str, ...]
    why: str = field(default="", kw_only=True)
    retry_after: int | None = field(default=None, kw_only=True)

    @property
    def members(self) -> dict[str, Any]:
        """The fields of the body."""
        return {name: getattr(self, name) for name in ("error", "reason", "requested", "supported")}


def negotiate(named: str | None, supported: Supported) -> str | Rejection:
    """Return the version to serve; a nearby one only if *supported* says so.

    *named* is what the request names: the field lines of the header joined by `, ` if there are
    several. An absent, empty or blank value means the default.
    """
    requested = (named or "").strip(BLANKS)
    if not requested:
        return supported.default
    if requested in supported.known:
        return requested
    if requested in supported.retired:
        ended = f"ended on {supported.retired[requested]}"
        return Rejection("version_unknown", requested, supported.versions, why=ended)
    is_unknown = is_well_formed(requested, supported.form)
    if is_unknown and supported.nearest:
        earlier = [each for each in supported.versions if order(each) < order(requested)]
        if earlier:
            return earlier[-1]
    reason: Reason = "version_unknown" if is_unknown else "version_malformed"
    return Rejection(reason, requested[:LONGEST_ECHO], supported.versions)


def is_well_formed(text: str, form: str) -> bool:
    """Return whether *text* is a date that exists, spelled as *form* in ASCII digits.

    A form that ends in `-suffix` or `.suffix` also admits the date alone.
    """
    found = DATED_VERSION.fullmatch(text)
    if found is None:
        return False
    day, sign = form.removesuffix("suffix"), ""
    if day != form:
        day, sign = day[:-1], day[-1]
    if re.sub("[0-9]", "D", found["day"]) != re.sub("[YM]", "D", day):
        return False
    if found["suffix"] and found["suffix"][0] != sign:
        return False
    digits = found["day"].replace("-", "")
    try:
        # other spellings of a date would be read too: 2026-W27-3
        date.fromisoformat(digits if len(digits) == 8 else f"{digits}01")
    except ValueError:
        return False
    return True


def order(version: str) -> tuple[int, str, int, str]:
    """Return a sort key: moving versions are last.

    Of two names with the same date, one with a suffix after a hyphen is older than the date alone,
    like a preview, and one with a suffix after a dot is newer, like a named release. Numbers in
    suffixes are compared as numbers: `rc2` is older than `rc10`.
    """
    found = DATED_VERSION.fullmatch(version)
    if found is None:
        return 1, version, 0, ""
    suffix = found["suffix"] or ""
    numbered = _NUMBER.sub(lambda number: number[0].zfill(_DIGITS), suffix)
    return 0, found["day"].replace("-", ""), ("-", "", ".").index(suffix[:1]), numbered
