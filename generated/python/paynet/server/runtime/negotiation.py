"""Negotiate the version to serve from the version header; never a nearby one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Final, Literal

LONGEST_ECHO: Final = 256
"""How many characters of the value sent a rejection repeats."""

BLANKS: Final = " \t"
"""What may surround a header's value without being part of it (RFC 9110, section 5.5)."""

Reason = Literal["version_unknown", "version_malformed"]


@dataclass(frozen=True)
class Supported:
    """The versions that can be requested, oldest first, and the one served without a header.

    Raises ValueError where a version is not a canonical date, where the versions are out of order
    or named twice, and where the default is none of them.
    """

    default: str
    versions: tuple[str, ...]
    header: str = "X-API-Version"

    def __post_init__(self) -> None:
        for version in self.versions:
            if not is_canonical_date(version):
                raise ValueError(f"{version!r} is not a canonical YYYY-MM-DD date")
        if list(self.versions) != sorted(self.known):
            raise ValueError("the versions stand oldest first, each once")
        if self.default not in self.known:
            raise ValueError(f"the default {self.default!r} is not a supported version")

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.versions)


@dataclass(frozen=True)
class Rejection:
    """Why no version is served. Its fields are the body, in the specification's order."""

    error: Literal["unsupported_api_version"] = field(default="unsupported_api_version", init=False)
    reason: Reason
    requested: str
    supported: tuple[str, ...]


def negotiate(header: str | None, supported: Supported) -> str | Rejection:
    """Return the version to serve; never a nearby one.

    *header* is the value of the header: its field lines joined by `, ` where there are several.
    An absent, empty or blank value means the default.
    """
    requested = (header or "").strip(BLANKS)
    if not requested:
        return supported.default
    if requested in supported.known:
        return requested
    reason: Reason = "version_unknown" if is_canonical_date(requested) else "version_malformed"
    return Rejection(reason, requested[:LONGEST_ECHO], supported.versions)


def is_canonical_date(text: str) -> bool:
    """Return whether *text* is a date that exists, spelt `YYYY-MM-DD` in ASCII digits."""
    try:
        # other spellings of a date are read too: 20260701, 2026-W27-3
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
