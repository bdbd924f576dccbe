"""What gates mean, as sets of combinations of a version and an environment.

A set is an integer: bit *i* is ``Timeline.combinations[i]``. Presence, absence and
containment of whole histories are then single operations, however many versions there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any, Final

from dateline.model import (
    ADDED,
    CONVERTER,
    ENVIRONMENTS,
    EVERYWHERE,
    GATES,
    IN_PLACE_OF,
    NEXT,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
    Combination,
    Map,
    Table,
    copy_items,
)
from dateline.openapi import operations
from dateline.schema.access import ACCESS
from dateline.schema.memo import Memo
from dateline.versions import is_dated
from dateline.versions import order as order

_NAMED_BY_THEIR_KEY: Final = frozenset({"schema", "header"})
"""Kinds that are named by the key that holds them: there `x-was: {DATE: {name: ...}}` renames."""

_PRESENCE: Final = frozenset({ADDED, REMOVED})

_BESIDE_KEYWORDS: Final = frozenset({IN_PLACE_OF, CONVERTER})
"""The keys of one date of `x-was` besides keywords."""


def gate_dates(node: Mapping[str, Any]) -> list[str]:
    """Return the dates of the gates of *node*, oldest first."""
    entries = node.get(WAS, {})
    eras = [node, *(changes(entry)[0] for entry in entries.values())]
    found = {era[key] for era in eras for key in _PRESENCE if isinstance(era.get(key), str)}
    return sorted({*entries, *found}, key=order)


def why(node: Mapping[str, Any], dates: Iterable[str]) -> str | None:
    """Return the reason that *node* gives for its gates at *dates*, or None."""
    reasons = node.get(WHY)
    if not isinstance(reasons, dict):
        return reasons
    return " ".join(dict.fromkeys(reasons[date] for date in dates if date in reasons)) or None


def substitutes(member: Any) -> dict[str | None, Any]:
    """Return the values of a member's `x-shown-as` by date; the key is None for a single value.

    A mapping whose keys are all dates, or `next`, lists values by date; any other mapping is a
    value.
    """
    if not isinstance(member, dict) or SHOWN_AS not in member:
        return {}
    value = member[SHOWN_AS]
    dates = isinstance(value, dict) and [key == NEXT or is_dated(key) for key in value]
    return dict(value) if dates and all(dates) else {None: value}


class Timeline:
    """The combinations of an API, and the combinations that a key concerns.

    ``EVERYWHERE`` is one more environment: what any of them shows, which models are made for.
    """

    def __init__(self, table: Table) -> None:
        names = table.environment_names
        self.combinations = tuple(
            Combination(version, name) for name in [*names, EVERYWHERE] for version in table.dates
        )
        self.all = (1 << len(self.combinations)) - 1
        self._since: dict[str, int] = {}
        self._within = {
            name: self._mask(c.environment in (name, EVERYWHERE) for c in self.combinations)
            for name in names
        }
        self._eras = Memo(Timeline._list_eras, owner=self)

    def _mask(self, chosen: Iterable[bool]) -> int:
        return sum(1 << i for i, is_chosen in enumerate(chosen) if is_chosen)

    def since(self, date: str) -> int:
        """Return the combinations whose version is *date* or newer."""
        mask = self._since.get(date)
        if mask is None:
            mask = self._mask(order(c.version) >= order(date) for c in self.combinations)
            self._since[date] = mask
        return mask

    def within(self, environment: str) -> int:
        """Return the combinations of *environment*."""
        return self._within[environment]

    def of(self, node: Any) -> int:
        """Return the combinations in which *node* is visible, by its own keys alone."""
        if not isinstance(node, dict):
            return self.all
        if node.keys().isdisjoint(GATES):
            return self.all
        if WAS in node and any(map(_moves, node[WAS].values())):
            # it was removed and added again: each era has keys of its own
            mask = 0
            for era, then in self.eras("", node):
                mask |= era & self.of(then)
            return mask
        mask = self.all
        if ADDED in node:
            mask &= self.since(node[ADDED])
        if REMOVED in node:
            mask &= ~self.since(node[REMOVED])
        if ENVIRONMENTS in node:
            shown = 0
            for environment in node[ENVIRONMENTS]:
                shown |= self._within[environment]
            mask &= shown
        return mask

    def are_steady(self, fields: Iterable[tuple[Any, tuple[Any, ...]]]) -> bool:
        """Return whether messages of all versions have *fields*, in the same way by one name.

        These are a result of `Access.list_fields`.
        """
        return all(self._is_steady(each) for _, ways in fields for each in ways)

    def _is_steady(self, field: Any) -> bool:
        if not isinstance(field, dict) or GATES.isdisjoint(field):
            return True
        restated = {key for entry in field.get(WAS, {}).values() for key in chain(*changes(entry))}
        return self.of(field) == self.all and restated.isdisjoint({"name", *ACCESS})

    def find_shown(self, kind: str, node: Any) -> int:
        """Return where *node* is visible; a path item is removed with its last operation."""
        mask = self.of(node)
        if kind == "path-item" and isinstance(node, dict):
            shown = [self.of(operation) for _, operation in operations(node)]
            if shown:
                mask &= reduce(or_, shown)
        return mask

    def eras(self, kind: str, node: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        """Return the history of *node*, newest first: (combinations, node without `x-was`)."""
        return [(self.all, node)] if node.get(WAS) is None else self._eras(node, kind)

    def _list_eras(self, node: dict[str, Any], kind: str) -> list[tuple[int, dict[str, Any]]]:
        was = node[WAS]
        current = drop_keys(node, WAS)
        eras = []
        covered = 0
        for date in sorted(was, key=order, reverse=True):
            newer = self.since(date)
            if newer & ~covered:
                eras.append((newer & ~covered, current))
                covered |= newer
            current = _restore(current, kind, was[date])
        if self.all & ~covered:
            eras.append((self.all & ~covered, current))
        return eras

    def era(self, kind: str, node: dict[str, Any], at: int) -> dict[str, Any]:
        """Return *node* as it is at the combination *at*, without `x-was`."""
        return next(era for mask, era in self.eras(kind, node) if mask >> at & 1)

    def name(self, kind: str, name: str, node: Any, at: int) -> str:
        """Return what the child *node* at *name* is called at the combination *at*."""
        return next(called for mask, called in self.names(kind, name, node) if mask >> at & 1)

    def names(self, kind: str, name: str, node: Any) -> list[tuple[int, str]]:
        """Return the names of the child *node* at *name*, newest first: (combinations, name)."""
        was = node.get(WAS) if isinstance(node, dict) else None
        if was is None or kind not in _NAMED_BY_THEIR_KEY:
            return [(self.all, name)]
        called = []
        covered = 0
        for date in sorted(was, key=order, reverse=True):
            newer = self.since(date)
            called.append((newer & ~covered, name))
            covered |= newer
            name = changes(was[date])[0].get("name", name)
        called.append((self.all & ~covered, name))
        return [(mask, shown) for mask, shown in called if mask]

    def substitute(self, member: Any, at: int) -> tuple[Any, ...]:
        """Return the value of *member* at the combination *at* by its `x-shown-as`, or nothing.

        Of several dates, the first one after the version counts, or the last one if there is none.
        """
        values = substitutes(member)
        return (values[self.substitute_date(member, at)],) if values else ()

    def substitute_date(self, member: Any, at: int) -> str | None:
        """Return the date of the value that `substitute` returns; None where it has no date."""
        dates = sorted((date for date in substitutes(member) if date is not None), key=order)
        version = order(self.combinations[at].version)
        return next((date for date in dates if order(date) > version), dates[-1] if dates else None)

    def substituted(self, member: Any, mask: int) -> Iterator[tuple[str | None, Any, int]]:
        """Yield each value of `x-shown-as` with its date, and where in *mask* it is shown."""
        for date, value in substitutes(member).items():
            places = (at for at in range(mask.bit_length()) if mask >> at & 1)
            shown = (1 << at for at in places if self.substitute_date(member, at) == date)
            yield date, value, sum(shown)

    def places(self, mask: int) -> str:
        """Return the combinations of *mask* in words: `2026-07-01, every version of sandbox`."""
        by_version: dict[str, list[str]] = {}
        for version, environment in self.members(mask):
            if environment != EVERYWHERE:
                by_version.setdefault(version, []).append(environment)
        versions = {combination.version for combination in self.combinations}
        shown: dict[tuple[str, ...], list[str]] = {}
        for version in sorted(by_version, key=order):
            shown.setdefault(tuple(by_version[version]), []).append(version)
        words = []
        for environments, dates in shown.items():
            every = len(dates) == len(versions)
            where = "" if len(environments) == len(self._within) else " and ".join(environments)
            if every:
                words.append(f"every version of {where}" if where else "every version")
            else:
                words += [f"{date} ({where})" if where else date for date in dates]
        return ", ".join(words)

    def members(self, mask: int) -> Iterator[Combination]:
        """Yield the combinations of *mask*."""
        return (c for i, c in enumerate(self.combinations) if mask >> i & 1)


def _moves(entry: dict[str, Any]) -> bool:
    """Return whether one date of `x-was` changes when the node is visible."""
    setting, unset = changes(entry)
    return not _PRESENCE.isdisjoint((*setting, *unset))


def changes(entry: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what one date of `x-was` sets and unsets; in the short form, null unsets.

    With `in-place-of`, `properties` and `required` list only the replaced ones; `restate` returns
    them whole.
    """
    if is_long(entry):
        return entry.get("set", {}), tuple(entry.get("unset", ()))
    keywords = {key: value for key, value in entry.items() if key not in _BESIDE_KEYWORDS}
    unset = tuple(key for key, value in keywords.items() if value is None)
    return {key: value for key, value in keywords.items() if value is not None}, unset


