"""Retire a version: return the sources without it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from dateline.changes.additions import drop_periods
from dateline.changes.record import read_record
from dateline.check.waivers import FILE, Waiver, read_waivers
from dateline.demands import DemandedConverter, list_served
from dateline.diff import diff
from dateline.edit.folding import fold_gates
from dateline.edit.revision import Revision, compare_contents, compare_record
from dateline.edit.sources import Sources, is_shared, read_contents, write_trial
from dateline.gates import Timeline, order
from dateline.load import TABLE, load
from dateline.model import (
    CONVERTER,
    EVERYWHERE,
    WAS,
    Announcement,
    Api,
    DatelineError,
    Day,
    Table,
    Trail,
    Version,
)
from dateline.paths import name_file
from dateline.project import Projector
from dateline.rules import describe
from dateline.wording import did_you_mean


class RetireError(DatelineError):
    """The version can't be removed; the message says why, with the way out."""

    exit_code = 2


def retire(folder: Path, day: str, today: date) -> Revision:
    """Return the edits that remove the version of *day* and everything only it needs.

    The contracts of all others are unchanged, including the order of their keys. Raises RetireError
    for an unknown version or one whose announced end has not come, for one that is needed, and if
    another contract would change; SourceError for invalid definitions.
    """
    before = read_contents(folder)
    api = load(folder)
    version = _require_ended(api.table, day, today.isoformat())
    stay = [one for one in api.table.dates if one != day]
    waivers = read_waivers(folder)
    by_itself: list[Trail] = []
    while True:
        sources = Sources(api, before)
        fold_gates(api, sources, stay, by_itself)
        _leave_waivers(sources, waivers, day)
        _leave_table(api.table, sources, day, today.isoformat())
        after = sources.read_contents()
        with write_trial(api.name, after) as there:
            now, left = load(there), read_waivers(there)
        hidden = list(_find_hidden(api, now))
        if not hidden or by_itself:
            break
        by_itself = hidden
    named = _keep_names(api, now, after, stay)
    if named != after:
        after = named
        with write_trial(api.name, after) as there:
            now = load(there)
    _require_unchanged(api, now)
    replacements = compare_contents(before, after)
    for one in filter(is_shared, (one.name for one in replacements)):
        raise RetireError(
            f"{name_file(folder, one)}: a gate of {day} is in a file that other projects share; "
            "once none of them has the version, take its row out of their tables by hand, and the "
            "gate out of the file, or copy what you refer to into your own definitions"
        )
    record = read_record(folder, now.table)
    kept = drop_periods(record, now.table.dates) if record else None
    return Revision(
        folder=folder,
        version=version,
        api=now,
        waivers=tuple(left),
        record=kept,
        replacements=replacements,
        recorded=compare_record(folder, kept),
    )


def _require_ended(table: Table, day: str, today: str) -> Version:
    """Return the version of *day*. Raises RetireError if callers may still request it."""
    version = next((one for one in table.supported if one.date == day), None)
    if version is None:
        hint = did_you_mean(day, (one.date for one in table.supported))
        raise RetireError(f"the version table has no cut version {day}{hint}")
    if version.moving:
        raise RetireError(
            f"{day} is a moving version, which promises nothing and is not retired; take its row "
            f"out of {TABLE}, and its gates out of the definitions"
        )
    move, end = _find_move(table), table.ends.get(day)
    if day == table.default and move is None:
        raise RetireError(
            f"{day} is the default; announce a move of it, and write another `default` from its "
            f"day on"
        )
    if day == table.latest:
        raise RetireError(f"{day} is the newest version that is cut; cut a newer one first")
    if end is None:
        raise RetireError(
            f"no end of {day} is announced; announce it: "
            f"`announcements: [{{ ends: {day}, from: DATE, announced: DATE }}]`"
        )
    if today < end.day:
        raise RetireError(f"{day} ends on {end.day}; retire it from that day on")
    if day == table.default and move is not None:
        raise RetireError(
            f"{day} is the default; write `default: {move.version}`, as announced, from "
            f"{move.day} on"
        )
    if day == table.annotation:
        raise RetireError(f"`annotation` in {TABLE} names {day}; name another version there")
    return version


def _find_move(table: Table) -> Announcement | None:
    """Return the next announced move of the default, if there is one."""
    moves = {one.version: one for one in table.announcements if one.kind == "default"}
    now = moves.pop(table.default, None)
    coming = [one for one in moves.values() if now is None or one.day > now.day]
    return min(coming, key=lambda one: one.day, default=None)


def _leave_table(table: Table, sources: Sources, day: str, today: str) -> None:
    """Move the row of *day* to those that have ended; drop announcements that are obsolete then."""
    source = sources.file(TABLE)
    number = table.dates.index(day)
    source.remove(("versions", number))
    title, ended = table.versions[number].title, table.ends[day].day
    row = {"date": Day(day), "title": title, "ended": Day(ended)}
    if table.retired:
        source.insert(("retired", len(table.retired)), row)
    else:
        source.put(("retired",), [row])
    spent = [
        number
        for number, one in enumerate(table.announcements)
        if one.version == day
        or (one.kind == "default" and one.version == table.default and one.day <= today)
    ]
    for number in reversed(spent):
        source.remove(("announcements", number))
    if len(spent) == len(table.announcements):
        source.remove(("announcements",))


def _leave_waivers(sources: Sources, waivers: list[Waiver], day: str) -> None:
    for number, waiver in reversed(list(enumerate(waivers))):
        if set(waiver.versions) == {day}:
            sources.file(FILE).remove(("waivers", number))
        elif day in waiver.versions:
            at = waiver.versions.index(day)
            sources.file(FILE).remove(("waivers", number, "versions", at))


def _keep_names(
    before: Api, now: Api, contents: dict[str, bytes], stay: Sequence[str]
) -> dict[str, bytes]:
    """Return *contents*, the sources of *now*, with the former names of converters.

    If a place has several converters, all but that of the oldest change are named after its date.
    """
    known: dict[tuple[str, str], set[str]] = {}
    for each in list_served(before):
        if each.before:
            moved = next(one for one in stay if order(one) >= order(each.before))
            known.setdefault((_name_place(each), moved), set()).add(each.method)
    sources = Sources(now, contents)
    for each in list_served(now) if known else ():
        methods = known.get((_name_place(each), each.before), {each.method})
        # if several changes are one now, each converter has another input
        if len(methods) == 1 and each.method not in methods:
            [method] = methods
            sources.put((*each.path, WAS, each.before, CONVERTER), method)
    return sources.read_contents()


def _name_place(converter: DemandedConverter) -> str:
    return converter.name.partition("@")[0]


def _find_hidden(before: Api, now: Api) -> Iterator[Trail]:
    """Yield components that exist by themselves and are not where they were any more."""
    were, are = Timeline(before.table), Timeline(now.table)
    for component, mask in before.visible.items():
        then = {*were.members(mask)} & {*now.combinations}
        if then != {*are.members(now.visible.get(component, 0))}:
            yield ("components", *component)


def _require_unchanged(before: Api, now: Api) -> None:
    """Raise RetireError if a contract that stays would change in any byte."""
    then, after = Projector(before), Projector(now)
    for environment in (*now.table.environment_names, EVERYWHERE):
        for version in now.table.dates:
            old = then.contract(version, environment).document
            new = after.contract(version, environment).document
            if json.dumps(old) != json.dumps(new):
                change = next((describe(one) for one in diff(old, new)), "the order of its keys")
                raise RetireError(
                    f"the document of {version} would change: {change}; that gate can't be "
                    f"folded automatically, so fold it by hand or keep the version"
                )
