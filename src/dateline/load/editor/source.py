"""The JSON Schema of a file of definitions, for editors."""

from __future__ import annotations

from dateline.load.editor.grammar import REFERENCE, grammar
from dateline.load.editor.ours import (
    COMPANIONS,
    before,
    date_of,
    environment_of,
    no_slip,
    our_keys,
    ours,
)
from dateline.load.editor.pieces import DIALECT, TEXT, JsonSchema, closed_object
from dateline.model import KEYS as OUR_KEYS
from dateline.model import Table
from dateline.openapi import OBJECTS, REFERABLE, WHOLE


def source_schema(table: Table | None) -> JsonSchema:
    """Return the JSON Schema (2020-12) of a file of definitions.

    With a *table*, dates and environments are those that it names, and `next`.
    """
    return {
        "$schema": DIALECT,
        "$comment": "definitions of an API: OpenAPI 3.1, and what differs between versions",
        "$ref": "#/$defs/document",
        "$defs": {
            **{kind: _kind(kind) for kind in OBJECTS},
            **{f"before-{kind}": before(kind) for kind in OBJECTS if kind not in WHOLE},
            "reference": closed_object(
                {"$ref": REFERENCE, "summary": TEXT, "description": TEXT},
                required=("$ref",),
            ),
            "key": {"allOf": [no_slip(key) for key in sorted(OUR_KEYS)]},
            "date": date_of(table),
            "environment": environment_of(table),
            **our_keys(),
        },
    }


def _kind(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in a file of definitions."""
    schema = {**grammar(kind), "propertyNames": {"$ref": "#/$defs/key"}}
    if kind not in WHOLE:
        schema["properties"] |= ours(kind)
        schema["dependentSchemas"] = COMPANIONS
    if kind == "schema":
        # `true` and `false` are schemas too
        return {**schema, "type": ["object", "boolean"]}
    if kind in REFERABLE:
        reference = {"$ref": "#/$defs/reference"}
        return {"if": {"required": ["$ref"]}, "then": reference, "else": schema}
    return schema
