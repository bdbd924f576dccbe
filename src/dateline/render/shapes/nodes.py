"""What schemas say of a value in, the shape that takes it from one version to another out.

A shape is plain data: the name of a shared shape, None where nothing differs, or a mapping with

- ``convert`` (names of converters) and ``then`` (a shape: what stands below them);
- any of ``fields``, ``left_out``, ``names``, ``required``, ``extras`` with ``declared`` and
  ``least``: an object;
- ``items``, perhaps with ``least`` and ``unique``: a list;
- ``values``: the values of an enumeration that are absent;
- ``tag`` and ``members``, perhaps with ``otherwise``: an object whose tag says what it is;
- ``types``: a shape for each JSON type that the value may have;
- ``absent: true``, perhaps with ``shown_as``: nothing that may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any, Final

from dateline.load.checks.shapes import TYPES
from dateline.render.shapes.flat import Declared, Flat, Member, Union, View, substitute
from dateline.render.shapes.histories import Way

Node = dict[str, Any] | str | None

UNTOLD: Final = "untold"
"""Marks a shape that can't be served, until it is known whether anything in it differs."""

_SAYS_NOTHING: Final = frozenset({"description", "title", "deprecated", "example", "examples"})

Note = Callable[[Any, str], int]
"""Takes the schema that stands where a value can't be served, and the reason; numbers it."""


