"""Read schemas for one direction: without the properties that only the other direction has.

A `readOnly` property belongs to responses only, a `writeOnly` one to requests only; if it is
required, it is so in its own direction. Sources: OpenAPI Specification 3.0.4 section 4.7.24 (Schema
Object); 3.1.1 section 4.8.24; JSON Schema 2020-12, validation, section 9.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from typing import Any, Final

from dateline.model import Trail
from dateline.openapi import find_replaced, pointer, value_at
from dateline.schema.memo import Memo, closure, each_once
from dateline.schema.parts import PartReader, Parts
from dateline.schema.references import Located
from dateline.schema.usage import list_references
from dateline.schema.values import list_items, write_compactly

READ_ONLY: Final = "readOnly"
WRITE_ONLY: Final = "writeOnly"

ACCESS: Final = (READ_ONLY, WRITE_ONLY)
"""Keywords that limit a property to one direction."""

_LOCAL: Final = b'"$ref":"#'
_LOCAL_TO_SCHEMAS: Final = b'"$ref":"#/components/schemas/'

# Keywords that say more about the same value.
_IN_PLACE: Final = frozenset({"allOf", "oneOf", "anyOf", "then", "else", "dependentSchemas"})

# Below these, a looser schema makes the whole one stricter, so schemas there are unchanged.
_NEGATING: Final = frozenset({"not", "if"})


def access_of(parts: Parts) -> str:
    """Return the keyword that limits a property of these parts to one direction; empty if none."""
    found = {keyword for part in parts for keyword in ACCESS if part.get(keyword) is True}
    return found.pop() if len(found) == 1 else ""


class Access:
    """Finds the direction of the properties of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._reader = PartReader(document)
        self._document = document
        self.schemas = self._reader.resolver.section("schemas")
        self.referred = self._reader.resolver.schema_name
        self.resolve = self._reader.resolver.resolve

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The keywords of access that occur in the document."""
        return _find_keywords(self._document)

    def of(self, schema: Any) -> str:
        """Return the keyword that limits a property of *schema* to one direction, or an empty text.

        References, `allOf` and unions with null alone are followed.
        """
        return access_of(self._reader.parts_of(schema))

    def list_parts(self, path: Trail) -> Parts:
        """Return the schemas that the value at *path* is valid for, with pointers to them."""
        return self._reader.parts([Located(value_at(self._document, path), pointer(path))])

    def list_fields(self, path: Trail, name: str) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        """Yield the schemas of the field *name* of a value to which the schema at *path* applies.

        If that is a member of an `allOf`, they may be in other members, or in what these refer to.
        Each comes with the schemas that lead to it, itself included.
        """
        while path[-2:-1] == ("allOf",):
            path = path[:-2]
        for part in self._reader.parts_of(value_at(self._document, path)):
            properties = part.get("properties")
            if isinstance(properties, dict) and name in properties:
                yield properties[name], (*part.above[1:], part.node, properties[name])


class AccessUse:
    """Finds the components that a keyword of access may affect, to skip the others.

    Each object is read once, however many documents share it.
    """

    def __init__(self) -> None:
        self.keywords = Memo(_find_keywords)
        """Returns the keywords of access that a schema may have, at any depth."""

        self._goals = Memo(lambda schema: {*list_references(schema)})

    def names(self, schemas: dict[str, Any], keyword: str) -> set[str]:
        """Return the *schemas* that have *keyword*, or refer to one that may, at any distance."""
        users: dict[str, list[str]] = {}
        having: list[str] = []
        for name, schema in schemas.items():
            goals = self._goals(schema)
            if keyword in self.keywords(schema) or not goals <= schemas.keys():
                having.append(name)
            for goal in goals:
                users.setdefault(goal, []).append(name)
        return {*closure(having, lambda name: users.get(name, ()))}


def _find_keywords(node: Any) -> frozenset[str]:
    """Return the keywords of access that *node* may have, at any depth, even where they are data.

    What it refers to elsewhere in the document than in a schema of a component may have any.
    """
    # searched as text, which is many times as fast as a walk
    text = write_compactly(node)
    if text.count(_LOCAL) > text.count(_LOCAL_TO_SCHEMAS):
        return frozenset(ACCESS)
    return frozenset(keyword for keyword in ACCESS if f'"{keyword}"'.encode() in text)


class Hidden(Enum):
    """What hidden properties become: they accept any value, are unknown, or stay."""

    ANY = "any"
    ABSENT = "absent"
    OPTIONAL = "optional"


class OneWay:
    """Reads the schemas of one document as they apply to messages without *hidden* properties.

    *hidden* is `readOnly` for requests and `writeOnly` for responses. Hidden properties are not
    required; *become* says what happens to their schemas. Documents that share objects share *use*.
    """

    def __init__(
        self,
        document: dict[str, Any],
        hidden: str,
        become: Hidden,
        use: AccessUse | None = None,
    ) -> None:
        self._access = Access(document)
        self._hidden = hidden
        self._become = become
        self._use = use or AccessUse()
        self._read = Memo(OneWay._read_schema, owner=self, start=lambda schema, _around: schema)
        self._named = Memo(OneWay._hidden_names, owner=self)

    def document(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return *document* with its components as they apply to this direction."""
        found = self._access.schemas
        schemas = {
            name: self.of(schema) if name in self._concerned else schema
            for name, schema in found.items()
        }
        if all(schemas[name] is schema for name, schema in found.items()):
            return document
        return {**document, "components": {**document["components"], "schemas": schemas}}

    def of(self, schema: Any, around: frozenset[str] = frozenset()) -> Any:
        """Return what *schema* says in this direction; the same object if there is no difference.

        *around* names hidden properties of the value that other schemas declare.
        """
        if not isinstance(schema, dict):
            return schema
        # most documents hide nothing
        is_concerned = self._is_used or around or self._hidden in self._use.keywords(schema)
        return self._read(schema, around) if is_concerned else schema

    def may_concern(self, schema: Any) -> bool:
        """Return whether *schema*, or its targets, may say less in this direction."""
        if self._hidden in self._use.keywords(schema):
            return True
        goals = {*list_references(schema)}
        return not goals.isdisjoint(self._concerned) or not goals <= self._access.schemas.keys()

    @cached_property
    def _concerned(self) -> set[str]:
        """The components that may say less, themselves or through their targets."""
        return self._use.names(self._access.schemas, self._hidden) if self._is_used else set()

    @cached_property
    def _is_used(self) -> bool:
        """Whether anything in a component may be hidden."""
        return any(
            self._hidden in self._use.keywords(each) for each in self._access.schemas.values()
        )

    def _read_schema(self, schema: dict[str, Any], around: frozenset[str]) -> dict[str, Any]:
        names = around | self.names(schema)

        def read(key: str, kind: str, child: Any) -> Any:
            if kind != "schema" or key in _NEGATING:
                return child
            around = names if key in _IN_PLACE else frozenset()
            return self._read(child, around) if isinstance(child, dict) else child

        result = {**schema, **find_replaced("schema", schema, read)}
        properties = schema.get("properties")
        if isinstance(properties, dict):
            result["properties"] = self._drop_hidden(result["properties"], properties)
        if isinstance(schema.get("required"), list):
            result["required"] = [each for each in schema["required"] if each not in names]
            if len(result["required"]) == len(schema["required"]):
                result["required"] = schema["required"]
        name = self._access.referred(schema)
        if name is not None and names & self._list_required(name):
            # hidden properties declared beside the reference need not be present
            del result["$ref"]
            component = self.of(self._access.schemas[name], names)
            result["allOf"] = [*result.get("allOf", ()), component]
        goal = None if name else self._find_goal(schema)
        if goal is not None and (read := self.of(goal, names)) is not goal:
            # only components are replaced in the document
            del result["$ref"]
            result["allOf"] = [*result.get("allOf", ()), read]
        same = result.keys() == schema.keys() and all(result[k] is schema[k] for k in result)
        return schema if same else result

    def names(self, schema: Any) -> frozenset[str]:
        """Return the hidden properties of *schema*, its targets and its parts."""
        return self._named(schema) if isinstance(schema, dict) else frozenset()

    def _hidden_names(self, schema: dict[str, Any]) -> frozenset[str]:
        return frozenset(
            name
            for part in self._list_parts(schema)
            if isinstance(properties := part.get("properties"), dict)
            for name, child in properties.items()
            if self._access.of(child) == self._hidden
        )

    def _list_parts(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield *schema*, the target of its `$ref` and its `allOf`, and theirs, each once."""
        return each_once([schema], lambda each: [self._find_goal(each), *list_items(each, "allOf")])

    def _find_goal(self, schema: dict[str, Any]) -> dict[str, Any] | None:
        """Return what the `$ref` of *schema* leads to, if that is an object."""
        goal = self._access.resolve(schema.get("$ref"))
        return goal if isinstance(goal, dict) else None

    def _list_required(self, name: str) -> set[str]:
        """Return the required names of the component *name* that are hidden only around it."""
        schema = self._access.schemas[name]
        if not isinstance(schema, dict):
            return set()
        parts = self._list_parts(schema)
        found = {str(each) for part in parts for each in list_items(part, "required")}
        return found - self.names(schema)

    def _drop_hidden(self, schema: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
        """Return *schema* without those of its *properties* that are hidden."""
        if self._become is Hidden.OPTIONAL:
            return schema
        hidden = {
            name for name, child in properties.items() if self._access.of(child) == self._hidden
        }
        if not hidden:
            return schema
        if self._become is Hidden.ANY:
            return {name: True if name in hidden else child for name, child in schema.items()}
        return {name: child for name, child in schema.items() if name not in hidden}
