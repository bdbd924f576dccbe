"""Unusual headers and stalled bodies over a raw socket, whichever parser the server uses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Literal

import pytest
from support.exchanges import Response, serving, talk
from support.header_cases import APP, IMPATIENT, OLDEST, SERVERS


@pytest.fixture(scope="module", params=SERVERS)
def http(request: pytest.FixtureRequest) -> Literal["h11", "httptools"]:
    pytest.importorskip("uvicorn", reason="uvicorn is what listens to the socket")
    pytest.importorskip(request.param, reason="the parser is not installed")
    return "h11" if request.param == "h11" else "httptools"


@pytest.fixture(scope="module")
def port(http: Literal["h11", "httptools"]) -> Iterator[int]:
    with serving(APP, http) as number:
        yield number


def post(*fields: bytes) -> bytes:
    lines = [b"POST /api/things HTTP/1.1", b"Host: localhost", *fields]
    return b"\r\n".join(lines)


@pytest.mark.parametrize("line_break", [b"\r\n ", b"\n", b"\r"])
def test_header_over_several_lines_is_malformed(port: int, line_break: bytes) -> None:
    lines = [b"GET /api/things HTTP/1.1", b"Host: localhost", b"Connection: close"]
    folded = b"X-API-Version: 2026-07" + line_break + b"-01"
    assert talk(port, b"\r\n".join([*lines, folded])).status == 400


def test_header_is_found_among_a_thousand(port: int) -> None:
    lines = [b"GET /api/things HTTP/1.1", b"Host: localhost", b"Connection: close"]
    others = [b"X-%d: y" % number for number in range(1000)]
    response = talk(port, b"\r\n".join([*lines, *others, b"x-api-version: 2026-07-01"]))
    assert (response.status, response.body) == (200, b"2026-07-01 0")


STALLED: Final = (
    (post(b"Content-Length: 1000"), b"x"),
    (post(b"Transfer-Encoding: chunked"), b"1\r\nx\r\n"),
)


def talk_at_once(port: int, requests: Sequence[tuple[bytes, bytes]]) -> list[Response]:
    """Return the responses to requests without `Connection: close`: the server has to close."""
    with ThreadPoolExecutor() as pool:
        return [*pool.map(partial(talk, port), *zip(*requests, strict=True))]


def test_stalled_body_closes_the_connection(http: Literal["h11", "httptools"]) -> None:
    refusal = refused(408, "the body did not arrive in time")
    with serving(IMPATIENT, http) as port:
        assert talk_at_once(port, STALLED) == [refusal] * len(STALLED)


def refused(status: int, said: str) -> Response:
    body = json.dumps(said).encode()
    return Response(
        status,
        [
            ("content-type", "application/json; charset=utf-8"),
            ("content-length", str(len(body))),
            ("x-api-version", OLDEST),
            ("vary", "X-API-Version"),
        ],
        body,
    )
