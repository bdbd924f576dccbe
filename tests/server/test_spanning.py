"""Path parameters whose values may contain slashes, which no document shows."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Host, Mount, Route
from support.exchanges import PersistentCaller, Response, exchange, request, run
from support.generated_server import Generated
from support.sources import loaded
from support.tables import cases

OLD, NEW = "2024-01-01", "2025-01-01"

TABLE = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: The first. }}
  - {{ date: {NEW}, title: The second. }}
environments:
  production: {{ servers: [{{ url: https://api.example/api }}] }}
policy: dated-contract
python: {{ package: spanning }}
"""


def describe(path: str, name: str, *parameters: str) -> str:
    listed = ", ".join(
        f"{{ name: {each}, in: path, required: true, schema: {{ type: string }} }}"
        for each in parameters
    )
    return f"""\
  {path}:
    get:
      operationId: {name}
      tags: [Things]
      parameters: [{listed}]
      responses: {{ '200': {{ $ref: '#/components/responses/Thing' }} }}
"""


API = f"""\
openapi: 3.1.0
info: {{ title: Things, version: canonical }}
tags: [{{ name: Things }}]
paths:
{describe("/files/{path}", "getFile", "path")}
{describe("/files/{path}/meta", "getMeta", "path")}
{describe("/{owner}/trees/{path}", "getTree", "owner", "path")}
{describe("/things/{id}", "getThing", "id")}
components:
  responses:
    Thing:
      description: a thing
      content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
  schemas:
    Thing:
      type: object
      properties: {{ id: {{ type: string }}, since: {{ type: string, x-added: {NEW} }} }}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("spanning")
    files = {"versions.yaml": TABLE, "api.yaml": API}
    return Generated(folder, loaded(folder, files)).module("server")


def answer(**values: Any) -> dict[str, Any]:
    return {"id": "-".join(values.values()), "since": "now"}


def list_apps() -> dict[str, Any]:
    """Return applications with the same routes."""

    def add(routes: Any) -> None:
        # an order in which each route is reachable
        routes.get("/files/{path}/meta")(meta)
        routes.get("/files/{path:path}")(get)
        routes.get("/{owner}/trees/{path:path}")(get_tree)
        routes.get("/things/{id}")(get_thing)

    def meta(path: str) -> Any:
        return answer(path=path)

    def get(path: str) -> Any:
        return answer(path=path)

    def get_tree(owner: str, path: str) -> Any:
        return answer(owner=owner, path=path)

    def get_thing(id: str) -> Any:
        return answer(id=id)

    async def plain(request: Any) -> JSONResponse:
        return JSONResponse(answer(**request.path_params))

    router, below = APIRouter(), FastAPI()
    add(router)
    add(below)
    inner = APIRouter()
    inner.include_router(router)
    included, mounted = FastAPI(), FastAPI()
    included.include_router(inner, prefix="/api")
    mounted.mount("/api", below)
    paths = ["/files/{path}/meta", "/files/{path:path}", "/{owner}/trees/{path:path}"]
    routes = [Route(each, plain) for each in [*paths, "/things/{id}"]]
    return {
        "included": included,
        "mounted": mounted,
        "starlette": Starlette(routes=[Mount("/api", routes=routes)]),
        "within": GZipMiddleware(included),
    }


APPS = list_apps()


def get(app: Any, path: str, version: str = OLD) -> Response:
    scope = {**request(path=path, headers=[(b"x-api-version", version.encode())]), "root_path": ""}
    return run(exchange(app, scope))


@cases("app", APPS)
@cases(
    ("path", "id"),
    [
        ("/api/files/a", "a"),
        ("/api/files/a/b", "a/b"),
        ("/api/files/a/b/c.json", "a/b/c.json"),
        ("/api/files/", ""),
        ("/api/files/a/", "a/"),
        ("/api/files/a//b", "a//b"),
        ("/api/files/a/meta", "a"),
        ("/api/files/a/b/meta", "a/b/meta"),
        ("/api/me/trees/a/b", "me-a/b"),
        ("/api/me/trees/", "me-"),
        ("/api/things/a", "a"),
    ],
)
def test_value_with_slashes_belongs_to_its_operation(
    server: Any, app: str, path: str, id: str
) -> None:
    layer = server.versioned(APPS[app], environment="production")
    for version, expected in ((OLD, {"id": id}), (NEW, {"id": id, "since": "now"})):
        response = get(layer, path, version)
        assert (response.status, response.json) == (200, expected)
        assert response.header("x-api-version") == [version]


@cases("app", APPS)
@cases("path", ["/api/things/a/b", "/api/things/", "/api/x/y/z"])
def test_other_paths_match_no_operation(server: Any, app: str, path: str) -> None:
    layer = server.versioned(APPS[app], environment="production")
    response = get(layer, path)
    assert (response.status in (404, 307), response.header("x-api-version")) == (True, [])


def list_rows(path: str, *, spanning: dict[str, list[int]]) -> Any:
    """Return the operations that a request to *path* may mean, for each reading of the path."""
    written = ["/files/{path}", "/files/{path}/meta", "/{owner}/trees/{path}", "/{a}/{b}", "/Mine"]
    paths = import_module("paynet.server.paths")
    rows = [("GET", each, each) for each in written]
    found: Any = paths.Paths(rows, lambda readings: readings, spanning).find("GET", path)
    return found


@cases(
    ("path", "expected"),
    [
        ("/files/a", [["/files/{path}", "/{a}/{b}"]]),
        ("/files/a/b", [["/files/{path}"]]),
        # an application has one before the other, or never
        ("/files/a/meta", [["/files/{path}/meta"]]),
        # either may come first
        ("/files/trees/a", [["/{owner}/trees/{path}"], ["/files/{path}"]]),
        ("/FILES/trees/a", [["/{owner}/trees/{path}"], ["/files/{path}"]]),
        ("/files/trees/a/b", [["/files/{path}"]]),
        ("/me/trees/a", [["/{owner}/trees/{path}"]]),
        ("/Mine", [["/Mine"]]),
    ],
)
def test_path_may_mean_each_operation_that_an_application_may_have_first(
    path: str, expected: list[list[str]]
) -> None:
    found = list_rows(path, spanning={"/files/{path}": [0]})
    assert [[*rows] for rows in found] == expected
    if len(expected) > 1:
        assert [[*rows] for rows in list_rows(path, spanning={})] == expected[:1]


async def list_parameters(request: Any) -> JSONResponse:
    return JSONResponse(answer(**request.path_params))


def list_mounted() -> dict[str, tuple[list[BaseRoute], str]]:
    """Return routes of `getTree` by where its parameters are declared, and a value of the first."""
    tree = Route("/trees/{path:path}", list_parameters)
    below = FastAPI()
    below.get("/trees/{path:path}")(lambda path: answer(owner="me", path=path))
    everything = Mount("/api", routes=[Route("/{owner}/trees/{path:path}", list_parameters)])
    return {
        "in a mount": ([Mount("/api/{owner}", routes=[tree])], "me"),
        "in FastAPI in a mount": ([Mount("/api/{owner}", below)], "me"),
        "in mounts": ([Mount("/api", routes=[Mount("/{owner:str}", routes=[tree])])], "me"),
        "for a host": ([Host("{_}.example", Starlette(routes=[everything]))], "me"),
        "in the mount": (
            [Mount("/api/{owner:path}/trees", routes=[Route("/{path}", list_parameters)])],
            "me/you",
        ),
        "by method": (
            [
                Route("/api/{owner}/trees/{path:path}", list_parameters),
                Route("/api/{owner:path}/trees/{path}", list_parameters, methods=["POST"]),
            ],
            "me",
        ),
    }


MOUNTED = list_mounted()


@pytest.mark.parametrize("case", MOUNTED)
def test_parameters_are_located_in_the_complete_path(server: Any, case: str) -> None:
    routes, owner = MOUNTED[case]
    layer = server.versioned(Starlette(routes=routes), environment="production")
    for path in ("a", "a/b", "a//b/") if owner == "me" else ("a",):
        for version, expected in ((OLD, set()), (NEW, {"since"})):
            headers = [(b"x-api-version", version.encode()), (b"host", b"a.example")]
            scope = {**request(path=f"/api/{owner}/trees/{path}", headers=headers), "root_path": ""}
            response = run(exchange(layer, scope))
            assert response.status == 200
            assert response.json["id"].split("-")[-2:] == [owner, path]
            assert response.json.keys() - {"id"} == expected
            assert response.header("x-api-version") == [version]


@pytest.mark.parametrize("sent", ["a", "a/b", "a//b/", "", "\xe9/{owner}?"])
def test_path_with_another_value_keeps_its_slashes(server: Any, sent: str) -> None:
    rewriting = import_module(f"{server.__name__}.rewriting")
    paths = import_module(f"{server.__name__}.paths")
    template = paths.PathTemplate("/api/{owner}/trees/{path}", [1])
    assert template.read(f"/api/me/trees/{sent}") == {"owner": "me", "path": sent}
    values = {"owner": "me/you", "path": sent}
    scope = rewriting.write_path({"path": ""}, template, values, {})
    assert scope["path"] == f"/api/me/you/trees/{sent}"
    assert scope["raw_path"] == f"/api/me%2Fyou/trees/{quote(sent)}".encode()


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_routes_of_litestar_declare_them(server: Any) -> None:
    litestar = pytest.importorskip("litestar", reason="an application of Litestar")

    async def get_file(path: str) -> dict[str, Any]:
        return answer(path=path)

    app = litestar.Litestar([litestar.get("/api/files/{path:path}")(get_file)])
    layer = server.versioned(app, environment="production")
    for path in ("/api/files/a", "/api/files/a/b"):
        assert "since" not in get(layer, path).json


@cases("is_started", [True, False])
def test_routes_may_be_added_until_the_first_request(server: Any, is_started: bool) -> None:
    """Routers are often included when the application is started, or behind the layer."""
    backend = FastAPI()

    def include() -> None:
        backend.get("/api/files/{path:path}")(lambda path: answer(path=path))

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        include()
        yield

    backend.router.lifespan_context = lifespan
    layer = server.versioned(backend, environment="production")
    if is_started:
        started = run(start(layer))
        assert started[0] == "lifespan.startup.complete"
    else:
        include()
    for path in ("/api/files/a", "/api/files/a/b"):
        assert get(layer, path).json.keys() == {"id"}


async def start(app: Any) -> list[str]:
    """Start *app*, and return what it says."""
    said: list[str] = []
    arrived = asyncio.Event()

    async def receive() -> Any:
        if not said:
            return {"type": "lifespan.startup"}
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        said.append(message["type"])
        arrived.set()

    task = asyncio.create_task(app({"type": "lifespan", "state": {}}, receive, send))
    await arrived.wait()
    task.cancel()
    return said


FLASK = {
    "alone": lambda app: app,
    "as a function": lambda app: app.wsgi_app,
    "mounted": lambda app: app,
}


@pytest.mark.parametrize("how", FLASK)
def test_routes_of_flask_declare_them(server: Any, how: str) -> None:
    flask = pytest.importorskip("flask", reason="an application of Flask")
    wsgi = pytest.importorskip("a2wsgi", reason="an ASGI application of one for WSGI")
    prefix = "" if how == "mounted" else "/api"
    app = flask.Flask(__name__)
    app.get(f"{prefix}/files/<path:path>", endpoint="file")(lambda path: answer(path=path))
    app.get(f"{prefix}/<string(length=2):owner>/trees/<path:path>", endpoint="tree")(
        lambda owner, path: answer(owner=owner, path=path)
    )
    backend: Any = wsgi.WSGIMiddleware(FLASK[how](app))
    if how == "mounted":
        backend = Starlette(routes=[Mount("/api", backend)])
    layer = server.versioned(backend, environment="production")
    for path in ("/api/files/a", "/api/files/a/b", "/api/me/trees/a/b"):
        assert get(layer, path).json.keys() == {"id"}


DJANGO = """
import sys
from pathlib import Path
import django
from django.conf import settings
from django.http import JsonResponse

