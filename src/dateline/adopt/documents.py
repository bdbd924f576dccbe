"""Merge the documents of all versions into one with gates that projects to each of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

from dateline import progress
from dateline.adopt.component_names import Component
from dateline.adopt.inputs import Source
from dateline.adopt.interning import Interner, find_differences, spell_alike
from dateline.adopt.merger import Merger
from dateline.adopt.renames import Renames
from dateline.adopt.states import States, add_presence, forget_presence
from dateline.adopt.wording import reword
from dateline.changes.words import Row, list_words, restore_words
from dateline.edit.places import objects
from dateline.gates import Timeline
from dateline.load.availability import find_availability
from dateline.load.checks import find_problems
from dateline.model import ADDED, Api, DatelineError, Day, Place, Problem, Table, Trail
from dateline.oddities import mark_dangling, wrap_schemas
from dateline.openapi import COMPONENTS
from dateline.project import Projector
from dateline.schema.dialect import Dialect, is_old

Document = dict[str, Any]

_MODERN: Final = "3.1.0"
_NOWHERE: Final = Place("", 1, 1)


class Words(Enum):
    """How changed documentation is handled."""

    KEPT = "kept"
    """The definitions have the newest; what older documents said is kept beside them."""
    NEWEST = "newest"
    """All versions have the newest."""
    GATED = "gated"
    """The definitions have a gate for each change."""


class Defect(NamedTuple):
    """Where a merged document is wrong: for which version, empty for all of them."""

    date: str
    path: Trail


class UnequalError(DatelineError):
    """A document is not reproduced."""


@dataclass(frozen=True, kw_only=True)
class MergedDocuments:
    """The canonical document, and the document that each version must project to, by date.

    ``modernized`` are the versions whose documents were OpenAPI 3.0 among others of 3.1,
    ``trimmed`` those that had or lacked an empty section, unlike others, ``reworded`` those whose
    documentation is that of a newer one. ``words`` is the original documentation in these
    documents, ``dangling`` the paths of what their discriminators name that only others have.
    """

    document: Document
    wanted: dict[str, Document]
    modernized: frozenset[str]
    trimmed: frozenset[str]
    reworded: frozenset[str]
    words: dict[str, tuple[Row, ...]]
    dangling: dict[str, list[Trail]]


def merge_documents(
    sources: list[Source], table: Table, renames: Renames, words: Words = Words.KEPT
) -> MergedDocuments:
    """Return one document that projects to those of *sources*.

    *renames* decides what was renamed, *words* how changed documentation is handled. Parts with
    insufficient gates are restated as a whole. Raises UnequalError, naming the place, if even that
    is not enough.
    """
    mixed = len({is_old(source.document) for source in sources}) > 1
    modernized = frozenset(source.date for source in sources if mixed and is_old(source.document))
    interner = Interner()
    read, reworded, kept = _share_words(sources, modernized, interner, words)
    wanted = _without_empty_sections(read, interner)
    whole: set[int] = set()
    marked: dict[str, list[Trail]] = {date: [] for date in wanted}
    while True:
        progress.describe("merging the versions")
        merger = Merger(table, interner, renames, whole)
        document, presence = merge(merger, wanted)
        gate_components(document, table, presence)
        progress.describe("comparing the result with each document")
        defects = find_defects(document, wanted, table)
        if not defects:
            return MergedDocuments(
                document=document,
                wanted=wanted,
                modernized=modernized,
                trimmed=frozenset(date for date in wanted if wanted[date] is not read[date]),
                reworded=frozenset(reworded),
                words={date: rows for date, rows in kept.items() if rows},
                dangling=marked,
            )
        if odd := {*_list_odd_schemas(defects, wanted)}:
            # they can't have gates in this form
            wanted = {
                date: interner.intern(wrap_schemas(each, odd)) for date, each in wanted.items()
            }
            read = {date: interner.intern(wrap_schemas(each, odd)) for date, each in read.items()}
            continue
        dangling = dict(_list_dangling(defects, wanted))
        for date, paths in dangling.items():
            marked[date] += paths
            for documents in (wanted, read):
                documents[date] = interner.intern(mark_dangling(documents[date], paths)[0])
        if dangling:
            continue
        found = {holder for each in defects for holder in list_holders(each, wanted, whole)}
        if not found:
            date, path = defects[0]
            source = next((source for source in sources if source.date == date), sources[-1])
            raise unequal_error(source, path)
        whole |= found


def _share_words(
    sources: list[Source], modernized: Container[str], interner: Interner, words: Words
) -> tuple[dict[str, Document], set[str], dict[str, tuple[Row, ...]]]:
    """Return the documents of *sources*, newest first, with words of newer ones as *words* says.

    Those that are *modernized* become OpenAPI 3.1. Also return the dates of those whose words were
    lost, and the words of others that have to be kept beside the definitions.
    """
    read: dict[str, Document] = {}
    reworded: set[str] = set()
    kept: dict[str, tuple[Row, ...]] = {}
    newer: Any = None
    # the newest first: its order of keys is preserved
    for source in reversed(sources):
        document = modernize(source.document) if source.date in modernized else source.document
        document = interner.intern(spell_alike(document, newer))
        if words is not Words.GATED:
            worded = interner.intern(reword("document", document, newer))
            rows = tuple(list_words("document", document, worded))
            if words is Words.NEWEST:
                reworded |= {source.date} if rows else set()
                document = worded
            elif interner.intern(restore_words(worded, rows)) is document:
                kept[source.date] = rows
                document = worded
        newer = read[source.date] = document
    return read, reworded, kept


def _list_odd_schemas(defects: list[Defect], wanted: dict[str, Document]) -> Iterator[str]:
    """Yield the components with *defects* that are not objects in some version."""
    for each in defects:
        if each.path[:2] == ("components", "schemas") and len(each.path) > 2:
            name = str(each.path[2])
            states = [one.get("components", {}).get("schemas", {}) for one in wanted.values()]
            if any(name in state and not isinstance(state[name], dict) for state in states):
                yield name


def _list_dangling(
    defects: list[Defect], wanted: dict[str, Document]
) -> Iterator[tuple[str, list[Trail]]]:
    """Yield the paths of what discriminators with *defects* name without a match, by date."""
    for date, document in wanted.items():
        paths = [each.path for each in defects if each.date == date]
        _, dangling = mark_dangling(document, paths)
        if dangling:
            yield date, dangling


def modernize(document: Document) -> Document:
    """Return *document*, which is OpenAPI 3.0, as OpenAPI 3.1."""
    return {**Dialect(document).modernize("document", document), "openapi": _MODERN}


def list_holders(defect: Defect, wanted: dict[str, Document], whole: set[int]) -> Iterator[int]:
    """Yield the ids of the innermost objects around *defect* that still have gates."""
    ways = [objects(wanted[date], defect.path) for date in wanted if defect.date in ("", date)]
    deepest = max(len(way) for way in ways)
    for way in ways:
        if len(way) == deepest:
            yield from [id(one.node) for one in reversed(way[1:]) if id(one.node) not in whole][:1]


def unequal_error(source: Source, path: Trail) -> UnequalError:
    """Return the error that *source* is not reproduced at *path*."""
    return UnequalError(
        f"{source.place(path)}: adopt-unequal: {'/'.join(map(str, path)) or 'the document'} would "
        f"not be reproduced for {source.date} as it is here, so nothing was written"
    )


def _without_empty_sections(wanted: dict[str, Document], interner: Interner) -> dict[str, Document]:
    """Return *wanted* with empty sections only where all have them: they have no meaning."""
    sections = [document.get("components", {}) for document in wanted.values()]
    filled = {name for found in sections for name, nodes in found.items() if nodes}
    has_paths = any("paths" in document for document in wanted.values())
    keep_empty = not filled and any("components" in document for document in wanted.values())
    trimmed = {}
    for date, document in wanted.items():
        if has_paths:
            document = {**document, "paths": document.get("paths", {})}
        components = {
            name: nodes
            for name, nodes in document.get("components", {}).items()
            if nodes or name not in filled
        }
        document = _without_components(document)
        if components or keep_empty:
            document["components"] = components
        trimmed[date] = interner.intern(document)
    return trimmed


def _without_components(document: Document) -> Document:
    return {key: value for key, value in document.items() if key != "components"}


def merge(merger: Merger, wanted: dict[str, Document]) -> tuple[Document, dict[Component, int]]:
    """Return one document for all *wanted*, and the versions of its components, as a set of bits.

    Components have no gates yet that show them in these versions alone.
    """
    states: States = {merger.dates.index(date): document for date, document in wanted.items()}
    document: Document = dict(
        merger.merge("document", {at: _without_components(one) for at, one in states.items()})
    )
    if not any("components" in one for one in states.values()):
        return document, {}
    columns = {at: one.get("components", {}) for at, one in states.items()}
    beside = {
        at: {key: value for key, value in column.items() if key not in COMPONENTS}
        for at, column in columns.items()
    }
    components: dict[str, Any] = dict(merger.merge("components", beside))
    presence: dict[Component, int] = {}
    for section, kind in COMPONENTS.items():
        if not any(section in column for column in columns.values()):
            continue
        nodes = {at: column.get(section, {}) for at, column in columns.items()}
        merged = components[section] = {}
        for name in dict.fromkeys(name for below in nodes.values() for name in below):
            present = {at: below[name] for at, below in nodes.items() if name in below}
            merger.holder = name
            # `true` and `false` have no history
            has_history = all(isinstance(value, dict) for value in present.values())
            merged[name] = (
                merger.merge(kind, present) if has_history else next(iter(present.values()))
            )
            presence[section, name] = sum(1 << at for at in present)
    document["components"] = components
    return document, presence


def gate_components(document: Document, table: Table, presence: Mapping[Component, int]) -> None:
    """Gate each component of *document* whose visibility differs from that of its references.

    *presence* has a bit for each version with a component.
    """
    timeline, dates = Timeline(table), tuple(map(Day, table.dates))
    versions = list(reversed(range(len(dates))))
    own: set[Component] = set()
    while True:
        visible, _ = find_availability(
            document, timeline, lambda _: _NOWHERE, adopted=table.adopted
        )
        wrong = [
            component
            for component, wanted in presence.items()
            if component not in own and visible[component] & (1 << len(versions)) - 1 != wanted
        ]
        if not wrong:
            return
        for section, name in wrong:
            own.add((section, name))
            node = document["components"][section][name]
            shown = [version for version in versions if presence[section, name] >> version & 1]
            if isinstance(node, dict):
                node = forget_presence(node)
                document["components"][section][name] = (
                    # from the first version on, even if nothing refers to it
                    {**node, ADDED: dates[0]}
                    if shown == versions
                    else add_presence(node, shown, versions, dates)
                )


def find_defects(document: Document, wanted: dict[str, Document], table: Table) -> list[Defect]:
    """Return where *document* is refused, or its projections differ from *wanted*."""
    refused: list[Defect] = []

    def note(path: Trail, **_: bool) -> Place:
        refused.append(Defect("", path))
        return _NOWHERE

    for _ in find_problems(document, table, note):
        pass
    if refused:
        return refused
    api, breaches = assume_api(document, table, note)
    if breaches:
        return refused
    return list(find_unequal(Projector(api), wanted, table))


def assume_api(
    document: Document, table: Table, locate: Callable[..., Place] = lambda *_, **__: _NOWHERE
) -> tuple[Api, list[Problem]]:
    """Return the API that *document* would define, and its dangling references."""
    timeline = Timeline(table)
    visible, breaches = find_availability(document, timeline, locate, adopted=table.adopted)
    api = Api(
        folder=Path(),
        name="",
        document=document,
        table=table,
        combinations=timeline.combinations,
        visible=visible,
        locate=locate,
        trace=lambda path: ("", path),
    )
    return api, breaches


def find_unequal(
    projector: Projector, wanted: dict[str, Document], table: Table
) -> Iterator[Defect]:
    """Yield each difference between the documents of *projector* and the *wanted* ones."""
    environment = table.environments[0].name
    for date, shown in wanted.items():
        for path in find_differences(projector.contract(date, environment).document, shown):
            yield Defect(date, path)
