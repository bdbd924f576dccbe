"""Errors of an application have the form of the definitions, for callers of all versions alike."""

from __future__ import annotations

import gzip
import json
from typing import Any, Final

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from support.generated_server import Generated, ask
from support.sources import loaded
from support.tables import cases

OLD, NEW = "2024-01-01", "2025-01-01"

TABLE = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: The first. }}
  - {{ date: {NEW}, title: The second. }}
environments:
  production: {{ servers: [{{ url: https://api.example }}] }}
policy: dated-contract
python: {{ package: failing }}
"""

RESPONSES = """\
        '404': &refused
          description: refused
          content: { application/json: { schema: { $ref: '#/components/schemas/Refused' } } }
        '403': { description: without a body }
        '409':
          description: a code
          content: { application/json: { schema: { $ref: '#/components/schemas/Coded' } } }
        '411':
          description: two formats, and no text for the first one
          content:
            application/json: { schema: { $ref: '#/components/schemas/Coded' } }
            application/problem+json: { schema: { $ref: '#/components/schemas/Refused' } }
        '412':
          description: likewise, and the second is no JSON
          content:
            application/json: { schema: { $ref: '#/components/schemas/Coded' } }
            text/plain: { schema: { type: string } }
        '422':
          description: two formats
          content:
            application/json: { schema: { $ref: '#/components/schemas/Refused' } }
            text/plain: { schema: { type: string } }
        '429': { description: text, content: { text/plain: { schema: { type: string } } } }
        5XX: *refused
""".replace("&refused", "").replace(
    "*refused",
    "{ description: failed, content: { application/json: { schema: { $ref:"
    " '#/components/schemas/Refused' } } } }",
)

API = f"""\
openapi: 3.1.0
info: {{ title: Failing, version: canonical }}
tags: [{{ name: Things }}]
paths:
  /plain:
    get:
      operationId: getPlain
      tags: [Things]
      responses:
        '204': {{ description: done }}
{RESPONSES}
  /gated:
    get:
      operationId: getGated
      tags: [Things]
      responses:
        '200':
          description: done
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
{RESPONSES}
components:
  schemas:
    Refused:
      type: object
      required: [message]
      properties: {{ message: {{ type: string }}, retry: {{ type: boolean }} }}
    Coded:
      type: object
      required: [code, message]
      properties: {{ code: {{ enum: [busy, gone] }}, message: {{ type: string }} }}
    Thing:
      type: object
      properties: {{ id: {{ type: string }}, since: {{ type: string, x-added: {NEW} }} }}
"""

LONG = "no " * 500_000

# What the application does, and the status and the body that callers get.
ERRORS: Final[dict[str, tuple[Any, int, Any]]] = {
    "one that fits": (
        JSONResponse({"message": "no", "more": 1}, 404),
        404,
        {"message": "no", "more": 1},
    ),
    "detail": (HTTPException(404, "no loan"), 404, {"message": "no loan"}),
    "fields": (HTTPException(404, {"msg": "no", "retry": True}), 404, {"message": "no"}),
    "what fits of it": (
        JSONResponse({"detail": "no", "retry": True}, 404),
        404,
        {"message": "no", "retry": True},
    ),
    "a list": (
        JSONResponse({"detail": [{"loc": ["a"], "msg": "missing"}]}, 404),
        404,
        {"message": "missing"},
    ),
    "nested": (JSONResponse({"error": {"message": "no"}}, 404), 404, {"message": "no"}),
    "JSON text": (JSONResponse("no", 404), 404, {"message": "no"}),
    "text": (PlainTextResponse("no", 404), 404, {"message": "no"}),
    "a page": (Response("<p>no</p>", 404, media_type="text/html"), 404, {"message": "Not Found"}),
    "no body": (Response(status_code=404), 404, {"message": "Not Found"}),
    "no JSON": (Response("{", 404, media_type="application/json"), 404, {"message": "Not Found"}),
    "other JSON": (
        JSONResponse({"title": "a", "detail": "no"}, 404, media_type="application/problem+json"),
        404,
        {"message": "no"},
    ),
    "compressed": (
        Response(
            gzip.compress(b'{"detail":"no"}'),
            404,
            {"content-encoding": "gzip"},
            "application/json",
        ),
        404,
        {"message": "no"},
    ),
    "a failure": (
        PlainTextResponse("Internal Server Error", 500),
        500,
        {"message": "Internal Server Error"},
    ),
    "a range": (HTTPException(503, "later"), 503, {"message": "later"}),
    "undeclared": (HTTPException(418, "tea"), 418, {"detail": "tea"}),
    "a known code": (
        JSONResponse({"code": "busy"}, 409),
        409,
        {"code": "busy", "message": "Conflict"},
    ),
    "another declared format": (PlainTextResponse("no", 422), 422, "no"),
    "a format that fits": (HTTPException(411, "no"), 411, {"message": "no"}),
    "a text in place of JSON": (HTTPException(412, "no"), 412, "no"),
    "the first of two": (HTTPException(422, "no"), 422, {"message": "no"}),
    "declared text": (PlainTextResponse("no", 429), 429, "no"),
    "a long one": (PlainTextResponse(LONG, 404), 404, {"message": LONG[:500]}),
}


class Backend:
    """An application whose operations answer with one of the `ERRORS`."""

    def __init__(self, package: Generated) -> None:
        self.error: Any = None
        backend = FastAPI()

        @backend.api_route("/plain", methods=["GET", "HEAD"])
        @backend.get("/gated")
        def fail() -> Any:
            if isinstance(self.error, Exception):
                raise self.error
            return self.error

        server: Any = package.module("server")
        self.wrapped = {
            how: server.versioned(
                backend, environment="production", settings=server.Settings(errors=how)
            )
            for how in ("declared", "passed")
        }
        self.backend = backend

    def ask(self, app: Any, path: str, version: str, method: str = "GET") -> tuple[int, Any]:
        answer = ask(app, method, path, headers={"X-API-Version": version})
        try:
            return answer.status_code, answer.json()
        except ValueError:
            return answer.status_code, answer.text


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    folder = tmp_path_factory.mktemp("failing")
    return Backend(Generated(folder, loaded(folder, {"versions.yaml": TABLE, "api.yaml": API})))


@cases("path", ["/plain", "/gated"])
@cases("version", [OLD, NEW])
@cases("name", ERRORS)
def test_errors_are_restated_alike(backend: Backend, name: str, version: str, path: str) -> None:
    backend.error, status, body = ERRORS[name]
    assert backend.ask(backend.wrapped["declared"], path, version) == (status, body)


BODILESS: Final[dict[str, tuple[Any, Any]]] = {
    "detail": (HTTPException(403, "no"), {"detail": "no"}),
    "message": (JSONResponse({"Error_Message": "no"}, 403), {"Error_Message": "no"}),
    "text": (PlainTextResponse("no", 403), "no"),
    "JSON text": (JSONResponse("no", 403), "no"),
    "without a type": (Response('{"detail":"no"}', 403), {"detail": "no"}),
    "compressed": (
        Response(
            gzip.compress(b'{"detail":"no"}'),
            403,
            {"content-encoding": "gzip"},
            "application/vnd.x+json",
        ),
        {"detail": "no"},
    ),
    "more": (JSONResponse({"detail": "no", "since": "SECRET"}, 403), {"message": "no"}),
    "twice": (
        Response('{"detail":{"a":"SECRET"},"detail":"no"}', 403, media_type="application/json"),
        {"message": "no"},
    ),
    "another field": (JSONResponse({"since": "SECRET"}, 403), {"message": "Forbidden"}),
    "a code": (JSONResponse({"code": "SECRET"}, 403), {"message": "Forbidden"}),
    "no text": (JSONResponse({"detail": {"msg": "no"}}, 403), {"message": "no"}),
    "a list": (JSONResponse([["detail", "no"]], 403), {"message": "Forbidden"}),
    "an empty list": (JSONResponse([], 403), {"message": "Forbidden"}),
    "no JSON": (Response('{"detail":"no"', 403, media_type="application/json"), "Forbidden"),
}
"""What an application sends with a status without a declared body, and what older callers get"""


@cases("name", BODILESS)
def test_body_that_is_not_declared_is_sent_unless_it_may_be_newer(
    backend: Backend, name: str
) -> None:
    backend.error, older = BODILESS[name]
    ways = [("/plain", OLD), ("/gated", NEW), ("/gated", OLD)]
    plain, newest, found = (backend.ask(backend.wrapped["declared"], *way) for way in ways)
    assert plain == newest == backend.ask(backend.backend, "/plain", NEW)
    assert found == (403, {"message": older} if name == "no JSON" else older)


def test_error_that_cannot_be_restated_stays(backend: Backend) -> None:
    backend.error = JSONResponse({"code": "new", "message": "no"}, 409)
    for path, version in (("/plain", OLD), ("/gated", NEW), ("/gated", OLD)):
        answer = backend.ask(backend.wrapped["declared"], path, version)
        assert answer == (409, {"code": "new", "message": "no"})
    backend.error = StreamingResponse(["no " * 100_000] * 5, 404, media_type="text/plain")
    assert backend.ask(backend.wrapped["declared"], "/plain", OLD) == (404, "no " * 500_000)


@cases("name", ERRORS)
def test_errors_pass_if_settings_say_so(backend: Backend, name: str) -> None:
    backend.error, _, _ = ERRORS[name]
    for path in ("/plain", "/gated"):
        plain = backend.ask(backend.backend, path, NEW)
        assert backend.ask(backend.wrapped["passed"], path, NEW) == plain


def test_headers_stay_and_the_log_says_it_once(
    backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    kept = {"retry-after": "9", "www-authenticate": "Basic", "x-trace": "7"}
    backend.error = HTTPException(404, "gone", {**kept, "etag": '"a"'})
    found = []
    for path, version in (("/plain", OLD), ("/plain", NEW), ("/gated", OLD)):
        answer = ask(backend.wrapped["declared"], "GET", path, headers={"X-API-Version": version})
        assert json.loads(answer.content) == {"message": "gone"}
        assert answer.headers["content-length"] == str(len(answer.content))
        found.append(
            {name: value for name, value in answer.headers.items() if name in (*kept, "etag")}
        )
    assert found == [kept] * 3
    said = [each.getMessage() for each in caplog.records if "does not fit" in each.getMessage()]
    assert len(said) <= 2


def test_head_keeps_the_answer_of_the_application(backend: Backend) -> None:
    backend.error = HTTPException(404, "gone")
    answer = ask(backend.wrapped["declared"], "HEAD", "/plain")
    assert (answer.status_code, answer.headers["content-length"]) == (404, "17")
