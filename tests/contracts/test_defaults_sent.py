"""Responses without a field that older versions require: they have its default there."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

Json = Any

OLDEST, OLD, NEW = DATES[:3]
TEXT: Final[Json] = {"type": "string"}
A: Final[Json] = {**TEXT, "default": "x"}


def fields(field: Json, **more: Json) -> Json:
    return {"type": "object", "properties": {"a": field, "b": {"type": "integer"}}, **more}


def require(field: Json, **more: Json) -> Json:
    return fields(field, required=["a"], **more)


def inherit(field: Json, *, required: bool) -> Json:
    own = {"required": ["a"]} if required else {}
    return {"type": "object", "allOf": [fields(field)], **own}


def choose(schema: Json) -> Json:
    return {"oneOf": [schema, TEXT]}


def hold(schema: Json) -> Json:
    return {"type": "object", "properties": {"held": schema}}


def listed(schema: Json) -> Json:
    return {"type": "array", "items": schema}


def null(schema: Json) -> Json:
    return {**schema, "type": ["object", "null"]}


_OLD_FORM: Final = require({"type": "integer"})

# The schemas of three versions, what is answered, and what callers of each version get; None where
# a converter is needed.
ROWS: Final[dict[str, tuple[Json, Json, Json, Json, tuple[Json, Json, Json]]]] = {
    "field": (require(A), require(A), fields(A), {}, ({"a": "x"}, {"a": "x"}, {})),
    "field that is there": (require(A), require(A), fields(A), {"a": "y"}, ({"a": "y"},) * 3),
    "twice": (require(A), fields(A), fields(A), {"b": 1}, ({"a": "x", "b": 1}, {"b": 1}, {"b": 1})),
    "new default": (require(TEXT), require(TEXT), fields(A), {}, ({"a": "x"}, {"a": "x"}, {})),
    "later default": (require(TEXT), fields(TEXT), fields(A), {}, ({"a": "x"}, {}, {})),
    "other default": (
        require({**TEXT, "default": "old"}),
        require(A),
        fields(A),
        {},
        ({"a": "x"}, {"a": "x"}, {}),
    ),
    "null": (
        require({"type": ["string", "null"]}),
        require({"type": ["string", "null"]}),
        fields({"type": ["string", "null"], "default": None}),
        {},
        ({"a": None}, {"a": None}, {}),
    ),
    "new field": (fields(A), require(A), fields(A), {}, ({}, {"a": "x"}, {})),
    "readOnly": (
        require({**A, "readOnly": True}),
        require({**A, "readOnly": True}),
        fields({**A, "readOnly": True}),
        {},
        ({"a": "x"}, {"a": "x"}, {}),
    ),
    "writeOnly": (
        require({**A, "writeOnly": True}),
        require({**A, "writeOnly": True}),
        fields({**A, "writeOnly": True}),
        {},
        ({}, {}, {}),
    ),
    "item": (
        *map(listed, (require(A), require(A), fields(A))),
        [{}, {"a": "y"}],
        ([{"a": "x"}, {"a": "y"}],) * 2 + ([{}, {"a": "y"}],),
    ),
    "nested": (
        *map(hold, (require(A), require(A), fields(A))),
        {"held": {}},
        ({"held": {"a": "x"}},) * 2 + ({"held": {}},),
    ),
    "allOf": (
        inherit(A, required=True),
        inherit(A, required=True),
        inherit(A, required=False),
        {},
        ({"a": "x"}, {"a": "x"}, {}),
    ),
    "union": (
        *map(choose, (require(A), require(A), fields(A))),
        {},
        ({"a": "x"}, {"a": "x"}, {}),
    ),
    "another type of a union": (*map(choose, (require(A), require(A), fields(A))), "t", ("t",) * 3),
    "object or null": (
        *map(null, (require(A), require(A), fields(A))),
        {},
        ({"a": "x"}, {"a": "x"}, {}),
    ),
    "null itself": (*map(null, (require(A), require(A), fields(A))), None, (None, None, None)),
    "without a default": (require(TEXT), require(TEXT), fields(TEXT), {}, (501, 501, {})),
    "default that is gone": (require(A), require(A), fields(TEXT), {}, (501, 501, {})),
    "default of another type": (
        require(TEXT),
        require(TEXT),
        fields({**TEXT, "default": 1}),
        {},
        (501, 501, {}),
    ),
    "default that does not fit": (
        require({**TEXT, "maxLength": 1}),
        require({**TEXT, "maxLength": 1}),
        fields({**TEXT, "maxLength": 1, "default": "xy"}),
        {},
        (501, 501, {}),
    ),
    "another form": (_OLD_FORM, _OLD_FORM, fields(A), {}, (501, 501, {})),
    "another form before": (_OLD_FORM, require(A), fields(A), {}, (501, 501, {})),
    "beside other fields before": (
        require(A, maxProperties=1),
        require(A),
        fields(A),
        {},
        (501, 501, {}),
    ),
}


@cache
def generate() -> Generated:
    return generate_adopted(*map(document, range(3)))


def document(at: int) -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {
            f"/{number}": {"get": operation(f"get{number}", row[at])}
            for number, row in enumerate(ROWS.values())
        }
        | {"/base": {"put": put(inherit(A, required=at == 2))}},
    }


def put(schema: Json) -> Json:
    content = {"content": {"application/json": {"schema": schema}}}
    return {**operation("put", {}), "requestBody": {"required": True, **content}}


def operation(name: str, schema: Json) -> Json:
    content = {"content": {"application/json": {"schema": schema}}}
    return {
        "operationId": name,
        "tags": ["Things"],
        "responses": {"200": {"description": "done", **content}},
    }


class Backend:
    """An application that answers what it is to."""

    answer: Json = None
    found: Json = None

    async def __call__(self, _: Any, receive: Any, send: Any) -> None:
        self.found = (await receive())["body"]
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(self.answer).encode()})


@cache
def serve() -> tuple[Any, Backend]:
    backend = Backend()
    return generate().module("server").versioned(backend, environment="production"), backend


@cases("name", ROWS)
def test_older_callers_get_the_default_of_a_field_that_they_require(name: str) -> None:
    app, backend = serve()
    *_, backend.answer, shown = ROWS[name]
    for version, expected in zip((OLDEST, OLD, NEW), shown, strict=True):
        path = f"/{[*ROWS].index(name)}"
        answer = ask(app, "GET", path, headers={"X-API-Version": version})
        found = answer.json() if answer.status_code == 200 else answer.status_code
        assert json.dumps(found) == json.dumps(expected), version


def test_field_of_a_base_that_is_required_now_has_its_default_in_older_requests() -> None:
    app, backend = serve()
    for version, found in ((OLDEST, b'{"a":"x"}'), (OLD, b'{"a":"x"}'), (NEW, b"{}")):
        answer = ask(app, "PUT", "/base", headers={"X-API-Version": version}, json={})
        assert (answer.status_code, backend.found) == (200, found)
