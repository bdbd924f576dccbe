"""The documentation page, and links of an application that is mounted below a path."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
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


def test_page_shows_the_documents_without_third_party_requests(app: Any) -> None:
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


def test_links_are_correct_below_a_mounted_path(app: Any) -> None:
    mounted = Starlette(routes=[Mount("/a b", app(docs=True))])
    headers = {"X-API-Version": OLD}
    for whole, root in ((app(), ""), (mounted, "/a%20b")):
        found = ask(whole, "GET", f"{root}/api/loans/7", headers=headers)
        assert found.headers["x-api-version"] == OLD
        [link] = re.findall(r'<([^>]*)>; rel="successor-version"', found.headers["link"])
        assert link == f"{root}/spec/2024-09-01"
        assert ask(whole, "GET", link).status_code == 200
    assert ask(mounted, "GET", "/a%20b/docs").status_code == 200


def test_list_of_versions_is_correct_below_a_mounted_path(app: Any) -> None:
    mounted = Starlette(routes=[Mount("/spec", app()), Mount("/a b", app())])
    plain = ask(app(), "GET", "/spec/versions")
    for root in ("/spec", "/a%20b"):
        index = ask(mounted, "GET", f"{root}/spec/versions")
        assert index.text == plain.text.replace('"/spec/', f'"{root}/spec/')
        for row in index.json()["versions"]:
            assert ask(mounted, "GET", row["location"]).json()["info"]["version"] == row["version"]
        tag = {"If-None-Match": index.headers["etag"]}
        assert ask(mounted, "GET", f"{root}/spec/versions", headers=tag).status_code == 304
        assert ask(app(), "GET", "/spec/versions", headers=tag).status_code == 200


OWN = ["/loans/8", "/loans?after=/loans", "/loans#7", "/", ""]
DOCUMENT = "/spec/versions"
PATHS = ["/apis/8", "/specs", "/login", "/", "/other/api/loans/8"]
OTHERS = [
    *("", "8", "../8", "?page=2", "//other.example/api", "urn:api:8"),
    "https://other.example/api/loans/8",
]


@pytest.mark.parametrize("prefix", ["/api", "", "/v"])
@pytest.mark.parametrize("root", ["", "/a b", "/api", "/loans"])
def test_paths_of_handlers_are_below_the_mounted_path(
    library: Generated, prefix: str, root: str
) -> None:
    server = library.module("server")
    before = quote(root)
    own = [*(prefix + each for each in OWN if prefix + each), DOCUMENT]
    # without a prefix, all paths may be operations
    others, more = ([*PATHS, *OTHERS], []) if prefix else (OTHERS, PATHS)

    class Loans:
        async def get_loan(self, call: Any, **_: Any) -> Any:
            raise server.Refusal(404, None, dict(call.scope["headers_to_send"]))

    app = server.create_app(
        server.Handlers(loans=Loans()),
        environment="production",
        converters=Converters(),
        settings=server.Settings(unwritten="501", prefix=prefix),
    )
    expected = {
        **{each: before + each for each in (*own, *more)},
        **{each: each for each in others},
    }
    for reference, right in expected.items():
        sent = {
            "location": reference,
            "content-location": reference,
            "link": f'<{reference}>; rel="next"; title="</api>", <{reference}>; rel=up',
        }

        async def carrying(scope: Any, receive: Any, send: Any, sent: Any = sent) -> None:
            await app({**scope, "headers_to_send": sent}, receive, send)

        whole = Starlette(routes=[Mount(root, carrying)]) if root else carrying
        found = ask(whole, "GET", f"{before}{prefix}/loans/7").headers
        assert found["location"] == found["content-location"] == right
        assert found["link"] == (
            f'<{right}>; rel="next"; title="</api>", <{right}>; rel=up, '
            f'<{before}/spec/2024-09-01>; rel="successor-version"'
        )


def test_answers_of_middleware_refer_below_the_mounted_path(library: Generated) -> None:
    server = library.module("server")

    class Redirecting:
        def __init__(self, app: Any) -> None:
            pass

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await RedirectResponse("/api/loans/8")(scope, receive, send)

    app = server.create_app(
        server.Handlers(loans=object()),
        environment="production",
        converters=Converters(),
        settings=server.Settings(unwritten="501"),
        middleware=[Middleware(Redirecting)],
    )
    mounted = Starlette(routes=[Mount("/eu", app)])
    for whole, root in ((app, ""), (mounted, "/eu")):
        assert ask(whole, "GET", f"{root}/api/loans/7").headers["location"] == f"{root}/api/loans/8"


def test_page_is_in_the_package(library: Generated) -> None:
    folder = Path(library.module("server").__file__ or "").parent
    assert (folder / "docs.html").is_file()
