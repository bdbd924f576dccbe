"""Write the history of a node from what it was in each era."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import Any

from dateline.model import ADDED, REMOVED, WAS, copy_items


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


def restore_history(
    node: dict[str, Any], dates: Sequence[str], eras: Sequence[Any], name: str | None = None
) -> dict[str, Any]:
    """Return *node* as it is in *eras*, one for each of *dates*, newest first; None without it.

    Each of *dates* begins an era. The `name` of an era is what a field, whose key is *name*, is
    called then.
    """
    shown = [(date, era) for date, era in zip(dates, eras, strict=True) if era is not None]
    newest = shown[0][1]
    history = {
        date: {"set": older, "unset": unset}
        for (date, newer), (_, era) in pairwise(shown)
        for older in [{key: value for key, value in era.items() if _differs(newer, era, key)}]
        for unset in [[key for key in newer if key not in era]]
        if older or unset
    }
    without = {WAS} if name is None else {WAS, "name"}
    items = [(key, value) for key, value in newest.items() if key not in without]
    return copy_items(node, [*items, *([(WAS, history)] if history else [])])


def _differs(newer: dict[str, Any], era: dict[str, Any], key: str) -> bool:
    return key not in newer or (newer[key] is not era[key] and newer[key] != era[key])
