"""The grammar of OpenAPI 3.0, 3.1 and 3.2, in one file since it is one table: keys and values.

One table serves the structure checks, the editor's schemas and every walk. Sources: OpenAPI
Specification 3.2.0 and 3.1.1 section 4.8, 3.0.4 section 4.7; JSON Schema 2020-12, core and
validation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from operator import is_
from typing import Any, Final, Literal, NamedTuple

from dateline.model import Day, Map, Seq, Trail, copy_items

# Longer numbers are no index of any list.
_INDEX: Final = re.compile("0|[1-9][0-9]{0,8}")
_SCALARS: Final[frozenset[type]] = frozenset({str, int, bool, float, type(None)})


PUBLISHED_VERSIONS: Final = re.compile(r"3\.[012](\.\d+(-\S+)?)?")
"""How third-party documents may name their version of OpenAPI."""

WEBHOOKS: Final = ("webhooks", "x-webhooks")
"""The keys of webhooks: that of OpenAPI 3.1, and the one that providers use in 3.0."""


class MadeName(str):
    """The generated name of a component for something at an address elsewhere."""

    address: str

    def __new__(cls, name: str, address: str) -> MadeName:
        """Return *name*, for what is at *address*."""
        self = super().__new__(cls, name)
        self.address = address
        return self


class ResolvedReference(str):
    """A reference from the root of a document that replaces one relative to another place."""

    written: str
    """The reference as its author wrote it."""

    def __new__(cls, reference: str, written: str) -> ResolvedReference:
        """Return *reference*, which replaces the *written* one."""
        self = super().__new__(cls, reference)
        self.written = written
        return self


class ConvertedDocument(dict[str, Any]):
    """A document that was converted from an older specification."""

    def __init__(self, content: dict[str, Any], /, *, written: str) -> None:
        super().__init__(content)
        self.written = written
        """The version of that specification."""


class Arrangement(Enum):
    """How the children of a key are arranged below it."""

    ONE = "one"
    LIST = "list"
    MAP = "map"
    DATA = "data"  # a value of the API's own: never walked, whatever keys it has


class Value(Enum):
    """The JSON type of data, as far as the specification defines it."""

    TEXT = "text"
    FLAG = "flag"
    NUMBER = "number"
    BOUND = "bound"  # a number; in 3.0 whether the neighbouring bound is exclusive
    COUNT = "count"  # a whole number from 0
    LIST = "list"
    TEXTS = "texts"
    TYPES = "types"  # the name of a type, or a list of such names
    MAP = "map"
    TEXT_MAP = "text-map"
    LIST_MAP = "list-map"
    DEMANDS = "demands"  # a list of Security Requirement Objects
    ANY = "any"  # a value of the API's own


class Slot(NamedTuple):
    """What a key holds: children of one kind in one arrangement, or data."""

    arrangement: Arrangement
    kind: str


_NOTHING: Final = Slot(Arrangement.DATA, "data")


class Key(NamedTuple):
    """A key of an object: its slot, the type of its data, the version of OpenAPI that added it.

    ``value`` is ``Value.ANY`` for a key that holds no data.
    """

    slot: Slot
    value: Value
    since: str


def _data(value: Value, *keys: str, since: str = "3.0") -> dict[str, Key]:
    return {key: Key(_NOTHING, value, since) for key in keys}


def _below(arrangement: Arrangement, kind: str, keys: Iterable[str], since: str) -> dict[str, Key]:
    return {key: Key(Slot(arrangement, kind), Value.ANY, since) for key in keys}


def _text(*keys: str, since: str = "3.0") -> dict[str, Key]:
    return _data(Value.TEXT, *keys, since=since)


def _flag(*keys: str) -> dict[str, Key]:
    return _data(Value.FLAG, *keys)


def _any(*keys: str, since: str = "3.0") -> dict[str, Key]:
    return _data(Value.ANY, *keys, since=since)


def _one(kind: str, *keys: str, since: str = "3.0") -> dict[str, Key]:
    return _below(Arrangement.ONE, kind, keys, since)


def _list(kind: str, *keys: str, since: str = "3.0") -> dict[str, Key]:
    return _below(Arrangement.LIST, kind, keys, since)


def _map(kind: str, *keys: str, since: str = "3.0") -> dict[str, Key]:
    return _below(Arrangement.MAP, kind, keys, since)


ANY: Final = "*"
"""Stands for every unnamed key that does not begin with ``x-``."""

VERSION: Final = "/info/version"
"""Where a document names its version: another name is not a change of the API."""

_LISTS: Final[frozenset[type]] = frozenset((list, Seq))
_MAPPINGS: Final[frozenset[type]] = frozenset((dict, Map))
TEXTS: Final[frozenset[type]] = frozenset((str, Day))
"""The Python types of texts, as readers of sources return them."""


class JsonType(NamedTuple):
    """The exact Python types of a value, and of the items of a list or mapping if they matter."""

    accepts: frozenset[type]
    holds: frozenset[type] | None = None

    def fits(self, value: Any) -> bool:
        """Return whether *value*, including its items, has this type."""
        if type(value) not in self.accepts:
            return False
        if self.holds is None or type(value) in TEXTS:
            return True
        elements = value.values() if isinstance(value, dict) else value
        return all(type(below) in self.holds for below in elements)


LIST_TYPE: Final = JsonType(_LISTS)
MAPPING_TYPE: Final = JsonType(_MAPPINGS)
ANY_TYPE: Final = JsonType(TEXTS | _LISTS | _MAPPINGS | _SCALARS)

JSON_TYPES: Final[dict[Value, JsonType]] = {
    Value.TEXT: JsonType(TEXTS),
    Value.FLAG: JsonType(frozenset({bool})),
    Value.NUMBER: JsonType(frozenset({int, float})),
    Value.BOUND: JsonType(frozenset({int, float, bool})),
    Value.COUNT: JsonType(frozenset({int})),
    Value.LIST: LIST_TYPE,
    Value.TEXTS: JsonType(_LISTS, TEXTS),
    Value.TYPES: JsonType(TEXTS | _LISTS, TEXTS),
    Value.MAP: MAPPING_TYPE,
    Value.TEXT_MAP: JsonType(_MAPPINGS, TEXTS),
    Value.LIST_MAP: JsonType(_MAPPINGS, _LISTS),
    Value.DEMANDS: JsonType(_LISTS, _MAPPINGS),
    Value.ANY: ANY_TYPE,
}
"""The Python types for data of each JSON type."""

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
"""The methods that have a key of their own in a Path Item Object."""

ADJACENT: Final = re.compile(r"(\{[^{}]*\})(\{[^{}]*\})")
"""Two parameters of a path with nothing between them: no request says where one ends."""

QUERYSTRING: Final = "querystring"
"""The place of a parameter that is the whole query of a URL."""

ADDITIONAL: Final = "additionalOperations"
"""The key of a Path Item Object for the operations of all other methods, by their names."""

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
    "mediaTypes": "media-type",
}
"""The sections of ``components`` and the kind of each."""

SECTIONS: Final = {kind: section for section, kind in COMPONENTS.items()}
"""The section of ``components`` for each kind that has one."""

_PARAMETER = {
    **_text("description", "style"),
    **_flag("required", "deprecated", "allowEmptyValue", "explode", "allowReserved"),
    **_any("example"),
    **_one("schema", "schema"),
    **_map("example", "examples"),
    **_map("media-type", "content"),
}

_SINCE: Final = {"pathItems": "3.1", "mediaTypes": "3.2"}

_ENCODED_ITEMS: Final = {
    **_list("encoding", "prefixEncoding", since="3.2"),
    **_one("encoding", "itemEncoding", since="3.2"),
}

OBJECTS: Final[dict[str, dict[str, Key]]] = {
    "document": {
        **_text("openapi"),
        **_text("$self", since="3.2"),
        **_text("jsonSchemaDialect", since="3.1"),
        **_data(Value.DEMANDS, "security"),
        **_one("info", "info"),
        **_list("server", "servers"),
        **_one("paths", "paths"),
        **_map("path-item", "webhooks", since="3.1"),
        **_one("components", "components"),
        **_list("tag", "tags"),
        **_one("external-docs", "externalDocs"),
    },
    "info": {
        **_text("title", "description", "termsOfService", "version"),
        **_text("summary", since="3.1"),
        **_one("contact", "contact"),
        **_one("license", "license"),
    },
    "contact": _text("name", "url", "email"),
    "license": {**_text("name", "url"), **_text("identifier", since="3.1")},
    "server": {
        **_text("url", "description"),
        **_text("name", since="3.2"),
        **_map("server-variable", "variables"),
    },
    "server-variable": {**_data(Value.TEXTS, "enum"), **_text("default", "description")},
    "components": {
        section: key
        for section, kind in COMPONENTS.items()
        for key in _map(kind, section, since=_SINCE.get(section, "3.0")).values()
    },
    "paths": _one("path-item", ANY),
    "path-item": {
        **_text("$ref", "summary", "description"),
        **_one("operation", *METHODS),
        **_one("operation", "query", since="3.2"),
        **_map("operation", ADDITIONAL, since="3.2"),
        **_list("server", "servers"),
        **_list("parameter", "parameters"),
    },
    "operation": {
        **_data(Value.TEXTS, "tags"),
        **_text("summary", "description", "operationId"),
        **_flag("deprecated"),
        **_data(Value.DEMANDS, "security"),
        **_one("external-docs", "externalDocs"),
        **_list("parameter", "parameters"),
        **_one("request-body", "requestBody"),
        **_one("responses", "responses"),
        **_map("callback", "callbacks"),
        **_list("server", "servers"),
    },
    "external-docs": _text("description", "url"),
    "parameter": {**_text("name", "in"), **_PARAMETER},
    "header": _PARAMETER,
    "request-body": {
        **_text("description"),
        **_flag("required"),
        **_map("media-type", "content"),
    },
    "media-type": {
        **_one("schema", "schema"),
        **_one("schema", "itemSchema", since="3.2"),
        **_any("example"),
        **_map("example", "examples"),
        **_map("encoding", "encoding"),
        **_ENCODED_ITEMS,
    },
    "encoding": {
        **_map("encoding", "encoding", since="3.2"),
        **_ENCODED_ITEMS,
        **_text("contentType", "style"),
        **_flag("explode", "allowReserved"),
        **_map("header", "headers"),
    },
    "responses": _one("response", ANY),
    "response": {
        **_text("description"),
        **_text("summary", since="3.2"),
        **_map("header", "headers"),
        **_map("media-type", "content"),
        **_map("link", "links"),
    },
    "callback": _one("path-item", ANY),
    "example": {
        **_text("summary", "description", "externalValue"),
        **_text("serializedValue", since="3.2"),
        **_any("value"),
        **_any("dataValue", since="3.2"),
    },
    "link": {
        **_text("operationRef", "operationId", "description"),
        **_data(Value.MAP, "parameters"),
        **_any("requestBody"),
        **_one("server", "server"),
    },
    "tag": {
        **_text("name", "description"),
        **_text("summary", "parent", "kind", since="3.2"),
        **_one("external-docs", "externalDocs"),
    },
    "schema": {
        **_text("$ref", "title", "description", "format", "pattern"),
        **_text("$comment", "contentEncoding", "contentMediaType", since="3.1"),
        **_text("$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor", since="3.1"),
        **_flag("deprecated", "readOnly", "writeOnly", "uniqueItems", "nullable"),
        **_any("default", "example"),
        **_any("const", since="3.1"),
        **_data(Value.TYPES, "type"),
        **_data(Value.LIST, "enum"),
        **_data(Value.LIST, "examples", since="3.1"),
        **_data(Value.NUMBER, "multipleOf", "maximum", "minimum"),
        **_data(Value.BOUND, "exclusiveMaximum", "exclusiveMinimum"),
        **_data(Value.COUNT, "maxLength", "minLength", "maxItems", "minItems"),
        **_data(Value.COUNT, "maxProperties", "minProperties"),
        **_data(Value.COUNT, "maxContains", "minContains", since="3.1"),
        **_data(Value.TEXTS, "required"),
        **_data(Value.LIST_MAP, "dependentRequired", since="3.1"),
        **_data(Value.MAP, "$vocabulary", since="3.1"),
        **_map("schema", "properties"),
        **_map("schema", "patternProperties", "dependentSchemas", since="3.1"),
        **_map("schema", "$defs", "definitions", since="3.1"),
        **_one("schema", "items", "additionalProperties", "not"),
        **_one("schema", "contains", "propertyNames", "contentSchema", since="3.1"),
        **_one("schema", "if", "then", "else", since="3.1"),
        **_one("schema", "unevaluatedItems", "unevaluatedProperties", since="3.1"),
        **_list("schema", "allOf", "anyOf", "oneOf"),
        **_list("schema", "prefixItems", since="3.1"),
        **_one("discriminator", "discriminator"),
        **_one("xml", "xml"),
        **_one("external-docs", "externalDocs"),
    },
    "discriminator": {
        **_text("propertyName"),
        **_text("defaultMapping", since="3.2"),
        **_data(Value.TEXT_MAP, "mapping"),
    },
    "xml": {
        **_text("name", "namespace", "prefix"),
        **_text("nodeType", since="3.2"),
        **_flag("attribute", "wrapped"),
    },
    "security-scheme": {
        **_text("type", "description", "name", "in", "scheme", "bearerFormat"),
        **_text("openIdConnectUrl"),
        **_text("oauth2MetadataUrl", since="3.2"),
        **_data(Value.FLAG, "deprecated", since="3.2"),
        **_one("oauth-flows", "flows"),
    },
    "oauth-flows": {
        **_one("oauth-flow", "implicit", "password", "clientCredentials", "authorizationCode"),
        **_one("oauth-flow", "deviceAuthorization", since="3.2"),
    },
    "oauth-flow": {
        **_text("authorizationUrl", "tokenUrl", "refreshUrl"),
        **_text("deviceAuthorizationUrl", since="3.2"),
        **_data(Value.TEXT_MAP, "scopes"),
    },
}
"""The grammar: the slots of the keys of each kind of object."""

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
"""The required keys of an object, without those in `OPTIONAL`."""

OPTIONAL: Final = {("response", "description"): "3.2"}
"""The version of OpenAPI that made a key optional that older ones require."""

NEWEST: Final = "3.2"
"""The newest version of OpenAPI that is supported, without its patch number."""

VALUES: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("parameter", "in"): ("path", "query", "header", "cookie", QUERYSTRING),
    ("xml", "nodeType"): ("element", "attribute", "text", "cdata", "none"),
    ("security-scheme", "in"): ("query", "header", "cookie"),
    ("security-scheme", "type"): ("apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"),
}
"""The allowed texts of a key of an object, where the list is closed."""

WHOLE: Final = frozenset(
    {"document", "info", "contact", "license", "components", "paths", "responses"}
    | {"server-variable", "external-docs", "discriminator", "xml", "oauth-flows", "oauth-flow"}
)
"""Objects that each document has, or that are a part of the object around them: none of them can
be there for some callers only."""

REFERABLE: Final = frozenset(COMPONENTS.values()) - {"schema", "path-item"}
"""Objects that a Reference Object may replace; the other two have a `$ref` of their own."""


def list_required(kind: str, openapi: str) -> tuple[str, ...]:
    """Return the keys that an object of *kind* must have in the version *openapi*."""
    required = REQUIRED.get(kind, ())
    return tuple(key for key in required if openapi < OPTIONAL.get((kind, key), "9"))


_WALKED: Final[dict[str, tuple[dict[str, Slot], Slot | None]]] = {
    kind: (
        {
            key: known.slot
            for key, known in keys.items()
            if known.slot.arrangement is not Arrangement.DATA
        },
        keys[ANY].slot if ANY in keys else None,
    )
    for kind, keys in OBJECTS.items()
}
"""For each kind of object the keys with objects below them, and the slot of all other keys."""

_READ: Final = {
    **_WALKED,
    "document": (
        {**_WALKED["document"][0], WEBHOOKS[1]: _WALKED["document"][0][WEBHOOKS[0]]},
        None,
    ),
}
"""The same with `x-webhooks` of 3.0."""


def slot(kind: str, key: str) -> Slot:
    """Return what *key* of an object of *kind* holds; data where the key is not known."""
    slots = OBJECTS[kind]
    known = slots.get(key)
    if known is not None:
        return known.slot
    if ANY in slots and not key.startswith("x-"):
        return slots[ANY].slot
    return _NOTHING


def find_kind(pointer: str) -> str:
    """Return the kind of the object at *pointer* in a document; empty for data."""
    arrangement, kind = Arrangement.ONE, "document"
    for step in parts(pointer):
        if arrangement in (Arrangement.MAP, Arrangement.LIST):
            arrangement = Arrangement.ONE
        elif arrangement is Arrangement.ONE:
            arrangement, kind = slot(kind, step)
    return kind if arrangement is Arrangement.ONE else ""


def children(kind: str, node: dict[str, Any]) -> Iterator[tuple[Trail, str, Any]]:
    """Yield (relative path, kind, child) for every object directly below *node*."""
    walked, other = _WALKED[kind]
    for key, value in node.items():
        known = walked.get(key)
        if known is None:
            if other is None or key in OBJECTS[kind] or key.startswith("x-"):
                continue
            known = other
        arrangement, below = known
        if arrangement is Arrangement.ONE:
            yield (key,), below, value
        elif arrangement is Arrangement.MAP and isinstance(value, dict):
            for name, child in value.items():
                yield (key, name), below, child
        elif arrangement is Arrangement.LIST and isinstance(value, list):
            for index, child in enumerate(value):
                yield (key, index), below, child


def path_items(
    document: dict[str, Any], section: str = "paths"
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each path in a *section* of *document* and its Path Item Object, as it is written.

    Extensions beside the paths are skipped, whatever they contain.
    """
    for path, item in (document.get(section) or {}).items():
        if not path.startswith("x-") and isinstance(item, dict):
            yield path, item


