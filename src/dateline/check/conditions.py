"""Find gated schemas that limit values which versions without them have, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dateline.check.places import Places, name_place
from dateline.model import WAS, Trail
from dateline.openapi import follow
from dateline.schema.parts import Part

_LIMITS: Final = frozenset(
    (
        *("enum", "const", "minLength", "maxLength", "pattern", "format", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minItems", "maxItems", "uniqueItems"),
    )
)


class Condition(NamedTuple):
    """A schema at *path* that only the combinations of *having* have.

    Values of the others, *free*, may not be valid for it, or for its *keyword*.
    """

    path: Trail
    having: int
    free: int
    keyword: str = ""


class _GatedPart(NamedTuple):
    """A schema of a value, where it is, and the combinations that have it."""

    node: Any
    path: Trail
    mask: int


def find_conditions(places: Places) -> Iterator[tuple[str, Trail, str]]:
    """Yield the rule, place and message of each gated schema that not all values are valid for.

    What handlers get and return is valid for all schemas of a value, those that a version lacks
    included: its requests may not be, and what is valid for the newest version may not be valid
    for those that were removed.
    """
    advice = "write `x-was` with its older keywords in place of the gate"
    for each in dict.fromkeys(_list_conditions(places)):
        name = name_place(each.path)
        what = f"`{each.keyword}`" if each.keyword else "it"
        path = (*each.path, each.keyword) if each.keyword else each.path
        if places.in_request(each.path):
            where = places.timeline.places(each.free)
            message = f"{name}: requests of {where} may not fit {what}; {advice}"
            yield "request-without-way-up", path, message
        if places.in_response(each.path) and places.is_older(each.having, each.free):
            where = places.timeline.places(each.having)
            message = f"{name}: values may not fit {what} in {where}; {advice}"
            yield "response-without-way-down", path, message


def _list_conditions(places: Places) -> Iterator[Condition]:
    everywhere = places.timeline.all
    for path in places.list_combined():
        parts = [_gate(places, part) for part in places.access.list_parts(path)]
        fields: dict[str, list[_GatedPart]] = defaultdict(list)
        for part in parts:
            for name, field in part.node.get("properties", {}).items():
                mask = part.mask & places.timeline.of(field)
                fields[name].append(_GatedPart(field, (*part.path, "properties", name), mask))
        for part in parts:
            if part.mask != everywhere:
                yield from _limit_value(part, parts, everywhere)
        for found in fields.values():
            for field in found if len(found) > 1 else ():
                if field.mask != everywhere and isinstance(field.node, dict):
                    yield from _limit_field(field, found, everywhere)


def _gate(places: Places, part: Part) -> _GatedPart:
    mask = places.timeline.all
    # the first is the value itself
    for node in (*part.above, part.node)[1:]:
        mask &= places.timeline.of(node)
    return _GatedPart(part.node, follow(places.document, part.pointer), mask)


def _limit_value(part: _GatedPart, parts: list[_GatedPart], everywhere: int) -> Iterator[Condition]:
    for keyword in sorted(_LIMITS & part.node.keys()):
        limited = part.mask
        for other in parts:
            if keyword in other.node and other.node[keyword] == part.node[keyword]:
                limited |= other.mask
        if limited != everywhere:
            yield Condition(part.path, part.mask, everywhere & ~limited, keyword)


def _limit_field(
    field: _GatedPart, declared: list[_GatedPart], everywhere: int
) -> Iterator[Condition]:
    # slow to import, and seldom needed
    from dateline.contracts.containment import is_contained

    if WAS in field.node:
        return
    known, valid = 0, field.mask
    for other in declared:
        known |= other.mask
        if isinstance(other.node, dict):
            limits = _drop_unknown(field.node, other.node)
            valid |= other.mask if is_contained("schema", other.node, limits) else 0
    if free := everywhere & known & ~valid:
        yield Condition(field.path, field.mask, free)


def _drop_unknown(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* without optional fields that *other* lacks, which its callers don't send."""
    fields, known = schema.get("properties"), other.get("properties")
    if fields is None or known is None:
        return schema
    kept = {*known, *schema.get("required", ())}
    return {**schema, "properties": {name: each for name, each in fields.items() if name in kept}}
