"""Find the components that differ between versions or directions, and the gates they depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from dateline.contracts.flat import RELATING, SCALAR
from dateline.gates import Timeline
from dateline.model import Trail
from dateline.openapi import children, target
from dateline.schema.access import READ_ONLY, WRITE_ONLY
from dateline.schema.memo import Memo, closure
from dateline.schema.references import Located, Resolver
from dateline.schema.variants import subtypes

# Below these are schemas of other values; below all other keys, schemas of the same value.
_VALUES: Final = frozenset({"properties", "items", "additionalProperties"})

CONVERTING: Final = frozenset(
    (
        *("$ref", "allOf", "anyOf", "oneOf", "properties", "required", "items"),
        *("additionalProperties", "minProperties", "minItems", "uniqueItems"),
        *RELATING,
        *SCALAR,
    )
)
"""Keywords that, beside a reference, decide how a value is converted."""


@dataclass
class _Dependencies:
    """The gates in a node, as sets of combinations; its parts, and its references.

    With ``is_directed``, something in it belongs to requests or to responses only.
    """

    masks: set[int] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    elsewhere: set[str] = field(default_factory=set)
    is_directed: bool = False

    @property
    def says_anything(self) -> bool:
        return bool(self.masks or self.parts or self.others or self.is_directed)

    def add(self, other: _Dependencies) -> None:
        """Add the dependencies of *other*, a part of this."""
        if other is not _NOTHING:
            self.masks |= other.masks
            self.parts |= other.parts
            self.others |= other.others
            self.is_directed |= other.is_directed


_NOTHING: Final = _Dependencies()


class Reach:
    """Finds what the nodes of schemas depend on, through references."""

    def __init__(self, document: dict[str, Any], timeline: Timeline) -> None:
        self._timeline = timeline
        self._resolver = Resolver(document)
        self._schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
        self._masks: dict[str, list[int]] = {}
        self.recursive: dict[str, tuple[Any, ...]] = {}
        """Schemas that apply together to a value and to one within it, by the name of its node."""
        self._names: dict[tuple[int, ...], str] = {}
        self._read = Memo(Reach._read_node, owner=self)
        self._within = Memo(Reach._read_within, owner=self)

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that may replace the discriminated schema that they extend."""
        return subtypes(self._schemas)

    @cached_property
    def varying(self) -> frozenset[str]:
        """The schemas that differ between versions or directions, or refer to such."""
        directed = {name for name, found in self._found.items() if found.is_directed}
        return self._users(directed) | self._gated

    @cached_property
    def _gated(self) -> frozenset[str]:
        """The schemas that differ between versions, or refer to such."""
        return self._users({name for name, found in self._found.items() if found.masks})

    def _users(self, names: set[str]) -> frozenset[str]:
        """Return *names* and the schemas that refer to them, at any distance."""
        users: dict[str, list[str]] = {}
        for name, found in self._found.items():
            for other in (*found.parts, *found.others, *self.subtypes.get(name, ())):
                users.setdefault(other, []).append(name)
        return frozenset(closure(sorted(names), lambda name: users.get(name, ())))

    def is_gated(self, schema: Any) -> bool:
        """Return whether *schema*, or anything that it refers to, differs between versions."""
        found = self._read(schema, "schema")
        return bool(found.masks or not self._gated.isdisjoint(found.parts | found.others))

    def is_fixed(self, schema: Any) -> bool:
        """Return whether *schema* and its parts are the same in all versions and directions."""
        found = self._read(schema, "schema")
        varies = found.masks or found.is_directed
        return not varies and self.varying.isdisjoint(found.parts | found.others)

    def name_recursive(self, schemas: Iterable[Any]) -> str:
        """Return the name of the node of *schemas*, which are part of a value of all of them."""
        found = tuple(schemas)
        name = self._names.setdefault(tuple(map(id, found)), f"/{len(self._names)}")
        if name not in self.recursive:
            self.recursive[name] = found
            self._masks[name] = self.masks(*(("schema", each) for each in found))
        return name

    def masks_of(self, name: str) -> list[int]:
        """Return the gates that the shared node *name* may depend on."""
        if name in self._masks:
            return self._masks[name]
        masks: set[int] = set()
        for part in closure([name], lambda each: self._parts.get(each, ())):
            found = self._found[part]
            masks |= found.masks
            # a tag may be written as a component of its own
            for other in found.others & self._found.keys():
                masks |= self._found[other].masks
        return self._masks.setdefault(name, sorted(masks))

    def masks(self, *nodes: tuple[str, Any]) -> list[int]:
        """Return the gates that the nodes of *nodes*, each with its kind, may depend on."""
        masks: set[int] = set()
        for kind, node in nodes:
            masks |= self._read(node, kind).masks
        return sorted(masks)

    def _read_node(self, node: Any, kind: str) -> _Dependencies:
        found = _Dependencies()
        self._scan(found, kind, node, part=False)
        for name in found.parts | found.others:
            found.masks |= set(self.masks_of(name))
        return found

    @cached_property
    def _found(self) -> dict[str, _Dependencies]:
        found = {}
        for name, schema in self._schemas.items():
            found[name] = _Dependencies()
            self._scan(found[name], "schema", schema, part=True)
        return found

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        return {
            name: [*found.parts, *self.subtypes.get(name, ())]
            for name, found in self._found.items()
        }

    def _scan(self, found: _Dependencies, kind: str, node: Any, *, part: bool) -> None:
        if not isinstance(node, dict):
            return
        within = self._within(node, kind, part)
        if within is not None:
            found.add(within)
            return
        for _, era in self._read_own(found, kind, node, part=part):
            for goal in self._list_elsewhere(kind, era):
                # anything but a component is part of what refers to it
                if goal.pointer not in found.elsewhere:
                    found.elsewhere.add(goal.pointer)
                    self._scan(found, kind, goal.value, part=part)
            for path, below, child in children(kind, era):
                self._scan(found, below, child, part=_is_part(kind, path))

    def _read_own(
        self, found: _Dependencies, kind: str, node: dict[str, Any], *, part: bool
    ) -> list[tuple[int, dict[str, Any]]]:
        """Add the dependencies of *node* itself to *found*, and return its eras."""
        if (mask := self._timeline.of(node)) != self._timeline.all:
            found.masks.add(mask)
        eras = self._timeline.eras(kind, node)
        if len(eras) > 1:
            found.masks.update(mask for mask, _ in eras)
        for _, era in eras:
            found.is_directed |= bool(era.get(READ_ONLY) or era.get(WRITE_ONLY))
            if kind == "schema" and (goal := _goal(era)) in self._schemas:
                alone = CONVERTING & era.keys() == {"$ref"}
                (found.others if alone and not part else found.parts).add(goal)
        return eras

    def _read_within(self, node: dict[str, Any], kind: str, part: bool) -> _Dependencies | None:
        """Return the dependencies of *node* and its parts; None if it is written elsewhere, too.

        Its ancestors include them anyway, so each level is read once, not once for each ancestor.
        """
        found = _Dependencies()
        for _, era in self._read_own(found, kind, node, part=part):
            if self._list_elsewhere(kind, era):
                return None
            for path, below, child in children(kind, era):
                if not isinstance(child, dict):
                    continue
                within = self._within(child, below, _is_part(kind, path))
                if within is None:
                    return None
                found.add(within)
        return found if found.says_anything else _NOTHING

    def _list_elsewhere(self, kind: str, era: dict[str, Any]) -> list[Located]:
        """Return the targets of references in *era* that need not be components."""
        if kind != "schema":
            return []
        reference = era.get("$ref", "")
        goal = None if target(reference) else self._resolver.locate(reference)
        return [*([] if goal is None else [goal]), *self._resolver.list_possible(era)]


def _is_part(kind: str, path: Trail) -> bool:
    """Return whether the child at *path* of an object of *kind* is a schema of the same value."""
    return kind == "schema" and path[0] not in _VALUES


def _goal(node: Any) -> str | None:
    reference = node.get("$ref") if isinstance(node, dict) else None
    goal = target(reference) if isinstance(reference, str) else None
    return goal[1] if goal is not None and goal[0] == "schemas" else None
