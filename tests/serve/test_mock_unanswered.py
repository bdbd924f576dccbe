"""Operations without a sample quickly answer 501 with a reason, and are noted by `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import store
from support.generated_server import Generated
from support.mock_answers import judge_each_get, judge_gets
from support.mocks import requests, send_all
from support.random_chains import DATES

from dateline.adopt import adopt
from dateline.load import load
from dateline.project import Projector
from dateline.sample import Sampler
from dateline.sample.answers import list_unanswered
from dateline.serve.mock import Mock

Schema = dict[str, Any]

UNANSWERED = {
    "a million items": "{type: array, items: {type: string}, minItems: 1000000}",
    "a million contained items": "{type: array, contains: {type: integer}, minContains: 1000000}",
    "a thousand lists of a thousand items": (
        "{type: array, minItems: 1000, items: {type: array, minItems: 1000}}"
    ),
    "a million fields": "{type: object, minProperties: 1000000}",
    "ten thousand fields": "{type: object, minProperties: 10000}",
    "a long text": "{type: string, minLength: 100000000}",
    "ten thousand items that differ": (
        "{type: array, items: {type: integer}, minItems: 10000, uniqueItems: true}"
    ),
    "three of two values": "{type: array, items: {enum: [1, 2]}, minItems: 3, uniqueItems: true}",
    "a length against a pattern": "{type: string, pattern: '^[a-z]{3}$', minLength: 5}",
    "a format against a pattern": "{type: string, pattern: '^x+$', format: date}",
    "a format against a length": "{type: string, format: date, maxLength: 5}",
    "a pattern that looks behind": "{type: string, pattern: '^a(?<=b)c$'}",
    "a pattern that looks ahead": "{type: string, pattern: '^(?!.*)$'}",
    "an impossible date": "{type: string, format: date, enum: ['2023-02-30']}",
    "a constant against a length": "{const: abc, maxLength: 2}",
    "a value against a pattern": "{type: string, enum: [a, b], pattern: '^c$'}",
    "no multiple": "{type: integer, minimum: 1, maximum: 6, multipleOf: 7}",
    "no integer": "{type: integer, minimum: 1.2, maximum: 1.8}",
    "bounds of two parts": "{allOf: [{type: integer, minimum: 5}, {maximum: 3}]}",
    "types of two parts": "{allOf: [{type: string}, {$ref: '#/components/schemas/Count'}]}",
    "a required field that is not allowed": (
        "{type: object, required: [a], additionalProperties: false}"
    ),
    "a required field without a value": "{type: object, required: [a], properties: {a: false}}",
    "too few fields": (
        "{type: object, minProperties: 2, properties: {a: {}}, additionalProperties: false}"
    ),
    "no name": "{type: object, minProperties: 1, propertyNames: {maxLength: 0, minLength: 1}}",
    "an item that is not allowed": "{type: array, contains: {not: {}}, items: {type: integer}}",
    "a field that the others require": (
        "{type: object, required: [a], dependentRequired: {a: [b]}, properties: {b: false}}"
    ),
    "a condition": "{if: {}, then: false}",
    "everything refused": "{not: {}}",
    "a dangling reference": "{$ref: '#/components/schemas/Gone'}",
    "a nested dangling reference": (
        "{type: object, required: [a], properties: {a: {type: array, minItems: 1,"
        " items: {$ref: '#/components/schemas/Gone'}}}}"
    ),
    "a refused field behind a reference": "{$ref: '#/components/schemas/Impossible'}",
}

ANSWERED = {
    "an optional list of a million items": (
        "{type: object, properties: {a: {type: array, items: {}, minItems: 1000000}}}"
    ),
    "many items": "{type: array, items: {type: object}, minItems: 2000}",
    "many items that differ": (
        "{type: array, items: {type: integer}, minItems: 200, uniqueItems: true}"
    ),
    "a long text with a pattern": "{type: string, minLength: 3000, pattern: '^[a-z]+$'}",
    "a pattern with many repetitions": "{type: string, pattern: '^[a-z]{3000}$'}",
    "many values": f"{{enum: [{', '.join(map(str, range(4000)))}]}}",
    "huge bounds": "{type: array, items: {type: string, maxLength: 1.0e+15}, maxItems: 1.0e+15}",
    "a negative step": "{type: integer, multipleOf: -2}",
    "no step": "{type: integer, multipleOf: 0}",
    "bounds that are flags": "{type: integer, minimum: 1, exclusiveMinimum: true}",
    "nothing that is refused": "{type: string, not: null}",
    "something that is no schema": "{type: array, contains: 7, items: [{type: string}]}",
    "bounds without a type": "{minimum: 2, maximum: 1}",
    "an example beside a pattern": "{type: string, pattern: '^a(?<=a)b$', example: ab}",
}


def document(*schemas: str) -> dict[str, Any]:
    """Return a document with `/fine` and an operation for each of *schemas*, from `/0` on."""
    paths: dict[str, Any] = {"/fine": {"get": {"responses": {"200": {"description": "fine"}}}}}
    for number, schema in enumerate(schemas):
        content = {"application/json": {"schema": yaml.load(schema, yaml.CSafeLoader)}}
        responses = {"200": {"description": "a", "content": content}}
        paths[f"/{number}"] = {"get": {"responses": responses}}
    impossible = {"type": "string", "pattern": "^b$", "minLength": 2}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": {
                "Count": {"type": "integer"},
                "Impossible": {
                    "type": "object",
                    "required": ["a"],
                    "properties": {"a": impossible},
                },
            }
        },
    }


def list_notes(schemas: Path) -> list[str]:
    """Return the notes about operations for which a mock has no sample."""
    notes = Generated(schemas.parent, load(schemas)).notes
    return [note for note in notes if "the mock answers 501 there" in note]


def test_each_501_of_the_mock_is_found(tmp_path: Path) -> None:
    schemas = {**UNANSWERED, **ANSWERED}
    adopt(store(tmp_path, [document(*schemas.values())]), tmp_path / "schemas")
    contract = Projector(load(tmp_path / "schemas")).contract(DATES[0], "production")
    noted = {path for path, _, _ in list_unanswered(contract.document)}
    judged = {each.path: each for each in judge_each_get(tmp_path / "schemas")}
    assert [each for each in judged.values() if each.fault] == []
    assert judged["/fine"].status == 200
    found = {
        name: (judged[f"/{number}"].status, f"/{number}" in noted)
        for number, name in enumerate(schemas)
    }
    assert found == {
        **dict.fromkeys(UNANSWERED, (501, True)),
        **dict.fromkeys(ANSWERED, (200, False)),
    }


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["no multiple"], "1 operation has"), (["no multiple", "a condition"], "2 operations have")],
)
def test_note_counts_operations(names: list[str], expected: str, tmp_path: Path) -> None:
    documents = [document(*(UNANSWERED[name] for name in names))]
    adopt(store(tmp_path, documents), tmp_path / "schemas")
    [note] = list_notes(tmp_path / "schemas")
    assert note.startswith(f"{expected} a response that no value fits")


def test_example_of_a_media_type_is_used_if_there_is_no_sample(tmp_path: Path) -> None:
    found = document(UNANSWERED["a pattern that looks behind"].replace("^a(?<=b)c$", "^a(?<=a)b$"))
    answer = found["paths"]["/0"]["get"]["responses"]["200"]["content"]["application/json"]
    answer["examples"] = {"one": {"value": "ab"}}
    adopt(store(tmp_path, [found]), tmp_path / "schemas")
    assert list_notes(tmp_path / "schemas") == []
    assert judge_gets(tmp_path / "schemas") == ({200: 2}, [])


def test_optional_field_that_is_too_large_is_left_out() -> None:
    schema = yaml.safe_load(ANSWERED["an optional list of a million items"])
    assert Sampler({"openapi": "3.1.0"}).value(schema, "a") == {}


def test_valid_request_that_can_not_be_converted_is_not_refused(tmp_path: Path) -> None:
    def create_document(value: Schema) -> dict[str, Any]:
        answers = {"responses": {"200": {"description": "fine"}}}
        whole = {"type": "object", "required": ["of"], "properties": {"of": value}}
        paths: dict[str, Any] = {"/fine": {"get": answers}}
        for place in ("query", "header", "cookie", "path"):
            path = "/path/{of}" if place == "path" else f"/{place}"
            parameter = {"name": "of", "in": place, "required": True, "schema": value}
            paths[path] = {"get": {"parameters": [parameter], **answers}}
        for name, schema in (("value", value), ("object", whole), ("list", {"items": whole})):
            body = {"required": True, "content": {"application/json": {"schema": schema}}}
            paths[f"/{name}"] = {"post": {"requestBody": body, **answers}}
        return {**document(), "paths": paths}

    impossible: Schema = {"allOf": [{"type": "integer", "minimum": 5}, {"maximum": 3}]}
    documents = [create_document({"type": "string", "enum": ["a"]}), create_document(impossible)]
    adopt(store(tmp_path, documents), tmp_path / "schemas")
    api = load(tmp_path / "schemas")
    mock = Mock(api, Generated(tmp_path, api).module("server"), "production", 0)
    asked = [*requests(documents[0], DATES[0], api.table.header, "X-API-Key")]
    answers = {
        each.template: (answer.status_code, "no value was found for the converter" in answer.text)
        for each, answer in zip(asked, send_all(mock.app, asked), strict=True)
    }
    assert answers == {
        each: (200, False) if each == "/fine" else (501, True) for each in documents[0]["paths"]
    }


def test_operation_that_declares_errors_only_answers_one(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["code"], "properties": {"code": {"type": "integer"}}}
    error = {"description": "no", "content": {"application/json": {"schema": schema}}}
    paths = {
        "/plain": {"get": {"responses": {"404": {"description": "no"}}}},
        "/body": {"get": {"responses": {"503": {"description": "no"}, "4XX": error}}},
    }
    adopt(store(tmp_path, [{**document(), "paths": paths}]), tmp_path / "schemas")
    api = load(tmp_path / "schemas")
    mock = Mock(api, Generated(tmp_path, api).module("server"), "production", 0)
    asked = [*requests({"paths": paths}, DATES[0], api.table.header, "X-API-Key")]
    answers = [(each.status_code, each.text) for each in send_all(mock.app, asked)]
    assert answers == [(404, ""), (400, '{"code":400}')]
