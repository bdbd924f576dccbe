"""Wrap an existing application: requests are lifted, and answers narrowed."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from support.exchanges import exchange, request, run
from support.generated_server import Generated, ask, generate_payments

SCHEMAS = Path(__file__).parents[2] / "schemas"
ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def paynet() -> Generated:
    return generate_payments()


@pytest.fixture(scope="module")
def app(paynet: Generated) -> Any:
    backend = FastAPI()

    @backend.get("/api/autoramps/{id}")
    def get(id: str) -> Any:
        return {"id": id, "deposit_rails": [{"type": "FedNow"}, {"type": "Iban"}]}

    @backend.get("/api/together")
    async def wait() -> str:
        await asyncio.sleep(0)
        return "well"

    @backend.get("/api/health")
    def health() -> str:
        return "well"

    return paynet.module("server").versioned(backend, environment="production")


@pytest.mark.parametrize(
    ("version", "rails"),
    [("2025-03-13", ["Iban"]), ("2026-07-01", ["FedNow", "Iban"])],
)
def test_answer_is_in_the_form_of_the_callers_version(
    app: Any, version: str, rails: list[str]
) -> None:
    response = ask(app, "GET", f"/api/autoramps/{ID}", headers={"X-API-Version": version})
    assert response.json() == {"id": ID, "deposit_rails": [{"type": rail} for rail in rails]}
    assert response.headers["x-api-version"] == version
    assert response.headers["vary"] == "X-API-Version"
    assert response.headers["content-length"] == str(len(response.content))


def test_unknown_version_is_rejected(app: Any) -> None:
    response = ask(app, "GET", f"/api/autoramps/{ID}", headers={"X-API-Version": "2020-01-01"})
    assert response.status_code == 400
    assert response.json()["error"] == "unsupported_api_version"


def test_paths_without_an_operation_pass_unchanged(app: Any) -> None:
    response = ask(app, "GET", "/api/health", headers={"X-API-Version": "2020-01-01"})
    assert response.json() == "well"
    assert "x-api-version" not in response.headers


def test_paths_without_an_operation_are_logged_once(
    app: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask_at_once() -> None:
        scopes = [request("GET", "/api/together") for _ in range(3)]
        # before it calls an operation of another site, a browser asks for its methods
        scopes.append(request("OPTIONS", "/api/together"))
        await asyncio.gather(*(exchange(app, each) for each in scopes))

    with caplog.at_level(logging.INFO):
        run(ask_at_once())
    assert caplog.text.count("is not a versioned operation") == 1


def test_no_web_framework_is_needed(paynet: Generated) -> None:
    script = f"""
import sys
from {paynet.name}.server import versioned
print(sorted({{"fastapi", "starlette"}} & sys.modules.keys()))
"""
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=paynet.folder, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("[]\n", "")
