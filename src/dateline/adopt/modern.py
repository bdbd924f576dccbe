"""An OpenAPI 3.0 document in, the same in the words of 3.1 out.

What OpenAPI 3.0.4 section 4.7.24 has beside JSON Schema is said in JSON Schema 2020-12.
"""

from __future__ import annotations

from typing import Any, Final

from dateline.openapi import Shape, slot

VERSION: Final = "3.1.0"

_BOUNDS: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

_NARROWING: Final = frozenset({"$ref", "allOf", "oneOf", "anyOf", "not"})
"""Keywords beside which another type would not let null through."""


def is_old(document: dict[str, Any]) -> bool:
    """Tell whether *document* is OpenAPI 3.0."""
    return str(document.get("openapi", "")).startswith("3.0")


def modern(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document*, which is OpenAPI 3.0, as OpenAPI 3.1; what need not change is shared."""
    return {**_object("document", document), "openapi": VERSION}


def _object(kind: str, node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    made = {key: _below(kind, key, value) for key, value in node.items()}
    return _schema(made) if kind == "schema" else made


def _below(kind: str, key: str, value: Any) -> Any:
    shape, below = slot(kind, key)
    if shape is Shape.ONE:
        return _object(below, value)
    if shape is Shape.MAP and isinstance(value, dict):
        return {name: _object(below, child) for name, child in value.items()}
    if shape is Shape.LIST and isinstance(value, list):
        return [_object(below, child) for child in value]
    return value


def _schema(node: dict[str, Any]) -> dict[str, Any]:
    for exclusive, bound in _BOUNDS.items():
        said = node.get(exclusive)
        if said is True and bound in node:
            # the boolean makes the bound beside it the exclusive one
            node = {
                (exclusive if key == bound else key): value
                for key, value in node.items()
                if key != exclusive
            }
        elif isinstance(said, bool):
            node = {key: value for key, value in node.items() if key != exclusive}
    if "nullable" not in node:
        return node
    nullable = node["nullable"] is True
    node = {key: value for key, value in node.items() if key != "nullable"}
    return _nullable(node) if nullable else node


def _nullable(node: dict[str, Any]) -> dict[str, Any]:
    """Return *node* with null beside what it lets through."""
    if not _NARROWING.isdisjoint(node):
        return {"anyOf": [node, {"type": "null"}]}
    if not isinstance(node.get("type"), str):
        # OpenAPI 3.0.4 section 4.7.24.1: without a type beside it, it says nothing
        return node
    made = {key: [value, "null"] if key == "type" else value for key, value in node.items()}
    values = node.get("enum")
    if isinstance(values, list) and None not in values:
        made["enum"] = [*values, None]
    return made
