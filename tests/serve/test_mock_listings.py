"""Iterators of clients reach the end of every listing of a mock."""

from __future__ import annotations

import asyncio
import importlib
import json
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx
from support.sources import VERSIONS, folder

from dateline.generate import Workspace
from dateline.load import load
from dateline.python.names import package_name
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

ITEMS: Final = {"type": "array", "items": {"$ref": "#/components/schemas/Loan"}}
TEXT: Final = {"type": "string"}
NULLABLE: Final = {"type": ["string", "null"]}
NUMBER: Final = {"type": "integer", "minimum": 0}
MORE: Final = {"has_more": {"type": "boolean"}}


def _page(required: tuple[str, ...] = (), **members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["items", *required],
        "properties": {"items": ITEMS, **members},
    }


LISTINGS: Final[dict[str, tuple[str, Any, Any]]] = {
    "a cursor that may be absent": ("cursor", TEXT, _page(next_cursor=TEXT)),
    "a cursor that may be null": (
        *("cursor", TEXT),
        _page(("next_cursor",), next_cursor=NULLABLE),
    ),
    "a cursor that may be empty": ("cursor", TEXT, _page(("next_cursor",), next_cursor=TEXT)),
    "a cursor of the same name": ("page_token", TEXT, _page(page_token=TEXT)),
    "a cursor that has another name in older versions": (
        *("cursor", TEXT),
        _page(next_cursor={**TEXT, "x-was": {"2025-06-01": {"name": "cursor_next"}}}),
    ),
    "the last item": ("starting_after", TEXT, _page(("has_more",), **MORE)),
    "a number": ("page", {**NUMBER, "minimum": 1}, _page()),
    "a number from zero": ("page", NUMBER, _page()),
    "an offset": ("offset", NUMBER, _page()),
    "an offset of an array": ("offset", NUMBER, ITEMS),
}

COUNTED: Final = {name for name, (sent, _, _) in LISTINGS.items() if sent in ("page", "offset")}


def _define() -> dict[str, str]:
    paths = {}
    for number, (name, schema, page) in enumerate(LISTINGS.values()):
        content = {"application/json": {"schema": page}}
        paths[f"/loans/{number}"] = {
            "get": {
                "operationId": f"list_loans_{number}",
                "security": [],
                "parameters": [{"name": name, "in": "query", "schema": schema}],
                "responses": {"200": {"description": "loans", "content": content}},
            }
        }
    loan = {"type": "object", "required": ["id"], "properties": {"id": TEXT}}
    api = {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "canonical"},
        "paths": paths,
        "components": {"schemas": {"Loan": loan}},
    }
    return {"versions.yaml": VERSIONS, "api.json": json.dumps(api)}


async def _count(client: Any, number: int) -> tuple[int, int]:
    """Return the number of items on the first page of a listing, and on all pages."""
    page = await getattr(client, f"list_loans_{number}")()
    seen = 0
    async for _ in getattr(client, f"iter_loans_{number}")():
        seen += 1
        assert seen < 1000, "the listing has no end"
    return len(page if isinstance(page, list) else page.items), seen


async def _count_each(client: Any) -> dict[str, tuple[int, int]]:
    async with client:
        return {name: await _count(client, number) for number, name in enumerate(LISTINGS)}


def test_every_listing_ends(tmp_path: Path) -> None:
    schemas = folder(tmp_path, _define())
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        root = server.__name__.rpartition(".")[0]
        for version, seed in product(api.table.supported, range(4)):
            app = Mock(api, server, api.table.environments[0].name, seed).app
            found = importlib.import_module(f"{root}.{package_name(version.date)}.client")
            client = found.AsyncClient(transport=httpx.ASGITransport(app))
            for name, (first, seen) in asyncio.run(_count_each(client)).items():
                assert 0 < first <= seen <= 2 * first, name
                # a page after all counted ones is empty; other pages have their own items
                assert seen == first or name not in COUNTED, name
