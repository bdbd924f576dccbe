"""Take the documentation of a newer document over into an older one."""

from __future__ import annotations

from typing import Any, Final

from dateline.openapi import Shape, slot

_DOCUMENTATION: Final = frozenset({"description", "summary", "example", "examples", "externalDocs"})
"""Keys that tell people something, of any object of a document."""


def reword(kind: str, older: Any, newer: Any) -> Any:
    """Return *older*, an object of *kind*, with the documentation that *newer* has there.

    Nothing else changes: what only one of the two has stays as it is.
    """
    if not (isinstance(older, dict) and isinstance(newer, dict)):
        return older
    made = {
        key: newer[key] if key in _DOCUMENTATION else _reword_below(kind, key, value, newer)
        for key, value in older.items()
        if key in newer or key not in _DOCUMENTATION
    }
    return made | {key: newer[key] for key in newer if key in _DOCUMENTATION}


def _reword_below(kind: str, key: str, older: Any, holder: dict[str, Any]) -> Any:
    shape, below = slot(kind, key)
    newer = holder.get(key)
    if shape is Shape.ONE:
        return reword(below, older, newer)
    if shape is Shape.MAP and isinstance(older, dict) and isinstance(newer, dict):
        return {name: reword(below, child, newer.get(name)) for name, child in older.items()}
    if shape is Shape.LIST and isinstance(older, list) and isinstance(newer, list):
        known = {_identity(child): child for child in reversed(newer)}
        return [reword(below, child, known.get(_identity(child))) for child in older]
    return older


def _identity(node: Any) -> Any:
    """Return what an item of a list is known by in all versions; None where nothing tells."""
    if not isinstance(node, dict):
        return None
    found = (node.get("$ref"), node.get("name"), node.get("in"), node.get("url"))
    return found if any(isinstance(each, str) for each in found) else None
