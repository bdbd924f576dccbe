"""The schemas of a document as JSON Schema 2020-12: validation, and the depth of values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Final

import jsonschema_rs

from dateline.model import Trail
from dateline.openapi import find_replaced, pointer, replace_children
from dateline.regex.supported import find_supported
from dateline.schema.constraints import (
    drop_meaningless,
    escape_reference,
    replace_patterns,
    with_format_constraints,
    with_format_patterns,
)
from dateline.schema.dialect import OR_NULL, Dialect, fold_null
from dateline.schema.memo import Memo, closure, memoize, objects_in
from dateline.schema.parts import PartReader
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS
from dateline.schema.values import write_compactly
from dateline.schema.variants import discriminator_of, subtypes
from dateline.schema.words import WORDS

_ROOT: Final = "urn:document"
# Keywords of a tag property that lists its values itself.
_LISTING: Final = frozenset({"const", "enum", "$ref", "allOf", *UNIONS})

# References begin at the root, and not at the address of a surrounding schema.
_LEFT_OUT: Final = WORDS | {"$id"}

# The slots of schemas that apply to nothing by themselves.
_HELD: Final = frozenset({"$defs", "definitions"})

NULL_BESIDE_REFERENCE: Final = {"type": "null", "$comment": "nullable beside a reference"}
"""The null of `nullable: true` beside a reference, which validators of OpenAPI 3.0 may ignore."""

Schemas = tuple[Any, ...]


_MOST_COMPILED: Final = 4
_MOST_NAMES: Final = 40
_MOST_PLAIN: Final = 1 << 12
_MOST_WRITTEN: Final = 1 << 16
_MOST_IN_MESSAGE: Final = 300
_LONGEST_PLAIN: Final = 1 << 9
"""The length up to which schemas without references have small validators, like most texts."""


class UnreadableError(Exception):
    """A keyword has a value that JSON Schema does not allow, or a reference is dangling."""


class SampledDocument:
    """The schemas of a document, in its own dialect: what they allow, and what they refer to."""

    def __init__(self, document: dict[str, Any]) -> None:
        # without the positions that the reader stores, which validators don't know
        written = write_compactly(document)
        plain = json.loads(written)
        self._dialect = Dialect(plain)
        self.root: dict[str, Any] = self._make_readable("document", plain)
        self.depth = Memo(SampledDocument._find_depth, owner=self)
        """Returns the nesting of objects and lists in the smallest value of a schema.

        That is infinity if every value is infinite.
        """
        self._depths: dict[str, float] = {}
        """The depths of the targets of references, as far as they were needed."""
        self._reader = PartReader(self.root)
        self._written = memoize(self._write_reference)
        self.read = Memo(SampledDocument._read_schema, owner=self)
        """Returns a schema, which may come from anywhere, as if it were part of the document."""
        # one that follows many references takes a megabyte: few are needed again much later
        self._validators = memoize(self._compile, _MOST_COMPILED)
        self._small_validators = memoize(self._compile_for, _MOST_COMPILED)
        self._plain_validators = lru_cache(maxsize=_MOST_PLAIN)(_compile_plain)
        # each with its schemas: an id is unique only while its object lives
        self._written_schemas: dict[tuple[int, ...], tuple[Schemas, str, bool]] = {}
        self.members = Memo(partial(_list_members, self._reader.resolver))
        """Returns the alternatives of a keyword (a union, or `if`), one of which must be valid."""
        self.variants = memoize(self._tagged_variants)
        """Returns what a reference to a discriminated schema stands for, each with its tag.

        These are the schemas that extend it, and it itself. Empty where no discriminator chooses.
        """
        self._schemas = self._reader.resolver.section("schemas")
        self._subtypes = subtypes(self._schemas)
        # by id: `variants` keeps them alive
        self._chosen: set[int] = set()
        self._extended: set[int] = set()

    def _read_schema(self, schema: Any) -> Any:
        return self._make_readable("schema", json.loads(write_compactly(schema)))

    def _make_readable(self, kind: str, node: Any) -> Any:
        """Return *node* as validators can read it, with the bounds that formats stand for.

        Texts for people, which take much memory, are left out.
        """
        if not isinstance(node, dict):
            return True if kind == "schema" and not isinstance(node, bool) else node
        is_schema = kind == "schema"
        said = self._dialect.keywords(node) if is_schema else node
        left_out = _LEFT_OUT if is_schema else WORDS
        kept = {key: value for key, value in said.items() if key not in left_out}
        if is_schema and "$dynamicRef" in kept:
            self._replace_dynamic(kept)
        kept |= find_replaced(
            kind,
            kept,
            lambda _, below, child: self._make_readable(below, child),
            is_published=True,
        )
        if not is_schema:
            return kept
        read = replace_patterns(drop_meaningless(kept), find_supported)
        folded = fold_null(with_format_patterns(with_format_constraints(read)))
        if "$ref" in read and OR_NULL in read:
            folded["anyOf"][-1] = NULL_BESIDE_REFERENCE
        return folded

    def _replace_dynamic(self, schema: dict[str, Any]) -> None:
        """Let *schema* be any of the schemas to which its `$dynamicRef` may lead."""
        resolver = self._dialect.resolver
        goals = resolver.list_possible(schema)
        if not goals and (goal := resolver.locate_by("$dynamicRef", schema["$dynamicRef"])):
            goals = [goal]
        if goals:
            possible = {"anyOf": [{"$ref": f"#{goal.pointer}"} for goal in goals]}
            schema["allOf"] = [*schema.get("allOf", ()), possible]
        del schema["$dynamicRef"]

    def at(self, reference: str) -> Any:
        """Return the schema that *reference* leads to. Raises LookupError if there is none."""
        found = self._reader.resolver.locate(reference)
        if found is None:
            raise LookupError(f"{reference} leads nowhere")
        return found.value

    def defect(self, schemas: Schemas, value: Any) -> tuple[Trail, str] | None:
        """Return where *value* violates *schemas* and how, or None if it is valid for them all."""
        if self.fits(schemas, value):
            return None
        written, is_plain = self._write(schemas)
        validators = self._plain_validators if is_plain else self._validators
        for error in validators(written).iter_errors(value):
            return tuple(error.instance_path), _shorten(str(error.message))
        # it refuses a field that is required twice without reporting an error
        return None

    def fits(self, schemas: Schemas, value: Any) -> bool:
        return not schemas or bool(self._validator(schemas, value).is_valid(value))

    def fits_named(self, schemas: Schemas, value: Any) -> Callable[[Any], bool]:
        """Return whether values fit *schemas* that have no other names than *value* has."""
        judge = self._validator(schemas, value)
        return lambda each: bool(judge.is_valid(each))

    def _validator(self, schemas: Schemas, value: Any) -> Any:
        """Return a validator of *schemas* for values that have no other names than *value* has.

        A validator that follows all references takes many times as long to build.
        """
        written, is_plain = self._write(schemas)
        if is_plain:
            return self._plain_validators(written)
        names = _list_names(value)
        if names is None:
            return self._validators(written)
        return self._small_validators(written, names)

    def _write(self, schemas: Schemas) -> tuple[str, bool]:
        """Return *schemas* as text, and whether they are short and without references."""
        key = tuple(map(id, schemas))
        known = self._written_schemas.get(key)
        if known is None:
            written = json.dumps(schemas)
            known = schemas, written, len(written) < _LONGEST_PLAIN and '"$' not in written
            if len(self._written_schemas) >= _MOST_WRITTEN:
                self._written_schemas.clear()
            self._written_schemas[key] = known
        return known[1:]

    def is_chosen(self, schema: dict[str, Any]) -> bool:
        """Return whether *schema* is the reference to a single variant."""
        return id(schema) in self._chosen

    def is_extended(self, schema: Any) -> bool:
        """Return whether *schema* is the variant that others extend: it may be abstract."""
        return id(schema) in self._extended

    def _tagged_variants(self, reference: str) -> Schemas:
        name = self._reader.resolver.schema_name({"$ref": reference}) or ""
        found = discriminator_of(name, self._schemas, self._subtypes)
        tag = found.get("propertyName") if found else None
        below = self._subtypes.get(name, frozenset())
        inherits = any(name in others for others in self._subtypes.values())
        if found is None or not isinstance(tag, str) or not (below or inherits):
            return ()
        variants = []
        for each in [name, *sorted(below)]:
            schema = {"$ref": "#" + pointer(("components", "schemas", each))}
            known = self._lists_values(schema, tag)
            values = [] if known else _tags(self._reader.resolver, found, schema)
            variants.append(_with_tag(schema, tag, values))
            self._chosen.add(id(schema))
            if each == name and not inherits:
                self._extended.add(id(variants[-1]))
        return tuple(variants)

    def _lists_values(self, schema: Any, name: str) -> bool:
        """Return whether *schema* lists the values of the property *name* itself."""
        parts = self._reader.parts_of(schema)
        children = [(part.get("properties") or {}).get(name) for part in parts]
        return any(isinstance(child, dict) and child.keys() & _LISTING for child in children)

    def _write_references(self, kind: str, node: Any, root: str) -> Any:
        """Return *node* with references as validators read them, those within it from *root*.

        No value is valid for a dangling one: optional properties with it are left out.
        """
        if not isinstance(node, dict):
            return node
        found = replace_children(
            kind, node, lambda below, child: self._write_references(below, child, root)
        )
        if kind == "schema" and str(found.get("$ref", "")).startswith("#"):
            written = self._written(found["$ref"])
            if written is None:
                return {"not": {}}
            found["$ref"] = root + written
        return found

    def _write_reference(self, reference: str) -> str | None:
        """Return *reference* as the URI of a pointer, or None if it is dangling.

        Validators look for anchors in schemas with an address, which components don't have.
        """
        found = self._reader.resolver.locate(reference)
        if found is None:
            return None
        return escape_reference("#" + found.pointer.replace("%", "%25"))

    @cached_property
    def _registry(self) -> Any:
        root = self._write_references("document", self.root, "")
        return jsonschema_rs.Registry([(_ROOT, root)])

    def _compile(self, schemas: str) -> Any:
        rooted = [self._write_references("schema", each, _ROOT) for each in json.loads(schemas)]
        return _make_validator(rooted, self._registry)

    def _compile_for(self, schemas: str, names: frozenset[str]) -> Any:
        """Return a validator for values with only these *names*: schemas of others are left out.

        It contains the reachable targets of references for such values, and nothing else.
        """
        places: dict[str, str] = {}
        goals: list[Any] = []

        def cut(kind: str, node: Any) -> Any:
            if not isinstance(node, dict):
                return node
            kept = {key: value for key, value in node.items() if key not in _HELD}
            if isinstance(named := kept.get("properties"), dict):
                kept["properties"] = {name: named[name] for name in named if name in names}
            found = replace_children(kind, kept, cut)
            if kind == "schema" and str(found.get("$ref", "")).startswith("#"):
                goal = self._reader.resolver.locate(found["$ref"])
                if goal is None:
                    return {"not": {}}
                if goal.pointer not in places:
                    places[goal.pointer] = f"{_ROOT}#/$defs/{len(places)}"
                    goals.append(goal.value)
                found["$ref"] = places[goal.pointer]
            return found

        rooted = [cut("schema", each) for each in json.loads(schemas)]
        compiled: dict[str, Any] = {}
        while len(compiled) < len(goals):
            compiled[str(len(compiled))] = cut("schema", goals[len(compiled)])
        # in a registry, which accepts what a metaschema refuses: a name that is required twice
        registry = jsonschema_rs.Registry([(_ROOT, {"$defs": compiled})])
        return _make_validator(rooted, registry)

    def _find_depth(self, schema: Any) -> float:
        goals: dict[str, Any] = {}

        def list_next(reference: str) -> list[str]:
            goal = self._reader.resolver.locate(reference)
            if goal is None:
                return []
            goals[reference] = goal.value
            return [each for each in _list_deciding(goal.value) if each not in found]

        found = self._depths
        missing = closure([each for each in _list_deciding(schema) if each not in found], list_next)
        # a dangling reference has no value
        found |= dict.fromkeys(missing, math.inf)
        before = dict[str, float]()
        while before != (now := {each: found[each] for each in goals}):
            before = now
            # those found in this round count: fewer rounds are needed from the deepest up
            for reference in reversed(goals):
                found[reference] = _depth(goals[reference], found)
        return _depth(schema, found)


def _compile_plain(schemas: str) -> Any:
    """Return a validator for *schemas* without references, for which no document is prepared."""
    return _make_validator(json.loads(schemas), None)


def _make_validator(schemas: list[Any], registry: Any) -> Any:
    """Return a validator for all *schemas*, whose references lead into *registry*.

    Raises UnreadableError if that is impossible.
    """
    try:
        return jsonschema_rs.Draft202012Validator(
            {"allOf": [True, *schemas]}, validate_formats=True, registry=registry
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        reason = str(error).partition("\n")[0].replace(_ROOT, "")
        raise UnreadableError(reason) from None


def _shorten(message: str) -> str:
    """Return *message*, which quotes a value at its beginning, without the middle of a long one."""
    return message if len(message) <= _MOST_IN_MESSAGE else f"{message[:60]}…{message[-240:]}"


def _list_names(value: Any) -> frozenset[str] | None:
    """Return all names of fields in *value*; None if there are too many."""
    names: set[str] = set()
    for each in objects_in(value):
        names.update(each)
        if len(names) > _MOST_NAMES:
            return None
    return frozenset(names)


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
    below = list(_list_needed(schema))
    if below:
        found.append(1 + max(_depth(child, known) for child in below))
    return max(found, default=0)


def _list_needed(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas of the parts that every value of *schema* has."""
    type_ = schema.get("type", "object" if "properties" in schema else "array")
    types = {type_} if isinstance(type_, str) else {*type_}
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


