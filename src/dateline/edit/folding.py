"""An API and the versions that stay in, its gates as these need them out: in the sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from functools import reduce
from itertools import groupby
from typing import Any, Final

from dateline.edit.history import merged, plain, same
from dateline.edit.sources import Sources, Trail
from dateline.edit.writing import Day
from dateline.gates import Timeline, changes, order
from dateline.model import ADDED, GATES, REMOVED, SHOWN_AS, WAS, WHY, Api
from dateline.openapi import COMPONENTS, children, target

_UNIONS: Final = ("oneOf", "anyOf")
_REQUIRED: Final = "required"
_FOLLOWING: Final = (ADDED, REMOVED, _REQUIRED)
"""Keywords of `x-was` that speak of versions, or of what these show."""

_History = dict[str, dict[str, Any]]
"""What `x-was` says, newest first."""


def fold_gates(
    api: Api, sources: Sources, stay: Iterable[str], by_itself: Collection[Trail] = ()
) -> None:
    """Let *sources* say of the versions that *stay* what they say now, and nothing of others.

    What only other versions show goes, and each gate that tells them apart from those that stay;
    a gate at a version that goes is one at the next that stays. Of adopted components those that
    are *by_itself* keep the gate that tells of it.
    """
    folding = _Folding(api, sources, sorted(stay, key=order), frozenset(by_itself))
    folding.node((), "document", api.document, folding.kept)


class _Folding:
    """The versions that stay, and the edits that leave out the others."""

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
        self.kept = sum(
            1 << number
            for number, combination in enumerate(api.combinations)
            if combination.version in stay
        )

    def node(self, path: Trail, kind: str, node: dict[str, Any], shown: int) -> None:
        """Fold what stands at *path*, and is *shown* where that says, and all below it."""
        eras = self._timeline.eras(kind, node)
        # the last first: what goes from a list moves what follows
        below = list(children(kind, node))
        gone: set[Trail] = set()
        for relative, child_kind, child in reversed(below):
            key = relative[0]
            there = shown & self._shown(path + relative, child_kind, child)
            held = there & sum(mask for mask, era in eras if era.get(key) is node[key])
            if not there:
                gone.add(relative)
                self._remove(path + relative, in_collection=len(relative) > 1)
            elif isinstance(child, dict):
                self.node(path + relative, child_kind, child, held or there)
        if kind == "schema":
            self._required(path, node, gone)
            self._mapping(path, node, shown)
            self._enumeration(path, node, gone)
        if not GATES.isdisjoint(node):
            self._gates(path, node, shown, gone)

    def _shown(self, path: Trail, kind: str, node: Any) -> int:
        if path[0] == "components" and len(path) == 3 and path[1] in COMPONENTS:
            return self._api.visible[str(path[1]), str(path[2])]
        return self._timeline.shown(kind, node)

    def _remove(self, path: Trail, *, in_collection: bool) -> None:
        """Take away what stands at *path*, and the collection that held nothing else."""
        source = self._sources.of(path)
        source.remove(path)
        around = path[:-1]
        if in_collection and source.is_empty(around):
            source.remove(around)
            if around[:-1] == ("components",) and source.is_empty(around[:-1]):
                source.remove(around[:-1])

    # The keys

    def _gates(self, path: Trail, node: dict[str, Any], shown: int, gone: Set[Trail]) -> None:
        source = self._sources.of(path)
        left = {key for key in GATES if key in node}
        for key in (ADDED, REMOVED):
            moved = self._moved.get(node.get(key, ""))
            if moved == self._oldest and path not in self._by_itself:
                source.remove((*path, key))
                left.discard(key)
            elif moved is not None and moved != node[key]:
                source.put((*path, key), Day(moved))
        if WAS in node and not self._history((*path, WAS), node, shown, gone):
            left.discard(WAS)
        if SHOWN_AS in node and ADDED not in left:
            source.remove((*path, SHOWN_AS))
        if WHY in node and not left:
            source.remove((*path, WHY))

    def _history(self, path: Trail, node: dict[str, Any], shown: int, gone: Set[Trail]) -> bool:
        """Fold the `x-was` of *node*, which stands at *path*; tell whether any of it stays."""
        was: Mapping[str, Any] = node[WAS]
        source = self._sources.of(path)
        groups = self._groups(node, shown)
        kept = self._restated(node, groups, gone)
        if not kept:
            source.remove(path)
            return False
        for date in was:
            moved = self._moved[date]
            if moved not in kept or date != groups[moved][0]:
                source.remove((*path, date))
                continue
            if not _alike(was[date], kept[moved]):
                source.put((*path, date), kept[moved])
            if date != moved:
                source.rename((*path, date), Day(moved))
        return True

    def _groups(self, node: dict[str, Any], shown: int) -> dict[str, list[str]]:
        """Return the dates of `x-was` that stay, by what they become; both newest first."""
        first = min((one.version for one in self._timeline.members(shown)), key=order)
        newest_first = sorted(node[WAS], key=order, reverse=True)
        return {
            moved: list(dates)
            for moved, dates in groupby(newest_first, key=self._moved.__getitem__)
            if order(moved) > order(first)  # before it, there is nothing
        }

    def _restated(
        self, node: dict[str, Any], groups: Mapping[str, list[str]], gone: Set[Trail]
    ) -> _History:
        """Return what is to stand at each date that stays."""
        now: dict[str, Any] = {key: node[key] for key in _FOLLOWING if key in node}
        newer = self._said(now, gone)
        found: _History = {}
        for moved, dates in groups.items():
            entry = reduce(merged, (plain(node[WAS][date]) for date in dates))
            setting, unset = changes(entry)
            now = {key: value for key, value in now.items() if key not in unset}
            now |= {key: setting[key] for key in _FOLLOWING if key in setting}
            older = self._said(now, gone)
            entry = _with(setting, unset, newer, older)
            if any(changes(entry)):
                found[moved] = entry
            newer = older
        return found

    def _said(self, now: Mapping[str, Any], gone: Set[Trail]) -> dict[str, Any]:
        """Return what *now* says, in terms of what stays."""
        said: dict[str, Any] = {}
        for key in (ADDED, REMOVED):
            if key in now and self._moved[now[key]] != self._oldest:
                said[key] = self._moved[now[key]]
        required = now.get(_REQUIRED)
        if isinstance(required, list):
            left = [name for name in required if ("properties", name) not in gone]
            required = left if left or not required else None
        return said if required is None else {**said, _REQUIRED: required}

    # What follows from what goes

    def _required(self, path: Trail, node: dict[str, Any], gone: Set[Trail]) -> None:
        names = node.get(_REQUIRED, ())
        lost = [number for number, name in enumerate(names) if ("properties", name) in gone]
        source = self._sources.of(path)
        for number in reversed(lost):
            source.remove((*path, _REQUIRED, number))
        if lost and len(lost) == len(names):
            source.remove((*path, _REQUIRED))

    def _mapping(self, path: Trail, node: dict[str, Any], shown: int) -> None:
        discriminator = node.get("discriminator")
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
        for tag, reference in (mapping or {}).items():
            if not self._mapped(node, reference) & shown:
                self._sources.of(path).remove((*path, "discriminator", "mapping", tag))

    def _mapped(self, node: dict[str, Any], reference: str) -> int:
        """Return where what *reference* of a mapping names is a member; or is there at all."""
        goal = target(reference) or ("schemas", reference)
        shown = [
            self._timeline.of(member)
            for key in _UNIONS
            for member in node.get(key, ())
            if isinstance(member, dict) and target(member.get("$ref", "")) == goal
        ]
        together = reduce(int.__or__, shown) if shown else self._timeline.all
        return together & self._api.visible.get(goal, self._timeline.all)

    def _enumeration(self, path: Trail, node: dict[str, Any], gone: Set[Trail]) -> None:
        """Write adopted values as they are published once none has a history any more."""
        members = node.get("oneOf", ())
        values = [one for one in members if isinstance(one, dict) and "const" in one]
        if not self._api.table.adopted or not values or len(values) < len(members):
            return
        shown = [self._timeline.of(one) for one in values]
        still = any(mask & self.kept not in (0, self.kept) for mask in shown)
        if still or all(mask == self._timeline.all for mask in shown):
            return
        source = self._sources.of(path)
        left = [one for number, one in enumerate(values) if ("oneOf", number) not in gone]
        source.rename((*path, "oneOf"), "enum")
        source.put((*path, "enum"), [plain(one["const"]) for one in left])
        words = {str(one["const"]): one["description"] for one in left if "description" in one}
        if words:
            source.put((*path, "x-enum-descriptions"), words)


def _with(
    setting: Mapping[str, Any],
    unset: Iterable[str],
    newer: Mapping[str, Any],
    older: Mapping[str, Any],
) -> dict[str, Any]:
    """Return one date of `x-was` with which *newer* was *older*, and the rest as it was."""
    kept = {key: value for key, value in setting.items() if key not in _FOLLOWING}
    kept |= {key: value for key, value in older.items() if newer.get(key) != value}
    gone = [key for key in unset if key not in _FOLLOWING]
    gone += [key for key in newer if key not in older]
    return merged({}, {"set": kept, "unset": gone})


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two dates of `x-was` do the same."""
    (setting, unset), (others, unset_by_other) = changes(one), changes(other)
    return same(plain(setting), plain(others)) and {*unset} == {*unset_by_other}