def is_long(entry: Mapping[str, Any]) -> bool:
    """Return whether one date of `x-was` has the long form, `{set: {...}, unset: [...]}`."""
    keys = entry.keys() - _BESIDE_KEYWORDS
    return bool(keys) and keys <= {"set", "unset"}


def restate(
    node: Mapping[str, Any], entry: dict[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what one date of `x-was` sets and unsets in *node*, `properties` and `required` whole.

    *node* is the state after the date. Unless the date has `required`, the older properties are
    required if all of their replacements are.
    """
    setting, unset = changes(entry)
    gone = entry.get(IN_PLACE_OF)
    now, came = node.get("properties"), setting.get("properties")
    if not isinstance(gone, list) or not isinstance(now, dict) or not isinstance(came, dict):
        return setting, unset
    kept = [(name, child) for name, child in now.items() if name not in gone]
    names = node.get("required")
    names = names if isinstance(names, list) else []
    older = came if gone and all(name in names for name in gone) else ()
    required = [name for name in names if name not in gone]
    required += [name for name in setting.get("required", older) if name not in required]
    setting = {**setting, "properties": copy_items(now, [*kept, *came.items()])}
    setting.pop("required", None)
    if required and required != names:
        setting["required"] = required
    return setting, unset if required or not names else (*unset, "required")


def drop_keys(node: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a copy of *node* without *keys*; what is left keeps its place in the source."""
    if isinstance(node, Map) and node.keys().isdisjoint(keys):
        copy = Map(node)
        copy.file, copy.mark, copy.marks = node.file, node.mark, node.marks
        return copy
    return copy_items(node, [(key, value) for key, value in node.items() if key not in keys])


def _restore(node: dict[str, Any], kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return *node* with the older keywords of one date."""
    setting, unset = restate(node, entry)
    if kind in _NAMED_BY_THEIR_KEY:
        setting = {key: value for key, value in setting.items() if key != "name"}
    kept = [(key, setting.get(key, value)) for key, value in node.items() if key not in unset]
    kept += [(key, value) for key, value in setting.items() if key not in node]
    return copy_items(node, kept)
