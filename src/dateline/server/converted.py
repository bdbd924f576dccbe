"""The types of the plain JSON values that converters take and return.

An object with properties is a `TypedDict`, named after its component or its place; other values
have Python's built-in types. Fields that only one direction has are optional.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, Final

from dateline.filters import Code
from dateline.openapi import target
from dateline.python.code import (
    DefinitionName,
    Node,
    Text,
    call,
    either,
    lay_out,
    mapping,
    quote_ahead,
    subscript,
    words,
)
from dateline.python.names import class_name, pascal
from dateline.python.types import qualify_names
from dateline.schema.parts import Part, PartReader
from dateline.schema.types import IMPLIED, UNIONS, choices, type_of
from dateline.server.canonical import Forms

ANY: Final = "t.JsonValue"

MODULE: Final = "converted"
"""The module of the generated server with these types."""

_PLAIN: Final[dict[str, Node]] = {
    "array": subscript("list", ANY),
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "object": subscript("dict", "str", ANY),
    "string": "str",
}

# A longer list of values is unreadable in a signature.
_MOST_LISTED: Final = 12

_DEEPEST: Final = 12
"""The maximum nesting of inline types: below that, any value is allowed."""


@dataclass(frozen=True)
class PlainObject:
    """The type of an object: that of each field, and whether it is required."""

    fields: Mapping[str, tuple[Node, bool]]


class ConvertedTypes:
    """The types that values are converted from and to, by the canonical *forms*."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._reader = PartReader(forms.contract.document)
        self._schemas: Mapping[str, Any] = forms.contract.document.get("components", {}).get(
            "schemas", {}
        )
        self._components: dict[str, str] = {}
        self._known: dict[str, PlainObject | None] = {}
        self._within: list[str] = []

    def type_received(self, schema: Any, called: str) -> Node:
        """Return the type of values of *schema*, named *called*, on the way down."""
        return self._read(self._forms.read_received(schema), called)

    def type_sent(self, schema: Any, called: str, optional: Collection[str] = ()) -> Node:
        """Return the type of values of *schema* on the way up; *optional* fields may be absent."""
        read = self._forms.read_sent(schema)
        if optional and isinstance(read, dict) and "required" in read:
            required = [name for name in read["required"] if name not in optional]
            read = {**read, "required": required}
        return self._read(read, called)

    def narrow_fields(self, node: Node, names: Collection[str], called: str) -> Node:
        """Return the type of the fields *names* of objects of the type *node*."""
        known = self._known.get(node.name) if isinstance(node, DefinitionName) else None
        if known is None:
            return node
        fields = {name: each for name, each in known.fields.items() if name in names}
        return self._define(called, PlainObject(fields))

    def lay_out(self) -> dict[str, Any]:
        """Return the data for the template of the module; call it after all types are known."""
        found = [(name, each) for name, each in sorted(self._known.items()) if each is not None]
        views = [self._lay_out(name, each) for name, each in found]
        nodes = [node for _, each in found for node, _ in each.fields.values()]
        used = {word.partition(".")[0] for node in nodes for word in words(node)}
        names = ["Literal"] if "Literal" in used else []
        if any(not is_there for _, each in found for _, is_there in each.fields.values()):
            names.append("NotRequired")
        names.append("TypedDict")
        if any(view["expression"] for view in views):
            names.append("Union")
        return {"types": views, "typing": Code(", ".join(names)), "speaks_types": "t" in used}

    def _lay_out(self, name: str, plain: PlainObject) -> dict[str, Any]:
        if all(map(_is_plain_name, plain.fields)):
            fields = [
                Code(f"{field}: {lay_out(_field(node, is_there), 4, len(field) + 6)}")
                for field, (node, is_there) in plain.fields.items()
            ]
            return {"name": Code(name), "fields": fields, "expression": ""}
        ahead = frozenset(self._known)
        nodes = {
            field: quote_ahead(_field(node, is_there), ahead)
            for field, (node, is_there) in plain.fields.items()
        }
        code = lay_out(call("TypedDict", Text(name), mapping(nodes)), 0, len(name) + 3)
        return {"name": Code(name), "fields": [], "expression": code}

    def _read(self, schema: Any, called: str) -> Node:
        goal = target(schema["$ref"]) if _is_reference(schema) else None
        if goal is not None and goal[0] == "schemas" and goal[1] in self._schemas:
            return self._component(goal[1])
        return self._of(schema, called)

    def _component(self, name: str) -> Node:
        if name in self._components:
            return DefinitionName(self._components[name])
        if name in self._within:
            return ANY
        parts = self._reader.parts_of({"$ref": f"#/components/schemas/{name}"})
        if not _is_object(parts):
            self._within.append(name)
            try:
                return self._of(self._schemas[name], class_name(name))
            finally:
                self._within.pop()
        called = self._components[name] = self._reserve(class_name(name))
        self._known[called] = self._object(parts, called)
        return DefinitionName(called)

    def _of(self, schema: Any, called: str) -> Node:
        parts = self._reader.parts_of(schema)
        if len(self._within) > _DEEPEST or not parts:
            return ANY
        self._within.append("")
        try:
            return self._of_parts(parts, called)
        finally:
            self._within.pop()

    def _of_parts(self, parts: tuple[Part, ...], called: str) -> Node:
        found, is_nullable = list_types(parts)
        null: list[Node] = ["None"] if is_nullable else []
        if _is_object(parts):
            return either([self._define(called, self._object(parts, called)), *null])
        listed = [values for part in parts if (values := choices(part.node)) is not None]
        if listed and _are_written(listed[0]):
            return either([_literal(listed[0]), *null])
        members = self._members(parts)
        if members and not any("properties" in part.node for part in parts):
            nodes = [self._read(each, f"{called}{at}") for at, each in enumerate(members, 1)]
            return either([*nodes, *null])
        if not found and not is_nullable:
            return ANY
        return either([*(self._of_type(name, parts, called) for name in found), *null])

    def _members(self, parts: tuple[Part, ...]) -> list[Any]:
        unions = [part.get(keyword) for part in parts for keyword in UNIONS if part.get(keyword)]
        if len(unions) != 1 or not isinstance(unions[0], list):
            return []
        return [each for each in unions[0] if each != {"type": "null"}]

    def _of_type(self, name: str, parts: tuple[Part, ...], called: str) -> Node:
        if name == "array":
            items = [part.get("items") for part in parts if isinstance(part.get("items"), dict)]
            return (
                subscript("list", self._read(items[0], f"{called}Item")) if items else _PLAIN[name]
            )
        if name == "object":
            extras = [
                each for part in parts if isinstance(each := part.get("additionalProperties"), dict)
            ]
            if len(extras) == 1 and not any(part.get("properties") for part in parts):
                return subscript("dict", "str", self._read(extras[0], f"{called}Value"))
        return _PLAIN.get(name, ANY)  # adopted definitions may have types that nobody knows

    def _object(self, parts: tuple[Part, ...], called: str) -> PlainObject:
        required = {name for part in parts for name in part.get("required", ())}
        schemas: dict[str, Any] = {}
        for part in parts:
            for name, schema in part.get("properties", {}).items():
                schemas.setdefault(name, schema)
        return PlainObject(
            {
                name: (self._read(schema, f"{called}{pascal(name)}"), name in required)
                for name, schema in schemas.items()
            }
        )

    def _define(self, called: str, plain: PlainObject) -> DefinitionName:
        name = called
        while self._known.get(name, plain) != plain or name in self._components.values():
            name += "Sent" if name == called else "_"
        self._known[name] = plain
        return DefinitionName(name)

    def _reserve(self, called: str) -> str:
        while called in self._known:
            called += "_"
        self._known[called] = None
        return called


