"""Read announcements: another default, the end of a version."""

from __future__ import annotations

from collections.abc import Iterator

from dateline.load.table.reading import Row, TableReading
from dateline.model import Announcement, Brownout, Place


def read_announcements(reading: TableReading, rows: list[Row | None]) -> Iterator[Announcement]:
    """Yield the announcements in the order of the file, each once."""
    seen: dict[tuple[str, str], Place] = {}
    for row in rows:
        found = None if row is None else _read_announcement(reading, row)
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


def _read_announcement(reading: TableReading, row: Row) -> Announcement | None:
    kind = "default" if "default" in row.node else "ends"
    version, day, announced = row[kind], row["from"], row["announced"]
    if version is None or day is None or announced is None:
        return None
    if announced > day:
        reading.note(
            row.place("announced"),
            "announced-late",
            f"announced on {announced} and in force from {day}; announce it before that day",
        )
        return None
    return Announcement(
        kind=kind,
        version=version,
        day=day,
        announced=announced,
        elsewhere=row["elsewhere"],
        brownouts=tuple(_read_brownouts(reading, row, kind)),
        place=row.node.place(),
    )


def _read_brownouts(reading: TableReading, row: Row, kind: str) -> Iterator[Brownout]:
    """Yield the brownouts of an announcement; report those that are not between it and its day."""
    if kind != "ends" and row["brownouts"]:
        message = "only versions that end have brownouts: `ends: DATE`"
        reading.note(row.node.place("brownouts"), "brownout-order", message)
        return
    before = f"{row['announced']}T"
    for one in row["brownouts"]:
        if one is None or one["from"] is None or one["to"] is None:
            continue
        found = Brownout(one["from"], one["to"])
        if not before <= found.start < found.end <= f"{row['from']}T00:00Z":
            reading.note(
                one.node.place(),
                "brownout-order",
                "brownouts come after the announcement, one after the other, and are over before "
                f"the version ends on {row['from']}",
            )
        before = found.end
        yield found
