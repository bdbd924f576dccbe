"""Operations with servers of their own: clients, samples and each door use the same addresses."""

from __future__ import annotations

import asyncio
import html
import re
from functools import cache
from itertools import count, product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from support.generated_server import Generated, ask
from support.placed import Handlers, Newest, RecordingTransport, open_door
from support.sources import loaded

from dateline.load import load
from dateline.model import Api
from dateline.render import render
from dateline.serve.lines import format_lines
from dateline.serve.mock import Mock

OLD, NEW = "2024-01-01", "2025-01-01"
HOSTS = {"production": "https://api.example", "sandbox": "https://sandbox.example"}
PREFIXES = {"production": "/api", "sandbox": ""}

TABLE = """\
header: X-API-Version
default: 2024-01-01
versions:
  - { date: 2024-01-01, title: The first. }
  - { date: 2025-01-01, title: The second. }
environments:
  production: { servers: [{ url: https://api.example/api }] }
  sandbox: { servers: [{ url: https://sandbox.example/ }] }
policy: dated-contract
site: true
lint: adopted
python: { package: placed }
"""

OWN: dict[str, tuple[str, str | dict[str, str]]] = {
    # the servers as written, and the address by environment and version if it differs
    "none": ("", {env: HOSTS[env] + PREFIXES[env] for env in HOSTS}),
    "other": ("[{ url: https://uploads.example/files }]", "https://uploads.example/files"),
    "slash": ("[{ url: https://uploads.example/slash/ }]", "https://uploads.example/slash"),
    "root": ("[{ url: https://root.example }]", "https://root.example"),
    "rooted": ("[{ url: https://root.example/ }]", "https://root.example"),
    "same": ("[{ url: https://same.example/api }]", "https://same.example/api"),
    "usual": ("[{ url: https://api.example/api }]", "https://api.example/api"),
    "relatively": ("[{ url: api/ }]", {env: f"{HOSTS[env]}/api" for env in HOSTS}),
    "inside": ("[{ url: https://api.example/api/inside }]", "https://api.example/api/inside"),
    "deep": ("[{ url: https://deep.example/a/b%20c/d }]", "https://deep.example/a/b%20c/d"),
    "relative": ("[{ url: /relative }]", {env: f"{HOSTS[env]}/relative" for env in HOSTS}),
    "bare": ("[{ url: bare/v1 }]", {env: f"{HOSTS[env]}/bare/v1" for env in HOSTS}),
    "dots": ("[{ url: ./dots }]", {env: f"{HOSTS[env]}/dots" for env in HOSTS}),
    "slashed": ("[{ url: / }]", HOSTS),
    "variable": (
        "[{ url: 'https://{region}.example/{stage}/v1', variables: { region: { default: eu },"
        " stage: { default: live, enum: [live, test] } } }]",
        "https://eu.example/live/v1",
    ),
    "several": (
        "[{ url: https://one.example/one }, { url: https://two.example/two }]",
        "https://one.example/one",
    ),
    "removed": (
        f"[{{ url: https://x.example/before, x-removed: {NEW} }},"
        f" {{ url: https://x.example/after, x-added: {NEW} }}]",
        {OLD: "https://x.example/before", NEW: "https://x.example/after"},
    ),
    "later": (
        f"[{{ url: https://x.example/later, x-added: {NEW} }}]",
        {
            f"production {OLD}": "https://api.example/api",
            f"sandbox {OLD}": "https://sandbox.example",
            NEW: "https://x.example/later",
        },
    ),
    "sandbox": (
        "[{ url: https://x.example/sandboxed, x-environments: [sandbox] }]",
        {"production": "https://api.example/api", "sandbox": "https://x.example/sandboxed"},
    ),
}
LEVELS = ("operation", "path", "both")
CALLED = [*(("get", level) for level in LEVELS), ("put", "both")]