def qualify(node: Node) -> Node:
    """Return *node* as it is written in other modules."""
    return qualify_names(node, lambda name: f"{MODULE}.{name}")


def list_types(parts: tuple[Part, ...]) -> tuple[list[str], bool]:
    """Return the JSON types that the keywords of a value allow, and whether null is one."""
    listed = [part.get("type") for part in parts if "type" in part.node]
    types = [[each] if isinstance(each, str) else each for each in listed]
    types += [[*map(type_of, values)] for part in parts if (values := choices(part.node))]
    if not types:
        keywords = {key for part in parts for key in part.node if key not in part.skip}
        types = [[name for name, own in IMPLIED.items() if own & keywords]]
        types = types if len(types[0]) == 1 else [[]]
    found = [each for each in dict.fromkeys(types[0]) if all(each in other for other in types)]
    is_nullable = "null" in found or any(part.null for part in parts)
    return [each for each in found if each != "null"], is_nullable


def _is_reference(schema: Any) -> bool:
    return isinstance(schema, dict) and isinstance(schema.get("$ref"), str) and len(schema) == 1


def _is_object(parts: tuple[Part, ...]) -> bool:
    """Return whether a value is an object of which only the properties are known."""
    types, _ = list_types(parts)
    has_unions = any(part.get(keyword) for part in parts for keyword in UNIONS)
    return types == ["object"] and not has_unions and any(part.get("properties") for part in parts)


def _are_written(values: list[Any]) -> bool:
    """Return whether the types of *values* can list them."""
    kept = [each for each in values if each is not None]
    return 0 < len(kept) <= _MOST_LISTED and all(isinstance(each, str | int) for each in kept)


def _literal(values: list[Any]) -> Node:
    listed = (each for each in values if each is not None)
    return subscript(
        "Literal", *(Text(one) if isinstance(one, str) else repr(one) for one in listed)
    )


def _field(node: Node, is_there: bool) -> Node:
    return node if is_there else subscript("NotRequired", node)


def _is_plain_name(name: str) -> bool:
    """Return whether a field can be written in a class: not if Python mangles its name."""
    return name.isidentifier() and not iskeyword(name) and not name.startswith("__")