def operations(item: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the operations of a path item by their methods, as their keys write these."""
    more = item.get(ADDITIONAL)
    found = {method: item[method] for method in METHODS if method in item}
    found |= more if isinstance(more, dict) else {}
    for method, operation in found.items():
        if isinstance(operation, dict):
            yield method, operation


def operation_steps(method: str) -> tuple[str, ...]:
    """Return the keys that lead from a path item to its operation of *method*."""
    return (method,) if method in METHODS else (ADDITIONAL, method)


def operation_path(item: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return the keys that lead from a path item to its operation of the HTTP method *name*."""
    known = (method for method, _ in operations(item) if method_name(method) == name)
    return operation_steps(next(known, name.lower()))


def find_operation(path: Trail) -> tuple[str, str] | None:
    """Return the path and the method of the operation that *path* leads to or into.

    The method is as its key writes it. None if *path* does not lead to an operation of a path.
    """
    match path:
        case ("paths", called, key, method, *_) if key == ADDITIONAL:
            return str(called), str(method)
        case ("paths", called, method, *_) if method in METHODS:
            return str(called), str(method)
    return None


def method_name(method: str) -> str:
    """Return the HTTP method that the key *method* of an operation stands for.

    Names of methods have case (RFC 9110, section 9.1).
    """
    return method.upper() if method in METHODS else method


def target(reference: str) -> tuple[str, str] | None:
    """Return (section, name) of a local component reference, or None for any other text.

    Escapes of RFC 6901 section 4 and of RFC 3986 section 2.1 are undone. What a key that is none of
    OpenAPI's contains (`#/components/enums/Color`) is not a component.
    """
    parts = reference.split("/")
    if len(parts) != 4 or parts[0] != "#" or parts[1] != "components" or parts[2] not in COMPONENTS:
        return None
    name = parts[3]
    if "%" in name:
        from urllib.parse import unquote

        name = unquote(name)
    return parts[2], name.replace("~1", "/").replace("~0", "~")


def read_slot(kind: str, key: str) -> Slot:
    """Return the slot of *key* in an object of *kind*, including `x-webhooks` in 3.0."""
    return slot(kind, "webhooks" if kind == "document" and key in WEBHOOKS else key)


def list_mapped(discriminator: Any) -> list[Any]:
    """Return the names and addresses of the schemas that a Discriminator Object names."""
    if not isinstance(discriminator, dict):
        return []
    mapping = discriminator.get("mapping")
    named = [*mapping.values()] if isinstance(mapping, dict) else []
    return named + [discriminator[key] for key in ("defaultMapping",) if key in discriminator]


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
    """Return *node* and everything that its references lead to in turn, the component last.

    Empty if one of them leads nowhere, or back.
    """
    found: list[dict[str, Any]] = []
    while isinstance(node, dict) and not any(node is each for each in found):
        found.append(node)
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return found
        node = find(document, reference)
    return []


def is_old(document: dict[str, Any]) -> bool:
    """Return whether *document* is OpenAPI 3.0, whose schemas are not JSON Schema."""
    return str(document.get("openapi", "")).startswith("3.0")


@cache
def escape(token: str) -> str:
    """Return *token* as it is written in a pointer (RFC 6901 section 3)."""
    return str(token).replace("~", "~0").replace("/", "~1")


@cache
def unescape(token: str) -> str:
    """Return the key that *token* of a pointer in a fragment stands for (RFC 6901 section 6)."""
    if "%" in token:
        from urllib.parse import unquote

        token = unquote(token)
    return token.replace("~1", "/").replace("~0", "~")


def locate(document: Any, reference: str) -> tuple[Any, str] | None:
    """Return what a fragment's pointer leads to, and the resolved pointer; None if nothing.

    References on the way are followed, as tools do that write such pointers.

    Sources: RFC 6901 sections 4 and 6.
    """
    return _locate(document, reference, ())


def _locate(document: Any, reference: str, around: tuple[str, ...]) -> tuple[Any, str] | None:
    if (reference != "#" and not reference.startswith("#/")) or reference in around:
        return None
    node = document
    pointer = ""
    for token in map(unescape, reference.split("/")[1:]):
        met: set[str] = set()
        while isinstance(node, dict) and token not in node and isinstance(node.get("$ref"), str):
            found = _locate(document, node["$ref"], (*around, reference))
            if found is None or pointer in met:
                return None
            met.add(pointer)
            node, pointer = found
        index = step_into(node, token)
        if index is None:
            return None
        node = node[index]
        pointer += "/" + escape(token)
    return node, pointer


def find(document: dict[str, Any], reference: str) -> Any:
    """Return what the pointer *reference* leads to, or None."""
    found = locate(document, reference)
    return None if found is None else found[0]


def resolve(document: dict[str, Any], node: Any) -> dict[str, Any]:
    """Return the object that *node* is or refers to in the end; empty if there is none."""
    return (chain(document, node) or [{}])[-1]


def security_schemes(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the security schemes of *document* by name, references resolved."""
    defined = document.get("components", {}).get("securitySchemes", {})
    return {name: resolve(document, scheme) for name, scheme in defined.items()}


def operation_names(document: dict[str, Any]) -> dict[Trail, str]:
    """Return the name of each operation, by path and method: its id, or method and path.

    An id that several operations have is not used as a name; only adopted documents have such ids.
    """
    ids = {
        (path, method): operation.get("operationId")
        for path, node in path_items(document)
        for method, operation in operations(resolve(document, node))
    }
    counts = Counter(ids.values())
    return {
        (path, method): name
        if isinstance(name, str) and counts[name] == 1
        else f"{method_name(method)} {path}"
        for (path, method), name in ids.items()
    }


Framing = Literal["events", "lines", "records"]
"""How the items of a sequence are separated: server-sent events, lines of JSON, records of JSON."""

_FRAMINGS: Final[dict[str, Framing]] = {
    "text/event-stream": "events",
    "application/json-seq": "records",
    "application/jsonl": "lines",
    "application/x-jsonl": "lines",
    "application/jsonlines": "lines",
    "application/x-jsonlines": "lines",
    "application/ndjson": "lines",
    "application/x-ndjson": "lines",
}


def essence(media_type: str) -> str:
    """Return *media_type* without parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Return whether *media_type* is JSON (RFC 6839 section 3.1), also by the name in ASP.NET."""
    name = essence(media_type)
    return name.endswith("+json") or name in ("application/json", "text/json")


def find_framing(media_type: str) -> Framing | None:
    """Return how the items of *media_type* are separated, None if it is no sequence.

    OpenAPI 3.2 section 4.14.4 lists them; `application/x-ndjson` and others are names of JSON Lines
    in use.
    """
    name = essence(media_type)
    return "records" if name.endswith("+json-seq") else _FRAMINGS.get(name)


def is_sequential(media_type: str) -> bool:
    """Return whether *media_type* is a sequence of JSON items or of events."""
    return find_framing(media_type) is not None


def is_form(media_type: str) -> bool:
    """Return whether *media_type*, perhaps with parameters, is that of HTML forms."""
    return essence(media_type) in ("application/x-www-form-urlencoded", "multipart/form-data")


def preferred_media_type(content: dict[str, Any]) -> str:
    """Return the media type in which a body is sent: the first that is JSON, else the first."""
    return next(filter(is_json, content), next(iter(content)))


def find_media_type(path: Trail) -> str:
    """Return the media type of the body that *path* leads into; empty if it leads into none."""
    if path[:2] != ("components", "schemas"):
        for at, step in enumerate(path[:-1]):
            holders = path[max(at - 2, 0) : at]
            if step == "content" and {"requestBody", "requestBodies", "responses"} & {*holders}:
                return str(path[at + 1])
    return ""


def value_schema(node: dict[str, Any], default: Any = None) -> Any:
    """Return the schema of a parameter or header, which may be below its media type."""
    if "schema" in node:
        return node["schema"]
    return next((each.get("schema", default) for each in node.get("content", {}).values()), default)


def pointer(path: Trail) -> str:
    """Return *path* as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def parts(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of a JSON pointer (RFC 6901 section 4)."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def follow(document: Any, pointer: str) -> Trail:
    """Return *pointer* as a path into *document*: steps into lists are indexes."""
    path: list[str | int] = []
    for part in parts(pointer):
        step = step_into(document, part)
        path.append(part if step is None else step)
        if step is not None:
            document = document[step]
    return tuple(path)


def step_into(value: Any, token: str) -> str | int | None:
    """Return the key or index of *value* that a token of a pointer names; None if it has none.

    Sources: RFC 6901 section 4: indexes are ASCII digits without a leading zero.
    """
    if isinstance(value, dict):
        return token if token in value else None
    if not isinstance(value, list) or _INDEX.fullmatch(token) is None:
        return None
    return index if (index := int(token)) < len(value) else None


def value_at(document: Any, path: Iterable[str | int]) -> Any:
    """Return the value at *path* in *document*, None if there is none."""
    for step in path:
        if isinstance(document, dict):
            document = document.get(str(step))
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document


def replace_children(
    kind: str, node: dict[str, Any], replace: Callable[[str, Any], Any]
) -> dict[str, Any]:
    """Return a copy of *node* with each object below it replaced by the result of *replace*.

    *replace* takes the kind and the object. Values without objects are unchanged.
    """
    return {**node, **find_replaced(kind, node, lambda _, below, child: replace(below, child))}


def find_replaced(
    kind: str,
    node: dict[str, Any],
    replace: Callable[[str, str, Any], Any],
    *,
    is_published: bool = False,
) -> dict[str, Any]:
    """Return the values of *node* that change when each object directly below it is replaced.

    *replace* takes the key, the kind and the object, and returns it or another. In a document that
    *is_published*, `x-webhooks` are replaced as well. Mappings keep their places in the source.
    """
    # not built on `children`, nor on what both could share: either takes a fifth longer
    walked, other = (_READ if is_published else _WALKED)[kind]
    found: dict[str, Any] = {}
    for key, value in node.items():
        if type(value) in _SCALARS:
            continue
        known = walked.get(key)
        if known is None:
            if other is None or key in OBJECTS[kind] or key.startswith("x-"):
                continue
            known = other
        arrangement, below = known
        if arrangement is Arrangement.ONE:
            now = replace(key, below, value)
            if now is not value:
                found[key] = now
        elif arrangement is Arrangement.MAP and isinstance(value, dict):
            listed = [replace(key, below, child) for child in value.values()]
            if not all(map(is_, listed, value.values())):
                found[key] = copy_items(value, [*zip(value, listed, strict=True)])
        elif arrangement is Arrangement.LIST and isinstance(value, list):
            listed = [replace(key, below, child) for child in value]
            if not all(map(is_, listed, value)):
                found[key] = listed
    return found


def walk(kind: str, node: Any, path: Trail = ()) -> Iterator[tuple[Trail, str, dict[str, Any]]]:
    """Yield (path, kind, object) for *node* and every object below it, in source order."""
    # one generator for all levels: nested ones would pass each object through every level
    pending = [(path, kind, node)]
    while pending:
        path, kind, node = pending.pop()
        if not isinstance(node, dict):
            continue
        yield path, kind, node
        below = [(path + step, within, child) for step, within, child in children(kind, node)]
        below.reverse()
        pending += below
