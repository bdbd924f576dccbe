"""Decide whether a parameter of another type accepts every former text, as the same value."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from dateline.diff.unions import outline
from dateline.diff.views import SchemaView, is_assertion, without_implied
from dateline.schema.references import Located
from dateline.schema.values import text

_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})
_SEPARATORS: Final = ", |"

# Styles in which one value is written like a list of it: `label` splits a number at its point.
_LISTS: Final = {
    "query": ("form", "spaceDelimited", "pipeDelimited"),
    "path": ("simple", "matrix"),
    "header": ("simple",),
}


class Spelling(NamedTuple):
    """How the items of a list are written into a parameter.

    ``lists`` if one item is written like a single value; ``parted`` if a character separates
    several items.
    """

    lists: bool
    parted: bool


def read_spelling(place: str, style: str, *, explode: bool) -> Spelling:
    """Return how a parameter of *style* is written (OpenAPI 3.1.1, section 4.8.12.4)."""
    return Spelling(style in _LISTS.get(place, ()), not (style == "form" and explode))


def find_wider_types(
    before: SchemaView, after: SchemaView, spelled: Spelling
) -> tuple[Located, Located] | None:
    """Return the types of *before* and *after* if all former requests stay valid; else None.

    None, too, if both have a type in common: then they are compared keyword by keyword.
    """
    ours, theirs = _types(before), _types(after)
    if ours == theirs == {"array"}:
        first, second = _items(before), _items(after)
        if (
            first is None
            or second is None
            or _texts(_assertions(before)) != _texts(_assertions(after))
        ):
            return None
        return find_wider_types(first, second, Spelling(lists=False, parted=spelled.parted))
    if ours & theirs or not _is_scalar(before):
        return None
    fits = _is_any_text(before, after) if _is_scalar(after) else _is_list_of(before, after, spelled)
    return (_locate_types(before), _locate_types(after)) if fits else None


def _types(view: SchemaView) -> set[str]:
    return (view.types or set()) - {"null"}


def _assertions(view: SchemaView) -> dict[str, list[Located]]:
    """Return its keywords except its type, its values, its items and annotations."""
    return {
        keyword: facts
        for keyword, facts in view.facts.items()
        if is_assertion(keyword) and keyword != "deprecated"
    }


def _items(view: SchemaView) -> SchemaView | None:
    """Return the schema of its items, if there is no other keyword about them."""
    if view.below.keys() != {"items"} or view.maps or view.unions or view.values is not None:
        return None
    return view.under("items")


def _value_texts(view: SchemaView) -> set[str] | None:
    """Return the texts of its values, if they are listed."""
    if view.values is None:
        return {"true", "false"} if _types(view) == {"boolean"} else None
    return {_format(fact.value) for fact in view.values.values()}


def _is_scalar(view: SchemaView) -> bool:
    types = _types(view)
    return bool(types) and types <= _SCALARS and not (view.unions or view.below)


def _locate_types(view: SchemaView) -> Located:
    names = without_implied(_types(view))
    return Located(names[0] if len(names) == 1 else names, view.types_at)


def _is_any_text(before: SchemaView, after: SchemaView) -> bool:
    """Return whether *after* is text that accepts every spelling of *before*."""
    ours, theirs = _assertions(before), _assertions(after)
    if _types(after) != {"string"} or theirs.keys() - {"default"}:
        return False
    first, second = (
        [_format(fact.value) for fact in side.get("default", ())] for side in (ours, theirs)
    )
    if first != second:
        return False
    texts, taken = _value_texts(before), _value_texts(after)
    return taken is None or (texts is not None and texts <= taken)


def _is_list_of(before: SchemaView, after: SchemaView, spelled: Spelling) -> bool:
    """Return whether *after* is a list in which a single value of *before* is one item."""
    items = _items(after)
    if _types(after) != {"array"} or items is None or not _is_scalar(items) or not spelled.lists:
        return False
    bounds = {keyword: facts[0].value for keyword, facts in _assertions(after).items()}
    if not (bounds.pop("minItems", 1) <= 1 <= bounds.pop("maxItems", 1)):
        return False
    if bounds.keys() - {"uniqueItems"} or "default" in _assertions(before):
        return False
    texts = _value_texts(before)
    may_hold_separator = "string" in _types(before) and (
        texts is None or any(one in each for each in texts for one in _SEPARATORS)
    )
    if spelled.parted and may_hold_separator:
        return False
    return outline(before) == outline(items) or _is_any_text(before, items)


def _texts(located: dict[str, list[Located]]) -> dict[str, list[str]]:
    return {keyword: [text(fact.value) for fact in facts] for keyword, facts in located.items()}


def _format(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)
