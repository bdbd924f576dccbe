"""The site: an API reference in which each operation and field has its history.

Static pages, laid out by templates: nothing on them is requested from elsewhere, and without
scripts they lack nothing but search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from dateline import progress
from dateline.model import EVERYWHERE, Api
from dateline.project import Projector
from dateline.site.calls import PythonClients
from dateline.site.comparing import PageComparison
from dateline.site.contents import (
    OperationPlace,
    group_operations,
    list_schemas,
    name_pages,
)
from dateline.site.drawing import draw
from dateline.site.history import ListedChanges, Step, StepHistory
from dateline.site.marks import Marker, select_presence
from dateline.site.searching import SearchIndex
from dateline.site.trees import name_anchor
from dateline.site.version import VersionPages

_VERSION: Final = "{version}"
_OPERATION: Final = "{operation}"
_SCHEMA: Final = "{schema}"
_PAIR: Final = "{older}...{newer}"
_SINCE: Final = "added-since-{version}"

__all__ = ["Marker", "ReferenceSite", "SiteNews"]


class SiteNews(NamedTuple):
    """What changed, from `changes`, and what was announced, in words.

    ``steps`` are the pages of changes between two versions, ``periods`` the additions to all
    versions, and ``feed`` is that of the changes.
    """

    steps: Sequence[Step] = ()
    periods: Sequence[Any] = ()
    announced: Sequence[str] = ()
    feed: Mapping[str, Any] = MappingProxyType({})


class OperationLinks:
    """The addresses of the pages of one version's operations; unlike a mapping, it is hashable."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self._addresses = addresses

    def find(self, name: str) -> str:
        """Return the address for `METHOD /path`; empty if the version has no such page."""
        return self._addresses.get(name, "")


