"""Schemas that accept anything matter to `unevaluatedProperties` and `unevaluatedItems`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import Any, Final, NamedTuple

import jsonschema_rs
import pytest
from support.copies import copy_plain
from support.readers import document
from support.tables import cases

from dateline.diff import DiffReadings, diff
from dateline.model import Verdict
from dateline.rules import judge

Schema = dict[str, Any]

CLOSING: Final = ("unevaluatedProperties", "unevaluatedItems")
TEXT: Final = {"contains": {"type": "string"}}
# The second schema of each evaluates more, and accepts the same values.
EVALUATORS: Final[tuple[tuple[Schema, Schema], ...]] = (
    ({}, {"additionalProperties": True}),
    ({}, {"additionalProperties": {}}),
    ({}, {"unevaluatedProperties": True}),
    ({}, {"patternProperties": {"^a": True}}),
    ({}, {"items": True}),
    ({}, {"items": {}}),
    ({}, {"unevaluatedItems": {}}),
    ({}, {"prefixItems": [True]}),
    ({}, {"contains": True, "minContains": 0}),
    (TEXT, {**TEXT, "minContains": 0}),
    ({}, {"if": {"properties": {"a": True}}}),
    ({}, {"if": {"contains": True}}),
    ({}, {"allOf": [{"additionalProperties": True}]}),
    ({}, {"$ref": "#/components/schemas/Open"}),
)
STRING: Final = {"type": "string"}
# The second schema of each evaluates more, and alone accepts fewer values.
CONSTRAINTS: Final[tuple[tuple[Schema, Schema], ...]] = (
    ({}, {"additionalProperties": {"type": "integer"}}),
    ({}, {"unevaluatedProperties": {"type": "integer"}}),
    ({}, {"patternProperties": {"^b": {"type": "integer"}}}),
    ({}, {"items": STRING}),
    ({}, {"unevaluatedItems": STRING}),
    ({}, {"contains": STRING}),
    ({}, {"prefixItems": [STRING]}),
    ({}, {"if": {"properties": {"a": {"type": "integer"}}}}),
    ({}, {"dependentSchemas": {"a": {"properties": {"b": True}}}}),
    ({}, {"anyOf": [{"properties": {"b": True}}, {"required": ["a"]}]}),
    ({}, {"oneOf": [{"properties": {"b": True}, "required": ["b"]}, {"required": ["a"]}]}),
    ({"if": {"required": ["a"]}}, {"if": {"required": ["a"]}, "then": {"properties": {"b": True}}}),
    ({"if": {"required": ["a"]}}, {"if": {"required": ["a"]}, "else": {"properties": {"b": True}}}),
    ({"allOf": [{"minItems": 0}]}, {"allOf": [{"minItems": 0}, {"items": STRING}]}),
)
OTHER: Final = {"$ref": "#/components/schemas/Other"}
LISTS: Final = {"type": ["object", "array"]}
PLACES: Final[dict[str, Callable[[Schema], Schema]]] = {
    "beside it": lambda schema: schema,
    "allOf": lambda schema: {"allOf": [schema, {"minItems": 0}]},
    "reference": lambda _: OTHER,
    "first of anyOf": lambda schema: {"anyOf": [schema, LISTS]},
    "last of anyOf": lambda schema: {"anyOf": [{"type": "string"}, schema]},
    "reference in anyOf": lambda _: {"anyOf": [{"type": "string"}, OTHER]},
    "oneOf": lambda schema: {"oneOf": [schema, {"type": "string"}]},
    "if": lambda schema: {"if": schema, "then": {"minItems": 0}},
    "if alone": lambda schema: {"if": schema},
    "then": lambda schema: {"if": LISTS, "then": schema},
    "else": lambda schema: {"if": {"type": "string"}, "else": schema},
    "dependentSchemas": lambda schema: {"dependentSchemas": {"a": schema}},
    "anyOf in dependentSchemas": lambda schema: {
        "dependentSchemas": {"a": {"anyOf": [{"type": "string"}, schema]}}
    },
    "dependentSchemas in anyOf": lambda schema: {
        "anyOf": [{"type": ["array", "string"]}, {"dependentSchemas": {"a": schema}}]
    },
    "allOf in anyOf": lambda schema: {
        "anyOf": [{"type": "string"}, {"allOf": [schema, {"maxLength": 1}]}]
    },
    "definition": lambda schema: {
        "$defs": {"part": schema},
        "dependentSchemas": {"a": {"$ref": "#/components/schemas/Closed/$defs/part"}},
    },
}
VALUES: Final[tuple[Any, ...]] = (
    {"a": 1},
    {"b": 1},
    {"a": 1, "b": 1},
    {},
    [],
    [1],
    ["x"],
    [1, "x"],
    [1, 2],
    "x",
)


class Edit(NamedTuple):
    """Two sets of components that differ in what is evaluated."""

    before: Schema
    after: Schema
    visible: bool
    """Whether the other one takes other values."""


def edits(evaluators: Sequence[tuple[Schema, Schema]] = EVALUATORS) -> Iterator[Edit]:
    for closing, (less, more), place in product(CLOSING, evaluators, PLACES):
        sides = [
            {
                "Closed": {closing: False, **PLACES[place](schema)},
                "Open": {"additionalProperties": True, "items": True},
                "Other": schema,
            }
            for schema in (less, more)
        ]
        visible = list_accepted(sides[0]) != list_accepted(sides[1])
        yield Edit(sides[0], sides[1], visible)
        yield Edit(sides[1], sides[0], visible)


def list_accepted(schemas: Schema) -> list[bool]:
    return list_accepted_of(schemas, VALUES)


def list_accepted_of(schemas: Schema, values: Sequence[Any]) -> list[bool]:
    registry = jsonschema_rs.Registry([("urn:all", {"components": {"schemas": schemas}})])
    goal = {"$ref": "urn:all#/components/schemas/Closed"}
    validator = jsonschema_rs.Draft202012Validator(goal, registry=registry)
    return [validator.is_valid(value) for value in values]


def is_gated(before: Schema, after: Schema) -> bool:
    return are_gated(document(before, "3.1.0"), document(after, "3.1.0"))


def are_gated(before: Schema, after: Schema, readings: DiffReadings | None = None) -> bool:
    changes = diff(before, after, readings=readings)
    verdicts = (judge(change, "dated-contract", {}).verdict for change in changes)
    return any(verdict is not Verdict.ADDITIVE for verdict in verdicts)


def test_evaluation_is_compared_in_every_place() -> None:
    visible = [edit for edit in edits() if edit.visible]
    assert len(visible) > 400
    missed = [edit for edit in visible if not is_gated(edit.before, edit.after)]
    assert [json.dumps(each[:2]) for each in missed] == []


def test_keyword_that_opens_a_closed_schema_does_not_narrow_it() -> None:
    """A change is safe on the wire if requests lose no value and responses gain none."""
    wrong, unsafe = [], 0
    for before, after, visible in edits((*EVALUATORS, *CONSTRAINTS)):
        if not visible:
            continue
        values = list(zip(list_accepted(before), list_accepted(after), strict=True))
        for direction, breaks in (("request", (True, False)), ("responses", (False, True))):
            if breaks in values:
                unsafe += 1
                if is_safe_on_the_wire(before, after, direction):
                    wrong.append((direction, json.dumps(before), json.dumps(after)))
    assert unsafe > 800
    assert wrong == []


def is_safe_on_the_wire(before: Schema, after: Schema, direction: str) -> bool:
    sides = [document(schemas, "3.1.0") for schemas in (before, after)]
    for side in sides:
        item = side["paths"]["/Closed"]["put"]
        if direction == "request":
            item["responses"] = {"204": {"description": ""}}
        else:
            del item["requestBody"]
        side["paths"] = {"/Closed": {"put": item}}
    return all(
        judge(change, "wire", {}).verdict is Verdict.ADDITIVE for change in diff(sides[0], sides[1])
    )


@pytest.mark.parametrize("closing", CLOSING)
@pytest.mark.parametrize("evaluating", [{"additionalProperties": True, "items": True}])
def test_keyword_moved_between_branches_is_compared(closing: str, evaluating: Schema) -> None:
    first, second = {"maxItems": 1}, {"minProperties": 2}
    before = {"Closed": {closing: False, "anyOf": [{**first, **evaluating}, second]}}
    after = {"Closed": {closing: False, "anyOf": [first, {**second, **evaluating}]}}
    assert is_gated(before, after)


@cases("place", PLACES)
def test_nothing_is_reported_without_unevaluated_keywords(place: str) -> None:
    for less, more in EVALUATORS[:2]:
        sides = [
            {"Closed": PLACES[place](schema), "Open": {}, "Other": schema}
            for schema in (less, more)
        ]
        assert not is_gated(sides[0], sides[1])


SAME_ALONE: Final = (
    ("additionalProperties", "unevaluatedProperties"),
    ("items", "unevaluatedItems"),
)
REST: Final[tuple[Any, ...]] = (False, True, {"type": "string"}, {"minimum": 2})
BESIDE: Final[tuple[Schema, ...]] = (
    {},
    {"properties": {"a": True}, "prefixItems": [True]},
    {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"patternProperties": {"^a": True}},
    {"contains": {"type": "string"}},
    {"contains": {"type": "string"}, "minContains": 0},
    {"allOf": [{"properties": {"b": True}, "prefixItems": [True]}]},
    {"anyOf": [{"properties": {"b": True}}, {"minItems": 1, "prefixItems": [True]}]},
    {"if": {"properties": {"a": {"minimum": 2}}}, "then": {"properties": {"b": True}}},
    {"dependentSchemas": {"a": {"properties": {"b": True}}}},
    {"$ref": "#/components/schemas/Open"},
    {"not": {"required": ["b"]}},
)
AROUND: Final[dict[str, Callable[[Schema], Schema]]] = {
    "alone": lambda schema: schema,
    "in allOf": lambda schema: {"allOf": [schema, {"properties": {"b": True}}]},
    "in closed allOf": lambda schema: {
        "allOf": [schema],
        "unevaluatedProperties": False,
        "unevaluatedItems": False,
    },
    "in closed anyOf": lambda schema: {
        "anyOf": [schema, {"type": ["string", "array"]}],
        "unevaluatedProperties": False,
        "unevaluatedItems": False,
    },
    "in not": lambda schema: {"not": schema},
    "in a field": lambda schema: {"properties": {"in": schema}, "prefixItems": [schema]},
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("keywords", SAME_ALONE)
def test_unevaluated_keyword_covers_what_remains(keywords: tuple[str, str], around: str) -> None:
    rests = [{keyword: rest} for keyword, rest in product(keywords, REST)]
    rests += [{keywords[0]: True, keywords[1]: False}, {}]
    # one document for everything with the same rest: a comparison costs more than a component
    schemas = [[AROUND[around]({**beside, **rest}) for beside in BESIDE] for rest in rests]
    taken = [[list_nested_accepted(schema) for schema in each] for each in schemas]
    documents, readings = [document(name_all(each), "3.1.0") for each in schemas], DiffReadings()
    wrong, silent = [], 0
    for one, other in permutations(range(len(rests)), 2):
        # what is around is independent of the pair: neighbours, and the same with the other keyword
        if around != "alone" and (other - one) % len(rests) not in (1, len(REST), -len(REST) % 10):
            continue
        loud = find_gated(documents[one], documents[other], readings)
        assert loud <= {f"Closed{number}" for number in range(len(BESIDE))}
        for number in range(len(BESIDE)):
            if f"Closed{number}" not in loud:
                silent += 1
                if taken[one][number] != taken[other][number]:
                    wrong.append((schemas[one][number], schemas[other][number]))
    assert wrong == []
    assert silent >= (30 if around == "alone" else 10), silent


def name_all(schemas: Sequence[Schema]) -> Schema:
    # copies, since a change of a node that components share is reported once
    named = {f"Closed{number}": copy_plain(schema) for number, schema in enumerate(schemas)}
    return {**named, **SHARED}


def find_gated(before: Schema, after: Schema, readings: DiffReadings) -> set[str]:
    """Return the components with a gated change."""
    return {
        str(change.schema).partition(".")[0]
        for change in diff(before, after, readings=readings)
        if judge(change, "dated-contract", {}).verdict is not Verdict.ADDITIVE
    }


SHARED: Final[Schema] = {"Open": {"properties": {"b": True}}}


def list_nested_accepted(schema: Schema) -> list[bool]:
    schemas = {"Closed": schema, **SHARED}
    nested = [{"in": value} for value in VALUES] + [[value] for value in VALUES]
    return list_accepted(schemas) + list_accepted_of(schemas, nested)


ANCHORED: Final[tuple[Schema, ...]] = (
    {"type": "string"},
    {"type": "string", "$anchor": "one"},
    {"type": "string", "$anchor": "other"},
    {"type": "string", "$dynamicAnchor": "one"},
)


@pytest.mark.parametrize("user", ["$ref", "$dynamicRef", "mapping", ""])
@pytest.mark.parametrize("there", ANCHORED[:2])
def test_unused_anchor_is_no_change(user: str, there: Schema) -> None:
    using: Schema = {"properties": {"in": {user: "#one"}}} if user else {}
    if user == "mapping":
        using = {
            "oneOf": [{"$ref": "#/components/schemas/Open"}],
            "discriminator": {"propertyName": "k", "mapping": {"o": "#one"}},
        }
    for before, after in permutations(ANCHORED, 2):
        sides = [
            {"Closed": using, "Open": schema, "Other": {**there, "maxLength": 1}}
            for schema in (before, after)
        ]
        is_used = any('nchor": "one"' in json.dumps(side["Open"]) for side in sides)
        assert is_gated(sides[0], sides[1]) == (bool(user) and is_used)
