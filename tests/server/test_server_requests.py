"""The server's data about requests and results: small, shared, and in one dialect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.sources import API, VERSIONS, loaded
from support.tables import cases

from dateline.server.messages import describe_messages

THINGS = """
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    put:
      operationId: putThing
      tags: [Loans]
      parameters:
        - { $ref: '#/components/parameters/Size' }
        - { name: X-API-Version, in: header, schema: { type: string } }
        - { name: Idempotency-Key, in: header, schema: { type: string } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: sort, in: query, x-added: 2024-09-01, schema: { type: string } }
      requestBody: { $ref: '#/components/requestBodies/Thing' }
      responses:
        '200':
          description: the thing
          content:
            application/json: { schema: { $ref: '#/components/schemas/Thing' } }
            text/plain: { schema: { type: string } }
        '204': { description: nothing }
        4XX: { $ref: '#/components/responses/Refused' }
  /sandbox/things:
    x-environments: [sandbox]
    delete:
      operationId: deleteThings
      tags: [Sandbox]
      parameters: [{ name: X-API-Version, in: header, schema: { type: string } }]
      responses: { '204': { description: gone } }
components:
  parameters:
    Size:
      name: size
      in: query
      description: How many.
      schema: { type: integer, format: uint32, maximum: 50, default: 5, description: Many. }
  requestBodies:
    Thing:
      required: true
      content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  responses:
    Refused:
      description: refused
      content: { application/problem+json: { schema: { type: object } } }
  schemas:
    Thing:
      type: object
      title: A thing
      required: [total]
      properties:
        total: { type: number, x-was: { 2025-06-01: { name: sum } }, examples: [1] }
        part: { $ref: '#/components/schemas/Part', description: A part. }
    Part: { type: object, properties: { thing: { $ref: '#/components/schemas/Thing' } } }
    Alone: { type: object }
"""


def made(root: Path, source: str = API + THINGS, versions: str = VERSIONS) -> dict[str, Any]:
    """Return the data as a server reads them."""
    api = loaded(root, {"versions.yaml": versions, "api.yaml": source})
    read: dict[str, Any] = json.loads(json.dumps(describe_messages(api)))
    return read


def thing(total: str) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [total],
        "properties": {
            total: {"type": "number"},
            "part": {"$ref": "#/components/schemas/Part"},
        },
    }


def parameter(name: str, place: str, schema: dict[str, Any], **said: Any) -> dict[str, Any]:
    style = {"path": "simple", "query": "form"}[place]
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "style": style,
        "explode": style == "form",
        **said,
        "schema": schema,
    }


def test_requests_are_listed_since_they_differ(tmp_path: Path) -> None:
    data = made(tmp_path)
    older = {
        "parameters": [
            parameter("id", "path", {"type": "string"}),
            parameter(
                "size",
                "query",
                {"type": "integer", "format": "uint32", "maximum": 50, "minimum": 0},
                default=5,
            ),
        ],
        "body": {
            "required": True,
            "content": {"application/json": {"$ref": "#/components/schemas/Thing"}},
        },
    }
    newer = {
        **older,
        "parameters": [*older["parameters"], parameter("sort", "query", {"type": "string"})],
    }
    part = {"type": "object", "properties": {"thing": {"$ref": "#/components/schemas/Thing"}}}
    nothing: dict[str, Any] = {"parameters": [], "body": None}
    assert data["requests"] == {
        "deleteThings": [
            {"since": "2024-01-15", "environments": ["production"], "request": None},
            {"since": "2024-01-15", "environments": ["sandbox"], "request": nothing},
        ],
        "putThing": [
            {"since": "2024-01-15", "request": older},
            {"since": "2024-09-01", "request": newer},
        ],
    }
    assert data["schemas"] == {
        "Part": [{"since": "2024-01-15", "schema": part}],
        "Thing": [
            {"since": "2024-01-15", "schema": thing("sum")},
            {"since": "2025-06-01", "schema": thing("total")},
        ],
    }


def test_results_are_canonical_and_json_only(tmp_path: Path) -> None:
    data = made(tmp_path)
    assert data["results"] == {
        "deleteThings": {},
        "putThing": {
            "200": {"application/json": {"$ref": "#/components/schemas/Thing"}},
            "4XX": {"application/problem+json": {"type": "object"}},
        },
    }
    assert data["canonical"]["Thing"] == thing("total")
    assert sorted(data["canonical"]) == ["Part", "Thing"]


def test_versions_are_those_that_callers_may_request(tmp_path: Path) -> None:
    data = made(tmp_path)
    assert (data["header"], data["default"], data["supported"], data["ends"]) == (
        "X-API-Version",
        "2024-01-15",
        ["2024-01-15", "2024-09-01", "2025-06-01"],
        {},
    )


def test_announced_end_names_the_replacement_of_a_version(tmp_path: Path) -> None:
    announced = """\
announcements:
  - { default: 2024-09-01, from: 2026-01-01, announced: 2025-07-01 }
  - { ends: 2024-01-15, from: 2027-01-15, announced: 2026-07-01 }
  - { ends: 2024-09-01, from: 2027-01-16, announced: 2026-07-02 }
"""
    assert made(tmp_path, versions=VERSIONS + announced)["ends"] == {
        "2024-01-15": {
            "sunset": "2027-01-15",
            "deprecated": "2026-07-01",
            "successor": "/spec/2025-06-01",
        },
        "2024-09-01": {
            "sunset": "2027-01-16",
            "deprecated": "2026-07-02",
            "successor": "/spec/2025-06-01",
        },
    }


OLD = """\
openapi: 3.0.3
info: { title: Old, version: '1' }
paths:
  /things:
    post:
      operationId: addThing
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses: { '204': { description: done } }
components:
  schemas:
    Thing:
      type: object
      properties:
        SCHEMA
    Other: { type: string, nullable: true }
"""

ADOPTED = """\
default: 2024-01-15
versions: [{ date: 2024-01-15, title: The first }]
lint: adopted
python: { package: old }
"""


@cases(
    ("written", "stated"),
    [
        ("{ type: string, nullable: true }", {"type": ["string", "null"]}),
        ("{ type: string, nullable: false }", {"type": "string"}),
        ("{ minimum: 1, exclusiveMinimum: true }", {"exclusiveMinimum": 1}),
        ("{ maximum: 1, exclusiveMaximum: false }", {"maximum": 1}),
        (
            "{ $ref: '#/components/schemas/Other', description: beside }",
            {"$ref": "#/components/schemas/Other"},
        ),
        (
            "{ type: array, items: { type: integer, nullable: true } }",
            {"type": "array", "items": {"type": ["integer", "null"]}},
        ),
        (
            "{ type: integer, format: int32 }",
            {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
        ),
    ],
)
def test_schemas_of_openapi_3_0_are_converted_to_json_schema(
    written: str, stated: dict[str, Any], tmp_path: Path
) -> None:
    data = made(tmp_path, OLD.replace("SCHEMA", f"it: {written}"), ADOPTED)
    [entry] = data["schemas"]["Thing"]
    assert entry["schema"] == {"type": "object", "properties": {"it": stated}}
