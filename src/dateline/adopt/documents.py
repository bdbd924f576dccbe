"""The documents of all versions in, the one with gates out that projects to each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from dateline.adopt.components import gated
from dateline.adopt.inputs import Source
from dateline.adopt.merge import Merger
from dateline.adopt.renames import Renames
from dateline.adopt.runs import States
from dateline.adopt.shared import Shared, differences
from dateline.edit.places import objects
from dateline.gates import Timeline
from dateline.load.availability import find_availability
from dateline.load.checks import find_problems
from dateline.model import Api, DatelineError, Place, Table
from dateline.openapi import COMPONENTS
from dateline.project import Projector
from dateline.schema.dialect import Dialect, is_old

Steps = tuple[str | int, ...]

_MODERN: Final = "3.1.0"
_NOWHERE: Final = Place("", 1, 1)


class Amiss(NamedTuple):
    """Where a merged document is not right: for which version, empty for all of them."""

    date: str
    path: Steps


class UnequalError(DatelineError):
    """A document would not come back as it is."""


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The canonical document; what each version is to be, by date; and how it was done.

    ``modernized`` are the versions whose documents were OpenAPI 3.0 among others of 3.1,
    ``trimmed`` those that had or lacked an empty section, unlike others.
    """

    document: dict[str, Any]
    wanted: dict[str, dict[str, Any]]
    modernized: frozenset[str]
    trimmed: frozenset[str]


def merged(sources: list[Source], table: Table, renames: Renames) -> Merged:
    """Return one document that gives back those of *sources*.

    *renames* decides what was renamed. Parts whose gates would not do so are restated as a whole.
    Raises UnequalError, naming the place, where even that does not help.
    """
    mixed = len({is_old(source.document) for source in sources}) > 1
    modernized = frozenset(source.date for source in sources if mixed and is_old(source.document))
    shared = Shared()
    # the newest first: its order of keys is the one that stays
    wanted = {
        source.date: shared.of(
            _modern(source.document) if source.date in modernized else source.document
        )
        for source in reversed(sources)
    }
    read, wanted = wanted, _without_empty(wanted, shared)
    trimmed = frozenset(date for date in wanted if wanted[date] is not read[date])
    whole: set[int] = set()
    while True:
        document = _document(
            Merger(Timeline(table), table.dates, shared, renames, whole), wanted, table
        )
        amiss = _amiss(document, wanted, table)
        if not amiss:
            return Merged(
                document=document,
                wanted=wanted,
                modernized=modernized,
                trimmed=trimmed,
            )
        found = {holder for each in amiss for holder in _holders(each, wanted, whole)}
        if not found:
            date, path = amiss[0]
            source = next((source for source in sources if source.date == date), sources[-1])
            raise unequal_at(source, path)
        whole |= found


def _modern(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document*, which is OpenAPI 3.0, as OpenAPI 3.1."""
    made: dict[str, Any] = Dialect(document).modernized("document", document)
    return {**made, "openapi": _MODERN}


def _holders(amiss: Amiss, wanted: dict[str, dict[str, Any]], whole: set[int]) -> Iterator[int]:
    """Yield the ids of the innermost objects around what is *amiss* that have gates yet."""
    ways = [objects(wanted[date], amiss.path) for date in wanted if amiss.date in ("", date)]
    deepest = max(len(way) for way in ways)
    for way in ways:
        if len(way) == deepest:
            yield from [id(one.node) for one in reversed(way[1:]) if id(one.node) not in whole][:1]


def unequal_at(source: Source, path: Steps) -> UnequalError:
    """Return what to say where *source* would not come back at *path*."""
    return UnequalError(
        f"{source.place(path)}: adopt-unequal: {'/'.join(map(str, path)) or 'the document'} would "
        f"not come back for {source.date} as it is here, so nothing was written"
    )


def _without_empty(wanted: dict[str, dict[str, Any]], shared: Shared) -> dict[str, dict[str, Any]]:
    """Return *wanted* where each has or lacks an empty section as all do: it says nothing."""
    sections = [document.get("components", {}) for document in wanted.values()]
    telling = {name for found in sections for name, nodes in found.items() if nodes}
    made = {}
    for date, document in wanted.items():
        if any("paths" in other for other in wanted.values()):
            document = {**document, "paths": document.get("paths", {})}
        components = {
            name: nodes
            for name, nodes in document.get("components", {}).items()
            if nodes or name not in telling
        }
        document = {key: value for key, value in document.items() if key != "components"}
        if components or (not telling and any("components" in other for other in wanted.values())):
            document["components"] = components
        made[date] = shared.of(document)
    return made


def _document(merger: Merger, wanted: dict[str, dict[str, Any]], table: Table) -> dict[str, Any]:
    number = {date: at for at, date in enumerate(table.dates)}
    states: States = {number[date]: document for date, document in wanted.items()}
    document: dict[str, Any] = dict(
        merger.node(
            "document",
            {
                at: {key: value for key, value in shown.items() if key != "components"}
                for at, shown in states.items()
            },
        )
    )
    columns = {at: shown.get("components", {}) for at, shown in states.items()}
    there: dict[tuple[str, str], int] = {}
    if not any("components" in shown for shown in states.values()):
        return document
    beside = {
        at: {key: value for key, value in column.items() if key not in COMPONENTS}
        for at, column in columns.items()
    }
    components: dict[str, Any] = dict(merger.node("components", beside))
    for section, kind in COMPONENTS.items():
        if not any(section in column for column in columns.values()):
            continue
        nodes = {at: column.get(section, {}) for at, column in columns.items()}
        made = components[section] = {}
        for name in dict.fromkeys(name for below in nodes.values() for name in below):
            present = {at: below[name] for at, below in nodes.items() if name in below}
            merger.holder = name
            made[name] = _component(merger, kind, present)
            there[section, name] = sum(1 << at for at in present)
    document["components"] = components
    return gated(document, Timeline(table), table.dates, there)


def _component(merger: Merger, kind: str, states: States) -> Any:
    """Return what shows *states*; `true` and `false` have no history."""
    if all(isinstance(value, dict) for value in states.values()):
        return merger.node(kind, states)
    return next(iter(states.values()))


def _amiss(
    document: dict[str, Any], wanted: dict[str, dict[str, Any]], table: Table
) -> list[Amiss]:
    """Return where *document* is refused, or its projections are not what is *wanted*."""
    refused: list[Amiss] = []

    def noted(path: Steps, **_: bool) -> Place:
        refused.append(Amiss("", path))
        return _NOWHERE

    for _ in find_problems(document, table, noted):
        pass
    if refused:
        return refused
    timeline = Timeline(table)
    visible, breaches = find_availability(document, timeline, noted, adopted=True)
    if breaches:
        return refused
    projector = Projector(
        Api(
            folder=Path(),
            document=document,
            table=table,
            combinations=timeline.combinations,
            visible=visible,
            locate=noted,
        )
    )
    environment = table.environments[0].name
    return [
        Amiss(date, path)
        for date, shown in wanted.items()
        for path in differences(projector.contract(date, environment).document, shown)
    ]
