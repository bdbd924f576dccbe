"""Types of handlers' results if versions have other successes, and of bodies as text."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.sources import folder
from support.tables import cases

from dateline.load import load

OLD, NEW = DATES[:2]

STATUSES: Final = ("200", "201", "2XX", "default", "302")

# The statuses of the older and of the newer version, and the possible types of a result.
ONE: Final = [((before, *more), (after, *more)) for before, after in product(STATUSES, STATUSES)
              for more in ((), ("404",))]  # fmt: skip
SEVERAL: Final = [
    (("200", "default"), ("default",)),
    (("200", "default"), ("201", "default")),
    (("200", "default"), ("302", "default")),
    (("200", "302"), ("302",)),
    (("default", "302"), ("302",)),
    (("default",), ("200", "default")),
    (("404",), ("default",)),
]
CASES: Final = [*dict.fromkeys([*ONE, *SEVERAL])]

MEDIA_TYPES: Final = {
    "multipart/form-data": "str",
    "multipart/mixed; boundary=b": "str",
    "application/xml": "str",
    "text/csv": "str",
    "application/octet-stream": "str",
    "application/json": "JsonValue",
    "application/x-ndjson": "JsonValue",
}
FILE: Final = b'--b\r\nContent-Disposition: form-data; name="old"\r\n\r\n\xff\xfe\x80\r\n--b--\r\n'


def _document(at: int) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for number, case in enumerate(CASES):
        responses: dict[str, Any] = {}
        for status in case[at]:
            named = {"2": "Success", "d": "Default"}.get(status[0], "Other")
            schema = {"$ref": f"#/components/schemas/{named}"}
            content = {"application/json": {"schema": schema}}
            responses[status] = {"description": "it", "content": content}
        operation = {"operationId": f"get{number}", "tags": ["all"], "responses": responses}
        paths[f"/results/{number}"] = {"get": operation}
    for number, media_type in enumerate(MEDIA_TYPES):
        part = [{"type": "integer"}, {"type": "string"}][at]
        described = {"type": "object", "properties": {"part": part}}
        key = "itemSchema" if "ndjson" in media_type else "schema"
        example = {"example": "a"} if at and key == "schema" else {}
        message = {"content": {media_type: {key: described, **example}}}
        operation = {
            "operationId": f"put{number}",
            "tags": ["all"],
            "requestBody": message,
            "responses": {"200": {"description": "it", **message}},
        }
        paths[f"/bodies/{number}"] = {"put": operation}
    names = ("Success", "Default", "Other")
    schemas = {each: {"type": "object", "title": each} for each in names}
    return {
        "openapi": "3.2.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


@cache
def list_return_types() -> dict[str, str]:
    """Return the return types of the methods in the module of the handlers by name."""
    tree = ast.parse(made().text("server/handlers.py"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {node.name: ast.unparse(node.returns) for node in found if node.returns}


def _list_expected(case: tuple[tuple[str, ...], ...]) -> set[str]:
    expected = set()
    for statuses in case:
        kinds = {"Success": "2", "Default": "d", "Other": "3"}
        there = [name for name, sign in kinds.items() if any(s[0] == sign for s in statuses)]
        expected |= {*there[:1]}
    return expected


@cases("number", range(len(CASES)), ids=[str(case) for case in CASES])
def test_result_has_the_type_of_a_success_of_any_version(number: int) -> None:
    result = list_return_types()[f"get{number}"]
    names = {name for name in ("Success", "Default", "Other") if f"models.{name}" in result}
    assert names == _list_expected(CASES[number])


@cases("media_type", MEDIA_TYPES)
@cases("way", ["older", "newer"])
def test_converters_of_bodies_take_and_return_text_unless_they_are_json(
    media_type: str, way: str
) -> None:
    number = [*MEDIA_TYPES].index(media_type)
    found = [
        type_
        for name, type_ in list_return_types().items()
        if name.startswith(f"{way}_put{number}")
    ]
    assert found
    for each in found:
        assert (each == "Convert[str, str]") == (MEDIA_TYPES[media_type] == "str")


UNKNOWN_TYPES: Final = """\
openapi: 3.1.0
info: { title: Things, version: canonical }
paths:
  /things:
    put:
      operationId: putThing
      requestBody: { content: { application/json: { schema: <Thing> } } }
      responses:
        '200': { description: it, content: { application/json: { schema: <Thing> } } }
components:
  schemas:
    Thing:
      type: object
      properties:
        one: { type: strnig, x-was: { 2025-01-01: { type: integer } } }
        two: { type: integer, x-was: { 2025-01-01: { type: strnig } } }
        several: { type: [integer, strnig], x-was: { 2025-01-01: { type: string } } }
""".replace("<Thing>", "{ $ref: '#/components/schemas/Thing' }")
VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-01
versions:
  - { date: 2024-01-01, title: The first. }
  - { date: 2025-01-01, title: The second. }
environments: { production: { servers: [{ url: https://api.example }] } }
lint: adopted
"""


def test_converters_take_any_value_of_a_type_that_nobody_knows(tmp_path: Path) -> None:
    sources = folder(tmp_path, {"api.yaml": UNKNOWN_TYPES, "versions.yaml": VERSIONS})
    text = Generated(tmp_path, load(sources)).text("server/handlers.py")
    found = re.findall(r"def older_thing_(\w+)\(self\) -> (.*):", text)
    assert dict(found) == {
        "one": "Convert[t.JsonValue, int]",
        "several": "Convert[int | t.JsonValue, str]",
    }
    assert "def newer_thing_two(self) -> Convert[t.JsonValue, int]:" in text


class Converters:
    def __getattr__(self, name: str) -> Any:
        if name.startswith("older_put0"):
            return lambda value: value.replace("old", "new")
        return lambda value: value


async def backend(_: Any, __: Any, send: Any) -> None:
    headers = [(b"content-type", b"multipart/form-data; boundary=b")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": FILE})


class Handlers:
    def __getattr__(self, name: str) -> Any:
        async def handle(*_: Any, **__: Any) -> bytes:
            return FILE

        return handle


@pytest.mark.parametrize("door", ["server", "versioned"])
@pytest.mark.parametrize(("version", "shown"), [(OLD, b'"new"'), (NEW, b'"old"')])
def test_answers_with_bytes_that_are_no_text_are_converted(
    door: str, version: str, shown: bytes
) -> None:
    server = made().module("server")
    given = {"environment": "production", "converters": Converters()}
    if door == "server":
        app = server.create_app(SimpleNamespace(all=Handlers()), **given)
    else:
        app = server.versioned(backend, **given)
    answer = ask(app, "PUT", "/bodies/0", headers={"X-API-Version": version})
    assert (answer.status_code, answer.content) == (200, FILE.replace(b'"old"', shown))
