"""Connections over real sockets: refused bodies, and heads that never end."""

from __future__ import annotations

import importlib
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Literal

import pytest
from support.exchanges import serving
from support.header_cases import APP, SERVERS
from support.tables import cases

from dateline_runtime.connections import HeadTimeout


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
def test_the_refusal_of_a_long_body_reaches_every_caller(
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
        found = list(threads.map(refused, range(40)))
    assert found == [(200, 413, "close")] * 40


PROTOCOLS = {"h11": "h11_impl:H11Protocol", "httptools": "httptools_impl:HttpToolsProtocol"}


def protocol(http: str, seconds: float) -> type:
    module, _, name = PROTOCOLS[http].partition(":")
    base = getattr(importlib.import_module(f"uvicorn.protocols.http.{module}"), name)
    return type("Protocol", (HeadTimeout, base), {"head_seconds": seconds})


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
def test_a_head_that_does_not_end_ends_the_connection(
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
                # a little now and then changes nothing
                connection.sendall(more)
        assert 0.3 < time.monotonic() - began < 3


def test_a_request_may_take_longer_than_its_head(http: Literal["h11", "httptools"]) -> None:
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
            # between requests, uvicorn's own limit is longer
            time.sleep(0.5)
        connection.close()
