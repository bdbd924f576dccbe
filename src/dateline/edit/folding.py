"""Remove the gates that no remaining version needs when a version is retired."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from itertools import groupby
from typing import Any, Final, NamedTuple

from dateline.edit.history import ABSENT, NAME, HistoryError, list_marks, merge_entries, plain, same
from dateline.edit.sources import Sources, load_contents
from dateline.gates import (
    Timeline,
    changes,
    gate_dates,
    is_long,
    order,
    restate,
    substitutes,
    why,
)
from dateline.model import (
    ADDED,
    GATES,
    IN_PLACE_OF,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
    Api,
    DatelineError,
    Day,
    Trail,
)
from dateline.oddities import list_dangling
from dateline.openapi import COMPONENTS, children
from dateline.project.publishing import find_mapped
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS

_REQUIRED: Final = "required"

_History = dict[str, dict[str, Any]]
"""The entries of `x-was`, newest first."""


def fold_gates(
    api: Api, sources: Sources, stay: Iterable[str], by_itself: Collection[Trail] = ()
) -> None:
    """Edit *sources* so that the versions that *stay* are unchanged, and all others are gone.

    What only other versions have is removed, and so is each gate that distinguishes them from those
    that stay; a gate at a removed version moves to the next one that stays. Adopted components that
    are visible *by_itself* keep the gate that says so.
    """
    folding = _Folding(api, sources, sorted(stay, key=order), frozenset(by_itself))
    folding.fold((), "document", api.document, folding.kept)


def together(
    api: Api, known: dict[str, bytes], drafts: Sequence[str]
) -> tuple[Api, dict[str, bytes]]:
    """Return *api*, and its sources *known*, with neighbouring *drafts* merged.

    All have the content and the date of the newest; what was added in one and removed in another is
    left out. Drafts with another version between them are unchanged, since that version shows what
    is between.
    """
    dates = list(api.table.dates)
    first, last = dates.index(drafts[0]), dates.index(drafts[-1])
    if first == last or dates[first : last + 1] != list(drafts):
        return api, known
    sources = Sources(api, known)
    fold_gates(api, sources, [*dates[:first], *dates[last:]])
    after = sources.read_contents()
    return replace(load_contents(api.name, after), folder=api.folder), after


class FoldError(DatelineError):
    """Gates can't be folded without changing the versions that stay."""

    exit_code = 2


class _FoldedNode(NamedTuple):
    """A node that stays: its place, where it is visible, and what was removed from it."""

    path: Trail
    kind: str
    node: dict[str, Any]
    shown: int
    gone: Set[Trail]


