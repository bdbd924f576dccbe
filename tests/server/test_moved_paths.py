"""Requests whose path changed, or is shared by operations, never reach another operation."""

from __future__ import annotations

import asyncio
import re
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from support.adopted_apis import store
from support.exchanges import serving
from support.generated_server import Generated, ask
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.load import load

OLD, NEW = DATES[:2]

# Operations that only the newest version has, next to `/x/{id}`.
OTHERS = ("/x/mine", "/x/{id}/deep", "/x/a-{rest}", "/x/", "/x/{id}?only", "/{any}/sub/x")


def operation(path: str, server: str, fields: list[str]) -> dict[str, Any]:
    properties = {field: {"type": "integer"} for field in fields}
    schema = {"type": "object", "required": fields, "properties": properties}
    content = {"application/json": {"schema": schema}}
    names = [each.partition("}")[0] for each in path.split("{")[1:]]
    return {
        "servers": [{"url": f"https://api.example{server}"}],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ],
        "get": {"responses": {"200": {"description": "one", "content": content}}},
    }


def document(paths: dict[str, Any]) -> dict[str, Any]:
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example"}],
        "paths": paths,
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("moved")
    old = {"/x/{id}": operation("/x/{id}", "/before", ["one"])}
    new = {"/x/{id}": operation("/x/{id}", "/after", ["one", "more"])}
    new |= {path: operation(path, "/after", ["secret"]) for path in OTHERS}
    adopt(store(folder, [document(old), document(new)]), folder / "schemas", accept=lambda _: True)
    made = Generated(folder / "made", load(folder / "schemas"))
    assert not any("have the path of another one" in each for each in made.notes)
    return made.module("server")


