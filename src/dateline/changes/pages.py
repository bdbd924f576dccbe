"""Compare two versions for callers: judged changes, with reasons."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations, pairwise
from typing import Any, Final

from dateline import progress
from dateline.cache import Recollection
from dateline.changes.entries import (
    DOCUMENTATION,
    MOST_OPERATIONS,
    Calls,
    Entry,
    Explanation,
    merge_values,
)
from dateline.changes.fragments import FragmentLine, MessageFragments, MessageValues
from dateline.changes.reasons import Reason, Reasons
from dateline.changes.sections import PageSection, count_breaking, list_sections
from dateline.check.merge import ChangeGroup, ChangeGroups
from dateline.diff import DiffReadings, diff
from dateline.model import Announcement, Api, Change, Combination, Table, Verdict, Version
from dateline.openapi import VERSION, method_name, operations, path_items
from dateline.project import Projector
from dateline.rules import describe
from dateline.rules.effects import describe_effect
from dateline.schema.memo import memoize
from dateline.schema.references import Located, Resolver

EVERY_PAIR: Final = 25
"""With more versions than these, not every two of them get a page. Neighbours do, and every version
with the latest."""

MOST_NAMED: Final = 500_000
"""Nor do they where all pages together would name operations more often than that: the pages would
outgrow the documents."""

_MOST_SHOWN: Final = 200
"""So many changes of a page, the weightiest ones, are shown in a message: making one takes time."""

_VALUES: Final = ("before", "after")

_WEIGHTIEST_FIRST: Final = (Verdict.NEVER, Verdict.GATED, Verdict.ADDITIVE, Verdict.INFORMATION)


@dataclass(frozen=True, kw_only=True)
class Page:
    """The differences between two versions, the gravest first.

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
        """The number of entries by verdict, the gravest first; all but `information`."""
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
        """The counts in words: `1 breaking, 2 others`, `not disclosed`, or `no changes`."""
        counts = count_breaking(self.shown)
        if self.undisclosed:
            counts.append("more not disclosed" if counts else "not disclosed")
        return ", ".join(counts) or "no changes"

    @cached_property
    def shown(self) -> list[Entry]:
        """The entries for people: values that an enumeration gained, or lost, are one entry."""
        return merge_values(self.entries)

    @property
    def sections(self) -> list[PageSection]:
        """The entries for people, in reading order."""
        return list_sections(self.shown)

    @property
    def about(self) -> dict[str, Any]:
        """The page as `changes.schema.json` describes it, without its changes."""
        return {
            "older": self.older.date,
            "newer": self.newer.date,
            "draft": self.newer.draft,
            "undisclosed": list(self.undisclosed),
            "environments": list(self.environments),
            "announcements": [each.data for each in self.announcements],
            "summary": self.counts,
        }


def describe_announcement(announcement: Announcement) -> str:
    """Return *announcement* as a sentence."""
    happens = {"default": "becomes the default", "ends": "ends"}[announcement.kind]
    sentence = f"Version {announcement.version} {happens} on {announcement.day}."
    if announcement.brownouts:
        sentence += f" Before that, it is refused {announcement.refused}, so that you notice."
    return sentence


def list_pages(table: Table, differences: Differences) -> Iterator[Page]:
    """Yield a page for every two versions of *table*, within ``EVERY_PAIR`` and ``MOST_NAMED``."""
    versions = table.versions
    pairs = [*pairwise(versions)]
    counted = progress.count("comparing the versions", pairs)
    steps = {pair: differences.page(*pair) for pair in counted}
    every = len(versions) <= EVERY_PAIR and _count_operations(list(steps.values())) <= MOST_NAMED
    pairs = [*(combinations(versions, 2) if every else _fewer(table))]
    for pair in progress.count("comparing the versions", pairs):
        yield steps[pair] if pair in steps else differences.page(*pair)


def compare_versions(api: Api, projector: Projector, older: Version, newer: Version) -> Page:
    """Return the differences between *older* and *newer* in any environment."""
    return Differences(api, projector).page(older, newer)


