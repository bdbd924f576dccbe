"""Two random versions of an API that differ in one union.

Members are open and closed objects, lists and strings. They are distinguished by required or
optional constants, by fields, by types, or not at all.
"""

from __future__ import annotations

from random import Random
from typing import Any

Schema = dict[str, Any]

_FIELDS: tuple[Schema, ...] = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "integer", "minimum": 10},
    {"type": "boolean", "enum": [True]},
    {"type": "string", "enum": ["one"]},
    {"type": "string", "enum": ["other"]},
)


def make_union_versions(seed: int) -> tuple[Schema, Schema]:
    """Return the documents of two versions, the older first."""
    pick = Random(seed)
    older: list[Schema] = []
    newer: list[Schema] = []
    for _ in range(pick.randint(2, 4)):
        before, now = _member(pick, 0)
        how = pick.random()
        if how > 0.2 or not older:
            older.append(before)
        if how < 0.9 or not newer:
            newer.append(now)
    key = pick.choice(("anyOf", "oneOf"))
    return _document({key: older}), _document({key: newer})


def _member(pick: Random, depth: int) -> tuple[Schema, Schema]:
    """Return a member in its older and its newer form."""
    how = pick.random()
    if how < 0.1:
        return ({"type": "string"},) * 2
    if how < 0.3 and depth < 2:
        before, now = _member(pick, depth + 1)
        return {"type": "array", "items": before}, {"type": "array", "items": now}
    names = pick.sample("abcdef", pick.randint(1, 4))
    closed = {"additionalProperties": False} if pick.random() < 0.3 else {}
    fields = {name: pick.choice(_FIELDS) for name in names}
    required = [name for name in names if pick.random() < 0.5]
    return _object(pick, fields, required, closed), _object(pick, fields, required, closed)


def _object(pick: Random, fields: Schema, required: list[str], closed: Schema) -> Schema:
    kept = {name: field for name, field in fields.items() if pick.random() < 0.8}
    needed = [name for name in required if name in kept]
    made: Schema = {"type": "object", "properties": kept, **closed}
    return {**made, "required": needed} if needed else made


def _document(union: Schema) -> Schema:
    thing = {"type": "object", "properties": {"union": union}}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    operation = {
        "operationId": "putThing",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "a thing", "content": content}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {"/thing": {"put": operation}},
        "components": {"schemas": {"Thing": thing}},
    }
