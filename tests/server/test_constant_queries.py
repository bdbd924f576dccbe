"""Operations selected by a constant query, such as `/?Action=CreateUser`, at each door."""

from __future__ import annotations

import itertools
import random
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
from support.adopted_apis import store
from support.exchanges import Response, exchange, request, run, serving
from support.generated_server import Generated, ask
from support.random_chains import DATES
from support.seeds import scale
from support.tables import cases

from dateline.adopt import adopt
from dateline.load import load
from dateline.render import render
from dateline.serve.mock import Mock

OLD, NEW = DATES[:2]

PATHS = {
    "users": ("get", "/?Action=ListUsers"),
    "create": ("post", "/?Action=CreateUser&Version=2010-05-08"),
    "acl": ("get", "/{bucket}?acl"),
    "tags": ("get", "/{bucket}?tagging"),
    "bucket": ("get", "/{bucket}"),
    "wide": ("get", "/{bucket}?mode=wide"),
}
ONLY_NEW = ("get", "/?Action=OnlyNew")


def node(name: str, fields: list[str], number: int) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": ["name", *fields],
        "properties": {"name": {"const": name}} | {each: {"type": "integer"} for each in fields},
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": schema}}
    default = {"type": "integer", "default": number}
    return {
        "operationId": name,
        "responses": {"200": {"description": "one", "content": content}},
        "parameters": [{"name": "limit", "in": "query", "schema": default}],
    }


