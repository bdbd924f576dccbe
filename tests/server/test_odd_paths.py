"""Paths of published documents that no router supports, and the requests that mean them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from support.adopted_apis import store
from support.generated_server import Generated, ask, generate_payments
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

OLD, NEW = DATES[:2]

NO_PATH = "no request has a path with #, {?...}, or a parameter behind ?"
UNCLEAR = "nothing separates {a} from {b} in the path"

UNSERVED = {
    "/both?x={any}": NO_PATH,
    "/fragment#one": NO_PATH,
    "/beside#one": NO_PATH,
    "/later?x=1#two": NO_PATH,
    "/form{?x,y}": NO_PATH,
    "/more/{a}?x={y}": NO_PATH,
    "/aspnet/{a?}": NO_PATH,
    "/{a}{b}/adjacent": UNCLEAR,
    "/x{a}{b}y/adjacent": UNCLEAR,
}
"""Paths that can't be served, and why."""

SERVED = [
    *("/query?x=1", "/both?x=1", "/name?x", "/pairs/{id}?x=1&y=a%20b", "/pairs/{id}?x=2"),
    *("/both", "/beside", "/loans/{id}", "/loans/{id}.json", "/loans/{id}:cancel", "/loans/mine"),
    *("/loans/{id}-{no}", "/a b", "/a%20c", "/größe", "/%7Bx%7D", "/a%2Fd", "/two//slashes"),
    *("/end/", "/open/{id", "/closed/id}", "no-slash", "/{a}.{b}/separated"),
]

MEANT = {
    "/query?x=1": "/query?x=1",
    "/query?y=2&x=1": "/query?x=1",
    "/both?x=1": "/both?x=1",
    "/both?x=2": "/both?x={any}",
    "/both?y=1": "/both",
    "/both": "/both",
    "/name?x": "/name?x",
    "/name?x=3": "/name?x",
    "/pairs/1?z=3&y=a+b&x=1": "/pairs/{id}?x=1&y=a%20b",
    "/pairs/1?x=2": "/pairs/{id}?x=2",
    "/fragment": "/fragment#one",
    "/fragment?x=1": "/fragment#one",
    "/beside": "/beside",
    "/later?x=1": "/later?x=1#two",
    "/form": "/form{?x,y}",
    "/form?x=1": "/form{?x,y}",
    "/more/1?x=2": "/more/{a}?x={y}",
    "/aspnet/1": "/aspnet/{a?}",
    "/ab/adjacent": "/{a}{b}/adjacent",
    "/x12y/adjacent": "/x{a}{b}y/adjacent",
    "/loans/1": "/loans/{id}",
    "/loans/mine": "/loans/mine",
    "/loans/1.json": "/loans/{id}.json",
    "/loans/1:cancel": "/loans/{id}:cancel",
    "/loans/1%3Acancel": "/loans/{id}:cancel",
    "/loans/1-2": "/loans/{id}-{no}",
    "/a%20b": "/a b",
    "/a%20c": "/a%20c",
    "/gr%C3%B6%C3%9Fe": "/größe",
    "/%7Bx%7D": "/%7Bx%7D",
    "/a%2Fd": "/a%2Fd",
    "/two//slashes": "/two//slashes",
    "/end/": "/end/",
    "/open/%7Bid": "/open/{id",
    "/closed/id%7D": "/closed/id}",
    "/no-slash": "no-slash",
    "/1.2/separated": "/{a}.{b}/separated",
}
"""Which of the paths a request means."""

NOTHING = [
    "/query",
    "/query?x=2",
    "/name",
    "/name?y=1",
    "/pairs/1?x=1",
    "/pairs/1",
    "/later",
    "/more/1",
    "/a/d",
    "/end",
    "/1/separated",
]
"""Requests that mean no path."""


def document(fields: list[str]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": fields,
        "properties": {name: {"type": "integer"} for name in fields},
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": schema}}
    responses = {"200": {"description": "one", "content": content}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Odd", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {
            path: {"get": {"operationId": f"op{number}", "responses": responses}}
            for number, path in enumerate([*UNSERVED, *SERVED])
        },
    }


class Handlers:
    """Handlers of everything, which record the name of the one that was called."""

    def __init__(self, called: list[str], name: str = "") -> None:
        self._called = called
        self._name = name

    def __getattr__(self, name: str) -> Handlers:
        return Handlers(self._called, name)

    async def __call__(self, *_: Any, **__: Any) -> dict[str, int]:
        self._called.append(self._name)
        return {"old": 1, "new": 2}


