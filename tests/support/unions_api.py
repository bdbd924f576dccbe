"""Two documents of an API whose unions differ between versions."""

from __future__ import annotations

from typing import Any, Final

import yaml

OLD, NEW = "2024-01-15", "2025-06-01"

_DELETED: Final = """
      type: object
      required: [id, deleted]
      properties: { id: { type: string }, deleted: { type: boolean, enum: [true] } }
"""
_CUSTOMER: Final = """
      type: object
      required: [id, name]
      properties:
        id: { type: string }
        name: { type: string }
        email: { type: string, x-new: true }
"""
_PATTERNED: Final = """
      type: object
      patternProperties:
        '^x':
          type: object
          properties: { a: { type: integer }, new: { type: integer, x-new: true } }
"""

# Fields, and the schemas they refer to. Nodes marked `x-new` exist only in the newer version.
UNIONS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "customer": (
        "anyOf: [$ref: '#/components/schemas/Customer', $ref: '#/components/schemas/Deleted']",
        {"Customer": _CUSTOMER, "Deleted": _DELETED},
    ),
    "expandable": (
        "anyOf: [type: string, $ref: '#/components/schemas/Customer', "
        "$ref: '#/components/schemas/Deleted']",
        {"Customer": _CUSTOMER, "Deleted": _DELETED},
    ),
    "starred": (
        "anyOf: [{ type: array, items: { $ref: '#/components/schemas/Star' } }, "
        "{ type: array, items: { $ref: '#/components/schemas/Customer' } }]",
        {
            "Customer": _CUSTOMER,
            "Star": "{ type: object, required: [at], properties: { at: { type: integer }, "
            "customer: { $ref: '#/components/schemas/Customer' } } }",
        },
    ),
    "closed": (
        "oneOf: [$ref: '#/components/schemas/One', $ref: '#/components/schemas/Other']",
        {
            "One": "{ type: object, additionalProperties: false, required: [one], properties: "
            "{ one: { type: integer }, new: { type: integer, x-new: true } } }",
            "Other": "{ type: object, additionalProperties: false, required: [other], properties: "
            "{ other: { type: integer } } }",
        },
    ),
    "ambiguous": (
        "oneOf: [$ref: '#/components/schemas/Wide', $ref: '#/components/schemas/Exact']",
        {
            "Wide": "{ type: object, additionalProperties: false, properties: "
            "{ a: { type: integer }, new: { type: integer, x-new: true } } }",
            "Exact": "{ type: object, required: [a], additionalProperties: false, properties: "
            "{ a: { type: integer, minimum: 10 } } }",
        },
    ),
    "optional_tag": (
        "anyOf: [$ref: '#/components/schemas/Cat', $ref: '#/components/schemas/Dog']",
        {
            "Cat": "{ type: object, required: [lives], properties: { kind: { enum: [cat] }, "
            "lives: { type: integer }, new: { type: integer, x-new: true } } }",
            "Dog": "{ type: object, properties: { kind: { enum: [dog] }, "
            "new: { type: string, x-new: true } } }",
        },
    ),
    "wider": (
        "anyOf: [{ type: object, required: [a], properties: { a: { type: integer } } }, "
        "{ type: object, required: [b], properties: { b: { type: integer } }, x-new: true }]",
        {},
    ),
    # no unions, but parts that depend on each other
    "related": (
        "{ type: object, properties: { name: { type: string }, card: { anyOf: [type: string, "
        "{ type: object, x-new: true }] } }, "
        "if: { required: [name] }, then: { required: [card] } }",
        {},
    ),
    "twice": (
        "{ type: object, required: [a, a], dependentRequired: { b: [a] }, properties: "
        "{ a: { type: integer }, b: { type: integer }, new: { type: integer, x-new: true } } }",
        {},
    ),
    "beside": (
        "allOf: [{ type: object, additionalProperties: false, properties: "
        "{ a: { type: integer }, b: { type: integer, x-new: true } } }, "
        "{ type: object, properties: { b: { type: integer } } }]",
        {},
    ),
    "patterned": ("$ref: '#/components/schemas/Patterned'", {"Patterned": _PATTERNED}),
}


def documents() -> dict[str, dict[str, Any]]:
    """Return the documents of the two versions."""
    schemas: dict[str, Any] = {
        name: yaml.safe_load(text) for _, known in UNIONS.values() for name, text in known.items()
    }
    fields = {field: yaml.safe_load(union) for field, (union, _) in UNIONS.items()}
    schemas["Thing"] = {"type": "object", "properties": fields}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    answers = {"responses": {"200": {"description": "a thing", "content": content}}}
    body = {"requestBody": {"required": True, "content": content}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {
            "/thing": {
                "get": {"operationId": "getThing", **answers},
                "put": {"operationId": "putThing", **body, **answers},
            }
        },
        "components": {"schemas": schemas},
    }
    return {version: _at(version, document) for version in (OLD, NEW)}


def _at(version: str, node: Any) -> Any:
    """Return *node* at *version*; parts marked `x-new` exist only in the newer one."""
    if isinstance(node, list):
        return [_at(version, each) for each in node if _is_at(version, each)]
    if not isinstance(node, dict):
        return node
    return {
        key: _at(version, each)
        for key, each in node.items()
        if key != "x-new" and _is_at(version, each)
    }


def _is_at(version: str, node: Any) -> bool:
    return version == NEW or not (isinstance(node, dict) and "x-new" in node)
