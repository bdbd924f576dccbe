"""Responses with a media type or status that other versions replace have no unanswered effects.

A response that has a form at the caller's version is sent in that form, through each door.
Otherwise the request is refused before the application or the handler runs, so that a POST has no
effect.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Any, Final, NamedTuple

import httpx
import pytest
from support.exchanges import exchange, request, serving
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

OLD, NEW = DATES[:2]
JSON, VENDOR, XML, CSV = "application/json", "application/vnd.x+json", "application/xml", "text/csv"
CHARSET: Final = "application/json; charset=utf-8"
LATIN: Final = "text/csv; charset=utf-8"

CONTENTS: Final[dict[str, list[str]]] = {
    "nothing": [],
    "json": [JSON],
    "charset": [CHARSET],
    "vendor": [VENDOR],
    "xml": [XML],
    "csv": [CSV],
    "latin": [LATIN],
    "json-xml": [JSON, XML],
    "json-vendor": [JSON, VENDOR],
}

_THING: Final = {"type": "object", "properties": {"here": {"type": "string"}}}
_OTHER: Final = {
    "type": "object",
    "properties": {"here": {"type": "string"}, "later": {"type": "string"}},
}

STATUSES: Final = {
    "same": (_THING, _THING),
    "other": (_THING, _OTHER),
    "list": (_THING, {"type": "array", "items": _OTHER}),
}
"""The schemas of a success whose status is another one at the newest version, by version"""


class Case(NamedTuple):
    """An operation: the media types of its response at each version."""

    before: str
    after: str

    @property
    def path(self) -> str:
        return f"/{self.before}/{self.after}"

    @property
    def made(self) -> list[str]:
        """The media type that handlers return: JSON, if any version has it."""
        names = [*CONTENTS[self.after], *CONTENTS[self.before]]
        return sorted(names, key=lambda each: "json" not in each)[:1]

    def at(self, version: str) -> list[str]:
        return CONTENTS[self.before if version == OLD else self.after]

    def has_form(self, name: str, version: str) -> bool:
        """Return whether the response has a form at *version*."""
        wanted = self.at(version)
        sent = self.made if name == "generated" else self.at(NEW)
        return not wanted or not sent or any(_is_alike(*each) for each in _pairs(sent, wanted))


def _pairs(one: list[str], other: list[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for a in one for b in other)


def _is_alike(one: str, other: str) -> bool:
    is_json = "json" in one and "json" in other
    return is_json or one.partition(";")[0] == other.partition(";")[0]


CASES: Final = [Case(*each) for each in permutations(CONTENTS, 2)]

BODIES: Final = {JSON: b'{"here":"a"}', VENDOR: b'{"here":"a"}', XML: b"<a/>", CSV: b"here\r\na"}


def _body(media_type: str) -> bytes:
    return BODIES[media_type.partition(";")[0]]


def _document(at: int) -> dict[str, Any]:
    def content(names: list[str], schema: Any) -> dict[str, Any]:
        found = {name: {"schema": schema} for name in names}
        return {"description": "done", **({"content": found} if found else {})}

    paths: dict[str, Any] = {}
    for number, case in enumerate(CASES):
        names = case.at((OLD, NEW)[at])
        operation = {"operationId": f"do_{number}", "tags": ["all"]}
        paths[case.path] = {"post": {**operation, "responses": {"200": content(names, _THING)}}}
    for name, schemas in STATUSES.items():
        for media_type in (JSON, VENDOR):
            response = content([(JSON, media_type)[at]], schemas[at])
            operation = {"operationId": f"status_{name}_{media_type[12:15]}", "tags": ["statuses"]}
            responses = {("200", "201")[at]: response}
            paths[f"/statuses/{name}/{media_type[12:15]}"] = {
                "post": {**operation, "responses": responses}
            }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


class Backend:
    """An application of the newest version, which prefers the last media type that is accepted."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        await receive()
        self.calls += 1
        accepted = dict(scope["headers"]).get(b"accept", b"*/*").decode()
        kind, *rest = scope["path"].strip("/").split("/")
        if kind == "statuses":
            media_type = JSON if rest[1] == "jso" else VENDOR
            value = {"here": "a", "later": "SECRET"} if rest[0] == "other" else {"here": "a"}
            body = json.dumps([value] if rest[0] == "list" else value).encode()
            await _send(send, 201, media_type, body)
            return
        names = CONTENTS[rest[0]]
        fits = [each for each in names if each in accepted or "*/*" in accepted] or names
        if fits:
            await _send(send, 200, fits[-1], _body(fits[-1]))
        else:
            await _send(send, 200, None, b"")


