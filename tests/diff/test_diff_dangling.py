"""A dangling reference hides no change, wherever it is and whatever it was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.check.merge import ChangeGroups
from dateline.diff import diff
from dateline.model import Combination, Verdict
from dateline.presets import PRESETS
from dateline.rules.wording import describe

JSON: Final = "application/json"
OBJECT: Final = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
ANSWER: Final = {"description": "d", "content": {JSON: {"schema": OBJECT}}}
TEXT: Final = {"type": "string"}

Paths = dict[str, Any]


def operation(**keys: Any) -> Paths:
    return {"/x": {"post": {"responses": {"200": {"description": "d"}}, **keys}}}


def answer(**keys: Any) -> Paths:
    return operation(responses={"200": {"description": "d", **keys}})


def both(schema: Any) -> Paths:
    content = {JSON: {"schema": schema}}
    return operation(
        requestBody={"content": content},
        responses={"200": {"description": "d", "content": content}},
    )


# Places of a reference, and their targets.
POSITIONS: Final[dict[str, tuple[str, Any, Callable[[Any], Paths]]]] = {
    "schema": ("schemas", OBJECT, both),
    "items": ("schemas", OBJECT, lambda ref: both({"type": "array", "items": ref})),
    "property": ("schemas", OBJECT, lambda ref: both({"properties": {"p": ref}})),
    "allOf": ("schemas", OBJECT, lambda ref: both({"allOf": [ref, {"properties": {"z": {}}}]})),
    "oneOf": ("schemas", OBJECT, lambda ref: both({"oneOf": [ref, TEXT]})),
    "anyOf": ("schemas", OBJECT, lambda ref: both({"anyOf": [ref, TEXT]})),
    "not": ("schemas", OBJECT, lambda ref: both({"not": ref})),
    "if": ("schemas", OBJECT, lambda ref: both({"if": ref, "then": {"required": ["q"]}})),
    "additional": ("schemas", OBJECT, lambda ref: both({"additionalProperties": ref})),
    "names": ("schemas", {"maxLength": 3}, lambda ref: both({"propertyNames": ref})),
    "parameter": (
        "parameters",
        {"name": "p", "in": "query", "required": True, "schema": TEXT},
        lambda ref: operation(parameters=[ref]),
    ),
    "response": ("responses", ANSWER, lambda ref: operation(responses={"200": ref})),
    "body": (
        "requestBodies",
        {"required": True, "content": {JSON: {"schema": OBJECT}}},
        lambda ref: operation(requestBody=ref),
    ),
    "header": (
        "headers",
        {"required": True, "schema": TEXT},
        lambda ref: answer(headers={"H": ref}),
    ),
    "link": ("links", {"operationId": "x"}, lambda ref: answer(links={"l": ref})),
    "callback": (
        "callbacks",
        {"{$url}": {"post": {"responses": {"200": ANSWER}}}},
        lambda ref: operation(callbacks={"c": ref}),
    ),
    "path item": ("pathItems", operation()["/x"], lambda ref: {"/x": ref}),
    "security": (
        "securitySchemes",
        {"type": "http", "scheme": "bearer"},
        lambda ref: operation(security=[{ref["$ref"].rpartition("/")[2]: []}]),
    ),
}

# The name in the reference, and whether such a component exists before and after.
STATES: Final = {
    "lost": (("There", True), ("There", False)),
    "found": (("There", False), ("There", True)),
    "turned away": (("There", True), ("Nowhere", True)),
    "turned back": (("Nowhere", True), ("There", True)),
    "renamed": (("Nowhere", False), ("Nothing", False)),
}


def document(position: str, name: str, *, there: bool) -> dict[str, Any]:
    section, target, place = POSITIONS[position]
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": place({"$ref": f"#/components/{section}/{name}"}),
        "components": {section: {"There": target}} if there else {},
    }


@cases("preset", PRESETS)
@cases("state", STATES)
@cases("position", POSITIONS)
def test_dangling_reference_on_one_side_is_reported(position: str, state: str, preset: str) -> None:
    before, after = (document(position, name, there=there) for name, there in STATES[state])
    merged = ChangeGroups(preset, {})
    for change in diff(before, after):
        merged.add(change, Combination("", ""))
    assert {group.judgement.verdict for group in merged} & {Verdict.GATED, Verdict.NEVER}


@cases("position", POSITIONS)
def test_dangling_reference_on_both_sides_is_no_change(position: str) -> None:
    before, after = (document(position, "Nowhere", there=True) for _ in range(2))
    assert diff(before, after) == []


@pytest.mark.parametrize(
    "parameter", [{"$ref": "#/nowhere"}, {}, {"in": "query"}, {"name": None}, 7]
)
def test_parameter_without_a_name_is_described_so(parameter: Any) -> None:
    named = {"name": "parameters", "in": "query", "schema": {}}

    def shown(*parameters: Any) -> dict[str, Any]:
        answer = {"200": {"description": ""}}
        operation = {"parameters": list(parameters), "responses": answer}
        return {
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "paths": {"/a": {"get": operation}},
        }

    for one, called in ((parameter, "without a name"), (named, "parameters")):
        for before, after, event in (((), (one,), "added"), ((one,), (), "removed")):
            (change,) = diff(shown(*before), shown(*after))
            assert describe(change) == f"GET /a: parameter {called} {event}"
