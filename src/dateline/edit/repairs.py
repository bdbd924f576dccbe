"""Repairs: edits of the sources that restore what older versions show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from dateline.edit.history import (
    ABSENT,
    NAME,
    PARTIAL,
    find_gates,
    plain,
    rewrite_history,
    same,
    values,
)
from dateline.edit.sources import Sources
from dateline.gates import Timeline, changes, drop_keys, gate_dates
from dateline.model import ADDED, IN_PLACE_OF, REMOVED, WAS, WHY, Api, Change, Day, Trail
from dateline.openapi import pointer, resolve, value_at
from dateline.project import Projector

_TWICE: Final = (
    "it would have to come and go more than once, or in one environment only; "
    "if it was renamed, confirm that, else write it under a new name"
)


class CantGateError(Exception):
    """No key can express it for older versions; the message says why, with the way out."""


class CantRepairError(CantGateError):
    """One of several repairs can't be done."""

    def __init__(self, repair: Repair, reason: str) -> None:
        super().__init__(reason)
        self.repair = repair


@dataclass(frozen=True)
class Canvas:
    """An API as authored, and its versions once it is gated, oldest first."""

    api: Api
    dates: tuple[str, ...]

    @cached_property
    def projector(self) -> Projector:
        """The contracts of the API as it is authored."""
        return Projector(self.api)

    @cached_property
    def timeline(self) -> Timeline:
        """The combinations of the API."""
        return Timeline(self.api.table)

    def node(self, path: Trail) -> Any:
        return value_at(self.api.document, path)

    def find_shown(self, node: Any, holder: Trail) -> dict[str, bool | None]:
        """Return the versions that show *node*, as it is written now, in any environment.

        None where its *holder* is not visible, so that nobody can tell.
        """
        there = {found.version for found in self.timeline.members(self.timeline.of(node))}
        known = self.api.table.dates
        unseen = self.find_unseen(holder)
        return {
            date: None if date in unseen else (date if date in known else known[-1]) in there
            for date in self.dates
        }

    def find_unseen(self, path: Trail) -> set[str]:
        """Return the versions that show nothing at *path*, in no environment."""
        timeline = self.timeline
        mask = timeline.all
        if path[:1] == ("components",) and len(path) > 2:
            mask = self.api.visible.get((str(path[1]), str(path[2])), mask)
        for length in range(1, len(path) + 1):
            mask &= timeline.of(self.node(path[:length]))
        seen = {found.version for found in timeline.members(mask)}
        return set(self.api.table.dates) - seen

    def resolve(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return the object that *node* is or refers to, without places."""
        return dict(plain(resolve(self.api.document, node)))


@dataclass(kw_only=True, eq=False)
class Repair:
    """One place of the sources, and the changes that need a repair there."""

    path: Trail
    changes: list[Change] = field(default_factory=list)

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        """Edit *sources*, and return a short description of what was done.

        Raises CantGateError if it is impossible.
        """
        raise NotImplementedError

    @property
    def place(self) -> Trail:
        """The place of the repair, as far as the sources have it."""
        return self.path

    @property
    def rank(self) -> tuple[Any, ...]:
        """Return the sort key of repairs: those that move others in a list are done last."""
        return (0, pointer(self.path), type(self).__name__)


@dataclass(kw_only=True, eq=False)
class Restored(Repair):
    """Keywords of one node that had other values: for each, the value by version.

    ``published`` are the values of other versions, which may be restored as well.
    """

    wanted: dict[str, dict[str, Any]] = field(default_factory=dict)
    published: dict[str, dict[str, Any]] = field(default_factory=dict)
    inlined: bool = False  # a reference that allows no siblings
    hidden: set[str] = field(default_factory=set)  # versions that won't show it

    @property
    def is_named(self) -> bool:
        """Whether the key that it has in a mapping is its name."""
        return self.path[-2:-1] in (("properties",), ("headers",))

    def want(self, keyword: str, version: str, value: Any) -> None:
        """Demand *value* for *keyword* in *version*. Raises CantGateError for a contradiction."""
        known = self.wanted.setdefault(keyword, {})
        if version in known and not same(known[version], value):
            raise CantGateError(
                f"`{keyword}` was not the same in all environments, which `{WAS}` can't say; "
                f"write the old value back"
            )
        known[version] = value

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        node = canvas.node(self.path)
        if self.inlined:
            node = canvas.resolve(node)
        was = node.get(WAS, {})
        wanted = plain(was)
        unseen = canvas.find_unseen(self.path) | self.hidden
        for keyword, by_version in self.wanted.items():
            if keyword in PARTIAL and any(IN_PLACE_OF in entry for entry in was.values()):
                raise CantGateError(
                    f"`{keyword}` has a history with `{IN_PLACE_OF}`, which you must write "
                    f"yourself: add the former value there"
                )
            own = self.path[-1] if self.is_named and keyword == NAME else node.get(keyword, ABSENT)
            then = {**values(own, was, keyword, canvas.dates), **by_version}
            published = self.published.get(keyword, {})
            for later, earlier in pairwise(canvas.dates[::-1]):
                # where nobody sees it, or both are as good, it does not need to have changed
                free = earlier in unseen and keyword not in changes(was.get(later, {}))[0]
                if free or (
                    earlier not in by_version
                    and earlier in published
                    and same(published[earlier], then[later])
                ):
                    then[earlier] = then[later]
            wanted = rewrite_history(wanted, keyword, then, canvas.dates)
        if self.inlined:
            sources.replace(self.path, {**node, WAS: wanted})
        elif not wanted:
            if WAS in node:
                sources.remove((*self.path, WAS))
        elif WAS not in node:
            sources.put((*self.path, WAS), wanted)
        else:
            _put_entries(sources, (*self.path, WAS), plain(was), wanted)
        _part_reasons(sources, self.path, node, {**node, WAS: wanted})
        fresh = (date for date in wanted if not same(was.get(date, ABSENT), wanted[date]))
        dates = ", ".join(tuple(fresh) or wanted)
        return (
            f"`{WAS}` says what it was before {dates}" if dates else f"it has no `{WAS}` any more"
        )


def _put_entries(
    sources: Sources, path: Trail, was: dict[str, Any], wanted: dict[str, Any]
) -> None:
    """Replace the history *was* at *path* by the *wanted* one; dates stay in order."""
    for date in was.keys() - wanted.keys():
        sources.remove((*path, date))
    for number, (date, entry) in enumerate(wanted.items()):
        if date in was and {"set", "unset"}.isdisjoint({**entry, **was[date]}):
            _put_keys(sources, (*path, date), was[date], entry)
        elif not same(was.get(date, ABSENT), entry):
            sources.put((*path, date), entry, number)


def _put_keys(
    sources: Sources, path: Trail, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Replace the keys *before* by *after* at *path* in their places; new ones come last."""
    for key in before.keys() - after.keys():
        sources.remove((*path, key))
    for key, value in after.items():
        if not same(before.get(key, ABSENT), value):
            sources.put((*path, key), value)


@dataclass(kw_only=True, eq=False)
class Gated(Repair):
    """A node that must be hidden in some versions, or shown although its gates hide it."""

    shown: dict[str, bool | None] = field(default_factory=dict)
    in_schema: bool = True
    by_itself: bool = False  # a component that exists whatever refers to it

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        node = canvas.node(self.path)
        gates = _find_gates(
            node, {**canvas.find_shown(node, self.path[:-1]), **self.shown}, canvas.dates
        )
        if self.by_itself and not gates:
            gates = {ADDED: Day(canvas.dates[0])}
        if "$ref" in node and not self.in_schema:
            # a Reference Object outside schemas allows no siblings (OpenAPI 3.1.1, 4.8.23)
            sources.replace(self.path, {**canvas.resolve(node), **gates})
        elif not node:
            sources.replace(self.path, gates)
        else:
            _put_gates(sources, self.path, node, gates)
        return _list_gates(gates) or "its gate is removed"


def _find_gates(
    node: Mapping[str, Any], shown: Mapping[str, bool | None], dates: tuple[str, ...]
) -> dict[str, str]:
    found = find_gates(node, shown, dates)
    if found is None:
        raise CantGateError(_TWICE)
    return {key: Day(date) for key, date in found.items()}


def _put_gates(sources: Sources, path: Trail, node: dict[str, Any], gates: dict[str, str]) -> None:
    others = drop_keys(node, ADDED, REMOVED)
    _put_keys(sources, path, {key: node[key] for key in node.keys() - others.keys()}, gates)
    _part_reasons(sources, path, node, {**others, **gates})


def _part_reasons(
    sources: Sources, path: Trail, node: Mapping[str, Any], now: Mapping[str, Any]
) -> None:
    """Assign the reason of *node* to its original gates, if there are new ones."""
    reason, known = node.get(WHY), gate_dates(node)
    if isinstance(reason, str) and known and not {*gate_dates(now)} <= {*known}:
        sources.put((*path, WHY), dict.fromkeys(known, reason))


def _list_gates(gates: Mapping[str, str]) -> str:
    return ", ".join(f"`{key}: {date}`" for key, date in gates.items())


@dataclass(kw_only=True, eq=False)
class Returned(Repair):
    """A removed child that is restored for the versions that had it.

    ``path`` leads to its place; ``holder`` to the innermost part of the path that the sources have;
    ``at`` and ``order`` are its index there and among its published siblings. If ``shown`` is
    empty, it is visible with what refers to it. ``required_behind`` are the names before its own in
    `required`.
    """

    value: Any
    holder: Trail
    at: int
    order: int
    file: str | None = None
    beside: Trail | None = None
    shown: dict[str, bool | None] = field(default_factory=dict)
    required_behind: tuple[str, ...] | None = None  # None: callers could omit it

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        value = {} if self.value is True else self.value
        gates: dict[str, str] = {}
        if self.shown:
            if not isinstance(value, dict):
                raise CantGateError("it can't have keys; write it back as a schema")
            absent = dict.fromkeys(canvas.dates, False)
            gates = _find_gates({}, {**absent, **self.shown}, canvas.dates)
            value = {**value, **gates}
        sources.give_back(self.path, self.holder, value, self.at, self.file)
        return f"it is restored with {_list_gates(gates)}" if gates else "it is restored"

    @property
    def place(self) -> Trail:
        return self.beside or self.holder

    @property
    def rank(self) -> tuple[Any, ...]:
        return (1, -self.at, -self.order, pointer(self.path))


@dataclass(kw_only=True, eq=False)
class Enumerated(Repair):
    """An enumeration of which some values are older, or newer, than others.

    ``published`` are the values in their published order; ``shown`` says, by index in ``values``,
    which versions have a value.
    """

    published: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    shown: list[dict[str, bool | None]] = field(default_factory=list)

    def want(self, value: Any, version: str, there: bool) -> None:
        for number, known in enumerate(self.values):
            if same(known, value):
                self.shown[number][version] = there
                return
        self.values.append(value)
        self.shown.append({version: there})

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        node = canvas.node(self.path)
        key = "oneOf" if "enum" not in node else "enum"
        listed = node[key] if key == "oneOf" else [{"const": value} for value in node[key]]
        if key == "enum":
            sources.rename((*self.path, "enum"), "oneOf")
            for number, member in enumerate(listed):
                sources.replace((*self.path, "oneOf", number), member)
        done = []
        returned: list[tuple[int, int, dict[str, Any]]] = []
        for value, wanted in zip(self.values, self.shown, strict=True):
            numbers = [i for i, member in enumerate(listed) if same(member["const"], value)]
            node = listed[numbers[0]] if numbers else {"const": value}
            now = canvas.find_shown(node, self.path)
            if not numbers:
                now = dict.fromkeys(canvas.dates, False)
            gates = _find_gates(node, {**now, **wanted}, canvas.dates)
            done.append(f"{value} has {_list_gates(gates) or 'no gate any more'}")
            if numbers:
                _put_gates(sources, (*self.path, "oneOf", numbers[0]), node, gates)
            else:
                place, order = self._place(value, listed)
                returned.append((place, order, {**node, **gates}))
        # from the end, so that places stay valid
        for place, _, member in sorted(returned, key=lambda one: (-one[0], -one[1])):
            sources.insert((*self.path, "oneOf", place), member)
        return "; ".join(done)

    def _place(self, value: Any, listed: list[dict[str, Any]]) -> tuple[int, int]:
        """Return the index for *value*, after its published neighbour, and its former one."""
        order = next((i for i, known in enumerate(self.published) if same(known, value)), 0)
        for known in reversed(self.published[:order]):
            for number, member in enumerate(listed):
                if same(member["const"], known):
                    return number + 1, order
        return 0, order


def carry_out(
    repairs: Iterable[Repair], canvas: Canvas, sources: Sources
) -> list[tuple[Repair, str]]:
    """Do all *repairs* and return each with what was done.

    Raises CantRepairError for the first that fails.
    """
    ordered = sorted(repairs, key=lambda repair: repair.rank)
    gated = [repair for repair in ordered if isinstance(repair, Gated)]
    done = []
    for repair in ordered:
        if isinstance(repair, Restored):
            around = (one for one in gated if repair.path[: len(one.path)] == one.path)
            repair.hidden = {
                date for one in around for date, there in one.shown.items() if not there
            }
        try:
            done.append((repair, repair.apply(canvas, sources)))
        except CantGateError as reason:
            raise CantRepairError(repair, str(reason)) from reason
    returned = [
        repair
        for repair in reversed(ordered)
        if isinstance(repair, Returned) and repair.required_behind is not None
    ]
    for schema in dict.fromkeys(repair.path[:-2] for repair in returned):
        _require(schema, [r for r in returned if r.path[:-2] == schema], canvas, sources)
    return done


def _require(schema: Trail, returned: list[Returned], canvas: Canvas, sources: Sources) -> None:
    """Require restored fields where they were required; later versions leave them out."""
    node = canvas.node(schema)
    names = list(node.get("required", ()))
    if not names:
        keys = list(node)
        place = keys.index("type") + 1 if "type" in keys else None
        sources.put((*schema, "required"), [repair.path[-1] for repair in returned], place)
        return
    for repair in returned:
        behind = [names.index(name) for name in repair.required_behind or () if name in names]
        place = max(behind, default=-1) + 1
        names.insert(place, str(repair.path[-1]))
        sources.insert((*schema, "required", place), repair.path[-1])
