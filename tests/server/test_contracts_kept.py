"""At each door, requests and responses stay within the contract of the caller's version."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.exchanges import Caller, Response, request
from support.generated_server import Generated
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
  production: {{ servers: [{{ url: https://api.example/api }}] }}
policy: dated-contract
python: {{ package: kept }}
"""

API = """\
openapi: 3.1.0
info: { title: Things, version: canonical }
tags: [{ name: Things }]
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getThing
      tags: [Things]
      responses:
        '200':
          description: a thing
          content:
            application/json: { schema: { $ref: '#/components/schemas/Thing' } }
            text/csv: { schema: { type: string }, x-added: 2025-01-01 }
        '404':
          description: none
          content: { application/problem+json: { schema: { type: object } } }
    put:
      operationId: putThing
      tags: [Things]
      requestBody:
        x-added: 2025-01-01
        content: { application/json: { schema: { $ref: '#/components/schemas/Plain' } } }
      responses: { '204': { description: done } }
    patch:
      operationId: patchThing
      tags: [Things]
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Plain' } }
          application/merge-patch+json:
            schema: { $ref: '#/components/schemas/Plain' }
            x-added: 2025-01-01
          text/plain: { schema: { type: string }, x-added: 2025-01-01 }
      responses: { '204': { description: done } }
    post:
      operationId: postThing
      tags: [Things]
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' } }
          text/plain: { schema: { type: string }, x-added: 2025-01-01 }
      responses: { '204': { description: done } }
    delete:
      operationId: deleteThing
      tags: [Things]
      responses: { '204': { description: done } }
  /things:
    post:
      operationId: makeThing
      tags: [Things]
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        default:
          description: an error
          content: { application/json: { schema: { type: object } } }
    put:
      operationId: makeThings
      tags: [Things]
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '202':
          description: not yet a thing
          content: { application/json: { schema: { type: object } } }
components:
  schemas:
    Plain: { type: object, properties: { a: { type: string } } }
    Thing:
      type: object
      properties: { id: { type: string }, since: { type: string, x-added: 2025-01-01 } }
"""

JSON = b'{"a":"1"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("kept")
    return Generated(folder, loaded(folder, {"versions.yaml": TABLE, "api.yaml": API})).module(
        "server"
    )


class Backend:
    """An application of the newest version that records the requests that reach it."""

    def __init__(self, *headers: tuple[str, str], body: bytes = b"", status: int = 204) -> None:
        self._start = {"status": status, "headers": [(a.encode(), b.encode()) for a, b in headers]}
        self._body = body
        self.headers: dict[str, str] = {}
        self.body: bytes | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.body, more = b"", True
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "http.response.start", **self._start})
        await send({"type": "http.response.body", "body": self._body})


class Handlers:
    """Handlers that record their body."""

    def __init__(self) -> None:
        self.body: Any = None

    def __getattr__(self, name: str) -> Any:
        async def handle(_: Any, *, id: str, body: Any = None) -> Any:
            self.body = body
            return {"id": id} if name == "get_thing" else None

        return handle


def send(
    app: Any,
    method: str,
    version: str,
    *headers: tuple[str, str],
    body: bytes = b"",
    path: str = "/api/things/1",
    query: str = "",
) -> Response:
    caller = Caller(body[:3], body[3:])
    fields = [("x-api-version", version), *headers]
    if body:
        fields.append(("content-length", str(len(body))))
    encoded = [(name.encode(), value.encode()) for name, value in fields]
    asyncio.run(app(request(method, f"{path}{query}", encoded), caller.receive, caller.send))
    return caller.response


def wrap(server: Any, backend: Any, **said: Any) -> Any:
    return server.versioned(backend, environment="production", **said)


SENT = [
    ("PATCH", "application/json", 204, 204),
    ("PATCH", "Application/JSON; charset=utf-8", 204, 204),
    ("PATCH", "application/merge-patch+json", 415, 204),
    ("PATCH", "Application/Merge-Patch+JSON;charset=utf-8", 415, 204),
    ("PATCH", "text/plain", 415, 204),
    ("POST", "application/json", 204, 204),
    ("POST", "text/plain", 415, 204),
]


