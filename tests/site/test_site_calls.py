"""The Python calls that the site shows work with the clients."""

from __future__ import annotations

import ast
import asyncio
import html
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from paynet.client import ServerFailedError
from support.calls import Scripted
from support.commands import dateline
from support.seeds import IN_CI
from support.sources import loaded
from support.uploads_api import UPLOADS

from dateline.generate import Workspace
from dateline.load import load
from dateline.model import EVERYWHERE
from dateline.project import Projector
from dateline.serve.mock import Mock
from dateline.serve.package import open_server
from dateline.site.calls import PythonCalls, PythonClients
from dateline.site.samples import Samples

SITE = Path(__file__).parents[2] / "generated" / "site"
_SHOWN = re.compile(r"<summary>Python</summary>\s*<pre[^>]*><code>(.*?)</code></pre>", re.S)
_SHOWN_CURL = re.compile(r"<summary>curl</summary>\s*<pre[^>]*><code>(.*?)</code></pre>", re.S)

TEXT: Final = {"type": "string"}
TAGGED: Final = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}}
COMPONENTS: Final[dict[str, Any]] = {
    "Model": {"type": "object", "required": ["a"], "properties": {"a": TEXT, "inner": TAGGED}},
    "Whole": {"allOf": [{"$ref": "#/components/schemas/Model"}]},
    "Union": {"oneOf": [{"$ref": "#/components/schemas/Model"}, {"type": "string"}]},
    "Either": {"type": "object", "properties": {"b": TEXT}, "anyOf": [{"required": ["b"]}, TAGGED]},
    "Absent": {"type": ["object", "null"], "properties": {"a": TEXT}},
    "List": {"type": "array", "items": {"$ref": "#/components/schemas/Model"}},
    "Map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Model"}},
    "Colour": {"type": "string", "enum": ["red", "green"]},
    "Name": TEXT,
    "Id": {"type": "string", "format": "uuid"},
    "Anything": {},
    "Object": {"type": "object"},
    "Open": True,
    "Client": {"type": "object", "properties": {"name": TEXT}},
}
SHAPES: Final[list[Any]] = [
    *({"$ref": f"#/components/schemas/{name}"} for name in COMPONENTS),
    *(each for each in COMPONENTS.values() if each),
    *({"type": "array", "items": each, "minItems": 1} for each in COMPONENTS.values()),
    *({"type": each} for each in ("integer", "number", "boolean", "null")),
    *({"type": "string", "format": each} for each in ("date", "date-time", "decimal", "uri")),
    {"type": "integer", "enum": [1, 2]},
    {"const": 3},
    {"type": ["string", "integer"]},
    {"type": "object", "nullable": True, "properties": {"a": TEXT}, "example": None},
    {"type": "string", "enum": ["only"], "nullable": True},
    {"type": "array", "items": True},
    {"$ref": "#/components/schemas/Nowhere"},
]
# Names that samples use themselves, and variables must not have.
NAMES: Final = ("client", "client_", "Client", "date", "datetime", "UUID", "Decimal", "result")
FORMATS: Final = ("date", "date-time", "uuid", "decimal")
NAMED: Final[list[dict[str, Any]]] = [
    *({"name": name, "schema": {"enum": ["a", "b"]}} for name in NAMES),
    *({"name": f"a_{each}", "schema": {"type": "string", "format": each}} for each in FORMATS),
    # examples of the authors, if they are valid
    *({"name": f"n{each}", "schema": {"type": "integer"}, "example": each} for each in (7, "x")),
]
MEDIA_TYPES: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
OTHER_TYPES: Final = (
    "text/plain",
    "application/octet-stream",
    "multipart/mixed",
    "application/xml",
)


def spell_operation(number: int, media_type: str, schema: Any) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": place, "required": True, "schema": schema}
        for name, place in (("q", "query"), ("X-H", "header"), ("in", "cookie"), ("id", "path"))
    ]
    body = {"required": True, "content": {media_type: {"schema": schema}}}
    return {
        "operationId": f"spell{number}",
        "parameters": parameters if media_type == "application/json" else parameters[3:],
        "requestBody": body,
        "responses": {"204": {"description": "done"}},
    }


SPELLED: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {"title": "Spelled", "version": "1"},
    "servers": [{"url": "https://api.example"}],
    "paths": {
        f"/spell{number}/{{id}}": {"post": spell_operation(number, media_type, schema)}
        for number, (media_type, schema) in enumerate(
            [
                *(("application/json", each) for each in SHAPES),
                *((each, COMPONENTS["Model"]) for each in MEDIA_TYPES),
                *((each, {"$ref": "#/components/schemas/Model"}) for each in MEDIA_TYPES),
                *((each, TEXT) for each in OTHER_TYPES),
            ]
        )
    }
    | {
        "/named": {
            "get": {
                "operationId": "getNamed",
                "parameters": [{**each, "in": "query", "required": True} for each in NAMED],
                "responses": {"204": {"description": "done"}},
            }
        }
    },
    # the first of these has the name of an inline body; the type of the other's property has not
    "components": {
        "schemas": {
            **COMPONENTS,
            f"Spell{len(COMPONENTS)}Body": COMPONENTS["Model"],
            f"Spell{len(SHAPES)}": {"type": "object", "properties": {"body": COMPONENTS["Model"]}},
        }
    },
}


