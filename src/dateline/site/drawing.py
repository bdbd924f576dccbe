"""The timeline of the versions of an API: the coordinates of everything in the drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from dateline.gates import order
from dateline.model import Retired, Table, Version

_STEP: Final = 150
_MARGIN: Final = 75
_TOP: Final = 56
_LINE: Final = 16
"""The height of what is above the labels, and of one of them."""


@dataclass(frozen=True, kw_only=True)
class VersionStop:
    """A version in the drawing: its distance from the left, and its labels."""

    version: str
    left: int
    state: str
    notes: tuple[str, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """The labels that most versions lack."""
        return self.notes if self.state == "supported" else (self.state, *self.notes)


@dataclass(frozen=True, kw_only=True)
class VersionLine:
    """All versions from left to right, oldest first, in a drawing of a *width* and a *height*."""

    width: int
    height: int
    stops: tuple[VersionStop, ...]

    @property
    def words(self) -> str:
        """A description of the drawing, for readers who don't see it."""
        stops = (", ".join([stop.version, stop.state, *stop.notes]) for stop in self.stops)
        return "; ".join(stops)


def draw(table: Table) -> VersionLine:
    """Return the drawing of the versions of *table*, and of those that have ended."""
    known: list[Version | Retired] = sorted(
        (*table.retired, *table.versions), key=lambda version: order(version.date)
    )
    stops = tuple(
        VersionStop(
            version=version.date,
            left=_MARGIN + _STEP * index,
            state=_name_state(version),
            notes=tuple(_notes(table, version)),
        )
        for index, version in enumerate(known)
    )
    most = max(len(stop.notes) for stop in stops)
    return VersionLine(
        width=2 * _MARGIN + _STEP * (len(stops) - 1), height=_TOP + _LINE * (most + 1), stops=stops
    )


def _name_state(version: Version | Retired) -> str:
    if isinstance(version, Retired):
        return "retired"
    return "draft" if version.draft else "moving" if version.moving else "supported"


def _notes(table: Table, version: Version | Retired) -> Iterator[str]:
    if isinstance(version, Retired):
        yield f"ended {version.ended}"
        return
    if version.date == table.default:
        yield "default"
    if version.date == table.latest:
        yield "latest"
    for announcement in table.announcements:
        if announcement.version == version.date:
            happens = {"default": "default from", "ends": "ends"}[announcement.kind]
            yield f"{happens} {announcement.day}"
            yield from (f"brownout {brownout.start[:10]}" for brownout in announcement.brownouts)