class Builder:
    """Makes shapes of schemas, at one version and on one way.

    ``varying`` holds the components that differ between any two versions; ``subtypes`` the
    schemas that extend one that a tag alone tells apart.
    """

    def __init__(
        self,
        view: View,
        varying: Container[str],
        subtypes: dict[str, list[str]],
        note: Note,
    ) -> None:
        self.view = view
        self._varying = varying
        self._subtypes = subtypes
        self._extending = {name for names in subtypes.values() for name in names}
        self.note = note

    def component(self, name: str) -> Node:
        """Return the shape of the component *name*."""
        schema = self.view.schemas[name]
        # what extends another schema stands for itself: the other may lead back to it by a tag
        own = self.flat(self.view.flat(schema)) if name in self._extending else self.node(schema)
        subtypes = [self._subtype(each) for each in self._subtypes.get(name, ())]
        if not subtypes:
            return own
        said = schema["discriminator"]
        union = Union(tuple(subtypes), said.get("propertyName"), said.get("mapping") or {}, schema)
        told = self._tagged(union, subtypes, [self._member(each) for each in subtypes])
        return {**told, "otherwise": own} if isinstance(told, dict) else own

    def _subtype(self, name: str) -> Member:
        reference = {"$ref": f"#/components/schemas/{name}"}
        return Member(reference, self.view.shows(self.view.schemas[name]))

    def node(self, *schemas: Any) -> Node:
        """Return the shape of what *schemas* say together of one value."""
        if len(schemas) == 1:
            shared = self._shared(schemas[0])
            if shared is not None:
                return shared[0]
        return self.flat(self.view.flat(*schemas))

    def _shared(self, schema: Any) -> tuple[Node] | None:
        """Return the shape of a schema that says no more than that it is a component's."""
        if not isinstance(schema, dict):
            return (None,)
        reading = self.view.read("schema", schema)
        says = {key for key in reading.now if key[:2] != "x-"} - _SAYS_NOTHING
        name = self.view.referred(reading.now)
        if name is not None and says == {"$ref"}:
            return (converted(reading.converters, name if name in self._varying else None),)
        bases = reading.now.get("allOf", ())
        if says == {"allOf"} and len(bases) == 1 and self.view.shows(bases[0]):
            return (converted(reading.converters, self.node(bases[0])),)
        return None

    def flat(self, flat: Flat) -> Node:
        """Return the shape of a value of which *flat* says all."""
        inner = self._union(flat) if flat.unions else self._value(flat)
        return converted(flat.converters, inner)

    def _value(self, flat: Flat) -> Node:
        absent = self._absent_values(flat)
        if absent:
            return {"values": absent}
        parts = {"object": self.object(flat), "array": self._list(flat)}
        for holder, key, place, schema in flat.unserved:
            below = self.node(schema)
            if below is not None:
                reason = f"what is below `{place}` differs between versions"
                parts[self._holding(key)] = {UNTOLD: [below], "why": self.note(holder, reason)}
        return by_type({name: parts.get(name) for name in _sorted(flat.types)})

    @staticmethod
    def _holding(key: str) -> str:
        return "array" if key in ("prefixItems", "contains", "unevaluatedItems") else "object"

    def _absent_values(self, flat: Flat) -> list[dict[str, Any]]:
        if self.view.way is Way.UP:
            return []
        return [
            {"value": member.schema["const"], **_shown_as(member.schema)}
            for members in flat.values
            for member in members
            if not member.shown
        ]

    def _list(self, flat: Flat) -> Node:
        items = self.node(*flat.items) if flat.items else None
        if items is None:
            return None
        made: dict[str, Any] = {"items": items}
        if flat.least_items and self.view.way is Way.DOWN:
            made["least"] = flat.least_items
        if flat.unique:
            made["unique"] = True
        return made

    # Objects

    def object(self, flat: Flat) -> Node:
        """Return the shape of an object, such as all parameters, of which *flat* says all."""
        down = self.view.way is Way.DOWN
        fields: dict[str, Node] = {}
        names: dict[str, str] = {}
        for name, found in flat.fields.items():
            shown = [each for each in found if each.shown]
            if not shown:
                continue
            called = next((each.names[-1] for each in shown if each.names[-1] != name), name)
            source = name if down else called
            fields[source] = self._field(flat, name, shown)
            if called != name:
                names[source] = called if down else name
        made: dict[str, Any] = {
            "left_out": sorted(self._known(flat) - fields.keys()),
            "names": dict(sorted(names.items())),
            "fields": {name: node for name, node in sorted(fields.items()) if node is not None},
        }
        extras = self.node(*(schema for schema, _ in flat.extras)) if flat.extras else None
        if extras is not None:
            made |= {"extras": extras, "declared": sorted(fields)}
        made = {key: value for key, value in made.items() if value or key == "declared"}
        if made and down:
            staying = sorted(flat.required & made.get("fields", {}).keys())
            made |= {"required": staying} if staying else {}
            made |= {"least": flat.least_fields} if flat.least_fields else {}
        return made or None

    def _field(self, flat: Flat, name: str, shown: list[Declared]) -> Node:
        schemas = [each.schema for each in shown]
        schemas += [schema for schema, known in flat.extras if name not in known]
        return converted(shown[0].converters, self.node(*schemas))

    def _known(self, flat: Flat) -> set[str]:
        """Return the keys that are not any key: what fields are called.

        On the way down, older names as well: what goes by one would pass for the field that
        had it. On the way up, what the caller's version does not know is none of the caller's.
        """
        if self.view.way is Way.UP:
            return set(flat.fields)
        return {name for found in flat.fields.values() for each in found for name in each.names}

    # Unions

    def _union(self, flat: Flat) -> Node:
        union = flat.unions[0]
        # the converters go first, before the members are told apart
        base = replace(flat.copy(), converters=(), unions=flat.unions[1:])
        counted = [each for each in union.members if each.shown or self.view.way is Way.DOWN]
        if base.is_empty:
            nodes = [self._member(member) for member in counted]
        else:
            nodes = [self._member(member, base) for member in counted]
        if all(node == nodes[0] for node in nodes[1:]) and not _is_absent(nodes[0]):
            return nodes[0]
        types = [self.view.types(member.schema) & base.types for member in counted]
        return by_type(
            {
                name: self._of_type(name, union, counted, nodes, types)
                for name in TYPES
                if any(name in each for each in types)
            }
        )

    def _of_type(
        self,
        name: str,
        union: Union,
        members: list[Member],
        nodes: list[Node],
        types: list[frozenset[str]],
    ) -> Node:
        """Return the shape of a value of the JSON type *name*, by the members that have it."""
        having = [i for i, each in enumerate(types) if name in each]
        own = [nodes[i] for i in having]
        if all(node == own[0] for node in own[1:]):
            return own[0]
        if name != "object":
            return self._untold(union, own)
        return self._tagged(union, [members[i] for i in having], own)

    def _tagged(self, union: Union, members: list[Member], nodes: list[Node]) -> Node:
        schemas = [member.schema for member in members]
        tag = self.view.telling(union, schemas)
        if tag is None:
            return self._untold(union, nodes)
        told = {
            text: node
            for schema, node in zip(schemas, nodes, strict=True)
            for text in self.view.tags(schema, tag, union)
        }
        return {"tag": tag, "members": dict(sorted(told.items()))}

    def _untold(self, union: Union, nodes: list[Node]) -> Node:
        reason = "members of this union differ between versions and can't be told apart"
        return {UNTOLD: nodes, "why": self.note(union.holder, reason)}

    def _member(self, member: Member, base: Flat | None = None) -> Node:
        if not member.shown:
            return substitute(member.schema)
        if base is None:
            return self.node(member.schema)
        flat = base.copy()
        self.view.add(flat, member.schema)
        return self.flat(flat)


