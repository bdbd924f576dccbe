"""Parameters and tags with any name, and values of any type, reach the operations of a mock."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path
from typing import Any

from support.adopted_apis import store
from support.generated_server import Generated
from support.mock_answers import judge_gets
from support.mocks import requests, send_all

from dateline.adopt import adopt
from dateline.load import load
from dateline.project import Projector
from dateline.serve import mock
from dateline.serve.mock import Mock

ROOT = Path(__file__).parents[2]
DATE = "2025-01-01"

OK = {"200": {"description": "fine", "content": {"application/json": {"schema": {}}}}}

NUMBERS: dict[str, dict[str, Any]] = {
    "of one value": {"type": "number", "enum": [38.5], "default": 38.5},
    "of several values": {"type": "number", "enum": [0.5, -7.25]},
    "of whole values": {"type": "number", "enum": [1, 2]},
    "of whole values written as fractions": {"type": "number", "enum": [1.0]},
    "constant": {"type": "number", "enum": [2.5], "minimum": 0},
    "of any value": {"type": "number"},
    "of integers": {"type": "integer", "enum": [3]},
    "in a part": {"allOf": [{"type": "number"}, {"enum": [1.5]}]},
    "in a union": {"anyOf": [{"type": "number", "enum": [1.5]}, {"type": "boolean"}]},
}

TEXT = {"type": "string"}
# Query parameters with vague or unsatisfiable schemas, and queries that have a value for them.
UNUSUAL: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "items without a type": ({"items": TEXT}, ("of=a", "of=a&of=b")),
    "items of numbers without a type": (
        {"items": {"type": "integer"}},
        ("of=1", "of=1&of=2", "of=a"),
    ),
    "items without a type in a part": ({"allOf": [{"items": TEXT}, {}]}, ("of=a&of=b",)),
    "items without a type in a component": (
        {"$ref": "#/components/schemas/Untyped"},
        ("of=a&of=b",),
    ),
    "properties without a type": ({"properties": {"x": TEXT}}, ("x=1", "of=a")),
    "a list among properties without types": (
        {"properties": {"x": {"items": TEXT}}},
        ("x=1", "x=1&x=2"),
    ),
    "alternatives of objects": (
        {
            "type": "object",
            "oneOf": [
                {"properties": {name: TEXT}, "required": [name], "additionalProperties": False}
                for name in ("user", "mail")
            ],
        },
        ("user=1", "mail=1&type=user"),
    ),
    "numbers in an enumeration of texts": ({"type": "string", "enum": [1, 2]}, ("of=1",)),
    "numbers in an enumeration of dates": (
        {"type": "string", "format": "date", "enum": [20160128]},
        ("of=20160128",),
    ),
    "numbers in an enumeration of the items of a list": (
        {"type": "array", "items": {"type": "string", "format": "date", "enum": [20160128, 1]}},
        ("of=20160128&of=1",),
    ),
    "texts in an enumeration of truth values": (
        {"type": "boolean", "enum": ["true", "false"]},
        ("of=true",),
    ),
    "a date-time of a length": (
        {"type": "string", "format": "date-time", "minLength": 25, "maxLength": 25},
        ("of=2024-01-01T00:00:00%2B00:00",),
    ),
    "null or a date-time of a length": (
        {"type": "string", "format": "date-time", "nullable": True, "minLength": 25},
        ("of=2024-01-01T00:00:00%2B00:00",),
    ),
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "any value": ({}, "of=a&of=b"),
    "one text": (TEXT, "of=a&of=b"),
    "numbers": ({"type": "string", "enum": [1, 2]}, "of=3"),
    "alternatives": (UNUSUAL["alternatives of objects"][0], "user=1&mail=1"),
}


def list_argument_names() -> list[str]:
    """Return the argument names in the modules that pass parameters on as keywords."""
    package = ROOT / "generated/python/paynet"
    modules = [Path(str(mock.__file__))]
    for folder in ("client", "server"):
        modules += (package / folder).glob("*.py")
    return sorted(
        {
            node.arg
            for module in modules
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.arg)
        }
    )


def batched(names: list[str], size: int) -> list[list[str]]:
    return [names[start : start + size] for start in range(0, len(names), size)]


def answer_all(
    tmp_path: Path, paths: dict[str, Any], queries: dict[str, tuple[str, ...]] | None = None
) -> list[tuple[str, int, str]]:
    """Return the answers of a mock of *paths* to a request with all parameters of each operation.

    There is an additional request for each of the *queries* by path.
    """
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Names", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Untyped": {"items": TEXT}}},
    }
    adopt(store(tmp_path, [document]), tmp_path / "schemas")
    api = load(tmp_path / "schemas")
    generated = Generated(tmp_path, api)
    environment = api.table.environments[0].name
    (version,) = api.table.supported
    shown = Projector(api).contract(version.date, environment).document
    asked = list(requests(shown, version.date, api.table.header, "X-API-Key"))
    asked += [
        each._replace(url=f"{each.template}?{query}")
        for each in asked
        for query in (queries or {}).get(each.template, ())
    ]
    answers = send_all(Mock(api, generated.module("server"), environment, 0).app, asked)
    return [
        (each.template, answer.status_code, "" if answer.is_success else answer.text)
        for each, answer in zip(asked, answers, strict=True)
    ]


PLACES = ("path", "query", "header", "cookie")


def test_parameter_may_have_the_name_of_any_argument(tmp_path: Path) -> None:
    names = list_argument_names()
    assert {"operation", "call", "self", "body", "scope"} <= {*names}
    paths: dict[str, Any] = {}
    for place, some in product(PLACES, batched(names, 40)):
        path = "/".join((f"/{len(paths)}", *(f"{{{name}}}" for name in some if place == "path")))
        text = {"type": "string", "minLength": 1}
        parameters = [
            {"name": name, "in": place, "required": True, "schema": text} for name in some
        ]
        paths[path] = {"get": {"parameters": parameters, "responses": OK}}
    assert sorted(answer_all(tmp_path, paths)) == [(path, 200, "") for path in sorted(paths)]


def test_numbers_are_parsed_in_all_parameters(tmp_path: Path) -> None:
    paths = {
        f"/{index}/{'{of}' if place == 'path' else place}": {
            "get": {
                "parameters": [{"name": "of", "in": place, "required": True, "schema": schema}],
                "responses": OK,
            }
        }
        for place, (index, schema) in product(PLACES, enumerate(NUMBERS.values()))
    }
    assert sorted(answer_all(tmp_path, paths)) == [(path, 200, "") for path in sorted(paths)]


def test_parameters_are_parsed_in_each_way_that_their_schemas_allow(tmp_path: Path) -> None:
    queries = {f"/{index}": sent for index, (_, sent) in enumerate(UNUSUAL.values())}
    paths = {f"/{index}": of_query(schema) for index, (schema, _) in enumerate(UNUSUAL.values())}
    answers = answer_all(tmp_path, paths, queries)
    assert [each for each in answers if each[1] != 200] == []
    assert len(answers) == len(paths) + sum(map(len, queries.values()))


def test_parameter_that_became_json_is_converted(tmp_path: Path) -> None:
    ways = ({"schema": TEXT}, {"content": {"application/json": {"schema": {"type": "object"}}}})
    documents = [
        {
            "openapi": "3.0.3",
            "info": {"title": "It", "version": "1"},
            "paths": {
                "/it": {
                    "get": {
                        "operationId": "get_it",
                        "parameters": [{"name": "filter", "in": "query", **way}],
                        "responses": OK,
                    }
                }
            },
        }
        for way in ways
    ]
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: True)
    assert judge_gets(tmp_path / "schemas") == ({200: 2}, [])


def test_parameters_without_a_list_schema_are_single_values(tmp_path: Path) -> None:
    paths = {f"/{index}": of_query(schema) for index, (schema, _) in enumerate(REFUSED.values())}
    queries: dict[str, tuple[str, ...]] = {
        f"/{index}": (sent,) for index, (_, sent) in enumerate(REFUSED.values())
    }
    answers = answer_all(tmp_path, paths, queries)[len(paths) :]
    assert [status for _, status, _ in answers] == [400] * len(paths)


def of_query(schema: dict[str, Any]) -> dict[str, Any]:
    parameters = [{"name": "of", "in": "query", "required": True, "schema": schema}]
    return {"get": {"parameters": parameters, "responses": OK}}


def test_body_of_any_media_type_may_be_any_value(tmp_path: Path) -> None:
    body: dict[str, Any] = {"content": {"*/*": {"schema": {}}}}
    paths = {path: {"get": {"requestBody": body, "responses": OK}} for path in ("/a", "//b")}
    assert answer_all(tmp_path, paths) == [(path, 200, "") for path in paths]


def test_tag_without_letters_has_its_own_protocol(tmp_path: Path) -> None:
    tags = ["_", "-", "", "*", "é", "日本", "handlers", "Handlers", "0"]
    paths = {
        f"/{index}": {"get": {"tags": [tag], "responses": OK}} for index, tag in enumerate(tags)
    }
    document = {"openapi": "3.0.3", "info": {"title": "Tags", "version": "1"}, "paths": paths}
    adopt(store(tmp_path, [document]), tmp_path / "schemas")
    text = Generated(tmp_path, load(tmp_path / "schemas")).text("server/handlers.py")
    classes = [each.name for each in ast.parse(text).body if isinstance(each, ast.ClassDef)]
    assert len(classes) == len({*classes})
    assert classes.count("Handlers") == 1
