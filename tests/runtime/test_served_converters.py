"""An invalid result of a converter for requests is a server error."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from support.assembled import app, contracts, fields, operation
from support.exchanges import Response, ask, request
from support.sources import API, VERSIONS
from support.tables import cases
from support.things import OLD, Handlers

ADOPTED = VERSIONS + "lint: adopted\n"
PATHS = """
paths:
  /things:
    post:
      operationId: add_thing
      tags: [Loans]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
      responses: { '204': { description: done } }
components:
  schemas:
    Part:
      type: object
      required: [count, since, id]
      properties:
        count: { type: integer }
        since: { type: string, x-added: 2025-06-01 }
        id: { type: string, readOnly: true }
    A:
      type: object
      properties: { it: IT }
"""

# The schema of a field that was a string; a valid result, and invalid ones. Neither fields that
# some versions lack nor `readOnly` ones are required.
KINDS: dict[str, tuple[str, Any, list[Any]]] = {
    "object": (
        "{ type: object, required: [count], properties: { count: { type: integer } }, WAS }",
        {"count": 1},
        [{}, {"count": "x"}, [], "x", None, 1],
    ),
    "reference": (
        "{ allOf: [{ $ref: '#/components/schemas/Part' }], WAS }",
        {"count": 1},
        [{}, {"count": "x"}, {"count": 1, "since": 2}, [], "x", None],
    ),
    "list": ("{ type: array, items: { type: integer }, WAS }", [1], [["x"], {}, "x", None]),
    "references": (
        "{ type: array, items: { $ref: '#/components/schemas/Part' }, WAS }",
        [{"count": 1}],
        [[{}], ["x"], {}],
    ),
    "map": (
        "{ type: object, additionalProperties: { type: integer }, WAS }",
        {"a": 1},
        [{"a": "x"}, []],
    ),
    "union": (
        "{ anyOf: [{ type: integer }, { $ref: '#/components/schemas/Part' }], WAS }",
        {"count": 1},
        ["x", {}, []],
    ),
    # indistinguishable members: one converter for all versions
    "unserved": (
        "{ oneOf: [{ type: string, maxLength: 3, x-was: { 2025-06-01: { maxLength: 9 } } }, "
        "{ type: string, minLength: 6 }] }",
        "new",
        ["four", {}, None],
    ),
}


class Body(BaseModel):
    model_config = ConfigDict(extra="allow")


def send(kind: str, result: Any) -> tuple[Response, Handlers]:
    """Return the response to an older caller if the converter returns *result*."""
    text = KINDS[kind][0]
    unset = [
        f"{key}: null"
        for key in ("items", "properties", "required", "additionalProperties", "allOf", "anyOf")
        if f"{key}:" in text
    ]
    was = f"x-was: {{ 2025-06-01: {{ {', '.join(['type: string', *unset])} }} }}"
    schema = text.replace("WAS", was)
    found = contracts(API + PATHS.replace("IT }", f"{schema} }}"), ADOPTED)
    [name] = found["converters"]

    def convert(*_: Any) -> Any:
        return result

    ways = {"down": {name: convert}, "up": {name: convert}}
    handlers = Handlers(None)
    served = app(
        found,
        [
            operation(
                "add_thing",
                "POST",
                "/things",
                body={"application/json": Body},
                responses={"204": None},
            )
        ],
        handlers,
        converters=ways,
    )
    headers = fields(content_type="application/json", x_api_version=OLD)
    return ask(served, request("POST", "/api/things", headers), b'{"it": "old"}'), handlers


@cases("kind", KINDS)
def test_valid_result_reaches_the_handler(kind: str) -> None:
    response, handlers = send(kind, KINDS[kind][1])
    assert response.status == 204
    assert [call["body"].model_dump() for call in handlers.calls] == [{"it": KINDS[kind][1]}]


@pytest.mark.parametrize(
    ("kind", "result"),
    [(kind, result) for kind, (_, _, wrong) in KINDS.items() for result in wrong],
    ids=repr,
)
def test_invalid_result_is_a_server_error(
    kind: str, result: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response, handlers = send(kind, result)
    assert (response.status, handlers.calls) == (500, [])
    [record] = caplog.records
    assert response.json["trace_id"] in record.getMessage()
    assert "makes of it for callers of 2024-01-15 does not fit: it " in caplog.text
