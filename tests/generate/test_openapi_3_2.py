"""OpenAPI 3.2 is authored, checked, projected, written, served, adopted and compared."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml
from support.commands import dateline

from dateline.diff import diff
from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
policy: { preset: dated-contract, rules: { operation-removed: gated } }
environments: { production: { servers: [{ url: https://library.example/api }] } }
versions:
  - { date: 2024-01-15, title: First }
  - { date: 2024-06-01, title: Second }
"""

SOURCE: Final = """\
openapi: 3.2.0
$self: https://library.example/openapi
info: { title: Library, version: '1' }
tags:
  - { name: loans, summary: Loans, kind: nav, description: What is lent. }
  - { name: fines, summary: Fines, parent: loans, kind: nav, description: What is due. }
security: [{ device: [read] }]
paths:
  /loans:
    parameters: [{ $ref: '#/components/parameters/Version' }]
    query:
      operationId: search_loans
      tags: [loans]
      requestBody:
        required: true
        content: { application/json: { $ref: '#/components/mediaTypes/Search' } }
      responses:
        '200':
          summary: Found
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Loan' } }
              examples: { one: { dataValue: [{ id: a, state: open }], serializedValue: '[]' } }
    additionalOperations:
      COPY:
        operationId: copy_loans
        tags: [loans]
        requestBody:
          required: true
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
        responses:
          '200':
            description: copied
            content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      LINK:
        x-removed: 2024-06-01
        operationId: link_loans
        tags: [loans]
        responses: { '204': { description: linked } }
  /events:
    parameters: [{ $ref: '#/components/parameters/Version' }]
    get:
      operationId: stream_events
      tags: [fines]
      parameters:
        - name: all
          in: querystring
          content: { application/x-www-form-urlencoded: { schema: { type: object } } }
      responses:
        '200':
          description: a stream
          content: { application/jsonl: { itemSchema: { $ref: '#/components/schemas/Event' } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
  mediaTypes:
    Search: { schema: { $ref: '#/components/schemas/Search' } }
  securitySchemes:
    device:
      type: oauth2
      oauth2MetadataUrl: https://library.example/.well-known/oauth
      flows:
        deviceAuthorization:
          deviceAuthorizationUrl: https://library.example/device
          tokenUrl: https://library.example/token
          scopes: { read: Read. }
  schemas:
    Search:
      type: object
      required: [title]
      properties:
        title: { type: string }
        limit: { type: integer, x-was: { 2024-06-01: { name: most } } }
    Loan:
      type: object
      required: [id, state]
      properties:
        id: { type: string }
        state: { oneOf: [{ const: open }, { const: late, x-added: 2024-06-01, x-shown-as: open }] }
    Event:
      oneOf: [{ $ref: '#/components/schemas/Lent' }, { $ref: '#/components/schemas/Back' }]
      discriminator:
        { propertyName: kind, mapping: { lent: Lent, back: Back }, defaultMapping: Lent }
    Lent: { type: object, properties: { kind: { type: string, const: lent } } }
    Back: { type: object, required: [kind], properties: { kind: { type: string, const: back } } }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/versions.yaml").write_text(TABLE)
    (tmp_path / "schemas/api.yaml").write_text(SOURCE)
    return tmp_path


def documents(project: Path) -> list[dict[str, Any]]:
    folder = project / "generated/spec/production"
    return [
        json.loads((folder / f"{day}.json").read_bytes()) for day in ("2024-01-15", "2024-06-01")
    ]


def test_each_version_has_a_document_of_3_2(project: Path) -> None:
    generated = dateline("generate")
    assert (generated.status, dateline("check").status) == (0, 0)
    first, second = documents(project)
    written = yaml.safe_load(SOURCE)
    for document in (first, second):
        assert {key: document[key] for key in ("openapi", "$self", "tags")} == {
            key: written[key] for key in ("openapi", "$self", "tags")
        }
        assert document["components"]["securitySchemes"] == written["components"]["securitySchemes"]
        assert document["paths"]["/loans"]["query"] == written["paths"]["/loans"]["query"]
        assert (
            document["components"]["schemas"]["Event"] == written["components"]["schemas"]["Event"]
        )
    more = [document["paths"]["/loans"]["additionalOperations"] for document in (first, second)]
    assert [list(each) for each in more] == [["COPY", "LINK"], ["COPY"]]
    searches = [
        document["components"]["schemas"]["Search"]["properties"] for document in (first, second)
    ]
    assert [list(each) for each in searches] == [["title", "most"], ["title", "limit"]]


def ask(project: Path, requests: list[tuple[str, str, str, Any]]) -> list[tuple[int, Any]]:
    """Return the answer of a mock: status and JSON."""
    api = load(project / "schemas")
    workspace = Workspace(schemas=project / "schemas", output=project / "generated")
    with open_server(workspace, api) as server:
        mock = Mock(api, server, "production", 0)

        async def answers() -> list[tuple[int, Any]]:
            transport = httpx.ASGITransport(app=mock.app)
            found = []
            async with httpx.AsyncClient(transport=transport, base_url="http://m/api") as client:
                for version, method, url, body in requests:
                    headers = {"X-API-Version": version, "Authorization": "Bearer any"}
                    answer = await client.request(method, url, headers=headers, json=body)
                    is_json = answer.headers.get("content-type") == "application/json"
                    found.append((answer.status_code, answer.json() if is_json else answer.text))
            return found

        return asyncio.run(answers())


def test_methods_without_a_key_are_served_at_their_versions(project: Path) -> None:
    assert dateline("generate").status == 0
    late = {"id": "a", "state": "late"}
    asked: list[tuple[str, str, str, Any]] = [
        ("2024-06-01", "QUERY", "/loans", {"title": "t"}),
        ("2024-06-01", "QUERY", "/loans", {"title": "t", "limit": "many"}),
        ("2024-01-15", "QUERY", "/loans", {"title": "t", "most": "many"}),
        ("2024-06-01", "COPY", "/loans", late),
        ("2024-01-15", "COPY", "/loans", late),
        ("2024-01-15", "LINK", "/loans", None),
        ("2024-06-01", "LINK", "/loans", None),
        ("2024-06-01", "MOVE", "/loans", None),
        ("2024-06-01", "GET", "/events?x=1", None),
    ]
    statuses = [status for status, _ in ask(project, asked)]
    assert statuses == [200, 400, 400, 200, 400, 204, 405, 405, 200]


# An edit of the source, and its problem, if any.
MISTAKES: Final[dict[str, tuple[str, str, str]]] = {
    "a method with a key": ("COPY:", "Post:", "method-name"),
    "no method": ("COPY:", "'A B':", "method-name"),
    "a parent that is no tag": ("parent: loans", "parent: none", "undeclared-tag"),
    "a tag within itself": ("parent: loans", "parent: fines", "tag-circular"),
    "a whole query with a schema": (
        "content: { application/x-www-form-urlencoded: { schema: { type: object } } }",
        "schema: { type: object }",
        "parameter-content",
    ),
    "a query beside the whole": (
        "        - name: all",
        "        - { name: one, in: query, schema: { type: string } }\n        - name: all",
        "parameter-twice",
    ),
    "an example twice": ("dataValue: [", "value: [], dataValue: [", "keys-together"),
    "an example that does not fit": ("{ id: a, state: open }", "{ id: 1 }", "example-invalid"),
    "a missing media type": (
        "mediaTypes/Search",
        "mediaTypes/None",
        "reference-dangling",
    ),
    "a missing default": (
        "defaultMapping: Lent",
        "defaultMapping: Gone",
        "reference-dangling",
    ),
    "a flow without its address": (
        "          deviceAuthorizationUrl: https://library.example/device\n",
        "",
        "missing-key",
    ),
    "no place of a parameter": ("in: querystring", "in: string", "parameter-location"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_found_at_its_place(project: Path, name: str) -> None:
    before, after, said = MISTAKES[name]
    assert before in SOURCE
    (project / "schemas/api.yaml").write_text(SOURCE.replace(before, after))
    found = dateline("generate")
    assert found.status == 3
    assert f": {said}: " in found.err
    assert "schemas/api.yaml:" in found.err


def test_keys_of_3_2_are_unknown_before(project: Path) -> None:
    (project / "schemas/api.yaml").write_text(SOURCE.replace("openapi: 3.2.0", "openapi: 3.1.1"))
    found = dateline("generate")
    assert found.status == 3
    for key in ("$self", "query", "additionalOperations", "mediaTypes", "itemSchema", "parent"):
        assert f"'{key}' is not a key of" in found.err
    assert "'querystring' is no place of a parameter" in found.err


def test_document_of_3_2_is_adopted_and_round_trips(project: Path) -> None:
    assert dateline("generate").status == 0
    first, second = documents(project)
    for name, document in (("old", first), ("new", second)):
        (project / f"{name}.json").write_text(json.dumps(document))
        assert diff(document, copy.deepcopy(document)) == []
    adopted = dateline("adopt", "--into", "a", "2024-01-15=old.json", "2024-06-01=new.json")
    assert adopted.status == 0
    for name in ("old", "new"):
        assert f"{name}.json: equal" in adopted.out
    gone = {(change.kind.value, change.operations) for change in diff(first, second)}
    assert ("operation-removed", ("LINK /loans",)) in gone
    assert dateline("generate", "--schemas", "a", "--output", "b").status == 0
