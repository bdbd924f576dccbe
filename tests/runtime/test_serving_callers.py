"""Credentials, accounts, and what caches may store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from support.assembled import app, contracts, fields, memory_store, operation, serving
from support.exchanges import ask, request
from support.sources import API
from support.tables import cases
from support.things import MIDDLE, OLD, SECURED, Handlers, Refused

from dateline_runtime.asgi import App

SCHEMES = {
    "Key": {"place": "header", "name": "X-Key"},
    "Query": {"place": "query", "name": "key"},
    "Cookie": {"place": "cookie", "name": "key"},
    "Bearer": {"place": "header", "name": "Authorization", "prefix": "Bearer "},
}


class Gate:
    """Knows callers with a secret that starts with `ok`; records the credentials."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    async def authenticate(self, credentials: Any) -> Any:
        self.shown.append(dict(credentials.values))
        known = all(secret.startswith("ok") for secret in credentials.values.values())
        return Refused(reason="known") if known else None


def ask_secured(
    *security: tuple[str, ...], query: str = "", **headers: str
) -> tuple[int, Any, list[dict[str, str]]]:
    """Return the status, the handler's account and the credentials for `authenticate`."""
    handlers, gate = Handlers(), Gate()
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", security=security, responses={"204": None})],
        handlers,
        schemes={name: serving().Scheme(**said) for name, said in SCHEMES.items()},
        authenticate=gate.authenticate,
    )
    response = ask(served, request("GET", f"/api/things?{query}", fields(**headers)))
    account = handlers.calls[0]["call"].account if handlers.calls else "not called"
    return response.status, account, gate.shown


KNOWN = Refused(reason="known")


@cases(
    ("security", "sent", "expected"),
    [
        ([], {"x_key": "ok"}, (204, None, [])),
        ([("Key",)], {"x_key": "ok"}, (204, KNOWN, [{"Key": "ok"}])),
        ([("Key",)], {"x_key": "no"}, (401, "not called", [{"Key": "no"}])),
        ([("Key",)], {}, (401, "not called", [])),
        ([("Key",)], {"query": "key=ok"}, (401, "not called", [])),
        ([("Query",)], {"query": "key=ok"}, (204, KNOWN, [{"Query": "ok"}])),
        ([("Query",)], {"query": "key=ok&key=ok"}, (401, "not called", [])),
        ([("Query",)], {"query": "key=%ff"}, (400, "not called", [])),
        ([("Cookie",)], {"cookie": "a=1; key=ok"}, (204, KNOWN, [{"Cookie": "ok"}])),
        ([("Cookie",)], {"cookie": "key=ok; key=ok"}, (401, "not called", [])),
        ([("Bearer",)], {"authorization": "bearer ok"}, (204, KNOWN, [{"Bearer": "ok"}])),
        ([("Bearer",)], {"authorization": "Basic ok"}, (401, "not called", [])),
        ([("Bearer",)], {"authorization": "Bearer"}, (401, "not called", [])),
        ([("Key", "Query")], {"x_key": "ok"}, (401, "not called", [])),
        (
            [("Key", "Query")],
            {"x_key": "ok", "query": "key=ok"},
            (204, KNOWN, [{"Key": "ok", "Query": "ok"}]),
        ),
        ([("Key",), ("Query",)], {"query": "key=ok"}, (204, KNOWN, [{"Query": "ok"}])),
        ([("Key",), ()], {}, (204, None, [])),
        ([("Key",), ()], {"x_key": "ok"}, (204, KNOWN, [{"Key": "ok"}])),
    ],
)
def test_secrets_are_read_where_the_definitions_declare_them(
    security: list[tuple[str, ...]], sent: dict[str, str], expected: Any
) -> None:
    assert ask_secured(*security, **sent) == expected


@dataclass(frozen=True)
class Known:
    identity: str


async def known(credentials: Any) -> Known:
    return Known(credentials.values["Key"])


def lately(handlers: Handlers, **said: Any) -> App:
    """Return an application whose one operation is new in `MIDDLE`."""
    post = SECURED.replace("get:", "post:\n      x-added: 2024-09-01")
    security, done = [("Key",)], {"204": None}
    return app(
        contracts(API + post),
        [operation("list_things", "POST", "/things", security=security, responses=done)],
        handlers,
        schemes={"Key": serving().Scheme(**SCHEMES["Key"])},
        authenticate=known,
        **said,
    )


def test_operation_that_does_not_exist_yet_uses_up_no_idempotency_key() -> None:
    served = lately(Handlers(), idempotency=memory_store())

    def status(version: str) -> int:
        headers = fields(x_key="ok", idempotency_key="k", x_api_version=version)
        return ask(served, request("POST", "/api/things", headers)).status

    assert [status(version) for version in (OLD, MIDDLE, MIDDLE, OLD)] == [404, 204, 204, 404]


@pytest.mark.parametrize(
    ("method", "security"), [("POST", []), ("POST", [()]), ("GET", [("Key",)])]
)
def test_store_that_no_operation_would_use_is_refused(method: str, security: Any) -> None:
    document = contracts(API + SECURED.replace("get:", f"{method.lower()}:"))
    things = operation("list_things", method, "/things", security=security, responses={"204": None})
    with pytest.raises(ValueError, match="no POST of this environment requires authentication"):
        app(document, [things], Handlers(), idempotency=memory_store())


def test_account_is_the_authenticated_one_whatever_else_the_state_contains() -> None:
    handlers = Handlers()
    scope = request("POST", "/api/things", fields(x_key="ok", x_api_version=MIDDLE))
    ask(lately(handlers), {**scope, "state": {"account": Known("another")}})
    assert [call["call"].account for call in handlers.calls] == [Known("ok")]


@pytest.mark.parametrize(
    ("place", "name", "sent"),
    [
        ("header", "X-Key", {"x_key": "ok"}),
        ("header", "Authorization", {"authorization": "ok"}),
        ("cookie", "key", {"cookie": "key=ok"}),
    ],
)
def test_answers_to_known_callers_are_not_cacheable(
    place: str, name: str, sent: dict[str, str]
) -> None:
    schemes = {
        "First": {"place": "header", "name": "X-First"},
        "Key": {"place": place, "name": name},
    }
    served = app(
        contracts(API + SECURED),
        [operation("list_things", "GET", "/things", security=[("Key",)], responses={"204": None})],
        Handlers(),
        schemes={each: serving().Scheme(**said) for each, said in schemes.items()},
        authenticate=known,
    )
    response = ask(served, request("GET", "/api/things", fields(**sent)))
    assert (response.status, response.header("cache-control")) == (204, ["private, no-store"])
