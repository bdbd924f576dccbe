"""What every generated server does, whatever its API: reads, calls, checks, narrows, answers."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field
from support.assembled import app, contracts, fields, operation, serving
from support.exchanges import Response, ask, request
from support.sources import API, VERSIONS

from dateline_runtime.asgi import App

NEW, MIDDLE, OLD = "2025-06-01", "2024-09-01", "2024-01-15"
ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"

THINGS = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      parameters:
        - { name: id, in: query, schema: { type: string, format: uuid } }
        - { name: size, in: query, schema: { type: integer, maximum: 9, default: 5 } }
        - { name: rate, in: query, schema: { type: number } }
        - { name: open, in: query, schema: { type: boolean } }
        - { name: since, in: query, schema: { type: string, format: date-time } }
        - { name: day, in: query, schema: { type: string, format: date } }
        - { name: tag, in: query, schema: { type: array, items: { type: string, minLength: 1 } } }
        - name: count
          in: query
          explode: false
          schema: { type: array, items: { type: integer } }
        - { name: any, in: query, schema: { anyOf: [{ type: integer }, { type: string }] } }
        - name: has
          in: query
          schema:
            oneOf:
              - { type: string, enum: [all, 'no,ne'] }
              - { type: array, items: { oneOf: [{ type: integer }, { enum: [both] }] } }
        - name: of
          in: query
          explode: false
          schema:
            anyOf:
              - { type: string, enum: [all, 'no,ne'] }
              - type: [array, 'null']
                items: { anyOf: [{ type: integer }, { type: string, maxLength: 3 }] }
        - { name: X-Trace, in: header, schema: { type: string, maxLength: 5 } }
        - { name: X-Counts, in: header, schema: { type: array, items: { type: integer } } }
        - { name: seen, in: cookie, schema: { type: boolean } }
      responses:
        '200':
          description: things
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
    post:
      operationId: add_thing
      tags: [Loans]
      parameters:
        - name: page_size
          in: query
          schema: { type: integer, default: 10 }
          x-was: { 2024-09-01: { name: size, schema: { type: integer, default: 3 } } }
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' } }
          text/plain: { schema: { type: string } }
      responses:
        '201':
          description: the thing
          headers: { X-Count: { schema: { type: integer }, x-added: 2025-06-01 } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '202': { description: later }
        '409':
          description: there is one
          content: { application/json: { schema: { $ref: '#/components/schemas/Refused' } } }
  /things/{thing-id}:
    get:
      operationId: get_thing
      tags: [Loans]
      x-added: 2024-09-01
      parameters: [{ name: thing-id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: the thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  /things/mine:
    get:
      operationId: get_mine
      tags: [Loans]
      responses:
        '200': { description: text, content: { text/plain: { schema: { type: string } } } }
components:
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [total]
      properties:
        total: { type: integer, format: int32, x-was: { 2025-06-01: { name: sum } } }
        parts: { type: array, items: { $ref: '#/components/schemas/Part' } }
        code: { type: string, pattern: '^[a-z]+$', minLength: 2, maxLength: 4 }
        kind: { type: string, enum: [a, b] }
        note: { type: [string, 'null'], x-added: 2025-06-01 }
    Part:
      oneOf:
        - { type: string }
        - { $ref: '#/components/schemas/Object' }
    Object:
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]
      discriminator: { propertyName: kind }
    A:
      type: object
      required: [kind, amount]
      properties: { kind: { const: A }, amount: { type: number, exclusiveMinimum: 0 } }
    B:
      type: object
      required: [kind]
      properties: { kind: { const: B }, due: { type: string, format: date } }
    Refused:
      type: object
      required: [reason]
      properties: { reason: { type: string } }
"""


def is_none(value: object) -> bool:
    return value is None


class Thing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    total: int
    parts: list[Any] | None = Field(default=None, exclude_if=is_none)
    code: str | None = Field(default=None, exclude_if=is_none)
    kind: str | None = Field(default=None, exclude_if=is_none)
    note: str | None = Field(default=None, exclude_if=is_none)


class Refused(BaseModel):
    reason: str


