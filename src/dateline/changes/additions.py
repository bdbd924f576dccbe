"""Additions to all versions, period by period, and the record of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dateline.changes.entries import Entry
from dateline.changes.pages import Differences
from dateline.changes.record import Period, Record
from dateline.diff import DiffReadings, are_reworded
from dateline.gates import order
from dateline.model import Api
from dateline.project import Projector


def find_empty_period(api: Api, projector: Projector, record: Record) -> Period | None:
    """Return the open period if its version differs from *record* in words alone, else None.

    Nothing was added in it then, whatever these words are.
    """
    readings = DiffReadings()
    if record.version not in api.table.dates or not all(
        are_reworded(record.documents[name], document, readings)
        for name, document in projector.documents(record.version).items()
        if name in record.documents
    ):
        return None
    return _open_period(api, record, ())


def list_periods(
    api: Api, projector: Projector, record: Record, differences: Differences | None = None
) -> Iterator[Period]:
    """Yield the additions of each period, newest first, as *differences* explain them.

    The open period comes with its additions, which may be none; it is left out if its version has
    left the table.
    """
    differences = differences or Differences(api, projector)
    if record.version in api.table.dates:
        added = differences.list_additions(record.version, record.documents)
        yield _open_period(api, record, added)
    for period in reversed(record.closed):
        known = period.since in api.table.dates
        named = differences.name_calls(period.entries, period.since) if known else period.entries
        yield replace(period, entries=named)


def _open_period(api: Api, record: Record, entries: tuple[Entry, ...]) -> Period:
    environments = api.table.environment_names
    return Period(since=record.version, until=None, environments=environments, entries=entries)


def begin_record(projector: Projector, version: str) -> Record:
    """Return a new record, from what *version* promises now."""
    return Record(version=version, documents=projector.documents(version))


def continue_record(api: Api, projector: Projector, record: Record | None, version: str) -> Record:
    """Return *record* with its last period closed by the cut of *version*, which *api* has."""
    # messages can only be made as long as the documents of both ends are there
    differences = Differences(api, projector, shown=True)
    past = reversed(list(list_periods(api, projector, record, differences))) if record else ()
    return replace(
        begin_record(projector, version),
        words=record.words if record else {},
        closed=tuple(
            replace(period, until=period.until or version) for period in past if period.entries
        ),
    )


def drop_periods(record: Record, versions: tuple[str, ...]) -> Record:
    """Return *record* without what all of *versions*, the remaining ones, had from their start."""
    oldest = min(map(order, versions))
    return replace(
        record,
        closed=tuple(period for period in record.closed if order(period.since) >= oldest),
        words={date: rows for date, rows in record.words.items() if date in versions},
    )
