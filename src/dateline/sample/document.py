"""A document of any 3.x in, one whose schemas are JSON Schema 2020-12 out, that can be asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

from dateline.openapi import Shape, follow, pointer, slot, target
from dateline.schema.dialect import Dialect
from dateline.schema.types import UNIONS
from dateline.schema.variants import discriminator_of, subtypes

_ROOT: Final = "urn:document"

Schemas = tuple[Any, ...]


class UnreadableError(Exception):
    """A keyword holds what JSON Schema does not let it hold, or a reference leads nowhere."""


class Document:
    """The schemas of a document: what a reference leads to, what fits, how deep values get."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._dialect = Dialect(document)
        self.root: dict[str, Any] = _rooted(
            "document", self._dialect.modernized("document", document)
        )
        self._registry = jsonschema_rs.Registry([(_ROOT, self.root)])
        # beside what was read what it was read from: an id is unique only while its object lives
        self._read: dict[int, tuple[Any, Any]] = {}
        self._validators: dict[tuple[int, ...], tuple[Schemas, Any]] = {}
        self._members: dict[tuple[int, str], tuple[Any, Schemas]] = {}
        self._depths: dict[str, float] = {}
        self._schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
        self._subtypes = subtypes(self._schemas)
        # kept with their objects: an id is unique only while its object lives
        self._variants: dict[str, Schemas] = {}
        self._chosen: set[int] = set()
        self._extended: set[int] = set()

    def read(self, schema: Any) -> Any:
        """Return *schema*, which may stand anywhere, as if it stood in the document."""
        if id(schema) not in self._read:
            modern = self._dialect.modernized("schema", schema)
            self._read[id(schema)] = schema, _rooted("schema", modern)
        return self._read[id(schema)][1]

    def at(self, reference: str) -> Any:
        """Return the schema that *reference* leads to. Raises LookupError where there is none."""
        from urllib.parse import unquote

        base, _, pointer = reference.partition("#")
        node: Any = self.root
        try:
            for step in follow(self.root, unquote(pointer)):
                node = node[step]
        except (LookupError, TypeError):
            node = None
        if node is None or base != _ROOT:
            raise LookupError(f"{reference.removeprefix(_ROOT)} leads nowhere")
        return node

    def defect(self, schemas: Schemas, value: Any) -> tuple[tuple[str | int, ...], str] | None:
        """Return where *value* breaks *schemas* and how, None where it fits them all."""
        validator = self._validator(schemas)
        if validator.is_valid(value):
            return None
        for error in validator.iter_errors(value):
            return tuple(error.instance_path), str(error.message)
        # of a field that is required twice, it says no without an error
        return None

    def fits(self, schemas: Schemas, value: Any) -> bool:
        return bool(self._validator(schemas).is_valid(value))

    def members(self, schema: dict[str, Any], keyword: str) -> Schemas:
        """Return the schemas one of which *keyword* (a union, or `if`) makes a value fit."""
        key = id(schema), keyword
        if key not in self._members:
            made = _branches(schema) if keyword == "if" else _tagged(schema, keyword)
            self._members[key] = schema, made
        return self._members[key][1]

    def variants(self, reference: str) -> Schemas:
        """Return what stands where *reference* leads to a discriminated schema, each with its tag.

        These are the schemas that extend it, and it itself. Empty where no discriminator chooses.
        """
        if reference not in self._variants:
            goal = target(reference.removeprefix(_ROOT))
            name = goal[1] if goal is not None and goal[0] == "schemas" else ""
            self._variants[reference] = tuple(self._tagged_variants(name))
        return self._variants[reference]

    def is_chosen(self, schema: dict[str, Any]) -> bool:
        """Tell whether *schema* is the reference to one variant alone."""
        return id(schema) in self._chosen

    def is_extended(self, schema: Any) -> bool:
        """Tell whether *schema* is the variant that the others extend: it may be abstract."""
        return id(schema) in self._extended

    def _tagged_variants(self, name: str) -> Iterator[Any]:
        said = discriminator_of(name, self._schemas, self._subtypes)
        tag = said.get("propertyName") if said else None
        below = self._subtypes.get(name, frozenset())
        inherits = any(name in found for found in self._subtypes.values())
        if said is None or not isinstance(tag, str) or not (below or inherits):
            return
        mapping = said.get("mapping") or {}
        for each in [name, *sorted(below)]:
            local = "#" + pointer(("components", "schemas", each))
            values = [value for value, place in mapping.items() if place in (local, each)]
            told = {"required": [tag], "properties": {tag: {"enum": values or [each]}}}
            schema = {"$ref": _ROOT + local}
            fixed = self._is_fixed(schema, tag, set())
            made = {"allOf": [schema] if fixed else [schema, told]}
            self._chosen.add(id(schema))
            if each == name and not inherits:
                self._extended.add(id(made))
            yield made

    def _is_fixed(self, schema: Any, name: str, met: set[str]) -> bool:
        """Tell whether *schema* lists the values of the property *name* itself."""
        if not isinstance(schema, dict):
            return False
        child = schema.get("properties", {}).get(name)
        if isinstance(child, dict) and child.keys() & {"const", "enum", "$ref", *UNIONS, "allOf"}:
            return True
        bases = list(schema.get("allOf", ()))
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in met:
            met.add(reference)
            try:
                bases.append(self.at(reference))
            except LookupError:
                return False
        return any(self._is_fixed(base, name, met) for base in bases)

    def _validator(self, schemas: Schemas) -> Any:
        key = tuple(map(id, schemas))
        if key not in self._validators:
            try:
                made = jsonschema_rs.Draft202012Validator(
                    {"allOf": [True, *schemas]}, validate_formats=True, registry=self._registry
                )
            except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
                raise UnreadableError(str(error).partition("\n")[0]) from None
            self._validators[key] = schemas, made
        return self._validators[key][1]

    def depth(self, schema: Any) -> float:
        """Return through how many objects and lists the least value of *schema* goes."""
        if not self._depths:
            self._depths = self._least_depths()
        return _depth(schema, self._depths)

    def _least_depths(self) -> dict[str, float]:
        """Return the depth of whatever can be referred to; infinity where no value has an end."""
        goals = {}
        components = self.root.get("components", {}).get("schemas", {})
        # what is read may refer to more than the document itself does
        known = (_ROOT + "#" + pointer(("components", "schemas", name)) for name in components)
        for reference in {*_references(self.root), *known}:
            try:
                goals[reference] = self.at(reference)
            except LookupError:
                continue
        depths = dict.fromkeys(sorted(goals), math.inf)
        changed = True
        while changed:
            now = {reference: _depth(goals[reference], depths) for reference in depths}
            changed = now != depths
            depths = now
        return depths


