"""The site beside the mock: its pages at `/site/`, and nothing of the API hidden by them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sources import LIBRARY, folder, loaded

from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.package import package
from dateline.serve.reference import find_site, is_free, serve_site


async def say_api(_scope: Any, _receive: Any, send: Any) -> None:
    """Answer every request as the API beside the site."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"api"})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("library")
    table = LIBRARY["versions.yaml"] + "site: true\n"
    schemas = folder(root, {**LIBRARY, "versions.yaml": table})
    workspace = Workspace(schemas=schemas, output=root / "generated")
    with package(workspace, load(schemas)) as server:
        found = find_site(server)
        assert found is not None
        yield found
    assert not (root / "generated").exists()


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/site/", (200, "text/html; charset=utf-8")),
        ("HEAD", "/site/index.html", (200, "text/html; charset=utf-8")),
        ("GET", "/site/2025-06-01/operations/GET-loans-id.html", (200, "text/html; charset=utf-8")),
        ("GET", "/site/site.css", (200, "text/css; charset=utf-8")),
        ("GET", "/site", (307, None)),
        ("GET", "/site/none.html", (404, "text/plain; charset=utf-8")),
        ("GET", "/site/%2e%2e/python/README.md", (404, "text/plain; charset=utf-8")),
        ("POST", "/site/index.html", (405, "text/plain; charset=utf-8")),
        ("GET", "/sites", (200, None)),
        ("GET", "/loans", (200, None)),
    ],
)
def test_a_request_gets_a_page_or_what_the_api_answers(
    site: Path, method: str, path: str, expected: tuple[int, str | None]
) -> None:
    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(serve_site(say_api, site))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            # as it is: httpx would resolve the dots
            url = httpx.URL("http://test", raw_path=path.encode())
            return await client.request(method, url)

    answer = asyncio.run(request())
    assert (answer.status_code, answer.headers.get("content-type")) == expected
    if path == "/site/":
        assert answer.content == (site / "index.html").read_bytes()


@pytest.mark.parametrize(("path", "free"), [("/sites", True), ("/site", False), ("/site/a", False)])
def test_a_path_of_the_api_comes_first(tmp_path: Path, path: str, free: bool) -> None:
    files = {
        name: text.replace("/loans/{id}:", f"{path}/{{id}}:", 1) for name, text in LIBRARY.items()
    }
    assert is_free(loaded(tmp_path, files)) is free