def _list_deciding(schema: Any) -> list[str]:
    """Return the references that the depth of *schema* depends on."""
    found: list[str] = []
    pending = [schema]
    while pending:
        node = pending.pop()
        if not isinstance(node, dict) or "const" in node or "enum" in node:
            continue
        found += [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        for keyword in ("allOf", *UNIONS):
            pending += node.get(keyword) or ()
        pending += _list_needed(node)
    return found


def _list_members(resolver: Resolver, schema: dict[str, Any], keyword: str) -> Schemas:
    if keyword == "if":
        met = {"allOf": [schema["if"], schema.get("then", True)]}
        return met, {"allOf": [{"not": schema["if"]}, schema.get("else", True)]}
    discriminator = schema.get("discriminator")
    tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
    if not isinstance(discriminator, dict) or not isinstance(tag, str):
        return tuple(schema[keyword])
    found = []
    for member in schema[keyword]:
        values = _tags(resolver, discriminator, member)
        found.append(_with_tag(member, tag, values) if values else member)
    return tuple(found)


def _tags(resolver: Resolver, discriminator: dict[str, Any], member: Any) -> list[str]:
    """Return the tags of *member* of a union: the mapped ones, or else its name."""
    goal = resolver.find_variant(member)
    mapping = discriminator.get("mapping") or {}
    found = [tag for tag, named in mapping.items() if goal and resolver.find_mapped(named) == goal]
    name = resolver.variant_name(member)
    return found or ([name] if name is not None else [])


def _with_tag(schema: Any, tag: str, values: list[str]) -> dict[str, Any]:
    tagged = {"required": [tag], "properties": {tag: {"enum": values}}}
    return {"allOf": [schema, tagged] if values else [schema]}


@cache
def _pattern(pattern: str) -> Any:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern})


@cache
def _format(name: str) -> Any:
    schema = with_format_patterns({"format": name})
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def has_format(text: str, name: str) -> bool:
    """Return whether *text* has the format *name*; True for a format that validators don't know."""
    return bool(_format(name).is_valid(text))


def matches(pattern: str, text: str) -> bool:
    """Return whether *text* has a match of *pattern*, as JSON Schema reads it."""
    return bool(_pattern(pattern).is_valid(text))
