"""Read what published documents mean before they are compared."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dateline.diff import DiffReadings
from dateline.diff.documents import Key
from dateline.oddities import keep_oddities, list_wrapped, wrap_schemas
from dateline.openapi import is_old

Json = dict[str, Any]


def read_meanings(
    before: Json, after: Json, readings: DiffReadings, *, are_published: tuple[bool, bool]
) -> tuple[Json, Json]:
    """Return two documents for a comparison, with oddities replaced by their meaning.

    Only those that *are_published* may have any, and only what affects the comparison is read. A
    document without oddities there is returned unchanged. Raises TypeError for one that can't be
    read.
    """
    if before is after:
        return before, after
    if wrapped := list_wrapped(before) | list_wrapped(after):
        before, after = (wrap_schemas(document, wrapped) for document in (before, after))
    if is_old(before) != is_old(after):
        # all of both is compared
        older, newer = (
            _read(document, None) if is_published else document
            for document, is_published in zip((before, after), are_published, strict=True)
        )
        return older, newer
    first, second = readings.of(before), readings.of(after)
    relevant = readings.survey(first, second).list_relevant()
    read = before if not are_published[0] else _read(before, relevant)
    if are_published[0]:
        # what both have is the same object, and was read
        entries, others = first.document.entries, second.document.entries
        mine = {id(entry) for key, entry in entries.items() if key in relevant}
        left = {key for key in relevant if id(others.get(key)) not in mine}
        relevant = left if read is before else relevant
    return read, after if not are_published[1] else _read(after, relevant)


def _read(document: Json, relevant: Collection[Key] | None) -> Json:
    if relevant is None:
        return keep_oddities(document, strict=True)
    return keep_oddities(document, lambda section, name: (section, name) in relevant, strict=True)
