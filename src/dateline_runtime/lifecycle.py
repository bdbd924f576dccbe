"""Write the headers that announce the end of a version to callers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any, Final

# RFC 3986: the characters of a URI reference
_URI: Final = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")


@dataclass(frozen=True, kw_only=True)
class End:
    """The announcement of a version's end. A day begins at midnight UTC.

    From ``deprecated`` on the version is discouraged; from ``sunset`` on it may be gone. The others
    are URI references: ``deprecation`` and ``policy`` to pages about the two dates, ``successor``
    to what replaces the version. In each of the ``brownouts``, times with a beginning and an end,
    the version is refused as after its end.

    Raises ValueError if the sunset comes before the deprecation, and for invalid URI references.
    """

    deprecated: date | None = None
    sunset: date | None = None
    deprecation: str | None = None
    policy: str | None = None
    successor: str | None = None
    brownouts: Sequence[tuple[datetime, datetime]] = ()

    def __post_init__(self) -> None:
        if self.deprecated and self.sunset and self.sunset < self.deprecated:
            raise ValueError(f"the sunset {self.sunset} is before {self.deprecated}")
        for link in (self.deprecation, self.policy, self.successor):
            if link is not None and not _URI.fullmatch(link):
                raise ValueError(f"{link!r} is not a URI reference")

    def find_brownout(self, now: float) -> datetime | None:
        """Return the end of the brownout at *now*, a POSIX timestamp; None if there is none."""
        for start, end in self.brownouts:
            if start.timestamp() <= now < end.timestamp():
                return end
        return None


def read_ends(announced: Mapping[str, Mapping[str, Any]]) -> dict[str, End]:
    """Return the ends that are *announced* in the contract data, by version."""

    def day(dates: Mapping[str, Any], name: str) -> date | None:
        return date.fromisoformat(dates[name]) if name in dates else None

    return {
        version: End(
            deprecated=day(dates, "deprecated"),
            sunset=day(dates, "sunset"),
            successor=dates.get("successor"),
            brownouts=[
                (datetime.fromisoformat(start), datetime.fromisoformat(end))
                for start, end in dates.get("brownouts", ())
            ],
        )
        for version, dates in announced.items()
    }


def headers(end: End) -> list[tuple[str, str]]:
    """Return the header fields that announce *end*, names as in their RFCs.

    `Deprecation` and its link relation: RFC 9745. `Sunset` and its link relation: RFC 8594.
    `successor-version`: RFC 5829. All links are in one `Link` field (RFC 8288).
    """
    fields = []
    if end.deprecated is not None:
        # a date of structured fields (RFC 9651, section 3.3.7)
        fields.append(("Deprecation", f"@{int(_start(end.deprecated).timestamp())}"))
    if end.sunset is not None:
        fields.append(("Sunset", format_datetime(_start(end.sunset), usegmt=True)))
    links = {
        "deprecation": end.deprecation,
        "sunset": end.policy,
        "successor-version": end.successor,
    }
    values = [f'<{link}>; rel="{relation}"' for relation, link in links.items() if link is not None]
    if values:
        fields.append(("Link", ", ".join(values)))
    return fields


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