def answer(request, **values):
    return JsonResponse({"id": "-".join(values.values()), "since": "now"})

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x")
django.setup()
from django.core.asgi import get_asgi_application
from django.urls import include, path, re_path

trees = [re_path(r"^trees/(?P<path>.+)$", answer), re_path(r"^leaves/(?P<path>[^/.]+)/?$", answer)]
below = [path("files/<path:path>", answer), re_path(r"^(?P<owner>[^/]+)/", include(trees))]
urlpatterns = [path("api/", include(below))]

sys.path.insert(0, sys.argv[1])
from importlib import import_module
from support.exchanges import PersistentCaller, request, run
layer = import_module(sys.argv[2]).versioned(get_asgi_application(), environment="production")
for each in sys.argv[3:]:
    caller = PersistentCaller()
    scope = {**request(path=each), "root_path": "", "query_string": b""}
    run(layer(scope, caller.receive, caller.send))
    print(caller.response.status, caller.response.body.decode())
"""


def test_routes_of_django_declare_them(server: Any, tmp_path: Path) -> None:
    pytest.importorskip("django", reason="an application of Django")
    (tmp_path / "shop_site.py").write_text(DJANGO)
    folder = Path(server.__file__).parents[2]
    command = [sys.executable, str(tmp_path / "shop_site.py"), str(folder), server.__name__]
    paths = ["/api/files/a", "/api/files/a/b", "/api/me/trees/a/b"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    ran = subprocess.run([*command, *paths], capture_output=True, text=True, check=True, env=env)
    ids = ["a", "a/b", "me-a/b"]
    assert ran.stdout.splitlines() == [f'200 {{"id":"{each}"}}' for each in ids]


async def repeat(scope: Any, _: Any, send: Any) -> None:
    """Answer each path; nothing shows which routes exist."""
    response = JSONResponse({"id": scope["path"], "since": "now"})
    await response(scope, _, send)


def test_operations_of_other_applications_are_configured(server: Any) -> None:
    paths = ["/api/files/a/b", "/api/FILES/a/b/", "/api/me/trees/a/b", "/api/files/"]
    unknown = server.versioned(repeat, environment="production")
    assert {"since" in get(unknown, path).json for path in paths} == {True}
    settings = server.Settings(spanning=["getFile", "getTree"])
    named = server.versioned(repeat, environment="production", settings=settings)
    assert [get(named, path).json for path in paths] == [{"id": path} for path in paths]
    assert "since" in get(named, "/api/me/you/trees/a").json
    with pytest.raises(ValueError, match="there is no operation getAll"):
        server.versioned(
            repeat, environment="production", settings=server.Settings(spanning=["getAll"])
        )


def test_proxy_takes_the_names_of_operations(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
    from dateline.proxy.layer import Proxy, build_layer

    package = Generated(tmp_path, loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": API}))
    settings = Proxy(
        upstream={"url": "http://127.0.0.1:1", "connect": 0.1},
        generated=package.folder,
        environment=None,
        prefix=None,
        only=(),
        limits=(),
        spanning=["getFile"],
        errors="declared",
        converters=None,
        account_header=None,
        grace=1,
        logs_requests=False,
    )
    layer, forwarding = build_layer(package.module("server"), settings)

    async def find_versions() -> list[list[str]]:
        try:
            found = []
            for path in ("/api/files/a/b", "/api/me/trees/a/b"):
                scope = {**request(path=path), "scheme": "http", "client": ("127.0.0.1", 1)}
                caller = PersistentCaller()
                await layer(scope, caller.receive, caller.send)
                found.append(caller.response.header("x-api-version"))
            return found
        finally:
            await forwarding.close()

    assert asyncio.run(find_versions()) == [[OLD], []]
