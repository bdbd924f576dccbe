"""If one era of a schema is said to contain another, all values of the other fit it."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

import jsonschema_rs
import pytest
from support.tables import cases

from dateline.contracts.containment import is_contained
from dateline.schema.dialect import OR_NULL, fold_null

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "integer"}
CLOSED: Final[Schema] = {"type": "object", "additionalProperties": False}

# Groups of schemas that differ in few keywords.
ERAS: Final[list[Schema]] = [
    {},
    TEXT,
    NUMBER,
    {"type": "number"},
    {"type": ["string", "null"]},
    {**TEXT, OR_NULL: "nullable"},
    {**TEXT, "not": {"type": "null"}, OR_NULL: "nullable"},
    {"type": ["string", "null"], "not": {"type": "null"}},
    *({**TEXT, "maxLength": size} for size in (2, 3)),
    *({**TEXT, "minLength": size} for size in (1, 2)),
    {**TEXT, "minLength": 1, "maxLength": 3},
    *({**TEXT, "enum": values} for values in (["a"], ["a", "ab"], ["ab", "abcd"])),
    {"const": "a"},
    {"oneOf": [{"const": "a"}, {"const": "ab"}]},
    {"anyOf": [{**TEXT, "maxLength": 3}, NUMBER]},
    {"type": "array", "anyOf": [{**TEXT, "maxLength": 3}, {}]},
    {"oneOf": [{"const": "a"}, {"const": "ab"}], "anyOf": [{"const": "a"}]},
    {"oneOf": [{"const": "a"}, {"const": "ab"}], "anyOf": [{**TEXT, "maxLength": 1}]},
    {"oneOf": [{**TEXT, "minLength": 2}, NUMBER], "anyOf": [{"const": "a"}, {"const": "ab"}]},
    {**TEXT, "pattern": "^a"},
    *({**NUMBER, "maximum": most} for most in (3, 4)),
    *({**NUMBER, "exclusiveMaximum": most} for most in (3, 4)),
    *({**NUMBER, "minimum": least} for least in (1, 2)),
    *({**NUMBER, "exclusiveMinimum": least} for least in (1, 2)),
    {**NUMBER, "minimum": 2, "exclusiveMinimum": 1, "maximum": 3, "exclusiveMaximum": 4},
    {**NUMBER, "multipleOf": 2},
    {"type": "array"},
    *({"type": "array", "items": items} for items in (TEXT, True)),
    {"type": "array", "uniqueItems": True},
    *({"type": "object", "required": names} for names in (["a"], ["a", "b"])),
    {"type": "object", "properties": {"a": TEXT}},
    {"type": "object", "properties": {"a": TEXT, "b": NUMBER}},
    CLOSED,
    *({**CLOSED, "properties": {"a": of}} for of in (TEXT, NUMBER)),
    {**CLOSED, "properties": {"a": TEXT, "b": TEXT}},
    {**CLOSED, "properties": {"a": TEXT}, "patternProperties": {"^b": NUMBER}},
    {**CLOSED, "properties": {"a": TEXT, "b": TEXT}, "patternProperties": {"^b": NUMBER}},
    {"type": "object", "maxProperties": 1},
]
VALUES: Final[list[Any]] = [
    *(None, True, 0, 1, 2, 3, 4, 1.5, "", "a", "b", "ab", "abc", "abcd"),
    *([], [1], ["a"], ["a", "a"], {}, {"a": "x"}, {"a": 1}, {"b": 1}, {"b": "x"}),
    *({"a": "x", "b": 1}, {"a": "x", "b": "x"}, {"a": "x", "c": 1}),
]

# Pairs that need no converter one way, and one the other way.
CONTAINED: Final[list[tuple[Schema, Schema]]] = [
    (TEXT, {"type": ["string", "null"]}),
    (NUMBER, {"type": "number"}),
    ({**TEXT, "maxLength": 2}, {**TEXT, "maxLength": 3}),
    ({**TEXT, "minLength": 2}, {**TEXT, "minLength": 1}),
    ({**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a", "ab"]}),
    ({**TEXT, "enum": ["a", "ab"]}, {**TEXT, "minLength": 1, "maxLength": 3}),
    ({**TEXT, "maxLength": 3}, {"anyOf": [{**TEXT, "maxLength": 3}, NUMBER]}),
    ({**NUMBER, "maximum": 3}, {**NUMBER, "maximum": 4}),
    ({**NUMBER, "minimum": 2}, {**NUMBER, "minimum": 1}),
    ({**NUMBER, "exclusiveMaximum": 3}, {**NUMBER, "maximum": 3}),
    ({**NUMBER, "maximum": 2}, {**NUMBER, "exclusiveMaximum": 3, "maximum": 4}),
    ({**NUMBER, "exclusiveMinimum": 1}, {**NUMBER, "minimum": 1}),
    ({**NUMBER, "minimum": 2}, {**NUMBER, "exclusiveMinimum": 1}),
    ({**NUMBER, "multipleOf": 2}, NUMBER),
    ({**TEXT, "format": "date"}, {**TEXT, "format": "password"}),
    ({**NUMBER, "format": "int32"}, {**NUMBER, "format": "int64"}),
    ({**NUMBER, "format": "int64"}, NUMBER),
    ({"type": "number", "format": "float"}, {"type": "number", "format": "double"}),
    ({**TEXT, "format": "double"}, TEXT),
    ({"type": "object", "required": ["a", "b"]}, {"type": "object", "required": ["a"]}),
    ({**CLOSED, "properties": {"a": TEXT}}, {**CLOSED, "properties": {"a": TEXT, "b": TEXT}}),
]


def fits(schema: Schema) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator(fold_null(schema))
    return [bool(validator.is_valid(value)) for value in VALUES]


def test_no_value_of_a_contained_schema_is_refused() -> None:
    valid = [fits(era) for era in ERAS]
    wrong = [
        (ERAS[one], ERAS[other], value)
        for one, other in permutations(range(len(ERAS)), 2)
        if is_contained("schema", ERAS[one], ERAS[other])
        for value, before, after in zip(VALUES, valid[one], valid[other], strict=True)
        if before and not after
    ]
    assert wrong == []


@cases(("one", "other"), CONTAINED)
def test_loosened_schema_is_contained(one: Schema, other: Schema) -> None:
    assert is_contained("schema", one, other)
    assert not is_contained("schema", other, one)


@pytest.mark.parametrize("bound", ["maxLength", "minLength"])
def test_equal_bounds_in_other_spellings_are_equal(bound: str) -> None:
    whole, fraction = ({**TEXT, bound: size} for size in (3, 3.0))
    assert is_contained("schema", whole, fraction)
    assert is_contained("schema", fraction, whole)
