"""Documents written by FastAPI, springdoc, drf-spectacular and NSwag are adopted and served."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import httpx
import pytest
from support.commands import dateline

from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

FOLDER: Final = Path(__file__).parent / "frameworks"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.yaml"))

# Requests for each, and the answers.
CALLS: Final[dict[str, list[tuple[str, str, object, int]]]] = {
    "drf_spectacular": [
        ("GET", "/api/books/?limit=3&ids=1,2", None, 200),
        ("GET", "/api/books/7/", None, 200),
        ("GET", "/api/books/seven/", None, 400),
        ("GET", "/api/schema/?format=json", None, 200),
        ("DELETE", "/api/books/7/", None, 204),
        ("PATCH", "/api/books/7/", {"pages": None}, 200),
        ("PATCH", "/api/books/7/", {"pages": "many"}, 400),
    ],
    "fastapi": [
        ("GET", "/items/3?q=a&tags=b&tags=c", None, 200),
        ("GET", "/items/0", None, 422),
        ("GET", "/plain", None, 200),
        ("DELETE", "/gone", None, 204),
        ("POST", "/pets", {"pet_type": "cat", "lives": 3}, 201),
        ("POST", "/pets", {"pet_type": "cat", "lives": 10}, 422),
    ],
    "nswag": [
        ("GET", "/api/Orders?status=1&Filter.Name=a", None, 200),
        ("GET", "/api/Orders/2b4d2ff5-3c3e-4f0a-8a9c-9d8f27d1b1aa", None, 200),
        ("GET", "/api/Files/a", None, 200),
        ("POST", "/api/Orders", {"customer": None, "lines": [{"sku": "a", "count": 1}]}, 200),
        ("POST", "/api/Orders", {"lines": [{"count": 1}]}, 400),
    ],
    "springdoc": [
        ("GET", "/users?page=0&size=2&sort=a&sort=b&status=ACTIVE", None, 200),
        ("GET", "/users", None, 200),
        ("GET", "/users?size=0", None, 400),
        ("POST", "/users", {"name": "a", "email": "b"}, 201),
        ("POST", "/users", {"name": 1}, 400),
        ("DELETE", "/users/3", None, 200),
        ("GET", "/shapes", None, 200),
    ],
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_document_of_a_framework_is_adopted_generated_and_served(home: Path, name: str) -> None:
    adopted = dateline("adopt", f"2024-01-15={FOLDER / f'{name}.yaml'}")
    assert adopted.status == 0
    assert f"{name}.yaml: equal" in adopted.out
    generated = dateline("generate")
    assert (generated.status, "no server" in generated.err) == (0, False)
    assert dateline("check").status == 0
    api = load(home / "schemas")
    calls = CALLS[name]
    with open_server(Workspace(schemas=home / "schemas", output=home / "generated"), api) as server:

        async def statuses() -> list[int]:
            mock = Mock(api, server, api.table.environments[0].name, 0)
            transport = httpx.ASGITransport(app=mock.app)
            headers = {"Authorization": "Bearer any", "Cookie": "session=any; sessionid=any"}
            async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
                sent = [
                    await client.request(method, url, headers=headers, json=body)
                    for method, url, body, _ in calls
                ]
            return [answer.status_code for answer in sent]

        assert asyncio.run(statuses()) == [status for *_, status in calls]
