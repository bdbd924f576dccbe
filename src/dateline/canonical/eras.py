"""Write the history of a node from what it was in each era."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from dateline.model import ADDED, REMOVED, WAS


def with_eras(dates: list[str], eras: list[Any]) -> dict[str, Any]:
    """Return a node with the history *eras*, given newest first; None where it is absent.

    *eras* begins with the current one; each of *dates*, newest first, ends the era after it.
    """
    newest = next(at for at, each in enumerate(eras) if each is not None)
    found = {**eras[newest], **({REMOVED: dates[newest - 1]} if newest else {})}
    last = next((at for at in range(newest, len(dates)) if eras[at + 1] is None), None)
    if last is not None:
        found[ADDED] = dates[last]
    history = dict(list_history(dates[newest:last], eras[newest:], frozenset()))
    return {**found, WAS: history} if history else found


def list_history(
    dates: list[str], eras: list[dict[str, Any]], without: Container[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the `x-was` entry of each date: the keys that differ between an era and the next."""
    for date, newer, older in zip(dates, eras, eras[1:], strict=False):
        keys = {key: None for key in (*newer, *older) if key not in without}
        entry = {key: older.get(key) for key in keys if older.get(key) != newer.get(key)}
        if entry:
            yield date, entry
