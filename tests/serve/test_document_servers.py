"""Servers in documents, for an API without environments: each door serves below their paths."""

from __future__ import annotations

import html
import re
from pathlib import Path

import httpx
import pytest
from support.exchanges import serving
from support.generated_server import Generated, ask
from support.placed import Handlers, Newest, RecordingTransport, open_door
from support.sources import loaded
from support.tables import cases

from dateline.addresses import read_addresses
from dateline.addresses import read_path as read_path_of
from dateline.model import Api
from dateline.project import Projector
from dateline.render import render
from dateline.serve.lines import format_lines
from dateline.serve.mock import Mock

OLD, NEW = "2024-01-01", "2025-01-01"
VERSIONS = (OLD, NEW)

TABLE = """\
header: X-API-Version
default: 2024-01-01
versions:
  - { date: 2024-01-01, title: The first. }
  - { date: 2025-01-01, title: The second. }
policy: dated-contract
site: true
lint: adopted
python: { package: placed }
"""

SPELLED: dict[str, tuple[str, ...]] = {
    # the servers as written, and the address in either version
    "absent": ("", "", ""),
    "empty": ("[]", "", ""),
    "slash": ("[{ url: / }]", "", ""),
    "host": ("[{ url: https://api.example }]", "https://api.example", "https://api.example"),
    "rooted": ("[{ url: https://api.example/ }]", "https://api.example", "https://api.example"),
    "path": ("[{ url: https://api.example/v1 }]", *["https://api.example/v1"] * 2),
    "ending": ("[{ url: https://api.example/v1/ }]", *["https://api.example/v1"] * 2),
    "deep": ("[{ url: https://api.example/a/b%20c/d }]", *["https://api.example/a/b%20c/d"] * 2),
    "relative": ("[{ url: /v1 }]", "/v1", "/v1"),
    "bare": ("[{ url: v1/x }]", "/v1/x", "/v1/x"),
    "dots": ("[{ url: ./v1 }]", "/v1", "/v1"),
    "no_scheme": ("[{ url: //api.example/v1 }]", *["https://api.example/v1"] * 2),
    "variables": (
        "[{ url: 'https://{region}.example/{stage}/v1', variables: { region: { default: eu },"
        " stage: { default: live, enum: [live, test] } } }]",
        *["https://eu.example/live/v1"] * 2,
    ),
    "whole": (
        "[{ url: '{base}/v1', variables: { base: { default: https://api.example/api } } }]",
        *["https://api.example/api/v1"] * 2,
    ),
    "undefined": ("[{ url: 'https://api.example/{stage}' }]", *["https://api.example/stage"] * 2),
    "variable_host": ("[{ url: '{endpoint}/v1', variables: { endpoint: {} } }]", "/v1", "/v1"),
    "no_host": ("[{ url: 'https://{tenant}.example/v1' }]", "/v1", "/v1"),
    "several": (
        "[{ url: https://api.example/one }, { url: https://two.example/two }]",
        *["https://api.example/one"] * 2,
    ),
    "replaced": (
        f"[{{ url: https://api.example/v1, x-removed: {NEW} }},"
        f" {{ url: https://api.example/v2, x-added: {NEW} }}]",
        "https://api.example/v1",
        "https://api.example/v2",
    ),
    "inside": (
        f"[{{ url: https://api.example/v1, x-removed: {NEW} }},"
        f" {{ url: https://api.example/v1/v2, x-added: {NEW} }}]",
        "https://api.example/v1",
        "https://api.example/v1/v2",
    ),
    "later": (f"[{{ url: https://api.example/v1, x-added: {NEW} }}]", "", "https://api.example/v1"),
    "earlier": (
        f"[{{ url: https://api.example/v1, x-removed: {NEW} }}]",
        "https://api.example/v1",
        "",
    ),
    "unplaced": (
        "[{ url: https://no.example/no, x-environments: [production] }]",
        *["https://no.example/no"] * 2,
    ),
}