def list_calls(site: Path = SITE, shown: re.Pattern[str] = _SHOWN) -> Iterator[tuple[Path, str]]:
    for page in sorted(site.glob("*/operations/*.html")):
        for found in shown.findall(page.read_text("utf-8")):
            yield page, html.unescape(found)


def test_every_operation_of_every_version_has_a_working_call() -> None:
    calls = list(list_calls())
    assert [page for page, _ in calls] == sorted(SITE.glob("*/operations/*.html"))
    for page, code in calls:
        transport = Scripted([httpx.Response(500)])
        made = code.replace("with Client(", "with Client(transport=transport, ")
        with pytest.raises(ServerFailedError):
            exec(compile(made, str(page), "exec"), {"transport": transport})
        [request] = transport.requests
        [shown] = re.findall(r'class="method \w+">(\w+)<', page.read_text("utf-8"))
        assert request.method == shown
        assert request.headers["X-API-Version"] == page.parts[-3]


@IN_CI
def test_calls_have_the_right_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spelled.json").write_text(json.dumps(SPELLED))
    monkeypatch.chdir(tmp_path)
    adopted = "2026-01-01=spelled.json"
    assert dateline("adopt", adopted, "--header", "X-V", "--package", "spelled").status == 0
    with (tmp_path / "schemas" / "versions.yaml").open("a") as table:
        table.write("site: true\n")
    outcome = dateline("generate")
    assert outcome.status == 0, outcome.err
    readme = (tmp_path / "generated" / "python" / "README.md").read_text()
    assert "from spelled.v2026_01_01.client import AsyncClient, Client" in readme
    calls = [*list_calls(), *list_calls(tmp_path / "generated" / "site")]
    samples = tmp_path / "samples"
    samples.mkdir()
    for number, (_, code) in enumerate(calls):
        (samples / f"call_{number}.py").write_text(code)
        variables, taken = list_bound(code)
        assert len({*variables, *taken}) == len([*variables, *taken])
    assert len(calls) > len(SPELLED["paths"]) + 30
    assert any("n7=7," in code for _, code in calls)
    named = {name for _, code in calls for name in re.findall(r"(Spell\w+)\.model_validate", code)}
    assert f"Spell{len(SHAPES)}Body" in named
    assert f"Spell{len(COMPONENTS)}Body" not in named
    (samples / "newer.py").write_text("from paynet.v2025_03_13 import FedNow\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(samples)]
    environment = {**os.environ, "MYPYPATH": str(tmp_path / "generated" / "python")}
    found = subprocess.run(
        command, cwd=samples, env=environment, capture_output=True, text=True, check=False
    )
    assert found.stdout == (
        'newer.py:1: error: Module "paynet.v2025_03_13" has no attribute "FedNow"  [attr-defined]\n'
        f"Found 1 error in 1 file (checked {len(calls) + 1} source files)\n"
    )


def list_bound(code: str) -> tuple[list[str], list[str]]:
    """Return the variables of arguments in *code*, and the other names that it binds."""
    nodes = [*ast.walk(ast.parse(code))]
    annotated = [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return (
        [ast.unparse(each) for each in annotated],
        ["client", *(name.asname or name.name for each in imports for name in each.names)],
    )


@pytest.fixture(scope="module")
def apps() -> Iterator[dict[str, Any]]:
    """The mocks of the environments by their hosts."""
    top = SITE.parents[1]
    api = load(top / "schemas")
    with open_server(Workspace(schemas=top / "schemas", output=SITE.parent), api) as server:
        yield {
            httpx.URL(each.servers[0]["url"]).host: Mock(api, server, each.name, 0).app
            for each in api.table.environments
        }


def test_mock_accepts_every_request_shown(apps: dict[str, Any]) -> None:
    async def send_all() -> list[str]:
        refused = []
        for page, command in list_calls(SITE, _SHOWN_CURL):
            request = read_curl(command)
            transport = httpx.ASGITransport(apps[request.url.host])
            async with httpx.AsyncClient(transport=transport) as client:
                response = await client.send(request)
            if not response.is_success:
                refused.append(f"{page.name}: {response.status_code} {response.text}")
        return refused

    assert asyncio.run(send_all()) == []


def read_curl(command: str) -> httpx.Request:
    """Return the request that *command* sends."""
    method, url, headers, body = "GET", "", [], None
    words = iter(shlex.split(command.replace("\\\n", ""))[1:])
    for word in words:
        match word:
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers.append((name, value))
            case "--data":
                body = "&".join(filter(None, (body, next(words))))
            case _:
                url = word
    return httpx.Request(method, url, headers=headers, content=body)


def test_form_is_written_with_bytes_for_its_files(tmp_path: Path) -> None:
    api = loaded(tmp_path, UPLOADS)
    projector = Projector(api)
    documents = {each: projector.contract(each, EVERYWHERE).document for each in api.table.dates}
    document = documents["2024-09-01"]
    samples = Samples(document, api.table, "2024-09-01", lambda *_, **__: None)
    environments = {date: {"production": each} for date, each in documents.items()}
    clients = PythonClients(api.table, documents, environments)
    calls = PythonCalls(clients, "2024-09-01", samples.parameter)
    for path, files in (("/scans", ["scan", "pages"]), ("/encoded", ["image"]), ("/free", [])):
        shown = calls.write("POST", path, "")
        found = re.findall(r'"(\w+)": \[?b"\.\.\."', shown)
        assert set(files) <= {*found}, shown
    assert '"pages": [b"..."]' in calls.write("POST", "/scans", "")