class Newest:
    """The newest version, which answers with a secret except at the paths of one operation."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        self.paths.append(scope["raw_path"].decode())
        headers = [(b"content-type", b"application/json")]
        is_one = self.paths[-1] in ("/after/x/1", "/after/x/b%20c%25d%7Bid%7D", "/after/x/minor")
        body = b'{"one":1,"more":2}' if is_one else b'{"secret":1}'
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def call(server: Any, url: str, version: str) -> tuple[Any, list[str]]:
    app = Newest()
    layer = server.versioned(app, environment="production")
    return ask(layer, "GET", url, headers={"X-API-Version": version}), app.paths


def test_requests_reach_the_path_of_the_newest_version(server: Any) -> None:
    for text, sent in (("1", "1"), ("b%20c%25d%7bid%7d", "b%20c%25d%7Bid%7D"), ("minor", "minor")):
        answer, paths = call(server, f"/before/x/{text}", OLD)
        assert (answer.json(), paths) == ({"one": 1}, [f"/after/x/{sent}"])
        answer, paths = call(server, f"/after/x/{sent}", NEW)
        assert (answer.json(), paths) == ({"one": 1, "more": 2}, [f"/after/x/{sent}"])
        assert call(server, f"/after/x/{text}", OLD)[0].status_code == 404
        assert call(server, f"/before/x/{text}", NEW)[0].status_code == 404


@cases(
    "text",
    [
        *("mine", "MINE", "mi%6ee", "mine.json", "mine/", "mine;v=1", "./mine", "y/../mine"),
        *("1%2Fdeep", "1%2fdeep", "1%5Cdeep", "a-b", "A-b", "a-b.json"),
        *("1?only", "1?only=2", "1?ONLY", "1?x=2&only", "1?x=2;only", "1?only[]=2"),
        *("%2E", "%2e%2E%2Fx%2Fmine", "sub%2Fx", "..%2Fy%2Fsub%2Fx", "%2e%2e%5Cx%5Cmine"),
    ],
)
def test_no_path_leads_to_another_operation(text: str, server: Any) -> None:
    for start in ("/before/x/", "/BEFORE/x/", "/before//x/"):
        answer, paths = call(server, start + text, OLD)
        assert (answer.status_code, paths) == (404, []), start + text


# How the application at `/after/x/1` refers to paths, and what callers at `/before/x/1` get.
LED = [
    ("/after/x/2", "/before/x/2"),
    ("/after/x/2?a=/after/x/3#/after/x", "/before/x/2?a=/after/x/3#/after/x"),
    ("/after/x/b%20c%2Fd", "/before/x/b%20c%2Fd"),
    ("/after/x/2/", "/before/x/2/"),
    ("/after/./y/../x/2", "/before/x/2"),
    ("//{host}/after/x/2", "//{host}/before/x/2"),
    ("http://{host}/after/x/2", "http://{host}/before/x/2"),
    ("https://{host}/after/x/2?a", "https://{host}/before/x/2?a"),
    ("https://public.example/after/x/2", "https://public.example/before/x/2"),
    ("../../after/x/2", "/before/x/2"),
    # these lead callers to the right path as they are
    *((each, each) for each in ("2", "./2", "../x/2", "?page=2", "#top", "")),
    # what callers of the version don't have, or others have
    *((each, each) for each in ("/after/x/mine", "/after/x/1?only", "/after/x/1/deep", "/after/y")),
    *((each, each) for each in ("/before/x/2", "/other/x/2", "/", "/afterx/2", "../../before/x/2")),
    *((each, each) for each in ("https://other.example/after/x/2", "//other.example/after/x/2")),
    *((each, each) for each in ("urn:after:x:2", "http://[/after/x/2")),
]


LINK = '<{}>; rel="next"; title="</after/x/2>", <https://other.example/>; rel=a'


class Referring:
    """The newest version, which refers to what requests name in a header."""

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        reference = dict(scope["headers"])[b"x-reference"]
        link = LINK.format(reference.decode()).encode()
        headers = [(b"location", reference), (b"content-location", reference), (b"link", link)]
        headers.append((b"content-length", b"0"))
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def refer(
    app: Any, path: str, version: str, references: list[str], behind: Any = None
) -> list[str]:
    """Return what each of *references* is in the answer to a request for *path*."""

    async def refer_all() -> list[str]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            found = [await refer_one(client, each) for each in references]
        if behind is not None:
            await behind.close()
        return found

    async def refer_one(client: httpx.AsyncClient, reference: str) -> str:
        named = {"X-API-Version": version, "X-Forwarded-Host": "public.example"}
        answer = await client.get(path, headers={**named, "X-Reference": reference})
        location, link = answer.headers["location"], answer.headers["link"]
        assert answer.headers["content-location"] == location
        assert link == LINK.format(location)
        return str(location)

    return asyncio.run(refer_all())


@pytest.mark.parametrize("root", ["", "/eu%20a"])
def test_references_lead_to_the_paths_of_the_caller_s_version(server: Any, root: str) -> None:
    app = server.versioned(Referring(), environment="production")
    whole = Starlette(routes=[Mount(unquote(root), app)]) if root else app
    given, expected = (
        # a mounted application puts its mount point before paths
        [re.sub(r"(?<![.x])/(?=(after|before)/)", f"{root}/", each, count=1) for each in column]
        for column in zip(*LED, strict=True)
    )
    given, expected = (
        [each.replace("{host}", "test") for each in rows] for rows in (given, expected)
    )
    assert refer(whole, f"{root}/before/x/1", OLD, given) == expected
    assert refer(whole, f"{root}/after/x/1", NEW, given) == given


def test_references_of_the_server_behind_a_proxy_lead_to_these_paths(server: Any) -> None:
    forwarding = import_module(f"{server.__name__}.forwarding")
    with serving(Referring(), "h11") as port:
        url = f"http://127.0.0.1:{port}"
        here = [(f"{url}/after/x/2?a", "/before/x/2?a"), (f"{url}/after/y", "/after/y")]
        rows = [
            (each.replace("{host}", "test"), led.replace("{host}", "test")) for each, led in LED
        ]
        given, expected = map(list, zip(*here, *rows, strict=True))
        behind = forwarding.Forwarding(forwarding.Upstream(url=url))
        app = server.versioned(behind, environment="production")
        assert refer(app, "/before/x/1", OLD, given, behind) == expected


def test_operations_at_one_path_are_not_confused(tmp_path: Path) -> None:
    paths = {"/x/{a}": "", "/x/{b}": "", "/z": "", "/y/z": "/other", "/{c}/z": "/other"}
    documents = [
        document({path: operation(path, server, fields) for path, server in paths.items()})
        for fields in (["one"], ["one", "more"])
    ]
    documents[1]["paths"]["/x/{b}"] = operation("/x/{b}", "", ["one", "less"])
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: True)
    made = Generated(tmp_path / "made", load(tmp_path / "schemas"))
    noted = [each for each in made.notes if "have the path of another one" in each]
    assert [each.partition(" ")[0] for each in noted] == ["2"]
    assert noted[0].endswith("/x/{a}, like /x/{b})")
    server = made.module("server")
    for prefix, served, doubtful in (
        (None, ["/other/y/z", "/other/1/z"], ["/x/1"]),
        ("/other/y", ["/other/1/z"], ["/other/y/x/1", "/other/y/z"]),
    ):
        app = Newest()
        settings = server.Settings(prefix=prefix)
        layer = server.versioned(app, environment="production", settings=settings)
        for path in (*served, *doubtful):
            answer = ask(layer, "GET", path, headers={"X-API-Version": OLD})
            assert answer.status_code == (200 if path in served else 404), (prefix, path)
