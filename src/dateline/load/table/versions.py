"""Read the versions in order, the default and the annotated one."""

from __future__ import annotations

from dateline.gates import order
from dateline.load.table.contents import Refusal
from dateline.load.table.reading import Row, TableReading
from dateline.model import NEXT, Retired, Version
from dateline.wording import did_you_mean


def read_versions(reading: TableReading, table: Row) -> list[Version]:
    """Return the versions in the order of the table; none if one of them can't be read."""
    rows: list[Row | None] = table["versions"] or []
    versions = [
        Version(
            date=row["date"],
            title=row["title"] or "",
            draft=row["draft"],
            undisclosed=row["undisclosed"],
            adopted=row["adopted"],
            place=row.place("date"),
        )
        for row in rows
        if row is not None and row["date"] is not None
    ]
    _in_order(reading, versions)
    for row, version in zip(filter(None, rows), versions, strict=False):
        if row["moving"] and not version.moving:
            message = (
                f"{version.date} is dated, so it can't be a moving version; use a word such as "
                "unstable"
            )
            reading.note(version.place, "moving-version", message)
        elif version.moving and version.draft:
            message = (
                f"{version.date} is a moving version, which can't be a draft; leave `draft` out"
            )
            reading.note(version.place, "moving-version", message)
        elif version.moving and version is not versions[-1]:
            message = f"{version.date} is a moving version, which is always the newest; put it last"
            reading.note(version.place, "moving-version", message)
    if len(versions) < len(rows):
        # the date of the unreadable row must not be reported as unknown elsewhere
        return []
    if versions and all(version.draft or version.moving for version in versions):
        message = "every version is a draft; callers need one: drop its `draft: true`"
        if versions[-1].moving:
            message = (
                "the moving version may change at any time; add a dated one, without `draft: true`"
            )
        reading.note(table.node.place("versions"), "no-supported-version", message)
    return versions


def _in_order(reading: TableReading, versions: list[Version]) -> None:
    seen: dict[str, Version] = {}
    newest: Version | None = None
    for version in versions:
        refusal = _check_order(version, seen.get(version.date), newest)
        if refusal is None:
            newest = seen[version.date] = version
        else:
            reading.note(version.place, *refusal)


def read_default(reading: TableReading, table: Row, versions: tuple[Version, ...]) -> str:
    """Return the date that is served without the header, by default the oldest one."""
    supported = [version.date for version in versions if not version.draft and not version.moving]
    # the oldest: the one that doesn't move when a version is cut
    fallback = supported[0] if supported else ""
    day: str = table["default"] or fallback
    if supported and day not in supported:
        reading.note(
            table.place("default"),
            "default-unsupported",
            f"{day} is a draft; only a version that is cut can be served without the header"
            if day in {version.date for version in versions}
            else f"no version {day} in the table{did_you_mean(day, supported)}",
        )
    return day


def read_annotation(reading: TableReading, table: Row, versions: tuple[Version, ...]) -> str | None:
    """Return the date that documents name as the default of the header, if one is written."""
    day: str | None = table["annotation"]
    dates = [version.date for version in versions]
    if day is not None and dates and day not in dates:
        reading.note(
            table.place("annotation"),
            "annotation-unknown",
            f"no version {day} in the table{did_you_mean(day, dates)}",
        )
    return day


def read_retired(reading: TableReading, table: Row, versions: tuple[Version, ...]) -> list[Retired]:
    """Return the versions that have ended, oldest first; report those that can't have ended.

    These are still served, or newer than the newest version that is cut: it is never retired.
    """
    places = {version.date: version.place for version in versions}
    cut = [version for version in versions if not version.draft and not version.moving]
    found = []
    for row in table["retired"]:
        if row is None or row["date"] is None or row["ended"] is None:
            continue
        place = row.place("date")
        twin = places.setdefault(row["date"], place)
        if twin != place:
            message = f"{row['date']} is at {twin} already; the name of a retired version is taken"
            reading.note(place, "version-twice", message)
        elif cut and order(row["date"]) > order(cut[-1].date):
            message = (
                f"{row['date']} is newer than {cut[-1].date} ({cut[-1].place}), the newest version "
                "that is cut, which can't be retired; correct its date, or leave the row out"
            )
            reading.note(place, "version-order", message)
        found.append(Retired(date=row["date"], title=row["title"], ended=row["ended"], place=place))
    return sorted(found, key=lambda one: order(one.date))


def _check_order(version: Version, twin: Version | None, before: Version | None) -> Refusal | None:
    """Return what is wrong with *version* after *before*, the last one in order."""
    if twin is not None:
        return Refusal(
            "version-twice",
            f"{version.date} is at {twin.place} already; leave one of the two out",
        )
    if version.date == NEXT and not version.draft:
        return Refusal(
            "next-is-cut",
            "`next` is the version being prepared; give it `draft: true`, or a date",
        )
    if before is None:
        return None
    if order(version.date) < order(before.date):
        return Refusal(
            "version-order",
            f"{version.date} comes after {before.date} ({before.place}); write the versions "
            "oldest first, `next` last",
        )
    if before.draft and not version.draft and not version.moving:
        return Refusal(
            "draft-before-cut",
            f"{version.date} comes after the draft {before.date} ({before.place}); drafts come "
            "last",
        )
    return None