def converted(converters: tuple[str, ...], node: Node) -> Node:
    """Return the shape of a value that goes through *converters* and is then as *node* says."""
    return {"convert": list(converters), "then": node} if converters else node


def by_type(nodes: dict[str, Node]) -> Node:
    """Return the shape of a value that may have any of the types named."""
    if all(node is None for node in nodes.values()):
        return None
    if len(nodes) == 1 and not _is_absent(node := next(iter(nodes.values()))):
        return node
    return {"types": nodes}


def _sorted(types: frozenset[str]) -> list[str]:
    return [name for name in TYPES if name in types]


def _is_absent(node: Node) -> bool:
    return isinstance(node, dict) and node.get("absent") is True


def _shown_as(member: Any) -> dict[str, Any]:
    return {key: value for key, value in substitute(member).items() if key == "shown_as"}


def references(node: Node) -> set[str]:
    """Return the names of the shapes that *node* refers to."""
    if isinstance(node, str):
        return {node}
    if node is None:
        return set()
    return {name for below in _below(node) for name in references(below)}


def converters(node: Node) -> set[str]:
    """Return the names of the converters that *node* needs."""
    if not isinstance(node, dict):
        return set()
    return {*node.get("convert", ()), *(name for each in _below(node) for name in converters(each))}


def _below(node: dict[str, Any]) -> list[Node]:
    found: list[Node] = [node.get(key) for key in ("then", "items", "extras", "otherwise")]
    for key in ("fields", "members", "types"):
        found += node.get(key, {}).values()
    return found + list(node.get(UNTOLD, ()))


def pruned(node: Node, live: Container[str]) -> Node:
    """Return *node* without what changes nothing; *live* names the shapes that change anything."""
    if isinstance(node, str):
        return node if node in live else None
    if node is None or _is_absent(node):
        return node
    made: dict[str, Any] = dict(node)
    for key in ("then", "items", "extras"):
        if key in node and (below := pruned(node[key], live)) is not None:
            made[key] = below
        else:
            made.pop(key, None)
    if "otherwise" in node:
        made["otherwise"] = pruned(node["otherwise"], live)
    for key in ("fields", "members", "types"):
        if key in node:
            made[key] = {name: pruned(below, live) for name, below in node[key].items()}
    if "fields" in node:
        made["fields"] = {name: each for name, each in made["fields"].items() if each is not None}
        made["required"] = [name for name in node.get("required", ()) if name in made["fields"]]
    if UNTOLD in node:
        made[UNTOLD] = [pruned(below, live) for below in node[UNTOLD]]
    if "extras" not in made:
        made.pop("declared", None)
    made = {key: value for key, value in made.items() if value not in ({}, []) or key in _KEPT}
    return made if _changes(made) else None


_KEPT: Final = frozenset({"declared", "then", "items", "value", "shown_as"})


def _changes(node: dict[str, Any]) -> bool:
    own = ("convert", "names", "left_out", "values", "fields", "extras", "items")
    if any(node.get(key) is not None for key in own):
        return True
    below = [node.get("otherwise"), *node.get(UNTOLD, ())]
    for key in ("members", "types"):
        below += node.get(key, {}).values()
    return any(each is not None for each in below)


def untold(node: Node) -> set[int]:
    """Return the numbers of what *node* has that can't be served."""
    if not isinstance(node, dict):
        return set()
    own = {node["why"]} if UNTOLD in node else set()
    return own.union(*(untold(each) for each in _below(node)))
