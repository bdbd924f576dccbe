"""References in adopted documents may have any target in the document, and are kept as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import adopt_all, store
from support.mocks import MockRequest, send_all
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import SourceError
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
        "#/info/title",
        "#absent",
        "#/paths/~1y~1{id}/get/parameters/7/schema",
    ],
)
def test_reference_without_a_schema_is_refused(tmp_path: Path, reference: str) -> None:
    with pytest.raises(SourceError, match=r"reference-form: .* is not a component"):
        adopt_all(tmp_path, [document([reference], OLD)])


def test_reference_to_another_kind_of_object_has_no_meaning(tmp_path: Path) -> None:
    odd = document(["#/paths/~1y~1{id}/get/parameters/0"], OLD)
    adoption = adopt(store(tmp_path, [odd]), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal"]


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