@pytest.mark.parametrize(("method", "content_type", "older", "newer"), SENT)
def test_media_type_of_newer_requests_is_refused_everywhere(
    server: Any, method: str, content_type: str, older: int, newer: int
) -> None:
    for version, status in ((OLD, older), (NEW, newer)):
        handlers, fields = Handlers(), ("content-type", content_type)
        app = server.create_app(SimpleNamespace(things=handlers), environment="production")
        served = send(app, method, version, fields, body=JSON)
        # of several media types, the generated server supports one
        if version == OLD or content_type.lower().startswith("application/json"):
            assert (served.status, handlers.body is not None) == (status, status == 204)
        for is_strict in (False, True):
            backend = Backend()
            wrapped = send(
                wrap(server, backend, strict=is_strict), method, version, fields, body=JSON
            )
            assert wrapped.status == status
            assert backend.body == (JSON if status == 204 else None)
            if status == 415:
                assert wrapped == served


REPEATED = [
    (("application/json", "text/plain"), 415),
    (("text/plain", "application/json"), 415),
    (("application/json; charset=utf-8", "application/merge-patch+json"), 415),
    (("application/json, text/plain",), 415),
    (("image/png", "text/plain"), 415),
    (("application/json", "Application/JSON"), 415),
    (("application/json", "application/json"), 415),
    (("application/json", ""), 204),
    (('application/json; a="b, text/plain"',), 204),
]


@cases("method", ["PATCH", "POST"])
@cases(("types", "status"), REPEATED)
def test_only_one_content_type_header_counts(
    server: Any, method: str, types: tuple[str, ...], status: int
) -> None:
    fields = [("content-type", each) for each in types]
    for is_strict in (False, True):
        backend = Backend()
        app = wrap(server, backend, strict=is_strict)
        assert send(app, method, OLD, *fields, body=JSON).status == status
        assert backend.body == (JSON if status == 204 else None)


def test_required_body_is_required_without_other_differences(server: Any) -> None:
    backend = Backend()
    fields = ("content-type", "application/json")
    assert send(wrap(server, backend), "PATCH", OLD, fields).status == 400
    assert backend.body is None
    # the limit applies to bodies that are read
    large = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    assert send(wrap(server, backend), "PATCH", OLD, fields, body=large).status == 204
    assert backend.body == large


@pytest.mark.parametrize("is_strict", [False, True])
def test_body_that_only_newer_requests_have_is_dropped(server: Any, is_strict: bool) -> None:
    fields = [("content-type", "application/json"), ("expect", "100-continue"), ("x-own", "1")]
    backend = Backend()
    app = wrap(server, backend, strict=is_strict)
    assert send(app, "PUT", OLD, *fields, body=JSON).status == 204
    assert backend.body == b""
    assert backend.headers == {"x-api-version": OLD, "x-own": "1", "content-length": "0"}
    # without a body there is nothing to report
    assert send(app, "PUT", OLD).status == 204
    assert backend.headers == {"x-api-version": OLD}
    assert send(app, "PUT", NEW, *fields, body=JSON).status == 204
    assert (backend.body, backend.headers["content-type"]) == (JSON, "application/json")
    handlers = Handlers()
    app = server.create_app(SimpleNamespace(things=handlers), environment="production")
    assert (send(app, "PUT", OLD, *fields, body=JSON).status, handlers.body) == (204, None)


THING = b'{"id":"1","since":"now"}'


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "POST", "DELETE"])
def test_entity_tag_is_shared_by_all_operations_of_a_resource(server: Any, method: str) -> None:
    known = ("content-type", "application/json"), ("etag", '"a"')
    reader = wrap(server, Backend(*known, body=THING, status=200))
    for version in (OLD, NEW):
        [tag] = send(reader, "GET", version).header("etag")
        assert (tag == '"a"') == (version == NEW)
        backend = Backend()
        fields = [("if-match", f'{tag}, "b"'), ("content-type", "application/json")]
        send(wrap(server, backend), method, version, *fields, body=JSON)
        assert backend.headers["if-match"] == '"a", "b"'


CONDITIONS = [
    # of this version, the newest, and another one
    (f'"a;{OLD}"', '"a"'),
    ('"a"', '""'),
    (f'"a;{NEW}"', '""'),
    (f'"a", W/"a;{OLD}", "b;{NEW}"', 'W/"a"'),
    (f'";{OLD}", "a,;{OLD}"', '"", "a,"'),
    ("*", "*"),
    ("a", '""'),
]


