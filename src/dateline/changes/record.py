"""The record of additions beside the definitions: read, checked, and its files.

Additive changes carry no key and apply to all versions, so the definitions alone don't say when
they were made. Cutting a version therefore records its documents of that day, and the additions to
all versions since the previous cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from dateline.cache import Cache
from dateline.changes.entries import Entry, merge_values
from dateline.changes.sections import PageSection, list_sections
from dateline.changes.words import Row
from dateline.model import (
    ADDITIONS,
    Direction,
    Map,
    Place,
    Problem,
    SourceError,
    Table,
    Trail,
    Verdict,
)
from dateline.paths import name_folder
from dateline.source.reader import Locator, read_bytes, read_content
from dateline.source.text import json_text
from dateline.versions import DATED, is_dated, order

# Laid out as in the outputs, so that these documents can be compared like those.
_DOCUMENT: Final = re.compile(rf"spec/([^/]+)/({DATED})\.json")
_PERIOD: Final = re.compile(rf"({DATED})\.json")

_WORDS: Final = re.compile(rf"words/({DATED})\.json")

_Documents = dict[str, dict[str, dict[str, Any]]]
"""Documents by version, by environment."""

_Fits = Callable[[Any], bool]


@dataclass(frozen=True, kw_only=True)
class Period:
    """The additions to all versions after ``since`` was cut, and before ``until`` was.

    Without ``until`` it is not closed: no newer version is cut. ``environments`` are all there
    were.
    """

    since: str
    until: str | None
    environments: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """The name of the period's page, without its suffix."""
        return f"added-since-{self.since}"

    @property
    def words(self) -> str:
        """Its time in words: `since 2026-07-01 was cut`."""
        if self.until is None:
            return f"since {self.since} was cut"
        return f"after {self.since} and before {self.until} was cut"

    @property
    def summary(self) -> str:
        """The number of additions, in words."""
        return f"{len(self.entries):,} additive" if self.entries else "nothing yet"

    @property
    def sections(self) -> list[PageSection]:
        """The entries, in reading order."""
        return list_sections(merge_values(self.entries))

    @property
    def data(self) -> dict[str, Any]:
        """The period as `changes.schema.json` describes it."""
        return {
            "since": self.since,
            "until": self.until,
            "environments": list(self.environments),
            "changes": [{**each.data, **each.explanation.data} for each in self.entries],
        }


@dataclass(frozen=True, kw_only=True)
class Record:
    """The known additions to all versions.

    ``documents`` are, by environment, what ``version`` promised when it was cut; ``closed`` are the
    earlier periods with additions, oldest first. ``words`` are those of documents of adopted
    versions that differ from the newest.
    """

    version: str
    documents: Mapping[str, dict[str, Any]]
    closed: tuple[Period, ...] = ()
    words: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the record, by their names in the folder of the definitions."""
        documents = {
            f"spec/{name}/{self.version}.json": document
            for name, document in self.documents.items()
        }
        periods = {f"{period.since}.json": period.data for period in self.closed}
        words = {f"words/{date}.json": {"words": [*rows]} for date, rows in self.words.items()}
        return {
            f"{ADDITIONS}/{name}": f"{json_text(content)}\n".encode()
            for name, content in {**documents, **periods, **words}.items()
        }


def record_files(schemas: Path) -> list[str]:
    """Return the names, in the folder *schemas*, of the files of its record.

    Files of editors and other tools, `.name` and `name~`, are ignored.
    """
    folder = schemas / ADDITIONS
    found = (path for path in (folder, *folder.rglob("*")) if path.is_file())
    return sorted(
        path.relative_to(schemas).as_posix()
        for path in found
        if not path.name.startswith(".") and not path.name.endswith("~")
    )


def read_record(schemas: Path, table: Table, cache: Cache | None = None) -> Record | None:
    """Return the record beside the definitions in *schemas*, or None.

    The *cache* has files that were valid before. Raises SourceError with everything that dateline
    would not have written.
    """
    # published documents may contain what authored definitions may not
    return _RecordReader(schemas, replace(table, adopted=True), cache or Cache(None)).read()


class _RecordReader:
    """Reads a record, and reports problems with it."""

    def __init__(self, schemas: Path, table: Table, cache: Cache) -> None:
        self._schemas = schemas
        self._table = table
        self._cache = cache
        self._problems: list[Problem] = []

    def read(self) -> Record | None:
        documents: _Documents = {}
        closed: list[Period] = []
        words: dict[str, tuple[Row, ...]] = {}
        for name in record_files(self._schemas):
            inside = name.removeprefix(f"{ADDITIONS}/")
            if found := _DOCUMENT.fullmatch(inside):
                documents.setdefault(found[2], {})[found[1]] = self._document(name)
            elif found := _PERIOD.fullmatch(inside):
                closed += self._period(name, found[1])
            elif found := _WORDS.fullmatch(inside):
                words[found[1]] = self._words(name)
            else:
                self._note(name, "the record has no such file")
        version = max(documents, default="")
        self._check_together(version, documents, closed)
        if self._problems:
            raise SourceError(self._problems)
        if not documents:
            return None
        return Record(
            version=version, documents=documents[version], closed=tuple(closed), words=words
        )

    def _check_together(self, version: str, documents: _Documents, closed: list[Period]) -> None:
        """Report what does not match the documents of *version*, the newest ones."""
        for other in documents.keys() - {version}:
            for environment in documents[other]:
                name = f"{ADDITIONS}/spec/{environment}/{other}.json"
                self._note(name, f"the documents of {version} are in this folder, too")
        for period in closed:
            name = f"{ADDITIONS}/{period.since}.json"
            if not documents:
                self._note(name, "the documents that go with it are missing")
            elif str(period.until) > version:
                fact = f"it ends with {period.until}, but the documents are those of {version}"
                self._note(name, fact)

    def _document(self, name: str) -> dict[str, Any]:
        content = self._read(name)
        if content is None:
            return {}
        key = self._cache.key("recorded", content, repr(self._table))
        if (known := self._cache.get(key)) is not None:
            return dict(json.loads(known))
        document = self._parse(name, content)
        if document is None:
            return {}
        # slow to import, and not needed for files that were valid
        from dateline.load.checks import find_type_problems

        found = [*find_type_problems(document, self._table, Locator([document]).locate)]
        for problem in found:
            self._note(name, problem.message.partition("; ")[0], problem.place)
        if not found:
            self._cache.put(key, json.dumps(document).encode())
        return document

    def _period(self, name: str, since: str) -> Iterator[Period]:
        document = self._content(name)
        if document is None:
            return
        locate = Locator([document]).locate
        faults = list(_faults(document, since))
        for trail, fault in faults:
            self._note(name, fault, locate(trail, value=True))
        if not faults:
            yield Period(
                since=since,
                until=document["until"],
                environments=tuple(document["environments"]),
                entries=tuple(map(Entry.read, document["changes"])),
            )

    def _words(self, name: str) -> tuple[Row, ...]:
        document = self._content(name)
        rows = document.get("words") if document is not None else ()
        if not isinstance(rows, list) or not all(map(_is_row, rows)):
            if document is not None:
                self._note(name, "these are not rows of words")
            return ()
        return tuple(rows)

    def _content(self, name: str) -> Map | None:
        """Return the content of the file called *name*; None if it can't be read."""
        content = self._read(name)
        return None if content is None else self._parse(name, content)

    def _read(self, name: str) -> bytes | None:
        problems: list[Problem] = []
        shown = self._show(name)
        content = read_bytes(self._schemas / name, shown, adopted=True, problems=problems)
        self._note_unread(name, problems)
        return None if problems else content

    def _parse(self, name: str, content: bytes) -> Map | None:
        problems: list[Problem] = []
        document = read_content(content, self._show(name), adopted=True, problems=problems)
        self._note_unread(name, problems)
        return None if problems else document

    def _show(self, name: str) -> str:
        return f"{name_folder(self._schemas)}/{name}"

    def _note_unread(self, name: str, problems: Iterable[Problem]) -> None:
        for problem in problems:
            # the reader's way out is for files that people write
            self._note(name, problem.message.partition("; ")[0], problem.place)

    def _note(self, name: str, fact: str, place: Place | None = None) -> None:
        self._problems.append(
            Problem(
                place=place or Place(self._show(name), 1, 1),
                id="record-damaged",
                message=f"{fact}; `dateline cut` writes this folder and nobody else: restore it "
                f"from version control, or delete it, and the next cut begins it anew",
            )
        )


