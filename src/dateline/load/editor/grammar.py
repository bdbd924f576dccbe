"""The objects of OpenAPI, each as a JSON Schema."""

from __future__ import annotations

from typing import Final

from dateline.load.editor.pieces import (
    ANYTHING,
    COUNT,
    EXCLUSIVE,
    FLAG,
    NUMBER,
    TEXT,
    TEXT_MAP,
    TEXTS,
    TYPES,
    URL,
    JsonSchema,
    closed_object,
)
from dateline.openapi import ANY, OBJECTS, REQUIRED, Shape, Slot

BY_KEY: Final[dict[str, JsonSchema]] = {
    **dict.fromkeys(("description", "summary", "title", "$comment", "name", "url"), TEXT),
    **dict.fromkeys(("email", "termsOfService", "version", "identifier"), TEXT),
    **dict.fromkeys(("operationId", "operationRef", "externalValue", "contentType"), TEXT),
    **dict.fromkeys(("format", "contentEncoding", "contentMediaType", "propertyName"), TEXT),
    **dict.fromkeys(("scheme", "bearerFormat", "openIdConnectUrl"), TEXT),
    **dict.fromkeys(("authorizationUrl", "tokenUrl", "refreshUrl"), TEXT),
    **dict.fromkeys(("namespace", "prefix", "jsonSchemaDialect"), TEXT),
    **dict.fromkeys(("$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor"), TEXT),
    **dict.fromkeys(("deprecated", "allowEmptyValue", "explode", "allowReserved"), FLAG),
    **dict.fromkeys(("readOnly", "writeOnly", "uniqueItems", "attribute", "wrapped"), FLAG),
    **dict.fromkeys(("maximum", "minimum"), NUMBER),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum"), EXCLUSIVE),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems"), COUNT),
    **dict.fromkeys(("maxContains", "minContains", "maxProperties", "minProperties"), COUNT),
    **dict.fromkeys(("mapping", "scopes"), TEXT_MAP),
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "nullable": {**FLAG, "description": "OpenAPI 3.0 only; in 3.1 add 'null' to `type`."},
    "pattern": {"type": "string", "format": "regex"},
    "required": FLAG,
    "tags": TEXTS,
    "$ref": {
        "type": "string",
        "pattern": "^#/",
        "description": "A place in this document: `#/components/...`. Other files are not read.",
    },
    # OpenAPI 3.1.1 section 4.8.12.3
    "style": {
        "enum": [
            "matrix",
            "label",
            "simple",
            "form",
            "spaceDelimited",
            "pipeDelimited",
            "deepObject",
        ]
    },
    "security": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}},
    },
    "dependentRequired": {"type": "object", "additionalProperties": TEXTS},
    "$vocabulary": {"type": "object", "additionalProperties": FLAG},
    # values of the API's own
    **dict.fromkeys(
        ("default", "const", "example", "value", "parameters", "requestBody"), ANYTHING
    ),
}
"""What the keys that hold data hold, where that is the same in every object."""

_BY_OBJECT: Final[dict[tuple[str, str], JsonSchema]] = {
    ("document", "openapi"): {"type": "string", "pattern": r"^3\.[01]\.[0-9]+$"},
    ("schema", "type"): {
        "anyOf": [
            TYPES,
            {"type": "array", "items": TYPES, "minItems": 1, "uniqueItems": True},
        ]
    },
    ("schema", "enum"): {"type": "array", "minItems": 1, "uniqueItems": True},
    ("schema", "required"): TEXTS,
    ("schema", "examples"): {"type": "array"},
    ("server", "url"): URL,
    ("server-variable", "enum"): {**TEXTS, "minItems": 1},
    ("server-variable", "default"): TEXT,
    ("parameter", "in"): {"enum": ["path", "query", "header", "cookie"]},
    ("security-scheme", "in"): {"enum": ["query", "header", "cookie"]},
    ("security-scheme", "type"): {
        "enum": ["apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"]
    },
}
"""What a key that holds data holds in one object, where that differs."""

_NAMES: Final = {
    "paths": "^/",
    "responses": "^(?:[1-5][0-9][0-9]|[1-5]XX|default)$",
    "callback": "^(?!x-)",
}
"""Objects whose keys are the author's own, and the pattern of those keys."""


def grammar(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in OpenAPI, without keys of ours."""
    slots = OBJECTS[kind]
    properties = {key: _held(kind, key, slot) for key, slot in slots.items() if key != ANY}
    patterns: JsonSchema = {"^x-": ANYTHING}
    if ANY in slots:
        patterns[_NAMES[kind]] = ref(slots[ANY].kind)
    # the document is spread over several files: none of them needs to have all of it
    required = () if kind == "document" else REQUIRED.get(kind, ())
    return {**closed_object(properties, required), "patternProperties": patterns}


def _held(kind: str, key: str, slot: Slot) -> JsonSchema:
    """Return the schema of what stands under *key* of an object of *kind*."""
    if slot.shape is Shape.DATA:
        return _BY_OBJECT.get((kind, key)) or BY_KEY[key]
    below = ref(slot.kind)
    if slot.shape is Shape.LIST:
        return {"type": "array", "items": below}
    if slot.shape is Shape.MAP:
        return {"type": "object", "additionalProperties": below}
    return below


def ref(kind: str) -> JsonSchema:
    """Return a reference to the schema of the objects of *kind*."""
    return {"$ref": f"#/$defs/{kind}"}