class Handlers:
    """Remembers what it was called with; answers with what it was told to."""

    def __init__(self, result: Any = None) -> None:
        self.result = result
        self.calls: list[dict[str, Any]] = []

    async def do(self, call: Any, **arguments: Any) -> Any:
        self.calls.append({**arguments, "call": call})
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    list_things = add_thing = get_thing = get_mine = do


@functools.cache
def data() -> dict[str, Any]:
    return contracts(API + THINGS)


def parameter(place: str, name: str, kind: Any, **said: Any) -> dict[str, Any]:
    keyword = name.lower().replace("-", "_")
    return {"keyword": keyword, "name": name, "place": place, "type": kind, **said}


@functools.cache
def operations() -> tuple[Any, ...]:
    json = "application/json"
    return (
        operation(
            "list_things",
            "GET",
            "/things",
            parameters=[
                parameter("query", "id", UUID),
                parameter("query", "size", int, default=5),
                parameter("query", "rate", float),
                parameter("query", "open", bool),
                parameter("query", "since", datetime),
                parameter("query", "day", date),
                parameter("query", "tag", list[str]),
                parameter("query", "count", list[int]),
                parameter("query", "any", int | str),
                parameter("query", "has", str | list[int | str]),
                parameter("query", "of", str | list[int | str]),
                parameter("header", "X-Trace", str),
                parameter("header", "X-Counts", list[int]),
                parameter("cookie", "seen", bool),
            ],
            responses={"200": {json: list[Thing]}},
        ),
        operation(
            "add_thing",
            "POST",
            "/things",
            parameters=[parameter("query", "page_size", int, default=10)],
            body={json: Thing, "text/plain": bytes},
            body_required=True,
            responses={"201": {json: Thing}, "202": None, "409": {json: Refused}},
        ),
        operation(
            "get_thing",
            "GET",
            "/things/{thing-id}",
            parameters=[parameter("path", "thing-id", str, required=True)],
            responses={"200": {json: Thing}},
        ),
        operation("get_mine", "GET", "/things/mine", responses={"200": {"text/plain": bytes}}),
    )


def asked(handlers: Handlers, method: str, path: str, *pieces: bytes, **headers: str) -> Response:
    return ask(
        app(data(), operations(), handlers),
        request(method, f"/api{path}", fields(**headers)),
        *pieces,
    )


def added(body: str, result: Any = None, version: str = NEW) -> tuple[Response, list[Any]]:
    handlers = Handlers({"total": 1} if result is None else result)
    said = {"content_type": "application/json", "x_api_version": version}
    response = asked(handlers, "POST", "/things", body.encode(), **said)
    return response, [call["body"] for call in handlers.calls]


# Parameters


def given(query: str = "", **headers: str) -> dict[str, Any]:
    """Return what the handler is given that is not left out."""
    handlers = Handlers([])
    response = asked(handlers, "GET", f"/things?{query}", **headers)
    assert (response.status, response.body) == (200, b"[]")
    [call] = handlers.calls
    del call["call"]
    return {name: value for name, value in call.items() if value is not None}


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("", {}, {"size": 5}),
        (f"id={ID}&size=9", {}, {"id": UUID(ID), "size": 9}),
        (f"id={ID.upper()}", {}, {"id": UUID(ID), "size": 5}),
        ("rate=-1.5e2&open=true", {}, {"size": 5, "rate": -150.0, "open": True}),
        (
            "since=2024-01-01T00:30:00%2B02:00&day=2024-02-29",
            {},
            {
                "size": 5,
                "since": datetime(2023, 12, 31, 22, 30, tzinfo=UTC),
                "day": date(2024, 2, 29),
            },
        ),
        (
            "since=0001-01-01T00:00:00%2B14:00",
            {},
            {"size": 5, "since": datetime(1, 1, 1, tzinfo=UTC)},
        ),
        ("tag=a&tag=b%2Cc&count=1,-2", {}, {"size": 5, "tag": ["a", "b,c"], "count": [1, -2]}),
        ("any=12", {}, {"size": 5, "any": 12}),
        ("any=012", {}, {"size": 5, "any": "012"}),
        ("has=all&of=all", {}, {"size": 5, "has": "all", "of": "all"}),
        ("has=no,ne&of=no,ne", {}, {"size": 5, "has": "no,ne", "of": "no,ne"}),
        ("has=both&of=b", {}, {"size": 5, "has": ["both"], "of": ["b"]}),
        ("has=7&has=both&of=1,2", {}, {"size": 5, "has": [7, "both"], "of": [1, 2]}),
        ("of=", {}, {"size": 5, "of": [""]}),
        ("unknown=1&Size=2", {}, {"size": 5}),
        (
            "",
            {"x_trace": "abc", "x_counts": "1, 2", "cookie": "a=b; seen=true"},
            {"size": 5, "x_trace": "abc", "x_counts": [1, 2], "seen": True},
        ),
    ],
)
def test_parameters_come_as_their_types(
    query: str, headers: dict[str, str], expected: dict[str, Any]
) -> None:
    assert given(query, **headers) == expected