def document(fields: list[str], number: int, more: bool) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    listed = {**PATHS, **({"only": ONLY_NEW} if more else {})}
    for name, (method, path) in listed.items():
        paths[path] = {method: node(name, fields, number)}
        if "{" in path:
            bucket = {"name": "bucket", "in": "path", "required": True, "schema": {}}
            paths[path]["parameters"] = [{**bucket, "schema": {"type": "string"}}]
    return {
        "openapi": "3.0.3",
        "info": {"title": "Users", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
    }


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("users")
    documents = [document(["old"], 1, more=False), document(["old", "new"], 2, more=True)]
    adopt(store(folder, documents), folder / "schemas", accept=lambda _: True)
    with (folder / "schemas" / "versions.yaml").open("a") as table:
        table.write("site: true\n")
    return folder / "schemas"


@pytest.fixture(scope="module")
def made(schemas: Path) -> Generated:
    return Generated(schemas.parent / "made", load(schemas))


class Application:
    """The newest version; *reads* returns the pairs that it finds in a query string."""

    def __init__(self, reads: Any) -> None:
        self._reads = reads
        self.queries: list[str] = []

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        self.queries.append(scope["query_string"].decode("latin-1"))
        pairs = self._reads(self.queries[-1])
        name = ""
        for each, (method, path) in {"only": ONLY_NEW, **PATHS}.items():
            before, _, query = path.partition("?")
            wanted = parse_qsl(query, keep_blank_values=True)
            if (
                method.upper() == scope["method"]
                and (before == "/") == (scope["path"] in ("/", "//", "/./"))
                and all(
                    pairs.get(key) == value or (not value and key in pairs) for key, value in wanted
                )
                and (wanted or not name)
            ):
                name = each
        body = f'{{"name":"{name}","old":1,"new":2}}'.encode()
        headers = [(b"content-type", b"application/json")]
        status = 200 if name else 404
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def reads(first: bool, folds: bool, semicolons: bool, lists: bool) -> Any:
    """Return how an application parses a query."""

    def read(query: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, value in parse_qsl(
            query.replace(";", "&") if semicolons else query, keep_blank_values=True
        ):
            if folds:
                key, value = key.partition("\0")[0], value.partition("\0")[0]
            name = key.strip()
            name = name.removesuffix("[]") if lists else name
            known = {"action": "Action", "version": "Version"}
            name = known.get(name.lower(), name.lower()) if folds else name
            words = ("ListUsers", "CreateUser", "OnlyNew", "wide")
            if folds:
                value = {each.lower(): each for each in words}.get(value.strip().lower(), value)
            if not (first and name in found):
                found[name] = value
        return found

    return read


READERS = [reads(*each) for each in itertools.product([False, True], repeat=4)]
PLAIN = reads(False, False, False, False)


def ask_app(app: Any, method: str, url: str, version: str) -> Response:
    headers = ((b"x-api-version", version.encode()),)
    return run(exchange(app, request(method, url, headers)))


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("door", ["server", "mock", "around", "proxy"])
def test_clients_reach_every_operation(
    door: str, version: str, made: Generated, schemas: Path
) -> None:
    server = made.module("server")
    behind = Application(PLAIN)

    class Handlers:
        def __getattr__(self, name: str) -> Any:
            async def handle(*_: Any, **given: Any) -> dict[str, Any]:
                assert given["limit"] == (1 if version == OLD else 2)
                return {"name": name, "old": 1, "new": 2}

            return handle

    handlers = type("All", (), {"default": Handlers()})()
    app: Any = None
    if door == "server":
        app = server.create_app(handlers, environment="production")
    elif door == "mock":
        app = Mock(load(schemas), server, "production", 0).app
    elif door == "around":
        app = server.versioned(behind, environment="production")
    client = made.module(f"v{version.replace('-', '_')}")

    def call(send: Any) -> None:
        class Transport(httpx.BaseTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                found = send(request)
                return httpx.Response(found.status_code, content=found.content)

        calls = client.Client(base_url="http://h", transport=Transport())
        for name, (_, path) in PATHS.items():
            found = getattr(calls, name)(*(["b"] if "{" in path else []))
            assert (found.name, hasattr(found, "new")) == (name, version == NEW)
            if behind.queries:
                query = path.partition("?")[2]
                # the meaning of the older version's default for the application
                assert behind.queries[-1] in (query, f"{query}&limit=1".removeprefix("&"))

    if app is None:
        pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
        forwarding = import_module(f"{server.__name__}.forwarding")
        with serving(behind, "h11") as port:
            upstream = forwarding.Upstream(url=f"http://127.0.0.1:{port}")
            front = server.versioned(forwarding.Forwarding(upstream), environment="production")
            with serving(front, "h11", lifespan="on") as number, httpx.Client() as there:
                call(
                    lambda request: there.request(
                        request.method,
                        f"http://127.0.0.1:{number}{request.url.raw_path.decode()}",
                        headers={"X-API-Version": version},
                    )
                )
        return
    call(
        lambda request: ask(
            app,
            request.method,
            request.url.raw_path.decode(),
            headers={"X-API-Version": version},
        )
    )


@cases("number", range(len(READERS)))
def test_no_spelling_of_a_query_bypasses_the_layer(number: int, made: Generated) -> None:
    app = made.module("server").versioned(Application(READERS[number]), environment="production")
    lots = random.Random(number)
    names = ["Action", "action", "ACTION", "Action[]", "%41ction", "Action%20", "acl", "ACL"]
    names += ["tagging", "mode", "Mode[]", "Version", "x", "Action%00", "acl%00x"]
    values = ["ListUsers", "listusers", "CreateUser", "OnlyNew", "onlynew", "Only%4Eew", "", "wide"]
    values += ["WIDE", "2010-05-08", "OnlyNew%20", "OnlyNew%00x"]
    served = 0
    for _ in range(scale(160)):
        pairs = [
            lots.choice([f"{lots.choice(names)}={lots.choice(values)}", lots.choice(names)])
            for _ in range(lots.choice([0, 1, 1, 2, 2, 3]))
        ]
        query = lots.choice(["&", "&", ";"]).join(pairs)
        path = lots.choice(["/", "/", "/b", "/b", "//", "/./", "/b/"])
        url = f"{path}?{query}" if query else path
        method = lots.choice(["GET", "POST"])
        answer = ask_app(app, method, url, OLD)
        if answer.status == 200:
            served += 1
            assert ("x-api-version", OLD) in answer.headers, url
            assert b"new" not in answer.body, url
            assert b"only" not in answer.body, url
    assert served


def test_samples_include_the_query(schemas: Path) -> None:
    pages = [
        each.content.decode()
        for each in render(load(schemas), validate=False).artifacts
        if each.path.startswith(f"site/{NEW}/operations/")
    ]
    for _, path in PATHS.values():
        query = path.partition("?")[2].replace("&", "&amp;")
        assert any(f"{query}" in page and "curl" in page for page in pages)


EITHER = ["", "acl", "tags", "mode", "mode=wide", "mode=wide&acl", "only", "only=1"]
FORMER = EITHER[:4]


def write_either(queries: list[str], *ends: str) -> dict[str, Any]:
    paths = {}
    for number, query in enumerate(queries):
        fields = [f"{end}{EITHER.index(query)}" for end in ends]
        found = node(f"op{number}", fields, 1)
        del found["parameters"]
        paths[f"/x?{query}".removesuffix("?")] = {"get": found}
    return {**document([], 1, more=False), "paths": paths}


def select(query: str, sent: str) -> bool:
    """Return whether the constant *query* selects requests with the query string *sent*."""
    pairs = dict(parse_qsl(sent, keep_blank_values=True))
    wanted = dict(parse_qsl(query, keep_blank_values=True))
    return all(key in pairs and value in ("", pairs[key]) for key, value in wanted.items())


def is_less(one: str, other: str) -> bool:
    """Return whether *one* selects all requests that *other* selects."""
    return one != other and select(one, other)


def test_applications_may_prefer_any_of_several_queries(tmp_path: Path) -> None:
    documents = [write_either(FORMER, "old"), write_either(EITHER, "old", "new")]
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: True)
    server = Generated(tmp_path / "made", load(tmp_path / "schemas")).module("server")
    lots = random.Random(0)
    pairs = ["acl", "tags", "mode", "mode=wide", "mode=thin", "only", "only=1", "other=2"]
    sent = [
        "&".join(each)
        for count in range(4)
        for each in itertools.permutations(pairs, count)
        if len({pair.partition("=")[0] for pair in each}) == count
    ]
    served = 0
    for _ in range(scale(16)):
        order = lots.sample(EITHER, len(EITHER))
        # an application checks longer queries first
        while any(is_less(a, b) for a, b in itertools.combinations(order, 2)):
            order = lots.sample(EITHER, len(EITHER))

        async def newest(scope: Any, _: Any, send: Any, order: list[str] = order) -> None:
            query = scope["query_string"].decode()
            number = EITHER.index(next(each for each in order if select(each, query)))
            body = f'{{"name":"op{number}","old{number}":1,"new{number}":2}}'.encode()
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        app = server.versioned(newest, environment="production")
        for query in lots.sample(sent, 60):
            url = f"/x?{query}".removesuffix("?")
            meant = [each for each in EITHER if select(each, query)]
            most = [each for each in meant if not any(is_less(each, other) for other in meant)]
            answer = ask_app(app, "GET", url, OLD)
            if len(most) == 1 and most[0] in FORMER:
                served += 1
                assert answer.status == 200, url
            else:
                assert answer.status == 404, url
            assert b"new" not in answer.body, url
            assert ask_app(app, "GET", url, NEW).status == 200
    assert served > 6
