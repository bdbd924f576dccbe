"""The page of the documents, and the links of an application that is mounted somewhere."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from support.generated_server import Generated, ask
from support.sources import LIBRARY, VERSIONS, loaded

OLD = "2024-01-15"
ENDS = "announcements: [{ ends: 2024-01-15, from: 2027-01-15, announced: 2026-01-01 }]\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    root = tmp_path_factory.mktemp("library")
    return Generated(root, loaded(root, {**LIBRARY, "versions.yaml": VERSIONS + ENDS}))


class Converters:
    def older_loan_due(self, value: str, /) -> str:
        return value[:10]


@pytest.fixture(params=["server", "around"])
def app(library: Generated, request: pytest.FixtureRequest) -> Any:
    server = library.module("server")

    async def backend(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    class Loans:
        async def get_loan(self, _: Any, **__: Any) -> Any:
            raise server.Refusal(404, None)

    def build(**said: Any) -> Any:
        more: Any = {"environment": "production", "converters": Converters()}
        more["settings"] = server.Settings(unwritten="501", **said)
        if request.param == "around":
            return server.versioned(backend, **more)
        return server.create_app(server.Handlers(loans=Loans()), **more)

    return build


def test_a_page_shows_the_documents_and_asks_nobody_else(app: Any) -> None:
    page = ask(app(docs=True), "GET", "/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert re.findall(r"https?:|//[a-z]", page.text) == []
    assert set(re.findall(r'(?:href=|src=|fetch\()"([^"]*)"', page.text)) == {
        "spec",
        "spec/versions",
    }
    policy = page.headers["content-security-policy"]
    for element in ("script", "style"):
        [content] = re.findall(f"<{element}>(.*?)</{element}>", page.text, re.DOTALL)
        digest = base64.b64encode(sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert "innerHTML" not in page.text
    tag = page.headers["etag"]
    assert ask(app(docs=True), "GET", "/docs", headers={"If-None-Match": tag}).status_code == 304
    assert ask(app(docs=True), "POST", "/docs").status_code == 405
    assert ask(app(docs=True), "GET", "/spec/versions").json()["latest"]
    assert ask(app(), "GET", "/docs").status_code == 404


def test_links_are_right_where_it_is_mounted(app: Any) -> None:
    mounted = Starlette(routes=[Mount("/a b", app(docs=True))])
    headers = {"X-API-Version": OLD}
    for whole, root in ((app(), ""), (mounted, "/a%20b")):
        found = ask(whole, "GET", f"{root}/api/loans/7", headers=headers)
        assert found.headers["x-api-version"] == OLD
        [link] = re.findall(r'<([^>]*)>; rel="successor-version"', found.headers["link"])
        assert link == f"{root}/spec/2024-09-01"
        assert ask(whole, "GET", link).status_code == 200
    assert ask(mounted, "GET", "/a%20b/docs").status_code == 200


def test_the_page_is_in_the_package(library: Generated) -> None:
    folder = Path(library.module("server").__file__ or "").parent
    assert (folder / "docs.html").is_file()
