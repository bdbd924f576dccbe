"""Differences between versions: converters, defaults, and announced ends."""

from __future__ import annotations

import logging
import time
from datetime import date, datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID

import pytest
from pydantic import BaseModel
from support.assembled import app, contracts, fields, operation, serving
from support.exchanges import Response, ask, request
from support.sources import API, VERSIONS
from support.things import ID, MIDDLE, NEW, OLD, SECURED, Handlers, parameter

from dateline_runtime.asgi import App

# What differs between versions


CONVERTED = """
paths:
  /things:
    post:
      operationId: add_thing
      tags: [Loans]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
      responses:
        '200':
          description: the thing
          content: { application/json: { schema: { $ref: '#/components/schemas/A' } } }
components:
  schemas:
    A:
      type: object
      required: [cents]
      properties: { cents: { type: integer, x-was: { 2024-09-01: { type: string } } } }
"""


class Cents(BaseModel):
    cents: int


def test_values_pass_through_converters_both_ways() -> None:
    found = contracts(API + CONVERTED)
    [name] = found["converters"]
    json = {"application/json": Cents}
    handlers = Handlers(Cents(cents=7))
    served = app(
        found,
        [operation("add_thing", "POST", "/things", body=json, responses={"200": json})],
        handlers,
        converters={"down": {name: str}, "up": {name: int}},
    )

    def sent(body: bytes, version: str) -> Response:
        headers = fields(content_type="application/json", x_api_version=version)
        return ask(served, request("POST", "/api/things", headers), body)

    assert sent(b'{"cents": "12"}', OLD).json == {"cents": "7"}
    assert sent(b'{"cents": 13}', NEW).json == {"cents": 7}
    assert [call["body"] for call in handlers.calls] == [Cents(cents=12), Cents(cents=13)]
    # a value that the old contract allows and the converter refuses is the caller's fault
    refused = sent(b'{"cents": "a secret"}', OLD)
    assert (refused.status, refused.json) == (
        400,
        {"title": "Bad Request", "status": 400, "detail": "the body at /cents can't be read"},
    )
    assert refused.header("content-type") == ["application/problem+json"]
    assert sent(b'{"cents": 12}', OLD).status == 400


