"""Requests for paths that match several operations reach the one of the caller's version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from support.generated_server import Generated, ask
from support.mocks import serving
from support.tables import cases

from dateline.cli import main
from dateline.load import load

OLD, NEW = "2024-01-15", "2025-06-01"

# The operations of each version by path and method.
PATHS = {
    OLD: {
        "/rates/{currency}": {"get": "getCurrency"},
        "/books/{title}": {"get": "getBook", "put": "putBook"},
        "/health": {"get": "getHealth"},
    },
    NEW: {
        "/rates/{rate_id}": {"get": "getRate"},
        "/books/{title}": {"get": "getBook"},
        "/books/newest": {"get": "getNewest"},
        "/health": {"get": "getHealth"},
    },
}

# Requests, and the answers of the versions: the operation, or a status.
ASKED: list[tuple[str, str, str | int, str | int]] = [
    ("GET", "/rates/EUR", "getCurrency", "getRate"),
    ("GET", "/books/Emma", "getBook", "getBook"),
    # a different title in the older version
    ("GET", "/books/newest", "getBook", "getNewest"),
    ("PUT", "/books/Emma", "putBook", 405),
    ("POST", "/books/Emma", 405, 405),
    ("GET", "/health", "getHealth", "getHealth"),
    ("GET", "/nothing", 404, 404),
]


def document(version: str) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Rates", "version": version},
        "paths": {
            path: {
                "parameters": [
                    {
                        "name": part[1:-1],
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    }
                    for part in path.split("/")
                    if part[:1] == "{"
                ],
                **{method: operation(name) for method, name in methods.items()},
            }
            for path, methods in PATHS[version].items()
        },
    }


def operation(name: str) -> dict[str, Any]:
    schema = {"type": "object", "required": ["of"], "properties": {"of": {"const": name}}}
    content = {"application/json": {"schema": schema}}
    return {"operationId": name, "responses": {"200": {"description": "it", "content": content}}}


def outcome(answer: httpx.Response) -> Any:
    return answer.json()["of"] if answer.status_code == 200 else answer.status_code


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("routes")
    arguments = ["adopt", "--into", str(root / "schemas"), "--package", "rates"]
    for version in PATHS:
        (root / f"{version}.json").write_text(json.dumps(document(version)))
        arguments.append(f"{version}={root / f'{version}.json'}")
    ran = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return root


def test_each_version_reaches_its_own_operations(project: Path) -> None:
    with serving(project) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        found = [
            tuple(
                outcome(httpx.request(method, address + path, headers={"X-API-Version": version}))
                for version in (OLD, NEW)
            )
            for method, path, *_ in ASKED
        ]
        allowed = httpx.put(f"{address}/books/Emma", headers={"X-API-Version": NEW})
    assert found == [tuple(expected) for _, _, *expected in ASKED]
    assert allowed.headers["allow"] == "GET, HEAD"


@pytest.fixture(scope="module")
def app(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    made = Generated(tmp_path_factory.mktemp("generated"), load(project / "schemas"))
    return made.module("server").versioned(newest, environment="production")


async def newest(scope: Any, _: Any, send: Any) -> None:
    """Answer as a server of the newest version, with the operation at the path."""
    path = scope["path"]
    named = "getNewest" if path == "/books/newest" else "getBook"
    found = {"rates": "getRate", "books": named, "health": "getHealth"}[path.split("/")[1]]
    headers = [(b"content-type", b"application/json")]
    status = 200 if scope["method"] == "GET" else 405
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"of": found}).encode()})


@cases(
    ("method", "path", "older", "newer"),
    [
        ("GET", "/books/Emma", "getBook", "getBook"),
        ("GET", "/health", "getHealth", "getHealth"),
        # the newest version has another operation there, with answers that the older one doesn't
        # know
        ("GET", "/rates/EUR", 404, "getRate"),
        ("GET", "/books/newest", 404, "getNewest"),
        # the newest version has no operation with that method
        ("PUT", "/books/Emma", 405, 405),
    ],
)
def test_application_is_not_asked_for_another_operation_than_the_caller_means(
    app: Any, method: str, path: str, older: str | int, newer: str | int
) -> None:
    found = [
        outcome(ask(app, method, path, headers={"X-API-Version": version}))
        for version in (OLD, NEW)
    ]
    assert found == [older, newer]
