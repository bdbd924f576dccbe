"""Call every operation of every version on mocks of complete APIs."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.called_apis import list_misfits
from support.mocks import payments_server
from support.sources import LIBRARY, VERSIONS, folder

from dateline.adopt import adopt
from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

SCHEMAS = Path(__file__).parents[2] / "schemas"
DATA = Path(__file__).parents[3] / "shared" / "data"
DECIMALS = {
    "versions.yaml": VERSIONS,
    "api.yaml": """\
openapi: 3.1.0
info: { title: Rates, version: v1 }
paths:
  /rates/{above}:
    post:
      operationId: findRates
      security: []
      parameters:
        - { name: above, in: path, required: true, schema: DECIMAL }
        - { name: below, in: query, required: true, schema: DECIMAL }
        - { name: steps, in: query, schema: { type: array, minItems: 1, items: DECIMAL } }
        - { name: Margin, in: header, required: true, schema: DECIMAL }
      requestBody: { required: true, content: { application/json: { schema: RATE } } }
      responses:
        '200':
          description: rates
          content: { application/json: { schema: RATE } }
components:
  schemas:
    Rate:
      type: object
      required: [fee, cents]
      properties:
        fee: { anyOf: [DECIMAL, { type: integer }] }
        cents: { type: string, format: decimal, pattern: '^[0-9]+[.][0-9]{2}$' }
        late: { type: string, format: decimal, x-added: 2025-06-01 }
