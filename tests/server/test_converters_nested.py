"""Gates inside of converted values: in each container, next to changed parts and within."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from support.generated_server import Generated, ask
from support.sources import API, loaded
from support.tables import cases

OLD, NEW = "2024-01-15", "2025-06-01"

VERSIONS = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: The first version. }
  - { date: 2025-06-01, title: The second version. }
environments:
  production: { servers: [{ url: https://api.example.com/v1 }] }
"""

PART = {"$ref": "#/components/schemas/Part"}
NEWER = {"id": "1", "label": "x", "kind": "new", "since": "2025"}
SENT = {"id": "1", "label": "x", "kind": "old"}
OLDER = {"id": "1", "title": "x", "kind": "old"}

# The schema of a container of parts, and a value of it with one part.
CONTAINERS: dict[str, tuple[Any, Any]] = {
    "itself": (PART, lambda part: part),
    "list": ({"type": "array", "items": PART}, lambda part: [part, part]),
    "map": ({"type": "object", "additionalProperties": PART}, lambda part: {"a": part}),
    "object": (
        {"type": "object", "properties": {"part": PART}},
        lambda part: {"part": part},
    ),
    "union": (
        {"oneOf": [PART, {"$ref": "#/components/schemas/Other"}], "discriminator": "TAGS"},
        lambda part: {"tag": "Part", **part},
    ),
    "null": ({"anyOf": [PART, {"type": "null"}]}, lambda part: part),
    "no value": ({"anyOf": [PART, {"type": "null"}]}, lambda _: None),
    "list of maps": (
        {"type": "array", "items": {"type": "object", "additionalProperties": PART}},
        lambda part: [{"a": part}, {}],
    ),
    "list of unions": (
        {
            "type": "array",
            "items": {"oneOf": [PART, {"$ref": "#/components/schemas/Other"}]},
        },
        lambda part: [{"tag": "Part", **part}, {"tag": "Other"}],
    ),
    "recursion": (
        {"$ref": "#/components/schemas/Tree"},
        lambda part: {"part": part, "below": [{"part": part, "below": []}]},
    ),
}
TAGS = {
    "propertyName": "tag",
    "mapping": {name: f"#/components/schemas/{name}" for name in ("Part", "Other")},
}
KIND = {
    "oneOf": [{"const": "old"}, {"const": "new", "x-added": NEW, "x-shown-as": "old"}],
    "type": "string",
}


def list_components() -> dict[str, Any]:
    """Return a schema for each container: next to a split name, and in an object that is unwrapped.

    Each is written in the short and the long form.
    """
    text = {"type": "string"}
    part = {
        "type": "object",
        "required": ["id", "label", "kind"],
        "properties": {
            "id": text,
            "tag": {"type": "string", "enum": ["Part"]},
            "label": {**text, "x-was": {NEW: {"name": "title"}}},
            "kind": KIND,
            "since": {**text, "x-added": NEW},
        },
    }
    tag = {"type": "string", "enum": ["Other"]}
    other = {"type": "object", "required": ["tag"], "properties": {"tag": tag}}
    below = {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}
    tree = {"type": "object", "properties": {"part": PART, "below": below}}
    found: dict[str, Any] = {"Part": part, "Other": other, "Tree": tree}
    for number, (schema, _) in enumerate(CONTAINERS.values()):
        it = json.loads(json.dumps(schema).replace('"TAGS"', json.dumps(TAGS)))
        if "oneOf" in json.dumps(it) and "discriminator" not in it:
            it["items"]["discriminator"] = TAGS
        names = {"first": text, "last": text}
        wrapped = {"box": {"type": "object", "required": ["it"], "properties": {"it": it}}}
        found |= {
            f"Beside{number}": {
                "type": "object",
                "required": ["first", "last", "it"],
                "properties": {**names, "it": it},
                "x-was": {NEW: {"in-place-of": ["first", "last"], "properties": {"name": text}}},
            },
            f"BesideWhole{number}": {
                "type": "object",
                "required": ["first", "last", "it"],
                "properties": {**names, "it": it},
                "x-was": {
                    NEW: {"required": ["it", "name"], "properties": {"it": it, "name": text}}
                },
            },
            f"Within{number}": {
                "type": "object",
                "required": ["box"],
                "properties": wrapped,
                "x-was": {NEW: {"in-place-of": ["box"], "properties": {"it": it}}},
            },
            f"WithinWhole{number}": {
                "type": "object",
                "required": ["box"],
                "properties": wrapped,
                "x-was": {NEW: {"required": ["it"], "properties": {"it": it}}},
            },
        }
    return found


def write_values(shape: str, number: int, part: Any, *, is_newer: bool) -> Any:
    """Return a value of the component of *shape* and *number* that contains *part*."""
    it = [*CONTAINERS.values()][number][1](part)
    if shape.startswith("Beside"):
        return {**({"first": "a", "last": "b"} if is_newer else {"name": "a b"}), "it": it}
    return {"box": {"it": it}} if is_newer else {"it": it}