class _Folding:
    """The versions that stay, and the edits that remove the others."""

    def __init__(
        self, api: Api, sources: Sources, stay: list[str], by_itself: frozenset[Trail]
    ) -> None:
        self._api = api
        self._by_itself = by_itself
        self._sources = sources
        self._oldest = stay[0]
        self._moved = {
            date: next(one for one in stay if order(one) >= order(date)) for date in api.table.dates
        }
        self._timeline = Timeline(api.table)
        self._resolver = Resolver(api.document)
        # the schema around each member of a union
        self._unions: dict[int, dict[str, Any]] = {}
        self.kept = sum(
            1 << number
            for number, combination in enumerate(api.combinations)
            if combination.version in stay
        )

    def fold(self, path: Trail, kind: str, node: dict[str, Any], shown: int) -> None:
        """Fold what is at *path*, visible at *shown* by its own keys, and everything below it."""
        eras = self._timeline.eras(kind, node)
        counts = {
            key: sum(mask for mask, era in eras if era.get(key) is value)
            for key, value in node.items()
        }
        gone = self._fold_below(path, kind, node, shown, counts)
        site = _FoldedNode(path, kind, node, shown, gone)
        if kind == "schema":
            self._drop_required(site)
            self._drop_mapping(site)
            self._write_enumeration(site)
        if not GATES.isdisjoint(node):
            self._fold_gates(site)

    def _fold_below(
        self, path: Trail, kind: str, node: dict[str, Any], shown: int, counts: Mapping[str, int]
    ) -> set[Trail]:
        """Fold what is below *node*; return the paths of what is removed.

        *counts* are, for each key, the combinations in which it has this value.
        """
        gone: set[Trail] = set()
        self._unions |= {id(one): node for key in UNIONS for one in node.get(key, ())}
        # the last first: a removal from a list moves what follows
        for relative, child_kind, child in reversed(list(children(kind, node))):
            there = shown & self._find_shown(path + relative, child_kind, child)
            if not there:
                gone.add(relative)
                self._remove(path + relative, in_collection=len(relative) > 1)
            elif isinstance(child, dict):
                around = counts[str(relative[0])]
                self.fold(path + relative, child_kind, child, there & around or there)
        return gone

    def _find_shown(self, path: Trail, kind: str, node: Any) -> int:
        if path[0] == "components" and len(path) == 3 and path[1] in COMPONENTS:
            return self._api.visible[str(path[1]), str(path[2])]
        return self._timeline.find_shown(kind, node)

    def _remove(self, path: Trail, *, in_collection: bool) -> None:
        """Remove what is at *path*, and its collection if that is empty then."""
        self._sources.remove(path)
        if in_collection:
            self._sources.remove_empty(path)

    # Keys

    def _fold_gates(self, site: _FoldedNode) -> None:
        path, node = site.path, site.node
        left = {key for key in GATES if key in node}
        for key in (ADDED, REMOVED):
            moved = self._moved.get(node.get(key, ""))
            if moved == self._oldest and path not in self._by_itself:
                self._sources.remove((*path, key))
                left.discard(key)
            elif moved is not None and moved != node[key]:
                self._sources.put((*path, key), Day(moved))
        history = self._fold_history(site) if WAS in node else {}
        if not history:
            left.discard(WAS)
        if SHOWN_AS in node and left.isdisjoint((ADDED, REMOVED)):
            self._sources.remove((*path, SHOWN_AS))
        elif SHOWN_AS in node:
            self._fold_substitutes(path, site.kind, node)
        if WHY in node and not left:
            self._sources.remove((*path, WHY))
        elif isinstance(node.get(WHY), dict):
            gates: dict[str, Any] = {
                key: self._moved[node[key]] for key in (ADDED, REMOVED) if key in left
            }
            kept = gate_dates({**gates, WAS: history})
            if any(self._moved[date] in kept for date in node[WHY]):
                fold_reasons(self._sources, path, node, self._moved, kept)
            else:
                self._sources.remove((*path, WHY))

    def _fold_substitutes(self, path: Trail, kind: str, node: dict[str, Any]) -> None:
        """Keep the value that replaces a member, in all versions that stay and lack it.

        The replacement may be removed with the versions that have it: then its own replacement is
        used. Raises FoldError if no remaining dates can distinguish the values.
        """
        lacking = self.kept & ~self._find_shown(path, kind, node)
        wanted = {
            self._api.combinations[at].version: self._shown_instead(node, at)
            for at in range(lacking.bit_length())
            if lacking >> at & 1
        }
        written = substitutes(node)
        trail = (*path, SHOWN_AS)
        dates = sorted((date for date in written if date is not None), key=order)
        if not dates and all(same(value, written[None]) for value in wanted.values()):
            return
        kept: dict[str, str] = {}
        for date in dates:
            moved = self._moved[date]
            if moved not in kept and (moved != self._oldest or (date == dates[-1] and not kept)):
                kept[moved] = date
        if dates and _gives_all({moved: written[date] for moved, date in kept.items()}, wanted):
            for date in dates:
                if kept.get(self._moved[date]) != date:
                    self._sources.remove((*trail, date))
            for moved, date in kept.items():
                if moved != date:
                    self._sources.rename((*trail, date), Day(moved))
            return
        self._sources.put(trail, self._restate_substitutes(path, wanted))

    def _shown_instead(self, node: dict[str, Any], at: int) -> Any:
        """Return the value that replaces *node* at *at*: the first in the chain that stays."""
        found, seen = node, [node]
        while value := self._timeline.substitute(found, at):
            following = self._member_of(found, value[0])
            if following is None or self._timeline.of(following) & self.kept or following in seen:
                return value[0]
            found = following
            seen.append(found)
        return value[0] if value else None

    def _member_of(self, node: dict[str, Any], value: Any) -> dict[str, Any] | None:
        """Return the sibling of *node* that *value* belongs to, by a `const` or tag."""
        around = self._unions.get(id(node), {})
        members = [one for key in UNIONS for one in around.get(key, ()) if isinstance(one, dict)]
        for member in members:
            if "const" in member and same(member["const"], value):
                return member
        discriminator = around.get("discriminator")
        if not isinstance(discriminator, dict) or not isinstance(value, dict):
            return None
        tag = value.get(discriminator.get("propertyName", ""))
        mapped = discriminator.get("mapping", {}).get(tag, tag)
        goal = self._resolver.find_mapped(mapped)
        named = (one for one in members if self._resolver.find_variant(one) == goal)
        return None if goal is None else next(named, None)

    def _restate_substitutes(self, path: Trail, wanted: Mapping[str, Any]) -> Any:
        """Return the `x-shown-as` that gives each version its *wanted* value."""
        values = list(wanted.values())
        if all(same(value, values[0]) for value in values):
            return plain(values[0])
        stay = sorted({*self._moved.values()}, key=order)
        found: dict[str, Any] = {}
        for _, group in groupby(wanted, key=lambda version: json.dumps(wanted[version])):
            *_, newest = group
            later = [date for date in stay if order(date) > order(newest)]
            # the last one applies from its date on, which only has to come after the others
            after = later or [date for date in stay if date not in found][-1:]
            found |= {Day(date): plain(wanted[newest]) for date in after[:1]}
        if not _gives_all(found, wanted):
            raise FoldError(
                f"{self._api.locate((*path, SHOWN_AS))}: no dates of the remaining versions "
                f"distinguish the values shown instead of this; write a single value"
            )
        return found

    def _fold_history(self, site: _FoldedNode) -> _History:
        """Fold the `x-was` of a node; return what is left of it."""
        was: Mapping[str, Any] = site.node[WAS]
        path = (*site.path, WAS)
        groups = self._groups(site)
        kept = self._restate(site, groups)
        if not kept:
            self._sources.remove(path)
            return kept
        for date in was:
            moved = self._moved[date]
            if moved not in kept or date != groups[moved][0]:
                self._sources.remove((*path, date))
                continue
            entry = was[date]
            if not _alike(entry, kept[moved]):
                entry = kept[moved]
                self._sources.put((*path, date), entry)
            setting, _ = changes(entry)
            inside = ("set",) if is_long(entry) and "set" in entry else ()
            before = site.shown & ~self._timeline.since(moved)
            self._fold_below(
                (*path, date, *inside), site.kind, setting, before, dict.fromkeys(setting, before)
            )
            if date != moved:
                self._sources.rename((*path, date), Day(moved))
        return kept

    def _groups(self, site: _FoldedNode) -> dict[str, list[str]]:
        """Return the dates of `x-was` that stay, by their new dates; both newest first."""
        first = min((one.version for one in self._timeline.members(site.shown)), key=order)
        newest_first = sorted(site.node[WAS], key=order, reverse=True)
        return {
            moved: list(dates)
            for moved, dates in groupby(newest_first, key=self._moved.__getitem__)
            if order(moved) > order(first)  # before it, there is nothing
        }

    def _restate(self, site: _FoldedNode, groups: Mapping[str, list[str]]) -> _History:
        """Return the new content of each date that stays."""
        now: dict[str, Any] = {NAME: str(site.path[-1]) if site.path else "", **site.node}
        newer = self._express(now, site.gone)
        found: _History = {}
        for moved, dates in groups.items():
            try:
                entry = reduce(merge_entries, (plain(site.node[WAS][date]) for date in dates))
            except HistoryError as error:
                place = self._api.locate((*site.path, WAS))
                raise FoldError(f"{place}: {error}") from None
            setting, unset = restate(now, entry)
            now = {key: value for key, value in now.items() if key not in unset} | setting
            older = self._express(now, site.gone)
            if IN_PLACE_OF in entry:
                found[moved] = entry
            else:
                entry = {**_between(newer, older, [*setting, *unset]), **list_marks(entry)}
                if any(changes(entry)):
                    found[moved] = entry
            newer = older
        return found

    def _express(self, now: Mapping[str, Any], gone: Set[Trail]) -> dict[str, Any]:
        """Return *now* without references to what is *gone*."""
        keywords = dict(now)
        for key in (ADDED, REMOVED):
            moved = self._moved.get(keywords.pop(key, ""))
            if moved not in (None, self._oldest):
                keywords[key] = moved
        if isinstance(names := keywords.get(_REQUIRED), list):
            keywords[_REQUIRED] = [name for name in names if ("properties", name) not in gone]
            if names and not keywords[_REQUIRED]:
                del keywords[_REQUIRED]
        return keywords

    # Consequences of removals

    def _drop_required(self, site: _FoldedNode) -> None:
        names = site.node.get(_REQUIRED, ())
        lost = [number for number, name in enumerate(names) if ("properties", name) in site.gone]
        if not lost:
            return
        path = (*site.path, _REQUIRED)
        for number in reversed(lost):
            self._sources.remove((*path, number))
        if len(lost) == len(names):
            self._sources.remove(path)

    def _drop_mapping(self, site: _FoldedNode) -> None:
        discriminator = site.node.get("discriminator")
        if not isinstance(discriminator, dict):
            return
        mapping = discriminator.get("mapping") or {}
        named: dict[Trail, Any] = {("mapping", tag): goal for tag, goal in mapping.items()}
        named |= {(key,): discriminator[key] for key in ("defaultMapping",) if key in discriminator}
        eras = self._timeline.eras("schema", site.node) if self._api.table.adopted else ()
        for steps, reference in named.items():
            shown = find_mapped(self._api, self._resolver, self._timeline, site.node, reference)
            for mask, era in eras:
                shown |= mask if reference in list_dangling(era) else 0
            if not shown & site.shown:
                self._sources.remove((*site.path, "discriminator", *steps))

    def _write_enumeration(self, site: _FoldedNode) -> None:
        """Write adopted values as they are published once none has a history any more."""
        path, members = site.path, site.node.get("oneOf", ())
        values = [one for one in members if isinstance(one, dict) and "const" in one]
        if not self._api.table.adopted or not values or len(values) < len(members):
            return
        shown = [self._timeline.of(one) for one in values]
        still = any(mask & self.kept not in (0, self.kept) for mask in shown)
        if still or all(mask == self._timeline.all for mask in shown):
            return
        left = [one for number, one in enumerate(values) if ("oneOf", number) not in site.gone]
        self._sources.rename((*path, "oneOf"), "enum")
        self._sources.put((*path, "enum"), [plain(one["const"]) for one in left])
        words = {str(one["const"]): one["description"] for one in left if "description" in one}
        if words:
            self._sources.put((*path, "x-enum-descriptions"), words)


