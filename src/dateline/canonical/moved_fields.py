"""Fields that move between a schema and its bases, in another form: one field with a history."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from dateline.canonical.declarations import Column, Declaration, Declarations, Moves, Schema
from dateline.canonical.eras import restore_history
from dateline.canonical.replaced_fields import ReplacedFields
from dateline.gates import drop_keys
from dateline.model import ADDED, ENVIRONMENTS, GATES, REMOVED, WHY, Api, copy_items
from dateline.openapi import find_replaced, walk
from dateline.schema.memo import Memo, objects_in
from dateline.schema.types import UNIONS

_LISTING: Final = frozenset({"allOf", *UNIONS})
_COMBINING: Final = _LISTING | {"$ref"}

# Keywords that know by name which fields are others.
_CLOSING: Final = ("additionalProperties", "unevaluatedProperties")


def with_moved_fields(api: Api) -> Api:
    """Return *api* with one history for each field of a schema that its parts declare in turn.

    That is a field that some versions have in the schema itself, and others in a member of its
    `allOf`, in another form: together, no value fits both. What each version allows stays the same,
    but the schema has a copy of such a member in place of a reference to it. Members of unions, and
    schemas with a discriminator, keep the field, with a history that leads to the newest form.
    """
    if not _may_move(api.document):
        return api
    fields = _MovedFields(api)
    # most documents have none: reading them as schemas takes longer than reading any object
    if not any(map(fields.may_move, objects_in(api.document))):
        return api
    nodes = walk("document", api.document)
    schemas = [node for _, kind, node in nodes if kind == "schema" and isinstance(node, dict)]
    # all of them are read: what one replaces is noted for the others
    if not [schema for schema in schemas if fields.find(schema)]:
        return api
    return replace(api, document=fields.restate("document", api.document))


def _may_move(document: Schema) -> bool:
    """Return whether versions lack a field that has the name of another one, or a member."""
    names: dict[str, int] = {}
    gated: set[str] = set()
    for node in objects_in(document):
        if isinstance(own := node.get("properties"), dict):
            for name, child in own.items():
                names[name] = names.get(name, 0) + 1
                if _is_gated(child):
                    gated.add(name)
        for key in _LISTING if not _LISTING.isdisjoint(node) else ():
            if isinstance(listed := node.get(key), list) and any(map(_is_gated, listed)):
                return True
    return any(names[name] > 1 for name in gated)


def _is_gated(node: Any) -> bool:
    return isinstance(node, dict) and not GATES.isdisjoint(node)


class _MovedFields:
    def __init__(self, api: Api) -> None:
        self._declarations = Declarations(api)
        self._replaced = ReplacedFields(api, self._declarations)
        self._dates = self._declarations.dates
        self._unite = Memo(_MovedFields._unite_parts, owner=self)
        self._strip = Memo(_MovedFields._strip_fields, owner=self)

    def restate(self, kind: str, node: Any) -> Any:
        """Return *node* with the fields of its schemas, and of those below, united."""
        if not isinstance(node, dict):
            return node
        found = self._replaced.restate(self._unite(node)) if kind == "schema" else node
        below = find_replaced(kind, found, lambda _, under, child: self.restate(under, child))
        return copy_items(found, [*{**found, **below}.items()]) if below else found

    def may_move(self, schema: Schema) -> bool:
        """Return whether several members of *schema* declare the same field."""
        if _COMBINING.isdisjoint(schema) or schema.keys() == {"$ref"}:
            return False
        return any(
            len({each.part.group for each in found}) > 1
            for schemas in self._declarations.list_values(schema)
            for found in self._declarations.read(schemas).values()
        )

    def find(self, schema: Schema) -> bool:
        """Return whether fields of *schema* move, and note those that can't become one field."""
        if not self.may_move(schema):
            return False
        is_united = self._unite(schema) is not schema
        noted = [
            self._replaced.note(Moves(self._declarations, *schemas))
            for schemas in self._declarations.list_values(schema)
            if len(schemas) > 1 or not is_united
        ]
        return is_united or any(noted)

    def _unite_parts(self, schema: Schema) -> Schema:
        if not self.may_move(schema):
            return schema
        moves = Moves(self._declarations, schema)
        if not moves.is_between_members or not _is_open(schema):
            return schema
        if not all(map(_is_strippable, moves.columns.values())):
            return schema
        return self._restate_schema(schema, moves)

    def _restate_schema(self, schema: Schema, moves: Moves) -> Schema:
        names = frozenset(moves.columns)
        fields = {name: self._unite_field(name, column) for name, column in moves.columns.items()}
        demands = {name: moves.list_demands(name, moves.columns[name]) for name in fields}
        eras = []
        for number, era in enumerate(self._declarations.list_eras(schema)):
            found = self._drop_fields(era, names)
            required = [*found.get("required", ()), *(n for n in fields if demands[n][number])]
            found = {**found, "properties": {**found.get("properties", {}), **fields}}
            eras.append({**found, "required": required} if required else found)
        return restore_history(schema, self._dates, eras)

    def _strip_fields(self, schema: Any, names: frozenset[str]) -> Any:
        """Return *schema* without the fields *names*, also where it only refers to them."""
        if not isinstance(schema, dict):
            return schema
        if schema.keys() == {"$ref"}:
            [goal] = self._declarations.list_members(schema)
            stripped = self._strip(goal, names)
            return schema if stripped is goal else stripped
        eras = self._declarations.list_eras(schema)
        found = [self._drop_fields(era, names) for era in eras]
        is_same = all(one is other for one, other in zip(found, eras, strict=True))
        return schema if is_same else restore_history(schema, self._dates, found)

    def _drop_fields(self, era: Schema, names: frozenset[str]) -> Schema:
        """Return one *era* of a schema without the fields *names*."""
        own = era.get("properties", {})
        changed: dict[str, Any] = {}
        if not names.isdisjoint(own):
            kept = {name: child for name, child in own.items() if name not in names}
            required = [name for name in era.get("required", ()) if name in kept or name not in own]
            changed = {"properties": kept, "required": required}
        members = self._declarations.list_members(era)
        stripped = [self._strip(each, names) for each in members]
        if any(one is not other for one, other in zip(stripped, members, strict=True)):
            changed |= {"$ref": None, "allOf": stripped}
        if not changed:
            return era
        return {
            key: value for key, value in {**era, **changed}.items() if value or key not in changed
        }

    def _unite_field(self, name: str, column: Column) -> Schema:
        """Return one node with the history of a field, whose nodes at each version are *column*."""
        eras: list[Schema | None] = []
        for is_there, group in groupby(range(len(column)), lambda at: bool(column[at])):
            numbers = [*group]
            gates = {REMOVED: self._dates[numbers[0] - 1]} if numbers[0] else {}
            is_first = numbers[-1] == len(column) - 1
            gates |= {} if is_first else {ADDED: self._dates[numbers[-1]]}
            eras += [
                {**self._describe(name, column[at], at), **gates} if is_there else None
                for at in numbers
            ]
        return restore_history({}, self._dates, eras, name)

    def _describe(self, name: str, found: list[Declaration], number: int) -> Schema:
        """Return what the declarations *found* say together at a version, with the field's name."""
        timeline, at = self._declarations.timeline, self._declarations.versions[number]
        forms: list[Schema] = []
        for child in [each.child for each in found if isinstance(each.child, dict)]:
            form = drop_keys(timeline.era("schema", child, at), ADDED, REMOVED, WHY)
            forms += [] if form in forms else [form]
        called = timeline.name("schema", name, found[-1].child, at)
        return {**(forms[0] if len(forms) == 1 else {"allOf": forms}), "name": called}


def _is_strippable(column: Column) -> bool:
    """Return whether the parts that have a field say the same without it."""
    return all(_is_plain(each) for found in column for each in found)


def _is_plain(declared: Declaration) -> bool:
    child, part = declared
    is_everywhere = ENVIRONMENTS not in part.schema
    if isinstance(child, dict):
        is_everywhere = is_everywhere and ENVIRONMENTS not in child
    # tags lead from a discriminator to what refers to it
    is_untagged = not any("discriminator" in node for node in (*part.above[1:], part.schema))
    return is_everywhere and _is_open(part.schema) and (is_untagged or not part.above)


def _is_open(schema: Schema) -> bool:
    return all(schema.get(key, True) is True for key in _CLOSING)
