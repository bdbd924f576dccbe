"""The objects of OpenAPI 3.0 and 3.1: which keys each has, and what stands below them.

One table serves every walk: checking, projecting, comparing. Sources: OpenAPI Specification
3.1.1 section 4.8 and 3.0.4 section 4.7; JSON Schema 2020-12, core and validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, NamedTuple


class Shape(Enum):
    """How the children of a key stand below it."""

    ONE = "one"
    LIST = "list"
    MAP = "map"
    DATA = "data"  # a value of the API's own: never walked, whatever keys it has


class Slot(NamedTuple):
    """What a key holds: children of one kind in one shape, or data."""

    shape: Shape
    kind: str


def _data(*keys: str) -> dict[str, Slot]:
    return {key: Slot(Shape.DATA, "data") for key in keys}


def _one(kind: str, *keys: str) -> dict[str, Slot]:
    return {key: Slot(Shape.ONE, kind) for key in keys}


def _list(kind: str, *keys: str) -> dict[str, Slot]:
    return {key: Slot(Shape.LIST, kind) for key in keys}


def _map(kind: str, *keys: str) -> dict[str, Slot]:
    return {key: Slot(Shape.MAP, kind) for key in keys}


ANY: Final = "*"
"""Stands for every key that is not named and does not begin with ``x-``."""

VERSION: Final = "/info/version"
"""Where a document says which version it is of: what a version is called is no change of it."""

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

COMPONENTS: Final[dict[str, str]] = {
    "schemas": "schema",
    "responses": "response",
    "parameters": "parameter",
    "examples": "example",
    "requestBodies": "request-body",
    "headers": "header",
    "securitySchemes": "security-scheme",
    "links": "link",
    "callbacks": "callback",
    "pathItems": "path-item",
}
"""The sections of ``components`` and the kind of each."""

_PARAMETER = {
    **_data("description", "required", "deprecated", "allowEmptyValue", "style", "explode"),
    **_data("allowReserved", "example"),
    **_one("schema", "schema"),
    **_map("example", "examples"),
    **_map("media-type", "content"),
}

OBJECTS: Final[dict[str, dict[str, Slot]]] = {
    "document": {
        **_data("openapi", "jsonSchemaDialect", "security"),
        **_one("info", "info"),
        **_list("server", "servers"),
        **_one("paths", "paths"),
        **_map("path-item", "webhooks"),
        **_one("components", "components"),
        **_list("tag", "tags"),
        **_one("external-docs", "externalDocs"),
    },
    "info": {
        **_data("title", "summary", "description", "termsOfService", "version"),
        **_one("contact", "contact"),
        **_one("license", "license"),
    },
    "contact": _data("name", "url", "email"),
    "license": _data("name", "identifier", "url"),
    "server": {**_data("url", "description"), **_map("server-variable", "variables")},
    "server-variable": _data("enum", "default", "description"),
    "components": {key: Slot(Shape.MAP, kind) for key, kind in COMPONENTS.items()},
    "paths": _one("path-item", ANY),
    "path-item": {
        **_data("$ref", "summary", "description"),
        **_one("operation", *METHODS),
        **_list("server", "servers"),
        **_list("parameter", "parameters"),
    },
    "operation": {
        **_data("tags", "summary", "description", "operationId", "deprecated", "security"),
        **_one("external-docs", "externalDocs"),
        **_list("parameter", "parameters"),
        **_one("request-body", "requestBody"),
        **_one("responses", "responses"),
        **_map("callback", "callbacks"),
        **_list("server", "servers"),
    },
    "external-docs": _data("description", "url"),
    "parameter": {**_data("name", "in"), **_PARAMETER},
    "header": _PARAMETER,
    "request-body": {**_data("description", "required"), **_map("media-type", "content")},
    "media-type": {
        **_one("schema", "schema"),
        **_data("example"),
        **_map("example", "examples"),
        **_map("encoding", "encoding"),
    },
    "encoding": {
        **_data("contentType", "style", "explode", "allowReserved"),
        **_map("header", "headers"),
    },
    "responses": _one("response", ANY),
    "response": {
        **_data("description"),
        **_map("header", "headers"),
        **_map("media-type", "content"),
        **_map("link", "links"),
    },
    "callback": _one("path-item", ANY),
    "example": _data("summary", "description", "value", "externalValue"),
    "link": {
        **_data("operationRef", "operationId", "parameters", "requestBody", "description"),
        **_one("server", "server"),
    },
    "tag": {**_data("name", "description"), **_one("external-docs", "externalDocs")},
    "schema": {
        **_data("$ref", "$comment", "title", "description", "default", "deprecated"),
        **_data("readOnly", "writeOnly", "examples", "example"),
        **_data("type", "enum", "const", "format", "contentEncoding", "contentMediaType"),
        **_data("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        **_data("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
        **_data("maxContains", "minContains", "maxProperties", "minProperties", "required"),
        **_data("dependentRequired", "nullable"),
        **_data("$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary"),
        **_map("schema", "properties", "patternProperties", "dependentSchemas", "$defs"),
        **_map("schema", "definitions"),
        **_one("schema", "items", "contains", "additionalProperties", "propertyNames", "not"),
        **_one("schema", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"),
        **_one("schema", "contentSchema"),
        **_list("schema", "allOf", "anyOf", "oneOf", "prefixItems"),
        **_one("discriminator", "discriminator"),
        **_one("xml", "xml"),
        **_one("external-docs", "externalDocs"),
    },
    "discriminator": _data("propertyName", "mapping"),
    "xml": _data("name", "namespace", "prefix", "attribute", "wrapped"),
    "security-scheme": {
        **_data("type", "description", "name", "in", "scheme", "bearerFormat"),
        **_data("openIdConnectUrl"),
        **_one("oauth-flows", "flows"),
    },
    "oauth-flows": _one(
        "oauth-flow", "implicit", "password", "clientCredentials", "authorizationCode"
    ),
    "oauth-flow": _data("authorizationUrl", "tokenUrl", "refreshUrl", "scopes"),
}

REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "document": ("openapi", "info"),
    "info": ("title", "version"),
    "license": ("name",),
    "server": ("url",),
    "server-variable": ("default",),
    "external-docs": ("url",),
    "parameter": ("name", "in"),
    "request-body": ("content",),
    "response": ("description",),
    "tag": ("name",),
    "discriminator": ("propertyName",),
    "security-scheme": ("type",),
    "oauth-flow": ("scopes",),
}
"""The keys that an object must have, in both versions of the specification."""

WHOLE: Final = frozenset(
    {"document", "info", "contact", "license", "components", "paths", "responses"}
    | {"server-variable", "external-docs", "discriminator", "xml", "oauth-flows", "oauth-flow"}
)
"""Objects that each document has, or that are a part of the object around them: none of them can
be there for some callers only."""

REFERABLE: Final = frozenset(COMPONENTS.values()) - {"schema", "path-item"}
"""Objects that a Reference Object may stand for; the other two have a `$ref` of their own."""

_NOTHING: Final = Slot(Shape.DATA, "data")


def slot(kind: str, key: str) -> Slot:
    """Return what *key* of an object of *kind* holds; data where the key is not known."""
    slots = OBJECTS[kind]
    known = slots.get(key)
    if known is not None:
        return known
    if ANY in slots and not key.startswith("x-"):
        return slots[ANY]
    return _NOTHING


def children(kind: str, node: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    """Yield (relative path, kind, child) for every object that stands directly below *node*."""
    for key, value in node.items():
        shape, below = slot(kind, key)
        if shape is Shape.DATA:
            continue
        if shape is Shape.ONE:
            yield (key,), below, value
        elif shape is Shape.MAP and isinstance(value, dict):
            for name, child in value.items():
                yield (key, name), below, child
        elif shape is Shape.LIST and isinstance(value, list):
            for index, child in enumerate(value):
                yield (key, index), below, child


def target(reference: str) -> tuple[str, str] | None:
    """Return (section, name) of a local component reference, or None for any other text.

    Escapes of RFC 6901 section 4 and of RFC 3986 section 2.1 are undone.
    """
    parts = reference.split("/")
    if len(parts) != 4 or parts[0] != "#" or parts[1] != "components":
        return None
    name = parts[3]
    if "%" in name:
        from urllib.parse import unquote

        name = unquote(name)
    return parts[2], name.replace("~1", "/").replace("~0", "~")


def references(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every component that *value* refers to."""
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            for key, below in node.items():
                if key == "security" and isinstance(below, list):
                    names = [
                        name for demand in below if isinstance(demand, dict) for name in demand
                    ]
                    yield from (("securitySchemes", name) for name in names)
                elif isinstance(below, str) and (goal := target(below)) is not None:
                    yield goal
                else:
                    pending.append(below)