@pytest.mark.parametrize(
    ("query", "headers", "said"),
    [
        ("id=zz", {}, 'the parameter "id" has to be a UUID with hyphens, not "zz"'),
        ("size=10", {}, 'the parameter "size" has to be at most 9, not 10'),
        ("size=+1", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("size=1.0", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("size=1&size=1", {}, 'the parameter "size" is given more than once'),
        ("size=", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("rate=1e400", {}, 'the parameter "rate" has to be a number that a double has room for'),
        ("rate=.5", {}, 'the parameter "rate" has to be a number'),
        ("open=yes", {}, 'the parameter "open" has to be true or false'),
        (
            "day=2024-02-30",
            {},
            'the parameter "day" has to be a date (YYYY-MM-DD), not "2024-02-30"',
        ),
        ("tag=", {}, 'the parameter "tag" at /0 has to have at least 1 characters, not ""'),
        ("count=1,,2", {}, 'the parameter "count" has to be an integer in plain decimal digits'),
        ("tag=%ff", {}, "the query string is not UTF-8"),
        ("tag=%00", {}, "the query string holds NUL"),
        ("%zz=1", {}, "the query string has a % without two hexadecimal digits"),
        (
            "since=2024-01-01",
            {},
            'the parameter "since" has to be a date-time with seconds and an offset, '
            'not "2024-01-01"',
        ),
        (
            "",
            {"x_trace": "abcdef"},
            'the parameter "X-Trace" has to have at most 5 characters, not "abcdef"',
        ),
        (
            "",
            {"x_counts": "1, x"},
            'the parameter "X-Counts" has to be an integer in plain decimal digits',
        ),
        (
            "has=all&has=all",
            {},
            'the parameter "has" at /0 has to be one of "both", not "all"',
        ),
        ("has=some", {}, 'the parameter "has" at /0 has to be one of "both", not "some"'),
        (
            "of=1,abcd",
            {},
            'the parameter "of" at /1 has to have at most 3 characters, not "abcd"',
        ),
        ("of=a&of=b", {}, 'the parameter "of" is given more than once'),
        ("", {"cookie": "seen=1"}, 'the parameter "seen" has to be true or false'),
        ("", {"cookie": "seen=true; seen=true"}, 'the parameter "seen" is given more than once'),
    ],
)
def test_parameters_are_refused_in_words(query: str, headers: dict[str, str], said: str) -> None:
    handlers = Handlers([])
    response = asked(handlers, "GET", f"/things?{query}", **headers)
    assert (response.status, response.json, handlers.calls) == (400, {"reason": said}, [])


@pytest.mark.parametrize(
    ("version", "query", "size"),
    [
        (NEW, "", 10),
        (NEW, "page_size=7", 7),
        (NEW, "size=7", 10),
        (OLD, "", 3),
        (OLD, "size=7", 7),
        (OLD, "page_size=7", 3),
    ],
)
def test_a_parameter_has_the_name_and_default_of_the_callers_version(
    version: str, query: str, size: int
) -> None:
    handlers = Handlers({"total": 1})
    body = b'{"total": 1}' if version == NEW else b'{"sum": 1}'
    said = {"content_type": "application/json", "x_api_version": version}
    response = asked(handlers, "POST", f"/things?{query}", body, **said)
    assert (response.status, handlers.calls[0]["page_size"]) == (201, size)


@pytest.mark.parametrize(
    ("path", "raw", "said"),
    [
        ("/api/things/\ufffd", b"/api/things/%ff", "the path is not UTF-8"),
        ("/api/things/\udcff", b"", "the path is not UTF-8"),
        ("/api/things/a\0", b"/api/things/a%00", "the path holds NUL"),
    ],
)
def test_paths_that_are_no_text_are_refused(path: str, raw: bytes, said: str) -> None:
    scope = {**request("GET", path, fields(x_api_version=NEW)), "raw_path": raw}
    handlers = Handlers({"total": 1})
    response = ask(app(data(), operations(), handlers), scope)
    assert (response.status, response.json, handlers.calls) == (400, {"reason": said}, [])


@pytest.mark.parametrize("name", ["a", "a b", "é", "..", "a{b", "%2F", "x" * 2000])
def test_path_parameters_may_be_any_segment(name: str) -> None:
    handlers = Handlers({"total": 1})
    response = asked(handlers, "GET", f"/things/{name}", x_api_version=NEW)
    assert (response.status, handlers.calls[0]["thing_id"]) == (200, name)


# Bodies


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "a body is required"),
        ("[]", "the body has to be an object"),
        ("null", "the body has to be an object, not null"),
        ("{}", 'the body lacks the field "total"'),
        ('{"total": "1"}', 'the body at /total has to be an integer, not "1"'),
        ('{"total": true}', "the body at /total has to be an integer, not true"),
        ('{"total": 1.5}', "the body at /total has to be an integer, not 1.5"),
        (
            '{"total": 2147483648}',
            "the body at /total has to be at most 2147483647, not 2147483648",
        ),
        ('{"total": 1, "x": 2}', 'the body has a field that is not known, "x"'),
        ('{"total": 1, "sum": 2}', 'the body has a field that is not known, "sum"'),
        ('{"total": 1, "kind": "c"}', 'the body at /kind has to be one of "a", "b", not "c"'),
        ('{"total": 1, "code": "A1"}', 'the body at /code has to match ^[a-z]+$, not "A1"'),
        ('{"total": 1, "parts": [1]}', "the body at /parts/0 fits none of the alternatives, not 1"),
        (
            '{"total": 1, "parts": ["x", {"kind": "A"}]}',
            'the body at /parts/1 lacks the field "amount"',
        ),
        (
            '{"total": 1, "parts": [{"kind": "B", "due": "x"}]}',
            'the body at /parts/0/due has to be a date (YYYY-MM-DD), not "x"',
        ),
        (
            '{"total": 1, "parts": [{"kind": "c"}]}',
            "the body at /parts/0 fits none of the alternatives",
        ),
        ('{"total": 1, "total": 2}', 'an object in the body has the member "total" twice'),
        ('{"total": NaN}', "the body is not JSON: NaN is not a number"),
    ],
)
def test_bodies_are_refused_in_words(body: str, said: str) -> None:
    response, calls = added(body)
    assert (response.status, response.json, calls) == (400, {"reason": said}, [])


