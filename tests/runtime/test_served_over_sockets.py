"""The same answers in process and over a raw socket, whichever parser the server uses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Literal

import pytest
from support.exchanges import Response, ask, request, serving, talk
from support.header_cases import APP, CASES, IMPATIENT, OLDEST, SERVERS, SUPPORTED, Case
from support.tables import cases


@pytest.fixture(scope="module", params=SERVERS)
def http(request: pytest.FixtureRequest) -> Literal["h11", "httptools"]:
    pytest.importorskip("uvicorn", reason="uvicorn is what listens to the socket")
    pytest.importorskip(request.param, reason="the parser is not installed")
    return "h11" if request.param == "h11" else "httptools"


@pytest.fixture(scope="module")
def port(http: Literal["h11", "httptools"]) -> Iterator[int]:
    with serving(APP, http) as number:
        yield number


def expected(case: Case) -> Response:
    version = case.answer if case.requested is None else OLDEST
    reported = [("x-api-version", version), ("vary", "X-API-Version")]
    if case.requested is None:
        body = f"{case.answer} 0".encode()
        return Response(
            200, [("content-type", "text/plain"), ("content-length", "12"), *reported], body
        )
    rejection = {
        "error": "unsupported_api_version",
        "reason": case.answer,
        "requested": case.requested,
        "supported": list(SUPPORTED.versions),
    }
    body = json.dumps(rejection, separators=(",", ":")).encode()
    size = str(len(body))
    kind = [("content-type", "application/json; charset=utf-8"), ("content-length", size)]
    return Response(400, [*kind, *reported], body)


@cases("case", CASES, ids=lambda case: case.title)
def test_header_is_answered_in_process(case: Case) -> None:
    fields = [(b"x-api-version", line) for line in case.lines]
    assert ask(APP, request(headers=fields)) == expected(case)


@cases(
    "case",
    # to a server, a line break is the end of the header, not a part of it
    [case for case in CASES if not any(b"\n" in line for line in case.lines)],
    ids=lambda case: case.title,
)
def test_header_is_answered_alike_over_a_socket(port: int, case: Case) -> None:
    lines = [b"GET /api/things HTTP/1.1", b"Host: localhost", b"Connection: close"]
    response = talk(port, b"\r\n".join(lines + [b"X-API-Version:" + line for line in case.lines]))
    if case.may_be_sent or b"unsupported_api_version" in response.body:
        assert response == expected(case)
    else:
        # the server's parser refuses the whole request before the application sees it
        assert (response.status, response.header("content-type")) == (
            400,
            ["text/plain; charset=utf-8"],
        )


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


def test_body_within_the_limit_is_read(port: int) -> None:
    response = talk(port, post(b"Content-Length: 1000", b"Connection: close"), b"x" * 1000)
    assert (response.status, response.body) == (200, b"2025-03-13 1000")


OVERSIZED: Final = (
    (post(b"Content-Length: 1001"), b""),
    (post(b"Content-Length: 10000000000"), b""),
    (
        post(b"Transfer-Encoding: chunked"),
        b"1f4\r\n" + b"x" * 500 + b"\r\n1f5\r\n" + b"x" * 501 + b"\r\n",
    ),
)
STALLED: Final = (
    (post(b"Content-Length: 1000"), b"x"),
    (post(b"Transfer-Encoding: chunked"), b"1\r\nx\r\n"),
)


def talk_at_once(port: int, requests: Sequence[tuple[bytes, bytes]]) -> list[Response]:
    """Return the responses to requests without `Connection: close`: the server has to close."""
    with ThreadPoolExecutor() as pool:
        return [*pool.map(partial(talk, port), *zip(*requests, strict=True))]


def test_oversized_body_closes_the_connection(port: int) -> None:
    refusal = refused(413, "the body has to be at most 1000 bytes")
    assert talk_at_once(port, OVERSIZED) == [refusal] * len(OVERSIZED)


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
