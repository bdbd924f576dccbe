"""Find the members of a `oneOf` that may share a value, which the union refuses."""

from __future__ import annotations

from typing import Any, Final

from dateline.diff.views import SchemaView, Variants, refuses
from dateline.schema.types import EVERY_TYPE

# How far below two members a difference is searched that makes them disjoint.
_DEPTH: Final = 3

# For each type, the keywords of a lower and of an upper bound.
_SIZES: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def find_overlapping(union: Variants) -> set[str]:
    """Return the pointers of the members that are not provably disjoint from all others.

    Empty for `anyOf`, where a value may be valid for several members. A discriminator alone does
    not make members disjoint: it is a hint, and a value that is valid for two members of a `oneOf`
    is invalid whatever its tag (OpenAPI 3.1.1, section 4.8.25).
    """
    if union.keyword != "oneOf":
        return set()
    # null beside the members is valid for none of them
    views = union._replace(null="").whole_members
    found: set[str] = set()
    for index, first in enumerate(views):
        for other in range(index):
            if not are_apart(first, views[other]):
                found |= {union.members[index].node.pointer, union.members[other].node.pointer}
    return found


def are_apart(first: SchemaView, second: SchemaView, depth: int = _DEPTH) -> bool:
    """Return whether it is certain that no value is valid for both schemas."""
    if first.never or second.never:
        return True
    if first.values is not None and second.values is not None:
        return first.allowed.isdisjoint(second.allowed)
    view, other = (first, second) if first.unions else (second, first)
    if depth and any(
        all(are_apart(member, other, depth - 1) for member in union.whole_members)
        for union in view.unions
    ):
        return True
    ours, theirs = (EVERY_TYPE if view.types is None else view.types for view in (first, second))
    return all(_are_apart_as(name, first, second, depth) for name in ours & theirs)


def _are_apart_as(name: str, first: SchemaView, second: SchemaView, depth: int) -> bool:
    """Return whether no value of the type *name* is valid for both schemas."""
    if name in ("integer", "number"):
        return _is_number_below(first, second) or _is_number_below(second, first)
    if name not in _SIZES:
        return False
    low, high = _SIZES[name]
    if any(
        _bound(small, high, float("inf")) < _bound(large, low, 0)
        for small, large in ((first, second), (second, first))
    ):
        return True
    return name == "object" and _are_objects_apart(first, second, depth)


def _are_objects_apart(first: SchemaView, second: SchemaView, depth: int) -> bool:
    for view, other in ((first, second), (second, first)):
        if any(refuses(other, name) for name in view.required):
            return True
    # an optional property may be left out
    required = first.required.keys() & second.required.keys() if depth else set()
    shared = [
        (first.property(name), second.property(name))
        for name in first.properties
        if name in second.properties and name in required
    ]
    # a quick difference saves a deeper comparison
    return any(
        are_apart(ours, theirs, below)
        for below in dict.fromkeys((0, depth - 1))
        for ours, theirs in shared
    )


def _bound(view: SchemaView, keyword: str, default: float) -> Any:
    facts = [fact.value for fact in view.facts.get(keyword, ())]
    return facts[0] if facts and isinstance(facts[0], int | float) else default


def _is_number_below(small: SchemaView, large: SchemaView) -> bool:
    """Return whether all numbers that are valid for *small* are below those valid for *large*."""
    endless = float("inf")
    tops = [(_bound(small, "maximum", endless), True)]
    tops.append((_bound(small, "exclusiveMaximum", endless), False))
    bottoms = [(_bound(large, "minimum", -endless), True)]
    bottoms.append((_bound(large, "exclusiveMinimum", -endless), False))
    return any(
        top < bottom or (top == bottom and not (included and also) and abs(top) != endless)
        for top, included in tops
        for bottom, also in bottoms
    )
