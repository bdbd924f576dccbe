"""The objects of OpenAPI, and single values, as JSON Schemas for editors."""

from __future__ import annotations

from typing import Final

from dateline.load.table.contents import COUNT, FLAG, TEXT, URL, JsonSchema
from dateline.openapi import ANY, NEWEST, OBJECTS, VALUES, Arrangement, Key, Value, list_required

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

ANYTHING: Final[JsonSchema] = {}
NUMBER: Final = {"type": "number"}
# In OpenAPI 3.0 these say whether the neighbouring bound is exclusive.
EXCLUSIVE: Final = {"type": ["number", "boolean"]}
TEXTS: Final = {"type": "array", "items": TEXT.schema, "uniqueItems": True}
TEXT_MAP: Final = {"type": "object", "additionalProperties": TEXT.schema}
TYPES: Final = {"enum": ["string", "number", "integer", "boolean", "object", "array", "null"]}


def closed_object(properties: JsonSchema, required: tuple[str, ...] = ()) -> JsonSchema:
    """Return the schema of objects with these *properties* and no others."""
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": list(required)} if required else closed


REFERENCE: Final[JsonSchema] = {
    "type": "string",
    "pattern": r"^(#/|(?!#)(?!/)(?![A-Za-z][A-Za-z0-9+.-]*:)[^#]+\.(json|yaml|yml)(#|$))",
    "description": "A place in this document, `#/components/...`, or a file of this folder or of "
    "one below it, `models/loan.yaml`, and a place in it, `models.yaml#/Loan`.",
}

_VALUES: Final[dict[Value, JsonSchema]] = {
    Value.TEXT: TEXT.schema,
    Value.FLAG: FLAG.schema,
    Value.NUMBER: NUMBER,
    Value.BOUND: EXCLUSIVE,
    Value.COUNT: COUNT.schema,
    Value.LIST: {"type": "array"},
    Value.TEXTS: TEXTS,
    Value.TYPES: {
        "anyOf": [TYPES, {"type": "array", "items": TYPES, "minItems": 1, "uniqueItems": True}]
    },
    Value.MAP: {"type": "object"},
    Value.TEXT_MAP: TEXT_MAP,
    Value.LIST_MAP: {"type": "object", "additionalProperties": TEXTS},
    Value.DEMANDS: {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": TEXT.schema},
        },
    },
    Value.ANY: ANYTHING,
}

# OpenAPI 3.1.1 section 4.8.12.3
_STYLES: Final[JsonSchema] = {
    "enum": [
        *("matrix", "label", "simple", "form", "spaceDelimited", "pipeDelimited", "deepObject"),
        "cookie",
    ]
}

_NARROWER: Final[dict[tuple[str, str], JsonSchema]] = {
    ("document", "openapi"): {"type": "string", "pattern": r"^3\.[012]\.[0-9]+$"},
    ("schema", "$ref"): REFERENCE,
    ("path-item", "$ref"): REFERENCE,
    ("schema", "enum"): {"type": "array", "minItems": 1, "uniqueItems": True},
    ("schema", "multipleOf"): {"type": "number", "exclusiveMinimum": 0},
    ("schema", "nullable"): {
        **FLAG.schema,
        "description": "OpenAPI 3.0 only; in 3.1 add 'null' to `type`.",
    },
    ("schema", "pattern"): {"type": "string", "format": "regex"},
    ("schema", "$vocabulary"): {"type": "object", "additionalProperties": FLAG.schema},
    ("server", "url"): URL.schema,
    ("server-variable", "enum"): {**TEXTS, "minItems": 1},
    **{(kind, "style"): _STYLES for kind in ("parameter", "header", "encoding")},
    **{place: {"enum": [*values]} for place, values in VALUES.items()},
}
"""The content of a key, if an editor can say more than its type."""

_NAMES: Final = {
    "paths": "^/",
    "responses": "^(?:[1-5][0-9][0-9]|[1-5]XX|default)$",
    "callback": "^(?!x-)",
}
"""Objects whose keys are the author's own, and the pattern of those keys."""


def grammar(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in OpenAPI, without our keys."""
    keys = OBJECTS[kind]
    properties = {name: _content(kind, name, key) for name, key in keys.items() if name != ANY}
    patterns: JsonSchema = {"^x-": ANYTHING}
    if ANY in keys:
        patterns[_NAMES[kind]] = ref(keys[ANY].slot.kind)
    # the document is spread over several files, and none of them must be complete
    required = () if kind == "document" else list_required(kind, NEWEST)
    return {**closed_object(properties, required), "patternProperties": patterns}


def _content(kind: str, name: str, key: Key) -> JsonSchema:
    """Return the schema of the value of *key*, called *name* in objects of *kind*."""
    if key.slot.arrangement is Arrangement.DATA:
        return _NARROWER.get((kind, name)) or _VALUES[key.value]
    below = ref(key.slot.kind)
    if key.slot.arrangement is Arrangement.LIST:
        return {"type": "array", "items": below}
    if key.slot.arrangement is Arrangement.MAP:
        return {"type": "object", "additionalProperties": below}
    return below


def ref(kind: str) -> JsonSchema:
    """Return a reference to the schema of the objects of *kind*."""
    return {"$ref": f"#/$defs/{kind}"}
