"""The JSON Schema of `versions.yaml`, derived from the declaration of its keys."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from dateline.load.editor.grammar import DIALECT, closed_object, grammar, ref
from dateline.load.table.contents import JsonSchema, TableValue, matching, version_schema
from dateline.load.table.keys import KEYS, OPENAPI, SUBJECTS, TableKey
from dateline.model import NEXT, PLACES
from dateline.versions import DATE_FORM, MOVING

_TABLE: Final = "the version table"

_TOGETHER: Final[dict[str, JsonSchema]] = {
    _TABLE: {
        "not": {"anyOf": [{"required": [*pair]} for pair in combinations(PLACES, 2)]},
        "if": {"properties": {"lint": {"const": "adopted"}}, "required": ["lint"]},
        "else": {
            "required": ["environments"],
            "properties": {"environments": {"additionalProperties": {"required": ["servers"]}}},
        },
    },
    "a version": {
        "if": {"properties": {"date": {"const": NEXT}}, "required": ["date"]},
        "then": {"required": ["draft"], "properties": {"draft": {"const": True}}},
        "allOf": [
            {
                "if": {"properties": {"moving": {"const": True}}, "required": ["moving"]},
                "then": {
                    "properties": {"date": matching(MOVING, "Write a word such as unstable.")}
                },
                "else": {"properties": {"date": {"$ref": "#/$defs/date"}}},
            }
        ],
    },
    **{
        what: {"oneOf": [{"required": [subject]} for subject in subjects]}
        for what, (subjects, _) in SUBJECTS.items()
    },
}
"""Constraints between the keys of a mapping."""


def versions_schema(form: str = DATE_FORM) -> JsonSchema:
    """Return the JSON Schema (2020-12) of `versions.yaml` with versions named in *form*."""
    return {
        "$schema": DIALECT,
        "$comment": "the version table of an API",
        **_object(_TABLE),
        "$defs": {
            "date": version_schema(form),
            "cut": version_schema(form, cut=True),
        }
        | {
            _name(what): grammar(_name(what)) if what in OPENAPI else _object(what)
            for what in KEYS
            if what != _TABLE
        },
    }


def _name(what: str) -> str:
    """Return the name of the mapping *what* among the definitions: `a version`, `version`."""
    return what.removeprefix("an ").removeprefix("a ").replace(" ", "-")


def _object(what: str) -> JsonSchema:
    """Return the schema of the mapping *what*."""
    required = tuple(key for key, field in KEYS[what].items() if field.missing)
    properties = {key: _field(field) for key, field in KEYS[what].items()}
    return {**closed_object(properties, required), **_TOGETHER.get(what, {})}


def _field(field: TableKey) -> JsonSchema:
    schema = _content(field.content)
    if isinstance(field.default, str | bool | int):
        schema["default"] = field.default
    if field.about:
        schema["description"] = field.about
    return schema


def _content(content: TableValue) -> JsonSchema:
    """Return the schema of *content*, including its items."""
    schema = dict(content.schema)
    if content.each is not None:
        holds = "items" if content.name is None else "additionalProperties"
        schema[holds] = _content(content.each)
    if content.name is not None:
        schema["propertyNames"] = content.name.schema
    if not content.object:
        return schema
    mapping = ref(_name(content.object))
    return {"anyOf": [schema, mapping]} if schema else mapping