def test_at_most_forty_characters_of_a_callers_text_are_repeated() -> None:
    response, _ = added('{"total": "' + "é" * 1000 + '"}')
    assert response.json["reason"] == (
        'the body at /total has to be an integer, not "' + "\\u00e9" * 40 + '..."'
    )
    response, _ = added('{"' + "k" * 1000 + '": 1, "total": 1}')
    said = 'the body has a field that is not known, "' + "k" * 40 + '..."'
    assert response.json == {"reason": said}


def test_a_body_is_held_to_the_callers_version_and_lifted() -> None:
    response, calls = added('{"sum": 3}', version=OLD)
    assert (response.status, calls) == (201, [Thing(total=3)])
    assert response.json == {"sum": 1}
    response, calls = added('{"total": 3}', version=OLD)
    assert (response.status, calls) == (400, [])
    response, calls = added('{"sum": 3, "note": "x"}', version=OLD)
    said = 'the body has a field that is not known, "note"'
    assert (response.json, calls) == ({"reason": said}, [])


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=UTF-8", 201),
        ("Application/JSON", 201),
        ("application/json; charset=latin-1", 415),
        ("application/xml", 415),
        ("application/x-www-form-urlencoded", 415),
        ("", 415),
        ("application/jsonx", 415),
    ],
)
def test_other_media_types_are_refused(content_type: str, status: int) -> None:
    handlers = Handlers({"total": 1})
    said = {"content_type": content_type, "x_api_version": NEW}
    response = asked(handlers, "POST", "/things", b'{"total": 1}', **said)
    assert response.status == status


