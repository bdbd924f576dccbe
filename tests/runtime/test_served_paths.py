"""A slash sent as `%2F` is data of its segment (RFC 3986, section 2.2), over real sockets."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from support.assembled import app, contracts, memory_store, operation
from support.assembled import serving as server
from support.exchanges import Response, ask, request, serving, talk
from support.sources import API
from support.tables import cases

from dateline_runtime.asgi import App

FILES = """
security: [{ Key: [] }]
paths:
  /files/{name}:
    get:
      operationId: one
      tags: [Loans]
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses: { '200': { $ref: '#/components/responses/Texts' } }
    post:
      operationId: post_one
      tags: [Loans]
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses: { '200': { $ref: '#/components/responses/Texts' } }
  /files/{folder}/{name}.txt:
    get:
      operationId: two
      tags: [Loans]
      parameters:
        - { name: folder, in: path, required: true, schema: { type: string } }
        - { name: name, in: path, required: true, schema: { type: string } }
      responses: { '200': { $ref: '#/components/responses/Texts' } }
  /files/{folder}/{name}:
    post:
      operationId: post_two
      tags: [Loans]
      parameters:
        - { name: folder, in: path, required: true, schema: { type: string } }
        - { name: name, in: path, required: true, schema: { type: string } }
      responses: { '200': { $ref: '#/components/responses/Texts' } }
components:
  securitySchemes: { Key: { type: apiKey, in: header, name: X-Key } }
  responses:
    Texts:
      description: what the path holds
      content:
        application/json: { schema: { type: array, items: { type: string } } }
"""


@dataclass(frozen=True)
class Account:
    identity: str = "somebody"


async def authenticate(_: Any) -> Account:
    return Account()


class Files:
    """Answers with the operation and its path parameters."""

    def __getattr__(self, operation: str) -> Any:
        async def reported(_: Any, **texts: str) -> list[str]:
            return [operation, *texts.values()]

        return reported


@functools.cache
def files() -> App:
    def segments(*names: str) -> list[dict[str, Any]]:
        return [
            {"keyword": name, "name": name, "place": "path", "type": str, "required": True}
            for name in names
        ]

    said: dict[str, Any] = {
        "security": (("Key",),),
        "responses": {"200": {"application/json": list[str]}},
    }
    two = segments("folder", "name")
    return app(
        contracts(API + FILES),
        [
            operation("one", "GET", "/files/{name}", parameters=segments("name"), **said),
            operation("post_one", "POST", "/files/{name}", parameters=segments("name"), **said),
            operation("two", "GET", "/files/{folder}/{name}.txt", parameters=two, **said),
            operation("post_two", "POST", "/files/{folder}/{name}", parameters=two, **said),
        ],
        Files(),
        schemes={"Key": server().Scheme(name="X-Key", place="header")},
        authenticate=authenticate,
        idempotency=memory_store(),
        documents={"/spec/versions": b"{}"},
    )


@pytest.fixture(scope="module", params=["h11", "httptools"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    parser: Literal["h11", "httptools"] = request.param
    pytest.importorskip(parser, reason="the parser is not installed")
    with serving(files(), parser) as number:
        yield number


def send(port: int, path: str, method: str = "GET", *lines: str) -> Response:
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", "X-Key: key"]
    return talk(port, "\r\n".join([*head, *lines]).encode())


@cases(
    ("path", "reported"),
    [
        ("a%2Fb", ["one", "a/b"]),
        ("a%2fb?c=/%2F/", ["one", "a/b"]),
        ("%2F", ["one", "/"]),
        ("%2F%2F%2f", ["one", "///"]),
        ("a%252Fb", ["one", "a%2Fb"]),
        ("a%252F%2Fb%25", ["one", "a%2F/b%"]),
        ("%C3%A9%2F%F0%9F%98%80%20+", ["one", "é/😀 +"]),
        ("..%2F..%2Fetc", ["one", "../../etc"]),
        ("a/b.txt", ["two", "a", "b"]),
        ("a/b%2Fc.txt", ["two", "a", "b/c"]),
        ("a%2Fb/c%2etxt", ["two", "a/b", "c"]),
        ("%2Fa/b%2F.txt", ["two", "/a", "b/"]),
    ],
)
def test_encoded_slash_is_data_of_its_segment(port: int, path: str, reported: list[str]) -> None:
    response = send(port, f"/api/files/{path}")
    assert (response.status, response.json) == (200, reported)


@cases(
    "path",
    [
        *("/api/files%2Fa", "/api/%2Ffiles/a", "/api/files/a%2Fb.txt/", "/api/files//%2F"),
        *("/api%2Ffiles/a", "/spec%2Fversions"),
    ],
)
def test_encoded_slash_separates_no_segments(port: int, path: str) -> None:
    assert send(port, path).status == 404
    assert send(port, path.replace("%2F", "/")).status in (200, 404)


def test_encoded_slash_is_respected_for_other_methods(port: int) -> None:
    response = send(port, "/api/files/a%2Fb", "PUT")
    assert (response.status, response.header("allow")) == (405, ["GET, HEAD, POST"])


def test_text_that_is_not_utf_8_stays_refused(port: int) -> None:
    response = send(port, "/api/files/a%2F%FF")
    assert (response.status, response.json["detail"]) == (400, "the path is not UTF-8")


def test_paths_that_differ_in_a_slash_have_separate_keys(port: int) -> None:
    key = "Idempotency-Key: same"
    answers = [send(port, f"/api/files/{path}", "POST", key).json for path in ("a/b", "a%2Fb")]
    assert answers == [["post_two", "a", "b"], ["post_one", "a/b"]]


@pytest.mark.parametrize(
    ("path", "raw", "reported"),
    [
        ("/api/files/a/b.txt", None, ["two", "a", "b"]),
        ("/api/files/a/b.txt", b"/api/files/a%2Fb.txt?a=%2F", ["one", "a/b.txt"]),
        # a path that a proxy in the same process replaced
        ("/api/files/a/b.txt", b"/old/files/a%2Fb.txt", ["two", "a", "b"]),
    ],
)
def test_decoded_path_is_used_if_the_server_provides_no_other(
    path: str, raw: bytes | None, reported: list[str]
) -> None:
    scope = {**request("GET", path, [(b"x-key", b"key")]), "raw_path": raw}
    assert ask(files(), scope).json == reported


def test_encoded_slash_is_respected_below_a_mounted_application() -> None:
    scope = request("GET", "/pay/api/files/a/b", [(b"x-key", b"key")])
    mounted = {**scope, "root_path": "/pay", "raw_path": b"/pay/api/files/a%2Fb"}
    assert ask(files(), mounted).json == ["one", "a/b"]