def address(name: str, environment: str, version: str, level: str = "") -> str:
    """Return the address of the operations of *name*, with the servers of *level*."""
    gone = (("sandbox", "production"), ("later", environment))
    if level == "both" and (name == "sandbox" or version == OLD) and (name, environment) in gone:
        # it inherits the servers of its path
        return "https://lost.example/lost"
    found = OWN[name][1]
    if isinstance(found, str):
        return found
    keys = (f"{environment} {version}", environment, version)
    return next(found[key] for key in keys if key in found)


def operation(name: str, level: str, method: str) -> str:
    servers = f"servers: {OWN[name][0]}, " if level != "path" and OWN[name][0] else ""
    return f"""\
    {method}:
      {{ operationId: {method}{name.capitalize()}{level.capitalize()}, tags: [Things], {servers}
        parameters: [{{ $ref: '#/components/parameters/Version' }}],
        responses: {{ '200': {{ description: one, content: {{
          application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }} }} }}
"""


def write_api() -> str:
    text = """\
openapi: 3.1.0
info: { title: Things, version: canonical }
tags: [{ name: Things }]
paths:
"""
    for name, (servers, _) in OWN.items():
        for level in LEVELS:
            text += f"  /{name}-{level}/{{id}}:\n"
            text += "    parameters: [{ name: id, in: path, required: true,"
            text += " schema: { type: string, examples: [a] } }]\n"
            if servers and level != "operation":
                around = servers if level == "path" else "[{ url: https://lost.example/lost }]"
                text += f"    servers: {around}\n"
            text += operation(name, level, "get") + operation(name, level, "put")
    return f"""{text}components:
  parameters:
    Version:
      {{ name: X-API-Version, in: header, schema: {{ type: string }} }}
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: {{ type: string, examples: [a] }}
        more: {{ type: integer, x-added: {NEW} }}
"""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Api:
    return loaded(tmp_path_factory.mktemp("api"), {"versions.yaml": TABLE, "api.yaml": write_api()})


