"""Schemas without a valid value are found in every position, and no others."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
import yaml
from support.tables import cases

from dateline.sample.answers import Unsampled, list_unanswered
from dateline.schema.emptiness import Emptiness

TWINS = "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}"

EMPTY = {
    "twins": TWINS,
    "two pairs": "{oneOf: [{type: string}, {const: 1}, {type: string}, {const: 1}]}",
    "twins in a required field": f"{{type: object, required: [a], properties: {{a: {TWINS}}}}}",
    "duplicates in a required item": f"{{type: array, minItems: 1, items: {TWINS}}}",
    "twins in a part": f"{{allOf: [{{type: object}}, {TWINS}]}}",
    "twins in all members": f"{{anyOf: [{TWINS}, {TWINS}]}}",
    "behind references": "{$ref: '#/components/schemas/Behind'}",
    "false": "false",
    "listed values of another type": "{type: integer, enum: ['1 (One)', '2 (Two)']}",
    "listed values of other types": "{type: [integer, boolean], enum: ['1', null, 1.5]}",
    "no listed values": "{enum: []}",
    "a constant of another type": "{type: boolean, const: 'true'}",
    "a number between crossed bounds": "{type: number, minimum: 2, maximum: 1}",
    "a text between crossed bounds": "{type: string, minLength: 2, maxLength: 1}",
    "a list between crossed bounds": "{type: array, minItems: 2, maxItems: 1}",
    "an object between crossed bounds": "{type: object, minProperties: 2, maxProperties: 1}",
    "a contradiction in a required field": (
        "{type: object, required: [a], properties: {a: {type: integer, enum: ['1']}}}"
    ),
    "a contradiction in an item": "{type: array, minItems: 1, items: {type: 'null', const: 1}}",
    "a recursion without an end": "{$ref: '#/components/schemas/Endless'}",
    "a recursion of two without an end": "{$ref: '#/components/schemas/One'}",
}
FULL = {
    "members that differ": "{oneOf: [{$ref: '#/components/schemas/A'}, {type: string}]}",
    "twins and another": "{oneOf: [{type: string}, {type: string}, {type: integer}]}",
    "a union of one": "{oneOf: [{type: string}]}",
    "twins in an optional field": f"{{type: object, properties: {{a: {TWINS}}}}}",
    "twins in a list that may be empty": f"{{type: array, items: {TWINS}}}",
    "twins in one member": f"{{anyOf: [{TWINS}, {{type: string}}]}}",
    "twins of anyOf": "{anyOf: [{type: string}, {type: string}]}",
    "members whose property is called as a word": (
        "{oneOf: [{type: object, required: [title], properties: {title: {type: string}}},"
        " {type: object, required: [title], properties: {title: {type: integer}}}]}"
    ),
    "a recursion": "{$ref: '#/components/schemas/Again'}",
    "one listed value of the type": "{type: integer, enum: ['1', 1.0]}",
    "a listed integer as a number": "{type: number, enum: [1]}",
    "listed values without a type": "{enum: ['a']}",
    "a null that is listed": "{type: [integer, 'null'], enum: ['1', null]}",
    "crossed bounds of another type": "{type: [string, integer], minLength: 2, maxLength: 1}",
    "crossed bounds without a type": "{minimum: 2, maximum: 1}",
    "equal bounds": "{type: integer, minimum: 1, maximum: 1}",
    "a contradiction in an optional field": (
        "{type: object, properties: {a: {type: integer, enum: ['1']}}}"
    ),
    "a recursion that may end": "{anyOf: [{$ref: '#/components/schemas/Endless'}, {type: string}]}",
}


def document(schema: Any, openapi: str = "3.1.0") -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    responses = {"200": {"description": "a", "content": content}, "404": {"description": "b"}}
    loan = {"type": "object", "properties": {"a": {"type": "string", "nullable": False}}}
    return {
        "openapi": openapi,
        "info": {"title": "a", "version": "1"},
        "paths": {"/a": {"get": {"responses": responses}}, "x-note": None},
        "components": {
            "schemas": {
                "A": {**loan, "description": "one"},
                "B": {**loan, "title": "other", "x-note": 1},
                "Behind": {"$ref": "#/components/schemas/Further"},
                "Endless": {
                    "type": "object",
                    "required": ["a"],
                    "properties": {"a": {"$ref": "#/components/schemas/Endless"}},
                },
                "One": {"allOf": [{"$ref": "#/components/schemas/Two"}]},
                "Two": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/components/schemas/One"},
                },
                "Further": {"allOf": [yaml.safe_load(TWINS)]},
                "Again": {
                    "type": "object",
                    "properties": {"again": {"$ref": "#/components/schemas/Again"}},
                },
            }
        },
    }


@cases("name", [*EMPTY, *FULL])
def test_schema_without_a_valid_value_is_found(name: str) -> None:
    schema = yaml.safe_load({**EMPTY, **FULL}[name])
    found = document(schema)
    assert Emptiness(found).is_empty(schema) is (name in EMPTY)
    unanswered = [(path, method) for path, method, _ in list_unanswered(found)]
    assert unanswered == ([("/a", "GET")] if name in EMPTY else [])
    registry = jsonschema_rs.Registry([("urn:a", found)])
    at = {"$ref": "urn:a#/paths/~1a/get/responses/200/content/application~1json/schema"}
    validator = jsonschema_rs.Draft202012Validator(at, registry=registry)
    values: tuple[Any, ...] = (
        None,
        1,
        "a",
        [],
        ["a"],
        [{}],
        {},
        {"a": "b"},
        {"a": {"a": "b"}},
        {"title": "a"},
    )
    assert any(map(validator.is_valid, values)) is (name in FULL)


@pytest.mark.parametrize("null", [{"nullable": True}, {"enum": [None], "type": "string"}])
def test_nullable_schema_of_openapi_3_0_accepts_null(null: dict[str, Any]) -> None:
    schema = {**yaml.safe_load(TWINS), **null}
    assert not Emptiness(document(schema, "3.0.3")).is_empty(schema)
    assert Emptiness(document(schema)).is_empty(schema)


@pytest.mark.parametrize("status", ["204", "205", "304"])
def test_body_that_is_never_sent_needs_no_value(status: str) -> None:
    found = document(yaml.safe_load(TWINS))
    responses = found["paths"]["/a"]["get"]["responses"]
    assert [*list_unanswered(found)]
    responses[status] = responses.pop("200")
    assert not [*list_unanswered(found)]


@cases(
    ("members", "is_found"),
    [
        ("{type: object}, {type: object, additionalProperties: {type: string}}", False),
        ("{type: integer}, {type: integer, minimum: 0}", False),
        ("{type: array}, {type: array, items: {type: string}}", False),
        ("{type: integer}, {$ref: '#/components/schemas/Natural'}", False),
        ("{type: string}, {type: string, format: date}", True),
        ("{type: object}, {type: string}", True),
        ("{type: object}, {$ref: '#/components/schemas/Natural'}", True),
    ],
)
@cases("around", ["%s", "{type: object, required: [a], properties: {a: %s}}", "{allOf: [%s]}"])
def test_union_without_a_value_found_is_undecided(
    around: str, members: str, is_found: bool
) -> None:
    found = document(yaml.safe_load(around % f"{{oneOf: [{members}]}}"))
    found["components"]["schemas"]["Natural"] = {"type": "integer", "minimum": 0}
    assert [path for path, *_ in list_unanswered(found)] == ([] if is_found else ["/a"])
    assert is_found or Emptiness(found, Unsampled(found).has).is_possible