class ReferenceSite:
    """The context of each template of the folder.

    *marker* has the marks of all nodes.
    """

    def __init__(
        self,
        api: Api,
        projector: Projector,
        marker: Marker,
        news: SiteNews,
    ) -> None:
        self._api = api
        self._news = news
        self._steps = {(step.older.date, step.newer.date): step for step in news.steps}
        self._histories = {pair: StepHistory(step) for pair, step in self._steps.items()}
        dates = api.table.dates
        documents = {date: projector.contract(date, EVERYWHERE).document for date in dates}
        self._schema_pages = name_pages(map(list_schemas, documents.values()))
        self._known_changes: dict[tuple[str, str, str], ListedChanges | None] = {}
        self._versions: dict[str, VersionPages] = {}
        previous = None
        environments = {date: projector.documents(date) for date in dates}
        clients = PythonClients(api.table, documents, environments)
        for date in dates:
            previous = self._versions[date] = VersionPages(
                clients, date, marker.of(date), self._schema_pages, previous
            )
        self._operation_pages = name_pages(
            version.operations for version in self._versions.values()
        )
        self._pages_of_operations = {
            date: {self._operation_pages[name] for name in version.operations}
            for date, version in self._versions.items()
        }

    def fan_out(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the path and context of each page that the template *name* generates."""
        if _PAIR in name:
            for older, newer in self._steps:
                path = name.replace(_PAIR, f"{older}...{newer}")
                if _OPERATION in name:
                    yield from self._list_comparisons(path, older, newer)
                else:
                    yield path, self._step(older, newer)
        elif _SINCE in name:
            for period in self._news.periods:
                if period.entries:
                    yield name.replace(_SINCE, period.name), self._period(period)
        elif _VERSION in name:
            for date in progress.count("laying out the site", [*self._versions]):
                yield from self._of_version(name.replace(_VERSION, date), date)
        else:
            yield name, self._search() if name.endswith("search.js") else self._start()

    # --- what all pages have

    def _common(self, version: str, up: str) -> dict[str, Any]:
        """Return the common data of every page of a *version*; *up* leads to the site's root."""
        table = self._api.table
        return {
            "title": self._title,
            "version": version,
            "up": up,
            "is_latest": version == table.latest,
            "latest": table.latest,
            "default": table.default,
            "row": table.version(version),
            "schema_pages": self._schema_pages,
            "schemas": self._versions[version].schemas,
            "documents": table.documents,
            "operation_pages": self._operation_pages,
            "upgrade": (version, table.latest) in self._steps,
            "announced": [
                sentence
                for each, sentence in zip(table.announcements, self._news.announced, strict=True)
                if each.version == version
            ],
        }

    @property
    def _title(self) -> str:
        return str(self._api.document.get("info", {}).get("title") or "API")

    def _picker(self, folder: str, page: str, there: Iterable[str]) -> list[tuple[str, str | None]]:
        """Return each version, newest first, and the address of the same page there, if any."""
        known = {*there}
        return [
            (date, f"../../{date}/{folder}/{page}.html" if date in known else None)
            for date in reversed(self._versions)
        ]

    # --- pages

    def _of_version(self, path: str, date: str) -> Iterator[tuple[str, dict[str, Any]]]:
        version = self._versions[date]
        if _OPERATION in path:
            for name, operation in version.operations.items():
                page = self._operation_pages[name]
                yield path.replace(_OPERATION, page), self._operation(date, operation, page)
        elif _SCHEMA in path:
            for name in version.schemas:
                page = self._schema_pages[name]
                yield path.replace(_SCHEMA, page), self._schema(date, name, page)
        else:
            yield path, self._version(date)

    def _version(self, date: str) -> dict[str, Any]:
        version = self._versions[date]
        tags = group_operations(version.operations.values())
        words = {
            str(tag.get("name")): str(tag.get("description") or "")
            for tag in version.document.get("tags", ())
        }
        order = [tag for tag in words if tag in tags] + [tag for tag in tags if tag not in words]
        return {
            **self._common(date, ".."),
            "heading": f"{self._title} {date}",
            "picker": [(other, f"../{other}/index.html") for other in reversed(self._versions)],
            "info": version.document.get("info", {}),
            "pairs": [
                ("Changes since", [pair for pair in self._pairs_with(date) if pair[0][1] == date]),
                ("Changes up to", [pair for pair in self._pairs_with(date) if pair[0][0] == date]),
            ],
            "tags": [
                (tag, name_anchor("tag", tag), words.get(tag, ""), tags[tag]) for tag in order
            ],
            "schemes": version.schemes,
            "typescript": version.typescript,
            "list_marks": lambda operation: select_presence(version.list_marks(operation)),
        }

    def _operation(self, date: str, operation: OperationPlace, page: str) -> dict[str, Any]:
        version = self._versions[date]
        there = [one for one, pages in self._pages_of_operations.items() if page in pages]
        return {
            **self._common(date, "../.."),
            "heading": operation.title,
            "picker": self._picker("operations", page, there),
            "operation": operation,
            "marks": version.list_marks(operation),
            "security": version.security(operation),
            "sections": version.sections(operation),
            "request": None if operation.is_webhook else version.request(operation),
            "python": "" if operation.is_webhook else version.call(operation),
            "steps": self._history(operation.name),
            "comparisons": [
                (other, f"../../compare/{'...'.join(pair)}/{page}.html")
                for pair, other in self._pairs_with(date)
                if self._compares(pair, operation.name)
            ],
        }

    def _schema(self, date: str, name: str, page: str) -> dict[str, Any]:
        version = self._versions[date]
        there = [one for one, other in self._versions.items() if name in other.schemas]
        return {
            **self._common(date, "../.."),
            "heading": name,
            "picker": self._picker("schemas", page, there),
            "tree": version.component(name),
            "sample": version.sample(name),
            "users": version.users.get(name, ()),
            "containers": version.containers.get(name, ()),
        }

    def _list_comparisons(
        self, path: str, older: str, newer: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        before, after = self._versions[older], self._versions[newer]
        names = before.schemas.keys() & after.schemas.keys()
        comparison = PageComparison(before.component, after.component, sorted(names))
        for name, operation in after.operations.items():
            if not self._compares((older, newer), name):
                continue
            known = before.operations[name]
            page = self._operation_pages[name]
            yield (
                path.replace(_OPERATION, page),
                {
                    **self._common(newer, "../.."),
                    "heading": f"{operation.title}: {older} to {newer}",
                    "picker": [],
                    "older": older,
                    "newer": newer,
                    "operation": operation,
                    "page": page,
                    "changes": self._changes((older, newer), name),
                    "sections": list(
                        comparison.sections(before.sections(known), after.sections(operation))
                    ),
                },
            )

    def _step(self, older: str, newer: str) -> dict[str, Any]:
        step = self._steps[older, newer]
        return {
            **self._common(newer, ".."),
            "heading": f"{self._title}: what changed from {older} to {newer}",
            "picker": [],
            "page": step,
            "links": self._links[newer],
        }

    def _period(self, period: Any) -> dict[str, Any]:
        latest = self._api.table.latest
        return {
            **self._common(latest, ".."),
            "heading": f"{self._title}: added to all versions {period.words}",
            "picker": [],
            "page": period,
            "links": self._links[latest],
        }

    def _start(self) -> dict[str, Any]:
        table = self._api.table
        latest = self._versions[table.latest]
        return {
            **self._common(table.latest, "."),
            "heading": self._title,
            "picker": [],
            "info": latest.document.get("info", {}),
            "line": draw(table),
            "rows": list(reversed(table.versions)),
            "steps": self._steps,
            "neighbours": dict(zip(table.dates[1:], table.dates, strict=False)),
            "schemes": latest.schemes,
            "errors": latest.errors,
            "operations": sum(not each.is_webhook for each in latest.operations.values()),
            "addresses": latest.addresses,
            "periods": {each.since: each for each in self._news.periods if each.entries},
            "announcements": self._news.announced,
            "feed": self._news.feed,
        }

    def _search(self) -> dict[str, Any]:
        """Return the index of the search: the latest version first, then older ones and drafts."""
        table = self._api.table
        newest = [*self._versions][::-1]
        dates = sorted(newest, key=lambda date: table.version(date).draft)
        versions = {date: self._versions[date] for date in dates}
        return {"index": SearchIndex(versions, self._operation_pages, self._schema_pages).write()}

    @cached_property
    def _links(self) -> dict[str, OperationLinks]:
        """The pages of the operations of each version, for pages beside its folder."""
        return {
            date: OperationLinks(
                {
                    name: f"../{date}/operations/{self._operation_pages[name]}.html"
                    for name in version.operations
                }
            )
            for date, version in self._versions.items()
        }

    # --- history

    def _history(self, name: str) -> list[tuple[str, str, ListedChanges]]:
        """Return (older, newer, changes) for each step that changed the operation *name*."""
        pairs = reversed([*pairwise(self._versions)])
        listed = [(*pair, self._changes(pair, name)) for pair in pairs]
        return [(older, newer, changes) for older, newer, changes in listed if changes]

    def _compares(self, pair: tuple[str, str], name: str) -> bool:
        """Return whether a page compares the operation *name* in two versions."""
        both = all(name in self._versions[date].operations for date in pair)
        return both and self._changes(pair, name) is not None

    def _changes(self, pair: tuple[str, str], name: str) -> ListedChanges | None:
        """Return the changes of what pages of the operation *name* show in two versions."""
        if pair not in self._histories:
            return None
        if (*pair, name) not in self._known_changes:
            versions = [self._versions[date] for date in pair]
            there = [each for each in versions if name in each.operations]
            shown = [each.list_shown(each.operations[name]) for each in there]
            near = [set().union(*each) for each in zip(*shown, strict=True)]
            self._known_changes[*pair, name] = self._histories[pair].list_changes(name, near)
        return self._known_changes[*pair, name]

    def _pairs_with(self, date: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield each pair of versions with *date*, and the other version."""
        for older, newer in self._steps:
            if date in (older, newer):
                yield (older, newer), newer if date == older else older
