"""Parameters with other names or defaults in older versions reach handlers under one name."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from support.generated_server import Generated, ask
from support.sources import VERSIONS, loaded

OLD, MIDDLE, NEW = "2024-01-15", "2024-09-01", "2025-06-01"

API = """
openapi: 3.1.0
info: { title: Shop, version: canonical, description: d }
tags: [{ name: Things, description: d }]
security: [{ Key: [] }]
paths:
  /things:
    get:
      operationId: listThings
      tags: [Things]
      security: []
      parameters:
        - name: added
          in: query
          schema: { type: integer, default: 10, x-was: { 2024-09-01: { default: null } } }
        - name: changed
          in: query
          schema: { type: integer, default: 10, x-was: { 2024-09-01: { default: 20 } } }
        - name: renamed
          in: query
          x-was: { 2024-09-01: { name: called } }
          schema: { type: integer, default: 10, x-was: { 2024-09-01: { default: null } } }
        - name: nothing
          in: query
          x-was: { 2024-09-01: { name: naught } }
          schema: { type: string, default: a, x-was: { 2024-09-01: { set: { default: null } } } }
        - name: nullable
          in: query
          x-was: { 2024-09-01: { name: void } }
          schema:
            type: string
            default: a
            x-was: { 2024-09-01: { set: { default: null, type: [integer, 'null'] } } }
        - name: alone
          in: query
          schema: { allOf: [{ type: integer, default: 10 }] }
        - { name: new, in: query, x-added: 2024-09-01, schema: { type: integer, default: 10 } }
        - name: listed
          in: query
          x-added: 2024-09-01
          schema: { type: array, items: { type: integer }, default: [1] }
        - { name: X-API-Version, in: header, schema: { type: string } }
      responses: { '204': { description: done } }
    post:
      operationId: addThing
      tags: [Things]
      parameters:
        - name: X-For
          in: header
          x-was: { 2024-09-01: { name: X-Sub } }
          schema: { type: string, format: uuid }
        - { name: X-API-Version, in: header, schema: { type: string } }
      responses:
        '200': { description: done, content: { application/json: { schema: { type: string } } } }
components:
  securitySchemes: { Key: { type: apiKey, in: header, name: X-Key } }
"""


class Account:
    def __init__(self, identity: str) -> None:
        self.identity = identity


class Handlers:
    """Records its arguments."""

    def __init__(self) -> None:
        self.things = self
        self.calls: list[dict[str, Any]] = []

    async def list_things(self, _: Any, **arguments: Any) -> None:
        self.calls.append(arguments)

    async def add_thing(self, call: Any, *, x_for: UUID | None) -> str:
        self.calls.append({"x_for": x_for, "identity": call.account.identity})
        return str(len(self.calls))


class Converters:
    @staticmethod
    def newer_list_things_nullable(value: int | None) -> str:
        return "none" if value is None else str(value)


async def authenticate(credentials: Any) -> Account:
    return Account(f"of {credentials.parameter('x-for')}")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    root: Path = tmp_path_factory.mktemp("shop")
    versions = VERSIONS + "lint: adopted\n"
    return Generated(root, loaded(root, {"versions.yaml": versions, "api.yaml": API}))


def app(package: Generated, handlers: Handlers) -> Any:
    server = package.module("server")
    return server.create_app(
        handlers,
        environment="production",
        authenticate=authenticate,
        converters=Converters(),
        idempotency=server.MemoryStore(),
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            OLD,
            {
                "added": None,
                "changed": 20,
                "renamed": None,
                "nothing": None,
                "nullable": "none",
                "alone": 10,
                "new": 10,
                "listed": [1],
            },
        ),
        (
            NEW,
            {
                "added": 10,
                "changed": 10,
                "renamed": 10,
                "nothing": "a",
                "nullable": "a",
                "alone": 10,
                "new": 10,
                "listed": [1],
            },
        ),
    ],
)
def test_omitted_parameter_has_the_default_of_the_callers_version(
    package: Generated, version: str, expected: dict[str, Any]
) -> None:
    handlers = Handlers()
    response = ask(app(package, handlers), "GET", "/api/things", headers={"X-API-Version": version})
    assert (response.status_code, handlers.calls) == (204, [expected])


def test_handler_is_typed_for_the_defaults_of_all_versions(package: Generated) -> None:
    text = package.text("server/handlers.py")
    keywords = [line.strip() for line in text.splitlines() if line.startswith(" " * 8)]
    assert keywords[3:11] == [
        "added: int | None = None,",
        "changed: int = 10,",
        "renamed: int | None = None,",
        'nothing: str | None = "a",',
        'nullable: str | None = "a",',
        "alone: int = 10,",
        "new: int = 10,",
        "listed: list[int] | None = None,",
    ]


@pytest.mark.parametrize(("version", "name"), [(OLD, "X-Sub"), (MIDDLE, "X-For"), (NEW, "x-for")])
def test_authenticate_reads_headers_by_their_canonical_names(
    package: Generated, version: str, name: str
) -> None:
    handlers = Handlers()
    served = app(package, handlers)
    [one, two] = [str(uuid4()), str(uuid4())]
    answers = [
        ask(
            served,
            "POST",
            "/api/things",
            headers={"X-API-Version": version, "X-Key": "k", "Idempotency-Key": "a", name: each},
        ).json()
        for each in (one, two, one)
    ]
    assert answers == ["1", "2", "1"]
    assert handlers.calls == [
        {"x_for": UUID(each), "identity": f"of {each}"} for each in (one, two)
    ]


@pytest.mark.parametrize(("version", "name"), [(OLD, "X-For"), (MIDDLE, "X-Sub"), (NEW, "X-Sub")])
def test_headers_of_other_versions_are_ignored(package: Generated, version: str, name: str) -> None:
    handlers = Handlers()
    headers = {"X-API-Version": version, "X-Key": "k", name: str(uuid4())}
    assert ask(app(package, handlers), "POST", "/api/things", headers=headers).status_code == 200
    assert handlers.calls == [{"x_for": None, "identity": "of None"}]
