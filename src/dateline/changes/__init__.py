"""An API in, what its change pages, their index and their feed say out; templates lay it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from dateline.changes.additions import periods
from dateline.changes.pages import Page, announced, by_reason, pages
from dateline.changes.record import Period, Record
from dateline.model import Api
from dateline.project import Projector

__all__ = ["FOLDER", "Changes", "schema"]

FOLDER: Final = "changes"
"""The folder of the templates, and of what they generate."""

_PAIR: Final = "{older}...{newer}"
_SINCE: Final = "added-since-{version}"

_MOST_IN_FEED: Final = 50
"""So many changes of a version stand in the feed; its page has all."""


class Changes:
    """What each template of the folder has to lay out."""

    def __init__(self, api: Api, projector: Projector, record: Record | None = None) -> None:
        self._api = api
        self._pages = list(pages(api, projector))
        self._periods = list(periods(api, projector, record)) if record else []

    def fanned_out(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (path, context) for each pair of versions, if *name* speaks of one, or once.

        Likewise for each period in which something was added to all versions.
        """
        title = self._api.document["info"]["title"]
        if _PAIR in name:
            for page in self._pages:
                heading = f"{title}: what changed from {page.older.date} to {page.newer.date}"
                yield name.replace(_PAIR, page.name), {"heading": heading, "page": page}
        elif _SINCE in name:
            for period in self._periods:
                if period.entries:
                    heading = f"{title}: added to all versions {period.words}"
                    yield name.replace(_SINCE, period.name), {"heading": heading, "page": period}
        else:
            yield (
                name,
                {
                    "title": title,
                    "heading": f"{title}: versions and what they changed",
                    "rows": _rows(self._api, self._pages, self._periods),
                    "pages": self._pages,
                    "periods": self._periods,
                    "announcements": [announced(told) for told in self._api.table.announcements],
                    "feed": _feed(self._api, self._pages, self._periods),
                },
            )


def schema() -> str:
    """Return the JSON Schema (2020-12) of a change page in JSON."""
    return Path(__file__).with_name("changes.schema.json").read_text(encoding="utf-8")


def _rows(api: Api, pages: list[Page], periods: list[Period]) -> list[dict[str, Any]]:
    """Return what the index says of each version, newest first; the first one has no page.

    ``since`` is what was added while the version was the newest, ``until`` what was before that.
    """
    table = api.table
    since = {period.since: period for period in periods if period.entries}
    until = {period.until: period for period in periods}
    before = dict(zip(table.dates[1:], table.dates, strict=False))
    by_name = {page.name: page for page in pages}
    return [
        {
            "version": version,
            "marks": [
                mark
                for mark, holds in (
                    ("default", version.date == table.default),
                    ("latest", version.date == table.latest),
                    ("draft", version.draft),
                    ("undisclosed", version.undisclosed),
                )
                if holds
            ],
            "page": by_name.get(f"{before.get(version.date)}...{version.date}"),
            "since": since.get(version.date),
            "until": until.get(version.date),
        }
        for version in reversed(table.versions)
    ]


def _feed(api: Api, pages: list[Page], periods: list[Period]) -> dict[str, Any]:
    """Return the feed's id, its date and its entries, newest first (RFC 4287 section 4.1).

    A day stands for its midnight in UTC. What was added to all versions is told with the version
    that was cut next: until then nothing says on which day.
    """
    table = api.table
    entries = [
        _entry(
            _urn(api, told.kind, told.version, told.day),
            told.announced,
            announced(told),
        )
        for told in table.announcements
    ]
    for row in _rows(api, pages, periods):
        version = row["version"]
        if not version.draft:
            title = f"{version.date}: {version.title}"
            entries.append(_entry(_urn(api, version.date), version.date, title, row))
    # a stable sort: versions stand newest first already
    entries.sort(key=lambda entry: str(entry["day"]), reverse=True)
    return {"id": _urn(api), "day": entries[0]["day"], "entries": entries}


def _entry(
    urn: str, day: str, title: str, row: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    page, period = row.get("page"), row.get("until")
    told = page.entries if page else ()
    added = period.entries if period else ()
    return {
        "id": urn,
        "day": day,
        "title": title,
        "page": page,
        "reasons": by_reason(told[:_MOST_IN_FEED]),
        "more": max(0, len(told) - _MOST_IN_FEED),
        "period": period,
        "added": added[:_MOST_IN_FEED],
        "more_added": max(0, len(added) - _MOST_IN_FEED),
    }


def _urn(api: Api, *subject: str) -> str:
    """Return a name that lasts (RFC 4287 section 4.2.6): of a package's feed, or of a part."""
    return uuid5(NAMESPACE_URL, "/".join(["dateline:changes", api.table.package, *subject])).urn
