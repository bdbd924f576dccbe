"""Check announcements against the version table and earlier announcements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from typing import Final

from dateline.check.baseline import Published
from dateline.check.findings import create_finding
from dateline.model import (
    BROWNOUT_DAYS,
    Announcement,
    Brownout,
    Finding,
    Place,
    Policy,
    Table,
)

LONGEST_BROWNOUT: Final = timedelta(hours=24)
MOST_OF_BROWNOUTS: Final = timedelta(hours=72)
"""How long one brownout of a version may be, and all together: longer ones are its end."""


def check_announcements(table: Table, published: Published, today: date) -> Iterator[Finding]:
    """Yield each violation: short notice, a changed announcement, an end without a default."""
    for rule in _RULES:
        yield from rule(table, published, today.isoformat())


def find_announcement(
    table: Table, published: Published, kind: str, version: str
) -> Announcement | None:
    """Return the announcement about *version*; a published one takes precedence over the table."""
    return _merge(table, published).get((kind, version))


def find_moves(table: Table, published: Published, today: str) -> dict[str, str]:
    """Return the last due day of a move of the default, by version; empty for none.

    Earlier ones are done with: moving back needs a new announcement.
    """
    known = _merge(table, published).values()
    due = [one for one in known if one.kind == "default" and one.day <= today]
    last = max((one.day for one in due), default="")
    return {one.version: one.day for one in due if one.day == last}


def _merge(table: Table, published: Published) -> dict[tuple[str, str], Announcement]:
    """Return all announcements by kind and version; published ones take precedence."""
    return _by_subject((*table.announcements, *(published.announcements or ())))


def _by_subject(rows: Iterable[Announcement]) -> dict[tuple[str, str], Announcement]:
    return {(one.kind, one.version): one for one in rows}


def phrase(one: Announcement) -> str:
    """Return what *one* announces, without its day."""
    return f"{one.version} ends" if one.kind == "ends" else f"the default moves to {one.version}"


def _check_versions(table: Table, _: Published, today: str) -> Iterator[Finding]:
    supported = {version.date for version in table.supported}
    for one in table.announcements:
        # a version that has ended is no longer in the table
        if one.day > today and one.version not in supported:
            what = "a draft" if one.version in table.dates else "not in the table"
            message = f"{phrase(one)} on {one.day}, and {one.version} is {what}"
            yield _breach("announcement-unknown", one, message, one.place)


def _check_notice(table: Table, published: Published, today: str) -> Iterator[Finding]:
    known = _by_subject(published.announcements or ())
    for one in table.announcements:
        before = known.get((one.kind, one.version))
        if before and (one.day == before.day or not _is_past(before, published, today)):
            continue  # it was long enough when it was made, and is not shortened
        since = one.announced
        is_history = table.adopted and one.elsewhere is not None
        if published.announcements is not None and not is_history:
            # nobody can have read it before it is published
            since = max(since, today)
        days = (date.fromisoformat(one.day) - date.fromisoformat(since)).days
        if days < table.notice_days:
            ahead = f"{days} days after" if days >= 0 else "before"
            message = (
                f"{phrase(one)} on {one.day}, {ahead} {since}; the policy's notice is "
                f"{table.notice_days} days"
            )
            yield _breach("notice-too-short", one, message, one.place)


def _check_changes(table: Table, published: Published, today: str) -> Iterator[Finding]:
    now = _by_subject(table.announcements)
    for before in published.announcements or ():
        one = now.get((before.kind, before.version))
        is_past = _is_past(before, published, today)
        if one is None:
            if _is_due(before, table, today) or (is_past and _hides_move(before, table, published)):
                message = f"it was announced that {phrase(before)} on {before.day}; now it is not"
                yield _breach("announcement-changed", before, message, table.place("announcements"))
        elif is_past and one.day > today:
            pass  # it is announced again, which needs notice
        elif one.day < before.day:
            message = f"{phrase(one)} on {one.day}; announced was {before.day}"
            yield _breach("announcement-changed", one, message, one.place)
        elif one.announced != before.announced:
            message = (
                f"that {phrase(one)} was announced on {before.announced}, not on {one.announced}"
            )
            yield _breach("announcement-changed", one, message, one.place)


def _is_due(one: Announcement, table: Table, today: str) -> bool:
    """Return whether *one* still lies ahead for callers; a version that is gone has ended."""
    return one.version in table.dates if one.kind == "ends" else one.day > today


def _is_past(one: Announcement, published: Published, today: str) -> bool:
    """Return whether the default has moved as *one* announces, or even further."""
    days = [
        each.day
        for each in published.announcements or ()
        if (each.kind, each.version) == ("default", published.default) and each.day <= today
    ]
    return one.kind == "default" and any(one.day <= day for day in days)


def _hides_move(one: Announcement, table: Table, published: Published) -> bool:
    """Return whether without *one* an earlier move would be the last one announced."""
    moves = [each for each in table.announcements if each.kind == "default"]
    return one.version == published.default and any(each.day < one.day for each in moves)


def _check_brownouts(table: Table, published: Published, today: str) -> Iterator[Finding]:
    known = _by_subject(published.announcements or ())
    for one in table.announcements:
        before = known.get((one.kind, one.version))
        since = one.announced if published.announcements is None else max(one.announced, today)
        earliest = (date.fromisoformat(since) + timedelta(days=BROWNOUT_DAYS)).isoformat()
        new = [each for each in one.brownouts if not _is_published(each, before)]
        for brownout in new:
            refused = f"{one.version} is refused from {brownout}"
            if brownout.start < earliest:
                message = f"{refused}, less than {BROWNOUT_DAYS} days after {since}"
                yield _breach("brownout-too-soon", one, message, one.place, brownout.start)
            if brownout.length > LONGEST_BROWNOUT:
                message = f"{refused}, for more than {_count_hours(LONGEST_BROWNOUT)}"
                yield _breach("brownout-too-long", one, message, one.place, brownout.start)
        total = sum((each.length for each in one.brownouts), timedelta())
        if new and total > MOST_OF_BROWNOUTS:
            most = _count_hours(MOST_OF_BROWNOUTS)
            message = f"{one.version} is refused for more than {most} before it ends"
            yield _breach("brownout-too-long", one, message, one.place)


def _is_published(brownout: Brownout, before: Announcement | None) -> bool:
    """Return whether callers know of *brownout*, or of a longer one."""
    return before is not None and any(
        each.start <= brownout.start and brownout.end <= each.end for each in before.brownouts
    )


def _count_hours(time: timedelta) -> str:
    return f"{time // timedelta(hours=1)} hours"


def _check_newest(table: Table, _: Published, __: str) -> Iterator[Finding]:
    end = table.ends.get(table.latest)
    if end is not None:
        message = f"{phrase(end)} on {end.day}, and there is no newer version"
        yield _breach("newest-ends", end, message, end.place)


def _check_default(table: Table, _: Published, today: str) -> Iterator[Finding]:
    moves = sorted(
        (one for one in table.announcements if one.kind == "default"), key=lambda one: one.day
    )
    for end in table.ends.values():
        past = sum(one.day <= end.day for one in moves)
        defaults = [table.default, *(one.version for one in moves)]
        if end.version in defaults[past:]:
            message = f"{phrase(end)} on {end.day}, and is the default then"
            yield _breach("default-ends", end, message, end.place)
        for brownout in end.brownouts:
            past = sum(one.day <= brownout.start for one in moves)
            if today <= brownout.end and defaults[past] == end.version:
                message = f"{end.version} is refused from {brownout}, and is the default then"
                yield _breach("default-ends", end, message, end.place, brownout.start)


_RULES: Final[tuple[Callable[[Table, Published, str], Iterator[Finding]], ...]] = (
    *(_check_versions, _check_notice, _check_changes, _check_brownouts),
    *(_check_newest, _check_default),
)


def _breach(rule: str, one: Announcement, message: str, place: Place, start: str = "") -> Finding:
    key = (one.kind, one.version, *([start] if start else []))
    return create_finding(rule, Policy.TABLE, message, key=key, after_source=place)
