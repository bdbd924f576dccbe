"""Write the date of a version in place of its drafts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any

from dateline.check.waivers import FILE, Waiver
from dateline.edit.folding import fold_reasons
from dateline.edit.history import merge_entries
from dateline.edit.sources import Sources
from dateline.gates import order, substitutes
from dateline.load import TABLE
from dateline.model import ADDED, REMOVED, SHOWN_AS, WAS, WHY, Api, Day, Table, Trail
from dateline.openapi import walk


def redate_gates(api: Api, sources: Sources, drafts: Collection[str], day: str) -> bool:
    """Replace *drafts* by *day* in every gate; return whether there is any."""
    found = False
    for path, _, node in walk("document", api.document):
        dated = [key for key in (ADDED, REMOVED) if node.get(key) in drafts]
        past = sorted((date for date in node.get(WAS, ()) if date in drafts), key=order)
        for key in dated:
            sources.put((*path, key), Day(day))
        if past and ADDED in dated:
            # drop what it was in drafts in which it is added
            whole = len(past) == len(node[WAS])
            for gone in [()] if whole else [(date,) for date in past]:
                sources.remove((*path, WAS, *gone))
        elif past:
            _redate_history(sources, (*path, WAS), node[WAS], past, day)
        if isinstance(node.get(WHY), dict):
            moved = {date: day if date in drafts else date for date in node[WHY]}
            fold_reasons(sources, path, node, moved, moved.values())
        _redate_substitutes(sources, (*path, SHOWN_AS), node, drafts, day)
        found = found or bool(dated or past)
    return found


def _redate_history(
    sources: Sources, trail: Trail, was: Mapping[str, Any], past: Sequence[str], day: str
) -> None:
    oldest, *others = past
    sources.rename((*trail, oldest), Day(day))
    if others:
        newest_first = (was[date] for date in reversed(past))
        sources.put((*trail, day), reduce(merge_entries, newest_first))
    for date in others:
        sources.remove((*trail, date))


def _redate_substitutes(
    sources: Sources, trail: Trail, node: Mapping[str, Any], drafts: Collection[str], day: str
) -> None:
    """Replace *drafts* by *day* in the dates of `x-shown-as`."""
    dates = sorted((date for date in drafts if date in substitutes(node)), key=order)
    for date in dates[1:]:
        # between two drafts that become one version there is none
        sources.remove((*trail, date))
    for date in dates[:1]:
        sources.rename((*trail, date), Day(day))


def redate_waivers(
    sources: Sources, waivers: Sequence[Waiver], drafts: Collection[str], day: str
) -> None:
    """Replace *drafts* by *day* in waivers."""
    for number, waiver in enumerate(waivers):
        trail = ("waivers", number, "versions")
        found = [index for index, version in enumerate(waiver.versions) if version in drafts]
        for index in reversed(found[1:]):
            sources.file(FILE).remove((*trail, index))
        for index in found[:1]:
            sources.file(FILE).replace((*trail, index), Day(day))


def redate_table(
    table: Table,
    sources: Sources,
    drafts: Collection[str],
    day: str,
    *,
    title: str,
    undisclosed: bool,
) -> None:
    """Replace the rows of *drafts* in the version table by one for *day* with *title*."""
    source = sources.file(TABLE)
    # drafts and moving versions come last
    at = sum(not version.moving for version in table.supported)
    folded = [number for number, one in enumerate(table.versions) if one.date in drafts]
    first = table.versions[at] if folded[:1] == [at] else None
    for number in reversed(folded if first is None else folded[1:]):
        source.remove(("versions", number))
    if first is None:
        row = {"date": Day(day), "title": title}
        source.insert(("versions", at), {**row, "undisclosed": True} if undisclosed else row)
    else:
        source.put(("versions", at, "date"), Day(day))
        if title != first.title:
            source.put(("versions", at, "title"), title)
        source.remove(("versions", at, "draft"))
        if undisclosed and not first.undisclosed:
            source.put(("versions", at, "undisclosed"), True)
    if table.annotation in drafts:
        source.put(("annotation",), Day(day))