def test_what_is_not_json_is_handed_over_as_it_is() -> None:
    handlers = Handlers({"total": 1})
    said = {"content_type": "text/plain", "x_api_version": NEW}
    assert asked(handlers, "POST", "/things", b"{", b"\xff", **said).status == 201
    assert handlers.calls[0]["body"] == b"{\xff"


# Results


@pytest.mark.parametrize(
    ("result", "version", "body"),
    [
        (Thing(total=1, note="x"), NEW, {"total": 1, "note": "x"}),
        (Thing(total=1, note="x"), OLD, {"sum": 1}),
        ({"total": 1, "note": "x"}, NEW, {"total": 1, "note": "x"}),
        ({"total": 1, "note": "x"}, OLD, {"sum": 1}),
    ],
)
def test_models_and_plain_values_are_shown_as_the_version_has_them(
    result: Any, version: str, body: dict[str, Any]
) -> None:
    response, _ = added('{"total": 1}' if version == NEW else '{"sum": 1}', result, version)
    assert (response.status, response.json) == (201, body)


def test_a_reply_has_its_status_and_headers() -> None:
    reply = serving().Reply
    response, _ = added('{"total": 1}', reply({"total": 1}, headers={"X-Count": 3}))
    assert (response.status, response.header("x-count")) == (201, ["3"])
    response, _ = added('{"sum": 1}', reply({"total": 1}, headers={"X-Count": 3}), OLD)
    assert (response.status, response.header("x-count")) == (201, [])
    response, _ = added('{"total": 1}', reply(status=202))
    assert (response.status, response.body, response.header("content-type")) == (202, b"", [])


@pytest.mark.parametrize(
    ("refusal", "body"),
    [
        ((404, "no such thing"), "no such thing"),
        ((409, {"reason": "there is one"}), {"reason": "there is one"}),
        ((418, "a teapot"), "a teapot"),
    ],
)
def test_a_refusal_is_answered_as_it_says(refusal: tuple[int, Any], body: Any) -> None:
    response, _ = added('{"total": 1}', serving().Refusal(*refusal))
    assert (response.status, response.json) == (refusal[0], body)
    assert response.header("x-api-version") == [NEW]


def misfits() -> Iterable[tuple[str, Any]]:
    reply, refusal = serving().Reply, serving().Refusal
    yield "a field of another type", {"total": "secret"}
    yield "a field that is not defined", {"total": 1, "secret": 1}
    yield "nothing", {}
    yield "another type", "secret"
    yield "another model", Refused(reason="secret")
    yield "a model that was never validated", Thing.model_construct(total="secret")
    yield "a status that is not defined", reply({"total": 1}, status=299)
    yield "half of a surrogate pair", {"total": 1, "code": "secret\ud800"}
    yield "a status that is no answer", reply({"total": 1}, status=100)
    yield "a header of two lines", reply({"total": 1}, headers={"X-Note": "1\r\nSecret: 1"})
    yield "a header called by two lines", reply({"total": 1}, headers={"A: 1\r\nSecret": "1"})
    yield "a header without a name", refusal(404, "secret", {"": "1"})
    yield "a length of its own", refusal(404, "secret", {"Content-Length": "2"})
    yield "a type of its own", refusal(404, "secret", {"content-type": "text/html"})
    yield "a refusal that is a success", refusal(202, "secret")
    yield "a refusal that is no answer", refusal(1000, "secret")
    yield "a refusal that is defined otherwise", refusal(409, ["secret"])
    yield "an error", RuntimeError("secret")
    yield "no JSON value", refusal(404, {"secret"})


