"""Merge the values of one place in all versions into one node with gates that projects to each."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise
from typing import Any, Final

from dateline.adopt.dependents import rewrite_dependents
from dateline.adopt.interning import Interner
from dateline.adopt.members import (
    Aligned,
    ConstantStates,
    ListStates,
    MappingStates,
    MemberStates,
    are_mergeable,
)
from dateline.adopt.renames import Renames
from dateline.adopt.states import (
    Run,
    States,
    add_history,
    add_presence,
    find_runs,
    split_states,
)
from dateline.edit.history import ABSENT
from dateline.gates import Timeline
from dateline.load.checks.gating import OPTIONAL_PARTS
from dateline.model import Day, Table
from dateline.openapi import METHODS, Arrangement, operations, slot
from dateline.schema.types import UNIONS

_APPLICATORS: Final = ("allOf", *UNIONS)


class Merger:
    """Merges the values of versions, from the newest down; every result projects to its states.

    All values come from one *interner*. Objects whose ids are in *whole* get no gates on their
    parts: an `x-was` restates those. *renames* decides what was renamed; ``holder`` is the
    component or operation that is being merged.
    """

    def __init__(
        self, table: Table, interner: Interner, renames: Renames, whole: Container[int]
    ) -> None:
        self.dates = tuple(map(Day, table.dates))
        self.timeline = Timeline(table)
        self._interner = interner
        self._whole = whole
        self._renames = renames
        self.holder = ""

    def merge(self, kind: str, states: States) -> Any:
        """Return the object of *kind* that projects to *states*, all of them mappings."""
        values = list(states.values())
        if all(value is values[0] for value in values):
            return values[0]
        # a path is removed with its last operation: gates can't express one that stays without any
        idle = kind == "path-item" and not all(any(operations(value)) for value in values)
        if idle or any(id(value) in self._whole for value in values):
            return self._restate(states)
        columns = {
            key: {version: value.get(key, ABSENT) for version, value in states.items()}
            for key in dict.fromkeys(key for value in values for key in value)
        }
        found: dict[str, list[Run]] = {}
        if kind == "schema" and _is_enumerated(columns):
            found["oneOf"] = [self._enumeration(columns.pop("enum"))]
        around = self.holder
        for key, states_of_key in columns.items():
            if kind == "paths":
                self.holder = key
            elif kind == "path-item" and key in METHODS:
                self.holder = f"{key.upper()} {around}"
            found[key] = self._keyword(kind, key, states_of_key, columns)
            self.holder = around
        if kind == "schema":
            rewrite_dependents(found, columns, self.timeline)
        return self._assemble(found)

    def _restate(self, states: States) -> dict[str, Any]:
        keys = dict.fromkeys(key for value in states.values() for key in value)
        found = {
            key: find_runs({at: value.get(key, ABSENT) for at, value in states.items()})
            for key in keys
        }
        return self._assemble(found)

    def _keyword(
        self, kind: str, key: str, states: States, columns: dict[str, States]
    ) -> list[Run]:
        arrangement, below = slot(kind, key)
        if arrangement is Arrangement.DATA or below == "discriminator":
            return find_runs(states)
        values = list(states.values())
        if all(value is values[0] for value in values):
            return [Run(list(states), values[0])]
        if arrangement is Arrangement.ONE:
            return self._one(below, states)
        found: list[Aligned] = []
        replacing = _find_replacing(states, columns) if kind == "schema" else frozenset()
        for version, value in states.items():
            is_replaced = key in _APPLICATORS or version in replacing
            # gates that leave nothing remove the keyword: an empty value must be written
            plain = not value or (value is ABSENT and is_replaced)
            goes_on = found and isinstance(found[-1], ConstantStates) == plain
            if goes_on and found[-1].add(version, value):
                continue
            if plain:
                found.append(ConstantStates())
            elif arrangement is Arrangement.MAP:
                required = columns.get("required", {})
                found.append(MappingStates(below, key, required, self.holder, self._renames))
            else:
                found.append(ListStates(below, key, self.holder, self._renames))
            found[-1].add(version, value)
        return [Run(each.versions, self._value(below, each)) for each in found]

    def _value(self, kind: str, aligned: Aligned) -> Any:
        """Return the value with gates that projects to each version; `ABSENT` without members."""
        if isinstance(aligned, ConstantStates):
            return aligned.value
        versions = aligned.versions
        if not aligned.members:
            return ABSENT
        if isinstance(aligned, ListStates):
            return [self._member(kind, each, versions) for each in aligned.members]
        return {
            name: self._merge_named(kind, each, versions) for name, each in aligned.members.items()
        }

    def _one(self, kind: str, states: States) -> list[Run]:
        if kind in OPTIONAL_PARTS:
            shown = {version: value for version, value in states.items() if value is not ABSENT}
            return [Run(list(states), self._member(kind, MemberStates(shown), list(states)))]
        return [
            Run(list(stretch), self._merge_value(kind, stretch))
            for stretch in split_states(states, are_mergeable)
        ]

    def _merge_value(self, kind: str, states: States) -> Any:
        first = next(iter(states.values()))
        return self.merge(kind, states) if isinstance(first, dict) else first

    def _member(self, kind: str, member: MemberStates, versions: list[int]) -> Any:
        """Return *member* with gates that show it in its versions, out of all *versions*."""
        merged = self._merge_value(kind, member.states)
        if len(member.states) == len(versions):
            return merged
        return add_presence(merged, list(member.states), versions, self.dates)

    def _merge_named(self, kind: str, member: MemberStates, versions: list[int]) -> Any:
        merged = self._member(kind, member, versions)
        for newer, older in pairwise(find_runs(dict(member.names))):
            merged = add_history(merged, self.dates[newer.versions[-1]], {"name": older.value})
        return merged

    def _enumeration(self, states: States) -> Run:
        """Return the values of an `enum` as members of a `oneOf`, each with its gates."""
        aligned = ListStates("schema", "enum", self.holder, self._renames)
        for version, values in states.items():
            aligned.add(version, [self._interner.intern({"const": value}) for value in values])
        return Run(aligned.versions, self._value("schema", aligned))

    def _assemble(self, found: dict[str, list[Run]]) -> dict[str, Any]:
        """Return the newest value of each keyword, and an `x-was` for the former ones."""
        node = {
            key: stretch[0].value
            for key, stretch in found.items()
            if stretch[0].value is not ABSENT
        }
        for key, stretch in found.items():
            for newer, older in pairwise(stretch):
                node = add_history(node, self.dates[newer.versions[-1]], {key: older.value})
        return node


def _find_replacing(states: States, columns: dict[str, States]) -> frozenset[int]:
    """Return the versions in which other keywords replace the one with *states* as a whole.

    These are references, `allOf` and unions that no version with the keyword has.
    """
    having = [version for version, value in states.items() if value is not ABSENT]
    return frozenset(
        version
        for other in ("$ref", *_APPLICATORS)
        for version, value in columns.get(other, {}).items()
        if value is not ABSENT
        and (other == "$ref" or all(columns[other][one] is ABSENT for one in having))
    )


def _is_enumerated(columns: dict[str, States]) -> bool:
    """Return whether each version lists values that can be written as members of a `oneOf`."""
    values = columns.get("enum")
    if values is None or "oneOf" in columns:
        return False
    shown = list(values.values())
    return all(isinstance(value, list) and value for value in shown) and not all(
        value is shown[0] for value in shown
    )
