"""Success responses with a body that have none at older versions, on the wire."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal

import pytest
from support.exchanges import serving
from support.generated_server import Generated, generate_adopted
from support.random_chains import DATES
from support.tables import cases

OLD, NEW = DATES[:2]

_SCHEMA: Final = {"type": "object", "properties": {"later": {"type": "string"}}}
_THING: Final = {"description": "x", "content": {"application/json": {"schema": _SCHEMA}}}
_NONE: Final = {"description": "nothing"}

CASES: Final[dict[str, tuple[dict[str, Any], dict[str, Any], int]]] = {
    "another status": ({"204": _NONE}, {"200": _THING}, 204),
    "another status beside an error": (
        {"204": _NONE, "400": _NONE},
        {"200": _THING, "400": _NONE},
        204,
    ),
    "a further status": ({"204": _NONE}, {"200": _THING, "204": _NONE}, 204),
    "a reset": ({"205": _NONE}, {"200": _THING}, 205),
    "a redirect": ({"302": _NONE}, {"200": _THING}, 302),
    "a range of redirects": ({"3XX": _NONE}, {"200": _THING}, 300),
    "no success": ({"404": _NONE}, {"200": _THING, "404": _NONE}, 204),
    "the same status": ({"200": _NONE}, {"200": _THING}, 200),
    "a range": ({"2XX": _NONE}, {"2XX": _THING}, 200),
}


def _document(at: int) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {
            f"/case-{number}": {"post": {"operationId": f"do_{number}", "responses": case[at]}}
            for number, case in enumerate(CASES.values())
        },
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


async def backend(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    await receive()
    body = b'{"later":"SECRET"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body[:5], "more_body": True})
    await send({"type": "http.response.body", "body": body[5:]})


@pytest.fixture(scope="module", params=["h11", "httptools", "proxy"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    server: Any = made().module("server")
    if request.param != "proxy":
        http: Literal["h11", "httptools"] = request.param
        with serving(server.versioned(backend, environment="production"), http) as number:
            yield number
        return
    with serving(backend, "h11") as behind:
        forwarding: Any = made().module("server.forwarding")
        app = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{behind}"))
        front = server.versioned(app, environment="production")
        with serving(front, "h11", lifespan="on") as number:
            yield number


@cases("case", CASES)
def test_nothing_follows_the_head_of_a_response_without_a_body(case: str, port: int) -> None:
    number = [*CASES].index(case)
    head = f"POST /case-{number} HTTP/1.1\r\nHost: a\r\nX-API-Version: {OLD}\r\n"
    sent = f"{head}Content-Length: 0\r\n\r\n{head}Content-Length: 0\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent.encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    first, second, rest = received.split(b"\r\n\r\n")
    assert rest == b""
    for each in (first, second):
        assert each.startswith(f"HTTP/1.1 {CASES[case][2]} ".encode())
        assert b"transfer-encoding: chunked" not in each.lower()
