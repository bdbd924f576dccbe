"""Build the contract data of an API: the fields and names that values have at each version.

The data are plain JSON values, the same for the same definitions, and hold only what differs::

    {"versions": [...], "environments": [...],
     "converters": {NAME: {"place", "before", "kind", "newer", "older", "sent", ...}},
     "down": {"operations": {ID: {STATUS: {"content": {MEDIA TYPE: SHAPE}, "headers": SHAPE}}},
              "shapes": {NAME: [{"since": DATE, "environments": [...], "shape": SHAPE}]}},
     "up": {"operations": {ID: {"content": {MEDIA TYPE: SHAPE}, "parameters": {IN: SHAPE}}},
            "shapes": ...}}

Of the entries of a shared node, the last one that is not newer than a version holds for it, in the
environments that it names or, if it names none, in all. ``nodes`` describes SHAPE.

The data of components have ``"components": [NAME, ...]`` and, in place of the operations,
``"components": {NAME: SHAPE}``: one that is not listed there is the same at all versions. Beside
them are the events, ``"events": {NAME: {"component": NAME, "versions": {ENVIRONMENT: [DATE, ...]},
"converters": [NAME, ...]}}``: webhooks of supported versions whose payload is a component.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from typing import Any

from dateline.canonical import canonical, list_lacked, prepare_serving
from dateline.canonical.contract_data import ContractData, Description, Row, Unserved, entries
from dateline.canonical.payloads import list_events
from dateline.collector import cycles_freed
from dateline.contracts import roots
from dateline.contracts.builder import Builder
from dateline.contracts.compact import compress_data, restore_data
from dateline.contracts.converters import RequiredConverters
from dateline.contracts.flat import View
from dateline.contracts.histories import ConverterStep, Histories, Way
from dateline.contracts.nodes import (
    Node,
    Withholder,
    list_converters,
    list_fitting,
    list_judging,
    list_references,
    list_unserved,
    with_converters,
)
from dateline.contracts.published import PublishedSchemas
from dateline.contracts.reach import Reach
from dateline.contracts.rows import (
    find_common_node,
    find_live,
    is_trivial,
    list_nodes,
    list_row_references,
    prune_row,
)
from dateline.contracts.withheld import Withheld, list_misfits, list_sources
from dateline.gates import Timeline
from dateline.model import EVERYWHERE, Api, Problem, SourceError, Trail
from dateline.project import Projector
from dateline.schema.constraints import references as references_of
from dateline.schema.memo import closure
from dateline.schema.words import drop_words

__all__ = ["Withheld", "all_contract_data", "contract_data", "find_withheld"]

Data = dict[str, Any]


def contract_data(api: Api, projector: Projector | None = None) -> ContractData:
    """Return the contract data of *api*; *projector* is that of *api*, if the caller has one.

    If a history changes something that no converter could serve, such as the place of a parameter
    or a status, adopted operations are listed as not served; for authored definitions, SourceError
    is raised with every place.
    """
    return _Contracts(api, projector or Projector(api)).describe_operations()


def all_contract_data(
    api: Api, projector: Projector, checked: Api | None = None
) -> tuple[ContractData, ContractData]:
    """Return the contract data of *api* as `contract_data` does, and those of its components.

    Converters have the same names in both. Words don't affect them: they are those of *checked*,
    definitions that differ from *api* only in words, if `find_withheld` has kept them.
    """
    if checked is not None and (kept := checked.derive(Description).compressed) is not None:
        operations, components = restore_data(kept)
        return operations, components
    with cycles_freed():
        return _Contracts(api, projector).describe_all()


def find_withheld(api: Api, projector: Projector) -> list[Withheld]:
    """Return the schemas from which whole responses or events may not be sent to older callers.

    Something in a value has no counterpart in their version, and can't be left out of it. Those
    that requests of older callers may not fit any more are returned as well. The contract data are
    kept in the `Description` of *api* if they are needed.
    """
    description = api.derive(Description)
    # without outputs to generate, the process ends soon
    with cycles_freed() if description.is_needed else nullcontext():
        return _find_withheld(api, projector, description)


def _find_withheld(api: Api, projector: Projector, description: Description) -> list[Withheld]:
    serving = prepare_serving(api)
    contracts = _Contracts(serving, projector if serving is api else Projector(serving))
    events = {*list_events(serving.document).values()}
    # the server reads the same schemas, perhaps at other places
    histories = contracts.histories if serving is api else Histories(api, Timeline(api.table))
    found = contracts.find_withheld(events, histories.place)
    # the names of converters depend on what is built first, which are operations alone
    is_plain = serving is api and not events and not contracts.is_refused
    if description.is_needed and is_plain:
        description.compressed = compress_data(contracts.describe_all())
    return found


def _components(data: Data) -> tuple[set[str], set[str]]:
    """Return the components that schemas in the contract *data* refer to: canonical, by version."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for way in Way:
        for rows in data[way.value]["shapes"].values():
            for shape in (entry["shape"] for entry in rows):
                found[way is Way.DOWN].update(*map(references_of, list_judging(shape)))
                found[False].update(*map(references_of, list_fitting(shape)))
    for converter in data["converters"].values():
        if "reason" in converter:
            found[False].update(*(references_of(entry["schema"]) for entry in converter["older"]))
    return found[True], found[False]