def write_api(servers: str) -> str:
    written = f"servers: {servers}\n" if servers else ""
    return f"""\
openapi: 3.1.0
info: {{ title: Things, version: canonical }}
{written}tags: [{{ name: Things }}]
paths:
  /things/{{id}}:
    get:
      operationId: getThing
      tags: [Things]
      parameters:
        - {{ name: id, in: path, required: true, schema: {{ type: string, examples: [a] }} }}
        - {{ $ref: '#/components/parameters/Version' }}
      responses:
        '200':
          description: one
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
  /files/{{id}}:
    get:
      operationId: getFile
      tags: [Things]
      servers: [{{ url: https://uploads.example/files }}]
      parameters:
        - {{ name: id, in: path, required: true, schema: {{ type: string, examples: [a] }} }}
        - {{ $ref: '#/components/parameters/Version' }}
      responses:
        '200':
          description: one
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
components:
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


Placed = tuple[Generated, Api]


def place(folder: Path, servers: str, table: str = TABLE) -> Placed:
    api = loaded(folder, {"versions.yaml": table, "api.yaml": write_api(servers)})
    return Generated(folder / "made", api), api


# All doors read addresses with one function: these suffice where something is generated.
EXAMPLES = ("absent", "deep", "replaced", "later")
SERVED = (*EXAMPLES, "slash", "relative", "no_host", "inside", "earlier")


@cases("spelled", SPELLED)
def test_servers_of_any_spelling_have_an_address(spelled: str, tmp_path: Path) -> None:
    servers, *expected = SPELLED[spelled]
    contracts = Projector(
        loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": write_api(servers)})
    )
    for version, address in zip(VERSIONS, expected, strict=True):
        document = contracts.contract(version, "production").document
        assert read_addresses({"": document}) == ({"": address} if "://" in address else {})
        assert read_path_of(document.get("servers")) == read_path(address)


@pytest.fixture(scope="module", params=SERVED)
def placed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Placed:
    return place(tmp_path_factory.mktemp(request.param), SPELLED[request.param][0])


@pytest.fixture
def addresses(request: pytest.FixtureRequest) -> dict[str, str]:
    """The address in each version."""
    spelled = request.node.callspec.params["placed"]
    return dict(zip(VERSIONS, SPELLED[spelled][1:], strict=True))


def read_path(address: str) -> str:
    return httpx.URL(address).raw_path.decode().rstrip("/") if address else ""


def test_operations_are_below_the_path_of_the_version(
    placed: Placed, addresses: dict[str, str]
) -> None:
    check_addresses("server", placed, addresses)


@pytest.mark.parametrize("placed", EXAMPLES, indirect=True)
@pytest.mark.parametrize("door", ["around", "mock", "proxy"])
def test_other_doors_have_operations_below_the_path_of_the_version(
    door: str, placed: Placed, addresses: dict[str, str]
) -> None:
    check_addresses(door, placed, addresses)


def check_addresses(door: str, placed: Placed, addresses: dict[str, str]) -> None:
    made, api = placed
    behind = Newest()
    paths = {version: read_path(address) for version, address in addresses.items()}
    with open_door(door, made, api, "production", behind) as app:
        for version in VERSIONS:
            module = made.module(f"v{version.replace('-', '_')}")
            address = addresses[version]
            transport = RecordingTransport(app)
            for base in ([""] if "://" in address else []) + [f"http://h{paths[version]}"]:
                given = {"base_url": base} if base else {}
                client = module.Client(transport=transport, **given)
                found = client.get_thing("a")
                assert (found.id, hasattr(found, "more")) == ("a", version == NEW)
                assert transport.urls[-1] == f"{base or address}/things/a"
                if behind.paths:
                    assert behind.paths[-1] == f"{paths[NEW]}/things/a"
                assert client.get_file("a").id == "a"
                assert transport.urls[-1].endswith("/files/files/a")


@pytest.mark.parametrize("door", ["server", "around"])
def test_version_is_not_served_below_the_path_of_another(
    door: str, placed: Placed, addresses: dict[str, str]
) -> None:
    made, api = placed
    behind = Newest()
    paths = {version: read_path(address) for version, address in addresses.items()}
    with open_door(door, made, api, "production", behind) as app:
        for version in VERSIONS:
            for path in {*paths.values(), "", "/v1", "/elsewhere"}:
                behind.paths.clear()
                headers = {"X-API-Version": version}
                answer = ask(app, "GET", f"{path}/things/a", headers=headers)
                if door == "around" and path not in paths.values():
                    # the application may have something there
                    assert "X-API-Version" not in answer.headers
                    continue
                is_there = paths[version] == path
                assert answer.status_code == (200 if is_there else 404), path
                assert is_there or behind.paths == []


@pytest.mark.parametrize("placed", EXAMPLES, indirect=True)
@pytest.mark.parametrize("prefix", ["", "/gate"])
@pytest.mark.parametrize("door", ["server", "around"])
def test_prefix_in_the_settings_replaces_the_path_in_every_version(
    door: str, prefix: str, placed: Placed
) -> None:
    made, api = placed
    behind = Newest()
    with open_door(door, made, api, "production", behind, prefix=prefix) as app:
        for version in VERSIONS:
            headers = {"X-API-Version": version}
            answer = ask(app, "GET", f"{prefix}/things/a", headers=headers)
            assert answer.json() == {"id": "a", **({"more": 1} if version == NEW else {})}
            assert set(behind.paths) <= {f"{prefix}/things/a"}
            assert ask(app, "GET", "/files/files/a", headers=headers).status_code == 200
            behind.paths.clear()


def test_lines_printed_by_serve_point_to_the_mock(
    placed: Placed, addresses: dict[str, str]
) -> None:
    made, api = placed
    mock = Mock(api, made.module("server"), "production", 0)
    head, *rest = format_lines(mock, api.table.environments[0], "http://m")
    assert head == f"placed, production: http://m{read_path(addresses[NEW])}"
    tried = [each for each in rest if "curl" in each]
    for version, command in zip(VERSIONS, tried[:2], strict=True):
        [url] = re.findall(r"http://m[^\s']*", command)
        assert url == f"http://m{read_path(addresses[version])}/things/a"
        assert f"X-API-Version: {version}" in command
    for command in tried[2:]:
        [url] = re.findall(r"http://m[^\s']*", command)
        assert ask(mock.app, "GET", url.removeprefix("http://m")).status_code == 200


@pytest.mark.parametrize("placed", SERVED[:7], indirect=True)
def test_samples_have_the_path_of_the_version(placed: Placed, addresses: dict[str, str]) -> None:
    rendered = render(placed[1], models=False, validate=False).artifacts
    for version, address in addresses.items():
        [page] = [
            html.unescape(re.sub(r"<[^>]*>", "", each.content.decode()))
            for each in rendered
            if each.path.startswith(f"site/{version}/operations/") and b"/things/" in each.content
        ]
        path = read_path(address)
        if "://" in address:
            assert f"curl {address}/things/a" in page
            assert "base_url" not in page
        else:
            assert re.search(rf"https://[^/\s]*{path}/things/a", page)
            assert f'base_url="https://api.example.com{path}"' in page


@pytest.mark.parametrize("door", ["server", "mock", "around"])
def test_versions_in_paths_follow_the_path_of_the_servers(door: str, tmp_path: Path) -> None:
    table = TABLE.replace("header: X-API-Version", "path: true")
    for name in ("path", "slash", "replaced"):
        made, api = place(tmp_path / name, SPELLED[name][0], table)
        with open_door(door, made, api, "production", Newest()) as app:
            for version, address in zip(VERSIONS, SPELLED[name][1:], strict=True):
                found = ask(app, "GET", f"{read_path(address)}/{version}/things/a")
                assert (found.status_code, "more" in found.json()) == (200, version == NEW)


@pytest.mark.parametrize(
    ("environments", "path"),
    [
        ("{ production: {}, sandbox: { servers: [{ url: https://s.example/s }] } }", "/v1"),
        ("{ production: { servers: [{ url: https://api.example }] } }", ""),
        ("{ production: { servers: [{ url: https://api.example/api }] } }", "/api"),
    ],
)
def test_servers_of_environments_replace_those_of_documents(
    environments: str, path: str, tmp_path: Path
) -> None:
    table = f"{TABLE}environments: {environments}\n"
    made, _ = place(tmp_path, SPELLED["path"][0], table)
    app = made.module("server").create_app(Handlers(), environment="production")
    assert ask(app, "GET", f"{path}/things/a").json() == {"id": "a"}


def test_operations_below_the_path_of_the_documents_need_another_prefix(tmp_path: Path) -> None:
    made, api = place(tmp_path, "[{ url: https://api.example/spec/v1 }]")
    for door in ("server", "around"):
        behind = Newest()
        with open_door(door, made, api, "production", behind) as app:
            assert ask(app, "GET", "/spec/v1/things/a").status_code == 404
            assert behind.paths == []
        with open_door(door, made, api, "production", behind, prefix="/v1") as app:
            assert ask(app, "GET", "/v1/things/a").json() == {"id": "a"}


@pytest.mark.parametrize(
    ("prefix", "path"),
    [(None, "/v1"), ("", ""), ("/", ""), ("/gate", "/gate"), ("/gate/", "/gate")],
)
def test_proxy_accepts_a_prefix(prefix: str | None, path: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
    from dateline.proxy.layer import Proxy, build_layer

    made, _ = place(tmp_path, SPELLED["path"][0])
    behind = Newest()
    with serving(behind, "h11") as port:
        settings = Proxy(
            upstream={"url": f"http://127.0.0.1:{port}"},
            generated=made.folder,
            environment=None,
            prefix=prefix,
            only=(),
            limits=(),
            spanning=(),
            errors="declared",
            converters=None,
            account_header=None,
            grace=1,
            logs_requests=False,
        )
        layer, _ = build_layer(made.module("server"), settings)
        with serving(layer, "h11", lifespan="on") as number:
            answer = httpx.get(f"http://127.0.0.1:{number}{path}/things/a")
    assert answer.json() == {"id": "a"}
    assert behind.paths == [f"{path}/things/a"]