def _is_row(row: Any) -> bool:
    at = row.get("at") if isinstance(row, dict) else None
    return (
        row.keys() <= {"at", "was"}
        and isinstance(at, list)
        and len(at) > 0
        and all(isinstance(step, str | int) or _is_identity(step) for step in at)
    )


def _is_identity(step: Any) -> bool:
    return isinstance(step, dict) and all(isinstance(value, str) for value in step.values())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _one_of(*texts: str) -> _Fits:
    return lambda value: _is_text(value) and value in texts


# The content of a period and an entry: for each key whether a value is valid.
_PERIOD_SHAPE: Final[dict[str, _Fits]] = {
    "since": lambda _: True,
    "until": lambda value: _is_text(value) and is_dated(value),
    "environments": _is_list_of_texts,
    "changes": lambda value: isinstance(value, list) and bool(value),
}
_ENTRY_SHAPE: Final[dict[str, _Fits]] = {
    **dict.fromkeys(("rule", "message", "field", "upgrade"), _is_text),
    **dict.fromkeys(("effect", "description"), _is_text),
    **dict.fromkeys(
        ("schema", "before_pointer", "after_pointer", "why"),
        lambda value: isinstance(value, str | None),
    ),
    **dict.fromkeys(("operations", "environments", "versions", "lines"), _is_list_of_texts),
    **dict.fromkeys(("before", "after"), lambda _: True),
    "verdict": _one_of(str(Verdict.ADDITIVE)),
    "direction": _one_of(*map(str, Direction)),
}
_OPTIONAL: Final = {"effect", "lines", "description"}


def _faults(period: Map, since: str) -> Iterator[tuple[Trail, str]]:
    """Yield what is wrong with *period*, in the file for *since*, and where."""
    yield from _find_shape_faults(period, _PERIOD_SHAPE, ())
    if period.get("since") != since:
        yield ("since",), "`since` is not what the file is called"
    if order(str(period.get("until"))) <= order(since):
        yield ("until",), "`until` is not a later version"
    changes = period.get("changes")
    for index, change in enumerate(changes if isinstance(changes, list) else ()):
        yield from _find_shape_faults(change, _ENTRY_SHAPE, ("changes", index))


def _find_shape_faults(
    node: Any, shape: Mapping[str, _Fits], at: Trail
) -> Iterator[tuple[Trail, str]]:
    if not isinstance(node, dict):
        yield at, "this is not an object"
        return
    for key in sorted(shape.keys() - node.keys() - _OPTIONAL):
        yield at, f"`{key}` is missing"
    for key, value in node.items():
        if key not in shape:
            yield (*at, key), f"{key!r} has no meaning here"
        elif not shape[key](value):
            yield (*at, key), f"`{key}` can't be this"
