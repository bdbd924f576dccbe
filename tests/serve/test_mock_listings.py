"""Iterators of clients reach the end of every listing of a mock."""

from __future__ import annotations

import asyncio
import importlib
import json
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from support.sources import VERSIONS, folder

from dateline.generate import Workspace
from dateline.load import load
from dateline.python.names import package_name
from dateline.serve.mock import Mock
from dateline.serve.package import package

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


def _define(name: str, schema: Any, page: Any) -> dict[str, str]:
    get = {
        "operationId": "listLoans",
        "security": [],
        "parameters": [{"name": name, "in": "query", "schema": schema}],
        "responses": {
            "200": {"description": "loans", "content": {"application/json": {"schema": page}}}
        },
    }
    loan = {"type": "object", "required": ["id"], "properties": {"id": TEXT}}
    api = {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "canonical"},
        "paths": {"/loans": {"get": get}},
        "components": {"schemas": {"Loan": loan}},
    }
    return {"versions.yaml": VERSIONS, "api.json": json.dumps(api)}


async def _count(client: Any) -> tuple[int, int]:
    """Return the number of items on the first page, and on all pages."""
    async with client:
        page = await client.list_loans()
        seen = 0
        async for _ in client.iter_loans():
            seen += 1
            assert seen < 1000, "the listing has no end"
    return len(page if isinstance(page, list) else page.items), seen


@pytest.mark.parametrize("name", LISTINGS)
def test_every_listing_ends(name: str, tmp_path: Path) -> None:
    schemas = folder(tmp_path, _define(*LISTINGS[name]))
    api = load(schemas)
    with package(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        root = server.__name__.rpartition(".")[0]
        for version, seed in product(api.table.supported, range(4)):
            app = Mock(api, server, api.table.environments[0].name, seed).app
            found = importlib.import_module(f"{root}.{package_name(version.date)}.client")
            client = found.AsyncClient(transport=httpx.ASGITransport(app))
            first, seen = asyncio.run(_count(client))
            assert 0 < first <= seen <= 2 * first
            # a page after all counted ones is empty; other pages have their own items
            assert seen == first or name not in COUNTED
