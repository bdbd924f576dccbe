"""What takes anything is a change where `unevaluatedProperties` or `unevaluatedItems` sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final, NamedTuple

import jsonschema_rs
import pytest
from support.readers import document

from dateline.diff import diff
from dateline.model import Verdict
from dateline.rules import judge

Schema = dict[str, Any]

CLOSING: Final = ("unevaluatedProperties", "unevaluatedItems")
TEXT: Final = {"contains": {"type": "string"}}
# Schemas of which the second one evaluates more, and takes the same values.
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


def edits() -> Iterator[Edit]:
    for closing, (less, more), place in product(CLOSING, EVALUATORS, PLACES):
        sides = [
            {
                "Closed": {closing: False, **PLACES[place](schema)},
                "Open": {"additionalProperties": True, "items": True},
                "Other": schema,
            }
            for schema in (less, more)
        ]
        visible = accepted(sides[0]) != accepted(sides[1])
        yield Edit(sides[0], sides[1], visible)
        yield Edit(sides[1], sides[0], visible)


def accepted(schemas: Schema) -> list[bool]:
    registry = jsonschema_rs.Registry([("urn:all", {"components": {"schemas": schemas}})])
    goal = {"$ref": "urn:all#/components/schemas/Closed"}
    validator = jsonschema_rs.Draft202012Validator(goal, registry=registry)
    return [validator.is_valid(value) for value in VALUES]


def is_gated(before: Schema, after: Schema) -> bool:
    changes = diff(document(before, "3.1.0"), document(after, "3.1.0"))
    verdicts = {judge(change, "dated-contract", {}).verdict for change in changes}
    return bool(verdicts - {Verdict.ADDITIVE})


def test_what_is_evaluated_in_every_place_is_compared() -> None:
    visible = [edit for edit in edits() if edit.visible]
    assert len(visible) > 400
    missed = [edit for edit in visible if not is_gated(edit.before, edit.after)]
    assert [json.dumps(each[:2]) for each in missed] == []


@pytest.mark.parametrize("closing", CLOSING)
@pytest.mark.parametrize("evaluating", [{"additionalProperties": True, "items": True}])
def test_what_moves_between_branches_is_compared(closing: str, evaluating: Schema) -> None:
    first, second = {"maxItems": 1}, {"minProperties": 2}
    before = {"Closed": {closing: False, "anyOf": [{**first, **evaluating}, second]}}
    after = {"Closed": {closing: False, "anyOf": [first, {**second, **evaluating}]}}
    assert is_gated(before, after)


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_reported_where_nothing_is_closed(place: str) -> None:
    for less, more in EVALUATORS[:2]:
        sides = [
            {"Closed": PLACES[place](schema), "Open": {}, "Other": schema}
            for schema in (less, more)
        ]
        assert not is_gated(sides[0], sides[1])