@pytest.mark.parametrize("version", [NEW, OLD])
@pytest.mark.parametrize("index", range(len(list(misfits()))))
def test_what_does_not_fit_is_an_error_of_the_server_and_stays_inside(
    index: int, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, result = list(misfits())[index]
    with caplog.at_level(logging.ERROR):
        response, _ = added('{"total": 1}' if version == NEW else '{"sum": 1}', result, version)
    assert response.status == 500
    [record] = caplog.records
    trace_id = record.getMessage()[:32]
    assert response.json == {"reason": f"internal server error (trace id {trace_id})"}
    assert response.header("x-api-version") == [version]


def test_a_body_that_is_not_json_is_sent_as_it_is() -> None:
    response = asked(Handlers("täxt"), "GET", "/things/mine")
    assert (response.header("content-type"), response.body) == (["text/plain"], "täxt".encode())
    assert asked(Handlers({"a": 1}), "GET", "/things/mine").status == 500


# Routes


def test_concrete_paths_come_before_templates() -> None:
    response = asked(Handlers("mine"), "GET", "/things/mine", x_api_version=NEW)
    assert response.body == b"mine"


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/nothing", 404, []),
        ("GET", "/things/", 404, []),
        ("GET", "/things/a/b", 404, []),
        ("PUT", "/things", 405, ["GET, HEAD, POST"]),
        ("OPTIONS", "/things", 405, ["GET, HEAD, POST"]),
        ("POST", "/things/mine", 405, ["GET, HEAD"]),
    ],
)
def test_what_is_not_there_is_told_in_a_text(
    method: str, path: str, status: int, allow: list[str]
) -> None:
    response = asked(Handlers(), method, path, x_api_version=MIDDLE)
    assert (response.status, response.header("allow")) == (status, allow)
    assert response.header("x-api-version") == [MIDDLE]
    assert response.header("content-type") == ["application/json"]
    assert list(response.json) == ["reason"]


def test_an_operation_is_not_there_before_its_version() -> None:
    handlers = Handlers({"total": 1})
    assert asked(handlers, "GET", "/things/a", x_api_version=OLD).status == 404
    assert handlers.calls == []
    assert asked(handlers, "GET", "/things/a", x_api_version=MIDDLE).json == {"sum": 1}


def test_an_operation_is_served_below_the_place_of_a_mounted_application() -> None:
    served = app(data(), operations(), Handlers({"total": 1}))
    headers = fields(x_api_version=MIDDLE)
    response = ask(served, {**request("GET", "/pay/api/things/a", headers), "root_path": "/pay"})
    assert (response.status, response.json) == (200, {"sum": 1})
    assert response.header("x-api-version") == [MIDDLE]


# Who calls

SECURED = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      responses: { '204': { description: done } }
"""

SCHEMES = {
    "Key": {"place": "header", "name": "X-Key"},
    "Query": {"place": "query", "name": "key"},
    "Cookie": {"place": "cookie", "name": "key"},
    "Bearer": {"place": "header", "name": "Authorization", "prefix": "Bearer "},
}


class Gate:
    """Knows whoever has a secret that starts with `ok`; remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    async def authenticate(self, credentials: Any) -> Any:
        self.shown.append(dict(credentials.values))
        known = all(secret.startswith("ok") for secret in credentials.values.values())
        return Refused(reason="known") if known else None


def secured(
    *security: tuple[str, ...], query: str = "", **headers: str
) -> tuple[int, Any, list[dict[str, str]]]:
    """Return the status, the handler's account and what `authenticate` was shown."""
    handlers, gate = Handlers(), Gate()
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", security=security, responses={"204": None})],
        handlers,
        schemes={name: serving().Scheme(**said) for name, said in SCHEMES.items()},
        authenticate=gate.authenticate,
    )
    response = ask(served, request("GET", f"/api/things?{query}", fields(**headers)))
    account = handlers.calls[0]["call"].account if handlers.calls else "not called"
    return response.status, account, gate.shown


KNOWN = Refused(reason="known")


