"""References in adopted documents may have any target in the document, and are kept as written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support.adopted_apis import adopt_all, store
from support.mocks import MockRequest, send_all
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.diff import diff
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import SourceError
from dateline.presets import DEFAULT_POLICY
from dateline.rules import judge
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

JSON = "application/json"
OLD = {"type": "object", "required": ["deep"], "properties": {"deep": {"type": "string"}}}
NEW = {
    "type": "object",
    "required": ["deep", "more"],
    "properties": {"deep": {"type": "string"}, "more": {"type": "integer"}},
}


def content(schema: Any) -> dict[str, Any]:
    return {"description": "d", "content": {JSON: {"schema": schema}}}


def wrap(references: list[str]) -> dict[str, Any]:
    fields = {each: {"$ref": each} for each in references}
    return {"type": "object", "required": [*fields], "properties": fields}


def document(references: list[str], shape: dict[str, Any]) -> dict[str, Any]:
    """Return a document with *shape* in many places, and references to some of them."""
    anchored = {"$anchor": "plain", **shape}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/x": {
                "get": {
                    "operationId": "getX",
                    "parameters": [{"$ref": "#/paths/~1y~1{id}/get/parameters/0"}],
                    "responses": {
                        "200": content(wrap(references)),
                        "404": {"$ref": "#/paths/~1y~1{id}/get/responses/200"},
                    },
                }
            },
            "/y/{id}": {
                "get": {
                    "operationId": "getY",
                    "parameters": [
                        {"name": "n", "in": "query", "schema": {"type": "integer"}},
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string"},
                        },
                    ],
                    "responses": {"200": content({"type": "array", "items": shape})},
                }
            },
        },
        "components": {
            "schemas": {
                "A": {
                    "type": "object",
                    "properties": {"p/q": shape, "r": {"$ref": "#/components/schemas/A/$defs/D"}},
                    "$defs": {"D": shape},
                    "allOf": [{"properties": {"s": shape}}],
                },
                "Plain": anchored,
                "Holder": {"properties": {"inside": {"$anchor": "inside", **shape}}},
                "B": {"$ref": "#/components/schemas/A/properties/p~1q"},
            },
            "responses": {"R": content(shape)},
            "enums": {"E": shape},  # not a key of OpenAPI
        },
    }


REFERENCES = [
    "#/components/schemas/A/properties/p~1q",
    "#/components/schemas/A/properties/p%7E1q",
    "#/components/schemas/A/properties/r",
    "#/components/schemas/A/$defs/D",
    "#/components/schemas/A/%24defs/D",
    "#/components/schemas/A/allOf/0/properties/s",
    "#/components/schemas/B",
    "#/components/enums/E",
    "#/components/responses/R/content/application~1json/schema",
    "#/paths/~1y~1{id}/get/responses/200/content/application~1json/schema/items",
    "#/paths/~1y~1%7Bid%7D/get/responses/200/content/application~1json/schema/items",
    "#plain",
    "#inside",
]


def test_target_of_a_reference_is_served_at_each_version(tmp_path: Path) -> None:
    adopt_all(tmp_path, [document(REFERENCES, OLD), document(REFERENCES, NEW)])
    answers = list_answers(tmp_path, "/x")
    assert [status for status, _ in answers] == [200, 200]
    assert [{name: {*value} for name, value in body.items()} for _, body in answers] == [
        dict.fromkeys(REFERENCES, fields) for fields in ({"deep"}, {"deep", "more"})
    ]
    # the parameter and the other response belong to another path
    assert [status for status, _ in list_answers(tmp_path, "/x?n=1")] == [200, 200]
    assert [status for status, _ in list_answers(tmp_path, "/x?n=one")] == [400, 400]


def list_answers(folder: Path, url: str) -> list[tuple[int, Any]]:
    """Return the status and body that a mock returns at each version, oldest first."""
    api = load(folder / "schemas")
    workspace = Workspace(schemas=folder / "schemas", output=folder / "generated")
    with open_server(workspace, api) as server:
        mock = Mock(api, server, api.table.environments[0].name, 0)
        asked = [
            MockRequest({}, "get", url, {api.table.header: date}, None, prefix="")
            for date in DATES[:2]
        ]
        return [(each.status_code, each.json()) for each in send_all(mock.app, asked)]


@cases(
    "reference",
    [
        "#/components/schemas/A/properties/absent",
        "#/components/schemas/A/required/0",
        "#/components/enums/absent",
        "#/info/title",
        "#absent",
        # indexes are ASCII digits without a leading zero, and no number is too long to be refused
        *(f"#/paths/~1y~1{{id}}/get/parameters/{at}/schema" for at in ("7", "00", "٠", "9" * 5000)),
    ],
)
def test_reference_without_a_schema_is_refused(tmp_path: Path, reference: str) -> None:
    with pytest.raises(SourceError, match=r"reference-form: .* is not a component"):
        adopt_all(tmp_path, [document([reference], OLD)])


def test_reference_to_another_kind_of_object_has_no_meaning(tmp_path: Path) -> None:
    odd = document(["#/paths/~1y~1{id}/get/parameters/0"], OLD)
    adoption = adopt(store(tmp_path, [odd]), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal"]


def outside(old: Any, reference: str, where: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a response and a parameter that refer to what is in *where*."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/x": {
                "get": {
                    "operationId": "getX",
                    "parameters": [{"name": "n", "in": "query", "schema": {"$ref": "#/x-types/N"}}],
                    "responses": {"200": old or content({"$ref": reference})},
                }
            }
        },
        **where,
    }


TEXT: Final = {"type": "string", "enum": ["a"]}
NUMBER: Final = {"type": "integer"}


@cases(
    "reference, place",
    [
        ("#/x-types/D", lambda schema: {"x-types": {"D": schema, "N": schema}}),
        (
            "#/x-types/User",
            lambda schema: {"x-types": {"User": {"$ref": "#/x-types/D"}, "D": schema, "N": schema}},
        ),
        (
            "#/components/types/D",
            lambda schema: {"components": {"types": {"D": schema}}, "x-types": {"N": schema}},
        ),
        (
            "",
            lambda schema: {
                "x-responses": {"R": content({"$ref": "#/x-types/D"})},
                "x-types": {"D": schema, "N": schema},
            },
        ),
    ],
)
def test_object_that_changes_outside_of_openapi_is_served_at_each_version(
    tmp_path: Path, reference: str, place: Callable[[Any], dict[str, Any]]
) -> None:
    response = None if reference else {"$ref": "#/x-responses/R"}
    adopt_all(tmp_path, [outside(response, reference, place(each)) for each in (TEXT, NUMBER)])
    before, after = list_answers(tmp_path, "/x")
    assert (before[0], after[0]) == (200, 200)
    assert (before[1], type(after[1])) == ("a", int)
    assert [status for status, _ in list_answers(tmp_path, "/x?n=1")] == [400, 200]
    assert [status for status, _ in list_answers(tmp_path, "/x?n=a")] == [200, 400]


EXTENSIONS: dict[str, Any] = {
    "x-parameter": {"name": "n", "in": "query", "schema": {"type": "integer"}},
    "x-responses": [{"description": "d", "headers": {"X-H": {"$ref": "#/x-header"}}}],
    "x-header": {"schema": {"$ref": "#/x-schema/deep"}},
    "x-schema": {"deep": {"type": "string"}},
    "x-body": {"content": {JSON: {"schema": {"$ref": "#/x-schema/deep"}}}},
    "x-example": {"value": 1},
    "x-link": {"operationId": "getX"},
    "x-callback": {"{$request.query.n}": {"$ref": "#/x-path-item"}},
    "x-path-item": {"get": {"operationId": "getY", "responses": {"204": {"description": "d"}}}},
}


def extended(**changed: Any) -> dict[str, Any]:
    """Return a document whose objects of all kinds are in extensions of it."""
    x = {name.replace("-", "_"): {"$ref": f"#/{name}"} for name in EXTENSIONS}
    body = {JSON: {"schema": {}, "examples": {"e": x["x_example"]}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/y": x["x_path_item"],
            "/x": {
                "post": {
                    "operationId": "getX",
                    "parameters": [x["x_parameter"]],
                    "requestBody": x["x_body"],
                    "callbacks": {"c": x["x_callback"]},
                    "responses": {
                        "200": {"$ref": "#/x-responses/0"},
                        "201": {
                            "description": "d",
                            "content": body,
                            "links": {"l": x["x_link"]},
                        },
                    },
                }
            },
        },
        **EXTENSIONS,
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }


@cases(
    "name, newer, change",
    [
        ("x_parameter", {**EXTENSIONS["x-parameter"], "required": True}, "parameter-required"),
        ("x_responses", [{"description": "d"}], "header-removed"),
        ("x_header", {"schema": {}, "required": True}, "response-narrowed"),
        ("x_schema", {"deep": {"type": "integer"}}, "type-changed"),
        ("x_body", {**EXTENSIONS["x-body"], "required": True}, "body-required"),
        ("x_link", {"operationId": "getY"}, "link-changed"),
        ("x_path_item", {}, "operation-removed"),
    ],
)
def test_object_of_any_kind_may_be_in_an_extension(
    tmp_path: Path, name: str, newer: Any, change: str
) -> None:
    documents = [extended(), extended(**{name: newer})]
    adoption = adopt(store(tmp_path, documents), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal", "equal"]
    assert change in {
        judge(each, DEFAULT_POLICY, {}).rule for each in diff(documents[0], documents[1])
    }


@cases(
    "name, bad, fact",
    [
        ("x_parameter", {"name": 1, "in": "query"}, "the number 1 where text belongs"),
        ("x_responses", [{"description": "d", "headers": 1}], "the number 1 where a mapping"),
        ("x_schema", {"deep": {"required": 1}}, "the number 1 where a list of texts belongs"),
        ("x_path_item", {"get": []}, "a list where a mapping belongs"),
    ],
)
def test_object_in_an_extension_has_the_structure_of_its_kind(
    tmp_path: Path, name: str, bad: Any, fact: str
) -> None:
    with pytest.raises(SourceError, match=f"wrong-type: {fact}"):
        adopt(store(tmp_path, [extended(**{name: bad})]), tmp_path / "schemas")


def test_file_may_have_the_name_of_a_text_in_it(tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/again.yaml").write_text("operationId: again\n")
    answer = {"description": "d", "links": {"self": {"$ref": "links/again.yaml"}}}
    item = {"get": {"operationId": "getX", "responses": {"200": answer}}}
    found = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/x": item}}
    (tmp_path / "api.json").write_text(json.dumps(found))
    adopt((f"{DATES[0]}={tmp_path / 'api.json'}",), tmp_path / "schemas")
    links = load(tmp_path / "schemas").document["components"]["links"]
    assert links == {"again": {"operationId": "again"}}
