"""Connections over real sockets: refused bodies, endless heads, trailers, disconnects."""

from __future__ import annotations

import importlib
import logging
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any, Literal

import pytest
from support.exchanges import serving
from support.header_cases import APP, SERVERS, SUPPORTED
from support.tables import cases

from dateline_runtime.asgi import Limits, Receive, Scope, Send, respond
from dateline_runtime.connections import HeadTimeout, TrailersDropped
from dateline_runtime.idempotency import Answer
from dateline_runtime.versioned import Handling, Versioned


@pytest.fixture(scope="module", params=SERVERS)
def http(request: pytest.FixtureRequest) -> Literal["h11", "httptools"]:
    pytest.importorskip("uvicorn", reason="uvicorn is what listens to the socket")
    pytest.importorskip(request.param, reason="the parser is not installed")
    return "h11" if request.param == "h11" else "httptools"


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(0, size, 65536):
        yield b"x" * 65536


@pytest.mark.parametrize("size", [20_000, 300_000, 3_000_000])
@pytest.mark.parametrize("in_chunks", [False, True])
def test_refusal_of_an_oversized_body_reaches_every_caller(
    http: Literal["h11", "httptools"], size: int, in_chunks: bool
) -> None:
    def refused(_: int) -> tuple[int, int, str | None]:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/things")
        first = connection.getresponse()
        first.read()
        connection.request("POST", "/api/things", chunks(size) if in_chunks else b"x" * size)
        second = connection.getresponse()
        second.read()
        connection.close()
        return first.status, second.status, second.getheader("connection")

    with serving(APP, http) as port, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(refused, range(16)))
    assert found == [(200, 413, "close")] * 16


PROTOCOLS = {"h11": "h11_impl:H11Protocol", "httptools": "httptools_impl:HttpToolsProtocol"}


def protocol(http: str, seconds: float) -> type:
    module, _, name = PROTOCOLS[http].partition(":")
    base = getattr(importlib.import_module(f"uvicorn.protocols.http.{module}"), name)
    return type("Protocol", (HeadTimeout, TrailersDropped, base), {"head_seconds": seconds})


REQUEST = b"GET /api/things HTTP/1.1\r\nHost: localhost\r\n"


@cases(
    ("is_first", "start", "more"),
    [
        (True, b"", b""),
        (True, b"GET /", b"a"),
        (True, REQUEST, b"X-A: b\r\n"),
        (False, b"GET /", b"a"),
        (False, REQUEST, b"X-A: b\r\n"),
    ],
    ids=["nothing", "a path", "headers", "a path, kept alive", "headers, kept alive"],
)
def test_endless_head_closes_the_connection(
    http: Literal["h11", "httptools"], is_first: bool, start: bytes, more: bytes
) -> None:
    with (
        serving(APP, protocol(http, 0.4)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
    ):
        if not is_first:
            connection.sendall(REQUEST + b"\r\n")
            received = b""
            while not received.endswith(b"2025-03-13 0"):
                received += connection.recv(65536)
        began = time.monotonic()
        connection.sendall(start)
        connection.settimeout(0.05)
        while time.monotonic() - began < 5:
            try:
                assert connection.recv(65536) == b""
                break
            except ConnectionResetError:
                break
            except TimeoutError:
                # a byte now and then makes no difference
                connection.sendall(more)
        assert 0.3 < time.monotonic() - began < 3


def test_request_may_take_longer_than_its_head(http: Literal["h11", "httptools"]) -> None:
    body = [b"x"] * 10

    def slowly() -> Iterator[bytes]:
        for piece in body:
            time.sleep(0.06)
            yield piece

    with serving(APP, protocol(http, 0.3)) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        for _ in range(2):
            connection.request("POST", "/api/things", slowly())
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, b"2025-03-13 10")
            # between requests, uvicorn's own timeout is longer
            time.sleep(0.5)
        connection.close()


async def list_headers(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    names = b" ".join(sorted(name for name, _ in scope["headers"]))
    await respond(scope, send, Answer(200, "text/plain", names))


@pytest.mark.parametrize("pause", [0, 0.1])
@pytest.mark.parametrize("name", [b"X-Account", b"Authorization", b"X-API-Version", b"Expect"])
def test_trailer_does_not_become_a_header(
    http: Literal["h11", "httptools"], name: bytes, pause: float
) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n%s\r\n1\r\nx\r\n"
    with (
        serving(list_headers, protocol(http, 5)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
    ):
        for line in (b"", b"X-Next: 1\r\n"):
            connection.sendall(head % line)
            time.sleep(pause)
            connection.sendall(b"0\r\n" + name + b": 100-continue\r\n\r\n")
            names = b" ".join([b"host transfer-encoding", *([b"x-next"] if line else [])])
            received = b""
            while not received.partition(b"\r\n\r\n")[2]:
                received += connection.recv(65536)
            assert received.partition(b"\r\n\r\n")[2] == names


class _Routed(dict[str, Handling]):
    ignores_version = False

    def list_hidden(self, _: str) -> frozenset[bytes]:
        return frozenset()


async def wait_for_more(_: Scope, receive: Receive, __: Send) -> None:
    """Answer nothing, as an application may after a disconnect."""
    while (await receive())["type"] == "http.request":
        pass


async def answer_nothing(_: Scope, __: Receive, ___: Send) -> None:
    """Answer nothing, which no application may do."""


def put_layer_around(app: Any, *, is_limited: bool) -> Versioned:
    routed = _Routed()
    for version in SUPPORTED.versions:
        routed[version] = Handling(app, Limits() if is_limited else None)
    return Versioned(app, SUPPORTED, find=lambda *_: routed)


@pytest.mark.parametrize("is_limited", [True, False])
@pytest.mark.parametrize("body", [b"", b"x", b"xx"])
def test_disconnect_causes_no_error(
    http: Literal["h11", "httptools"],
    body: bytes,
    is_limited: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)
    with serving(put_layer_around(wait_for_more, is_limited=is_limited), http) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(
                b"POST /api/a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n" + body
            )
            time.sleep(0.1)
        time.sleep(0.1)
    assert caplog.records == []


@pytest.mark.parametrize("is_limited", [True, False])
def test_application_without_an_answer_causes_an_error(
    http: Literal["h11", "httptools"], is_limited: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(put_layer_around(answer_nothing, is_limited=is_limited), http) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("POST", "/api/a", b"xx")
        assert connection.getresponse().status == 500
        connection.close()
    assert "the application returned without a response" in caplog.text
