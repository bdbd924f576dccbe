"""Find every schema object of a document, and the roles of those who meet its values."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from support.inheritance import find_heirs

Schema = dict[str, Any]


Document = dict[str, Any]


PARAMETER: Final = "parameter"


BODY: Final = "body"


RESPONSE: Final = "response"


MODEL: Final = "model"


NEGATED: Final = "negated"


METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


_CHILDREN: Final = (
    *("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains"),
    *("propertyNames", "then", "else"),
)


_TURNING: Final = ("not", "if")


_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")


_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")


class Site(NamedTuple):
    """A schema object in a document, and its roles."""

    node: Schema
    roles: frozenset[str]
    component: bool


def sites(document: Document) -> list[Site]:
    """Return every schema object of *document* that is a mapping, in order."""
    return _Sites(document).found()


class _Sites:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._roles: dict[int, set[str]] = {}
        self._nodes: dict[int, Schema] = {}
        self._heirs = find_heirs(document)

    def found(self) -> list[Site]:
        for item in self._document.get("paths", {}).values():
            self._item(item, asked=BODY, answered=RESPONSE)
        for item in self._document.get("webhooks", {}).values():
            self._item(item, asked=RESPONSE, answered=BODY)
        schemas = self._document.get("components", {}).get("schemas", {})
        for node in schemas.values():
            self._schema(node, MODEL)
        named = {id(node) for node in schemas.values()}
        return [
            Site(node, frozenset(self._roles[key] - {MODEL} or {MODEL}), key in named)
            for key, node in self._nodes.items()
        ]

    def _resolved(self, node: Any) -> Any:
        while isinstance(node, dict) and str(node.get("$ref", "")).startswith("#/"):
            node = self._target(node["$ref"])
        return node

    def _target(self, reference: str) -> Any:
        target: Any = self._document
        for part in reference.removeprefix("#/").split("/"):
            target = target.get(part.replace("~1", "/").replace("~0", "~"), {})
        return target

    def _item(self, item: Any, *, asked: str, answered: str) -> None:
        if not isinstance(item, dict):
            return
        inherited = item.get("parameters", [])
        for method in METHODS:
            operation = item.get(method)
            if operation is None:
                continue
            for parameter in (*inherited, *operation.get("parameters", [])):
                reported = self._resolved(parameter)
                role = PARAMETER if asked == BODY else asked
                self._schema(reported.get("schema"), role)
                self._content(reported, role)
            self._content(self._resolved(operation.get("requestBody", {})), asked)
            for response in operation.get("responses", {}).values():
                reported = self._resolved(response)
                self._content(reported, answered)
                for header in reported.get("headers", {}).values():
                    self._schema(self._resolved(header).get("schema"), answered)
            for callback in operation.get("callbacks", {}).values():
                for below in self._resolved(callback).values():
                    self._item(below, asked=answered, answered=asked)

    def _content(self, reported: Schema, role: str) -> None:
        for media in reported.get("content", {}).values():
            self._schema(media.get("schema"), role)

    def _schema(self, node: Any, role: str) -> None:
        if not isinstance(node, dict):
            return
        roles = self._roles.setdefault(id(node), set())
        self._nodes[id(node)] = node
        if role in roles:
            return
        roles.add(role)
        if "$ref" in node:
            self._schema(self._target(node["$ref"]), role)
            if id(node) not in self._heirs.extending:
                for name in self._heirs.variants.get(node["$ref"], ({}, []))[1]:
                    self._schema(self._target(name), role)
        for key in _CHILDREN:
            self._schema(node.get(key), role)
        for key in _TURNING:
            self._schema(node.get(key), NEGATED)
        for key in _LISTS:
            for child in node.get(key, []):
                self._schema(child, role)
        for key in _MAPS:
            for child in node.get(key, {}).values():
                self._schema(child, role)
