"""The site that a generated server shows at `/site/`, which hides nothing of the API."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from support.generated_server import Generated, ask
from support.sources import LIBRARY, folder, loaded
from support.tables import cases

from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import import_server, open_server

PAGES = ("/docs", "/site")
SITE = {
    "index.html": "start",
    "site.css": "style",
    "2025-06-01/operations/GET-loans-id.html": "an operation",
}


async def say_backend(_scope: Any, _receive: Any, send: Any) -> None:
    """Answer every request as an application behind the versions."""
    await send({"type": "http.response.start", "status": 202, "headers": []})
    await send({"type": "http.response.body", "body": b"backend"})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    root = tmp_path_factory.mktemp("library")
    generated = Generated(root, loaded(root, LIBRARY))
    for path, text in SITE.items():
        page = root / "site" / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    return generated


class Converters:
    def older_loan_due(self, value: str, /) -> str:
        return value[:10]


def build(server: Any, door: str, **said: Any) -> Any:
    more: Any = {"environment": "production", "converters": Converters()}
    more["settings"] = server.Settings(unwritten="501", **said)
    if door == "around":
        return server.versioned(say_backend, **more)
    return server.create_app(server.Handlers(loans=object()), **more)


def get(app: Any, method: str, path: str) -> httpx.Response:
    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            # unchanged, because httpx would resolve the dots
            url = httpx.URL("http://test", raw_path=path.encode())
            return await client.request(method, url)

    return asyncio.run(request())


@pytest.mark.parametrize("root", ["", "/eu"])
@pytest.mark.parametrize("door", ["server", "around"])
def test_request_gets_a_page_or_an_answer_of_the_api(
    library: Generated, door: str, root: str
) -> None:
    app = build(library.module("server"), door, docs=True)
    whole = Starlette(routes=[Mount(root, app)]) if root else app
    html, css, text = (f"text/{each}; charset=utf-8" for each in ("html", "css", "plain"))
    for method, path, expected in (
        ("GET", "/site/", (200, html)),
        ("HEAD", "/site/index.html", (200, html)),
        ("GET", "/site/2025-06-01/operations/GET-loans-id.html", (200, html)),
        ("GET", "/site/site.css", (200, css)),
        ("GET", "/site", (307, None)),
        ("GET", "/site/none.html", (404, text)),
        ("GET", "/site/%2e%2e/python/README.md", (404, text)),
        ("GET", "/site/..%2fpython%2fREADME.md", (404, text)),
        ("POST", "/site/index.html", (405, text)),
    ):
        answer = get(whole, method, root + path)
        assert (answer.status_code, answer.headers.get("content-type")) == expected, path
        if path == "/site/":
            assert answer.text == SITE["index.html"]
        if path == "/site":
            assert answer.headers["location"] == f"http://test{root}/site/"
    for path in ("/sites", "/api/loans/7"):
        assert get(whole, "GET", root + path).status_code != 200
    assert get(build(library.module("server"), door), "GET", "/site/").status_code != 200


def test_site_elsewhere_is_shown_too(library: Generated, tmp_path: Path) -> None:
    installed = tmp_path / "lib" / "site-packages" / library.name
    shutil.copytree(library.folder / library.name, installed)
    server = import_server(installed)
    assert build(server, "server", docs=True).state.pages == ("/spec", "/docs")
    site = library.folder.parent / "site"
    for given in (site, str(site)):
        app = build(server, "server", docs=True, site=given)
        assert ask(app, "GET", "/site/").text == SITE["index.html"]
    with pytest.raises(ValueError, match="there is no site in "):
        build(server, "server", docs=True, site=tmp_path)


@pytest.mark.parametrize(
    ("path", "pages"),
    [
        ("/sites/{id}", PAGES),
        ("/site/{id}", ("/docs",)),
        ("/site/{id}/a", ("/docs",)),
        ("/{id}", ()),
        ("/{id}/a", ("/docs",)),
        ("/s{id}/a", ("/docs",)),
        ("/docs", ("/site",)),
        ("/docs/{id}", PAGES),
    ],
)
def test_path_of_the_api_takes_precedence(
    library: Generated, path: str, pages: tuple[str, ...]
) -> None:
    shown: ModuleType = library.module("server.pages")
    settings = library.module("server").Settings(docs=True)
    for prefix in ("", "/api"):
        found = shown.serve_documents({}, settings, [prefix + path], answer=None)
        assert found.prefixes == ("/spec", *(PAGES if prefix else pages))


def test_mock_shows_the_site_without_generated_files(tmp_path: Path) -> None:
    table = LIBRARY["versions.yaml"] + "site: true\n"
    schemas = folder(tmp_path, {**LIBRARY, "versions.yaml": table})
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        app = Mock(api, server, "production", 0).app
        assert app.state.pages == ("/spec", *PAGES)
        for path in ("index.html", "2025-06-01/operations/GET-loans-id.html", "site.css"):
            assert ask(app, "GET", f"/site/{path}").status_code == 200
    assert not (tmp_path / "generated").exists()


@cases("source", ["from . import runtime\nraise ValueError", "from . import missing"])
def test_package_that_fails_to_be_imported_leaves_no_modules(source: str, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("from . import helpers")
    (tmp_path / "helpers.py").touch()
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "runtime.py").touch()
    (tmp_path / "server" / "__init__.py").write_text(source)
    before = {*sys.modules}
    with pytest.raises((ImportError, ValueError)):
        import_server(tmp_path)
    assert {each for each in {*sys.modules} - before if each.startswith("dateline_served")} == set()
