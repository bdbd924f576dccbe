"""The types of JSON values, and of the values that the keywords of one schema object allow."""

from __future__ import annotations

from typing import Any, Final

from dateline.schema.dialect import OR_NULL, Schema
from dateline.schema.dialect import UNIONS as UNIONS

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The names of JSON Schema's types (2020-12, validation, section 6.1.1)."""

EVERY_TYPE: Final = frozenset(TYPES)

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "deprecated", "example", "examples", "externalDocs"}
    | {"readOnly", "writeOnly", "xml", "$comment", "contentMediaType", "contentEncoding"}
    | {"contentSchema", "discriminator", "format", "$schema", "$id", "$defs", "definitions"}
    | {"x-enum-descriptions"}
)
"""Keywords that never make a value invalid."""


IMPLIED: Final[dict[str, frozenset[str]]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}
        | {"minProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "uniqueItems", "contains"}),
    "string": frozenset({"pattern", "minLength", "maxLength", "format"}),
    "number": frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    ),
}
"""The keywords that concern the values of one type only."""


def type_of(value: Any) -> str:
    """Return the JSON Schema type of *value*, the narrowest one.

    1.0 is an integer (JSON Schema 2020-12, core, section 4.2.3).
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    return "object" if isinstance(value, dict) else "array"


def members(schema: Schema) -> tuple[str, list[Any]]:
    """Return the keyword and the members of the union that *schema* is, without members if none."""
    for key in UNIONS:
        if schema.get(key):
            return key, schema[key]
    return UNIONS[0], []


def is_enumeration(schema: Schema) -> bool:
    """Return whether *schema* is an annotated enumeration: a union of nothing but `const`."""
    _, listed = members(schema)
    return bool(listed) and all(isinstance(m, dict) and "const" in m for m in listed)


def choices(schema: Schema) -> list[Any] | None:
    """Return the values that a closed enumeration lists, or None."""
    if "enum" in schema:
        values: list[Any] = schema["enum"]
    elif "const" in schema:
        values = [schema["const"]]
    elif is_enumeration(schema):
        values = [each["const"] for each in members(schema)[1]]
    else:
        return None
    return [*values, None] if OR_NULL in schema and None not in values else values


def declared_types(schema: Schema) -> frozenset[str]:
    """Return the types that the `type` of *schema* itself allows."""
    written = schema.get("type")
    if written is None:
        return EVERY_TYPE
    types = {written} if isinstance(written, str) else set(written)
    if "number" in types:
        types.add("integer")
    if OR_NULL in schema:
        types.add("null")
    # an unknown name is reported elsewhere
    return frozenset(types) if types <= EVERY_TYPE else EVERY_TYPE
