"""The status for unreadable requests is the one that the operation declares."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.generated_server import Generated, ask
from support.sources import folder
from support.tables import cases

from dateline.load import load

TABLE = """\
header: X-API-Version
default: 2025-01-01
versions:
  - {date: 2025-01-01, title: The first.}
  - {date: 2026-01-01, title: The second.}
environments:
  production: {servers: [{url: https://api.example}]}
policy: dated-contract
"""

# the responses of an operation, and the status for unreadable requests
DECLARED = {
    "none": ([], 400),
    "bad": (["400"], 400),
    "unprocessable": (["422"], 422),
    "both": (["400", "422"], 400),
    "any": (["4XX", "422"], 400),
    "default": (["default", "422"], 400),
    "others": (["401", "409"], 400),
}
FAULTS: dict[str, dict[str, Any]] = {
    "a parameter": {"params": {"count": "x"}},
    "no JSON": {"content": b"{"},
    "a member twice": {"content": b'{"name": "a", "name": "b"}'},
    "a field of another type": {"content": b'{"name": 1}'},
    "an idempotency key": {"headers": {"idempotency-key": "a b"}},
}
GOOD: dict[str, Any] = {"content": b'{"name": "a"}', "params": {"count": "1"}}


def describe(name: str, statuses: list[str]) -> str:
    error = "{description: refused, content: {application/json: {schema: {type: string}}}}"
    responses = ", ".join(["'204': {description: done}", *(f"'{s}': {error}" for s in statuses)])
    return f"""\
  /{name}:
    post:
      operationId: {name}
      tags: [things]
      summary: Do it
      parameters: [{{name: count, in: query, schema: {{type: integer}}}}]
      requestBody:
        required: true
        content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}
      responses: {{{responses}}}
"""


API = f"""\
openapi: 3.1.0
info: {{title: Things, version: canonical}}
tags: [{{name: things}}]
security: [{{Key: []}}]
paths:
{"".join(describe(name, statuses) for name, (statuses, _) in DECLARED.items())}
components:
  securitySchemes: {{Key: {{type: apiKey, in: header, name: X-Key}}}}
  schemas:
    Thing:
      type: object
      properties:
        name: {{type: string, x-was: {{2026-01-01: {{name: label}}}}}}
"""


class Done:
    """Handlers that return nothing."""

    def __getattr__(self, name: str) -> Any:
        async def handle(*_: Any, **__: Any) -> None: ...

        return handle


async def answer(_: Any, __: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def authenticate(_: Any) -> Any:
    return SimpleNamespace(identity="somebody")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("things")
    sources = folder(root / "schemas", {"api.yaml": API, "versions.yaml": TABLE})
    return Generated(Path(root), load(sources)).module("server")


@pytest.fixture(scope="module")
def doors(server: Any) -> dict[str, Any]:
    handlers = server.Handlers(things=Done())
    return {
        "server": server.create_app(
            handlers,
            environment="production",
            authenticate=authenticate,
            idempotency=server.MemoryStore(),
        ),
        "around": server.versioned(answer, environment="production", strict=True),
    }


def send(app: Any, name: str, said: dict[str, Any]) -> Any:
    known = {"x-key": "key", "content-type": "application/json", "x-api-version": "2026-01-01"}
    request = {**GOOD, **said}
    headers = {**known, **request.pop("headers", {})}
    return ask(app, "POST", f"/{name}", headers=headers, **request)


@pytest.mark.parametrize("door", ["server", "around"])
@pytest.mark.parametrize("name", DECLARED)
def test_unreadable_request_gets_the_declared_status(
    doors: dict[str, Any], door: str, name: str
) -> None:
    faults = {
        fault: said for fault, said in FAULTS.items() if door == "server" or "headers" not in said
    }
    found = {fault: send(doors[door], name, said) for fault, said in faults.items()}
    assert {each.status_code for each in found.values()} == {DECLARED[name][1]}
    assert all(isinstance(each.json(), str | dict) for each in found.values())
    assert send(doors[door], name, {}).status_code == 204


@cases("door", ["server", "around"])
@cases("name", DECLARED)
@cases(
    ("said", "status"),
    [
        ({"headers": {"x-api-version": "2026-1-1"}}, 400),
        ({"headers": {"x-api-version": "2026-01-02"}}, 400),
        ({"headers": {"content-type": "text/plain"}}, 415),
    ],
    ids=["a malformed version", "an unknown version", "another media type"],
)
def test_other_faults_keep_their_status(
    doors: dict[str, Any], door: str, name: str, said: dict[str, Any], status: int
) -> None:
    assert send(doors[door], name, said).status_code == status


def test_refusal_is_not_stored_for_retries(doors: dict[str, Any]) -> None:
    key = {"headers": {"idempotency-key": "key"}}
    wrong = {**key, "content": json.dumps({"name": 1}).encode()}
    statuses = [send(doors["server"], "unprocessable", each).status_code for each in (wrong, key)]
    assert statuses == [422, 204]
