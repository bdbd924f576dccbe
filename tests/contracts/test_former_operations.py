"""Operations that exist only in the history of a path item of adopted definitions are served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.generated_server import Generated, ask
from support.sources import loaded

from dateline.canonical.former_operations import with_former_operations
from dateline.project import Projector

FIRST, SECOND, THIRD = "2023-01-15", "2024-01-15", "2025-06-01"
TABLE = f"""\
header: X-API-Version
default: {FIRST}
versions:
  - {{ date: {FIRST}, title: First }}
  - {{ date: {SECOND}, title: Second }}
  - {{ date: {THIRD}, title: Third }}
environments:
  production: {{ servers: [{{ url: https://api.example }}] }}
lint: adopted
policy: dated-contract
python: {{ package: example }}
"""


def operation(name: str, answer: str) -> dict[str, Any]:
    schema = {"type": "object", "required": ["of"], "properties": {"of": {"const": answer}}}
    content = {"application/json": {"schema": schema}}
    return {"operationId": name, "responses": {"200": {"description": "it", "content": content}}}


GET, PUT, OLD_PUT = operation("get_it", "get"), operation("put_it", "put"), operation("put_it", "p")
REFERENCE = {"$ref": "#/components/pathItems/It"}

# Path items, and the answers of each version to GET and PUT.
CASES: dict[str, tuple[dict[str, Any], list[tuple[int, int]]]] = {
    "removed": (
        {"get": GET, "x-was": {THIRD: {"put": PUT}}},
        [(200, 200), (200, 200), (200, 405)],
    ),
    "added and removed": (
        {"get": GET, "x-was": {THIRD: {"put": PUT}, SECOND: {"put": None}}},
        [(200, 405), (200, 200), (200, 405)],
    ),
    "behind a reference": (
        {**REFERENCE, "x-was": {THIRD: {"$ref": None, "get": GET, "put": PUT}}},
        [(200, 200), (200, 200), (200, 405)],
    ),
    # callers of a version without responses are sent an empty one
    "responses removed": (
        {"get": {"operationId": "get_it", "x-was": {THIRD: {"responses": GET["responses"]}}}},
        [(200, 405), (200, 405), (204, 405)],
    ),
    "responses removed and added": (
        {
            "get": {
                **GET,
                "x-was": {THIRD: {"responses": {}}, SECOND: {"responses": GET["responses"]}},
            }
        },
        [(200, 405)] * 3,
    ),
    "as it is": ({"get": GET}, [(200, 405)] * 3),
}


@pytest.mark.parametrize("case", CASES)
def test_callers_of_old_versions_are_answered(case: str, tmp_path: Path) -> None:
    item, expected = CASES[case]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "It", "version": THIRD},
        "paths": {"/it": item},
        "components": {"pathItems": {"It": {"get": GET}}},
    }
    api = loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": json.dumps(document)})
    published = Projector(with_former_operations(api))
    for version in api.table.dates:
        found = published.contract(version, "production").document["paths"]["/it"]
        was = Projector(api).contract(version, "production").document
        assert {"get", "put"} & found.keys() == {"get", "put"} & (
            was["paths"]["/it"].keys() | ({"get"} if "$ref" in was["paths"]["/it"] else set())
        )
    generated = Generated(tmp_path / "generated", api)

    class Handlers:
        async def get_it(self, _: Any) -> Any:
            return {"of": "get"}

        async def put_it(self, _: Any) -> Any:
            return {"of": "put"}

    server = generated.module("server")
    app = server.create_app(server.Handlers(default=Handlers()), environment="production")
    statuses = [
        tuple(
            ask(app, method, "/it", headers={"X-API-Version": version}).status_code
            for method in ("GET", "PUT")
        )
        for version in api.table.dates
    ]
    assert statuses == expected


def test_operation_keeps_its_old_contract(tmp_path: Path) -> None:
    item = {"get": GET, "x-was": {THIRD: {"put": PUT}, SECOND: {"put": OLD_PUT}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "It", "version": THIRD},
        "paths": {"/it": item},
    }
    api = loaded(tmp_path, {"versions.yaml": TABLE, "api.yaml": json.dumps(document)})
    found = with_former_operations(api)
    assert found.document["paths"]["/it"] == {
        "get": GET,
        "put": {
            **PUT,
            "x-removed": THIRD,
            "x-was": {SECOND: {"responses": OLD_PUT["responses"]}},
        },
    }
    assert [
        Projector(found).contract(version, "production").document["paths"]
        for version in api.table.dates
    ] == [
        Projector(api).contract(version, "production").document["paths"]
        for version in api.table.dates
    ]
