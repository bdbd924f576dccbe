"""Read what is announced: another default, the end of a version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.load.table import valid
from dateline.load.table.reading import TableReading
from dateline.model import Announcement, Map, Place, Seq

_WAY_OUT: Final = "write { ends: 2026-07-01, from: 2027-07-01, announced: 2027-01-01 }"


def read_announcements(reading: TableReading, node: Map) -> Iterator[Announcement]:
    """Yield what is announced, in the order of the file, each thing once."""
    rows = reading.value(node, "announcements", valid.sequence, Seq())
    seen: dict[tuple[str, str], Place] = {}
    for index, row in enumerate(rows):
        found = _announcement(reading, row, rows.place(index))
        if found is None:
            continue
        twin = seen.setdefault((found.kind, found.version), found.place)
        if twin == found.place:
            yield found
        else:
            reading.note(
                found.place,
                "announcement-twice",
                f"`{found.kind}: {found.version}` is announced at {twin} already; leave one out",
            )


def _announcement(reading: TableReading, row: Any, place: Place) -> Announcement | None:
    if not reading.holds(row, Map, place, _WAY_OUT):
        return None
    reading.known_keys(row, "an announcement")
    kinds = [kind for kind in ("default", "ends") if kind in row]
    if len(kinds) != 1:
        reading.note(
            row.place(),
            "announcement-kind",
            "an announcement has one subject: `default: DATE`, the version that becomes "
            "the default, or `ends: DATE`, the version that is served no longer",
        )
        return None
    version = reading.value(row, kinds[0], valid.day, None)
    day = reading.required(row, "from", valid.day, "say from which day on")
    announced = reading.required(row, "announced", valid.day, "write the day of the announcement")
    if version is None or day is None or announced is None:
        return None
    if announced > day:
        reading.note(
            row.place("announced", value=True),
            "announced-late",
            f"announced on {announced} and in force from {day}; announce it before that day",
        )
        return None
    return Announcement(
        kind=kinds[0], version=version, day=day, announced=announced, place=row.place()
    )