@pytest.mark.parametrize(
    "result",
    [
        TypeError("secret"),
        KeyError("secret"),
        ZeroDivisionError("secret"),
        AssertionError("secret"),
        "secret",
        None,
        1.5,
        [1],
        object(),
    ],
    ids=lambda result: type(result).__name__,
)
@pytest.mark.parametrize("place", ["body", "parameter"])
def test_converter_that_fails_on_the_way_up_is_a_500_with_a_log_line(
    place: str, result: Any, caplog: pytest.LogCaptureFixture
) -> None:
    source = CONVERTED.replace(
        "operationId: add_thing",
        "operationId: add_thing\n      parameters: [{ name: cents, in: query, "
        "schema: { type: integer, x-was: { 2024-09-01: { type: string } } } }]",
    )
    found = contracts(API + source)
    [body, parameter_] = sorted(found["converters"], key=lambda name: name != "A.cents")

    def fail(_: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    failing = {"body": body, "parameter": parameter_}[place]
    json = {"application/json": Cents}
    cents = parameter("query", "cents", int)
    handlers = Handlers(Cents(cents=7))
    served = app(
        found,
        [
            operation(
                "add_thing",
                "POST",
                "/things",
                parameters=[cents],
                body=json,
                responses={"200": json},
            )
        ],
        handlers,
        converters={"down": {body: str}, "up": {body: int, parameter_: int, failing: fail}},
    )
    headers = fields(content_type="application/json", x_api_version=OLD)
    scope = request("POST", "/api/things?cents=1", headers)
    with caplog.at_level(logging.ERROR):
        response = ask(served, scope, b'{"cents": "12"}')
    assert (response.status, handlers.calls, b"secret" in response.body) == (500, [], False)
    [record] = caplog.records
    assert response.json["trace_id"] in record.getMessage()
    assert f"the converter {failing} " in caplog.text


LEFT_OUT = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      parameters:
        - { name: id, in: query, schema: { type: string, format: uuid, default: null } }
        - { name: at, in: query, schema: { type: string, format: date-time, default: null } }
        - { name: day, in: query, schema: { type: [string, 'null'], format: date, default: null } }
        - { name: kind, in: query, schema: { type: string, enum: [a, b], default: null } }
        - name: tags
          in: query
          schema: { type: array, items: { type: string, format: uuid }, default: null }
        - { name: rate, in: query, schema: { type: [number, 'null'], default: null } }
        - { name: open, in: query, schema: { type: boolean, default: null } }
        - { name: text, in: query, schema: { type: string, default: null } }
        - name: mode
          in: query
          schema:
            oneOf: [{ const: a }, { const: b, x-added: 2025-06-01, x-shown-as: a }, { const: c }]
            default: null
        - name: page
          in: query
          schema: { type: integer, default: null, x-was: { 2025-06-01: { default: 3 } } }
        - { name: X-At, in: header, schema: { type: string, format: date-time, default: null } }
        - { name: seen, in: cookie, schema: { type: string, format: uuid, default: null } }
      responses: { '204': { description: done } }
"""


class Kind(Enum):
    A = "a"
    B = "b"


@pytest.mark.parametrize(("version", "page"), [(NEW, None), (OLD, 3)])
def test_parameter_with_a_null_default_may_be_omitted(version: str, page: int | None) -> None:
    parameters = [
        parameter("query", "id", UUID),
        parameter("query", "at", datetime),
        parameter("query", "day", date),
        parameter("query", "kind", Kind),
        parameter("query", "tags", list[UUID]),
        parameter("query", "rate", float),
        parameter("query", "open", bool),
        parameter("query", "text", str),
        parameter("query", "mode", Kind),
        parameter("query", "page", int),
        parameter("header", "X-At", datetime),
        parameter("cookie", "seen", UUID),
    ]
    handlers = Handlers()
    served = app(
        contracts(API + LEFT_OUT, VERSIONS + "lint: adopted\n"),
        [
            operation(
                "list_things", "GET", "/things", parameters=parameters, responses={"204": None}
            )
        ],
        handlers,
    )
    headers = fields(x_api_version=version)
    assert ask(served, request("GET", "/api/things", headers)).status == 204
    absent = dict.fromkeys([each["keyword"] for each in parameters])
    [call] = handlers.calls
    assert {**call, "call": None} == {**absent, "page": page, "call": None}
    given = f"/api/things?id={ID}&kind=a&tags={ID}"
    assert ask(served, request("GET", given, headers)).status == 204
    call = handlers.calls[1]
    assert (call["id"], call["kind"], call["tags"]) == (UUID(ID), Kind.A, [UUID(ID)])


def test_all_missing_converters_are_named() -> None:
    found = contracts(API + CONVERTED)
    [name] = found["converters"]
    with pytest.raises(serving().MissingConverterError, match=name):
        app(found, [operation("add_thing", "POST", "/things")], Handlers())


@pytest.mark.parametrize("version", [NEW, OLD, "nonsense"])
def test_operation_that_ignores_the_header_is_served_without_it(version: str) -> None:
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", ignores_version=True, responses={"204": None})],
        Handlers(),
    )
    response = ask(served, request("GET", "/api/things", fields(x_api_version=version)))
    assert (response.status, response.header("x-api-version")) == (204, [OLD])


def test_announced_end_of_a_version_is_sent_to_its_callers() -> None:
    ends = "announcements: [{ ends: 2024-01-15, from: 2027-01-15, announced: 2026-01-01 }]\n"
    served = app(
        contracts(API + SECURED, VERSIONS + ends),
        [operation("list_things", "GET", "/things", responses={"204": None})],
        Handlers(),
    )
    reported = {
        version: [
            ask(served, request("GET", "/api/things", fields(x_api_version=version))).header(name)
            for name in ("deprecation", "sunset", "link")
        ]
        for version in (OLD, MIDDLE)
    }
    assert reported == {
        OLD: [
            ["@1767225600"],
            ["Fri, 15 Jan 2027 00:00:00 GMT"],
            ['</spec/2024-09-01>; rel="successor-version"'],
        ],
        MIDDLE: [[], [], []],
    }


BROWNOUT: Final = (
    VERSIONS.replace("default: 2024-01-15", "default: 2024-09-01")
    + """\
announcements:
  - ends: 2024-01-15
    from: 2027-01-15
    announced: 2026-01-01
    brownouts:
      - { from: 2026-11-01T14:00Z, to: 2026-11-01T15:00Z }
      - { from: 2026-12-01T14:00Z, to: 2026-12-02T02:00Z }
retired: [{ date: 2023-06-01, title: Things., ended: 2025-01-01 }]
"""
)


@pytest.mark.parametrize(
    ("now", "waiting", "over"),
    [
        ("2026-11-01T13:59:59.999", None, ""),
        ("2026-11-01T14:00:00", "3600", "2026-11-01T15:00Z"),
        ("2026-11-01T14:59:59.5", "1", "2026-11-01T15:00Z"),
        ("2026-11-01T15:00:00", None, ""),
        ("2026-12-02T01:00:00", "3600", "2026-12-02T02:00Z"),
        ("2027-01-14T12:00:00", None, ""),
    ],
)
def test_version_is_refused_in_its_brownouts(
    now: str, waiting: str | None, over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_default = BROWNOUT.replace("default: 2024-09-01", "default: 2024-01-15")
    served, ignoring, unnamed = (
        app(
            contracts(API + SECURED, table),
            [
                operation(
                    "list_things",
                    "GET",
                    "/things",
                    ignores_version=is_same,
                    responses={"204": None},
                )
            ],
            Handlers(),
        )
        for table, is_same in ((BROWNOUT, False), (BROWNOUT, True), (by_default, False))
    )
    moment = datetime.fromisoformat(f"{now}+00:00").timestamp()
    monkeypatch.setattr(time, "time", lambda: moment)

    def send(door: App, **headers: str) -> tuple[int, list[str]]:
        response = ask(door, request("GET", "/api/things", fields(**headers)))
        return response.status, response.header("retry-after")

    expected = (204, []) if waiting is None else (400, [waiting])
    assert send(served, x_api_version=OLD) == expected
    assert send(served, x_api_version=MIDDLE) == send(served) == (204, [])
    assert send(unnamed) == send(unnamed, x_api_version=" ") == (204, [])
    assert send(ignoring, x_api_version=OLD) == (204, [])
    if waiting is not None:
        refused = ask(served, request("GET", "/api/things", fields(x_api_version=OLD)))
        assert refused.header("x-api-version") == [MIDDLE]
        assert refused.header("sunset") == ["Fri, 15 Jan 2027 00:00:00 GMT"]
        assert refused.json == {
            "title": "Bad Request",
            "status": 400,
            "detail": f'"{OLD}" ends on 2027-01-15, and is refused until {over}, as announced',
            "error": "unsupported_api_version",
            "reason": "version_unknown",
            "requested": OLD,
            # as after its end
            "supported": [MIDDLE, NEW],
        }


@pytest.mark.parametrize("unknown", ["refused", "nearest"])
def test_retired_version_is_refused_with_the_day_of_its_end(unknown: str) -> None:
    served = app(
        contracts(API + SECURED, f"{BROWNOUT}unknown: {unknown}\n"),
        [operation("list_things", "GET", "/things", responses={"204": None})],
        Handlers(),
    )
    response = ask(served, request("GET", "/api/things", fields(x_api_version="2023-06-01")))
    assert (response.status, response.json["reason"]) == (400, "version_unknown")
    assert response.json["detail"] == '"2023-06-01" ended on 2025-01-01'
    assert response.header("sunset") == ["Wed, 01 Jan 2025 00:00:00 GMT"]