def fold_reasons(
    sources: Sources,
    path: Trail,
    node: Mapping[str, Any],
    moved: Mapping[str, str],
    kept: Container[str],
) -> None:
    """Move the reasons of *node* at *path* to the dates that its dates are *moved* to.

    Reasons of one date are merged; those of dates that are not *kept* are removed.
    """
    by_date: dict[str, list[str]] = {}
    for date in sorted(node[WHY], key=order):
        by_date.setdefault(moved[date], []).append(date)
    for date, (*older, newest) in by_date.items():
        gone = older if date in kept else [*older, newest]
        if older and date in kept:
            sources.put((*path, WHY, newest), why(node, [*older, newest]))
        for one in gone:
            sources.remove((*path, WHY, one))
        if date in kept and date != newest:
            sources.rename((*path, WHY, newest), Day(date))


def _gives_all(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether *values* by date give each version its *wanted* value."""
    dates = sorted(values, key=order)
    return bool(dates) and all(
        same(values[next((one for one in dates if order(one) > order(version)), dates[-1])], value)
        for version, value in wanted.items()
    )


def _between(
    newer: Mapping[str, Any], older: Mapping[str, Any], keywords: Iterable[str]
) -> dict[str, Any]:
    """Return one date of `x-was` that turns *keywords* of *newer* into those of *older*."""
    keys = [key for key in dict.fromkeys(keywords) if key in newer or key in older]
    differ = [key for key in keys if not same(newer.get(key, ABSENT), older.get(key, ABSENT))]
    setting = {key: plain(older[key]) for key in differ if key in older}
    return merge_entries({}, {"set": setting, "unset": [key for key in differ if key not in older]})


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two dates of `x-was` do the same."""
    (setting, unset), (others, unset_by_other) = changes(one), changes(other)
    return same(plain(setting), plain(others)) and {*unset} == {*unset_by_other}