def _depth(schema: Any, known: dict[str, float]) -> float:
    if not isinstance(schema, dict):
        return math.inf if schema is False else 0
    if "const" in schema or "enum" in schema:
        return 0
    found = [_depth(base, known) for base in schema.get("allOf", ())]
    if "$ref" in schema:
        found.append(known.get(schema["$ref"], math.inf))
    found += [
        min(_depth(member, known) for member in schema[union])
        for union in UNIONS
        if schema.get(union)
    ]
    below = list(_needed(schema))
    if below:
        found.append(1 + max(_depth(child, known) for child in below))
    return max(found, default=0)


def _needed(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas of what no value of *schema* can do without."""
    said = schema.get("type", "object" if "properties" in schema else "array")
    types = {said} if isinstance(said, str) else {*said}
    if not types <= {"object", "array"}:
        return
    if "object" in types:
        properties = schema.get("properties", {})
        yield from (properties[name] for name in schema.get("required", ()) if name in properties)
    least = schema.get("minItems", 0)
    if "array" in types and least:
        first = schema.get("prefixItems", [])
        yield from first[:least]
        if len(first) < least:
            yield schema.get("items", True)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            yield reference
        for child in node.values():
            yield from _references(child)
    elif isinstance(node, list):
        for child in node:
            yield from _references(child)


def _rooted(kind: str, node: Any) -> Any:
    """Return *node* with references that can be resolved from everywhere."""
    if not isinstance(node, dict):
        return _plain(node)
    made = {key: _below(kind, key, value) for key, value in node.items()}
    if kind == "schema" and str(made.get("$ref", "")).startswith("#"):
        made["$ref"] = _ROOT + made["$ref"]
    return made


def _below(kind: str, key: str, value: Any) -> Any:
    shape, below = slot(kind, key)
    if shape is Shape.ONE:
        return _rooted(below, value)
    if shape is Shape.LIST and isinstance(value, list):
        return [_rooted(below, child) for child in value]
    if shape is Shape.MAP and isinstance(value, dict):
        return {name: _rooted(below, child) for name, child in value.items()}
    return _plain(value)


def _plain(value: Any) -> Any:
    """Return *value* without the positions that the reader keeps."""
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    return [_plain(child) for child in value] if isinstance(value, list) else value


def _branches(schema: dict[str, Any]) -> Schemas:
    """Return what a value fits that fits `if`, and what one fits that does not."""
    met = {"allOf": [schema["if"], schema.get("then", True)]}
    return met, {"allOf": [{"not": schema["if"]}, schema.get("else", True)]}


def _tagged(schema: dict[str, Any], keyword: str) -> Schemas:
    """Return the members of a union, each with the tag that its discriminator tells it by."""
    members = schema[keyword]
    said = schema.get("discriminator")
    said = said if isinstance(said, dict) else {}
    tag = said.get("propertyName")
    if not isinstance(tag, str):
        return tuple(members)
    mapping = said.get("mapping") or {}
    tagged = []
    for member in members:
        reference = member.get("$ref", "") if isinstance(member, dict) else ""
        local = reference[reference.find("#") :]
        goal = target(local)
        values = [value for value, place in mapping.items() if place in (local, goal and goal[1])]
        if not values and goal is not None:
            values = [goal[1]]
        told = {"required": [tag], "properties": {tag: {"enum": values}}}
        tagged.append({"allOf": [member, told]} if values else member)
    return tuple(tagged)


@lru_cache(maxsize=4096)
def matches(pattern: str, text: str) -> bool:
    """Tell whether *text* holds a match of *pattern*, as JSON Schema reads it."""
    return bool(jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid(text))
