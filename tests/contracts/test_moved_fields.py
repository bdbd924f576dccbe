"""Fields that move between a schema and its bases: with the same form, and with another."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any, Final

from support.generated_server import Generated, ask, generate_adopted
from support.moved_chains import ChainServer, make_chain
from support.random_chains import DATES
from support.seeds import seeds
from support.tables import cases

Json = dict[str, Any]

OLD, NEW = DATES[:2]
OLDER: Final[Json] = {"type": "string", "minLength": 1}
NEWER: Final[Json] = {"type": "integer", "minimum": 1}


def refer(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def fields(*bases: Json, **own: Json) -> Json:
    properties = {"properties": {"note": {"type": "string"}, **own}}
    return {"type": "object", **properties, **({"allOf": [*bases]} if bases else {})}


# The components of each version, with the field `id` and without it, beside the schema `Thing`.
MOVES: Final[dict[str, tuple[Json, Json, Json, Json]]] = {
    "from a base": (
        fields(refer("Base")),
        {"Base": fields(id=OLDER)},
        fields(refer("Base"), id=NEWER),
        {"Base": fields()},
    ),
    "to a base": (
        fields(refer("Base"), id=OLDER),
        {"Base": fields()},
        fields(refer("Base")),
        {"Base": fields(id=NEWER)},
    ),
    "to a base without fields": (
        fields(refer("Base"), id=OLDER),
        {"Base": {"type": "object"}},
        fields(refer("Base")),
        {"Base": {"type": "object", "properties": {"id": NEWER}}},
    ),
    "between bases": (
        fields(refer("Base"), refer("Other")),
        {"Base": fields(id=OLDER), "Other": fields()},
        fields(refer("Base"), refer("Other")),
        {"Base": fields(), "Other": fields(id=NEWER)},
    ),
    "from a base of a base": (
        fields(refer("Base")),
        {"Base": fields(refer("Other"), size=NEWER), "Other": fields(id=OLDER)},
        fields(refer("Base"), id=NEWER),
        {"Base": fields(refer("Other"), size=NEWER), "Other": fields()},
    ),
    "to a base of a base": (
        fields(refer("Base"), id=OLDER),
        {"Base": fields(refer("Other"), size=NEWER), "Other": fields()},
        fields(refer("Base")),
        {"Base": fields(refer("Other"), size=NEWER), "Other": fields(id=NEWER)},
    ),
    "from an inline member": (
        fields(fields(id=OLDER)),
        {},
        fields(fields(), id=NEWER),
        {},
    ),
    "from a new base": (
        fields(refer("Base")),
        {"Base": fields(id=OLDER)},
        fields(refer("Base"), refer("Other")),
        {"Base": fields(), "Other": fields(id=NEWER)},
    ),
    "from a base that is gone": (
        fields(refer("Base"), refer("Other")),
        {"Base": fields(), "Other": fields(id=OLDER)},
        fields(refer("Base"), id=NEWER),
        {"Base": fields(), "Other": fields(id=OLDER)},
    ),
    "with their bases": (
        fields(refer("Base"), fields()),
        {"Base": fields(id=OLDER), "Other": fields(size=NEWER, id=NEWER)},
        fields(fields(), refer("Other")),
        {"Base": fields(id=OLDER), "Other": fields(size=NEWER, id=NEWER)},
    ),
    "from a reference beside fields": (
        {**fields(), **refer("Base")},
        {"Base": fields(id=OLDER)},
        {**fields(id=NEWER), **refer("Base")},
        {"Base": fields()},
    ),
}


def union(key: str, *members: str, **own: Json) -> Json:
    return {**fields(**own), key: [refer(each) for each in members or ("One", "Two")]}


def tagged(schema: Json, **mapping: str) -> Json:
    mapped = {tag: refer(name)["$ref"] for tag, name in mapping.items()}
    return {**schema, "discriminator": {"propertyName": "kind", "mapping": mapped}}


def variant(kind: str, **own: Json) -> Json:
    return {**fields(kind={"type": "string", "enum": [kind]}, **own), "required": ["kind"]}


ONE, TWO = variant("one"), variant("two")
TAGS: Final = {"one": "One", "two": "Two"}


def parent(**own: Json) -> Json:
    return tagged({**fields(kind={"type": "string"}, **own), "required": ["kind"]}, one="Thing")


# the same with values that have a tag
TAGGED_MOVES: Final[dict[str, tuple[Json, Json, Json, Json]]] = {
    **{
        f"from a member of {key}": (
            union(key),
            {"One": variant("one", id=OLDER), "Two": TWO},
            union(key, id=NEWER),
            {"One": ONE, "Two": TWO},
        )
        for key in ("oneOf", "anyOf")
    },
    **{
        f"to a member of {key}": (
            union(key, id=OLDER),
            {"One": ONE, "Two": TWO},
            union(key),
            {"One": variant("one", id=NEWER), "Two": TWO},
        )
        for key in ("oneOf", "anyOf")
    },
    "from a member of a union of unions": (
        union("oneOf", "Both"),
        {"Both": union("oneOf"), "One": variant("one", id=OLDER), "Two": TWO},
        union("oneOf", "Both", id=NEWER),
        {"Both": union("oneOf"), "One": ONE, "Two": TWO},
    ),
    "to a member of the union of a base": (
        fields(refer("Both"), id=OLDER),
        {"Both": union("anyOf"), "One": ONE, "Two": TWO},
        fields(refer("Both")),
        {"Both": union("anyOf"), "One": variant("one", id=NEWER), "Two": TWO},
    ),
    "from a variant": (
        tagged(union("oneOf"), **TAGS),
        {"One": variant("one", id=OLDER), "Two": TWO},
        tagged(union("oneOf", id=NEWER), **TAGS),
        {"One": ONE, "Two": TWO},
    ),
    "to all variants": (
        tagged(union("oneOf", id=OLDER), **TAGS),
        {"One": ONE, "Two": TWO},
        tagged(union("oneOf"), **TAGS),
        {"One": variant("one", id=NEWER), "Two": variant("two", id=NEWER)},
    ),
    "from a parent": (
        fields(refer("Base")),
        {"Base": parent(id=OLDER)},
        fields(refer("Base"), id=NEWER),
        {"Base": parent()},
    ),
    "to a parent": (
        fields(refer("Base"), id=OLDER),
        {"Base": parent()},
        fields(refer("Base")),
        {"Base": parent(id=NEWER)},
    ),
}


@cache
def generate(*, is_same: bool = False) -> Generated:
    """Return a package with operations for each row, in which the field has one form or two."""
    return generate_adopted(*(document(at, is_same=is_same) for at in (0, 1)))


def document(at: int, *, is_same: bool) -> Json:
    schemas: Json = {}
    for number, row in enumerate([*MOVES.values(), *TAGGED_MOVES.values()]):
        own, components = row[2 * at : 2 * at + 2]
        text = json.dumps({"Thing": own, **components}).replace('"#/comp', f'"#/{number}comp')
        text = text.replace(json.dumps(NEWER), json.dumps(OLDER)) if is_same else text
        for name in ("Thing", *components):
            text = text.replace(f"schemas/{name}", f"schemas/{name}{number}")
        found = json.loads(text.replace(f"#/{number}comp", "#/comp"))
        schemas |= {f"{name}{number}": each for name, each in found.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {f"/{name}": {"put": operation(name)} for name in schemas},
        "components": {"schemas": schemas},
    }


def operation(name: str) -> Json:
    content = {"content": {"application/json": {"schema": refer(name)}}}
    return {
        "operationId": f"put{name}",
        "tags": ["Things"],
        "requestBody": {"required": True, **content},
        "responses": {"200": {"description": "done", **content}},
    }


class Things:
    """Handlers that keep what they get, and return it."""

    def __init__(self) -> None:
        self.found: Any = None

    def __getattr__(self, _: str) -> Any:
        def put(_: Any, *, body: Any) -> Any:
            self.found = body.model_dump(mode="json", by_alias=True, exclude_unset=True)
            return body

        return put


class Converters:
    """Texts are numbers now."""

    def __getattr__(self, name: str) -> Any:
        return int if name.startswith("newer_") else str


def serve(package: Generated, *, converted: bool) -> tuple[Any, Things]:
    server, things = package.module("server"), Things()
    more = {"converters": Converters()} if converted else {}
    handlers = server.Handlers(things=things)
    return server.create_app(handlers, environment="production", **more), things


def put(app: Any, version: str, path: str, body: Any) -> tuple[int, Any]:
    answer = ask(app, "PUT", path, headers={"X-API-Version": version}, json=body)
    return answer.status_code, answer.json()


ROWS: Final = [*((name, {}) for name in MOVES), *((n, {"kind": "one"}) for n in TAGGED_MOVES)]


@cases("number", range(len(ROWS)))
def test_field_of_another_form_is_converted(number: int) -> None:
    path, beside = f"/Thing{number}", ROWS[number][1]
    app, things = serve(generate(), converted=True)
    assert put(app, OLD, path, {**beside, "id": "7"}) == (200, {**beside, "id": "7"})
    assert things.found == {**beside, "id": 7}
    assert put(app, NEW, path, {**beside, "id": 7}) == (200, {**beside, "id": 7})
    assert things.found == {**beside, "id": 7}
    for version in (OLD, NEW):
        assert put(app, version, path, {**beside, "note": "a"}) == (200, {**beside, "note": "a"})
        assert things.found == {**beside, "note": "a"}
    assert [put(app, OLD, path, {**beside, "id": each})[0] for each in (7, "")] == [400, 400]
    assert [put(app, NEW, path, {**beside, "id": each})[0] for each in ("7", 0)] == [400, 400]


@cases("number", range(len(ROWS)))
def test_only_callers_of_the_other_form_need_the_converter(number: int) -> None:
    path, beside = f"/Thing{number}", ROWS[number][1]
    app, _ = serve(generate(), converted=False)
    assert put(app, OLD, path, {**beside, "id": "7"})[0] == 501
    assert put(app, NEW, path, {**beside, "id": 7}) == (200, {**beside, "id": 7})


def test_base_alone_has_its_own_field() -> None:
    app, things = serve(generate(), converted=True)
    number = [*MOVES].index("from a base that is gone")
    for version in (OLD, NEW):
        assert put(app, version, f"/Other{number}", {"id": "7"}) == (200, {"id": "7"})
        assert things.found == {"id": "7"}


@cases("number", range(len(ROWS)))
def test_field_of_the_same_form_needs_no_converter(number: int) -> None:
    path, beside = f"/Thing{number}", ROWS[number][1]
    app, things = serve(generate(is_same=True), converted=False)
    for version in (OLD, NEW):
        assert put(app, version, path, {**beside, "id": "7"}) == (200, {**beside, "id": "7"})
        assert things.found == {**beside, "id": "7"}


@cases("seed", seeds(8))
@cases("unions", [False, True])
def test_values_of_random_chains_fit_or_need_converters(*, seed: int, unions: bool) -> None:
    server = ChainServer(make_chain(seed, unions=unions, families=3))
    assert [*server.breaches(Random(seed), 4)] == []
    assert server.times
