"""Copy the documentation of a newer document into an older one."""

from __future__ import annotations

from typing import Any

from dateline.changes.words import TEXTS, identify
from dateline.openapi import Arrangement, slot


def reword(kind: str, older: Any, newer: Any) -> Any:
    """Return *older*, an object of *kind*, with the documentation that *newer* has there.

    Nothing else changes: what only one of the two has stays as it is.
    """
    if not (isinstance(older, dict) and isinstance(newer, dict)):
        return older
    reworded = {
        key: newer[key] if key in TEXTS else _reword_below(kind, key, value, newer)
        for key, value in older.items()
        if key in newer or key not in TEXTS
    }
    return reworded | {key: newer[key] for key in newer if key in TEXTS}


def _reword_below(kind: str, key: str, older: Any, holder: dict[str, Any]) -> Any:
    arrangement, below = slot(kind, key)
    newer = holder.get(key)
    if arrangement is Arrangement.ONE:
        return reword(below, older, newer)
    if arrangement is Arrangement.MAP and isinstance(older, dict) and isinstance(newer, dict):
        return {name: reword(below, child, newer.get(name)) for name, child in older.items()}
    if arrangement is Arrangement.LIST and isinstance(older, list) and isinstance(newer, list):
        known = {str(identify(child)): child for child in reversed(newer) if identify(child)}
        alike = newer if len(older) == len(newer) else [None] * len(older)
        return [
            reword(below, child, known.get(str(identify(child))) if identify(child) else other)
            for child, other in zip(older, alike, strict=True)
        ]
    return older