class Converters:
    """Converters of all components, asynchronous for odd numbers."""

    def __getattr__(self, method: str) -> Any:
        way, _, name = method.partition("_")
        if way not in ("older", "newer"):
            raise AttributeError(method)

        def convert(value: Any) -> Any:
            if name.startswith("beside"):
                made = {"name": f"{value['first']} {value['last']}"} if way == "older" else None
                made = made or dict(zip(("first", "last"), value["name"].split(), strict=True))
                return {**made, "it": value["it"]} if "whole" in name else made
            return dict(value["box"]) if way == "older" else {"box": {"it": value["it"]}}

        async def convert_later(value: Any) -> Any:
            await asyncio.sleep(0)
            return convert(value)

        return convert_later if int(name[-1]) % 2 else convert


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("nested")
    schemas = list_components()
    names = [name for name in schemas if name[-1].isdigit()]
    schemas["All"] = {
        "type": "object",
        "properties": {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in names},
    }
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/All"}}}
    operation = {
        "operationId": "putAll",
        "tags": ["Loans"],
        "summary": "Stores all.",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "stored", "content": content}},
    }
    sent = {"requestBody": {"content": content}, "responses": {"204": {"description": "done"}}}
    source = {
        "paths": {"/all": {"put": operation}},
        "webhooks": {"all.stored": {"post": {"operationId": "allStored", **sent}}},
        "components": {"schemas": schemas},
    }
    files = {"versions.yaml": VERSIONS + "lint: adopted\n", "api.yaml": API}
    api = loaded(folder, {**files, "all.json": json.dumps(source)})
    return Generated(folder, api)


class Doors:
    """All ways to convert values to a version and back; each application is built once."""

    def __init__(self, made: Generated, converters: object) -> None:
        self._made = made
        self._converters = converters
        self._apps: dict[str, Any] = {}
        self._stored: Any = None
        self._received: Any = None

    def take(self, door: str, way: str, value: Any) -> Any:
        """Return *value* of the component `All` after conversion in direction *way* at a *door*."""
        given: dict[str, Any] = {"converters": self._converters}
        if door == "components":
            components = self._made.module("components")
            taken = components.narrow_async if way == "down" else components.lift_async
            return asyncio.run(taken(value, "All", OLD, **given))
        if door == "events":
            render = self._made.module("events").render_async
            return asyncio.run(render("all.stored", value, OLD, **given))
        self._stored = value if way == "down" else None
        response = self.ask(door, OLD, {} if way == "down" else value)
        assert response.status_code == 200, response.text
        if way == "up":
            assert response.json() == value
        return response.json() if way == "down" else self._received

    def ask(self, door: str, version: str, body: Any) -> httpx.Response:
        """Return the response of the server or of the wrapped application."""
        if door not in self._apps:
            self._apps[door] = getattr(self, f"_build_{door}")()
        headers = {"X-API-Version": version}
        return ask(self._apps[door], "PUT", "/v1/all", json=body, headers=headers)

    def _answer(self, body: Any) -> Any:
        self._received = body
        return body if self._stored is None else self._stored

    def _build_server(self) -> Any:
        async def put_all(_: Any, *, body: Any) -> Any:
            return self._answer(body.model_dump(mode="json", exclude_unset=True))

        loans = SimpleNamespace(put_all=put_all)
        return self._made.module("server").create_app(
            SimpleNamespace(loans=loans), environment="production", converters=self._converters
        )

    def _build_versioned(self) -> Any:
        app = FastAPI()

        @app.put("/v1/all")
        async def put_all(request: Request) -> Any:
            return self._answer(await request.json())

        return self._made.module("server").versioned(
            app, environment="production", converters=self._converters
        )


@pytest.fixture(scope="module")
def doors(made: Generated) -> Doors:
    return Doors(made, Converters())


@cases("door", ["server", "versioned", "components", "events"])
@cases("shape", ["Beside", "BesideWhole", "Within", "WithinWhole"])
@cases("number", range(len(CONTAINERS)), ids=CONTAINERS)
def test_gates_inside_of_a_converted_object_apply(
    number: int, shape: str, door: str, doors: Doors
) -> None:
    field = f"{shape}{number}".lower()
    newer = {field: write_values(shape, number, NEWER, is_newer=True)}
    older = {field: write_values(shape, number, OLDER, is_newer=False)}
    assert doors.take(door, "down", newer) == older
    if door != "events":
        sent = {field: write_values(shape, number, SENT, is_newer=True)}
        assert doors.take(door, "up", older) == sent


@pytest.mark.parametrize("door", ["server", "versioned"])
def test_operation_without_its_converter_answers_501_where_needed(
    door: str, made: Generated
) -> None:
    lacking = Doors(made, SimpleNamespace())
    response = lacking.ask(door, OLD, {})
    assert (response.status_code, "no converter" in response.text) == (501, True)
    newer = {"beside0": write_values("Beside", 0, NEWER, is_newer=True)}
    response = lacking.ask(door, NEW, newer)
    assert (response.status_code, response.json()) == (200, newer)


@pytest.mark.parametrize("door", ["components", "events"])
def test_value_without_its_converter_is_an_error(door: str, made: Generated) -> None:
    missing = made.module("components").MissingConverterError
    lacking = Doors(made, SimpleNamespace())
    with pytest.raises(missing, match="Beside0"):
        lacking.take(door, "down", {})
    assert made.module("components").narrow(NEWER, "Part", OLD) == OLDER
