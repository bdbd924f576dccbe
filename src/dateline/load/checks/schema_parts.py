"""Collect the keywords of a schema together with those of its references and its `allOf`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.load.checks.scope import Scope
from dateline.schema.dialect import OR_NULL, Schema
from dateline.schema.types import EVERY_TYPE, UNIONS, choices, declared_types, type_of

# The type that a schema without `type` is obviously meant for.
_IMPLIED: Final = {
    **dict.fromkeys(("properties", "required", "additionalProperties"), "object"),
    **dict.fromkeys(("minProperties", "maxProperties", "patternProperties"), "object"),
    **dict.fromkeys(("items", "minItems", "maxItems", "prefixItems"), "array"),
    **dict.fromkeys(("pattern", "minLength", "maxLength"), "string"),
}

# Deeper nested unions are assumed to allow anything.
_DEEPEST: Final = 12


def resolve_schema(scope: Scope, schema: Any) -> Schema:
    """Return the schema that *schema* leads to; an empty one if it is unknown."""
    schema = scope.resolve("schema", schema)
    return scope.dialect.keywords(schema) if isinstance(schema, dict) else {}


def admits_null(scope: Scope, schema: Any) -> bool:
    """Return whether *schema*, or its target, allows null, whatever else it demands."""
    if not isinstance(schema, dict):
        return False
    return OR_NULL in scope.dialect.keywords(schema) or OR_NULL in resolve_schema(scope, schema)


def read_beside(scope: Scope, schema: Any) -> Schema:
    """Return what *schema* has beside its reference; nothing in OpenAPI 3.0."""
    schema = scope.now(schema)
    if not isinstance(schema, dict) or "$ref" not in schema or not scope.modern:
        return {}
    return {key: value for key, value in schema.items() if key != "$ref"}


def list_parts(scope: Scope, schema: Any) -> Iterator[Schema]:
    """Yield *schema*, resolved, and everything that its allOf lists, each once.

    Keywords beside a reference, which adopted definitions have, come after its target.
    """
    seen: set[int] = set()
    pending = [schema]
    while pending:
        written = pending.pop()
        part = resolve_schema(scope, written)
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        pending += reversed(part.get("allOf", ()))
        if beside := read_beside(scope, written):
            pending.append(beside)


def collect_properties(scope: Scope, schema: Any) -> dict[str, Any]:
    """Return the properties of *schema* and of everything that its allOf lists."""
    found: dict[str, Any] = {}
    for part in list_parts(scope, schema):
        for name, below in part.get("properties", {}).items():
            found.setdefault(name, below)
    return found


def collect_required(scope: Scope, schema: Any) -> dict[str, None]:
    """Return the names that *schema* and all that its allOf lists require, in order."""
    return {name: None for part in list_parts(scope, schema) for name in part.get("required", ())}


def admitted_types(
    scope: Scope, schema: Any, within: frozenset[int] = frozenset()
) -> frozenset[str]:
    """Return the JSON types that *schema* as a whole allows.

    *within* are the identities of the schemas that have it among their parts.
    """
    node = resolve_schema(scope, schema)
    possible = declared_types(node)
    if len(within) > _DEEPEST or id(node) in within:
        return possible | {"null"} if admits_null(scope, schema) else possible
    within |= {id(node)}
    for base in node.get("allOf", ()):
        possible &= admitted_types(scope, base, within)
    for key in UNIONS:
        if node.get(key):
            union = (admitted_types(scope, member, within) for member in node[key])
            possible &= frozenset().union(*union)
    values = choices(node)
    if values is not None:
        listing = {type_of(value) for value in values}
        possible &= listing | {"number"} if "integer" in listing else listing
    elif "type" not in node and possible == EVERY_TYPE:
        implied = {_IMPLIED[key] for key in node if key in _IMPLIED}
        possible = frozenset(implied) or possible
    return possible | {"null"} if admits_null(scope, schema) else possible
