"""Schemas that are `true` or `false` are compared in each place, although they are one object."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, Final

from support.readers import document
from support.tables import cases

from dateline.diff import diff
from dateline.model import Change

Schema = dict[str, Any]

STRING: Final = {"type": "string"}
SCHEMAS: Final[tuple[Any, ...]] = (True, False, STRING)
PLACES: Final[dict[str, Callable[[Any], Schema]]] = {
    "property": lambda schema: {"properties": {"a": schema}},
    "pattern property": lambda schema: {"patternProperties": {"^a": schema}},
    "dependent schema": lambda schema: {"dependentSchemas": {"a": schema}},
    "other properties": lambda schema: {"additionalProperties": schema},
    "unevaluated properties": lambda schema: {"unevaluatedProperties": schema},
    "names": lambda schema: {"propertyNames": schema},
    "items": lambda schema: {"items": schema},
    "items of items": lambda schema: {"items": {"items": schema}},
    "first items": lambda schema: {"prefixItems": [{"type": "integer"}, schema]},
    "unevaluated items": lambda schema: {"unevaluatedItems": schema},
    "contained": lambda schema: {"contains": schema},
    "not": lambda schema: {"not": schema},
    "allOf": lambda schema: {"type": "object", "allOf": [schema, {"minProperties": 1}]},
    "anyOf": lambda schema: {"anyOf": [{"type": "integer"}, schema]},
    "oneOf": lambda schema: {"oneOf": [{"type": "integer"}, schema]},
    "then": lambda schema: {"if": {"minProperties": 1}, "then": schema},
    "else": lambda schema: {"if": {"minProperties": 1}, "else": schema},
    "referenced": lambda schema: {
        "$defs": {"part": schema},
        "properties": {"a": {"$ref": "#/components/schemas/NAME/$defs/part"}},
    },
}
NAMES: Final = ("First", "Second", "Third")


def create_document(place: str, schemas: dict[str, Any]) -> Schema:
    return document(
        {name: _name(PLACES[place](schema), name) for name, schema in schemas.items()}, "3.1.0"
    )


def _name(node: Any, name: str) -> Any:
    """Return a copy of *node* for the component *name*."""
    if isinstance(node, dict):
        return {key: _name(value, name) for key, value in node.items()}
    if isinstance(node, list):
        return [_name(item, name) for item in node]
    return node.replace("NAME", name) if isinstance(node, str) else node


def find_changes(before: Schema, after: Schema) -> dict[str, set[tuple[object, ...]]]:
    """Return the changes of each component."""
    found: dict[str, set[tuple[object, ...]]] = {name: set() for name in NAMES}
    for change in diff(before, after):
        found[str(change.schema).partition(".")[0]].add(describe(change))
    return found


def describe(change: Change) -> tuple[object, ...]:
    """Return *change* without the name of its component."""
    places = [
        pointer and pointer.split("/", 4)[4:]
        for pointer in (change.before_pointer, change.after_pointer)
    ]
    values = str(change.before), str(change.after)
    return change.kind, change.keyword, change.direction, change.field, str(places), *values


@cases("place", PLACES)
def test_edit_of_every_component_is_reported_as_for_each_alone(place: str) -> None:
    for old, new in permutations(SCHEMAS, 2):
        before = create_document(place, dict.fromkeys(NAMES, old))
        after = create_document(place, dict.fromkeys(NAMES, new))
        mixed = create_document(place, {**dict.fromkeys(NAMES, old), "Second": new})
        alone = find_changes(before, mixed)
        assert alone["First"] == alone["Third"] == set()
        assert find_changes(before, after) == dict.fromkeys(NAMES, alone["Second"])


def test_two_fields_with_the_same_boolean_schema_are_two_changes() -> None:
    sides = [
        document({"First": {"properties": dict.fromkeys("abc", schema)}}, "3.1.0")
        for schema in (False, STRING)
    ]
    fields = {change.field for change in diff(sides[0], sides[1])}
    assert fields == {"a", "b", "c"}
