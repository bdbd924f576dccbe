"""What differs between two versions, judged and with reasons, for callers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from itertools import combinations, pairwise
from typing import Any, Final

from dateline.changes.reasons import Reason, Reasons
from dateline.check.merge import ChangeGroup, Merged
from dateline.diff import DiffReadings, diff
from dateline.model import Announcement, Api, Combination, Direction, Table, Verdict, Version
from dateline.openapi import VERSION
from dateline.project import Projector
from dateline.rules import RULES, describe

EVERY_PAIR: Final = 25
"""With more versions than these, not every two of them get a page. Neighbours do, and every version
with the latest."""

MOST_NAMED: Final = 500_000
"""Nor do they where all pages together would name operations more often than that: the pages would
outgrow the documents."""

_MOST_OPERATIONS: Final = 50
"""So many operations of an entry are named to people; programs get all."""

_VALUES: Final = ("before", "after")

_WEIGHTIEST_FIRST: Final = (Verdict.NEVER, Verdict.GATED, Verdict.ADDITIVE, Verdict.INFORMATION)

_SEEN_IN: Final = {
    Direction.REQUEST: "requests",
    Direction.RESPONSE: "responses",
    Direction.BOTH: "requests and responses",
    Direction.MODEL: "models",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing that differs between two versions, as plain values.

    ``versions`` are those whose gates made the change, oldest first, ``why`` is what `x-why` says
    there. ``upgrade`` says what a caller does about it. The others are those of ``Finding``.
    """

    rule: str
    verdict: Verdict
    message: str
    direction: Direction
    schema: str | None
    field: str
    before_pointer: str | None
    after_pointer: str | None
    before: Any
    after: Any
    operations: tuple[str, ...]
    environments: tuple[str, ...]
    versions: tuple[str, ...]
    why: str | None
    upgrade: str

    @classmethod
    def of(cls, group: ChangeGroup, reason: Reason) -> Entry:
        """Return the entry for *group*, which was made for *reason*."""
        change, judgement = group.change, group.judgement
        return cls(
            rule=judgement.rule,
            verdict=judgement.verdict,
            message=describe(change),
            direction=change.direction,
            schema=change.schema,
            field=change.field,
            before_pointer=change.before_pointer,
            after_pointer=change.after_pointer,
            before=change.before,
            after=change.after,
            operations=change.operations,
            environments=tuple(sorted({shown.environment for shown in group.combinations})),
            versions=reason.versions,
            why=reason.why,
            upgrade=RULES[judgement.rule].callers,
        )

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Entry:
        """Return the entry whose ``data`` this is."""
        lists = ("operations", "environments", "versions")
        return cls(
            **{
                **data,
                "verdict": Verdict(data["verdict"]),
                "direction": Direction(data["direction"]),
                **{name: tuple(data[name]) for name in lists},
            }
        )

    @cached_property
    def data(self) -> dict[str, Any]:
        """The entry as `changes.schema.json` describes it."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **plain,
            "verdict": str(self.verdict),
            "direction": str(self.direction),
            "operations": list(self.operations),
            "environments": list(self.environments),
            "versions": list(self.versions),
        }

    def only_in(self, environments: Iterable[str]) -> tuple[str, ...]:
        """Return the environments that are concerned, unless all of *environments* are."""
        return () if set(environments) <= set(self.environments) else self.environments

    @property
    def seen_in(self) -> str:
        """Where callers meet it: in requests, responses, or models that nothing refers to."""
        return _SEEN_IN[self.direction]

    @property
    def where(self) -> str:
        """The pointer into the newer document, or into the older one if it is gone there."""
        return self.after_pointer or self.before_pointer or ""

    @property
    def values(self) -> list[tuple[str, str]]:
        """The values before and after, as JSON, as far as there are any."""
        return [
            (name, json.dumps(value, ensure_ascii=False))
            for name, value in (("before", self.before), ("after", self.after))
            if value is not None
        ]

    @property
    def first_operations(self) -> tuple[str, ...]:
        """The operations to name to people; ``unnamed`` counts the others."""
        return self.operations[:_MOST_OPERATIONS]

    @property
    def unnamed(self) -> int:
        return len(self.operations) - len(self.first_operations)


@dataclass(frozen=True, kw_only=True)
class Page:
    """What differs between two versions, the weightiest first.

    ``announcements`` are those that concern one of the two.
    """

    older: Version
    newer: Version
    undisclosed: tuple[str, ...]
    environments: tuple[str, ...]
    announcements: tuple[Announcement, ...]
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """The name of the page's files, without their suffix."""
        return f"{self.older.date}...{self.newer.date}"

    @property
    def counts(self) -> dict[str, int]:
        """How many entries have each verdict, the weightiest first; all but `information`."""
        counted = Counter(entry.verdict for entry in self.entries)
        return {
            str(verdict): counted[verdict]
            for verdict in _WEIGHTIEST_FIRST
            if verdict is not Verdict.INFORMATION
        }

    @property
    def announced(self) -> list[str]:
        """The announcements in words."""
        return [describe_announcement(announcement) for announcement in self.announcements]

    @property
    def summary(self) -> str:
        """The counts in words: `1 gated, 1 additive`, `not disclosed`, or `no changes`."""
        counts = [f"{count:,} {verdict}" for verdict, count in self.counts.items() if count]
        if self.undisclosed:
            counts.append("more not disclosed" if counts else "not disclosed")
        return ", ".join(counts) or "no changes"

    @property
    def reasons(self) -> list[tuple[str | None, list[Entry]]]:
        """All entries, as ``group_by_reason`` gives them."""
        return group_by_reason(self.entries)

    @property
    def about(self) -> dict[str, Any]:
        """The page as `changes.schema.json` describes it, but for its changes."""
        return {
            "older": self.older.date,
            "newer": self.newer.date,
            "draft": self.newer.draft,
            "undisclosed": list(self.undisclosed),
            "environments": list(self.environments),
            "announcements": [each.data for each in self.announcements],
            "summary": self.counts,
        }


