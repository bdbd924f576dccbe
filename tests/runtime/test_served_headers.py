"""The version header gets the same answer at each door, in process and over a socket."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

import pytest
from support.doors import DOORS, open_door
from support.exchanges import Response, ask, request, serving, talk
from support.header_cases import CASES, OLDEST, SUPPORTED, Case
from support.payments import ID, Client
from support.payments import server as find_server
from support.tables import cases

from dateline_runtime.asgi import App

SERVERS: Final[tuple[Literal["h11", "httptools"], ...]] = ("h11", "httptools")
MEDIA_TYPE: Final = "application/json; charset=utf-8"

Fields = list[tuple[bytes, bytes]]


class Asked(NamedTuple):
    """A request without its version header, and the status of its answer."""

    title: str
    method: str
    path: str
    status: int
    headers: tuple[tuple[bytes, bytes], ...] = ((b"x-api-key", b"key-1"),)
    body: bytes = b""


LIMIT: Final = Asked("a limit", "GET", f"/api/customers/{ID}/spending-limit", 200)
ODD: Final = Asked("an error inside", "GET", f"/api/autoramps/{ID}", 500)
OTHERS: Final = (
    Asked("no path", "GET", "/api/nothing", 404),
    Asked("no method", "DELETE", "/api/autoramps", 405),
    Asked("no key", "GET", "/api/autoramps", 401, ()),
    Asked("no UUID", "GET", "/api/autoramps/x", 400),
    Asked("no such autoramp", "GET", f"/api/autoramps/{UUID(int=1)}", 404),
    Asked(
        "no content",
        "PUT",
        f"/api/customers/{ID}",
        204,
        ((b"x-api-key", b"key-1"), (b"content-type", b"application/json")),
        b'{"email": "a"}',
    ),
    ODD,
)
CREATED: Final = Asked(
    "a replay",
    "POST",
    "/api/autoramps",
    200,
    (
        (b"x-api-key", b"key-1"),
        (b"content-type", b"application/json"),
        (b"idempotency-key", b"again"),
    ),
    b"{}",
)

# to a server, a line break is the end of the header, not a part of it
SENT: Final = [case for case in CASES if not any(b"\n" in line for line in case.lines)]


class Server:
    """The generated server of the payment API with an empty autoramp, and all ways to reach it."""

    def __init__(self) -> None:
        self.client = Client("production")
        broken: Any = {"id": ID, "deposit_rails": "none"}
        self.client.payments.autoramps["key-1 None", UUID(ID)] = broken
        self.apps: dict[str, App] = {"in process": self.client.app}
        self.ports: dict[str, int] = {}

    def ask(self, way: str, asked: Asked, lines: list[bytes]) -> Response:
        fields: Fields = [*asked.headers, *((b"x-api-version", line) for line in lines)]
        if way in self.apps:
            scope = request(asked.method, asked.path, fields)
            return ask(self.apps[way], scope, asked.body)
        reported = [
            f"{asked.method} {asked.path} HTTP/1.1".encode(),
            b"Host: localhost",
            b"Connection: close",
            *([b"Content-Length: %d" % len(asked.body)] if asked.body else []),
            *(name + b":" + value for name, value in fields),
        ]
        return talk(self.ports[way], b"\r\n".join(reported), asked.body)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    pytest.importorskip("uvicorn", reason="uvicorn is what listens to the socket")
    made = Server()
    with ExitStack() as stack:
        for http in SERVERS:
            pytest.importorskip(http, reason="the parser is not installed")
            made.ports[http] = stack.enter_context(serving(made.client.app, http))
        for door in DOORS:
            opened = open_door(door, find_server(), made.client.app, "production")
            found = stack.enter_context(opened)
            if isinstance(found, int):
                made.ports[door] = found
            else:
                made.apps[door] = found
        yield made


def reported(version: str, *, private: bool = True) -> list[tuple[str, str]]:
    cache = [("cache-control", "private, no-store")] if private else []
    return [("x-api-version", version), ("vary", "X-API-Version"), *cache]


def rejected(case: Case, *, private: bool = True) -> Response:
    body = json.dumps(
        {
            "error": "unsupported_api_version",
            "reason": case.answer,
            "requested": case.requested,
            "supported": list(SUPPORTED.versions),
        },
        separators=(",", ":"),
    ).encode()
    kind = [("content-type", MEDIA_TYPE), ("content-length", str(len(body)))]
    return Response(400, [*kind, *reported(OLDEST, private=private)], body)


def is_refused_by_http(way: str, case: Case, response: Response) -> bool:
    """Return whether the server's parser refuses the request before any application sees it."""
    is_theirs = response.header("content-type") == ["text/plain; charset=utf-8"]
    return (
        way in (*SERVERS, "proxy") and not case.may_be_sent and response.status == 400 and is_theirs
    )


