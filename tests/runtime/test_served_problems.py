"""What error responses contain, in the form that each API declares, and what they never contain."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from support.assembled import app, contracts, fields, memory_store, operation, serving
from support.exchanges import Caller, Response, request
from support.faults import MIDDLE, NEW, OLD, TRACE, KnownCaller, create_app, declare, fetch
from support.sources import API
from support.tables import cases

SAID = 'the parameter "size" has to be an integer in plain decimal digits'


SHAPES: dict[str, tuple[str, Any]] = {
    "code and message below error": (
        "{ type: object, required: [error], properties: { error: { type: object, "
        "required: [code, message], properties: { code: { type: string }, "
        "message: { type: string } } } } }",
        {"error": {"code": "malformed", "message": SAID}},
    ),
    "a string": ("{ type: string }", SAID),
    "a short string": ("{ type: string, maxLength: 9 }", SAID[:9]),
    "problem details": (
        "{ type: object, properties: { type: { type: string, format: uri-reference }, "
        "title: { type: string }, status: { type: integer }, detail: { type: string }, "
        "instance: { type: string, format: uri-reference } } }",
        {
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": SAID,
            "instance": "/api/things/a",
        },
    ),
    "a list of errors": (
        "{ type: object, required: [errors], properties: { errors: { type: array, minItems: 1, "
        "items: { type: object, required: [code, detail], properties: { code: { type: string }, "
        "detail: { type: string }, source: { type: object } } } } } }",
        {"errors": [{"code": "malformed", "detail": SAID}]},
    ),
    "a list of sentences": (
        "{ type: object, properties: { errors: { type: array, items: { type: string } } } }",
        {"errors": [SAID]},
    ),
    "a list": (
        "{ type: array, items: { type: object, properties: { message: { type: string } } } }",
        [{"message": SAID}],
    ),
    "a closed object": (
        "{ type: object, additionalProperties: false, required: [message], "
        "properties: { message: { type: string } } }",
        {"message": SAID},
    ),
    "one of two": (
        "{ oneOf: [{ type: object, required: [card], properties: { card: { type: string } } }, "
        "{ type: object, required: [message], properties: { message: { type: string } } }] }",
        {"message": SAID},
    ),
    "a string or an object": (
        "{ oneOf: [{ type: string }, { type: object, required: [code, msg], properties: "
        "{ code: { type: integer }, msg: { type: string } } }] }",
        {"code": 400, "msg": SAID},
    ),
    "parts": (
        "{ allOf: [{ type: object, required: [message], properties: { message: { type: string } } "
        "}, { type: object, properties: { statusCode: { type: integer } } }] }",
        {"message": SAID, "statusCode": 400},
    ),
    "a component": ("{ $ref: '#/components/schemas/Error' }", {"error": "malformed", "text": SAID}),
    "a code beside a description": (
        "{ type: object, required: [error], properties: { error: { type: string }, "
        "error_description: { type: string } } }",
        {"error": "malformed", "error_description": SAID},
    ),
    "the error itself": (
        "{ type: object, required: [error], properties: { error: { type: string } } }",
        {"error": SAID},
    ),
    "an optional closed list": (
        "{ type: object, properties: { code: { type: string, enum: [no_money, no_card] }, "
        "message: { type: string } } }",
        {"message": SAID},
    ),
    "a closed list that has it": (
        "{ type: object, required: [code], properties: { code: { type: string, enum: [NO_CARD, "
        "MALFORMED] }, message: { type: string } } }",
        {"code": "MALFORMED", "message": SAID},
    ),
    "nulls and empty lists": (
        "{ type: object, required: [message, cause, links], properties: { message: "
        "{ type: string }, cause: { type: [object, 'null'] }, links: { type: array, "
        "items: {} } } }",
        {"message": SAID, "cause": None, "links": []},
    ),
    "a schema of its own": (
        "{ type: object, required: [success, status, message], properties: { success: "
        "{ type: boolean }, status: { type: string, enum: [ok, error] }, "
        "message: { type: string } } }",
        {"success": False, "status": "error", "message": SAID},
    ),
    "fields of requests": (
        "{ type: object, properties: { detail: { type: array, items: { type: object, required: "
        "[loc, msg, type], properties: { loc: { type: array, items: { type: string } }, "
        "msg: { type: string }, type: { type: string } } } } } }",
        {"detail": [{"loc": [], "msg": SAID, "type": "malformed"}]},
    ),
    "a list of anything": (
        "{ type: object, required: [errors], properties: { errors: { type: array } } }",
        {"errors": [{"title": "Bad Request", "status": 400, "detail": SAID}]},
    ),
    "only a list": (
        "{ type: array }",
        [{"title": "Bad Request", "status": 400, "detail": SAID}],
    ),
    "errors by field": (
        "{ type: object, required: [title, errors], properties: { title: { type: string }, "
        "errors: { type: object, additionalProperties: { type: array } } } }",
        {"title": "Bad Request", "errors": {}},
    ),
    "anything": ("{}", {"title": "Bad Request", "status": 400, "detail": SAID}),
}
ERROR = "Error: { type: object, properties: { error: { type: string }, text: { type: string } } }"


@cases("status", ["400", "4XX", "default"])
@cases("name", SHAPES)
def test_fault_is_reported_in_the_declared_schema(name: str, status: str) -> None:
    schema, body = SHAPES[name]
    response = fetch(create_app(declare(status, schema), ERROR, keys=(status,)))
    assert (response.status, response.json) == (400, body)
    assert response.header("content-type") == ["application/json"]


@cases(
    "schema",
    [
        "{ type: object, required: [code], properties: { code: { enum: [no_money, no_card] }, "
        "message: { type: string } } }",
        "{ type: object, required: [code], properties: { code: { const: no_money }, "
        "message: { type: string } } }",
        "{ type: object, required: [order], properties: { order: { type: string }, "
        "message: { type: string } } }",
        "{ type: string, enum: [no_money] }",
        "{ type: integer }",
        "false",
    ],
)
def test_required_fields_without_a_known_value_are_not_invented(schema: str) -> None:
    response = fetch(create_app(declare("400", schema), "", keys=("400",)))
    assert response.header("content-type") == ["application/problem+json"]
    assert response.json == {"title": "Bad Request", "status": 400, "detail": SAID}


def test_fault_is_plain_text_if_declared() -> None:
    kinds = {"400": {"text/plain": bytes}}
    responses = declare("400", "{ type: string }", "text/plain")
    response = fetch(create_app(responses, "", kinds=kinds))
    assert response.header("content-type") == ["text/plain"]
    assert response.body.decode() == SAID


def test_problem_details_are_sent_with_the_declared_media_type() -> None:
    kinds = {"400": {"application/problem+json": dict}}
    schema = "{ type: object, properties: { detail: { type: string } } }"
    response = fetch(
        create_app(declare("400", schema, "application/problem+json"), "", kinds=kinds)
    )
    assert response.header("content-type") == ["application/problem+json"]
    assert response.json == {"detail": SAID}


MESSAGE = "{ type: object, required: [message], properties: { message: { type: string } } }"
FAULTS = (
    "error: { type: object, required: [message], properties: { message: { type: string }, "
    "trace_id: { type: string } } }"
)


@pytest.mark.parametrize(
    ("responses", "keys", "expected"),
    [
        (declare("404", MESSAGE), ("404",), {"message": SAID}),
        (declare("500", MESSAGE), ("500",), {"message": SAID}),
        (
            declare("500", MESSAGE) + "\n" + declare("404", "{ type: string }"),
            ("500", "404"),
            SAID,
        ),
        ("", (), {"title": "Bad Request", "status": 400, "detail": SAID}),
        (
            "'400': { description: bad }",
            (),
            {"title": "Bad Request", "status": 400, "detail": SAID},
        ),
    ],
)
def test_undeclared_status_is_reported_like_the_others(
    responses: str, keys: tuple[str, ...], expected: Any
) -> None:
    response = fetch(create_app(responses, "", keys=keys))
    assert (response.status, response.json) == (400, expected)


@pytest.mark.parametrize(
    ("path", "version", "status", "said"),
    [
        ("/nothing", NEW, 404, "there is no such path"),
        ("/things/a", "2025-06-02", 400, '"2025-06-02" is not a supported version'),
        ("/things/a", "new", 400, '"new" is not a version: a date, YYYY-MM-DD'),
        ("/nothing", "new", 400, '"new" is not a version: a date, YYYY-MM-DD'),
    ],
)
def test_faults_before_routing_are_reported_alike(
    path: str, version: str, status: int, said: str
) -> None:
    schema, _ = SHAPES["code and message below error"]
    response = fetch(create_app(declare("4XX", schema), "", keys=("4XX",)), path, version)
    assert (response.status, response.json["error"]["message"]) == (status, said)


def test_rejected_version_is_reported_completely_if_nothing_is_declared() -> None:
    response = fetch(create_app("", ""), version="2025-06-02")
    assert response.header("content-type") == ["application/problem+json"]
    assert response.json == {
        "title": "Bad Request",
        "status": 400,
        "detail": '"2025-06-02" is not a supported version',
        "error": "unsupported_api_version",
        "reason": "version_unknown",
        "requested": "2025-06-02",
        "supported": [OLD, MIDDLE, NEW],
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            "{ type: object, properties: { message: { type: string }, requestId: { type: string } "
            "} }",
            {"message": "internal server error", "requestId": TRACE},
        ),
        (MESSAGE, {"message": f"internal server error (trace id {TRACE})"}),
        ("{ type: string }", f"internal server error (trace id {TRACE})"),
        (
            None,
            {
                "title": "Internal Server Error",
                "status": 500,
                "detail": "internal server error",
                "trace_id": TRACE,
            },
        ),
    ],
)
def test_server_error_names_the_trace_id_of_the_log(
    schema: str | None, expected: Any, caplog: pytest.LogCaptureFixture
) -> None:
    responses = declare("500", schema) if schema else ""
    with caplog.at_level(logging.ERROR):
        response = fetch(
            create_app(responses, "", RuntimeError("secret"), ("500",) if schema else ()),
            "/things/a",
        )
    [record] = caplog.records
    trace_id = record.getMessage()[:32]
    assert response.status == 500
    assert json.loads(response.body.decode().replace(trace_id, TRACE)) == expected


def test_trace_id_that_must_be_a_uuid_is_logged_as_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    schema = (
        "{ type: object, required: [message, trace_id], properties: { message: { type: string }, "
        "trace_id: { type: string, format: uuid } } }"
    )
    with caplog.at_level(logging.INFO):
        response = fetch(create_app(declare("400", schema), "", keys=("400",)))
    assert response.json["message"] == SAID
    assert response.json["trace_id"] in caplog.text


def test_error_of_an_older_version_has_its_own_schema() -> None:
    responses = declare("400", "{ $ref: '#/components/schemas/Error' }")
    schemas = (
        "Error: { type: object, required: [message], properties: { message: { type: string, x-was: "
        "{ 2024-09-01: { name: msg } } }, code: { type: string, x-added: 2025-06-01 } } }"
    )
    application = create_app(responses, schemas, keys=("400",))
    assert [fetch(application, version=version).json for version in (NEW, MIDDLE, OLD)] == [
        {"message": SAID, "code": "malformed"},
        {"message": SAID},
        {"msg": SAID},
    ]


def test_response_is_declared_since_its_version() -> None:
    schema, body = SHAPES["code and message below error"]
    new = declare("400", schema).replace("description", "x-added: 2025-06-01, description")
    old = declare("4XX", "{ type: string }")
    application = create_app(f"{new}\n{old}", "", keys=("400", "4XX"))
    assert [fetch(application, version=version).json for version in (NEW, MIDDLE)] == [body, SAID]


# Functions of the application


def describe_problem(problem: Any) -> Any:
    return {"fault": problem.code, "says": problem.message}


@pytest.mark.parametrize(
    ("problem", "responses", "media_type", "expected"),
    [
        (describe_problem, "", "application/problem+json", {"fault": "malformed", "says": SAID}),
        (
            describe_problem,
            declare("400", "{ type: object, properties: { fault: { type: string } } }"),
            "application/json",
            {"fault": "malformed", "says": SAID},
        ),
        (describe_problem, declare("400", MESSAGE), "application/json", {"message": SAID}),
        (lambda _: 1 / 0, declare("400", MESSAGE), "application/json", {"message": SAID}),
        (
            lambda _: 1 / 0,
            "",
            "application/problem+json",
            {"title": "Bad Request", "status": 400, "detail": SAID},
        ),
    ],
)
def test_function_defines_error_bodies_within_the_contract(
    problem: Callable[[Any], Any], responses: str, media_type: str, expected: Any
) -> None:
    settings = serving().Settings(problem=problem)
    keys = ("400",) if responses else ()
    response = fetch(create_app(responses, "", keys=keys, settings=settings))
    assert (response.status, response.json) == (400, expected)
    assert response.header("content-type") == [media_type]


def test_problem_details_are_included() -> None:
    module = serving()
    settings = module.Settings(problem=module.problem_details)
    refusal = module.Refusal(404, "no such thing")
    assert fetch(create_app("", "", refusal, settings=settings), "/things/a").json == {
        "title": "Not Found",
        "status": 404,
        "detail": "no such thing",
    }


# All faults

POSTS = """
paths:
  /things:
    post:
      operationId: add_thing
      tags: [Loans]
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      requestBody:
        required: true
        content: { application/json: { schema: { type: object } } }
      responses:
        '204': { description: done }
        '4XX': { $ref: '#/components/responses/Bad' }
        default: { $ref: '#/components/responses/Bad' }
