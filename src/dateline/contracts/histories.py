"""Read nodes with a history at one version, and find the converters between its eras."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

from dateline.contracts.containment import differs, is_contained
from dateline.contracts.equality import Equality
from dateline.contracts.reductions import Reductions
from dateline.contracts.relations import fits_all
from dateline.diff.naming import name
from dateline.gates import Timeline, changes, order
from dateline.model import ADDED, CONVERTER, ENVIRONMENTS, IN_PLACE_OF, REMOVED, WAS, Api, Trail
from dateline.openapi import children, find_operation, operation_names, pointer
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Access
from dateline.schema.dialect import NOTES, Dialect
from dateline.schema.memo import Memo, each_once
from dateline.schema.types import UNIONS, declared_types, type_of

# Keys of one date by which authors say that they convert the value.
_CONVERTED: Final = frozenset({CONVERTER, IN_PLACE_OF})

# Keywords of values that depend on other schemas.
_CHOOSING: Final = frozenset({*UNIONS, "not", "if", "$dynamicRef"})

_REFERRING: Final = frozenset({"$ref", "allOf", *UNIONS})


class Way(Enum):
    """The direction of a value: down to a caller, or up from one."""

    DOWN = "down"
    UP = "up"


class Reading(NamedTuple):
    """How a node is read at one version: as *now*, to be shown as *shown*, through converters.

    On the way down the converters come first, and *now* is their result; on the way up *now* is
    what the caller sent, and the converters come last. Fields that only the schemas *beyond* have
    are left out.
    """

    now: dict[str, Any]
    shown: dict[str, Any]
    converters: tuple[str, ...] = ()
    beyond: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConverterStep:
    """A step between two eras of a node that a value can't take unchanged, down or up.

    ``node`` has the history. With ``passes_null``, null is null in both eras, and needs no
    converter. ``replaced`` are properties and those that they replaced: the converter creates only
    these. One that is ``named`` has its name from the definitions.
    """

    name: str
    place: str
    before: str
    kind: str
    node: dict[str, Any]
    newer: dict[str, Any]
    older: dict[str, Any]
    down: bool
    up: bool
    passes_null: bool = False
    replaced: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    named: bool = False

    def is_like(self, other: ConverterStep) -> bool:
        """Return whether one converter can be both, since the values differ in the same way."""
        return (
            self.kind == other.kind
            and self.replaced == other.replaced
            and not differs(self.newer, other.newer)
            and not differs(self.older, other.older)
        )


class _NodeHistory(NamedTuple):
    node: dict[str, Any]  # kept alive: an id is unique only while its object lives
    eras: list[tuple[int, dict[str, Any]]]
    settled: list[dict[str, Any]]  # the eras with the fields that they have, without gates
    steps: list[ConverterStep | None]
    changing: dict[Way, list[int]]  # the steps that not every value can take unchanged
    firm: dict[Way, list[int]]  # those of them for which leaving fields out is not enough


class Histories:
    """The eras of every node with an `x-was`, and the converters between them."""

    def __init__(self, api: Api, timeline: Timeline) -> None:
        self._api = api
        self._timeline = timeline
        self._dialect = Dialect(api.document)
        self.resolver = self._dialect.resolver
        self.access = Access(api.document)
        self._equality = Equality(self._dialect)
        self._reductions = Reductions(self.resolver, self._equality)
        self._known: dict[int, _NodeHistory] = {}
        self._taken: dict[str, int] = {}
        self.restates = Memo(Histories._restates, owner=self)
        """Returns whether a schema, or its targets, have another history at a combination."""
        self.converters: dict[str, ConverterStep] = {}

    def are_alike(self, names: tuple[str, ...], others: tuple[str, ...]) -> bool:
        """Return whether the converters *names* do, one after the other, what *others* do."""
        known = self.converters
        return len(names) == len(others) and all(
            known[one].is_like(known[other]) for one, other in zip(names, others, strict=True)
        )

    def read(self, kind: str, node: dict[str, Any], at: int, way: Way) -> Reading:
        """Return how *node* is read at the combination *at*, a schema as JSON Schema."""
        if WAS not in node:
            read = self._keywords(kind, node)
            return Reading(read, read)
        history = self._history(kind, node)
        last = next(i for i, (mask, _) in enumerate(history.eras) if mask >> at & 1)
        start = 1 + max((step for step in history.firm[way] if step < last), default=-1)
        names = tuple(
            step.name
            for step in history.steps[:start]
            if step is not None and (step.down if way is Way.DOWN else step.up)
        )
        newest, now, then = (self._keywords(kind, history.eras[at][1]) for at in (0, start, last))
        beyond: list[dict[str, Any]] = []
        if any(start <= step < last for step in history.changing[way]):
            dates = sorted(node[WAS], key=order, reverse=True)[start:last]
            then, beyond = self._reductions.reduce(history.settled[start : last + 1], dates)
            now = then
        if way is Way.UP:
            return Reading(then, newest, names[::-1], tuple(beyond))
        return Reading(now, then, names, tuple(beyond))

    def _keywords(self, kind: str, node: dict[str, Any]) -> dict[str, Any]:
        return self._dialect.keywords(node) if kind == "schema" else node

    def _restates(self, schema: Any, at: int) -> bool:
        def list_below(node: dict[str, Any]) -> list[Any]:
            below = [child for _, kind, child in children("schema", node) if kind == "schema"]
            return [self.resolver.resolve(node.get("$ref")), *below]

        timeline = self._timeline
        return any(
            differs(timeline.eras("schema", node)[0][1], timeline.era("schema", node, at))
            for node in each_once([schema], list_below)
        )

    def place(self, node: Any) -> Trail:
        """Return the path to *node* in the definitions."""
        return self._paths.get(id(self._reductions.find_origin(node) or node), ())

    def _history(self, kind: str, node: dict[str, Any]) -> _NodeHistory:
        if id(node) not in self._known:
            eras = self._timeline.eras(kind, node)
            written = [era for _, era in eras]
            changing = self._find_changing(kind, node, written)
            settled, firm = written, changing
            if kind == "schema":
                settled = [
                    self._reductions.settle(era, mask, self._timeline, newest=not at)
                    for at, (mask, era) in enumerate(eras)
                ]
                firm = self._find_firm(node, settled, changing)
                if changing[Way.DOWN]:
                    strict = self._find_changing(kind, node, written, fills=False)
                    filled = {*strict[Way.DOWN]} - {*changing[Way.DOWN]}
                    if not _are_last(filled, changing[Way.DOWN], firm[Way.DOWN]):
                        changing, firm = strict, self._find_firm(node, settled, strict)
            steps = self._steps(kind, node, written, changing, firm)
            self._known[id(node)] = _NodeHistory(node, eras, settled, steps, changing, firm)
        return self._known[id(node)]

    def _find_changing(
        self, kind: str, node: dict[str, Any], eras: list[dict[str, Any]], *, fills: bool = True
    ) -> dict[Way, list[int]]:
        """Return the steps between neighbouring *eras* in which values have to change.

        With *fills*, not if responses only get defaults that they lack.
        """
        read = [*pairwise(self._dialect.read(kind, era) for era in eras)]
        return {
            way: [
                at
                for at, both in enumerate(read)
                if self._is_changing(kind, node, way, *both, fills=fills)
            ]
            for way in Way
        }

    def _is_changing(
        self,
        kind: str,
        node: dict[str, Any],
        way: Way,
        newer: dict[str, Any],
        older: dict[str, Any],
        *,
        fills: bool,
    ) -> bool:
        one, other = (newer, older) if way is Way.DOWN else (older, newer)
        one = self._supply(kind, node, way, one, other, fills=fills)
        return not is_contained(kind, *self.align(kind, one, other))

    def _supply(
        self,
        kind: str,
        node: dict[str, Any],
        way: Way,
        one: dict[str, Any],
        other: dict[str, Any],
        *,
        fills: bool,
    ) -> dict[str, Any]:
        """Return *one* as if its values had each field that *other* requires without need.

        Messages of this *way* need not have it, or it has a default.
        """
        if kind != "schema":
            return one
        missing = {*other.get("required", ())} - {*one.get("required", ())}
        given = sorted(n for n in missing if self._is_given(node, way, other, n, fills=fills))
        return {**one, "required": [*one.get("required", ()), *given]} if given else one

    def _is_given(
        self, node: dict[str, Any], way: Way, era: dict[str, Any], name: str, *, fills: bool
    ) -> bool:
        own = era.get("properties", {})
        fields = [own.get(name)]
        if name not in own:
            found = [*self.access.list_fields(self.place(node), name)]
            if not self._timeline.are_steady(found):
                return False
            fields = [field for field, _ in found]
        if way is Way.UP and any(isinstance(each, dict) and "default" in each for each in fields):
            return True
        is_derived = all(_CONVERTED.isdisjoint(entry) for entry in node[WAS].values())
        if fills and way is Way.DOWN and is_derived and self.find_filling(fields):
            return True
        hidden = READ_ONLY if way is Way.UP else WRITE_ONLY
        return any(self._is_hidden(each, hidden) for each in fields)

    def find_filling(self, fields: list[Any]) -> tuple[Any, ...]:
        """Return the value of a field in responses without it, for versions that require it.

        That is its newest default: a text, number, truth value or null that all versions know. The
        field is described by all of *fields*. Empty if there is no such value.
        """
        parts = [*each_once(reversed(fields), lambda each: reversed(self._list_bases(each)))]
        values = [each["default"] for each in parts if "default" in each][:1]
        is_known = all(isinstance(each, dict) for each in fields) and all(
            _is_steady(part, at_top=any(part is each for each in fields)) for part in parts
        )
        read = [self._dialect.keywords(part) for part in parts] if values and is_known else []
        if not read or isinstance(values[0], dict | list):
            return ()
        kind = type_of(values[0])
        is_valid = fits_all(values[0], read) and all(kind in declared_types(each) for each in read)
        return (values[0],) if is_valid else ()

    def _list_bases(self, schema: dict[str, Any]) -> list[Any]:
        return [self.resolver.resolve(schema.get("$ref")), *schema.get("allOf", ())]

    def _is_hidden(self, field: Any, hidden: str) -> bool:
        """Return whether *field* is in messages of the other direction only, in every version."""
        if not isinstance(field, dict) or hidden not in self.access.keywords:
            return False
        eras = self._timeline.eras("schema", field)
        return all(self.access.of(era) == hidden for _, era in eras)

    def _find_firm(
        self, node: dict[str, Any], eras: list[dict[str, Any]], changing: dict[Way, list[int]]
    ) -> dict[Way, list[int]]:
        """Return those of the steps *changing* for which leaving fields out is not enough."""
        if self._reductions.find_origin(node) is not None:
            # it is read only in the ways in which what it is a part of can be reduced
            return {way: [] for way in Way}
        entries = [node[WAS][date] for date in sorted(node[WAS], key=order, reverse=True)]
        return {
            way: steps and self._list_firm([*zip(entries, pairwise(eras), strict=True)], way, steps)
            for way, steps in changing.items()
        }

    def _list_firm(
        self,
        steps: list[tuple[dict[str, Any], tuple[dict[str, Any], dict[str, Any]]]],
        way: Way,
        changing: list[int],
    ) -> list[int]:
        unfit = [
            at
            for at, (_, both) in enumerate(steps)
            if not self._reductions.is_reducible(*both, down=way is Way.DOWN)
        ]
        if not {*unfit} <= {*changing}:
            return changing
        return [at for at in changing if at in unfit or not _is_derived(*steps[at])]

    def _steps(
        self,
        kind: str,
        node: dict[str, Any],
        eras: list[dict[str, Any]],
        changing: dict[Way, list[int]],
        firm: dict[Way, list[int]],
    ) -> list[ConverterStep | None]:
        dates = sorted(node[WAS], key=order, reverse=True)
        # leaving fields out is the last that is done on the way down, and the first on the way up
        needed = {
            way: [at for at in steps if at <= max(firm[way], default=-1)]
            for way, steps in changing.items()
        }
        ways = [(at in needed[Way.DOWN], at in needed[Way.UP]) for at in range(len(dates))]
        oldest = max((i for i, step in enumerate(ways) if any(step)), default=None)
        if oldest is None:
            return [None] * len(ways)
        read = [self._dialect.read(kind, era) for era in eras]
        place = self.name(node)
        steps = [
            self._step(
                kind,
                node,
                date,
                pair,
                ways=each,
                # the oldest step keeps its name when newer ones join it
                name=place if index == oldest else f"{place}@{date}",
                place=place,
                passes_null=all("type" in era and "null" in declared_types(era) for era in both),
            )
            if any(each)
            else None
            for index, (date, each, both, pair) in enumerate(
                zip(dates, ways, pairwise(read), pairwise(eras), strict=True)
            )
        ]
        self.converters |= {step.name: step for step in steps if step is not None}
        return steps

    def align(
        self, kind: str, newer: dict[str, Any], older: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return two eras of a node, with equal schemas in them written identically."""
        if kind == "schema":
            return self._equality.align(newer, older)
        newer, older = self._follow(newer), self._follow(older)
        one, other = newer.get("schema"), older.get("schema")
        if not isinstance(one, dict) or not isinstance(other, dict):
            return newer, older
        one, other = self._equality.align(one, other)
        return {**newer, "schema": one}, {**older, "schema": other}

    def _follow(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return the component that *node*, which is no schema, refers to, if it has no history."""
        goal = self.resolver.resolve(node.get("$ref"))
        is_plain = isinstance(goal, dict) and {"$ref", WAS, ENVIRONMENTS}.isdisjoint(goal)
        return goal if is_plain else node

    def _step(
        self,
        kind: str,
        node: dict[str, Any],
        date: str,
        eras: tuple[dict[str, Any], dict[str, Any]],
        *,
        ways: tuple[bool, bool],
        name: str,
        place: str,
        passes_null: bool,
    ) -> ConverterStep:
        entry = node[WAS][date]
        replaced = None
        if IN_PLACE_OF in entry:
            replaced = tuple(entry[IN_PLACE_OF]), tuple(changes(entry)[0]["properties"])
        step = ConverterStep(
            name=entry.get(CONVERTER, name),
            place=place,
            before=date,
            kind=kind,
            node=node,
            newer=eras[0],
            older=eras[1],
            down=ways[0],
            up=ways[1],
            passes_null=passes_null,
            replaced=replaced,
            named=CONVERTER in entry,
        )
        known = self.converters.get(step.name)
        if step.named and known is not None and known.is_like(step):
            return known
        return replace(step, name=self._number(step.name)) if step.named else step

    def name(self, node: Any) -> str:
        """Return the name of converters at *node*: component and field, or operation."""
        return self._number(self._format_name(self.place(node)))

    def _number(self, called: str) -> str:
        count = self._taken[called] = self._taken.get(called, 0) + 1
        return called if count == 1 else f"{called}#{count}"

    def _format_name(self, path: Trail) -> str:
        document = self._api.document
        schema, field = name(document, pointer(path))
        steps = [schema or self._operations.get(find_operation(path) or (), str(path[1]))]
        if schema is None and "responses" in path:
            steps.append(str(path[path.index("responses") + 1]))
        elif schema is None and "requestBody" in path:
            steps.append("request")
        # items of a list and values of a map are not fields: `Thing[]`, `Thing{}`
        return ".".join(steps) + ("" if field[:1] in ("", "[", "{") else ".") + field

    @cached_property
    def _operations(self) -> dict[Trail, str]:
        return operation_names(self._api.document)

    @cached_property
    def _paths(self) -> dict[int, Trail]:
        return {id(node): path for path, node in self._walk("document", self._api.document, ())}

    def _walk(self, kind: str, node: Any, path: Trail) -> Iterator[tuple[Trail, Any]]:
        if not isinstance(node, dict):
            return
        yield path, node
        for _, era in self._timeline.eras(kind, node):
            for below, child_kind, child in children(kind, era):
                yield from self._walk(child_kind, child, path + below)


def _are_last(filled: set[int], changing: list[int], firm: list[int]) -> bool:
    """Return whether steps in which only defaults are *filled* in come after converters alone.

    A converter takes what the era after it requires, and so does what leaves out fields.
    """
    return not filled or (changing == firm and min(filled) > changing[-1])


def _is_steady(part: dict[str, Any], *, at_top: bool) -> bool:
    """Return whether the values of *part* are the same in all versions, and easy to know.

    A field *at_top* may be added, and have another default.
    """
    if not _CHOOSING.isdisjoint(part) or not {REMOVED, ENVIRONMENTS}.isdisjoint(part):
        return False
    changed = {key for entry in part.get(WAS, {}).values() for key in chain(*changes(entry))}
    return not changed - ({"default", "name", *NOTES} if at_top else set()) and (
        at_top or ADDED not in part
    )


def _is_derived(entry: dict[str, Any], eras: tuple[dict[str, Any], dict[str, Any]]) -> bool:
    """Return whether authors leave it to dateline how values get from one of *eras* to the other.

    Histories of other fields than those behind references are written to be converted.
    """
    newer, older = eras
    return _CONVERTED.isdisjoint(entry) and bool(_REFERRING & (newer.keys() | older.keys()))
