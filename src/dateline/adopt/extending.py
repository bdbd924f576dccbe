"""Take further documents over as the next versions of definitions that exist."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from dateline import progress
from dateline.adopt.appending import Appender, AppendError
from dateline.adopt.component_names import Component, find_known_names, rename_components
from dateline.adopt.documents import (
    Defect,
    Document,
    UnequalError,
    Words,
    assume_api,
    find_defects,
    gate_components,
    list_holders,
    merge,
    modernize,
    unequal_error,
)
from dateline.adopt.inputs import Source, UsageError, format_title, parse_arguments, read_sources
from dateline.adopt.interning import Interner, arrange_alike, find_differences, spell_alike
from dateline.adopt.merger import Merger
from dateline.adopt.path_names import rename_paths
from dateline.adopt.remarks import DefinitionRemarks, Remark
from dateline.adopt.renames import Proposal, Renames
from dateline.adopt.rewriting import SourceWriter
from dateline.adopt.wording import Rewording, reword
from dateline.changes.additions import continue_record
from dateline.changes.record import Record, read_record
from dateline.changes.words import list_words, restore_words
from dateline.check import Published, Waiver, judge_waivers, read_waivers
from dateline.edit.revision import Revision, compare_contents, compare_record
from dateline.edit.sources import add_version, load_contents, open_sources, read_contents
from dateline.edit.surplus import Surplus, Ungated
from dateline.load import TABLE
from dateline.model import NEXT, Api, Combination, Day, Policy, Table, Version, current_day
from dateline.openapi import COMPONENTS
from dateline.project import Projector
from dateline.schema.dialect import is_old
from dateline.source.splice import EditableSource
from dateline.versions import is_dated, is_moving, is_well_formed, order

_WAY_OUT: Final = (
    "write this change by hand, or adopt the documents of all versions into a new folder (`--into`)"
)


@dataclass(frozen=True, kw_only=True)
class Extension(Revision):
    """The changes to the sources that add versions to definitions.

    ``version`` is the last one. ``documents`` are each date, its file, and how the definitions
    compare with it; ``gates`` counts the new ones by key. ``renamed`` are the renames,
    ``proposals`` likely renames that are written as a removal and an addition. ``edited`` are the
    texts that both the document and the definitions changed, ``words`` counts those of older
    versions that are kept beside the definitions. ``ungated`` are the changes of a draft that go to
    all versions.
    """

    documents: tuple[tuple[str, str, str], ...]
    gates: Mapping[str, int]
    renamed: tuple[Remark, ...]
    proposals: tuple[Proposal, ...]
    edited: tuple[Remark, ...]
    words: int
    ungated: tuple[Ungated, ...]
    names: tuple[tuple[str, str], ...]


def extend(
    arguments: tuple[str, ...],
    folder: Path,
    *,
    renames: Iterable[str] = (),
    accept: Callable[[Proposal], bool] = lambda _: False,
    words: Words = Words.KEPT,
    published: Published | None = None,
    today: datetime.date | None = None,
) -> Extension:
    """Return the edits after which the definitions in *folder* have the versions in *arguments*.

    These are `DATE=FILE`; a date is newer than all versions, or that of the draft being prepared.
    Nothing that was written by hand is lost: only what a document has changed since the version
    before gets gates. Texts that were edited since that version was added stay as they are.
    *renames*, *accept* and *words* are those of `adopt`.

    In a draft, components and path parameters keep their names. Its additive changes get no gates:
    they go to all versions. Nor does what is taken back before it is *published*; *today* decides
    on waivers.

    Raises UsageError for dates that are not newer, SourceError for documents or definitions that
    can't be read, and UnequalError if the definitions would not reproduce a document, or another
    version would change. Nothing is written.
    """
    api, known = open_sources(folder)
    before = read_contents(folder)
    undated = [name for name in (NEXT, *api.table.dates) if not is_dated(name)]
    files = parse_arguments(arguments, undated)
    _require_newer(api.table, [date for date, _ in files])
    sources = read_sources(files, api.table)
    record = read_record(folder, api.table)
    decided = Renames(renames, accept)
    state = _Extended(api, known, record)
    steps = []
    for source in sources:
        step = _NextVersion(state, source, decided, words)
        try:
            state = step.take()
        except UnequalError as error:
            raise UnequalError(f"{error}; {_WAY_OUT}") from None
        steps.append(step)
    decided.require_used()
    waivers = tuple(read_waivers(folder))
    surplus = _drop_surplus(
        state,
        sources[-1].date,
        published or Published(label=""),
        waivers,
        today or current_day(),
    )
    state = replace(state, api=surplus.api, contents=surplus.contents)
    counts = [DefinitionRemarks(each.document, each.locate) for each in (api, state.api)]
    old, new = (each.gates() for each in counts)
    there = {each.what: each.times for each in counts[0].renames()}
    version = state.api.table.version(sources[-1].date)
    return Extension(
        folder=folder,
        version=version,
        api=state.api,
        waivers=waivers,
        record=state.record,
        replacements=compare_contents(before, state.contents),
        recorded=compare_record(folder, state.record),
        documents=tuple((step.source.date, step.source.name, step.describe()) for step in steps),
        gates={key: new[key] - old[key] for key in new},
        renamed=tuple(
            each._replace(times=each.times - there.get(each.what, 0))
            for each in counts[1].renames()
            if each.times > there.get(each.what, 0)
        ),
        proposals=decided.declined,
        edited=tuple(remark for step in steps for remark in step.list_edited()),
        words=sum(len(rows) for rows in state.record.words.values()) if state.record else 0,
        ungated=surplus.done,
        names=tuple(name for step in steps for name in step.list_names()),
    )


def _require_newer(table: Table, dates: list[str]) -> None:
    """Raise UsageError unless *dates* continue the version table."""
    newest = table.newest
    for date in dates:
        known = next((version for version in table.versions if version.date == date), None)
        if date != NEXT and not is_moving(date) and not is_well_formed(date, table.form):
            raise UsageError(f"{date!r} is not a date in the form {table.form}")
        if known is not None and not known.draft and not known.moving:
            raise UsageError(
                f"{date} is a version of these definitions, and cut; name a newer date, or an "
                "empty folder with --into"
            )
        if known is None and newest.draft:
            raise UsageError(
                f"{newest.date} is being prepared; name it in place of {date} to continue it, and "
                "cut it, or cut it first"
            )
        is_newer = order(date) > order(newest.date)
        if not (is_newer if known is None else known is newest or known.moving):
            raise UsageError(
                f"{date} is not newer than {newest.date}, the newest version of these "
                "definitions; name a newer date, or an empty folder with --into"
            )


@dataclass(frozen=True)
class _Extended:
    """Definitions, the content of their files, and their record."""

    api: Api
    contents: Mapping[str, bytes]
    record: Record | None


def _drop_surplus(
    state: _Extended,
    day: str,
    published: Published,
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> Surplus:
    """Return *state* without the gates at the draft of this *day* that no caller needs."""
    waived = judge_waivers(state.api, published, waivers, today)
    surplus = Surplus(
        state.api,
        state.contents,
        day,
        {each: dict(document.content) for each, document in published.documents.items()},
        lambda group: waived.reason(group.finding(Policy.MINTED)) is not None,
    )
    version = state.api.table.version(day)
    return surplus.drop() if version.draft else surplus


class _NextVersion:
    """Adds the version of one *source* to the definitions of a *state*."""

    def __init__(self, state: _Extended, source: Source, renames: Renames, words: Words) -> None:
        self.source = source
        self._record = state.record
        self._renames = renames
        self._words = words
        self._is_known = source.date in state.api.table.dates
        self._contents = state.contents
        self._api = state.api
        if not self._is_known:
            self._contents = _add_row(state, source)
            self._api = load_contents(state.api.name, self._contents)
            self._api = replace(self._api, folder=state.api.folder)
        self._table = self._api.table
        self._environment = self._table.environments[0].name
        self._projector = Projector(self._api)
        self._interner = Interner()
        self.components: dict[Component, str] = {}
        self.paths: dict[str, str] = {}
        self._rewording = Rewording(keeps_own=not self._is_known)

    def take(self) -> _Extended:
        """Return the state with the version. Raises UnequalError if that is not possible."""
        date = self.source.date
        shown = self._interner.intern(self._project(date))
        wanted = self._read_document(shown)
        if self._words is Words.GATED:
            reworded = shown
        else:
            reworded = self._interner.intern(reword("document", shown, wanted))
        appender = Appender(self._table, date)
        own = appender.append("document", self._api.document, shown, reworded)
        document = self._merge(appender, own, reworded, wanted)
        progress.describe("comparing the result with each document")
        contents = SourceWriter(self._api, self._contents, appender).write(document)
        api = load_contents(self._api.name, contents)
        projector = Projector(api)
        self._wanted = wanted
        words = self._require_equal(projector, wanted)
        api = replace(api, folder=self._api.folder)
        return _Extended(api, contents, self._continue_record(api, projector, words))

    def _project(self, version: str, environment: str | None = None) -> Document:
        return self._projector.contract(version, environment or self._environment).document

    def _read_document(self, shown: Document) -> Document:
        """Return what the version is to show, in the terms of the definitions."""
        source = self.source
        source.hide(self._table.selector)
        document = dict(source.document)
        if is_old(document) and not is_old(shown):
            document = modernize(document)
        if is_old(shown) and not is_old(document):
            raise UsageError(
                f"{source.name} is OpenAPI {document['openapi']}, and the definitions are "
                f"{shown['openapi']}; adopt the documents of all versions into an empty folder"
            )
        if self._table.environments[0].servers:
            document["servers"] = shown["servers"]
        if not self._table.adopted:
            document["info"] = {**document["info"], "version": source.date}
        trimmed = _with_empty_sections(document, self._api.document)
        self._is_trimmed = trimmed != document
        if self._table.version(source.date).draft:
            trimmed, self.paths = rename_paths(trimmed, shown)
            self.components = find_known_names(trimmed, shown)
            trimmed = arrange_alike(rename_components(trimmed, shown, self.components), shown)
        self._published = self._interner.intern(spell_alike(trimmed, shown))
        known = self._record.documents.get(self._environment) if self._record else None
        wanted = self._rewording.merge("document", self._published, (shown, known or shown))
        return self._interner.intern(wanted)  # type: ignore[no-any-return]

    def _merge(
        self, appender: Appender, own: Document, shown: Document, wanted: Document
    ) -> Document:
        """Return *own*, the definitions, such that the version shows *wanted*, not *shown*."""
        date = self.source.date
        table = _pair_of(self._table, date)
        older = next(each for each in table.dates if each != date)
        pair = {date: wanted, older: shown}
        all_wanted, whole = self._list_wanted(own, wanted), set[int]()
        while True:
            progress.describe("merging the versions")
            merger = Merger(table, self._interner, self._renames, whole)
            merged, _ = merge(merger, pair)
            try:
                document = appender.append("document", own, shown, merged)
            except AppendError as error:
                place = self._api.locate(error.path)
                raise UnequalError(f"{place}: adopt-unequal: {error}") from None
            presence = self._list_presence(all_wanted)
            document = _with_own_components(document, shown, presence)
            gate_components(document, self._table, presence)
            defects = find_defects(document, all_wanted, self._table)
            if not defects:
                return document
            there = [each if each.date in pair else Defect("", each.path) for each in defects]
            found = {holder for each in there for holder in list_holders(each, pair, whole)}
            if not found:
                raise unequal_error(self.source, defects[0].path)
            whole |= found

    def _list_wanted(self, own: Document, wanted: Document) -> dict[str, Document]:
        """Return what each version is to show, with the words of *own*."""
        api, _ = assume_api(own, self._table)
        projector = Projector(api)
        return {
            date: wanted
            if date == self.source.date
            else projector.contract(date, self._environment).document
            for date in self._table.dates
            if date == self.source.date or not is_moving(date)
        }

    def _list_presence(self, wanted: Mapping[str, Document]) -> dict[Component, int]:
        """Return the versions of each component, as a set of bits."""
        found: dict[Component, int] = {}
        for number, date in enumerate(self._table.dates):
            document = wanted.get(date, wanted[self.source.date])
            for section, nodes in document.get("components", {}).items():
                for name in nodes if section in COMPONENTS else ():
                    found[section, name] = found.get((section, name), 0) | 1 << number
        return found

    def _require_equal(self, projector: Projector, wanted: Document) -> dict[str, Any]:
        """Return the words to keep of each older version. Raises UnequalError for a difference."""
        rows: dict[str, Any] = {}
        known = self._record.words if self._record else {}
        for date, environment in self._list_combinations():
            now = self._interner.intern(projector.contract(date, environment).document)
            if date == self.source.date:
                for path in (
                    find_differences(now, wanted) if environment == self._environment else ()
                ):
                    raise unequal_error(self.source, path)
                continue
            before = restore_words(self._project(date, environment), known.get(date, ()))
            before = self._interner.intern(before)
            if self._words is Words.NEWEST:
                before = self._interner.intern(reword("document", before, now))
            if environment == self._environment:
                rows[date] = tuple(list_words("document", before, now))
            again = self._interner.intern(restore_words(now, rows.get(date, ())))
            for path in find_differences(again, before):
                raise UnequalError(
                    f"{self.source.name}: adopt-unequal: the document of {date} would change at "
                    f"{'/'.join(map(str, path))}, so nothing was written"
                )
        return {date: found for date, found in rows.items() if found}

    def _list_combinations(self) -> Iterator[Combination]:
        """Yield the combinations that callers know, those of the first environment first."""
        for name in self._table.environment_names:
            for date in self._table.dates:
                if date == self.source.date or not is_moving(date):
                    yield Combination(date, name)

    def _continue_record(
        self, api: Api, projector: Projector, words: dict[str, Any]
    ) -> Record | None:
        version = self._table.version(self.source.date)
        if version.draft or version.moving:
            return replace(self._record, words=words) if self._record else None
        record = continue_record(api, projector, self._record, version.date)
        # words are compared with those that the document has itself
        documents = {**record.documents, self._environment: self._published}
        return replace(record, words=words, documents=documents)

    def describe(self) -> str:
        """Return how the definitions compare with the document."""
        words = ["equal"]
        if self._is_trimmed:
            words.append("but for an empty section")
        if self._wanted is not self._published:
            words.append("but for documentation that was edited here")
        if self.components or self.paths:
            words.append("but for names of components and path parameters")
        return ", ".join(words)

    def list_names(self) -> list[tuple[str, str]]:
        """Return the names in the document and here of what is called otherwise here."""
        return [*self.paths.items(), *((new, old) for (_, new), old in self.components.items())]

    def list_edited(self) -> Iterator[Remark]:
        """Yield where the document and the definitions both changed the words."""
        if places := self._rewording.places:
            yield Remark(self.source.name, len(places), self.source.place(places[0]))


def _with_empty_sections(document: Document, definitions: Document) -> Document:
    """Return *document* with the empty sections of *definitions*, which all versions show."""
    if "components" not in document:
        return document
    own = definitions.get("components", {})
    sections = {name: nodes for name, nodes in document["components"].items() if nodes}
    empty: Document = {}
    empty |= {name: {} for name, nodes in own.items() if not nodes and name not in sections}
    if not sections and not empty and any(own.values()):
        return {key: value for key, value in document.items() if key != "components"}
    return {**document, "components": {**sections, **empty}}


def _with_own_components(
    document: Document, shown: Document, presence: Container[Component]
) -> Document:
    """Return *document* with sections of its own, without what was *shown* and is nowhere now."""
    if "components" not in document:
        return document
    gone = shown.get("components", {})
    components = {}
    for section, nodes in document["components"].items():
        kept = nodes
        if section in COMPONENTS:
            kept = {
                name: node
                for name, node in nodes.items()
                if (section, name) in presence or name not in gone.get(section, {})
            }
        if kept or not nodes:
            components[section] = kept
    return {**document, "components": components}


def _pair_of(table: Table, date: str) -> Table:
    """Return *table* with the version of *date* and the one before it alone."""
    dated = [one for one in table.versions if not one.moving or one.date == date]
    number = next(n for n, one in enumerate(dated) if one.date == date)
    pair: tuple[Version, ...] = tuple(dated[max(number - 1, 0) : number + 1])
    return replace(table, versions=pair, adopted=True)


def _add_row(state: _Extended, source: Source) -> dict[str, bytes]:
    """Return the contents of *state* with a row for the version of *source*."""
    versions = state.api.table.versions
    number = sum(not version.moving for version in versions)
    if source.date == NEXT:
        return add_version(state.contents, NEXT, number)
    table = EditableSource(state.contents[TABLE])
    row: dict[str, Any] = {
        "date": Day(source.date),
        "title": format_title(source) or f"As of {source.date}",
    }
    if state.api.table.adopted:
        row["adopted"] = True
    table.insert(("versions", number), row)
    if source.is_odd and not state.api.table.oddities:
        table.put(("oddities",), "kept")
    return {**state.contents, TABLE: table.content()}
