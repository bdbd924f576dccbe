"""Requests whose path changed, or is shared by operations, never reach another operation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import store
from support.generated_server import Generated, ask
from support.random_chains import DATES

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


@pytest.mark.parametrize(
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
