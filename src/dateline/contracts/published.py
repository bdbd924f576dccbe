"""Schemas of the definitions in, out what they demand: of canonical values, or at one version."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from dateline.canonical import canonical
from dateline.gates import Timeline
from dateline.model import Api
from dateline.openapi import replace_children, target
from dateline.project import Projector
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Direction, Hidden
from dateline.schema.constraints import Constraints, references
from dateline.schema.memo import Memo, closure
from dateline.schema.types import EVERY_TYPE, choices, declared, type_of

_SENT: Final = "urn:sent"


@dataclass
class _Needs:
    """The fields that every object of a schema has, and what values its fields may have.

    ``known`` are the only fields that there may be; None where there may be any. ``types`` are
    the JSON types of a value, ``listed`` all values, as JSON, where they are listed.
    """

    fields: set[str] = field(default_factory=set)
    values: dict[str, frozenset[str]] = field(default_factory=dict)
    known: frozenset[str] | None = None
    types: frozenset[str] = EVERY_TYPE
    listed: frozenset[str] | None = None


class Published:
    """The schemas of one API in JSON Schema; references lead to components of the same version."""

    def __init__(self, api: Api, timeline: Timeline, projector: Projector) -> None:
        self._api = api
        self._projector = projector
        self._combinations = timeline.combinations
        self._constraints = Constraints(api.document)
        self._directed: dict[int | None, list[Direction]] = {}

    def canonical(self, schema: Any) -> Any:
        """Return what canonical values of *schema* have to be."""
        made = canonical("schema", schema, adopted=self._api.table.adopted)
        return self._constraints.of(self._direct(made, self._api.document, None))

    def sent(self, *schemas: Any) -> Any:
        """Return what canonical values of *schemas* have to be that callers of any version sent.

        The result refers to nothing but its own definitions: components have other forms beside.
        """
        components = self._api.document.get("components", {}).get("schemas", {})

        def read(schema: Any) -> Any:
            found = canonical("schema", schema, sent=True, adopted=self._api.table.adopted)
            return self._constraints.of(self._direct(found, self._api.document, None))

        definitions = Memo(lambda name: read(components.get(name, True)))
        found = [read(schema) for schema in schemas]
        names = closure(
            set[str]().union(*map(references, found)),
            lambda name: references(definitions(name)),
        )
        if not names:
            return together(found)
        return {
            "$id": _SENT,
            "allOf": [_relocate("schema", each) for each in found],
            "$defs": {name: _relocate("schema", definitions(name)) for name in sorted(names)},
        }

    def at(self, schema: Any, at: int) -> Any:
        """Return what values of *schema* have to be at the combination *at*."""
        document = self._projector.contract(*self._combinations[at]).document
        return self.demanded(self._direct(self.node("schema", schema, at), document, at))

    def _direct(self, schema: Any, document: dict[str, Any], at: int | None) -> Any:
        """Return *schema* without what one of the directions does not have."""
        if at not in self._directed:
            self._directed[at] = [
                Direction(document, hidden, Hidden.ANY) for hidden in (READ_ONLY, WRITE_ONLY)
            ]
        for direction in self._directed[at]:
            schema = direction.of(schema)
        return schema

    def node(self, kind: str, node: Any, at: int) -> Any:
        """Return what *node* is published as at the combination *at*."""
        return self._projector.node(kind, node, self._combinations[at])

    def demanded(self, schema: Any) -> Any:
        """Return what a *schema* that is published demands."""
        return self._constraints.of(schema)

    def apart(self, one: Any, other: Any, at: int) -> bool:
        """Tell whether no value can be of both schemas, as they are at the combination *at*."""
        first, second = self._needs(one, at), self._needs(other, at)
        both = first.types & second.types
        if not both:
            return True
        if first.listed is not None and second.listed is not None:
            return not first.listed & second.listed
        if both != EVERY_TYPE and not both <= {"object"}:
            return False
        listed = first.values.keys() & second.values.keys() & (first.fields | second.fields)
        return any(not first.values[name] & second.values[name] for name in listed) or any(
            each.known is not None and not others.fields <= each.known
            for each, others in ((first, second), (second, first))
        )

    def _needs(self, schema: Any, at: int) -> _Needs:
        document = self._projector.contract(*self._combinations[at]).document
        needs = _Needs()
        components = document.get("components", {}).get("schemas", {})
        self._add(needs, self.at(schema, at), components, frozenset())
        return needs

    def _add(
        self, needs: _Needs, schema: Any, components: dict[str, Any], within: frozenset[str]
    ) -> None:
        if not isinstance(schema, dict):
            return
        goal = target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
        if goal is not None and goal[1] in components and goal[1] not in within:
            component = self._constraints.of(components[goal[1]])
            self._add(needs, component, components, within | {goal[1]})
        for base in schema.get("allOf", ()):
            self._add(needs, base, components, within)
        needs.types &= declared(schema)
        values = choices(schema)
        if values is not None:
            needs.types &= {type_of(value) for value in values}
            texts = frozenset(json.dumps(value, sort_keys=True) for value in values)
            needs.listed = texts if needs.listed is None else needs.listed & texts
        needs.fields |= set(schema.get("required", ()))
        properties = schema.get("properties", {})
        for name, child in properties.items():
            values = choices(child) if isinstance(child, dict) else None
            if values is not None:
                texts = frozenset(json.dumps(value, sort_keys=True) for value in values)
                needs.values[name] = needs.values.get(name, texts) & texts
        if schema.get("additionalProperties") is False and "patternProperties" not in schema:
            known = frozenset(properties)
            needs.known = known if needs.known is None else needs.known & known


def together(schemas: list[Any]) -> Any:
    """Return a schema of what fits all of *schemas*."""
    return schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def _relocate(kind: str, node: Any) -> Any:
    """Return *node* with its references to components leading into its own definitions."""
    if not isinstance(node, dict):
        return node
    found = replace_children(kind, node, _relocate)
    if kind == "schema" and isinstance(found.get("$ref"), str):
        found["$ref"] = found["$ref"].replace("#/components/schemas", f"{_SENT}#/$defs", 1)
    return found
