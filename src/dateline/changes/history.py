"""The history of a component, field, value or operation, with reasons and source positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from dateline.changes.additions import list_periods
from dateline.changes.entries import Entry
from dateline.changes.pages import Differences
from dateline.changes.record import Period, Record
from dateline.changes.subjects import Subject, find_subject, is_present, is_step, list_referred
from dateline.check.merge import ChangeGroup
from dateline.diff.naming import Name, name
from dateline.model import EVERYWHERE, Api, Change, Kind, Place
from dateline.openapi import parts, pointer
from dateline.project import Projector
from dateline.report.escaping import escape_line

_OF_MEMBERS: Final = frozenset(
    {
        *(Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED, Kind.VALUE_ADDED, Kind.VALUE_REMOVED),
        *(Kind.OPEN_VALUE_ADDED, Kind.OPEN_VALUE_REMOVED),
    }
)

_FROM_THE_START: Final = "there from the first version on"


@dataclass(frozen=True, kw_only=True)
class Event:
    """A change of a thing by one version; ``entry`` is None if it was there from the start.

    ``only_in`` are the affected environments, unless all are.
    """

    version: str
    message: str
    entry: Entry | None
    only_in: tuple[str, ...] = ()
    place: Place


@dataclass(frozen=True, kw_only=True)
class History:
    """The versions that have a thing, and its changes, oldest first.

    ``called`` is its name in the newest of them, ``place`` its place in the definitions.
    """

    called: str
    place: Place
    versions: tuple[str, ...]
    events: tuple[Event, ...]

    def lines(self) -> Iterator[str]:
        """Yield the history as lines for people."""
        yield escape_line(f"{self.called} ({self.place})")
        for event in self.events:
            entry = event.entry
            verdict = f"{entry.verdict} [{entry.rule}] " if entry else ""
            yield f"  {event.version:10}  {verdict}{escape_line(event.message)}"
            if entry is None:
                continue
            margin = " " * 14
            if event.only_in:
                yield f"{margin}only in {', '.join(event.only_in)}"
            if entry.why is not None:
                yield f"{margin}why: {escape_line(entry.why)}"
            yield f"{margin}{event.place}"

    def text(self) -> str:
        """Return the history as JSON."""
        data = {
            "name": self.called,
            "source": self.place._asdict(),
            "versions": list(self.versions),
            "history": [
                {
                    "version": event.version,
                    "message": event.message,
                    "source": event.place._asdict(),
                    "change": event.entry.data if event.entry else None,
                }
                for event in self.events
            ],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)


def trace_history(api: Api, called: str, record: Record | None = None) -> History:
    """Return the history of the component, field, enum value, union member or operation *called*.

    Every name that it ever had leads to it; the newest version with that name decides. The *record*
    has the additions to all versions, which are part of the first one, too. Raises LookupError,
    with the nearest name, if no version knows the name.
    """
    projector = Projector(api)
    documents = {date: projector.contract(date, EVERYWHERE).document for date in api.table.dates}
    found, subject = _find_newest(documents, called)
    added = list(list_periods(api, projector, record)) if record else []
    trail = _Trail(api, projector, documents, added, found, subject)
    versions = trail.versions()
    newest = trail.subjects[versions[-1]]
    return History(
        called=newest.name_in(documents[versions[-1]]),
        place=projector.place(newest.at, versions[-1], EVERYWHERE),
        versions=versions,
        events=tuple(trail.events()),
    )


def schema() -> str:
    """Return the JSON Schema (2020-12) of a history in JSON; its changes are those of the pages."""
    own, pages = (
        json.loads(Path(__file__).with_name(f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("history", "changes")
    )
    whole = {**own, "$defs": {**own["$defs"], **pages["$defs"]}}
    return json.dumps(whole, indent=2) + "\n"


def _find_newest(documents: dict[str, dict[str, Any]], called: str) -> tuple[str, Subject]:
    """Return the thing *called* so in the newest version that knows the name, and that version."""
    unknown: list[LookupError] = []
    for date in reversed(documents):
        try:
            return date, find_subject(documents[date], called)
        except LookupError as error:
            unknown.append(error)
    # people most likely mean a name of the newest version
    raise unknown[0]


class _Trail:
    """One thing, followed through all versions from one that has it."""

    def __init__(
        self,
        api: Api,
        projector: Projector,
        documents: dict[str, dict[str, Any]],
        periods: list[Period],
        found: str,
        subject: Subject,
    ) -> None:
        self._api = api
        self._projector = projector
        self._documents = documents
        self._periods = periods
        self.subjects = {found: subject}
        dates = list(documents)
        at = dates.index(found)
        for newer, older in pairwise(reversed(dates[: at + 1])):
            self.subjects[older] = self._older(older, newer)
        for older, newer in pairwise(dates[at:]):
            self.subjects[newer] = self._newer(older, newer)

    def _older(self, older: str, newer: str) -> Subject:
        renames = self._projector.renames(older, newer, EVERYWHERE)
        subject = self.subjects[newer]
        steps = parts(subject.at)
        named = [renames.get(pointer(steps[: index + 1]), step) for index, step in enumerate(steps)]
        return subject._replace(at=pointer(tuple(named)))

    def _newer(self, older: str, newer: str) -> Subject:
        renames = self._projector.renames(older, newer, EVERYWHERE)
        subject = self.subjects[older]
        named: tuple[str, ...] = ()
        for step in parts(subject.at):
            renamed = [
                parts(at)[-1]
                for at, was in renames.items()
                if was == step and parts(at)[:-1] == named
            ]
            named = (*named, *(renamed or [step]))
        return subject._replace(at=pointer(named))

    def versions(self) -> tuple[str, ...]:
        """Return the versions that have it, oldest first."""
        return tuple(date for date in self._documents if self._is_present(date))

    def _is_present(self, date: str) -> bool:
        return is_present(self._documents[date], self.subjects[date])

    def events(self) -> Iterator[Event]:
        """Yield its changes, oldest first."""
        first = self._api.table.versions[0]
        if self._is_present(first.date):
            yield self._at_first(first.date)
        differences = Differences(self._api, self._projector)
        for older, newer in pairwise(self._api.table.versions):
            judged = differences.list_entries(older, newer)
            pair = older.date, newer.date
            own = [(group, entry) for group, entry in judged if self._concerns(group.change, *pair)]
            if not own and self._is_present(older.date) != self._is_present(newer.date):
                # it was added or removed with its container
                own = [found for found in judged if self._surrounds(found[0].change, *pair)]
            for group, entry in own:
                yield self._event(group, entry, *pair)

    def _at_first(self, date: str) -> Event:
        document = self._documents[date]
        subject = self.subjects[date]
        return Event(
            version=date,
            message=f"{subject.name_in(document)}: {self._since() or _FROM_THE_START}",
            entry=None,
            place=self._projector.place(subject.at, date, EVERYWHERE),
        )

    def _since(self) -> str | None:
        """Return when it, or its container, was added to all versions; None if it was not."""
        for period in self._periods:
            subject = self.subjects.get(period.since)
            if subject is not None and any(_brings(one, subject) for one in period.entries):
                return f"added to all versions {period.words}"
        return None

    def _event(self, group: ChangeGroup, entry: Entry, older: str, newer: str) -> Event:
        gone = entry.after_pointer is None
        return Event(
            version=newer,
            message=entry.message,
            entry=entry,
            only_in=entry.only_in(self._api.table.environment_names),
            place=self._projector.place(
                entry.where, older if gone else newer, group.combinations[0].environment
            ),
        )

    def _names(self, *dates: str) -> Iterator[tuple[Subject, Name, list[Name]]]:
        """Yield for each of *dates* the thing, its name, and the names of its references."""
        for date in dates:
            document, subject = self._documents[date], self.subjects[date]
            if is_present(document, subject):
                yield subject, name(document, subject.at), list_referred(document, subject)

    def _concerns(self, change: Change, older: str, newer: str) -> bool:
        return any(
            _is_of(change, subject, own) or any(_within(change, other) for other in others)
            for subject, own, others in self._names(older, newer)
        )

    def _surrounds(self, change: Change, older: str, newer: str) -> bool:
        """Return whether *change* adds or removes the container of the thing."""
        if change.before_pointer is not None and change.after_pointer is not None:
            return False
        return any(
            own.schema == change.schema and _is_within(own.field, change.field)
            for _, own, _ in self._names(older, newer)
        )


def _brings(entry: Entry, subject: Subject) -> bool:
    """Return whether *entry* adds the thing, or its container."""
    if entry.before_pointer is not None or entry.after_pointer is None:
        return False
    added = parts(entry.after_pointer)
    if subject.member is not None and entry.after == subject.member:
        # an item of a list, a keyword of the schema
        return added[:-2] == parts(subject.at)
    return parts(subject.at)[: len(added)] == added


def _is_of(change: Change, subject: Subject, own: Name) -> bool:
    """Return whether *change* concerns the thing itself, or something inside it."""
    if subject.operation:
        return subject.operation in change.operations
    if subject.member is not None:
        value = change.before if change.after is None else change.after
        here = (change.schema, change.field) == own and change.kind in _OF_MEMBERS
        return here and value == subject.member
    return _within(change, own)


def _within(change: Change, own: Name) -> bool:
    return change.schema == own.schema and _is_within(change.field, own.field)


def _is_within(field: str, around: str) -> bool:
    """Return whether *field* is *around*, or below it."""
    return not around or is_step(field, around)
