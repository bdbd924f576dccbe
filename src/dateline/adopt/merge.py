"""What each version shows of one thing in, one node with the six keys that shows all of it out."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise
from typing import Any, Final

from dateline.adopt.folding import Fold, Listing, Mapping, Member, Same
from dateline.adopt.following import Followers
from dateline.adopt.gating import present, restated
from dateline.adopt.renames import Renames
from dateline.adopt.runs import ABSENT, Run, States, runs, stretches
from dateline.adopt.shared import Shared
from dateline.gates import Timeline
from dateline.load.checks.gating import OPTIONAL_PARTS
from dateline.openapi import METHODS, Shape, slot

_METHODS: Final = frozenset(METHODS)
_UNIONS: Final = ("allOf", "anyOf", "oneOf")


class Merger:
    """Merges what versions show, from the newest down; every result projects to its states.

    All values are of one `Shared`. Objects whose ids are in *whole* get no gates on their parts:
    an `x-was` restates those. *renames* decides what was renamed; ``holder`` is the component or
    operation that is being merged.
    """

    def __init__(
        self,
        timeline: Timeline,
        dates: tuple[str, ...],
        shared: Shared,
        renames: Renames,
        whole: Container[int] = (),
    ) -> None:
        self._dates = dates
        self._shared = shared
        self._followers = Followers(timeline)
        self._whole = whole
        self._renames = renames
        self.holder = ""

    def node(self, kind: str, states: States) -> Any:
        """Return the object of *kind* that shows *states*, all of them mappings."""
        values = list(states.values())
        if all(value is values[0] for value in values):
            return values[0]
        # a path goes with its last operation: one that stays without can't be told by gates
        idle = kind == "path-item" and not all(value.keys() & _METHODS for value in values)
        if idle or any(id(value) in self._whole for value in values):
            return self._restated(states)
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
            elif kind == "path-item" and key in _METHODS:
                self.holder = f"{key.upper()} {around}"
            found[key] = self._keyword(kind, key, states_of_key, columns)
            self.holder = around
        if kind == "schema":
            self._followers.follow(found, columns)
        return self._assembled(found)

    def _restated(self, states: States) -> dict[str, Any]:
        keys = dict.fromkeys(key for value in states.values() for key in value)
        found = {
            key: runs({at: value.get(key, ABSENT) for at, value in states.items()}) for key in keys
        }
        return self._assembled(found)

    def _keyword(
        self, kind: str, key: str, states: States, columns: dict[str, States]
    ) -> list[Run]:
        shape, below = slot(kind, key)
        if shape is Shape.DATA or below == "discriminator":
            return runs(states)
        values = list(states.values())
        if all(value is values[0] for value in values):
            return [Run(list(states), values[0])]
        if shape is Shape.ONE:
            return self._one(below, states)
        folds: list[Fold] = []
        for version, value in states.items():
            # what gates leave empty goes: an empty one that stays has to be written
            plain = not value or (value is ABSENT and key in _UNIONS)
            goes_on = folds and isinstance(folds[-1], Same) == plain
            if not (goes_on and folds[-1].take(version, value)):
                folds.append(Same() if plain else self._fold(key, shape, below, columns))
                folds[-1].take(version, value)
        return [Run(fold.versions, self._folded(below, fold)) for fold in folds]

    def _fold(
        self, key: str, shape: Shape, kind: str, columns: dict[str, States]
    ) -> Mapping | Listing:
        if shape is Shape.MAP:
            required = columns.get("required", {})
            return Mapping(kind, key, required, self.holder, self._renames)
        return Listing(kind, self.holder, self._renames, published=key == "oneOf")

    def _folded(self, kind: str, fold: Fold) -> Any:
        """Return what shows all that was taken; absent where that is nothing."""
        if isinstance(fold, Same):
            return fold.value
        if not fold.members:
            return ABSENT
        if isinstance(fold, Listing):
            return [self._member(kind, each, fold.versions) for each in fold.members]
        return {name: self._named(kind, each, fold.versions) for name, each in fold.members.items()}

    def _one(self, kind: str, states: States) -> list[Run]:
        if kind in OPTIONAL_PARTS:
            shown = {version: value for version, value in states.items() if value is not ABSENT}
            return [Run(list(states), self._member(kind, Member(shown), list(states)))]
        found = []
        for stretch in stretches(states, _both_objects):
            first = next(iter(stretch.values()))
            merged = self.node(kind, stretch) if isinstance(first, dict) else first
            found.append(Run(list(stretch), merged))
        return found

    def _member(self, kind: str, member: Member, versions: list[int]) -> Any:
        """Return *member* with gates that show it where it is, of all *versions*."""
        merged = next(iter(member.states.values()))
        if isinstance(merged, dict):
            merged = self.node(kind, member.states)
        if len(member.states) == len(versions):
            return merged
        return present(merged, list(member.states), versions, self._dates)

    def _named(self, kind: str, member: Member, versions: list[int]) -> Any:
        merged = self._member(kind, member, versions)
        called = runs(dict(member.names))
        for newer, older in pairwise(called):
            merged = restated(merged, self._dates[newer.versions[-1]], {"name": older.value})
        return merged

    def _enumeration(self, states: States) -> Run:
        """Return the values of an `enum` as members of a `oneOf`, each with its gates."""
        fold = Listing("schema", self.holder, self._renames, published=False)
        for version, values in states.items():
            fold.take(version, [self._shared.of({"const": value}) for value in values])
        return Run(fold.versions, self._folded("schema", fold))

    def _assembled(self, found: dict[str, list[Run]]) -> dict[str, Any]:
        """Return the newest value of each keyword, and an `x-was` for what it was before."""
        node = {
            key: stretch[0].value
            for key, stretch in found.items()
            if stretch[0].value is not ABSENT
        }
        for key, stretch in found.items():
            for newer, older in pairwise(stretch):
                node = restated(node, self._dates[newer.versions[-1]], {key: older.value})
        return node


def _both_objects(newer: Any, older: Any) -> bool:
    return newer is older or (isinstance(newer, dict) and isinstance(older, dict))


def _is_enumerated(columns: dict[str, States]) -> bool:
    """Tell whether each version lists values that can be written as members of a `oneOf`."""
    values = columns.get("enum")
    if values is None or "oneOf" in columns:
        return False
    shown = list(values.values())
    return all(isinstance(value, list) and value for value in shown) and not all(
        value is shown[0] for value in shown
    )
