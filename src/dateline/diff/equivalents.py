"""Find keywords that mean the same on both sides, though they are written in other ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor, isfinite
from operator import ge, gt, le, lt
from typing import Any, Final

from dateline.diff.views import SchemaView
from dateline.regex.normal import are_equal
from dateline.schema.access import access_of
from dateline.schema.memo import closure
from dateline.schema.references import ANCHORS, Located
from dateline.schema.types import IMPLIED

_LOW: Final = frozenset({"minimum", "exclusiveMinimum"})
_HIGH: Final = frozenset({"maximum", "exclusiveMaximum"})

# A bound, the other one of the same side, and how that one compares where it implies the bound.
_IMPLIED_BY: Final[dict[str, tuple[str, Callable[[float, float], bool]]]] = {
    "minimum": ("exclusiveMinimum", ge),
    "exclusiveMinimum": ("minimum", gt),
    "maximum": ("exclusiveMaximum", le),
    "exclusiveMaximum": ("maximum", lt),
}

# What means nothing for values of other types; `format` is left to its own comparison.
_OF_TYPES: Final = {
    frozenset({"string"}): IMPLIED["string"] - {"format"},
    frozenset({"number", "integer"}): IMPLIED["number"],
    frozenset({"array"}): frozenset({"minItems", "maxItems", "uniqueItems"}),
    frozenset({"object"}): frozenset({"minProperties", "maxProperties", "dependentRequired"}),
}


Below = dict[str, list[Located]]
"""The schemas below keywords."""

_PLAIN: Final = {"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"}
"""What a keyword means in a schema in which no other schema applies to the same value."""

# Keywords of which unevaluated ones see what they evaluate (JSON Schema 2020-12, core, section 11).
_IN_PLACE: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else"}
    | {"dependentSchemas", "contains"}
)


def list_equivalent(before: SchemaView, after: SchemaView) -> Iterator[str]:
    """Yield the keywords by which the same values are valid on both sides.

    That holds for values of the types that both have in common; those are compared before. A bound
    that only one side has is yielded if the other bound of the other side implies it.
    """
    for keyword, (other, implies) in _IMPLIED_BY.items():
        ours, theirs = (_list_bounds(view, keyword) for view in (before, after))
        if bool(ours) != bool(theirs):
            tighter = _list_bounds(after if ours else before, other)
            if any(all(implies(one, bound) for bound in ours + theirs) for one in tighter):
                yield keyword
    if _list_needs(before) == _list_needs(after):
        yield "dependentRequired"
    if before.types is None or before.types != after.types:
        return
    types = before.types - {"null"}
    for concerned, keywords in _OF_TYPES.items():
        if types.isdisjoint(concerned):
            yield from keywords
    if types == {"integer"}:
        for keywords in (_LOW, _HIGH):
            ours, theirs = _find_bound(before, keywords), _find_bound(after, keywords)
            if ours == theirs:
                yield from keywords
        steps = [
            [fact.value for fact in view.facts.get("multipleOf", ()) if fact.value != 1]
            for view in (before, after)
        ]
        if steps[0] == steps[1]:
            yield "multipleOf"
    patterns = [[fact.value for fact in view.facts.get("pattern", ())] for view in (before, after)]
    if len(patterns[0]) == len(patterns[1]) and all(map(are_equal, *patterns)):
        yield "pattern"


def list_below(before: SchemaView, after: SchemaView) -> tuple[Below, Below]:
    """Return the schemas below the keywords of both sides; those of one meaning have one name."""
    ours, theirs = dict(before.below), dict(after.below)
    for deep, plain in _PLAIN.items():
        for view, mine, other in ((before, ours, theirs), (after, theirs, ours)):
            is_other = deep in mine and deep not in other and plain in other
            if is_other and _is_alone(view, deep):
                mine[plain] = mine.pop(deep)
    return ours, theirs


def _is_alone(view: SchemaView, keyword: str) -> bool:
    """Return whether nothing but the names and items beside *keyword* is evaluated for it."""
    seen = {_PLAIN[keyword], *_IN_PLACE}
    return all(seen.isdisjoint(part.node) for part in view.parts if keyword in part.node)


def is_unused_anchor(keyword: str, *views: SchemaView) -> bool:
    """Return whether *keyword* names a schema, and nothing refers to the names in *views*."""
    names = [fact.value for view in views for fact in view.facts.get(keyword, ())]
    return keyword in ANCHORS and not any(
        view.schemas.document.refers_to(name) for view in views for name in names
    )


def _list_bounds(view: SchemaView, keyword: str) -> list[float]:
    """Return the bounds that *keyword* sets; none if one of them is not a number."""
    values = [fact.value for fact in view.facts.get(keyword, ())]
    return values if all(map(_is_bound, values)) else []


def _is_bound(value: Any) -> bool:
    return type(value) in (int, float) and isfinite(value)


def _find_bound(view: SchemaView, keywords: frozenset[str]) -> Any:
    """Return the least or greatest integer that *keywords* allow; what they say if unknown."""
    facts = [(key, fact.value) for key in sorted(keywords) for fact in view.facts.get(key, ())]
    if not all(_is_bound(value) for _, value in facts):
        return facts
    if keywords is _LOW:
        least = [ceil(value) if key == "minimum" else floor(value) + 1 for key, value in facts]
        return max(least, default=None)
    most = [floor(value) if key == "maximum" else ceil(value) - 1 for key, value in facts]
    return min(most, default=None)


def _list_needs(view: SchemaView) -> Any:
    """Return which fields need which others that are not required anyway, directly or in turn.

    A field of responses alone is not required in requests, and the reverse, but can be needed.
    """
    facts = view.facts.get("dependentRequired", ())
    if len(facts) > 1 or not all(isinstance(fact.value, dict) for fact in facts):
        return [fact.value for fact in facts]
    needs: dict[str, Any] = facts[0].value if facts else {}
    if not all(isinstance(each, list) and {*map(type, each)} <= {str} for each in needs.values()):
        return needs
    required = {
        name
        for name in view.required.keys() & {one for names in needs.values() for one in names}
        if name not in view.properties or not access_of(view.property(name).parts)
    }
    found = {
        name: {*closure(names, lambda one: needs.get(one, ()))} - required - {name}
        for name, names in needs.items()
    }
    return {name: names for name, names in found.items() if names}
