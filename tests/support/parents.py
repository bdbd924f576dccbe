"""A discriminated parent in every spelling and position."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from dateline.canonical import canonical_document
from dateline.contracts import contract_data
from dateline.model import Api
from dateline.project import Projector
from dateline_runtime.compiling import Compiler
from support.narrowed import Places
from support.sources import loaded

Schema = dict[str, Any]


OLD: Final = "2024-01-15"


TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: next, title: Being prepared, draft: true }}
environments:
  production: {{ servers: [{{ url: https://api.pets.example }}] }}
policy: dated-contract
python: {{ package: pets }}
"""


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def pet(**more: Any) -> Schema:
    return {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}, "name": {"type": "string"}},
        "discriminator": {"propertyName": "kind"},
        **more,
    }


def extending(base: str, field: str, **more: Any) -> Schema:
    own = {"type": "object", "properties": {field: {"type": "string"}}}
    return {"allOf": [ref(base), own], **more}


# How Dog becomes a subtype of Pet: all components; *more* are keywords beside the reference.
SPELLINGS: Final[dict[str, Callable[..., dict[str, Schema]]]] = {
    "directly": lambda **more: {"Pet": pet(), "Dog": extending("Pet", "bark", **more)},
    "through another": lambda **more: {
        "Pet": pet(),
        "Big": extending("Pet", "size"),
        "Dog": extending("Big", "bark", **more),
    },
    "through an alias": lambda **more: {
        "Pet": pet(),
        "Animal": ref("Pet"),
        "Dog": extending("Animal", "bark", **more),
    },
    "in a nested allOf": lambda **more: {
        "Pet": pet(),
        "Dog": {"allOf": [{"allOf": [extending("Pet", "bark")]}], **more},
    },
    "of an inherited discriminator": lambda **more: {
        "Base": pet(),
        "Pet": {"allOf": [ref("Base")]},
        "Dog": extending("Pet", "bark", **more),
    },
    "of a discriminator in an allOf": lambda **more: {
        "Pet": {"allOf": [pet()]},
        "Dog": extending("Pet", "bark", **more),
    },
    "with a mapping for another": lambda **more: {
        "Pet": pet(discriminator={"propertyName": "kind", "mapping": {"c": ref("Cat")["$ref"]}}),
        "Cat": extending("Pet", "claws"),
        "Dog": extending("Pet", "bark", **more),
    },
    "beside conditions": lambda **more: {
        "Pet": pet(anyOf=[{"required": ["name"]}, {"required": ["kind"]}]),
        "Dog": extending("Pet", "bark", **more),
    },
}


NAMED: Final = {"type": "object", "properties": {"note": {"type": "string"}}}


# Where a Pet occurs: the schema of a body, a body with the pet, and a body without it.
POSITIONS: Final[dict[str, tuple[Schema, Callable[[Any], Any], Any]]] = {
    "list": ({"type": "array", "items": ref("Pet")}, lambda value: [value], []),
    "map": (
        {"type": "object", "additionalProperties": ref("Pet")},
        lambda value: {"a": value},
        {},
    ),
    "field": (
        {"type": "object", "properties": {"pet": ref("Pet")}},
        lambda value: {"pet": value},
        {},
    ),
    "field with notes": (
        {"type": "object", "properties": {"pet": {"allOf": [ref("Pet")], "description": "A pet"}}},
        lambda value: {"pet": value},
        {},
    ),
    "item with more constraints": (
        {"type": "array", "items": {"allOf": [ref("Pet"), NAMED]}},
        lambda value: [value],
        [],
    ),
    "nullable field": (
        {"type": "object", "properties": {"pet": {"oneOf": [ref("Pet"), {"type": "null"}]}}},
        lambda value: {"pet": value},
        {},
    ),
}


CASES: Final = [(spelling, position) for spelling in SPELLINGS for position in POSITIONS]


# in authored sources, members beside a discriminator need names
AUTHORED: Final = [
    (spelling, position)
    for spelling, position in CASES
    if spelling != "beside conditions" and (position == "list" or spelling == "directly")
]


def document(schemas: dict[str, Schema], body: Schema, way: str = "both") -> Schema:
    content = {"content": {"application/json": {"schema": body}}}
    operation: Schema = {
        "operationId": "putPet",
        "tags": ["Pets"],
        "parameters": [{"name": "X-API-Version", "in": "header", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "A pet", **(content if way != "request" else {})}},
    }
    if way != "response":
        operation["requestBody"] = {"required": True, **content}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "tags": [{"name": "Pets"}],
        "paths": {"/pets": {"post": operation}},
        "components": {"schemas": copy.deepcopy(schemas)},
    }


# What callers of older versions get


def api(folder: Path, schemas: dict[str, Schema], body: Schema) -> Api:
    text = json.dumps(document(schemas, body))
    return loaded(folder, {"versions.yaml": TABLE, "api.yaml": text})


def make_converter(made: Api, way: str) -> Callable[[Any], Any]:
    """Return the function that converts a body to or from the oldest version."""
    projector = Projector(made)
    places = {
        version: Places(projector.contract(version, "production").document)
        for version in made.table.dates
    }
    places["canonical"] = Places(canonical_document(made))
    compiler = Compiler(
        json.loads(json.dumps(contract_data(made).data)),
        way,
        "production",
        {},
        lambda schema, version: places[version or "canonical"].judge(schema),
    )
    (change,) = compiler.functions(OLD).values()
    return lambda value: change(copy.deepcopy(value))
