"""The notation of parts of forms, in which versions may differ."""

from __future__ import annotations

from typing import Any, Final

from dateline.contracts.flat import View
from dateline.model import REMOVED

_CONTAINERS: Final = frozenset({"array", "object"})
_CONTENT: Final = "content"


def are_parts_written_alike(view: View, form: dict[str, Any]) -> bool:
    """Return whether the version writes the parts of *form*, a media type, as the newest one does.

    Parts that only one of them has are written in one way. So are texts and numbers.
    """
    then = view.era("media-type", form)
    newest, older = (each.get("encoding") or {} for each in (form, then))
    if not (newest or older):
        return True
    return all(
        _find_notation(_read_newest(newest, name), types)
        == _find_notation(_read(view, older, name), types)
        for name, fields in view.flat(then.get("schema", True)).fields.items()
        for each in fields
        if each.shown and not _is_removed(each.schema)
        if (types := view.types(each.schema)) & _CONTAINERS
    )


def _is_removed(node: Any) -> bool:
    return isinstance(node, dict) and REMOVED in node


def _read_newest(encoding: dict[str, Any], name: str) -> dict[str, Any]:
    entry: dict[str, Any] = encoding.get(name, {})
    return {} if _is_removed(entry) else entry


def _read(view: View, encoding: dict[str, Any], name: str) -> dict[str, Any]:
    entry = encoding.get(name, {})
    return view.era("encoding", entry) if view.shows(entry) else {}


def _find_notation(entry: dict[str, Any], types: frozenset[str]) -> str | tuple[str, bool]:
    """Return the style of a part of *types* and whether it is exploded, or that it has none."""
    if entry.keys().isdisjoint({"style", "explode"}):
        return _CONTENT
    style = entry.get("style", "form")
    notation = style, entry.get("explode", style == "form")
    # each item of a list is a part of its own
    return _CONTENT if notation == ("form", True) and "object" not in types else notation