def _list_needed_converters(down: Data, component: str) -> set[str]:
    """Return the converters that values of *component* need in the data *down*."""

    def shapes(name: str) -> list[Node]:
        return [entry["shape"] for entry in down["shapes"].get(name, ())]

    names = closure(
        [down["components"][component]] if component in down["components"] else [],
        lambda name: set[str]().union(*map(list_references, shapes(name))),
    )
    return set[str]().union(*(list_converters(each) for name in names for each in shapes(name)))


class _Contracts:
    """The contract data of one API, in both directions."""

    def __init__(self, api: Api, projector: Projector) -> None:
        self.api = api
        self._projector = projector
        self._timeline = Timeline(api.table)
        self.histories = Histories(api, self._timeline)
        self.reach = Reach(api.document, self._timeline)
        self._environments = api.table.environment_names or (EVERYWHERE,)
        self.published = PublishedSchemas(api, self._timeline, projector)
        self.required_converters = RequiredConverters(self.histories, self.published)
        self._operations: dict[Way, _WayNodes] = {}
        self.rows: dict[tuple[Way, str], Row] = {}
        """The nodes of components, by direction and name, as far as they were needed."""
        self._builders: dict[tuple[int, Way], Builder] = {}

    def describe_all(self) -> tuple[ContractData, ContractData]:
        return self.describe_operations(), self.describe_components()

    def describe_operations(self) -> ContractData:
        if self.is_refused:
            raise SourceError([self._problem(each.node, each.fact) for each in self._unreachable])
        data = self._describe({way: self._list_operations(way) for way in Way})
        return ContractData(data, *_components(data), self.list_unserved(), self._list_places(data))

    def describe_components(self) -> ContractData:
        found = roots.list_component_roots(self.api)
        data = self._describe({way: _WayNodes(self, way, "components", found) for way in Way})
        data["components"] = sorted(root.path[-1] for root in found)
        data["events"] = self._describe_events(data[Way.DOWN.value])
        canonical_, dated = _components(data)
        canonical_ |= {event["component"] for event in data["events"].values()}
        return ContractData(data, canonical_, dated, {}, self._list_places(data))

    def find_withheld(
        self, events: Collection[str], find_place: Callable[[Any], Trail]
    ) -> list[Withheld]:
        """Return what values of operations, and of the components *events*, may not be sent."""
        payloads = [one for one in roots.list_component_roots(self.api) if one.path[-1] in events]
        found: dict[tuple[Trail, tuple[str, ...], bool], int] = {}
        for way, more, find in ((Way.DOWN, payloads, list_sources), (Way.UP, [], list_misfits)):
            for at, sources in self._list_operations(way, more).list_sources(find):
                for source in sources:
                    key = find_place(source.schema), source.why, way is Way.UP
                    found[key] = found.get(key, 0) | 1 << at
        return [
            Withheld(path, why, tuple(self._timeline.members(mask)), is_sent)
            for (path, why, is_sent), mask in sorted(found.items(), key=repr)
        ]

    @property
    def is_refused(self) -> bool:
        """Whether no server can be generated from the definitions."""
        return bool(self._unreachable) and not self.api.table.adopted

    @cached_property
    def _unreachable(self) -> list[roots.Unreachable]:
        return list(roots.find_unreachable(self.api))

    @cached_property
    def _unserved(self) -> dict[str, roots.Unreachable]:
        return roots.find_unserved(self.api, self._unreachable)

    def _list_operations(self, way: Way, more: Sequence[roots.Root] = ()) -> _WayNodes:
        """Return the nodes of operations, and of *more* roots, built once."""
        if way not in self._operations:
            found = [*roots.list_roots(self.api, way, self._unserved), *more]
            self._operations[way] = _WayNodes(self, way, "operations", found)
        return self._operations[way]

    def _list_places(self, data: Data) -> dict[str, Trail]:
        """Return the path of the node that demands each converter."""
        required = self.required_converters.list_holders()
        holders = {**required, **{n: step.node for n, step in self.histories.converters.items()}}
        return {name: self.histories.place(holders[name]) for name in data["converters"]}

    def _describe_events(self, down: Data) -> Data:
        payloads = list_events(self.api.document)
        shown: dict[str, dict[str, list[str]]] = {name: {} for name in payloads}
        for environment in self._environments if payloads else ():
            for version in (row.date for row in self.api.table.supported):
                document = self._projector.contract(version, environment).document
                for name, component in list_events(document).items():
                    # one with another payload then, according to its history above the schema
                    if payloads.get(name) == component:
                        shown[name].setdefault(environment, []).append(version)
        return {
            name: {
                "component": component,
                "versions": shown[name],
                "converters": sorted(_list_needed_converters(down, component)),
            }
            for name, component in sorted(payloads.items())
            if shown[name]
        }

    def _describe(self, ways: Mapping[Way, _WayNodes]) -> Data:
        """Return the nodes of both *ways*, and their converters."""
        needed = {way.value: each.converters for way, each in ways.items()}
        demanded = {way.value: each.required for way, each in ways.items()}
        names = self.required_converters.names(set[int]().union(*demanded.values()))
        written = self.required_converters.converters(names, demanded, self._olders)
        return {
            "versions": list(self.api.table.dates),
            "environments": list(self._environments),
            "converters": dict(sorted({**self._converters(needed), **written}.items())),
            **{way.value: each.data(names) for way, each in ways.items()},
        }

    def list_unserved(self) -> dict[str, Unserved]:
        """Return where operations can't be served, and why, by name."""
        return {
            name: Unserved(
                f"its history {found.fact.partition(';')[0]}",
                frozenset(self._timeline.members(found.where)),
                frozenset(self._timeline.members(found.lost)),
            )
            for name, found in self._unserved.items()
        }

    def _converters(self, needed: dict[str, set[str]]) -> dict[str, Any]:
        return {
            name: self._describe_converter(self.histories.converters[name], needed)
            for name in set[str]().union(*needed.values())
        }

    def _describe_converter(self, step: ConverterStep, needed: dict[str, set[str]]) -> Data:
        newer, older = (canonical(step.kind, era) for era in (step.newer, step.older))
        return {
            "place": step.place,
            "before": step.before,
            "kind": step.kind,
            "passes_null": step.passes_null,
            **({"named": True} if step.named else {}),
            **_describe_replaced(step),
            "newer": drop_words(step.kind, newer),
            "older": drop_words(step.kind, older),
            **{way: step.name in names for way, names in needed.items()},
            **(self._describe_sent(step) if step.name in needed[Way.UP.value] else {}),
        }

    def _describe_sent(self, converter: ConverterStep) -> Data:
        """Return the schema of the converter's results on the way up, if it is known."""
        if converter.kind == "schema":
            sent = {"sent": self.published.describe_sent(converter.newer)}
            lacked = list_lacked(converter.newer)
            return {**sent, "lacked": lacked} if lacked else sent
        if "schema" in converter.newer and converter.kind in ("parameter", "media-type"):
            return {"sent": self.published.describe_sent(converter.newer["schema"])}
        return {}

    def _olders(self, older: Callable[[int], Any]) -> list[dict[str, Any]]:
        row = {name: [older(at) for at in places] for name, places in self.columns}
        return list(entries(row, self.api.table.dates, "schema"))

    def _problem(self, node: Any, why: str) -> Problem:
        return Problem(
            place=self.api.locate(self.histories.place(node)),
            id="gate-out-of-reach",
            message=f"`x-was` {why}",
        )

    def builder(self, at: int, way: Way) -> Builder:
        if (at, way) not in self._builders:
            view = View(self.api, self._timeline, self.histories, self.published, at, way)
            self._builders[at, way] = Builder(view, self.reach, self.required_converters)
        return self._builders[at, way]

    @cached_property
    def columns(self) -> list[tuple[str, list[int]]]:
        """The environments, each with its combinations, oldest version first."""
        combinations = self._timeline.combinations
        return [
            (
                name,
                [at for at, combination in enumerate(combinations) if combination[1] == name],
            )
            for name in self._environments
        ]