def sorted_fields(response: Response) -> Response:
    return response._replace(headers=sorted(response.headers))


WAYS: Final = ("in process", *SERVERS, *DOORS)


def each(way: str) -> Iterator[Case]:
    yield from CASES if way in ("in process", "around") else SENT


def answers(server: Server, way: str, asked: Asked) -> Iterator[tuple[Case, Response]]:
    """Yield the answers to *asked* with the version header of each case.

    The header is read alike for all operations, so that beside that of a limit some cases suffice.
    """
    every = [*each(way)]
    for case in every if asked is LIMIT or way == "in process" else every[::8]:
        response = sorted_fields(server.ask(way, asked, case.lines))
        if not is_refused_by_http(way, case, response):
            yield case, response


def expected(case: Case, served: Callable[[str], Response], *, private: bool = True) -> Response:
    if case.requested is None:
        return sorted_fields(served(case.answer))
    return sorted_fields(rejected(case, private=private))


@pytest.mark.parametrize("way", WAYS)
def test_version_is_selected_by_the_header(server: Server, way: str) -> None:
    body = b'{"threshold_eur":"10.00"}'
    kind = [("content-type", MEDIA_TYPE), ("content-length", str(len(body)))]

    def served(version: str) -> Response:
        return Response(200, [*kind, *reported(version)], body)

    found = list(answers(server, way, LIMIT))
    assert len(found) >= 60
    assert found == [(case, expected(case, served)) for case, _ in found]


@cases(
    ("way", "asked"),
    [
        pytest.param(way, asked, id=f"{way}: {asked.title}")
        for way in WAYS
        for asked in OTHERS
        # unknown paths are left to the application
        if way not in DOORS or asked.title not in ("no path", "no method")
    ],
)
def test_errors_name_the_version_and_rejections_come_first(
    server: Server, way: str, asked: Asked
) -> None:
    plain = sorted_fields(server.ask("in process", asked, []))
    assert plain.status == asked.status
    assert set(reported(OLDEST, private=bool(asked.headers))) <= set(plain.headers)

    def served(version: str) -> Response:
        headers = [pair for pair in plain.headers if pair[0] != "x-api-version"]
        return plain._replace(headers=[*headers, ("x-api-version", version)])

    for case, response in answers(server, way, asked):
        if asked is ODD and case.requested is None:
            # each has its own trace id
            assert response.json.keys() == {"message", "trace_id"}
            response = response._replace(body=plain.body)
        assert (case, response) == (case, expected(case, served, private=bool(asked.headers)))


# to a proxy, a replay is an answer like any other
@pytest.mark.parametrize("way", [way for way in WAYS if way != "proxy"])
def test_replay_names_no_version_and_rejection_comes_first(server: Server, way: str) -> None:
    first = server.ask("in process", CREATED, [])
    replay = [("content-type", MEDIA_TYPE), ("content-length", str(len(first.body)))]

    def served(_: str) -> Response:
        return Response(200, replay, first.body)

    calls = len(server.client.payments.calls)
    for case, response in answers(server, way, CREATED):
        assert (case, response) == (case, expected(case, served))
    assert len(server.client.payments.calls) == calls
