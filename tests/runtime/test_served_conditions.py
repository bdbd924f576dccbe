"""HEAD, entity tags and encoded bodies in every generated server."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from support.assembled import app, contracts, fields, operation, serving
from support.exchanges import Response, ask, request
from support.sources import API
from support.tables import cases

NEW, OLD = "2025-06-01", "2024-01-15"

THINGS = """
paths:
  /things:
    get:
      operationId: get_things
      tags: [Loans]
      parameters:
        - { name: If-Match, in: header, schema: { type: string } }
        - { name: If-None-Match, in: header, schema: { type: string } }
      responses:
        '200':
          description: all
          content: { application/json: { schema: { $ref: '#/components/schemas/Things' } } }
    post:
      operationId: add_thing
      tags: [Loans]
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Things' } }
          text/plain: { schema: { type: string } }
      responses: { '204': { description: done } }
  /things/{id}:
    head:
      operationId: look
      tags: [Loans]
      x-added: 2025-06-01
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: it is there } }
    get:
      operationId: get_thing
      tags: [Loans]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: one
          content: { application/json: { schema: { type: string } } }
components:
  schemas:
    Things:
      type: object
      properties: { id: { type: string }, note: { type: string, x-added: 2025-06-01 } }
"""
JSON = {"application/json": dict}


class Handlers:
    def __init__(self, result: Any) -> None:
        self.result = result
        self.calls: list[dict[str, Any]] = []
        self.scopes: list[Any] = []

    async def do(self, call: Any, **arguments: Any) -> Any:
        self.calls.append(arguments)
        self.scopes.append(call.scope)
        return self.result

    get_things = add_thing = do

    async def look(self, *_: Any, **__: Any) -> None:
        return None

    async def get_thing(self, *_: Any, **__: Any) -> str:
        return "a thing"


def header(name: str) -> dict[str, Any]:
    keyword = name.lower().replace("-", "_")
    return {"keyword": keyword, "name": name, "place": "header", "type": str}


def asked(
    method: str,
    path: str = "/things",
    result: Any = None,
    *pieces: bytes,
    version: str = NEW,
    handlers: Handlers | None = None,
    **headers: str,
) -> Response:
    id = {"keyword": "id", "name": "id", "place": "path", "type": str, "required": True}
    served = app(
        contracts(API + THINGS),
        [
            operation(
                "get_things",
                "GET",
                "/things",
                parameters=[header("If-Match"), header("If-None-Match")],
                responses={"200": JSON},
            ),
            operation(
                "add_thing",
                "POST",
                "/things",
                body={"application/json": dict, "text/plain": bytes},
                responses={"204": None},
            ),
            operation("get_thing", "GET", "/things/{id}", parameters=[id], responses={"200": JSON}),
            operation("look", "HEAD", "/things/{id}", parameters=[id], responses={"204": None}),
        ],
        handlers or Handlers(result),
    )
    scope = request(method, f"/api{path}", fields(x_api_version=version, **headers))
    return ask(served, scope, *pieces)


THING = {"id": "1", "note": "new"}


@pytest.mark.parametrize("version", [NEW, OLD])
@pytest.mark.parametrize("path", ["/things", "/things?x=1"])
def test_head_is_answered_like_get_without_content(path: str, version: str) -> None:
    reply = serving().Reply(THING, headers={"Link": "</next>"})
    got = asked("GET", path, reply, version=version)
    looked = asked("HEAD", path, reply, version=version)
    assert (looked.status, looked.headers, looked.body) == (200, got.headers, b"")
    assert got.header("content-length") == [str(len(got.body))] != ["0"]


def test_faults_of_head_are_reported_like_those_of_get() -> None:
    got, looked = (asked(method, "/nothing") for method in ("GET", "HEAD"))
    assert (looked.status, looked.headers, looked.body) == (404, got.headers, b"")


@pytest.mark.parametrize(("version", "status"), [(NEW, 204), (OLD, 200)])
def test_operation_for_head_takes_precedence_over_get(version: str, status: int) -> None:
    assert asked("HEAD", "/things/a", version=version).status == status
    assert asked("GET", "/things/a", version=version).json == "a thing"


@pytest.mark.parametrize("path", ["/things", "/things/a"])
def test_head_exists_only_for_get(path: str) -> None:
    response = asked("PATCH", path)
    allowed = {"/things": "GET, HEAD, POST", "/things/a": "GET, HEAD"}
    assert (response.status, response.header("allow")) == (405, [allowed[path]])


# Entity tags

NEW_TAG, OLD_TAG = f'"a;{NEW}"', f'"a;{OLD}"'


@pytest.mark.parametrize("tag", ['"a"', 'W/"a"'])
@pytest.mark.parametrize("name", ["ETag", "etag"])
def test_entity_tag_differs_by_version(name: str, tag: str) -> None:
    reply = serving().Reply(THING, headers={name: tag})
    found = {
        version: asked("GET", result=reply, version=version).header("etag")
        for version in (NEW, OLD)
    }
    weak = tag.removesuffix('"a"')
    assert found == {NEW: [f"{weak}{NEW_TAG}"], OLD: [f"{weak}{OLD_TAG}"]}


@cases("method", ["GET", "HEAD"])
@cases("tag", ['"a"', 'W/"a"'])
@cases(
    ("condition", "status"),
    [
        (NEW_TAG, 304),
        (f"W/{NEW_TAG}", 304),
        (f'"b", {NEW_TAG}', 304),
        (f'W/"b",{NEW_TAG}, "c"', 304),
        ("*", 304),
        (OLD_TAG, 200),
        ('"a"', 200),
        ('"b"', 200),
        (NEW_TAG.strip('"'), 200),
    ],
)
def test_unchanged_content_is_not_sent_again(
    condition: str, status: int, tag: str, method: str
) -> None:
    given = {"ETag": tag, "Cache-Control": "max-age=5", "Link": "</next>", "Vary": "Accept"}
    reply = serving().Reply(THING, headers=given)
    response = asked(method, "/things", reply, if_none_match=condition)
    assert response.status == status
    if status == 304:
        assert response.body == b""
        assert sorted(response.headers) == [
            ("cache-control", "max-age=5"),
            ("etag", tag.removesuffix('"a"') + NEW_TAG),
            ("vary", "Accept, X-API-Version"),
            ("x-api-version", NEW),
        ]


def test_condition_is_ignored_without_a_tag() -> None:
    assert asked("GET", result=THING, if_none_match="*").status == 200


def test_handlers_use_tags_without_the_version() -> None:
    handlers = Handlers(THING)
    both = f"{NEW_TAG}, {OLD_TAG}"
    asked("GET", handlers=handlers, if_match=both, if_none_match=f"W/{NEW_TAG}")
    assert handlers.calls == [{"if_match": f'"a", {OLD_TAG}', "if_none_match": 'W/"a"'}]
    [scope] = handlers.scopes
    assert dict(scope["headers"]) == {
        b"x-api-version": NEW.encode(),
        b"if-match": f'"a", {OLD_TAG}'.encode(),
        b"if-none-match": b'W/"a"',
    }


@pytest.mark.parametrize("tag", ["a", "*", '"a", "b"'])
def test_invalid_tag_of_a_handler_is_a_server_error(tag: str) -> None:
    assert asked("GET", result=serving().Reply(THING, headers={"ETag": tag})).status == 500


# Encoded bodies


@cases("coding", ["gzip", "GZIP", "identity, br", "br,gzip", "deflate", "x"])
@cases("kind", ["application/json", "text/plain"])
def test_encoded_body_is_refused_with_the_accepted_encodings(coding: str, kind: str) -> None:
    handlers = Handlers(None)
    content = gzip.compress(b"{}")
    said = {"content_type": kind, "content_encoding": coding}
    response = asked("POST", "/things", None, content, handlers=handlers, **said)
    assert (response.status, handlers.calls) == (415, [])
    assert response.header("accept-encoding") == ["identity"]


@pytest.mark.parametrize(
    ("coding", "content"), [("identity", b"{}"), ("Identity", b"{}"), ("", b"{}"), ("gzip", b"")]
)
def test_identity_encoding_is_accepted(coding: str, content: bytes) -> None:
    kind = "application/json"
    response = asked("POST", "/things", None, content, content_type=kind, content_encoding=coding)
    assert (response.status, response.header("accept-encoding")) == (204, [])
