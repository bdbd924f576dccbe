"""Schemas that accept anything matter to `unevaluatedProperties` and `unevaluatedItems`."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any, Final, NamedTuple

import jsonschema_rs
import pytest
from support.copies import copy_plain
from support.readers import document
from support.tables import cases

from dateline.diff import DiffReadings, diff
from dateline.model import Change, Direction, Verdict
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
OPEN: Final = {"Open": {"additionalProperties": True, "items": True}}
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
    """Two sets of components that differ in what is evaluated, and the values that each accepts."""

    before: Schema
    after: Schema
    accepted: tuple[tuple[bool, bool], ...]


@pytest.fixture(scope="module")
def edits() -> dict[int, Edit]:
    """Edits that other values show, in both directions; the components' names have their number.

    The edits with evaluators come first.
    """
    found: dict[int, Edit] = {}
    # a third of the combinations with constraints has each of them in both and in all places
    chosen = [*product(EVALUATORS, CLOSING, PLACES), *[*product(CONSTRAINTS, CLOSING, PLACES)][::3]]
    for (less, more), closing, place in chosen:
        for sides in ((less, more), (more, less)):
            number = len(found)
            before, after = (
                number_names(
                    {"Closed": {closing: False, **PLACES[place](schema)}, "Other": schema}, number
                )
                for schema in sides
            )
            accepted = (
                list_accepted({**each, **OPEN}, f"Closed{number}") for each in (before, after)
            )
            edit = Edit(before, after, tuple(zip(*accepted, strict=True)))
            if any(one != other for one, other in edit.accepted):
                found[number] = edit
    return found


def number_names(schemas: Schema, number: int) -> Schema:
    numbered: Schema = json.loads(re.sub("Closed|Other", rf"\g<0>{number}", json.dumps(schemas)))
    return numbered


def list_accepted(
    schemas: Schema, name: str = "Closed", values: Sequence[Any] = VALUES
) -> list[bool]:
    registry = jsonschema_rs.Registry([("urn:all", {"components": {"schemas": schemas}})])
    goal = {"$ref": f"urn:all#/components/schemas/{name}"}
    validator = jsonschema_rs.Draft202012Validator(goal, registry=registry)
    return [validator.is_valid(value) for value in values]


def join(schemas: Sequence[Schema]) -> Schema:
    """Return one document for *schemas*: a comparison costs more than a component."""
    joined = document({name: each for one in schemas for name, each in one.items()}, "3.1.0")
    joined["paths"] = {"/Holder": {"put": joined["paths"]["/Holder"]["put"]}}
    return joined


def list_gated(changes: Iterable[Change], policy: str = "dated-contract") -> set[str]:
    """Return the components with a gated change."""
    return {
        str(change.schema).partition(".")[0]
        for change in changes
        if judge(change, policy, {}).verdict is not Verdict.ADDITIVE
    }


def is_gated(before: Schema, after: Schema) -> bool:
    return list_gated(diff(join([before]), join([after]))) != set()


@pytest.fixture(scope="module")
def changes(edits: dict[int, Edit]) -> list[Change]:
    """The changes in requests and responses that all edits cause."""
    sides = ([edit.before for edit in edits.values()], [edit.after for edit in edits.values()])
    before, after = (join([*each, OPEN]) for each in sides)
    return diff(before, after)


def list_gated_edits(changes: Iterable[Change], policy: str) -> set[int]:
    return {int(name.lstrip(string.ascii_letters)) for name in list_gated(changes, policy)}


def test_evaluation_is_compared_in_every_place(
    edits: dict[int, Edit], changes: list[Change]
) -> None:
    assert len(edits) > 550
    missed = edits.keys() - list_gated_edits(changes, "dated-contract")
    assert [edits[number] for number in sorted(missed)] == []


@cases(
    ("direction", "breaks"),
    [(Direction.REQUEST, (True, False)), (Direction.RESPONSE, (False, True))],
)
def test_keyword_that_opens_a_closed_schema_does_not_narrow_it(
    edits: dict[int, Edit],
    changes: list[Change],
    direction: Direction,
    breaks: tuple[bool, bool],
) -> None:
    """A change is safe on the wire if requests lose no value and responses gain none."""
    unsafe = {number for number, edit in edits.items() if breaks in edit.accepted}
    assert len(unsafe) > 250
    here = [
        replace(change, direction=direction)
        for change in changes
        if change.direction in (direction, Direction.BOTH)
    ]
    wrong = unsafe - list_gated_edits(here, "wire")
    assert [edits[number] for number in sorted(wrong)] == []


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
    schemas = [[AROUND[around]({**beside, **rest}) for beside in BESIDE] for rest in rests]
    taken = [[list_nested_accepted(schema) for schema in each] for each in schemas]
    documents, readings = [join([name_all(each)]) for each in schemas], DiffReadings()
    wrong, silent = [], 0
    for one, other in combinations(range(len(rests)), 2):
        # what is around is independent of the pair: neighbours, and the same with the other keyword
        if around != "alone" and other - one not in (1, len(REST)):
            continue
        # each direction is that of every other pair
        sides = (documents[one], documents[other])[:: -1 if (one + other) // 2 % 2 else 1]
        loud = list_gated(diff(sides[0], sides[1], readings=readings))
        assert loud <= {f"Closed{number}" for number in range(len(BESIDE))}
        for number in range(len(BESIDE)):
            if f"Closed{number}" not in loud:
                silent += 1
                if taken[one][number] != taken[other][number]:
                    wrong.append((schemas[one][number], schemas[other][number]))
    assert wrong == []
    assert silent >= (15 if around == "alone" else 5), silent


def name_all(schemas: Sequence[Schema]) -> Schema:
    # copies, since a change of a node that components share is reported once
    named = {f"Closed{number}": copy_plain(schema) for number, schema in enumerate(schemas)}
    return {**named, **SHARED}


SHARED: Final[Schema] = {"Open": {"properties": {"b": True}}}


def list_nested_accepted(schema: Schema) -> list[bool]:
    schemas = {"Closed": schema, **SHARED}
    nested = [{"in": value} for value in VALUES] + [[value] for value in VALUES]
    return list_accepted(schemas, values=[*VALUES, *nested])


ANCHORED: Final[tuple[Schema, ...]] = (
    {"type": "string"},
    {"type": "string", "$anchor": "one"},
    {"type": "string", "$anchor": "other"},
    {"type": "string", "$dynamicAnchor": "one"},
)


@cases("user", ["$ref", "$dynamicRef", "mapping", ""])
@cases("there", ANCHORED[:2])
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