class Differences:
    """The differences between versions of an API; what several of them share is read once.

    With *shown*, entries have lines that show the change in a message.
    """

    def __init__(
        self,
        api: Api,
        projector: Projector,
        *,
        shown: bool = False,
        known: Recollection | None = None,
    ) -> None:
        self._shown = shown
        self._known = known
        self._api = api
        self._projector = projector
        self._readings = DiffReadings()
        self._origin = memoize(projector.origin)
        self._summaries = memoize(self._find_summaries)
        self._calls: dict[Calls, Calls] = {}
        self._fragments = memoize(self._make_fragments)
        self._values = memoize(self._make_values)
        self._document = memoize(self._make_document)
        self._resolver = memoize(self._make_resolver)
        self._entries: dict[tuple[Any, ...], Entry] = {}
        self._said: dict[int, Any] = {}
        self.texts: set[str] = set()
        """All texts that entries may quote: of values before and after, and summaries."""

    def page(self, older: Version, newer: Version) -> Page:
        """Return the differences between *older* and *newer* in any environment."""
        table = self._api.table
        dates = list(table.dates)
        between = table.versions[dates.index(older.date) + 1 : dates.index(newer.date) + 1]
        return Page(
            older=older,
            newer=newer,
            undisclosed=tuple(version.date for version in between if version.undisclosed),
            environments=table.environment_names,
            announcements=tuple(
                each for each in table.announcements if each.version in (older.date, newer.date)
            ),
            entries=tuple(entry for _, entry in self.list_entries(older, newer)),
        )

    def list_entries(self, older: Version, newer: Version) -> list[tuple[ChangeGroup, Entry]]:
        """Return each change between *older* and *newer*, and its entry."""
        table = self._api.table
        merged = ChangeGroups(table.policy, table.verdicts)
        for name in table.environment_names:
            now = Combination(newer.date, name)
            before, after = map(self._document, (Combination(older.date, name), now))
            renames = self._projector.renames(older.date, newer.date, name)
            for change in diff(before, after, renames, self._readings):
                self._collect_texts(change)
                # the name of a version is not one of its changes
                if change.after_pointer != VERSION and not self._names_version(change, now):
                    merged.add(change, now)
        groups = sorted(merged, key=_weight)
        reasons = Reasons(self._api, self._origin, older.date, newer.date).of(
            (group.change, group.combinations[0].environment) for group in groups
        )
        pair = older.date, newer.date
        explain = self._make_explain(pair, partial(self._fragments, *pair))
        return [
            (group, self._once(Entry.of(group, reason, explain(group, rank))))
            for rank, (group, reason) in enumerate(zip(groups, reasons, strict=True))
        ]

    def _names_version(self, change: Change, newer: Combination) -> bool:
        """Return whether *change* is that of a version in the parameter that chooses one."""
        table = self._api.table
        if change.before not in table.dates or change.after not in table.dates:
            return False
        at = (change.after_pointer or "").rpartition("/schema/")[0]
        node = self._resolver(newer).resolve(f"#{at}") if at else None
        chosen = table.place_of_version, table.header.lower()
        return isinstance(node, dict) and chosen == (node.get("in"), str(node.get("name")).lower())

    def list_additions(
        self, version: str, documents: Mapping[str, dict[str, Any]]
    ) -> tuple[Entry, ...]:
        """Return what *version* promises beyond its earlier *documents*, by environment, by place.

        Only additive changes, documentation aside; an environment that *documents* lacks is
        ignored.
        """
        table = self._api.table
        merged = ChangeGroups(table.policy, table.verdicts)
        for name in table.environment_names:
            if name in documents:
                now = Combination(version, name)
                for change in diff(documents[name], self._document(now), words=False):
                    merged.add(change, now)
        groups = sorted(filter(_is_addition, merged), key=_place)

        @cache
        def compare(environment: str) -> MessageFragments:
            before = MessageValues(documents[environment])
            return MessageFragments(before, self._values(version, environment))

        explain = self._make_explain((version,), compare)
        return tuple(
            Entry.of(group, Reason(), explain(group, rank)) for rank, group in enumerate(groups)
        )

    def name_calls(self, entries: Iterable[Entry], version: str) -> tuple[Entry, ...]:
        """Return recorded *entries* with the summaries of their operations in *version*."""
        calls = self._make_calls((version,))
        return tuple(
            replace(entry, explanation=entry.explanation._replace(calls=calls(entry.operations)))
            for entry in entries
        )

    def _make_explain(
        self, versions: Sequence[str], compare: Callable[[str], MessageFragments]
    ) -> Callable[[ChangeGroup, int], Explanation]:
        """Return a function that explains a change, given with its rank.

        *compare* has the fragments of an environment; summaries are those of the last of
        *versions*.
        """
        calls = self._make_calls(versions)

        def explain(group: ChangeGroup, rank: int) -> Explanation:
            change, environment = group.change, group.combinations[0].environment
            lines: tuple[FragmentLine, ...] = ()
            if self._shown and rank < _MOST_SHOWN:
                lines = compare(environment).list_lines(change)
            description = self._find_description(change, Combination(versions[-1], environment))
            self.texts.add(description)
            return Explanation(
                describe_effect(change), calls(change.operations), lines, description
            )

        return explain

    def _find_description(self, change: Change, newer: Combination) -> str:
        """Return the description of what is new in *newer* by *change*; empty if there is none."""
        if change.before_pointer is not None or change.after_pointer is None:
            return ""
        resolver = self._resolver(newer)
        node = resolver.resolve(f"#{change.after_pointer}")
        for each in (node, resolver.follow(Located(node, change.after_pointer)).value):
            if isinstance(each, dict) and isinstance(each.get("description"), str):
                return str(each["description"])
        return ""

    def _make_calls(self, versions: Sequence[str]) -> Callable[[tuple[str, ...]], Calls]:
        """Return a function that adds their summaries in the last of *versions* to operations."""

        def summarize(name: str) -> str:
            known = map(self._summaries, reversed(versions))
            return next((each[name] for each in known if name in each), "")

        @cache
        def calls(operations: tuple[str, ...]) -> Calls:
            named = operations[:MOST_OPERATIONS]
            found = tuple((name, summarize(name)) for name in named)
            self.texts.update(summary for _, summary in found)
            # one object for all pages: it is laid out once
            return self._calls.setdefault(found, found)

        return calls

    def _collect_texts(self, change: Change) -> None:
        pending: list[Any] = [change.before, change.after]
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                self.texts.add(value)
            # the value is stored beside its id, which is unique only while it lives
            elif isinstance(value, dict | list) and id(value) not in self._said:
                self._said[id(value)] = value
                pending += value.values() if isinstance(value, dict) else value
        for inner in change.within:
            self._collect_texts(inner)

    def _make_fragments(self, older: str, newer: str, environment: str) -> MessageFragments:
        return MessageFragments(*(self._values(date, environment) for date in (older, newer)))

    def _make_values(self, version: str, environment: str) -> MessageValues:
        which = Combination(version, environment)
        return MessageValues(self._document(which), self._known, which)

    def _find_summaries(self, version: str) -> dict[str, str]:
        """Return the summary of each operation of *version*, in any environment, by its name."""
        found: dict[str, str] = {}
        for name in self._api.table.environment_names:
            which = Combination(version, name)
            resolver = self._resolver(which)
            for path, item in path_items(self._document(which)):
                node = resolver.follow(Located(item, "")).value
                for method, operation in operations(node):
                    summary = operation.get("summary")
                    if isinstance(summary, str):
                        found[f"{method_name(method)} {path}"] = summary
        return found

    def _once(self, entry: Entry) -> Entry:
        """Return the equal entry of another pair of versions, if there is one: one object."""
        key = {**vars(entry), **{name: json.dumps(vars(entry)[name]) for name in _VALUES}}
        return self._entries.setdefault(tuple(key.values()), entry)

    def _make_resolver(self, which: Combination) -> Resolver:
        return Resolver(self._document(which))

    def _make_document(self, shown: Combination) -> dict[str, Any]:
        return self._projector.contract(*shown).document


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


def _is_addition(group: ChangeGroup) -> bool:
    judgement = group.judgement
    return judgement.verdict is Verdict.ADDITIVE and judgement.rule not in DOCUMENTATION


def _place(group: ChangeGroup) -> tuple[str, str]:
    change = group.change
    return change.after_pointer or change.before_pointer or "", describe(change)


def _weight(group: ChangeGroup) -> tuple[Any, ...]:
    change = group.change
    where = change.after_pointer or change.before_pointer or ""
    return _WEIGHTIEST_FIRST.index(group.judgement.verdict), where, group.key