async def newest(_: Any, receive: Any, send: Any) -> None:
    """Answer as the newest version does."""
    await receive()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"old":1,"new":2}'})


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    documents = [document(["old"]), document(["old", "new"])]
    adopt(store(folder, documents), folder / "schemas", accept=lambda _: True)
    return folder / "schemas"


@pytest.fixture(scope="module")
def made(schemas: Path) -> Generated:
    return Generated(schemas.parent, load(schemas))


@pytest.fixture(scope="module")
def called() -> list[str]:
    return []


@pytest.fixture(scope="module", params=["server", "around", "mock"])
def door(
    request: pytest.FixtureRequest, made: Generated, schemas: Path, called: list[str]
) -> Iterator[tuple[str, Any]]:
    server = made.module("server")
    if request.param == "server":
        yield "server", server.create_app(Handlers(called), environment="production")
    elif request.param == "around":
        yield "around", server.versioned(newest, environment="production")
    else:
        api = load(schemas)
        workspace = Workspace(schemas=schemas, output=schemas.parent / "mocked")
        with open_server(workspace, api) as mocked:
            yield "mock", Mock(api, mocked, "production", 0).app


@cases("version", [OLD, NEW])
@cases("url", MEANT)
def test_request_means_the_most_concrete_path(
    url: str, version: str, door: tuple[str, Any], called: list[str]
) -> None:
    name, app = door
    called.clear()
    response = ask(app, "GET", url, headers={"X-API-Version": version})
    path = MEANT[url]
    if path in UNSERVED:
        assert (response.status_code, response.json()["detail"]) == (501, UNSERVED[path])
        return
    assert response.status_code == 200
    assert [*response.json()] == (["old"] if version == OLD else ["old", "new"])
    if name == "server":
        assert called == [f"op{[*UNSERVED, *SERVED].index(path)}"]


@cases("url", NOTHING)
def test_request_without_the_query_of_a_path_does_not_mean_it(
    url: str, door: tuple[str, Any]
) -> None:
    name, app = door
    response = ask(app, "GET", url, headers={"X-API-Version": OLD})
    if name == "around" and url == "/end":
        # the application may read it as `/end/`
        assert (response.status_code, [*response.json()]) == (200, ["old"])
    elif name == "around":
        # it is no operation, and passes
        assert (response.status_code, [*response.json()]) == (200, ["old", "new"])
    else:
        assert response.status_code == 404


def test_unservable_path_is_noted(made: Generated) -> None:
    [note] = [note for note in made.notes if "501" in note]
    said = f"{len(UNSERVED)} operations can't be served at every version and answer 501 there"
    assert note.startswith(said)


SPLIT = [
    ("/{a}.{b}", "/1.2", ["1", "2"]),
    ("/{a}.{b}", "/1.2.3", ["1.2", "3"]),
    ("/{a}.{b}", "/1%2E2.3", ["1.2", "3"]),
    ("/{a}.{b}", "/.1", None),
    ("/{a}.{b}", "/12", None),
    ("/{a}-{b}-{c}", "/1-2-3-4", ["1-2", "3", "4"]),
    ("/{a}--{b}", "/1---2", ["1-", "2"]),
    ("/{a}:verb", "/1:verb", ["1"]),
    ("/{a}:verb", "/1:verb:verb", ["1:verb"]),
    ("/{a}:verb", "/:verb", None),
    ("/v{a}", "/v", None),
    ("/v{a}", "/vv", ["v"]),
    ("/{a},{b}", "/1%2C2,3", ["1,2", "3"]),
    ("/{a}.{b}", "/1%2F2.3", ["1/2", "3"]),
    ("/{a}.json", "/%2F.json", ["/"]),
]


@cases(("template", "path", "texts"), SPLIT)
def test_parameters_of_one_segment_are_split_at_the_last_separator(
    template: str, path: str, texts: list[str] | None
) -> None:
    server = generate_payments().module("server.paths")
    route = generate_payments().module("server.runtime.asgi").route
    scope = {"path": unquote(path), "raw_path": path.encode(), "headers": []}
    found = server.PathTemplate(template).match(route(scope))
    assert (found if found is None else [*found.values()]) == texts


PRECEDENCE = [
    ["/a/mine", "/a/{b}.json", "/a/{b}.j", "/a/{b}", "/{a}/mine", "/{a}/{b}"],
    ["/a?x=1&y=2", "/a?x=1", "/a", "/a#b"],
    ["/{a}-{b}", "/{a}"],
]


@pytest.mark.parametrize("ordered", PRECEDENCE)
def test_more_concrete_path_comes_first(ordered: list[str]) -> None:
    first = generate_payments().module("server.paths").concrete_first
    assert sorted({*ordered}, key=lambda path: first("GET", path)) == ordered