@pytest.mark.parametrize(
    ("security", "sent", "expected"),
    [
        ([], {"x_key": "ok"}, (204, None, [])),
        ([("Key",)], {"x_key": "ok"}, (204, KNOWN, [{"Key": "ok"}])),
        ([("Key",)], {"x_key": "no"}, (401, "not called", [{"Key": "no"}])),
        ([("Key",)], {}, (401, "not called", [])),
        ([("Key",)], {"query": "key=ok"}, (401, "not called", [])),
        ([("Query",)], {"query": "key=ok"}, (204, KNOWN, [{"Query": "ok"}])),
        ([("Query",)], {"query": "key=ok&key=ok"}, (401, "not called", [])),
        ([("Query",)], {"query": "key=%ff"}, (400, "not called", [])),
        ([("Cookie",)], {"cookie": "a=1; key=ok"}, (204, KNOWN, [{"Cookie": "ok"}])),
        ([("Cookie",)], {"cookie": "key=ok; key=ok"}, (401, "not called", [])),
        ([("Bearer",)], {"authorization": "bearer ok"}, (204, KNOWN, [{"Bearer": "ok"}])),
        ([("Bearer",)], {"authorization": "Basic ok"}, (401, "not called", [])),
        ([("Bearer",)], {"authorization": "Bearer"}, (401, "not called", [])),
        ([("Key", "Query")], {"x_key": "ok"}, (401, "not called", [])),
        (
            [("Key", "Query")],
            {"x_key": "ok", "query": "key=ok"},
            (204, KNOWN, [{"Key": "ok", "Query": "ok"}]),
        ),
        ([("Key",), ("Query",)], {"query": "key=ok"}, (204, KNOWN, [{"Query": "ok"}])),
        ([("Key",), ()], {}, (204, None, [])),
        ([("Key",), ()], {"x_key": "ok"}, (204, KNOWN, [{"Key": "ok"}])),
    ],
)
def test_secrets_are_found_where_the_definitions_have_them(
    security: list[tuple[str, ...]], sent: dict[str, str], expected: Any
) -> None:
    assert secured(*security, **sent) == expected


@dataclass(frozen=True)
class Known:
    identity: str


async def known(credentials: Any) -> Known:
    return Known(credentials.values["Key"])


def lately(handlers: Handlers, **said: Any) -> App:
    """Return the application whose one operation is not there before `MIDDLE`."""
    post = SECURED.replace("get:", "post:\n      x-added: 2024-09-01")
    security, done = [("Key",)], {"204": None}
    return app(
        contracts(API + post),
        [operation("list_things", "POST", "/things", security=security, responses=done)],
        handlers,
        schemes={"Key": serving().Scheme(**SCHEMES["Key"])},
        authenticate=known,
        **said,
    )


def test_what_is_not_there_yet_does_not_use_an_idempotency_key_up() -> None:
    served = lately(Handlers(), idempotency=serving().idempotency.MemoryStore())

    def status(version: str) -> int:
        headers = fields(x_key="ok", idempotency_key="k", x_api_version=version)
        return ask(served, request("POST", "/api/things", headers)).status

    assert [status(version) for version in (OLD, MIDDLE, MIDDLE, OLD)] == [404, 204, 204, 404]


def test_an_account_is_what_was_authenticated_whatever_else_the_state_holds() -> None:
    handlers = Handlers()
    scope = request("POST", "/api/things", fields(x_key="ok", x_api_version=MIDDLE))
    ask(lately(handlers), {**scope, "state": {"account": Known("another")}})
    assert [call["call"].account for call in handlers.calls] == [Known("ok")]


@pytest.mark.parametrize(
    ("place", "name", "sent"),
    [
        ("header", "X-Key", {"x_key": "ok"}),
        ("header", "Authorization", {"authorization": "ok"}),
        ("cookie", "key", {"cookie": "key=ok"}),
    ],
)
def test_what_is_answered_to_a_known_caller_is_kept_out_of_caches(
    place: str, name: str, sent: dict[str, str]
) -> None:
    schemes = {
        "First": {"place": "header", "name": "X-First"},
        "Key": {"place": place, "name": name},
    }
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", security=[("Key",)], responses={"204": None})],
        Handlers(),
        schemes={each: serving().Scheme(**said) for each, said in schemes.items()},
        authenticate=known,
    )
    response = ask(served, request("GET", "/api/things", fields(**sent)))
    assert (response.status, response.header("cache-control")) == (204, ["private, no-store"])


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
    # what the old contract lets through and the converter does not is the caller's to mend
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
def test_a_converter_that_fails_on_the_way_up_is_a_500_with_a_log_line(
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
def test_a_parameter_whose_default_is_null_may_be_left_out(version: str, page: int | None) -> None:
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
def test_an_operation_that_ignores_the_header_is_served_as_without_it(version: str) -> None:
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", ignores_version=True, responses={"204": None})],
        Handlers(),
    )
    response = ask(served, request("GET", "/api/things", fields(x_api_version=version)))
    assert (response.status, response.header("x-api-version")) == (204, [OLD])


