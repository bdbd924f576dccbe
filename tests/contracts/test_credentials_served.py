"""Credentials whose security scheme changed, in requests of callers of each version."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any, Final

from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

Json = dict[str, Any]

OLD, NEW = DATES[:2]
KEY: Final[Json] = {"type": "apiKey", "in": "header", "name": "Authorization"}
BEARER: Final[Json] = {"type": "http", "scheme": "bearer"}
OAUTH: Final[Json] = {
    "type": "oauth2",
    "flows": {"clientCredentials": {"tokenUrl": "https://a.example", "scopes": {}}},
}
BASIC: Final[Json] = {"type": "http", "scheme": "basic"}

SENT: Final = ("Bearer abc", "abc", "Basic abc")
WHOLE: Final = SENT
TOKEN: Final = ("abc", 401, 401)

# The scheme of each version, and the secret that `authenticate` gets for each of the headers sent.
ROWS: Final[dict[str, tuple[Json, Json, tuple[Any, ...], tuple[Any, ...]]]] = {
    "a key that is a bearer token": (KEY, BEARER, ("abc", "abc", "Basic abc"), TOKEN),
    "a key that is a token of OAuth": (KEY, OAUTH, ("abc", "abc", "Basic abc"), TOKEN),
    "a key in another case": (
        {**KEY, "name": "authorization"},
        BEARER,
        ("abc", "abc", "Basic abc"),
        TOKEN,
    ),
    "a bearer token that is a key": (BEARER, KEY, WHOLE, WHOLE),
    "a password that is a key": (BASIC, KEY, WHOLE, WHOLE),
    "tokens": (BEARER, OAUTH, TOKEN, TOKEN),
    "a password that is a token": (BASIC, BEARER, (501, 501, 501), TOKEN),
    "a key that is a password": (KEY, BASIC, (501, 501, 501), (401, 401, "abc")),
    "a key elsewhere": ({**KEY, "name": "X-Key"}, BEARER, (501, 501, 501), TOKEN),
}


@cache
def generate() -> Generated:
    return generate_adopted(*map(document, (0, 1)))


def document(at: int) -> Json:
    rows = [*enumerate(ROWS.values())]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {f"/{number}": {"get": operation(number)} for number, _ in rows},
        "components": {"securitySchemes": {f"S{number}": row[at] for number, row in rows}},
    }


def operation(number: int) -> Json:
    return {
        "operationId": f"get{number}",
        "tags": ["Things"],
        "security": [{f"S{number}": []}],
        "responses": {"204": {"description": "done"}},
    }


class Things:
    """Handlers that do nothing."""

    def __getattr__(self, _: str) -> Any:
        return lambda *_: None


@cases("name", ROWS)
def test_secret_is_read_as_the_version_of_the_caller_sends_it(name: str) -> None:
    found: list[Any] = []

    async def authenticate(credentials: Any) -> Any:
        found.extend(credentials.values.values())
        return SimpleNamespace(identity="a")

    server = generate().module("server")
    handlers = server.Handlers(things=Things())
    app = server.create_app(handlers, environment="production", authenticate=authenticate)
    *_, older, newer = ROWS[name]
    for version, expected in ((OLD, older), (NEW, newer)):
        for sent, secret in zip(SENT, expected, strict=True):
            found.clear()
            headers = {"X-API-Version": version, "Authorization": sent}
            status = ask(app, "GET", f"/{[*ROWS].index(name)}", headers=headers).status_code
            assert (found or [status]) == [secret], (version, sent, status)
            assert status == (204 if found else secret)
