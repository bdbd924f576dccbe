"""A switched reference explains differences only for operations with that reference."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

from support.tables import cases

from dateline.diff import diff

Json = dict[str, Any]

PLACES: Final[dict[str, Callable[[Json], Json]]] = {
    "the whole": lambda schema: schema,
    "a property": lambda schema: {"type": "object", "properties": {"it": schema}},
    "items": lambda schema: {"type": "array", "items": schema},
    "a map": lambda schema: {"type": "object", "additionalProperties": schema},
    "a base": lambda schema: {"allOf": [schema, {"properties": {"more": {"type": "string"}}}]},
    "a member": lambda schema: {"anyOf": [schema, {"type": "null"}]},
    "items of a property": lambda schema: {
        "type": "object",
        "properties": {"it": {"type": "array", "items": schema}},
    },
}

FIELDS: Final[dict[str, tuple[Json, Json]]] = {
    "a bound": ({"a": {"type": "string"}}, {"a": {"type": "string", "maxLength": 3}}),
    "a value": ({"a": {"enum": ["x", "y"]}}, {"a": {"enum": ["x"]}}),
    "a type": ({"a": {"type": "string"}}, {"a": {"type": "integer"}}),
    "a field": ({"a": {"type": "string"}, "b": {"type": "string"}}, {"a": {"type": "string"}}),
    "a field below": (
        {"a": {"type": "object", "properties": {"b": {"type": "string"}}}},
        {"a": {"type": "object", "properties": {"c": {"type": "string"}}}},
    ),
}


def refer(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def document(way: str, kept: Json, other: Json, schemas: Json) -> Json:
    """Return a document with two operations, whose bodies are *kept* and *other*."""

    def operation(schema: Json) -> Json:
        message = {"content": {"application/json": {"schema": schema}}}
        if way == "request":
            return {"requestBody": message, "responses": {"204": {"description": "done"}}}
        return {"responses": {"200": {"description": "done", **message}}}

    paths = {"/kept": {"post": operation(kept)}}
    if other:
        paths["/other"] = {"post": operation(other)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def list_changes(before: Json, after: Json) -> set[tuple[str, str, str, str]]:
    """Return the changes of `POST /kept`."""
    return {
        (str(each.kind), each.keyword, each.field, str(each.direction))
        for each in diff(before, after)
        if "POST /kept" in each.operations
    }


Side = tuple[str, Json, Json, Json]
"""How bodies are used, the two bodies, and the schemas."""


def compare_alone(one: Side, two: Side) -> list[set[tuple[str, str, str, str]]]:
    """Return the changes in both directions without the other operation."""
    before, after = (document(way, kept, {}, schemas) for way, kept, _, schemas in (one, two))
    return [list_changes(before, after), list_changes(after, before)]


def compare_both(one: Side, two: Side) -> list[set[tuple[str, str, str, str]]]:
    before, after = document(*one), document(*two)
    return [list_changes(before, after), list_changes(after, before)]


@cases(
    ("fields", "place", "way"),
    [
        *product(["a bound"], PLACES, ["request", "response"]),
        *product(FIELDS, ["the whole", "a base"], ["request"]),
        *product(FIELDS, ["items of a property"], ["response"]),
    ],
)
def test_differences_are_reported_besides_a_switch(fields: str, place: str, way: str) -> None:
    old, new = FIELDS[fields]
    held = {"Save": {"type": "object", "properties": old}}
    extracted = {
        "Save": {"allOf": [{"type": "object"}, refer("Base")]},
        "Base": {"type": "object", "properties": new},
        "Item": {"allOf": [refer("Base"), {"properties": {"id": {"type": "string"}}}]},
    }
    kept = PLACES[place](refer("Save"))
    alone = compare_alone((way, kept, {}, held), (way, kept, {}, extracted))
    assert all(alone)
    # each half of the other places with every other one
    number = list(PLACES).index(place) + list(FIELDS).index(fields) + (way == "request")
    for elsewhere, wrap in list(PLACES.items())[number % 2 :: 2]:
        was, now = wrap(refer("Save")), wrap(refer("Item"))
        both = compare_both((way, kept, was, held), (way, kept, now, extracted))
        assert [*map(set.issubset, alone, both)] == [True, True], elsewhere


@cases("place", PLACES)
def test_switch_alone_is_one_change(place: str) -> None:
    schemas = {
        "Save": {"type": "object", "properties": {"a": {"type": "string"}}},
        "Item": {"type": "object", "properties": {"a": {"type": "integer"}}},
    }
    kept = {"type": "string"}
    before, after = (
        document("request", kept, PLACES[place](refer(name)), schemas) for name in schemas
    )
    (change,) = diff(before, after)
    assert change.operations == ("POST /other",)
    assert change.within


@cases("place", PLACES)
def test_switch_within_a_component_that_stays_is_a_change_of_its_own(place: str) -> None:
    old, new = (
        {
            "Kept": {"allOf": [PLACES[place](refer(name))]},
            **{each: {"properties": {each: {}, "kept": refer("Kept")}} for each in ("One", "Two")},
            **{each: {"type": "object", "properties": {each: {}}} for each in ("Save", "Item")},
        }
        for name in ("Save", "Item")
    )
    one, two = ({"properties": {"top": refer(name)}} for name in ("One", "Two"))
    alone, both = (
        compare_both(("request", one, {}, old), ("request", other, {}, new)) for other in (one, two)
    )
    assert [len(found) for found in (*alone, *both)] == [1, 1, 2, 2]
    assert [*map(set.issubset, alone, both)] == [True, True]


GROUPS: Final[dict[str, Callable[..., Json]]] = {
    "alone": lambda first, *_: first,
    "a base": lambda first, *_: {"allOf": [first]},
    "a member": lambda first, *_: {"anyOf": [first]},
    "bases": lambda first, second: {"allOf": [first, second]},
    "members": lambda first, second: {"anyOf": [first, second]},
}

SIDES: Final = ("First", "Second")
VALUES: Final[dict[str, tuple[Any, Any]]] = {
    "maxLength": (5, 3),
    "enum": (["x", "y"], ["x"]),
    "pattern": ("^a", "^b"),
    "type": ("string", "integer"),
    "format": ("date", "uuid"),
}


@cases(
    ("keyword", "kept", "changed", "way", "group"),
    [
        *product(["maxLength"], GROUPS, SIDES, ["request", "response"], ["bases", "members"]),
        *product(VALUES, ["alone", "bases"], SIDES, ["request"], ["members"]),
    ],
)
def test_switch_hides_no_difference_of_another_operation(
    keyword: str, kept: str, changed: str, way: str, group: str
) -> None:
    first, second = refer("First"), refer("Second")
    old, new = (
        {"type": "object", "properties": {"a": {"type": "string", keyword: value}}}
        for value in VALUES[keyword]
    )
    whole = GROUPS[group](first, second)
    schemas = {"First": old, "Second": old}
    theirs = (way, whole, whole, {**schemas, changed: new})
    alone = compare_alone((way, GROUPS[kept](second, first), {}, schemas), theirs)
    number = list(GROUPS).index(kept) + list(VALUES).index(keyword) + (way == "request")
    for other, wrap in list(GROUPS.items())[number % 2 :: 2]:
        ours = (way, GROUPS[kept](second, first), wrap(first, second), schemas)
        both = compare_both(ours, theirs)
        assert [*map(set.issubset, alone, both)] == [True, True], other
