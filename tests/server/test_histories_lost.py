"""Histories that no converter supports: every door refuses callers of older versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import httpx
import pytest
from support.exchanges import serving
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

Document = dict[str, Any]

OLD, NEW = DATES[:2]
JSON, XML = "application/json", "application/xml"

_OLDER: Final = {"type": "object", "properties": {"here": {"type": "string"}}}
_NEWER: Final = {
    "type": "object",
    "properties": {"here": {"type": "string"}, "later": {"type": "string"}},
}
SCHEMAS: Final = (_OLDER, _NEWER)


def _content(at: int, *names: str) -> Document:
    return {name: {"schema": SCHEMAS[at]} for name in names}


def _response(at: int, **more: Any) -> Document:
    return {"description": "done", "content": _content(at, JSON), **more}


def _operation(at: int, **more: Any) -> Document:
    return {"responses": {"200": _response(at)}, **more}


def _components(section: str, name: str, node: Any) -> tuple[Document, str]:
    return {section: {name: node}}, f"#/components/{section}/{name}"


def _body(at: int, before: list[str], after: list[str]) -> tuple[Document, Document]:
    names = (before, after)[at]
    parts, reference = _components(
        "requestBodies", f"Body{at}", {"content": _content(at, *names), "required": True}
    )
    return _operation(at, requestBody={"$ref": reference}), parts


def _answer(at: int, before: list[str], after: list[str]) -> tuple[Document, Document]:
    names = (before, after)[at]
    node = {"description": "done", **({"content": _content(at, *names)} if names else {})}
    parts, reference = _components("responses", f"Answer{at}", node)
    return {"responses": {"200": {"$ref": reference}}}, parts


def _header(at: int, **more: Any) -> tuple[Document, Document]:
    header = {"schema": {"type": "string"}, **(more if at == 0 else {})}
    parts, reference = _components("headers", f"Header{at}", header)
    return {"responses": {"200": _response(at, headers={"X-Count": {"$ref": reference}})}}, parts


def _parameter(at: int, before: str, after: str) -> tuple[Document, Document]:
    place = (before, after)[at]
    node = {"name": "p", "in": place, "schema": {"type": "string"}}
    parts, reference = _components("parameters", f"Parameter{at}", node)
    return _operation(at, parameters=[{"$ref": reference}]), parts


def _security(at: int, before: Document, after: Document) -> tuple[Document, Document]:
    parts, _ = _components("securitySchemes", "key", (before, after)[at])
    return _operation(at, security=[{"key": []}]), parts


def _key(place: str, name: str) -> Document:
    return {"type": "apiKey", "in": place, "name": name}


KINDS: Final = {
    "a response with a new media type": (_answer, [JSON], [JSON, XML]),
    "a response with another media type": (_answer, [JSON], [XML]),
    "a response that has a body now": (_answer, [], [JSON]),
    "a response without a media type": (_answer, [JSON, XML], [JSON]),
    "a body without a media type": (_body, [JSON, XML], [JSON]),
    "a body with another media type": (_body, [JSON], [XML]),
    "a body with a new media type": (_body, [JSON], [JSON, XML]),
    "a parameter that moves to a header": (_parameter, "query", "header"),
    "a parameter that moves to the query": (_parameter, "header", "query"),
    "a credential that moves": (_security, _key("query", "k"), _key("header", "k")),
    "a credential with another name": (_security, _key("header", "K"), _key("header", "L")),
}


class Case(NamedTuple):
    number: int
    name: str

    @property
    def path(self) -> str:
        return f"/case-{self.number}"


CASES: Final = [Case(*each) for each in enumerate(KINDS)]


def _document(at: int) -> Document:
    paths: Document = {}
    components: Document = {}
    for case in CASES:
        make, *arguments = KINDS[case.name]
        operation, parts = make(at, *arguments)  # type: ignore[operator]
        operation |= {"operationId": f"do_{case.number}", "tags": ["all"]}
        for section, named in parts.items():
            for name, node in named.items():
                own = f"{name}_{case.number}"
                components.setdefault(section, {})[own] = node
                operation = json.loads(json.dumps(operation).replace(f'{name}"', f'{own}"'))
        paths[case.path] = {"post": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
        "components": components,
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


class Backend:
    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.calls += 1
            headers = [(b"content-type", JSON.encode()), (b"x-count", b"1")]
            body = json.dumps({"here": "a", "later": "SECRET"}).encode()
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})


class Handlers:
    def __init__(self) -> None:
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        async def handle(_: Any, **__: Any) -> Any:
            self.calls += 1
            return {"here": "a", "later": "SECRET"}

        return handle if name.startswith("do_") else self


_CLIENT: Final = httpx.Client()


class Door(NamedTuple):
    name: str
    app: Any
    behind: Any

    def post(self, case: Case, version: str) -> httpx.Response:
        headers = {"X-API-Version": version, "content-type": JSON}
        body = b'{"here": "a", "later": "SECRET"}'
        if isinstance(self.app, int):
            url = f"http://127.0.0.1:{self.app}{case.path}"
            return _CLIENT.post(url, headers=headers, content=body)
        return ask(self.app, "POST", case.path, headers=headers, content=body)


@pytest.fixture(scope="module")
def doors() -> Iterator[list[Door]]:
    server: Any = made().module("server")
    handlers, backend = Handlers(), Backend()
    said: dict[str, Any] = {"environment": "production"}
    app = server.create_app(handlers, **said, authenticate=lambda *_: "someone")
    found = [Door("generated", app, handlers)]
    for strict in (False, True):
        app = server.versioned(backend, **said, strict=strict)
        found.append(Door("strict" if strict else "around", app, backend))
    with serving(backend, "h11") as port:
        forwarding: Any = made().module("server.forwarding")
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
        with serving(server.versioned(behind, **said), "h11", lifespan="on") as number:
            yield [*found, Door("proxy", number, backend)]


@cases("case", CASES, ids=lambda case: case.name)
def test_no_door_passes_values_without_a_way_to_the_older_version(
    case: Case, doors: list[Door]
) -> None:
    requests = json.loads(made().text("server/contracts.json"))["requests"]
    lost = "lost" in json.dumps(requests[f"do_{case.number}"])
    for door in doors:
        door.behind.calls = 0
        response = door.post(case, OLD)
        assert "SECRET" not in response.text, door.name
        if lost:
            assert (response.status_code, door.behind.calls) == (501, 0), door.name
            assert response.json()["detail"].startswith("its history "), door.name
        if door.name != "generated":
            if not lost and "there is no converter" not in response.text:
                assert (response.status_code, response.json()) == (200, {"here": "a"}), door.name
            newest = door.post(case, NEW)
            assert newest.status_code == 200 or "body has to be" in newest.text
