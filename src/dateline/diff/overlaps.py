"""Which members of a `oneOf` may share a value: such a value is refused by the union."""

from __future__ import annotations

from typing import Any, Final

from dateline.diff.schemas import Schemas
from dateline.diff.unions import UnionSide
from dateline.diff.views import SchemaView, refuses
from dateline.schema.types import EVERY_TYPE

# How far below two members a difference is looked for that tells them apart.
_DEPTH: Final = 3

# For each type, the keywords of a lower and of an upper bound.
_SIZES: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def overlapping(view: SchemaView, side: UnionSide) -> set[str]:
    """Return the pointers of the members that are not provably apart from every other one.

    *view* is of the schema that holds the union. Empty for `anyOf`, where a value may fit several
    members. A discriminator alone tells no members apart: it is a hint, and a value that fits two
    members of a `oneOf` is refused whatever its tag (OpenAPI 3.1.1, section 4.8.25).
    """
    union = side.union
    if union.keyword != "oneOf":
        return set()
    alone = union._replace(null="")  # null beside the members fits none of them
    views = [side.schemas.view(view.member(alone, member)) for member in union.members]
    found: set[str] = set()
    for index, first in enumerate(views):
        for other in range(index):
            if not are_apart(side.schemas, first, views[other]):
                found |= {union.members[index].node.pointer, union.members[other].node.pointer}
    return found


def are_apart(schemas: Schemas, first: SchemaView, second: SchemaView, depth: int = _DEPTH) -> bool:
    """Return whether it is certain that no value fits both schemas."""
    if first.never or second.never:
        return True
    if first.values is not None and second.values is not None:
        return first.allowed.isdisjoint(second.allowed)
    for view, other in ((first, second), (second, first)):
        if view.unions and depth:
            return any(
                all(
                    are_apart(schemas, schemas.view(view.member(union, member)), other, depth - 1)
                    for member in union.members
                )
                for union in view.unions
            ) or _types_apart(schemas, first, second, depth)
    return _types_apart(schemas, first, second, depth)


def _types_apart(schemas: Schemas, first: SchemaView, second: SchemaView, depth: int) -> bool:
    shared = (first.types or EVERY_TYPE) & (second.types or EVERY_TYPE)
    return all(_apart_as(name, schemas, first, second, depth) for name in shared)


def _apart_as(
    name: str, schemas: Schemas, first: SchemaView, second: SchemaView, depth: int
) -> bool:
    """Tell whether no value of the type *name* fits both schemas."""
    if name in ("integer", "number"):
        return _number_below(first, second) or _number_below(second, first)
    if name not in _SIZES:
        return False
    low, high = _SIZES[name]
    if any(
        _bound(small, high, float("inf")) < _bound(large, low, 0)
        for small, large in ((first, second), (second, first))
    ):
        return True
    return name == "object" and _properties_apart(schemas, first, second, depth)


def _properties_apart(schemas: Schemas, first: SchemaView, second: SchemaView, depth: int) -> bool:
    for view, other in ((first, second), (second, first)):
        if any(refuses(other, name) for name in view.required):
            return True
    # an optional property may be left out
    names = [name for name in first.properties if name in second.properties] if depth else []
    shared = [
        tuple(schemas.view(schemas.parts(side.properties[name])) for side in (first, second))
        for name in names
        if name in first.required and name in second.required
    ]
    # what tells apart at a glance saves a deeper look
    return any(
        are_apart(schemas, ours, theirs, below)
        for below in dict.fromkeys((0, depth - 1))
        for ours, theirs in shared
    )


def _bound(view: SchemaView, keyword: str, default: float) -> Any:
    facts = [fact.value for fact in view.facts.get(keyword, ())]
    return facts[0] if facts and isinstance(facts[0], int | float) else default


def _number_below(small: SchemaView, large: SchemaView) -> bool:
    """Tell whether all numbers that fit *small* lie below those that fit *large*."""
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
