"""Change pages, their index and their feed, as data that templates lay out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from dateline.changes.pages import Differences, Page, describe_announcement, list_pages
from dateline.changes.record import Period
from dateline.changes.sections import group_by_reason
from dateline.model import Api
from dateline.project import Projector
from dateline.schema.memo import Memo
from dateline.versions import first_day

__all__ = ["FOLDER", "Changes", "list_news", "schema"]

FOLDER: Final = "changes"
"""The folder of the templates, and of what they generate."""

_PAIR: Final = "{older}...{newer}"
_SINCE: Final = "added-since-{version}"

_MOST_IN_FEED: Final = 50
"""At most so many changes of a version are in the feed; its page has all."""


class Changes:
    """The context of each template of the folder.

    *periods* are those of additions to all versions; *differences* explain what they say.
    """

    def __init__(
        self,
        api: Api,
        projector: Projector,
        periods: Sequence[Period] = (),
        differences: Differences | None = None,
    ) -> None:
        self._api = api
        self.periods = periods
        """The additions to all versions."""
        differences = differences or Differences(api, projector, shown=True)
        self.pages = list(list_pages(api.table, differences))
        """What differs between versions, for each two of them that have a page."""
        self.announced = [describe_announcement(each) for each in api.table.announcements]
        """What was announced, in words."""
        self.texts = differences.texts
        """All texts that entries of the pages may quote."""

    def digest(self) -> str:
        """Return a digest of everything that the templates are given."""
        title = self._api.document.get("info", {}).get("title", "")
        total = sha256(repr((self._api.table, title, self.announced, self.periods)).encode())
        # pages share entries
        digest = Memo(lambda entry: sha256(repr(entry).encode()).digest())
        for page in self.pages:
            total.update(repr(replace(page, entries=())).encode())
            total.update(b"".join(map(digest, page.entries)))
        return total.hexdigest()

    def fan_out(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the path and context of each page that the template *name* generates.

        A name may have a pair of versions in it, or a period of additions to all versions.
        """
        title = self._api.document.get("info", {}).get("title", "")
        if _PAIR in name:
            for page in self.pages:
                heading = f"{title}: what changed from {page.older.date} to {page.newer.date}"
                yield name.replace(_PAIR, page.name), {"heading": heading, "page": page}
        elif _SINCE in name:
            for period in self.periods:
                if period.entries:
                    heading = f"{title}: added to all versions {period.words}"
                    yield name.replace(_SINCE, period.name), {"heading": heading, "page": period}
        else:
            yield (
                name,
                {
                    "title": title,
                    "heading": f"{title}: versions and what they changed",
                    "rows": _rows(self._api, self.pages, self.periods),
                    "pages": self.pages,
                    "periods": self.periods,
                    "announcements": self.announced,
                    "retired": self._api.table.retired[::-1],
                    "feed": list_news(self._api, self.pages, self.periods),
                    "index": "index.html",
                },
            )


def schema() -> str:
    """Return the JSON Schema (2020-12) of a change page in JSON."""
    return Path(__file__).with_name("changes.schema.json").read_text(encoding="utf-8")


def _rows(api: Api, pages: list[Page], periods: Sequence[Period]) -> list[dict[str, Any]]:
    """Return the row of the index for each version, newest first; the first version has no page.

    ``since`` are the additions while the version was the newest, ``until`` those before that.
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


def list_news(api: Api, pages: list[Page], periods: Sequence[Period] = ()) -> dict[str, Any]:
    """Return the feed's id, its date and its entries, newest first (RFC 4287 section 4.1).

    A day counts as its midnight in UTC, a month as its first day. Additions to all versions are
    announced with the next cut version: until then their day is unknown.
    """
    table = api.table
    entries = [
        _entry(
            _urn(api, each.kind, each.version, each.day),
            each.announced,
            describe_announcement(each),
        )
        for each in table.announcements
    ]
    for one in table.retired:
        title = f"Version {one.date} ended on {one.ended}."
        entries.append(_entry(_urn(api, "ends", one.date, one.ended), one.ended, title))
    for row in _rows(api, pages, periods):
        version = row["version"]
        if not version.draft and not version.moving:
            title = f"{version.date}: {version.title}"
            entries.append(_entry(_urn(api, version.date), first_day(version.date), title, row))
    # a stable sort: versions are newest first already
    entries.sort(key=lambda entry: str(entry["day"]), reverse=True)
    return {"id": _urn(api), "day": entries[0]["day"], "entries": entries}


def _entry(
    urn: str, day: str, title: str, row: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    page, period = row.get("page"), row.get("until")
    changes = page.entries if page else ()
    added = period.entries if period else ()
    return {
        "id": urn,
        "day": day,
        "title": title,
        "page": page,
        "reasons": group_by_reason(changes[:_MOST_IN_FEED]),
        "more": max(0, len(changes) - _MOST_IN_FEED),
        "period": period,
        "added": added[:_MOST_IN_FEED],
        "more_added": max(0, len(added) - _MOST_IN_FEED),
    }


def _urn(api: Api, *subject: str) -> str:
    """Return a permanent name (RFC 4287 section 4.2.6) of a package's feed, or of a part."""
    return uuid5(NAMESPACE_URL, "/".join(["dateline:changes", api.table.package, *subject])).urn
