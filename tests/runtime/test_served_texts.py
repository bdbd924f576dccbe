"""A refusal with a plain text is sent in the form that the operation declares."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from support.assembled import app, contracts, fields, operation, serving
from support.exchanges import Response, ask, request
from support.sources import API, VERSIONS
from support.tables import cases

NEW, OLD = "2025-06-01", "2024-01-15"
WORDS = "there is no such thing"

SOURCE = """
paths:
  /things:
    get:
      operationId: get_thing
      tags: [Loans]
      responses:
        '204': {{ description: done }}
        '{key}':
          description: bad
          content: {{ {media_type}: {{ schema: {schema} }} }}
components:
  schemas:
    Error:
      type: object
      additionalProperties: false
      required: [message]
      properties:
        message: {{ type: string, x-was: {{ 2025-06-01: {{ name: msg }} }} }}
        code: {{ type: string, x-added: 2025-06-01 }}
        trace_id: {{ type: string }}
"""


class Handlers:
    def __init__(self, refusal: Any) -> None:
        self.refusal = refusal

    async def get_thing(self, _: Any) -> None:
        raise self.refusal


def got(
    schema: str,
    *,
    key: str = "404",
    status: int = 404,
    media_type: str = "application/json",
    version: str = NEW,
    body: Any = WORDS,
    **settings: Any,
) -> Response:
    kind = dict if media_type == "application/json" else bytes
    source = API + SOURCE.format(key=key, schema=schema, media_type=media_type)
    responses = {"204": None, key: {media_type: kind}}
    served = app(
        contracts(source, VERSIONS + "lint: adopted\n"),
        [operation("get_thing", "GET", "/things", responses=responses)],
        Handlers(serving().Refusal(status, body, {"Retry-After": 3})),
        settings=serving().Settings(**settings),
    )
    return ask(served, request("GET", "/api/things", fields(x_api_version=version)))


ERROR = "{ $ref: '#/components/schemas/Error' }"


@cases("key", ["404", "4XX", "default"])
@cases(
    ("schema", "expected"),
    [
        ("{ type: string }", WORDS),
        ("{ type: string, maxLength: 5 }", WORDS[:5]),
        (
            "{ type: object, required: [error], properties: { error: { type: object, properties: "
            "{ code: { type: string }, message: { type: string } } } } }",
            {"error": {"code": "not_found", "message": WORDS}},
        ),
        (
            "{ type: array, items: { type: object, properties: { detail: { type: string } } } }",
            [{"detail": WORDS}],
        ),
        (
            "{ oneOf: [{ type: integer }, { type: object, properties: { msg: { type: string } } "
            "}] }",
            {"msg": WORDS},
        ),
    ],
)
def test_text_is_put_into_the_declared_body(schema: str, expected: Any, key: str) -> None:
    response = got(schema, key=key)
    assert (response.status, response.json) == (404, expected)
    assert response.header("retry-after") == ["3"]


def test_text_is_sent_in_the_form_of_the_callers_version() -> None:
    found = [got(ERROR, version=version).json for version in (NEW, OLD)]
    trace_id = found[0].pop("trace_id")
    assert re.fullmatch("[0-9a-f]{32}", trace_id)
    assert {**found[1], "trace_id": ""} == {"msg": WORDS, "trace_id": ""}
    assert found[0] == {"message": WORDS, "code": "not_found"}


def test_declared_text_is_sent_unchanged() -> None:
    response = got("{ type: string }", media_type="text/plain")
    assert (response.status, response.body) == (404, WORDS.encode())


@pytest.mark.parametrize("schema", ["{ type: integer }", "{ enum: [no_money] }", "false"])
@pytest.mark.parametrize("version", [NEW, OLD])
def test_refusal_is_a_server_error_if_no_text_fits(
    schema: str, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        response = got(schema, version=version)
    [record] = caplog.records
    assert response.status == 500
    assert response.json["trace_id"] == record.getMessage()[:32]
    assert WORDS not in response.body.decode()


@pytest.mark.parametrize("body", [{"order": 1}, [WORDS], 7, b"bytes"])
def test_text_replaces_no_other_value(body: Any) -> None:
    response = got("{ type: object, required: [message] }", body=body)
    assert response.status == 500


def test_server_error_of_a_handler_has_no_trace_id_missing_from_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    schema = "{ type: object, properties: { message: { type: string } } }"
    with caplog.at_level(logging.INFO):
        response = got(schema, key="5XX", status=503)
    assert (response.status, response.json, caplog.records) == (503, {"message": WORDS}, [])


def test_function_creates_the_body_where_it_fits() -> None:
    def problem(found: Any) -> Any:
        return {"message": f"{found.message}!", "code": found.code}

    assert got(ERROR, problem=problem).json == {"message": f"{WORDS}!", "code": "not_found"}
    assert got("{ type: string }", problem=problem).json == WORDS
    open_ = "{ type: object, required: [msg], properties: { msg: { type: string } } }"
    assert got(open_, problem=problem).json == {"msg": WORDS}
