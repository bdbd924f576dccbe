"""Requests with a JSON media type that the newest version replaces by another one."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from typing import Any, Final, NamedTuple

from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

OLD, NEW = DATES[:2]
MEDIA_TYPES: Final = ("application/json", "application/vnd.x+json", "application/vnd.y+json")

_TEXT: Final = {"type": "string"}
_HERE: Final = {"type": "object", "properties": {"here": _TEXT}, "required": ["here"]}
_LATER: Final = {**_HERE, "properties": {"here": _TEXT, "later": _TEXT}}
_REFERENCE: Final = {"$ref": "#/components/schemas/Thing"}
_OTHER: Final = {"$ref": "#/components/schemas/Other"}

SCHEMAS: Final = {
    "equal": (_HERE, _HERE),
    "component": (_REFERENCE, _REFERENCE),
    "other": (_HERE, _LATER),
    "other component": (_OTHER, _OTHER),
}
"""The schemas at each version; the component `Other` has another field at the newest"""


class Case(NamedTuple):
    before: str
    after: str
    schemas: str

    @property
    def path(self) -> str:
        return f"/things/{CASES.index(self)}"

    @property
    def is_served(self) -> bool:
        """Whether older requests equal those of the newest version except for the media type."""
        return self.before == self.after or self.schemas in ("equal", "component")


CASES: Final = [Case(*each) for each in product(MEDIA_TYPES, MEDIA_TYPES, SCHEMAS)]


def _document(at: int) -> dict[str, Any]:
    paths = {}
    for number, case in enumerate(CASES):
        media_type = (case.before, case.after)[at]
        content = {media_type: {"schema": SCHEMAS[case.schemas][at]}}
        paths[case.path] = {
            "post": {
                "operationId": f"do_{number}",
                "tags": ["all"],
                "requestBody": {"required": True, "content": content},
                "responses": {"204": {"description": "done"}},
            }
        }
    components = {"Thing": _HERE, "Other": (_HERE, _LATER)[at]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
        "components": {"schemas": components},
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


class Handlers:
    """Handlers of everything, which record the field."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("do_"):
            return self

        async def handle(_: Any, *, body: Any) -> None:
            self.found.append(body.here)

        return handle


class Backend:
    """An application of the newest version, which reads only its media type."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        [media_type] = [
            value.decode() for name, value in scope["headers"] if name == b"content-type"
        ]
        is_known = media_type == CASES[int(scope["path"].rpartition("/")[2])].after
        if is_known:
            self.found.append(json.loads(body)["here"])
        await send(
            {"type": "http.response.start", "status": 204 if is_known else 415, "headers": []}
        )
        await send({"type": "http.response.body", "body": b""})


@cache
def build(door: str) -> tuple[Any, Handlers | Backend]:
    """Return an application and what is behind it."""
    server: Any = made().module("server")
    if door == "generated":
        handlers = Handlers()
        return server.create_app(handlers, environment="production"), handlers
    backend = Backend()
    app = server.versioned(backend, environment="production", strict=door == "strict")
    return app, backend


@cases("door", ["generated", "around", "strict"])
@cases("case", CASES, ids="-".join)
def test_request_gets_the_media_type_of_the_newest_version(case: Case, door: str) -> None:
    app, behind = build(door)
    behind.found.clear()

    def post(version: str, media_type: str, body: bytes) -> int:
        headers = {"X-API-Version": version, "Content-Type": media_type}
        status: int = ask(app, "POST", case.path, headers=headers, content=body).status_code
        return status

    sent = b'{"here": "a"}'
    # handlers read every media type that any version has
    is_served = case.is_served or door == "generated"
    assert post(OLD, case.before, sent) == (204 if is_served else 415)
    assert behind.found == (["a"] if is_served else [])
    assert post(NEW, case.after, sent) == 204
    if case.before != case.after:
        before = [*behind.found]
        assert post(OLD, case.after, sent) == 415
        assert post(OLD, case.before, b'{"here": 1}') in (400, 415, 422)
        assert behind.found == before