async def _send(send: Any, status: int, media_type: str | None, body: bytes) -> None:
    length = str(len(body)).encode()
    headers = [(b"content-type", media_type.encode())] if media_type is not None else []
    headers += [(b"content-length", length), (b"content-language", b"en"), (b"etag", b'"a"')]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Handlers:
    """Handlers of everything, which return canonical values."""

    def __init__(self) -> None:
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(("do_", "status_")):
            return self

        async def handle(_: Any) -> Any:
            self.calls += 1
            if name.startswith("status_"):
                return {"here": "a"}
            case = CASES[int(name.removeprefix("do_"))]
            bodies = [_body(each) for each in case.made]
            return {"here": "a"} if bodies == [BODIES[JSON]] else next(iter(bodies), None)

        return handle


_CLIENT: Final = httpx.Client()


class Door(NamedTuple):
    app: Any
    behind: Backend | Handlers

    def post(self, path: str, version: str, **headers: str) -> httpx.Response:
        self.behind.calls = 0
        named = {"X-API-Version": version, **headers}
        if isinstance(self.app, int):
            return _CLIENT.post(f"http://127.0.0.1:{self.app}{path}", headers=named)
        return ask(self.app, "POST", path, headers=named)


@pytest.fixture(scope="module", params=["generated", "around", "strict", "proxy"])
def door(request: pytest.FixtureRequest) -> Iterator[tuple[str, Door]]:
    name = request.param
    server: Any = made().module("server")
    if name == "generated":
        handlers = Handlers()
        yield name, Door(server.create_app(handlers, environment="production"), handlers)
        return
    backend = Backend()
    if name != "proxy":
        app = server.versioned(backend, environment="production", strict=name == "strict")
        yield name, Door(app, backend)
        return
    with serving(backend, "h11") as port:
        forwarding: Any = made().module("server.forwarding")
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
        front = server.versioned(behind, environment="production")
        with serving(front, "h11", lifespan="on") as number:
            yield name, Door(number, backend)


@cases("version", [OLD, NEW])
@cases("case", CASES, ids=lambda case: case.path)
def test_response_has_a_media_type_of_its_version(
    case: Case, version: str, door: tuple[str, Door]
) -> None:
    name, behind = door
    # the proxy and strict layers send media types like others: some cases suffice
    if CASES.index(case) % {"proxy": 9, "strict": 4}.get(name, 1):
        return
    wanted = case.at(version)
    for accept in ("*/*", *wanted):
        response = behind.post(case.path, version, accept=accept)
        if not case.has_form(name, version):
            assert response.status_code == 501
            assert "can't be sent" in response.json()["detail"]
            assert behind.behind.calls == 0
            continue
        assert (response.status_code, behind.behind.calls) == (200, 1)
        sent = response.headers.get("content-type")
        if sent is None:
            assert response.content == b""
            assert response.headers.get("content-length") == "0"
            assert wanted == [] or case.at(NEW) == []
        else:
            assert sent in wanted
            assert response.content == _body(sent)


def test_caller_without_accept_header_gets_a_media_type_of_the_version() -> None:
    backend = Backend()
    app = made().module("server").versioned(backend, environment="production")

    async def post(path: str, *headers: tuple[bytes, bytes]) -> Any:
        named = [(b"x-api-version", OLD.encode()), *headers]
        return await exchange(app, request("POST", path, named))

    for headers in ((), ((b"if-match", b'"a"'),), ((b"accept", b"application/xml"),)):
        answer = asyncio.run(post("/json/json-xml", *headers))
        assert (answer.status, answer.header("content-type")) == (200, [JSON])


def test_application_gets_each_accepted_type_once() -> None:
    seen: list[bytes] = []

    async def application(scope: Any, _: Any, send: Any) -> None:
        seen.append(dict(scope["headers"])[b"accept"])
        await _send(send, 200, JSON, BODIES[JSON])

    app = made().module("server").versioned(application, environment="production")
    accept = b", ".join([b"*/*", b"application/*;q=0.5", b"text/plain"] * 3)
    named = [(b"x-api-version", OLD.encode()), (b"accept", accept)]
    asyncio.run(exchange(app, request("POST", "/json/json-xml", named)))
    assert seen == [b"application/json, application/json;q=0.5, text/plain"]


@cases("media_type", ["jso", "vnd"])
@cases("name", STATUSES)
def test_success_with_another_status_is_sent_if_it_means_the_same(
    name: str, media_type: str, door: tuple[str, Door]
) -> None:
    kind, behind = door
    response = behind.post(f"/statuses/{name}/{media_type}", OLD)
    assert "SECRET" not in response.text
    if kind == "generated" or name == "same":
        assert (response.status_code, response.json()) == (200, {"here": "a"})
        assert response.headers["content-type"] == JSON
    else:
        assert (response.status_code, behind.behind.calls) == (501, 0)
    newest = behind.post(f"/statuses/{name}/{media_type}", NEW)
    assert kind == "generated" or newest.status_code == 201
