"""Fields of one direction in unions whose members only their schemas distinguish."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from support.generated_server import Generated, ask, keep_folder
from support.random_chains import DATES
from support.sources import folder
from support.tables import cases

from dateline.load import load

OLD, NEW = DATES[:2]

TABLE = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{date: {OLD}, title: The first., adopted: true}}
  - {{date: {NEW}, title: The second., adopted: true}}
environments:
  production: {{servers: [{{url: https://api.example.com}}]}}
policy: dated-contract
"""

_LOGIN: Final = {"$ref": "#/components/schemas/Login"}
_SECRET: Final = {"type": "string", "minLength": 3, "writeOnly": True}

POSITIONS: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "here": (_LOGIN, lambda login: login),
    "list": ({"type": "array", "items": _LOGIN}, lambda login: [login]),
    "map": (
        {"type": "object", "additionalProperties": {"type": "array", "items": _LOGIN}},
        lambda login: {"a": [login]},
    ),
    "part": ({"allOf": [{"properties": {"a": _LOGIN}}]}, lambda login: {"a": login}),
    "below": (_LOGIN, lambda login: {"id": "x", "secret": "xyz", "more": [login]}),
}
"""The schema of a field of the body, and a value for it with a login inside."""

LOGINS: Final[list[tuple[Any, Any]]] = [
    ({"id": "x", "secret": "xyz"}, {"name": "x", "secret": "xyz"}),
    ({"id": "x", "token": 1}, {"id": "x", "token": 1}),
    ({"id": "x", "secret": "x"}, None),
    ({"id": "x", "secret": 1}, None),
    ({"id": "x", "token": "x"}, None),
    ({"id": "x"}, None),
    ({"secret": "xyz"}, None),
]
"""What older callers send, and what is behind the doors gets; None for a refused request."""


def _document() -> dict[str, Any]:
    text = {"type": "string"}
    members = {
        "Password": {
            "type": "object",
            "required": ["name", "secret"],
            "properties": {
                "name": {**text, "x-was": {NEW: {"name": "id"}}},
                "secret": _SECRET,
                "since": {"type": "integer", "readOnly": True},
                "more": {"type": "array", "items": _LOGIN},
            },
        },
        "Token": {
            "type": "object",
            "required": ["id", "token"],
            "properties": {"id": text, "token": {"type": "integer", "writeOnly": True}},
        },
        "Login": {"anyOf": [{"$ref": f"#/components/schemas/{m}"} for m in ("Password", "Token")]},
        "Body": {
            "type": "object",
            "properties": {name: schema for name, (schema, _) in POSITIONS.items()},
        },
    }
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}
    operation = {
        "operationId": "do",
        "tags": ["all"],
        "summary": "Do it",
        "requestBody": {"required": True, "content": content},
        "responses": {"204": {"description": "done"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Logins", "version": "canonical"},
        "tags": [{"name": "all"}],
        "paths": {"/do": {"post": operation}},
        "components": {"schemas": members},
    }


@cache
def made() -> Generated:
    files = {"api.yaml": json.dumps(_document()), "versions.yaml": TABLE}
    api = load(folder(keep_folder(), files), tolerated=("undiscriminated-union",))
    return Generated(keep_folder(), api)


class Backend:
    """An application, and handlers, which record what they get."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    async def __call__(self, _: Any, receive: Any, send: Any) -> None:
        self.found.append(json.loads((await receive())["body"]))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    @property
    def all(self) -> Any:
        return self

    async def do(self, _: Any, *, body: Any) -> None:
        self.found.append(body.model_dump(mode="json", by_alias=True, exclude_unset=True))


@cache
def build(door: str) -> tuple[Any, Backend]:
    server: Any = made().module("server")
    backend = Backend()
    if door == "generated":
        return server.create_app(backend, environment="production"), backend
    return server.versioned(backend, environment="production", strict=door == "strict"), backend


@cases("door", ["generated", "around", "strict"])
@cases("position", POSITIONS)
@cases(("sent", "found"), LOGINS)
def test_fields_of_requests_alone_decide_between_members(
    position: str, sent: Any, found: Any, door: str
) -> None:
    app, backend = build(door)
    backend.found.clear()
    _, place = POSITIONS[position]
    headers = {"X-API-Version": OLD, "Content-Type": "application/json"}
    body = json.dumps({position: place(sent)}).encode()
    response = ask(app, "POST", "/do", headers=headers, content=body)
    if found is None:
        assert (response.status_code, backend.found) == (400, [])
    else:
        after = json.dumps(place(found)).replace('"id": "x", "secret"', '"name": "x", "secret"')
        assert (response.status_code, backend.found) == (204, [{position: json.loads(after)}])
