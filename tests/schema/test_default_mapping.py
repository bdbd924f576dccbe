"""`defaultMapping`: a value without a known tag belongs to the default member."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest
from pydantic import TypeAdapter, ValidationError
from support.narrowed import Law
from support.readers import VERSION, Readers
from support.sources import folder
from support.tables import cases

from dateline.load import load

Schema = dict[str, Any]

OLD, NEW = "2023-01-15", "2024-01-15"
TABLE: Final = f"""\
header: X-API-Version
default: {NEW}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
environments: {{ production: {{ servers: [{{ url: https://api.example/ }}] }} }}
policy: dated-contract
lint: adopted
python: {{ package: defaulted }}
"""
_AT: Final = "#/components/schemas/"
NEWER: Final[Schema] = {"type": "string", "x-added": NEW}


def _member(required: list[str], properties: Schema) -> Schema:
    return {"type": "object", "required": required, "properties": properties}


TEXT: Final = {"type": "string"}
MEMBERS: Final = {
    "Cat": _member(["t", "meow"], {"t": {"const": "c"}, "meow": TEXT}),
    "Dog": _member(["t", "bark"], {"t": TEXT, "bark": TEXT}),
    "Other": _member(["any"], {"any": TEXT}),
}
UNIONS: Final = {
    f"{keyword.title()}{at}": {
        keyword: [{"$ref": _AT + name} for name in MEMBERS],
        "discriminator": {"propertyName": "t", "mapping": {"c": "Cat"}, "defaultMapping": named},
    }
    for keyword in ("oneOf", "anyOf")
    for at, named in enumerate(("Other", _AT + "Other"))
}
# A value, and its member; None if all readers refuse it.
VALUES: Final[tuple[tuple[Schema, str], ...]] = (
    ({"t": "c", "meow": "x"}, "Cat"),
    ({"t": "Dog", "bark": "x"}, "Dog"),
    ({"any": "x"}, "Other"),
    ({"t": "bird", "any": "x"}, "Other"),
    ({"t": "Other", "any": "x"}, "Other"),
    ({"t": 1, "any": "x"}, "Other"),
    ({"t": "c", "any": "x"}, "Other"),
    ({"any": 1}, ""),
    ({"meow": "x"}, ""),
)


@cache
def readers() -> Readers:
    return Readers(Path(mkdtemp()), {**MEMBERS, **UNIONS}, "3.2.0")


@pytest.mark.parametrize("name", UNIONS)
def test_every_reader_knows_the_default(name: str) -> None:
    known = readers()
    module = known.generated.module(f"v{VERSION.replace('-', '_')}")
    union: TypeAdapter[Any] = TypeAdapter(getattr(module, name))
    for value, member in VALUES:
        answers = {reader: fits(name, value) for reader, fits in known.readers.items()}
        assert (value, set(answers.values())) == (value, {bool(member)})
        try:
            read = type(union.validate_json(json.dumps(value))).__name__
        except ValidationError:
            read = ""
        assert (value, read) == (value, member)


def _definitions(pet: Schema, members: Schema) -> Schema:
    held = {"application/json": {"schema": {"$ref": f"{_AT}Pet"}}}
    answer = {"operationId": "getPet", "responses": {"200": {"description": "", "content": held}}}
    return {
        "openapi": "3.2.0",
        "info": {"title": "Defaults", "version": "1"},
        "paths": {"/pet": {"get": answer}},
        "components": {"schemas": {"Pet": pet, **members}},
    }


def _gated(name: str, schema: Schema) -> Schema:
    properties = {**schema["properties"], f"new{name}": NEWER}
    return {**schema, "properties": properties}


def _narrow(document: Schema, value: Schema) -> Any:
    sources = {"versions.yaml": TABLE, "api.json": json.dumps(document)}
    law = Law(load(folder(Path(mkdtemp()), sources)))
    (body,) = law.canonical.bodies
    return law.narrow(OLD, "production", body)(value)


@cases("keyword", ["oneOf", "anyOf"])
@cases(
    ("value", "member"),
    # a tag that names a member takes precedence over validity
    [each for each in VALUES if each[1] and each[0].get("t") != "c"],
)
def test_value_is_narrowed_as_its_member(keyword: str, value: Schema, member: str) -> None:
    pet = {**UNIONS["Oneof0"], keyword: UNIONS["Oneof0"]["oneOf"]}
    members = {name: _gated(name, schema) for name, schema in MEMBERS.items()}
    document = _definitions({key: pet[key] for key in (keyword, "discriminator")}, members)
    assert _narrow(document, {**value, f"new{member}": "y"}) == value


@pytest.mark.parametrize("tag", [{}, {"t": "bird"}, {"t": "Wild"}])
def test_value_of_a_parent_is_narrowed_as_the_default(tag: Schema) -> None:
    parent = {
        "type": "object",
        "properties": {"t": TEXT},
        "discriminator": {"propertyName": "t", "defaultMapping": "Wild"},
    }
    children = {
        name: {"allOf": [{"$ref": f"{_AT}Pet"}, _gated(name, _member([], {}))]}
        for name in ("Tame", "Wild")
    }
    document = _definitions(parent, children)
    assert _narrow(document, {**tag, "newWild": "y"}) == tag
    assert _narrow(document, {"t": "Tame", "newTame": "y"}) == {"t": "Tame"}