""".replace("RATE", "{ $ref: '#/components/schemas/Rate' }").replace(
        "DECIMAL", "{ type: string, format: decimal }"
    ),
}


def call_all(schemas: Path) -> list[str]:
    api = load(schemas)
    with open_server(
        Workspace(schemas=schemas, output=schemas.parent / "generated"), api
    ) as server:
        return list(list_misfits(api, server))


def test_every_operation_of_the_payment_api_is_called() -> None:
    assert list(list_misfits(load(SCHEMAS), payments_server())) == []


def test_every_operation_is_called_after_renames_and_through_converters(tmp_path: Path) -> None:
    assert call_all(folder(tmp_path, LIBRARY)) == []


def test_operations_with_decimal_numbers_are_called(tmp_path: Path) -> None:
    assert call_all(folder(tmp_path, DECIMALS)) == []


def test_every_operation_of_an_adopted_api_is_called(tmp_path: Path) -> None:
    sources = []
    for date, part in (("2023-01-01", "base"), ("2024-01-01", "head")):
        packed = DATA / "twilio-messaging-v1-1.38.0" / f"{part}.json.gz"
        if not packed.is_file():
            pytest.skip("there are no published documents here")
        (tmp_path / f"{part}.json").write_bytes(gzip.decompress(packed.read_bytes()))
        sources.append(f"{date}={tmp_path / part}.json")
    adopt(tuple(sources), tmp_path / "schemas", accept=lambda _: True)
    assert call_all(tmp_path / "schemas") == []


def test_parameters_with_one_name_have_separate_types(tmp_path: Path) -> None:
    types = {
        "path": ({"type": "string"}, "str"),
        "query": ({"type": "array", "items": {"type": "integer"}}, "list[int]"),
        "header": ({"type": "integer"}, "int"),
        "cookie": ({"type": "boolean"}, "bool"),
    }
    ways = [way for count in (2, 3, 4) for way in itertools.permutations(types, count)]
    paths = {
        f"/{number}/{{id}}" if "path" in way else f"/{number}": {
            "get": {
                "operationId": f"get_{number}",
                "parameters": [
                    {"name": "id", "in": place, "required": True, "schema": types[place][0]}
                    for place in way
                ],
                "responses": {"204": {"description": ""}},
            }
        }
        for number, way in enumerate(ways)
    }
    document = {"openapi": "3.0.3", "info": {"title": "Ids", "version": "1"}, "paths": paths}
    (tmp_path / "old.json").write_text(json.dumps(document))
    adopt((f"2024-01-15={tmp_path / 'old.json'}",), tmp_path / "schemas")
    schemas = tmp_path / "schemas"
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        root = server.__name__.rpartition(".")[0]
        client = importlib.import_module(f"{root}.v2024_01_15.client").Client
        for number, way in enumerate(ways):
            first, *rest = [place for place in types if place in way]
            named = {"id": first} | {f"id_{place}": place for place in rest}
            annotations = {name: types[place][1] for name, place in named.items()}
            found = getattr(client, f"get_{number}").__annotations__
            assert found == {**annotations, "return": "None"}
        assert list(list_misfits(api, server)) == []


@pytest.mark.parametrize("is_reversed", [False, True])
def test_methods_that_iterate_and_stream_have_names_of_their_own(
    is_reversed: bool, tmp_path: Path
) -> None:
    listed = {"type": "object", "properties": {"items": {"type": "array", "items": {}}}}
    page = {"200": {"description": "", "content": {"application/json": {"schema": listed}}}}
    image = {"200": {"description": "", "content": {"image/png": {}}}}
    nothing = {"204": {"description": ""}}
    responses = {
        **dict.fromkeys(("list_a", "get_a", "a", "list_b", "get_c", "list_d"), page),
        **dict.fromkeys(("iter_b", "list_d_pages", "iter_e", "iter_list_e"), nothing),
        **dict.fromkeys(("list_e", "pages"), page),
        **{"get_f": image, "stream_get_f": nothing, "get_g": image},
    }
    number = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    paths = {
        f"/{name}": {
            "get": {
                "operationId": name,
                "responses": each,
                **({"parameters": [number]} if each is page else {}),
            }
        }
        for name, each in sorted(responses.items(), reverse=is_reversed)
    }
    document = {"openapi": "3.0.3", "info": {"title": "Names", "version": "1"}, "paths": paths}
    (tmp_path / "old.json").write_text(json.dumps(document))
    adopt((f"2024-01-15={tmp_path / 'old.json'}",), tmp_path / "schemas")
    schemas = tmp_path / "schemas"
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        root = server.__name__.rpartition(".")[0]
        client = importlib.import_module(f"{root}.v2024_01_15.client").Client
        others = {
            **{"iter_a": "list_a", "iter_get_a": "get_a", "iter_a_": "a", "iter_list_b": "list_b"},
            **{"iter_c": "get_c", "iter_d": "list_d", "iter_list_e_": "list_e"},
            **{"iter_pages": "pages", "stream_get_f_": "get_f", "stream_get_g": "get_g"},
        }
        assert list(list_misfits(api, server)) == []

        def answer(request: httpx.Request) -> httpx.Response:
            called.append(request.url.path)
            return httpx.Response(200, json={"items": []})

        made = client(base_url="http://api", transport=httpx.MockTransport(answer))
        for name, operation in others.items():
            called: list[str] = []
            list(getattr(made, name)())
            assert called == [f"/{operation}"]
        defined = {name for base in client.__mro__ for name in vars(base)}
        found = {name for name in defined if name.startswith(("iter_", "stream_"))}
        assert found == others.keys() | {"iter_b", "iter_e", "iter_list_e", "stream_get_f"}


RECORD: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
NULLABLE: dict[str, dict[str, Any]] = {
    "3.1.0": {
        "listed": {**RECORD, "type": ["object", "null"]},
        "union": {"anyOf": [{"$ref": "#/components/schemas/Record"}, {"type": "null"}]},
        "component": {"$ref": "#/components/schemas/Listed"},
        "alias": {"oneOf": [{"$ref": "#/components/schemas/Listed"}]},
        "values": {"enum": ["a", None]},
        "constant": {"const": None},
        "anything": {},
    },
    "3.0.3": {
        "nullable": {**RECORD, "nullable": True},
        "component": {"$ref": "#/components/schemas/Listed"},
        "values": {"type": "string", "enum": ["a", None], "nullable": True},
        "anything": {},
    },
}
LISTED = {"3.1.0": NULLABLE["3.1.0"]["listed"], "3.0.3": NULLABLE["3.0.3"]["nullable"]}


@pytest.mark.parametrize("openapi", NULLABLE)
def test_null_is_sent_as_a_body_that_has_to_be_there(openapi: str, tmp_path: Path) -> None:
    schemas = NULLABLE[openapi]
    paths = {
        f"/{name}": {
            method: {
                "operationId": f"{method}_{name}",
                "requestBody": {
                    "required": method == "put",
                    "content": {"application/json": {"schema": schema}},
                },
                "responses": {"204": {"description": ""}},
            }
            for method in ("put", "post")
        }
        for name, schema in {**schemas, "never": RECORD}.items()
    }
    document = {
        "openapi": openapi,
        "info": {"title": "Nulls", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"Record": RECORD, "Listed": LISTED[openapi]}},
    }
    (tmp_path / "old.json").write_text(json.dumps(document))
    adopt((f"2024-01-15={tmp_path / 'old.json'}",), tmp_path / "schemas")
    api = load(tmp_path / "schemas")
    workspace = Workspace(schemas=tmp_path / "schemas", output=tmp_path / "generated")
    sent: list[bytes] = []
    with open_server(workspace, api) as server:
        mock = Mock(api, server, "production", 0)
        root = server.__name__.rpartition(".")[0]
        client = importlib.import_module(f"{root}.v2024_01_15.client").AsyncClient

        async def note(request: httpx.Request) -> None:
            sent.append(await request.aread())

        async def call_all() -> None:
            transport = httpx.ASGITransport(mock.app)
            async with httpx.AsyncClient(
                transport=transport, event_hooks={"request": [note]}
            ) as http:
                called = client(base_url="http://mock", http_client=http)
                for name in schemas:
                    await getattr(called, f"put_{name}")(body=None)
                    await getattr(called, f"post_{name}")()
                await called.post_never()

        asyncio.run(call_all())
    assert sent == [*[b"null", b""] * len(schemas), b""]
