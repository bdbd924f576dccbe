"""All ways of referring to a schema that have the same meaning, in one document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Schema = dict[str, Any]
Spelling = Callable[[str, Schema], tuple[dict[str, Schema], Schema]]
"""Takes a prefix for names and a schema; returns components, and what means the schema."""

_AT: Final = "#/components/schemas/"


def _to(name: str, **beside: Any) -> Schema:
    return {"$ref": _AT + name, **beside}


def _box(prefix: str, **keys: Any) -> dict[str, Schema]:
    return {f"{prefix}Box": {"type": "object", **keys}}


def _percent(prefix: str, schema: Schema) -> tuple[dict[str, Schema], Schema]:
    return {f"{prefix}T": schema}, {"$ref": f"{_AT}{prefix}%54"}


ANYWHERE: Final[dict[str, Spelling]] = {
    "in place": lambda _, schema: ({}, schema),
    "a component": lambda p, schema: ({f"{p}T": schema}, _to(f"{p}T")),
    "a component, escaped": _percent,
    "a chain": lambda p, schema: ({f"{p}T": schema, f"{p}U": _to(f"{p}T")}, _to(f"{p}U")),
    "a chain of three": lambda p, schema: (
        {f"{p}T": schema, f"{p}U": _to(f"{p}T"), f"{p}V": {"allOf": [_to(f"{p}U")]}},
        _to(f"{p}V"),
    ),
    "a property": lambda p, schema: (
        _box(p, properties={"x": schema}),
        _to(f"{p}Box/properties/x"),
    ),
    "a property that refers": lambda p, schema: (
        {f"{p}T": schema, **_box(p, properties={"x": _to(f"{p}T")})},
        _to(f"{p}Box/properties/x"),
    ),
    "items": lambda p, schema: (
        {f"{p}List": {"type": "array", "items": schema}},
        _to(f"{p}List/items"),
    ),
    "a base": lambda p, schema: ({f"{p}Of": {"allOf": [{}, schema]}}, _to(f"{p}Of/allOf/1")),
    "an odd name": lambda p, schema: (
        _box(p, properties={"a/b~c d": schema}),
        _to(f"{p}Box/properties/a~1b~0c%20d"),
    ),
    "an escaped name": lambda p, schema: (
        _box(p, properties={"a{b}": schema}),
        _to(f"{p}Box/properties/a%7Bb%7D"),
    ),
    "an allOf of one": lambda p, schema: ({f"{p}T": schema}, {"allOf": [_to(f"{p}T")]}),
    "a oneOf of one": lambda p, schema: ({f"{p}T": schema}, {"oneOf": [_to(f"{p}T")]}),
    "an anyOf of one": lambda p, schema: ({f"{p}T": schema}, {"anyOf": [_to(f"{p}T")]}),
    "wrapped twice": lambda p, schema: (
        {f"{p}T": schema, f"{p}W": {"oneOf": [_to(f"{p}T")]}},
        {"allOf": [_to(f"{p}W")]},
    ),
}
OLD: Final[dict[str, Spelling]] = {
    **ANYWHERE,
    "siblings that are ignored": lambda p, schema: (
        {f"{p}T": schema},
        _to(f"{p}T", maxLength=0, maxProperties=0, maxItems=0, enum=[]),
    ),
}
MODERN: Final[dict[str, Spelling]] = {
    **ANYWHERE,
    "a definition": lambda p, schema: (
        _box(p, **{"$defs": {"T": schema}}),
        _to(f"{p}Box/$defs/T"),
    ),
    "a definition of its own component": lambda p, schema: (
        _box(p, properties={"x": {"$ref": "#/$defs/T"}}, **{"$defs": {"T": schema}}),
        _to(f"{p}Box/properties/x"),
    ),
    "an anchor": lambda p, schema: (
        _box(p, properties={"x": {"$anchor": f"{p}t", **schema}}),
        {"$ref": f"#{p}t"},
    ),
    "a dynamic anchor": lambda p, schema: (
        _box(p, properties={"x": {"$dynamicAnchor": f"{p}t", **schema}}),
        {"$dynamicRef": f"#{p}t"},
    ),
    "an address": lambda p, schema: (
        {f"{p}T": {"$id": f"https://names.example/{p}", **schema}},
        {"$ref": f"https://names.example/{p}"},
    ),
    "a fragment of its resource": lambda p, schema: (
        {
            f"{p}T": {
                "$id": f"https://names.example/{p}",
                "$ref": "#/$defs/v",
                "$defs": {"v": schema},
            }
        },
        _to(f"{p}T"),
    ),
    "an anchor of a resource": lambda p, schema: (
        {
            f"{p}T": {
                "$id": f"https://names.example/{p}",
                "$defs": {"v": {"$anchor": "v", **schema}},
            }
        },
        {"$ref": f"https://names.example/{p}#v"},
    ),
    "an anchor that a resource below has, too": lambda p, schema: (
        {
            f"{p}T": {
                "$id": f"https://names.example/{p}",
                "$defs": {
                    "other": {"$id": "below", "$anchor": "v", "not": {}},
                    "v": {"$anchor": "v", **schema},
                },
            }
        },
        {"$ref": f"https://names.example/{p}#v"},
    ),
    "a resource within its resource": lambda p, schema: (
        {
            f"{p}T": {
                "$id": f"https://names.example/{p}/",
                "$ref": "within",
                "$defs": {"v": {"$id": "within", "$ref": "#/$defs/w", "$defs": {"w": schema}}},
            }
        },
        _to(f"{p}T"),
    ),
    "siblings that repeat": lambda p, schema: ({f"{p}T": schema}, {**schema, **_to(f"{p}T")}),
}


def spell_all(openapi: str, schema: Schema) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return components, and for each spelling a reference that means *schema* with them."""
    spellings = OLD if openapi.startswith("3.0") else MODERN
    components: dict[str, Schema] = {}
    uses = {}
    for number, (name, spell) in enumerate(spellings.items()):
        # in words, so that generated names can't collide
        made, uses[name] = spell(f"S{chr(97 + number)}", schema)
        components |= made
    return components, uses


def document(openapi: str, schema: Schema) -> Schema:
    """Return a document with an operation for each spelling, which takes and returns *schema*."""
    components, uses = spell_all(openapi, schema)
    paths = {}
    for name, use in uses.items():
        held = {"type": "object", "properties": {"it": use}, "required": ["it"]}
        body = {"content": {"application/json": {"schema": held}}}
        words = "".join(word.title() for word in name.replace(",", "").split())
        paths[f"/{words}"] = {
            "put": {
                "operationId": f"put{words}",
                "requestBody": {**body, "required": True},
                "responses": {"200": {"description": "", **body}},
            }
        }
    return {
        "openapi": openapi,
        "info": {"title": "Spellings", "version": "1"},
        "paths": paths,
        "components": {"schemas": components},
    }