components:
  responses:
    Bad:
      description: bad
      content: { application/json: { schema: { $ref: '#/components/schemas/Bad' } } }
  schemas:
    Bad:
      type: object
      additionalProperties: false
      required: [error]
      properties:
        error:
          type: object
          additionalProperties: false
          required: [code, message]
          properties:
            code: { type: string }
            message: { type: string, x-was: { 2024-09-01: { name: text } } }
            status: { type: integer, x-added: 2025-06-01 }
"""


class Posts:
    async def add_thing(self, *_: Any, body: Any, **__: Any) -> None:
        if body.get("fails"):
            raise RuntimeError("secret")
        await asyncio.sleep(body.get("seconds", 0))


@pytest.mark.parametrize("version", [NEW, OLD])
def test_every_fault_is_reported_in_the_form_of_the_api(version: str) -> None:
    module = serving()
    limits = type(module.Settings().limits)(body=100, seconds=0.05)
    settings = module.Settings(limits=limits, patience=0.01)
    bad = {"application/json": dict}
    post = operation(
        "add_thing",
        "POST",
        "/things",
        security=[("Key",)],
        parameters=[{"keyword": "size", "name": "size", "place": "query", "type": int}],
        body={"application/json": dict},
        responses={"204": None, "4XX": bad, "default": bad},
    )

    async def authenticate(credentials: Any) -> Any:
        return KnownCaller() if credentials.values["Key"] == "k" else None

    application = app(
        contracts(API + POSTS),
        [post],
        Posts(),
        schemes={"Key": module.Scheme(name="X-Key", place="header")},
        authenticate=authenticate,
        idempotency=memory_store(),
        settings=settings,
    )

    async def sent(
        content: bytes = b"{}", path: str = "/things", method: str = "POST", **headers: str
    ) -> Response:
        said = {"x_key": "k", "content_type": "application/json", "x_api_version": version}
        caller = Caller(content, stalls=content == b"stalls")
        scope = request(method, f"/api{path}", fields(**{**said, **headers}))
        await application(scope, caller.receive, caller.send)
        return caller.response

    async def all_sent() -> dict[str, Response]:
        # much longer than the timeout, on a busy machine as well
        slow = b'{"seconds": 0.5}'
        once = asyncio.create_task(sent(slow, idempotency_key="b"))
        await asyncio.sleep(0)
        running = await sent(slow, idempotency_key="b")
        await once
        return {
            "not_found": await sent(path="/nothing"),
            "method_not_allowed": await sent(method="PUT"),
            "unsupported_api_version": await sent(x_api_version="2025-06-02"),
            "unauthorized": await sent(x_key="x"),
            "malformed": await sent(b"["),
            "unsupported_media": await sent(content_type="text/plain"),
            "encoded": await sent(content_encoding="gzip"),
            "too_large": await sent(content_length="101"),
            "stalled": await sent(b"stalls"),
            "key_in_use": running,
            "key_reused": await sent(b'{"a": 1}', idempotency_key="b"),
            "internal_server_error": await sent(b'{"fails": true}'),
        }

    found = asyncio.run(all_sent())
    statuses = [404, 405, 400, 401, 400, 415, 415, 413, 408, 409, 422, 500]
    assert [each.status for each in found.values()] == statuses
    for code, response in found.items():
        # a request with an invalid version gets the schemas of the default version
        is_old = version == OLD or code == "unsupported_api_version"
        error = response.json["error"]
        assert [*response.json] == ["error"]
        assert response.header("content-type") == ["application/json"]
        assert error.pop("text" if is_old else "message")
        assert error == ({"code": code} if is_old else {"code": code, "status": response.status})