@pytest.fixture(scope="module")
def made(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return Generated(tmp_path_factory.mktemp("made"), api)


Placed = tuple[Generated, Api]


@pytest.fixture(scope="module")
def in_path(tmp_path_factory: pytest.TempPathFactory) -> Placed:
    """The same with versions in paths."""
    table = TABLE.replace("header: X-API-Version", "path: true")
    folder = tmp_path_factory.mktemp("path")
    api = loaded(folder, {"versions.yaml": table, "api.yaml": write_api()})
    return Generated(folder / "made", api), api


@pytest.mark.parametrize(
    ("door", "environment"),
    [
        *product(("server", "around"), HOSTS),
        # these serve at the addresses of the others
        *(("mock", "sandbox"), ("proxy", "production")),
    ],
)
def test_clients_reach_every_operation(
    door: str, environment: str, made: Generated, api: Api
) -> None:
    behind = Newest()
    with open_door(door, made, api, environment, behind) as app:
        for version in (OLD, NEW):
            transport = RecordingTransport(app)
            module = made.module(f"v{version.replace('-', '_')}")
            called = CALLED if door == "server" else CALLED[:1]
            for base in ("", f"http://localhost{PREFIXES[environment]}"):
                settings = {"base_url": base} if base else {}
                client = module.Client(environment=environment, transport=transport, **settings)
                for name in OWN:
                    for method, level in CALLED[:1] if base else called:
                        found = getattr(client, f"{method}_{name}_{level}")("a")
                        assert found.id == "a"
                        assert (hasattr(found, "more")) == (version == NEW)
                        whole = f"{address(name, environment, version, level)}/{name}-{level}/a"
                        if base:
                            host = httpx.URL(base)
                            whole = str(host.copy_with(raw_path=httpx.URL(whole).raw_path))
                        assert transport.urls[-1] == whole
                        if behind.paths:
                            newest = httpx.URL(
                                address(name, environment, NEW, level)
                            ).raw_path.decode()
                            assert behind.paths[-1] == f"{newest.rstrip('/')}/{name}-{level}/a"


@pytest.mark.parametrize("door", ["server", "around"])
def test_operations_exist_only_at_the_address_of_their_version_and_environment(
    door: str, made: Generated, api: Api
) -> None:
    places = [*product(HOSTS, (OLD, NEW))]
    known = {address(name, *place) for name in OWN for place in places}
    paths = sorted({httpx.URL(each).raw_path.decode().rstrip("/") for each in known})
    lots = count()
    for environment in HOSTS:
        behind = Newest()
        with open_door(door, made, api, environment, behind) as app:
            for name in OWN:
                own = {
                    version: httpx.URL(address(name, environment, version)).raw_path.decode()
                    for version in (OLD, NEW)
                }
                # those of the operation, and some of others
                near = {
                    httpx.URL(address(name, env, day)).raw_path.decode().rstrip("/")
                    for env, day in places
                }
                tried = [path for path in paths if path in near or next(lots) % 5 == 0]
                for version in (OLD, NEW):
                    for path in tried:
                        behind.paths.clear()
                        url = f"{path}/{name}-operation/a"
                        answer = ask(app, "GET", url, headers={"X-API-Version": version})
                        is_there = own[version].rstrip("/") == path
                        if door == "around" and path not in {x.rstrip("/") for x in own.values()}:
                            # the application may have something there
                            assert "X-API-Version" not in answer.headers
                            continue
                        assert answer.status_code == (200 if is_there else 404), url
                        assert is_there or behind.paths == []


def test_prefix_in_the_settings_replaces_only_that_of_the_environment(
    made: Generated, api: Api
) -> None:
    for door in ("server", "around"):
        with open_door(door, made, api, "production", Newest(), prefix="/x") as app:
            for name in (
                "none",
                "other",
                "root",
                "same",
                "slashed",
                "later",
                "usual",
                "relatively",
            ):
                whole = address(name, "production", OLD)
                is_usual = name in ("none", "later", "usual", "relatively")
                path = "/x" if is_usual else httpx.URL(whole).path.rstrip("/")
                answer = ask(app, "GET", f"{path}/{name}-path/a")
                assert (answer.status_code, answer.json()) == (200, {"id": "a"})


@pytest.mark.parametrize(
    ("environment", "base", "root"),
    [
        ("production", "http://h/v/api", "/v"),
        ("production", "http://h/v/api/", "/v"),
        ("production", "http://h/v", ""),
        ("production", "http://h", ""),
        ("sandbox", "http://h/v", "/v"),
        ("sandbox", "http://h/v/w/", "/v/w"),
        ("sandbox", "http://h", ""),
    ],
)
def test_clients_of_a_mounted_server_reach_every_operation(
    environment: str, base: str, root: str, made: Generated
) -> None:
    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, json={"id": str(request.url)})
    )
    settings = {"environment": environment, "base_url": base, "transport": transport}
    client = made.module("v2024_01_01").Client(**settings)
    for name in ("none", "other", "root", "deep", "relative", "slashed", "usual", "relatively"):
        own = address(name, environment, OLD)
        is_usual = own == HOSTS[environment] + PREFIXES[environment]
        whole = f"http://h{root}{httpx.URL(own).raw_path.decode().rstrip('/')}"
        whole = base.rstrip("/") if is_usual else whole
        assert getattr(client, f"get_{name}_path")("a").id == f"{whole}/{name}-path/a"


def test_locations_of_a_mounted_server_lead_to_operations_of_all_servers(made: Generated) -> None:
    server = made.module("server")

    class Located(Handlers):
        async def __call__(self, *_: Any, **__: Any) -> Any:
            return server.Reply({"id": "a", "more": 1}, headers={"Location": self.location})

        location = ""

    handlers = Located()
    app = server.create_app(handlers, environment="production")
    for location, expected in [
        ("/api/none-path/b", "/v/api/none-path/b"),
        ("/files/other-path/b", "/v/files/other-path/b"),
        ("/root-path/b", "/v/root-path/b"),
        ("/elsewhere/b", "/elsewhere/b"),
    ]:
        Located.location = location

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(app, root_path="/v")
            async with httpx.AsyncClient(transport=transport, base_url="http://h") as client:
                return await client.get("/v/root-path/a")

        found = asyncio.run(answer())
        assert (found.status_code, found.headers["location"]) == (200, expected)


