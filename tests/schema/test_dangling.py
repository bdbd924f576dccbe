"""Adopted documents with dangling references are generated, and any value is served."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.commands import dateline
from support.generated_server import Generated, ask

from dateline.load import load
from dateline.model import Api
from dateline.openapi import locate
from dateline.serve.lines import format_lines
from dateline.serve.mock import Mock

OLD, NEW = "2024-01-15", "2025-06-01"

_DOCUMENT: Final = """
openapi: 3.0.3
info: { title: Things, version: "1" }
paths:
  /gone: { $ref: '#/components/pathItems/Nowhere' }
  /things/{id}:
    get:
      operationId: getThing
      parameters:
        - { $ref: '#/components/parameters/Nowhere' }
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: flag, in: query, schema: { $ref: '#/components/schemas/Nowhere' } }
      responses:
        '200': { $ref: '#/components/responses/Thing' }
        '404': { $ref: '#/components/responses/Nowhere' }
    put:
      operationId: putThing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody: { $ref: '#/components/requestBodies/Nowhere' }
      responses:
        '200':
          description: whatever
          headers: { X-Gone: { $ref: '#/components/headers/Nowhere' } }
          links: { next: { $ref: '#/components/links/Nowhere' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Nowhere' } } }
    patch:
      operationId: changeThing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: NOWHERE } } } }
      responses: { '200': { $ref: '#/components/responses/Thing' } }
components:
  responses:
    Thing:
      description: a thing
      content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  schemas:
    Thing:
      type: object
      properties:
        id: { type: string }
        one: { $ref: '#/components/schemas/Nowhere' }
        many: { type: array, items: { $ref: '#/components/schemas/Other' } }
        based: { allOf: [{ $ref: '#/components/schemas/Nowhere' }, { required: [a] }] }
""".replace("NOWHERE", "'#/components/schemas/Other'")


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Api:
    """An API of two versions, adopted into the current folder; the newer one adds a field."""
    monkeypatch.chdir(tmp_path)
    newer = yaml.safe_load(_DOCUMENT)
    newer["components"]["schemas"]["Thing"]["properties"]["added"] = {"type": "string"}
    Path("old.yaml").write_text(_DOCUMENT)
    Path("new.yaml").write_text(yaml.safe_dump(newer))
    adopted = dateline("adopt", f"{OLD}=old.yaml", f"{NEW}=new.yaml")
    assert (adopted.status, adopted.err) == (0, "")
    return load(Path("schemas"))


class _Handlers:
    """Handlers that return what a test sets, and record what they are sent."""

    given: Any = None
    sent: Any = None

    async def get_thing(self, _: Any, *, flag: Any, **_others: Any) -> Any:
        self.sent = flag
        return self.given

    async def put_thing(self, _: Any, **_others: Any) -> Any:
        return self.given

    async def change_thing(self, _: Any, *, body: Any, **_others: Any) -> Any:
        self.sent = body
        return self.given


@pytest.mark.usefixtures("api")
def test_documents_models_and_a_server_are_generated() -> None:
    ran = dateline("generate")
    assert (ran.status, ran.err.splitlines()) == (
        0,
        [
            "note: components.Thing.based: models ignore `$ref`",
            "note: components.Thing.many[]: models ignore `$ref`",
            "note: components.Thing.one: models ignore `$ref`",
            "note: getThing, parameter flag: models ignore `$ref`",
            "note: putThing, 200: models ignore `$ref`",
            "note: changeThing, request: models ignore `$ref`",
            "note: 1 operation has a response that no value fits at some version, since the "
            "members of a `oneOf` say the same, keywords contradict each other or a value has no "
            "end, or for which none was found; the mock answers 501 there (first at "
            "schemas/things.yaml:37:5: #/components/schemas/Nowhere leads nowhere)",
        ],
    )
    for path in (f"spec/production/{OLD}.yaml", f"spec/production/{NEW}.json"):
        assert "schemas/Nowhere" in Path("generated", path).read_text()
    for path in ("v2024_01_15/__init__.py", "server/routes.py"):
        assert Path("generated/python/api_models", path).is_file()
    assert dateline("init", "--server").out.splitlines()[0] == "added server.py"


def test_any_value_is_valid_for_a_dangling_reference(api: Api, tmp_path: Path) -> None:
    server, things = Generated(tmp_path / "served", api).module("server"), _Handlers()
    app = server.create_app(server.Handlers(default=things), environment="production")
    older = {"id": "a", "one": 3, "many": [1, {}, None], "based": {"a": []}}
    things.given = {**older, "added": "new"}
    for version, shown in ((OLD, older), (NEW, things.given)):
        headers = {"X-API-Version": version}
        answer = ask(app, "GET", "/things/a?flag=%C3%A4", headers=headers)
        assert (answer.status_code, answer.json(), things.sent) == (200, shown, "ä")
        for sent in ({"x": [1]}, 7, "text"):
            answer = ask(app, "PATCH", "/things/a", headers=headers, json=sent)
            assert (answer.status_code, answer.json(), things.sent) == (200, shown, sent)
        answer = ask(app, "PUT", "/things/a", headers=headers)
        assert (answer.status_code, answer.json()) == (200, things.given)


def test_mock_finds_parameters_beside_a_dangling_one(api: Api, tmp_path: Path) -> None:
    mock = Mock(api, Generated(tmp_path / "served", api).module("server"), "production", 0)
    said = list(format_lines(mock, api.table.environments[0], "http://mock"))
    assert any("curl http://mock/things/" in line for line in said), said


def test_pointers_follow_references_on_their_way() -> None:
    document = {
        "paths": {"/a": {"get": {"schema": {"$ref": "#/components/schemas/A"}}}},
        "components": {
            "schemas": {
                "A": {"$ref": "#/components/schemas/B"},
                "B": {
                    "properties": {"b": {"$ref": "#/components/schemas/A/properties/c"}, "c": {}}
                },
                "Own": {"$ref": "#/components/schemas/Own/properties/a"},
                "One": {"$ref": "#/components/schemas/Other/a"},
                "Other": {"$ref": "#/components/schemas/One/a"},
                "Two": {"$ref": "#/components/schemas/Three"},
                "Three": {"$ref": "#/components/schemas/Two"},
            }
        },
    }
    at = "#/paths/~1a/get/schema"
    assert locate(document, f"{at}/properties/c") == ({}, "/components/schemas/B/properties/c")
    assert locate(document, f"{at}/properties/b/type") is None
    for name in ("Own", "One", "Other", "Two"):
        assert locate(document, f"#/components/schemas/{name}/properties/x") is None
    assert locate(document, at) == ({"$ref": "#/components/schemas/A"}, "/paths/~1a/get/schema")