@cases(("sent", "known"), CONDITIONS)
def test_only_tags_of_the_version_lead_to_not_modified(server: Any, sent: str, known: str) -> None:
    for method in ("GET", "HEAD"):
        backend = Backend(("content-type", "application/json"), body=THING, status=200)
        since = ("if-modified-since", "Sat, 01 Jan 2050 00:00:00 GMT")
        send(wrap(server, backend), method, OLD, ("if-none-match", sent), since)
        assert backend.headers["if-none-match"] == known
        assert "if-modified-since" in backend.headers
        send(wrap(server, backend), method, NEW, ("if-none-match", sent))
        assert backend.headers["if-none-match"] == sent


ACCEPTED = [
    ("text/csv", "application/json, application/problem+json"),
    ("application/json", "application/json"),
    ("text/csv, application/json;q=0.5", "application/json;q=0.5"),
    ("TEXT/CSV;header=present;q=1 ,application/json", "application/json"),
    ("text/*, application/xml", "application/xml"),
    ("*/*;q=0.1", "application/json;q=0.1, application/problem+json;q=0.1"),
    ("application/*", "application/*"),
    ('application/x;a="text/csv,b", text/csv', 'application/x;a="text/csv,b"'),
    ("image/png", "image/png"),
    ("", ""),
]


@cases(("sent", "known"), ACCEPTED)
def test_media_types_that_the_version_lacks_are_not_accepted(
    server: Any, sent: str, known: str
) -> None:
    backend = Backend(("content-type", "application/json"), body=THING, status=200)
    app = wrap(server, backend)
    assert send(app, "GET", OLD, ("accept", sent)).json == {"id": "1"}
    assert backend.headers["accept"] == (known or "application/json, application/problem+json")
    assert send(app, "GET", NEW, ("accept", sent)).body == THING
    assert backend.headers["accept"] == sent


PLAIN = [b"plain text", b"", b"\n\xc3\xa9"]
FILES = [b"PK\x03\x04{}", b"\x89PNG\r\n\x1a\n[", b"%PDF-1.4\n%\xe2\xe3{}", b"a\0{"]
MAY_BE_JSON = [b'cb({"id":"1"})', b")]}',\n{}", b" " * 3000 + b"{}", b"\xef\xbb\xbf{}", b"\0\0{}"]
FILE_TYPES = ["application/octet-stream", "application/zip", "image/png", "application/own"]
TEXT_TYPES = ["application/javascript", "text/x-ecmascript", "text/html", "message/rfc822"]
DATA_TYPES = [
    *("application/xml", "text/xml", "application/yaml", "text/x-yaml", "application/own+cbor"),
    *("application/vnd.msgpack", "application/x-protobuf", "text/json", "application/soap+xml"),
    *("application/cbor-seq", "application/own+json-seq", "application/x-jackson-smile"),
    *("application/ubjson", "application/avro", "application/toml", "application/ion"),
]


def get_undeclared(server: Any, content_type: str, body: bytes) -> int:
    backend = Backend(("content-type", content_type), body=body, status=202)
    response = send(wrap(server, backend), "GET", OLD)
    assert response.status == 500 or response.body == body
    return response.status


def test_undeclared_answer_that_may_be_data_is_not_sent(server: Any) -> None:
    types = [*FILE_TYPES, *TEXT_TYPES]
    assert {get_undeclared(server, *each) for each in product(types, PLAIN)} == {202}
    assert {get_undeclared(server, *each) for each in product(FILE_TYPES, FILES)} == {202}
    assert {get_undeclared(server, *each) for each in product(TEXT_TYPES, FILES)} == {500}
    assert {get_undeclared(server, *each) for each in product(types, MAY_BE_JSON)} == {500}
    bodies = [PLAIN[0], FILES[0], MAY_BE_JSON[0]]
    assert {get_undeclared(server, *each) for each in product(DATA_TYPES, bodies)} == {500}
    assert get_undeclared(server, "application/xhtml+xml", b"<html>") == 202
    # the body may come in pieces of any size
    assert get_undeclared(server, "image/svg+xml", b"<svg>") == 202