@cache
def list_pages(folder: Path) -> dict[str, str]:
    """Return the pages of operations of the site for the definitions in *folder*."""
    rendered = render(load(folder), models=False, validate=False).artifacts
    return {each.path: each.content.decode() for each in rendered if "/operations/" in each.path}


def list_samples(api: Api, version: str) -> set[str]:
    """Return the addresses of the `curl` commands on the site."""
    return {
        html.unescape(found)
        for path, page in list_pages(api.folder).items()
        if path.startswith(f"site/{version}/")
        for found in re.findall(r"curl (?:-X \w+ )?([^\s<]+)", page)
    }


def test_samples_use_the_addresses_that_clients_call(api: Api) -> None:
    for version in (OLD, NEW):
        shown = list_samples(api, version)
        for name in OWN:
            for level in LEVELS:
                assert f"{address(name, 'production', version, level)}/{name}-{level}/a" in shown


def test_commands_printed_by_serve_reach_the_mock(made: Generated, api: Api) -> None:
    for environment in api.table.environments:
        mock = Mock(api, made.module("server"), environment.name, 0)
        tried = [each for each in format_lines(mock, environment, "http://m") if "curl" in each][:2]
        for command in tried:
            [url] = re.findall(r"http://m[^\s']*", command)
            assert ask(mock.app, "GET", url.removeprefix("http://m")).status_code == 200


@pytest.mark.parametrize("door", ["server", "mock", "around"])
def test_versions_in_paths_follow_the_path_of_any_server(door: str, in_path: Placed) -> None:
    made, api = in_path
    behind = Newest()
    with open_door(door, made, api, "production", behind) as app:
        for version in (OLD, NEW):
            samples = list_samples(api, version)
            transport = RecordingTransport(app)
            client = made.module(f"v{version.replace('-', '_')}").Client(transport=transport)
            for name in ("none", "other", "root", "inside", "deep", "removed", "later"):
                found = getattr(client, f"get_{name}_operation")("a")
                assert hasattr(found, "more") == (version == NEW)
                whole = f"{address(name, 'production', version)}/{version}/{name}-operation/a"
                assert transport.urls[-1] == whole
                assert whole in samples
                if behind.paths:
                    newest = httpx.URL(address(name, "production", NEW)).path.rstrip("/")
                    assert unquote(behind.paths[-1]) == f"{newest}/{name}-operation/a"


def test_operations_with_the_same_path_on_two_hosts_are_distinct(tmp_path: Path) -> None:
    text = write_api().replace("paths:\n", "paths:\n" + CLASH, 1)
    made = Generated(tmp_path, loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": text}))
    [note] = [each for each in made.notes if "501" in each]
    assert "2 operations can't be served at every version" in note
    assert "has the same address on another host" in note
    app = made.module("server").create_app(Handlers(), environment="production")
    assert ask(app, "GET", "/api/v2/x").status_code == 501
    assert ask(app, "GET", "/api/other").status_code == 200


CLASH = """\
  /v2/x:
    get: { operationId: getOne, tags: [Things], responses: { '200': { description: one } },
      parameters: [{ $ref: '#/components/parameters/Version' }] }
  /x:
    get: { operationId: getTwo, tags: [Things], responses: { '200': { description: one } },
      servers: [{ url: https://two.example/api/v2 }] }
  /other:
    get: { operationId: getOther, tags: [Things], responses: { '200': { description: one } },
      parameters: [{ $ref: '#/components/parameters/Version' }] }
"""
