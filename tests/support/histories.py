"""Small definitions with every keyword that `x-was` may set, at every position of a schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

OLD, NEW = "2024-01-15", "2025-06-01"

Json = Any
Schema = dict[str, Any]

VERSIONS: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: Initial version }}
  - {{ date: {NEW}, title: Everything else }}
environments:
  production: {{ servers: [{{ url: https://api.example.com }}] }}
policy: dated-contract
python: {{ package: histories }}
"""

S: Final[Schema] = {"type": "string"}
I: Final[Schema] = {"type": "integer"}  # noqa: E741
AB: Final[Schema] = {"type": "object", "properties": {"a": I, "b": I}}
_IF: Final[Schema] = {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}


def _bounds(type_: str, key: str, *more: tuple[Any, Any]) -> list[tuple[Schema, Schema]]:
    return [({"type": type_, key: one}, {key: other}) for one, other in more]


def _words(key: str, one: Any, other: Any) -> list[tuple[Schema, Schema]]:
    return [({**S, key: one}, {key: other}), ({**S, key: one}, {key: None})]


# For each keyword, schemas of the newest version, each with its `x-was`. None: was not there.
KEYWORDS: Final[dict[str, list[tuple[Schema, Schema]]]] = {
    "$ref": [
        ({"$ref": "#/components/schemas/Text"}, {"$ref": "#/components/schemas/Number"}),
        ({"$ref": "#/components/schemas/Text"}, {"$ref": None, "type": "integer"}),
    ],
    **{key: _words(key, "a", "b") for key in ("$comment", "title", "description", "example")},
    **{key: _words(key, True, False) for key in ("deprecated", "readOnly", "writeOnly")},
    "examples": _words("examples", ["a"], ["b"]),
    "contentEncoding": _words("contentEncoding", "base64", "base16"),
    "contentMediaType": _words("contentMediaType", "image/png", "image/jpeg"),
    "$id": _words("$id", "https://a.example", "https://b.example"),
    "$schema": _words("$schema", "https://a.example", "https://b.example"),
    "$anchor": _words("$anchor", "a", "b"),
    "$dynamicAnchor": _words("$dynamicAnchor", "a", "b"),
    "$vocabulary": _words("$vocabulary", {"https://a.example": False}, {}),
    "xml": _words("xml", {"name": "a"}, {"name": "b"}),
    "externalDocs": _words(
        "externalDocs", {"url": "https://a.example"}, {"url": "https://b.example"}
    ),
    "$defs": _words("$defs", {"a": I}, {"a": S}),
    "definitions": _words("definitions", {"a": I}, {"a": S}),
    "default": _words("default", "a", "b"),
    "nullable": [({**S, "nullable": True}, {"nullable": None})],
    "type": [
        (S, {"type": "integer"}),
        ({"type": "number"}, {"type": "integer"}),
        (I, {"type": "number"}),
        ({"type": ["string", "null"]}, {"type": "string"}),
        (S, {"type": ["string", "null"]}),
    ],
    "enum": [
        *_bounds("string", "enum", (["a", "b"], ["a", "c"]), (["a", "b"], ["a"])),
        *_bounds("string", "enum", (["a"], ["a", "b"])),
        ({"enum": ["a"]}, {"enum": ["a", 1]}),
    ],
    "const": [({"const": "a"}, {"const": "b"}), ({**S, "const": "a"}, {"const": None})],
    "format": [
        *_bounds("string", "format", ("date-time", "date")),
        *_bounds("integer", "format", ("int64", "int32"), ("int32", "int64")),
    ],
    "multipleOf": _bounds("integer", "multipleOf", (2, 3), (2, 4)),
    "maximum": _bounds("integer", "maximum", (5, 10), (10, 5)),
    "exclusiveMaximum": _bounds("integer", "exclusiveMaximum", (5, 10), (10, 5)),
    "minimum": _bounds("integer", "minimum", (5, 10), (10, 5)),
    "exclusiveMinimum": _bounds("integer", "exclusiveMinimum", (5, 10), (10, 5)),
    "maxLength": _bounds("string", "maxLength", (2, 4), (4, 2)),
    "minLength": _bounds("string", "minLength", (2, 4), (4, 2)),
    "pattern": _bounds("string", "pattern", ("^a", "^b")),
    "maxItems": [
        ({"type": "array", "items": I, "maxItems": n}, {"maxItems": 3 - n}) for n in (1, 2)
    ],
    "minItems": [
        ({"type": "array", "items": I, "minItems": n}, {"minItems": 3 - n}) for n in (1, 2)
    ],
    "uniqueItems": [
        ({"type": "array", "items": I, "uniqueItems": True}, {"uniqueItems": None}),
        ({"type": "array", "items": I}, {"uniqueItems": True}),
    ],
    **{
        key: [
            ({"type": "array", "items": I, "contains": {"const": 1}, key: n}, {key: 3 - n})
            for n in (1, 2)
        ]
        for key in ("maxContains", "minContains")
    },
    "maxProperties": _bounds("object", "maxProperties", (1, 2), (2, 1)),
    "minProperties": _bounds("object", "minProperties", (1, 2), (2, 1)),
    "required": [
        ({**AB, "required": now}, {"required": then})
        for now, then in ((["a"], ["b"]), (["a"], ["a", "b"]), (["a", "b"], ["a"]))
    ],
    "dependentRequired": [
        ({**AB, "dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"b": ["a"]}})
    ],
    "properties": [
        ({"type": "object", "properties": {"a": I}}, {"properties": {"a": S}}),
        ({"type": "object", "properties": {"a": I}}, {"properties": {"a": I, "b": S}}),
        (
            {"type": "object", "additionalProperties": False, "properties": {"a": I}},
            {"properties": {"b": I}},
        ),
    ],
    "patternProperties": _bounds("object", "patternProperties", ({"^a": I}, {"^a": S})),
    "dependentSchemas": _bounds(
        "object",
        "dependentSchemas",
        ({"a": {"required": ["b"]}}, {"b": {"required": ["a"]}}),
    ),
    "items": _bounds("array", "items", (I, S), (I, {}), ({}, I)),
    "contains": [
        ({"type": "array", "items": I, "contains": {"const": 1}}, {"contains": {"const": 2}})
    ],
    "additionalProperties": [
        *_bounds("object", "additionalProperties", (I, S)),
        ({**AB, "additionalProperties": False}, {"additionalProperties": None}),
        (AB, {"additionalProperties": False}),
    ],
    "propertyNames": _bounds("object", "propertyNames", ({"minLength": 2}, {"maxLength": 1})),
    "not": _bounds("string", "not", ({"const": "a"}, {"const": "b"})),
    "if": [(_IF, {"if": {"required": ["b"]}})],
    "then": [(_IF, {"then": {"required": ["ab"]}})],
    "else": [({**_IF, "else": {"required": ["b"]}}, {"else": {"required": ["ab"]}})],
    "unevaluatedItems": _bounds("array", "unevaluatedItems", (I, S)),
    "unevaluatedProperties": _bounds("object", "unevaluatedProperties", (I, S)),
    "contentSchema": [
        ({**S, "contentMediaType": "application/json", "contentSchema": I}, {"contentSchema": S})
    ],
    "allOf": [
        ({"allOf": [I]}, {"allOf": [S]}),
        ({"allOf": [{**I, "maximum": 5}]}, {"allOf": [{**I, "maximum": 3}]}),
    ],
    "anyOf": [
        ({"anyOf": [I, S]}, {"anyOf": [{"type": "boolean"}, S]}),
        ({"anyOf": [I, S]}, {"anyOf": [I]}),
    ],
    "oneOf": [
        ({"oneOf": [I, S]}, {"oneOf": [{"type": "boolean"}, S]}),
        (
            {**S, "oneOf": [{"const": "a"}, {"const": "b"}]},
            {"oneOf": [{"const": "a"}, {"const": "c"}]},
        ),
        (
            {**S, "oneOf": [{"const": "b"}]},
            {"oneOf": [{"const": "a"}, {"const": "b", "x-added": NEW}]},
        ),
    ],
    "prefixItems": _bounds("array", "prefixItems", ([I], [S])),
    "x-extensible-enum": [
        ({**S, "x-extensible-enum": ["a"]}, {"x-extensible-enum": ["a", "b"]}),
        ({**S, "x-extensible-enum": ["a"]}, {"x-extensible-enum": None, "enum": ["a", "b"]}),
    ],
}


class Position(NamedTuple):
    """A position of a schema: functions that embed the schema, and a value of it."""

    schema: Callable[[Schema, str], Schema]
    value: Callable[[Json], Json]


def _same(value: Json) -> Json:
    return value


# The other member of a union, which also accepts values of the first.
_WIDE: Final[Schema] = {"minimum": 4, "minLength": 3, "minItems": 2, "minProperties": 2}

POSITIONS: Final[dict[str, Position]] = {
    "body": Position(lambda x, _: x, _same),
    "component": Position(lambda _, name: {"$ref": f"#/components/schemas/{name}"}, _same),
    "properties": Position(
        lambda x, _: {"type": "object", "required": ["f"], "properties": {"f": x}},
        lambda v: {"f": v},
    ),
    "items": Position(lambda x, _: {"type": "array", "items": x}, lambda v: [v]),
    "additionalProperties": Position(
        lambda x, _: {"type": "object", "additionalProperties": x}, lambda v: {"k": v}
    ),
    "allOf": Position(lambda x, _: {"allOf": [x, {"title": "t"}]}, _same),
    "oneOf": Position(lambda x, _: {"oneOf": [x, {"type": "boolean"}]}, _same),
    "anyOf": Position(lambda x, _: {"anyOf": [x, {"type": "boolean"}]}, _same),
    "oneOf, overlapping": Position(lambda x, _: {"oneOf": [x, _WIDE]}, _same),
    "anyOf, overlapping": Position(lambda x, _: {"anyOf": [x, _WIDE]}, _same),
    "patternProperties": Position(
        lambda x, _: {"type": "object", "patternProperties": {"^f": x}}, lambda v: {"f": v}
    ),
    "prefixItems": Position(lambda x, _: {"type": "array", "prefixItems": [x]}, lambda v: [v]),
    "not": Position(lambda x, _: {"not": x}, _same),
    "if": Position(
        lambda x, _: {"if": x, "then": {"minLength": 1, "minimum": 7}, "else": {"maxLength": 2}},
        _same,
    ),
    "then": Position(lambda x, _: {"if": {"not": {"type": "boolean"}}, "then": x}, _same),
    "else": Position(lambda x, _: {"if": {"type": "boolean"}, "then": {}, "else": x}, _same),
    "contains": Position(
        lambda x, _: {"type": "array", "contains": x, "maxContains": 1}, lambda v: [v, v]
    ),
    "propertyNames": Position(
        lambda x, _: {"type": "object", "propertyNames": x}, lambda v: {str(v): 1}
    ),
    "dependentSchemas": Position(
        lambda x, _: {"type": "object", "dependentSchemas": {"a": x}}, _same
    ),
    "unevaluatedProperties": Position(
        lambda x, _: {"type": "object", "properties": {"z": I}, "unevaluatedProperties": x},
        lambda v: {"f": v},
    ),
    "unevaluatedItems": Position(
        lambda x, _: {"type": "array", "prefixItems": [I], "unevaluatedItems": x}, lambda v: [1, v]
    ),
    "contentSchema": Position(
        lambda x, _: {**S, "contentMediaType": "application/json", "contentSchema": x}, json.dumps
    ),
    "$defs": Position(lambda x, _: {**S, "$defs": {"d": x}}, _same),
    "definitions": Position(lambda x, _: {**S, "definitions": {"d": x}}, _same),
}

CORE: Final = ("body", "properties", "items", "allOf", "oneOf", "anyOf, overlapping", "not")
"""Positions of the further cases of a keyword, and of those of an annotation."""

ANNOTATIONS: Final = frozenset(
    {"$comment", "title", "description", "examples", "xml", "externalDocs", "deprecated"}
)

VALUES: Final[list[Json]] = [
    *("a", "b", "c", "ab", "ba", "abc", "abcd", "abcde", "2025-01-01", "2025-01-01T00:00:00Z"),
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 1.5, 2**40, True, None),
    *([], [1], [2], [1, 1], [1, 2], [1, 1, 2], ["a"], ["a", "a"], [1, "a"]),
    *({}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": "a"}, {"b": "a"}, {"a": 1, "b": "a"}),
    *({"ab": 1}, {"ab": "a"}, {"a": 1, "ab": 1}, {"a": 1, "b": 1, "ab": 1}, {"b": 1, "ab": 1}),
]


class Pair(NamedTuple):
    """A keyword at a position, and the name of the operation that takes and returns it."""

    keyword: str
    number: int
    position: str
    name: str


def was(**before: Any) -> dict[str, Any]:
    """Return an `x-was` with the keywords before the newest version; None unsets one."""
    setting = {key: value for key, value in before.items() if value is not None}
    unset = [key for key in before if key not in setting]
    return {"x-was": {NEW: {"set": setting, "unset": unset} if unset else setting}}


def api(**more: Any) -> str:
    """Return the fragment that all definitions need."""
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Histories", "version": "canonical"},
            "tags": [{"name": "All"}, {"name": "Other"}],
            "paths": {},
            "components": {"schemas": {"Text": S, "Number": I}},
            **more,
        }
    )


def schema_sources() -> tuple[dict[str, Json], list[Pair]]:
    """Return definitions of every keyword by the name of the pair.

    The first case of a keyword is at every position.
    """
    parts: dict[str, Json] = {}
    pairs: list[Pair] = []
    for keyword, cases in KEYWORDS.items():
        for number, (newest, before) in enumerate(cases):
            for position in CORE if number or keyword in ANNOTATIONS else POSITIONS:
                held = POSITIONS[position].schema
                name = f"Pair{len(pairs)}"
                schema = {**newest, **was(**before)}
                content = {"application/json": {"schema": held(schema, name)}}
                operation = {
                    "operationId": name,
                    "tags": ["All"],
                    "requestBody": {"required": True, "content": content},
                    "responses": {"200": {"description": "one", "content": content}},
                }
                parts[name] = {"paths": {f"/{name}": {"post": operation}}}
                if position == "component":
                    parts[name]["components"] = {"schemas": {name: schema}}
                pairs.append(Pair(keyword, number, position, name))
    return parts, pairs