def test_callers_are_told_of_the_announced_end_of_their_version() -> None:
    ends = "announcements: [{ ends: 2024-01-15, from: 2027-01-15, announced: 2026-01-01 }]\n"
    served = app(
        contracts(API + SECURED, VERSIONS + ends),
        [operation("list_things", "GET", "/things", responses={"204": None})],
        Handlers(),
    )
    told = {
        version: [
            ask(served, request("GET", "/api/things", fields(x_api_version=version))).header(name)
            for name in ("deprecation", "sunset", "link")
        ]
        for version in (OLD, MIDDLE)
    }
    assert told == {
        OLD: [
            ["@1767225600"],
            ["Fri, 15 Jan 2027 00:00:00 GMT"],
            ['</spec/2024-09-01>; rel="successor-version"'],
        ],
        MIDDLE: [[], [], []],
    }


# What fails at start


def test_all_missing_handlers_are_named() -> None:
    class Some:
        async def add_thing(self) -> None: ...

    with pytest.raises(serving().MissingHandlerError) as error:
        app(data(), operations(), Some())
    assert str(error.value) == (
        "no handler for things.list_things, things.get_thing, things.get_mine"
    )


def test_all_handlers_that_are_no_coroutine_functions_are_named() -> None:
    class Some:
        add_thing = Handlers().do

        def list_things(self, call: Any, **_: Any) -> Any: ...

        @staticmethod
        def get_thing(call: Any, **_: Any) -> Any: ...

    with pytest.raises(serving().MissingHandlerError) as error:
        app(data(), operations(), Some())
    assert str(error.value) == (
        "no handler for things.get_mine; things.list_things has to be `async def`; "
        "things.get_thing has to be `async def`"
    )


def test_a_decorated_handler_is_what_it_decorates() -> None:
    class Decorated:
        inner = Handlers([])

        @functools.wraps(inner.do)
        def do(self, *arguments: Any, **said: Any) -> Any:
            return self.inner.do(*arguments, **said)

        list_things = add_thing = get_thing = get_mine = do

    response = ask(app(data(), operations(), Decorated()), request("GET", "/api/things"))
    assert (response.status, response.body) == (200, b"[]")


UNREADABLE = """
paths:
  /things/{id}:
    get:
      operationId: get_thing
      tags: [Loans]
      parameters:
        - { name: id, in: path, required: true, style: label, schema: { type: string } }
        - { name: 'of[it]', in: query, style: deepObject, schema: { type: object } }
        - { name: where, in: query, schema: { type: object } }
        - { name: either, in: header, schema: { type: [string, array], items: true } }
        - { name: rows, in: query, schema: { type: array, items: { type: array, items: true } } }
        - { name: as, in: query, content: { application/json: { schema: { type: string } } } }
        - { name: seen, in: cookie, schema: { type: array, items: true } }
      responses: { '204': { description: done } }
"""


def test_all_requests_that_cant_be_read_are_named() -> None:
    with pytest.raises(serving().UnsupportedError) as error:
        app(
            contracts(API + UNREADABLE), [operation("get_thing", "GET", "/things/{id}")], Handlers()
        )
    assert str(error.value).splitlines() == [
        "get_thing: path parameter 'id': the style label is not supported; declare simple",
        "get_thing: query parameter 'of[it]': no [ in a name can be told from those of the style",
        "get_thing: query parameter 'where': only texts, numbers, booleans and lists of these "
        "can be read; declare the style deepObject for what holds more",
        "get_thing: header parameter 'either': only texts, numbers, booleans and lists of these "
        "can be read",
        "get_thing: query parameter 'rows': a list may hold only texts, numbers and booleans; "
        "declare the style deepObject for what holds more",
        "get_thing: query parameter 'as': the style content is not supported; "
        "declare form or deepObject",
        "get_thing: cookie parameter 'seen': a list can't be read from a cookie",
    ]