@cases(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/api/things/1", b'{"id":"1","since":"now"}', b'{"id":"1"}'),
        ("GET", "/api/things/1", b'{"id":1}', None),
        # `default` beside a success is for errors
        ("POST", "/api/things", b'{"id":"1","since":"now"}', b'{"id":"1"}'),
        ("POST", "/api/things", b'{"id":1}', None),
        # of two successes, it could be either
        ("PUT", "/api/things", b'{"id":"1","since":"now"}', None),
    ],
)
def test_undeclared_success_has_the_form_of_the_only_one(
    server: Any, method: str, path: str, body: bytes, expected: bytes | None
) -> None:
    for media_type in ("application/json", "application/json; charset=utf-8"):
        backend = Backend(("content-type", media_type), body=body, status=201)
        response = send(wrap(server, backend), method, OLD, path=path)
        assert response.status == (500 if expected is None else 201)
        assert expected in (None, response.body)


ENDED = [
    [(THING, False), (THING, False)],
    [(THING[:5], True), (THING[5:], False), (THING, True), (THING, False)],
    [(b"", True), (THING, True), (b"", False), (THING, False)],
    # the answer is an error
    [(b"{", False), (THING, False)],
]


@pytest.mark.parametrize("pieces", ENDED)
def test_bytes_after_the_end_of_an_answer_are_not_sent(
    server: Any, pieces: list[tuple[bytes, bool]]
) -> None:
    async def app(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for body, more in pieces:
            await send({"type": "http.response.body", "body": body, "more_body": more})

    layer = wrap(server, app)
    for _ in range(3):
        response = send(layer, "GET", OLD)
        assert b"since" not in response.body
        assert response.header("content-length") == [str(len(response.body))]


@pytest.mark.parametrize("begins_with_trailers", [True, False])
def test_trailers_of_a_narrowed_body_are_not_sent(server: Any, begins_with_trailers: bool) -> None:
    seen: dict[str, Any] = {}

    async def app(scope: Any, _: Any, send: Any) -> None:
        seen.update(scope["extensions"])
        start = {"status": 200, "headers": [(b"content-type", b"application/json")]}
        await send({"type": "http.response.start", **start, "trailers": begins_with_trailers})
        await send({"type": "http.response.body", "body": THING})
        if begins_with_trailers:
            fields = [(b"content-digest", b"x")]
            await send({"type": "http.response.trailers", "headers": fields})

    layer = wrap(server, app)
    for method, version, count in product(("GET", "HEAD"), (OLD, NEW), (1, 2)):
        caller = Caller()
        scope = request(method, "/api/things/1", [(b"x-api-version", version.encode())])
        scope["extensions"] = {"http.response.trailers": {}, "own": {}}
        asyncio.run(layer(scope, caller.receive, caller.send))
        kinds = [each["type"] for each in caller.sent]
        has_trailers = begins_with_trailers and version == NEW
        assert ("http.response.trailers" in kinds) == has_trailers, count
        assert caller.sent[0].get("trailers", False) == has_trailers
        assert ("http.response.trailers" in seen) == (version == NEW)
        seen.clear()


@cases(
    ("method", "query", "is_in_doubt"),
    [
        ("POST", "?_method=GET", True),
        ("POST", "?a=1&_method=get", True),
        ("POST", "?%5Fmetho%64=PUT", True),
        ("POST", "?_method=PURGE", False),
        ("POST", "?_method=", False),
        ("POST", "?a_method=GET", False),
        ("POST", "?x=_method=GET", False),
        # no server looks there
        ("GET", "?_method=POST", False),
    ],
)
def test_method_override_in_a_query_is_respected(
    server: Any, method: str, query: str, is_in_doubt: bool
) -> None:
    backend = Backend(("content-type", "application/json"), body=THING, status=200)
    app = wrap(server, backend)
    assert (send(app, method, OLD, query=query).status == 404) == is_in_doubt
    assert send(app, method, NEW, query=query).body == THING


def test_early_refusal_belongs_to_the_operation_of_the_request(tmp_path: Path) -> None:
    api = API.replace("responses: { '204': { description: done } }", RESPONSES, 1)
    found = Generated(tmp_path, loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": api}))
    app = wrap(found.module("server"), Backend())
    for fields, query in ([("x-http-method-override", "PUT")], ""), ([], "?_method=PUT"):
        refused = send(app, "PURGE" if fields else "POST", "2020-01-01", *fields, query=query)
        assert refused.status == 400
    assert send(app, "PURGE", "2020-01-01", ("x-http-method-override", "PUT")).json["fault"]


RESPONSES = """\
responses:
        '204': { description: done }
        '400':
          description: refused
          content:
            application/json:
              schema: { type: object, required: [fault], properties: { fault: { type: string } } }
"""
