"""Reference cycles of schemas that are no components, in adopted definitions."""

from __future__ import annotations

import json
from typing import Any, Final

from support.checked import check_document
from support.tables import cases

PROPERTY: Final = "#/components/schemas/C/properties"
RESPONSE: Final = "#/paths/~1c/get/responses/200/content/application~1json/schema"
PARTS: Final = ("$ref", "allOf", "anyOf", "oneOf")


def refer(key: str, goal: str) -> dict[str, Any]:
    reference = {"$ref": goal}
    return reference if key == "$ref" else {key: [reference, {"type": "string"}]}


def find(openapi: str, schemas: dict[str, Any], response: Any = True) -> list[str]:
    """Return a line for each cycle found, without its place."""
    content = {"application/json": {"schema": response}}
    responses = {"200": {"description": "all", "content": content}}
    document = {
        "openapi": openapi,
        "info": {"title": "Circles", "version": "1"},
        "paths": {"/c": {"get": {"operationId": "c", "responses": responses}}},
        "components": {"schemas": schemas},
    }
    lines = check_document(json.dumps(document), adopted=True)
    marker = "reference-cycle: "
    return [line.partition(marker)[2].partition(" is a ")[0] for line in lines if marker in line]


def nest(**properties: Any) -> dict[str, Any]:
    return {"C": {"type": "object", "properties": properties}}


@cases("openapi", ["3.0.3", "3.1.0"])
@cases("key", PARTS)
def test_schema_below_a_value_that_refers_to_itself_is_found(openapi: str, key: str) -> None:
    goal = f"{PROPERTY}/a"
    assert find(openapi, nest(a=refer(key, goal))) == [f"{goal} -> {goal}"]


@cases("second", PARTS)
@cases("first", PARTS)
def test_two_schemas_that_refer_to_each_other_are_found_once(first: str, second: str) -> None:
    a, b = f"{PROPERTY}/a", f"{PROPERTY}/b"
    found = find("3.1.0", nest(a=refer(first, b), b=refer(second, a)))
    assert found == [f"{a} -> {b} -> {a}"]


@cases("key", PARTS)
def test_cycle_in_an_operation_is_found(key: str) -> None:
    assert find("3.1.0", nest(), refer(key, RESPONSE)) == [f"{RESPONSE} -> {RESPONSE}"]


@cases("key", PARTS)
def test_cycle_behind_another_reference_is_found_once(key: str) -> None:
    b = f"{PROPERTY}/b"
    assert find("3.1.0", nest(a=refer(key, b), b=refer(key, b))) == [f"{b} -> {b}"]


@cases("key", PARTS)
@cases("goal", [f"{PROPERTY}/a", "#/components/schemas/C"])
def test_cycle_through_a_value_is_allowed(key: str, goal: str) -> None:
    below = {"type": "array", "items": refer(key, goal)}
    assert find("3.1.0", nest(a=below)) == []