def _describe_replaced(converter: ConverterStep) -> Data:
    """Return the fields that a converter creates, if it doesn't create the whole object."""
    if converter.replaced is None:
        return {}
    newer, older = converter.replaced
    return {"replaced": {"newer": [*newer], "older": [*older]}}


_List = Callable[[Iterable[str], Callable[[str], Node]], list[Withholder]]
Build = Callable[[Builder], Node]


class _WayNodes:
    """The nodes of one direction: those of *found*, in *section*, and those they refer to."""

    def __init__(
        self, contracts: _Contracts, way: Way, section: str, found: list[roots.Root]
    ) -> None:
        self._contracts = contracts
        self._way = way
        self._section = section
        self._begun: dict[str, Any] = {}
        self._starts: dict[str, None] = {}
        self._shapes = self._build_shapes(found)
        nodes = [node for row in self._shapes.values() for node in list_nodes(row)]
        self.converters = set[str]().union(*map(list_converters, nodes))
        self.required = set[int]().union(*map(list_unserved, nodes))

    def data(self, names: dict[int, str]) -> Data:
        """Return the nodes; *names* are those of the required converters."""
        versions = self._contracts.api.table.dates
        rows = {
            name: {
                environment: [with_converters(node, names) for node in nodes]
                for environment, nodes in row.items()
            }
            for name, row in sorted(self._shapes.items())
        }
        return {
            self._section: dict(sorted(self._begun.items())),
            "shapes": {name: list(entries(row, versions, "shape")) for name, row in rows.items()},
        }

    def _build_shapes(self, found: list[roots.Root]) -> dict[str, Row]:
        tops = {
            root: self._row(root.build, [*self._contracts.reach.masks(*root.nodes), root.unserved])
            for root in found
        }
        rows = self._rows({name for row in tops.values() for name in list_row_references(row)})
        live = find_live(rows)
        rows = {name: prune_row(row, live) for name, row in sorted(rows.items()) if name in live}
        for root, row in tops.items():
            row = prune_row(row, live)
            if is_trivial(row):
                continue
            same = find_common_node(row)
            if not isinstance(same, str):
                rows[root.name] = row
            name = same if isinstance(same, str) else root.name
            self._starts[name] = None
            roots.put(self._begun, root, name)
        return rows

    def list_sources(self, list_each: _List) -> Iterator[tuple[int, list[Withholder]]]:
        """Yield what *list_each* finds from the nodes of operations on, for each combination."""
        for environment, places in self._contracts.columns:
            for number, at in enumerate(places):

                def find(name: str, environment: str = environment, number: int = number) -> Node:
                    row = self._shapes.get(name)
                    return None if row is None else row[environment][number]

                yield at, list_each(self._starts, find)

    def _rows(self, names: set[str]) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        ahead = sorted(names)
        while ahead:
            name = ahead.pop()
            if name in rows:
                continue
            # operations and components need the same
            known = self._contracts.rows.get((self._way, name))
            rows[name] = known or self._row(
                partial(Builder.component, name=name), self._contracts.reach.masks_of(name)
            )
            self._contracts.rows[self._way, name] = rows[name]
            ahead += sorted(list_row_references(rows[name]) - rows.keys())
        return rows

    def _row(self, build: Build, masks: list[int]) -> Row:
        """Build a node once for each set of combinations in which it is the same."""
        known: dict[frozenset[int], Node] = {}
        gates = set(masks)
        row: Row = {}
        for environment, places in self._contracts.columns:
            row[environment] = []
            for at in places:
                applying = frozenset(mask for mask in gates if mask >> at & 1)
                if applying not in known:
                    builder = self._contracts.builder(at, self._way)
                    builder.merged.clear()
                    node = build(builder)
                    gates |= builder.merged
                    applying |= {mask for mask in builder.merged if mask >> at & 1}
                    known[applying] = node
                row[environment].append(known[applying])
        return row
