"""Keys of responses that are no statuses, as in published documents, at every door."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

OLD, NEW = DATES[:2]

# Ranges in lower case have the meaning of those in the specification; other keys have none.
RANGES: Final = ("2XX", "2xx")
MEANINGLESS: Final = ("2Xx", "OK", "200 OK", "20", "2000", "20X", "Default", "0", "2", "é")
ERRORS: Final = ("4XX", "4xx")


def body(**properties: str) -> dict[str, Any]:
    fields = {name: {"type": kind} for name, kind in properties.items()}
    schema = {"type": "object", "required": [*properties], "properties": fields}
    return {"description": "x", "content": {"application/json": {"schema": schema}}}


def document(*names: str) -> dict[str, Any]:
    found = body(**dict.fromkeys(names, "integer"))
    error = body(message="string")
    cases = {
        **{f"/range/{at}": {key: found} for at, key in enumerate(RANGES)},
        **{f"/alone/{at}": {key: found} for at, key in enumerate(MEANINGLESS)},
        **{f"/beside/{at}": {key: found, "200": found} for at, key in enumerate(MEANINGLESS)},
        **{f"/error/{at}": {"200": found, key: error} for at, key in enumerate(ERRORS)},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Statuses", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {
            path: {"get": {"operationId": path.replace("/", "_"), "responses": responses}}
            for path, responses in cases.items()
        },
    }


@cache
def made() -> Generated:
    return generate_adopted(document("old"), document("old", "later"))


class Handlers:
    """Answers every operation with one value, or with a refusal of *status*."""

    def __init__(self, server: Any, status: int | None) -> None:
        self._refusal = None if status is None else server.Refusal(status, "no")

    def __getattr__(self, _: str) -> Any:
        async def answer(_: Any) -> Any:
            if self._refusal is not None:
                raise self._refusal
            return {"old": 1, "later": 2}

        return answer


async def application(scope: Any, _: Any, send: Any) -> None:
    if scope["type"] == "http":
        head = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 202, "headers": head})
        await send({"type": "http.response.body", "body": b'{"old":1,"later":2}'})


def serve(door: str, status: int | None = None) -> Any:
    server: Any = made().module("server")
    if door == "around":
        return server.versioned(application, environment="production")
    handlers = SimpleNamespace(default=Handlers(server, status))
    return server.create_app(handlers, environment="production")


@pytest.mark.parametrize("door", ["server", "around"])
@pytest.mark.parametrize("at", range(len(RANGES)))
def test_range_in_lower_case_is_a_range(at: int, door: str) -> None:
    for version, expected in ((OLD, {"old": 1}), (NEW, {"old": 1, "later": 2})):
        found = ask(serve(door), "GET", f"/range/{at}", headers={"X-API-Version": version})
        assert (found.status_code, found.json()) == (202 if door == "around" else 200, expected)


@cases("at", range(len(MEANINGLESS)))
def test_other_invalid_key_has_no_meaning(at: int) -> None:
    headers = {"X-API-Version": OLD}
    found = ask(serve("server"), "GET", f"/beside/{at}", headers=headers)
    assert (found.status_code, found.json()) == (200, {"old": 1})
    assert ask(serve("server"), "GET", f"/alone/{at}", headers=headers).status_code == 204


@pytest.mark.parametrize("at", range(len(ERRORS)))
def test_error_has_the_schema_of_its_range(at: int) -> None:
    headers = {"X-API-Version": OLD}
    found = ask(serve("server", 409), "GET", f"/error/{at}", headers=headers)
    assert (found.status_code, found.json()) == (409, {"message": "no"})
