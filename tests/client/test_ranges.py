"""Bodies with a media range, such as springdoc's `*/*`: client, server and site agree."""

from __future__ import annotations

import html
import importlib
import re
from itertools import product
from pathlib import Path
from typing import Any, Final, get_type_hints

import pytest
from click.testing import CliRunner
from support.adopted_projects import VERSION, adopt_project
from support.called_apis import list_misfits
from support.tables import cases

from dateline.cli import main
from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.package import open_server

THING: Final = {"$ref": "#/components/schemas/Thing"}
TEXT: Final = {"type": "string"}
RANGES: Final = {"any": "*/*", "application": "application/*"}

# The media type object of a range, the type in Python, and the media type of requests.
MEDIA: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "object": ({"schema": THING}, "v2024_01_15.Thing", "application/json"),
    "list": (
        {"schema": {"type": "array", "items": THING}},
        "list[v2024_01_15.Thing]",
        "application/json",
    ),
    "number": ({"schema": {"type": "integer"}}, "int", "application/json"),
    "text": ({"schema": TEXT}, "bytes", "text/plain"),
    "file": ({"schema": {**TEXT, "format": "binary"}}, "bytes", "application/octet-stream"),
    "unknown": ({}, "bytes", "application/octet-stream"),
}
CASES: Final = [f"{range}_{media}" for range, media in product(RANGES, MEDIA)]


def document() -> dict[str, Any]:
    bodies = {
        f"{range}_{media}": {"description": "", "content": {RANGES[range]: MEDIA[media][0]}}
        for range, media in product(RANGES, MEDIA)
    }
    specific = {"text/csv": {"schema": TEXT}, "*/*": {"schema": THING}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Ranges", "version": VERSION},
        "paths": {
            **{
                f"/{name}": {
                    "put": {
                        "operationId": f"put_{name}",
                        "requestBody": {**body, "required": True},
                        "responses": {"200": body},
                    },
                    "post": {
                        "operationId": f"post_{name}",
                        "requestBody": {"$ref": f"#/components/requestBodies/{name}"},
                        "responses": {"200": {"$ref": f"#/components/responses/{name}"}},
                    },
                }
                for name, body in bodies.items()
            },
            "/specific": {
                "get": {
                    "operationId": "get_specific",
                    "responses": {"200": {"description": "", "content": specific}},
                }
            },
        },
        "components": {
            "schemas": {
                "Thing": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}},
                }
            },
            "requestBodies": {name: {**body, "required": True} for name, body in bodies.items()},
            "responses": bodies,
        },
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = adopt_project(tmp_path_factory.mktemp("ranges"), document(), "ranges_called")
    with (root / "schemas/versions.yaml").open("a") as table:
        table.write("site: true\n")
    folders = ["--schemas", str(root / "schemas"), "--output", str(root / "generated")]
    assert CliRunner().invoke(main, ["generate", *folders]).exit_code == 0
    return root


@pytest.fixture(scope="module")
def client(project: Path) -> Any:
    api = load(project / "schemas")
    workspace = Workspace(schemas=project / "schemas", output=project / "generated")
    with open_server(workspace, api) as server:
        root = server.__name__.rpartition(".")[0]
        misfits = list(list_misfits(api, server))
        yield importlib.import_module(f"{root}.v2024_01_15.client").Client, misfits


@cases("name", CASES)
def test_methods_take_and_return_what_the_server_does(name: str, client: Any) -> None:
    _, type_, _ = MEDIA[name.partition("_")[2]]
    for method in (f"put_{name}", f"post_{name}"):
        annotations = getattr(client[0], method).__annotations__
        assert annotations == {"body": type_, "return": type_}
        assert get_type_hints(getattr(client[0], method))


def test_json_body_is_preferred_to_other_types(client: Any) -> None:
    assert client[0].get_specific.__annotations__ == {"return": "v2024_01_15.Thing"}


def test_mock_accepts_every_call(client: Any) -> None:
    assert client[1] == []


@cases("name", CASES)
def test_samples_of_the_site_name_the_media_type_that_is_sent(name: str, project: Path) -> None:
    *_, media_type = MEDIA[name.partition("_")[2]]
    page = (project / f"generated/site/2024-01-15/operations/PUT-{name}.html").read_text()
    text = html.unescape(re.sub("<[^>]+>", "", page))
    sent = [media_type] if media_type == "application/json" else []
    assert [*dict.fromkeys(re.findall(r"Content-Type: ([^\s']+)", text))] == sent