def chain(document: dict[str, Any], node: Any) -> list[dict[str, Any]]:
    """Return *node* and what its references lead to in turn, the component itself last.

    Empty where one of them leads nowhere, or back.
    """
    found: list[dict[str, Any]] = []
    while isinstance(node, dict) and not any(node is each for each in found):
        found.append(node)
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return found
        goal = target(reference)
        section = document.get("components", {}).get(goal[0], {}) if goal else {}
        node = section.get(goal[1]) if goal else None
    return []


def pointer(path: tuple[str | int, ...]) -> str:
    """Return *path* as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def parts(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of a JSON pointer (RFC 6901 section 4)."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def follow(document: Any, pointer: str) -> tuple[str | int, ...]:
    """Return *pointer* as a path into *document*: steps into lists are indexes."""
    path: list[str | int] = []
    for part in parts(pointer):
        step: str | int = int(part) if isinstance(document, list) and part.isdecimal() else part
        path.append(step)
        known = isinstance(document, dict) and step in document
        if known or (isinstance(document, list) and isinstance(step, int) and step < len(document)):
            document = document[step]
    return tuple(path)


def walk(
    kind: str, node: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str, dict[str, Any]]]:
    """Yield (path, kind, object) for *node* and every object below it, in source order."""
    if isinstance(node, dict):
        yield path, kind, node
        for below, child_kind, child in children(kind, node):
            yield from walk(child_kind, child, path + below)