def group_by_reason(entries: Iterable[Entry]) -> list[tuple[str | None, list[Entry]]]:
    """Return *entries* by reason, in the order of the first of each; without one they come last."""
    found: dict[str | None, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.why, []).append(entry)
    return sorted(found.items(), key=lambda item: item[0] is None)


def describe_announcement(announcement: Announcement) -> str:
    """Return *announcement* as a sentence."""
    happens = {"default": "becomes the default", "ends": "ends"}[announcement.kind]
    return f"Version {announcement.version} {happens} on {announcement.day}."


def list_pages(api: Api, projector: Projector) -> Iterator[Page]:
    """Yield a page for every two versions of *api*, within ``EVERY_PAIR`` and ``MOST_NAMED``."""
    differences = Differences(api, projector)
    versions = api.table.versions
    steps = {pair: differences.page(*pair) for pair in pairwise(versions)}
    every = len(versions) <= EVERY_PAIR and _count_operations(list(steps.values())) <= MOST_NAMED
    for pair in combinations(versions, 2) if every else _fewer(api.table):
        yield steps[pair] if pair in steps else differences.page(*pair)


def compare_versions(api: Api, projector: Projector, older: Version, newer: Version) -> Page:
    """Return what differs between *older* and *newer* in any environment."""
    return Differences(api, projector).page(older, newer)


class Differences:
    """What differs between versions of an API; what several of them share is read once."""

    def __init__(self, api: Api, projector: Projector) -> None:
        self._api = api
        self._projector = projector
        self._readings = DiffReadings()
        self._origin = cache(projector.origin)
        self._documents: dict[Combination, dict[str, Any]] = {}
        self._entries: dict[tuple[Any, ...], Entry] = {}

    def page(self, older: Version, newer: Version) -> Page:
        """Return what differs between *older* and *newer* in any environment."""
        table = self._api.table
        dates = list(table.dates)
        between = table.versions[dates.index(older.date) + 1 : dates.index(newer.date) + 1]
        return Page(
            older=older,
            newer=newer,
            undisclosed=tuple(version.date for version in between if version.undisclosed),
            environments=tuple(environment.name for environment in table.environments),
            announcements=tuple(
                each for each in table.announcements if each.version in (older.date, newer.date)
            ),
            entries=tuple(entry for _, entry in self.list_entries(older, newer)),
        )

    def list_entries(self, older: Version, newer: Version) -> list[tuple[ChangeGroup, Entry]]:
        """Return each change between *older* and *newer*, and its entry."""
        table = self._api.table
        merged = Merged(table.policy, table.verdicts)
        for name in (environment.name for environment in table.environments):
            now = Combination(newer.date, name)
            before, after = map(self._document, (Combination(older.date, name), now))
            renames = self._projector.renames(older.date, newer.date, name)
            for change in diff(before, after, renames, self._readings):
                # what a version is called is not what it changed
                if change.after_pointer != VERSION:
                    merged.add(change, now)
        groups = sorted(merged, key=_weight)
        reasons = Reasons(self._api, self._origin, older.date, newer.date).of(
            (group.change, group.combinations[0].environment) for group in groups
        )
        return [
            (group, self._once(Entry.of(group, reason)))
            for group, reason in zip(groups, reasons, strict=True)
        ]

    def _once(self, entry: Entry) -> Entry:
        """Return the equal entry of another pair of versions, if there is one: one object."""
        key = {**vars(entry), **{name: json.dumps(vars(entry)[name]) for name in _VALUES}}
        return self._entries.setdefault(tuple(key.values()), entry)

    def _document(self, shown: Combination) -> dict[str, Any]:
        if shown not in self._documents:
            self._documents[shown] = self._projector.contract(*shown).document
        return self._documents[shown]


def _count_operations(steps: Sequence[Page]) -> int:
    """Return about how often the pages of every two versions would name an operation.

    The changes of one of the *steps* are on all pages that begin before it and end after it.
    """
    return sum(
        before * (len(steps) - before + 1) * sum(len(entry.operations) for entry in step.entries)
        for before, step in enumerate(steps, 1)
    )


def _fewer(table: Table) -> list[tuple[Version, Version]]:
    versions = table.versions
    *earlier, latest = table.supported
    jumps = [(older, latest) for older in earlier]
    # in the order of the table, each once
    return sorted({*pairwise(versions), *jumps}, key=lambda pair: tuple(map(versions.index, pair)))


def _weight(group: ChangeGroup) -> tuple[Any, ...]:
    change = group.change
    where = change.after_pointer or change.before_pointer or ""
    return _WEIGHTIEST_FIRST.index(group.judgement.verdict), where, group.key
