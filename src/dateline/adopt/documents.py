"""The documents of all versions in, the one with gates out that projects to each of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dateline.adopt.components import gated
from dateline.adopt.inputs import Source
from dateline.adopt.merge import Merger
from dateline.adopt.modern import is_old, modern
from dateline.adopt.runs import States
from dateline.adopt.shared import Shared, differences
from dateline.edit.places import objects
from dateline.gates import Timeline
from dateline.load.availability import available
from dateline.model import Api, DatelineError, Place, Table
from dateline.openapi import COMPONENTS
from dateline.project import Projector

Steps = tuple[str | int, ...]


class UnequalError(DatelineError):
    """A document would not come back as it is."""


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The canonical document; what each version is to be, by date; and how it was done."""

    document: dict[str, Any]
    wanted: dict[str, dict[str, Any]]
    modernized: frozenset[str]
    fallbacks: Counter[str]
    renames: list[tuple[str, str]]


def merged(sources: list[Source], table: Table) -> Merged:
    """Return one document that gives back those of *sources*.

    Parts whose gates would not do so are restated as a whole. Raises UnequalError, naming the
    place, where even that does not help.
    """
    mixed = len({is_old(source.document) for source in sources}) > 1
    modernized = frozenset(source.date for source in sources if mixed and is_old(source.document))
    shared = Shared()
    # the newest first: its order of keys is the one that stays
    wanted = {
        source.date: shared.of(
            modern(source.document) if source.date in modernized else source.document
        )
        for source in reversed(sources)
    }
    wanted = _without_empty(wanted, shared)
    whole: set[int] = set()
    while True:
        merger = Merger(Timeline(table), table.dates, shared, whole)
        document = _document(merger, wanted, table)
        unequal = _unequal(document, wanted, table)
        if not unequal:
            return Merged(
                document=document,
                wanted=wanted,
                modernized=modernized,
                fallbacks=merger.fallbacks,
                renames=merger.renames,
            )
        for date, path in unequal:
            *_, root = way = [id(one.node) for one in reversed(objects(wanted[date], path))]
            holder = next((each for each in way if each not in whole and each != root), None)
            if holder is None:
                source = next(source for source in sources if source.date == date)
                raise unequal_at(source, path)
            whole.add(holder)


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
            made[name] = merger.node(kind, present)
            there[section, name] = sum(1 << at for at in present)
    document["components"] = components
    return gated(document, Timeline(table), table.dates, there)


def _unequal(
    document: dict[str, Any], wanted: dict[str, dict[str, Any]], table: Table
) -> list[tuple[str, Steps]]:
    """Return where the projections of *document* are not what is *wanted*: date and path."""
    timeline = Timeline(table)
    nowhere = Place("", 1, 1)
    visible, _ = available(document, timeline, lambda _: nowhere, adopted=True)
    projector = Projector(
        Api(
            folder=Path(),
            document=document,
            table=table,
            combinations=timeline.combinations,
            visible=visible,
            locate=lambda _: nowhere,
        )
    )
    environment = table.environments[0].name
    return [
        (date, path)
        for date, shown in wanted.items()
        for path in differences(projector.contract(date, environment).document, shown)
    ]
