"""Combine the schemas of a value at one version, `$ref` and `allOf` resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from dateline.contracts.closed import ClosedFields
from dateline.contracts.histories import Histories, Reading, Way
from dateline.contracts.published import PublishedSchemas
from dateline.gates import Timeline
from dateline.model import WAS, Api
from dateline.openapi import Arrangement, slot
from dateline.schema.access import READ_ONLY, WRITE_ONLY
from dateline.schema.dialect import OR_NULL
from dateline.schema.memo import Memo, each_once
from dateline.schema.references import Resolver
from dateline.schema.types import (
    EVERY_TYPE,
    IMPLIED,
    UNIONS,
    choices,
    declared_types,
    is_enumeration,
    type_of,
)
from dateline.schema.values import text
from dateline.schema.variants import lists_variants

# Keywords with schemas for nested values that can't leave out parts of the value.
_UNSERVED: Final = (
    *("prefixItems", "not", "if", "then", "else", "patternProperties", "contains"),
    *("unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "propertyNames"),
    *("contentSchema", "$dynamicRef"),
)

# Keywords for some parts of a value, and those for the rest of them.
_REST: Final = {"prefixItems": "items", "patternProperties": "additionalProperties"}

# Keywords that relate the parts of a value: leaving a part out, or adding one, may violate them.
RELATING: Final = frozenset({*_UNSERVED, "dependentRequired", "maxProperties"})

# Keywords of texts and numbers, which a value that replaces another may violate.
SCALAR: Final = frozenset(
    (
        *("enum", "const", "minLength", "maxLength", "pattern", "format", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    )
)

_OF_LISTS: Final = frozenset({"items", "minItems", "prefixItems"})
_ON_OBJECTS: Final = IMPLIED["object"] | {"maxProperties"}
_OF_OBJECTS: Final = frozenset({"properties", "required", "additionalProperties", "minProperties"})


class Declared(NamedTuple):
    """A field as one schema describes it: whether it is visible, and its names.

    ``names`` are ordered newest first; the last one is that of the version. The results of its own
    ``converters``, which parameters and headers have, have to fit ``fits``.
    """

    schema: Any
    shown: bool
    names: tuple[str, ...]
    converters: tuple[str, ...] = ()
    fits: Any = None


class GatedMember(NamedTuple):
    """A member of a union or enumeration, which the version may lack; *gated* has the gate."""

    schema: Any
    shown: bool
    gated: Any = None


_NULL: Final = GatedMember({"type": "null"}, shown=True)


class FlatUnion(NamedTuple):
    """The members of a union, and their tags: before, and in the result.

    With ``is_one``, a value fits one member only. ``schema`` has the union, and if it
    ``is_object`` also keywords for fields.
    """

    members: tuple[GatedMember, ...]
    tags: TagMapping
    then: TagMapping
    schema: Any
    is_one: bool = False
    is_object: bool = False


@dataclass(frozen=True)
class TagMapping:
    """A discriminator: the property with the tag, and the components that tags are mapped to.

    ``default`` is the component of a value without a tag, or with an unknown one.
    """

    property: str | None = None
    mapping: Mapping[str, str | None] = field(default_factory=dict)
    default: str | None = None

    @classmethod
    def of(cls, schema: Mapping[str, Any], resolver: Resolver) -> TagMapping:
        """Return the discriminator of *schema*; an empty one if it has none."""
        discriminator = schema.get("discriminator")
        if not isinstance(discriminator, dict):
            return _UNTAGGED
        named = {
            tag: resolver.mapped_name(goal)
            for tag, goal in (discriminator.get("mapping") or {}).items()
        }
        return cls(
            discriminator.get("propertyName"),
            named,
            resolver.mapped_name(discriminator.get("defaultMapping")),
        )

    def list_tags(self, component: str) -> list[str]:
        """Return the tags of *component* in the mapping."""
        return [tag for tag, name in self.mapping.items() if name == component]


_UNTAGGED: Final = TagMapping()


@dataclass
class FlatSchema:
    """All schemas of one value together. The keys of fields are their canonical names.

    ``schemas`` are those combined, ``conversions`` the converters of each that has some; the same
    conversion counts once. ``required`` are the fields that the version requires,
    ``optional`` those that results must have and values could omit before, ``demanded`` those
    that a schema requires without defining them. ``extras`` are schemas for the fields that the
    names beside them do not cover. ``relating`` are keywords by which parts of a value constrain
    others, with their values; ``scalars`` are the schemas with keywords for texts and numbers. With
    ``chosen``, several members of a union may be valid at once. ``closed`` are the fields of each
    schema that allows no others; ``objects`` counts the schemas with keywords for objects.
    ``named`` are the components among the schemas, outermost first; ``tags`` are those of a
    discriminator without a union, before and in the result. ``hidden`` are the ids of the schemas
    that the version lacks; they may refer to each other in circles.
    """

    schemas: tuple[Any, ...] = ()
    conversions: list[tuple[str, ...]] = field(default_factory=list)
    types: frozenset[str] = EVERY_TYPE
    implied: frozenset[str] = frozenset()
    fields: dict[str, list[Declared]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    demanded: set[str] = field(default_factory=set)
    extras: list[tuple[Any, frozenset[str]]] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    least_fields: int = 0
    least_items: int = 0
    unique: bool = False
    values: list[tuple[GatedMember, ...]] = field(default_factory=list)
    unions: list[FlatUnion] = field(default_factory=list)
    unserved: list[tuple[str, str, GatedMember]] = field(default_factory=list)
    relating: list[tuple[str, Any]] = field(default_factory=list)
    scalars: list[dict[str, Any]] = field(default_factory=list)
    chosen: bool = False
    closed: list[ClosedFields] = field(default_factory=list)
    objects: int = 0
    named: list[str] = field(default_factory=list)
    tags: tuple[TagMapping, TagMapping] | None = None
    hidden: set[int] = field(default_factory=set)

    @property
    def converters(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self.conversions))

    @property
    def is_empty(self) -> bool:
        """Return whether nothing in it could differ between versions."""
        return self.types == EVERY_TYPE and not (
            (self.fields or self.extras or self.items or self.values or self.unions)
            or (self.unserved or self.demanded or self.scalars or self.relating or self.closed)
        )

    def copy(self) -> FlatSchema:
        """Return a copy that can be extended."""
        found = vars(self).items()
        own: dict[str, Any] = {
            name: copy(each) for name, each in found if isinstance(each, list | set)
        }
        return replace(self, **own, fields={name: [*found] for name, found in self.fields.items()})


class View:
    """The definitions as they are read at one version, in one direction.

    With *whole*, values are canonical: none went through a converter.
    """

    def __init__(
        self,
        api: Api,
        timeline: Timeline,
        histories: Histories,
        published: PublishedSchemas,
        at: int,
        way: Way,
        *,
        whole: bool = False,
    ) -> None:
        self._whole = whole
        self._made_of = api, timeline, histories, published, at, way
        self.way = way
        self._hidden = WRITE_ONLY if way is Way.DOWN else READ_ONLY
        self.published = published
        self.at = at
        self._timeline = timeline
        self._histories = histories
        self.schemas = histories.resolver.section("schemas")
        self.types = Memo(View._find_types, owner=self)
        """Returns the JSON types of the values that a schema allows."""
        self.referred = histories.resolver.schema_name
        self.align = histories.align
        self.find_filling = histories.find_filling
        self.converters = histories.converters

    @cached_property
    def given(self) -> View:
        """The definitions of values before any converter."""
        return View(*self._made_of, whole=True) if self.way is Way.DOWN else self

    @cached_property
    def other(self) -> View:
        """The definitions of results: those of the version, or canonical."""
        made_of = self._made_of[:-1]
        if self.way is Way.DOWN:
            return View(*made_of, Way.UP)
        return View(*made_of, Way.DOWN, whole=True)

    def at_combination(self, at: int) -> View:
        """Return the definitions as they are at another combination."""
        return View(*self._made_of[:4], at, self.way)

    def shows(self, node: Any) -> bool:
        """Return whether the version has *node*, by its own keys."""
        return bool(self._timeline.of(node) >> self.at & 1)

    def _is_hidden(self, child: Any) -> bool:
        """Return whether a property is excluded from messages in this direction."""
        access = self._histories.access
        if self._whole or not isinstance(child, dict) or self._hidden not in access.keywords:
            return False
        return access.of(self.era("schema", child)) == self._hidden

    def names(self, kind: str, name: str, node: Any) -> tuple[str, ...]:
        """Return the names of *node*, whose key is *name*, down to that of the version."""
        if not (isinstance(node, dict) and WAS in node):
            return (name,)
        names = self._timeline.names(kind, name, node)
        last = next(i for i, (mask, _) in enumerate(names) if mask >> self.at & 1)
        return tuple(called for _, called in names[: last + 1])

    def era(self, kind: str, node: dict[str, Any]) -> dict[str, Any]:
        """Return *node* as it is at the version, with canonical names."""
        return node if self._whole else self._timeline.era(kind, node, self.at)

    def constant(self, member: dict[str, Any]) -> Any:
        """Return the value that *member* of an enumeration has at the version."""
        return self.era("schema", member)["const"]

    def choices(self, schema: dict[str, Any]) -> list[Any] | None:
        """Return the values that *schema* lists before any converter; None if it is open."""
        if self.way is Way.DOWN or "enum" in schema or "const" in schema:
            return choices(schema)
        key = next((key for key in UNIONS if schema.get(key)), UNIONS[0])
        if not is_enumeration({key: schema.get(key, [])}):
            return None
        return [self.constant(member) for member in schema[key]]

    def instead(self, member: Any, members: tuple[GatedMember, ...]) -> dict[str, Any]:
        """Return the node for an absent *member*: with a substitute, if it has one.

        A value of an enumeration is followed to the nearest one that the version has.
        """
        replacement: dict[str, Any] = {"absent": True}
        seen: list[Any] = []
        while not any(member is each for each in seen):
            seen.append(member)
            found = self._timeline.substitute(member, self.at)
            if not found:
                break
            replacement = {"absent": True, "shown_as": found[0]}
            if not isinstance(member, dict) or "const" not in member:
                break
            listed = [each for each in members if "const" in each.schema]
            same = [each for each in listed if text(each.schema["const"]) == text(found[0])]
            if shown := next((each for each in same if each.shown), None):
                return {"absent": True, "shown_as": self.constant(shown.schema)}
            if not same:
                break
            member = same[0].schema
        return replacement

    def default(self, schemas: list[Any]) -> tuple[Any, ...]:
        """Return the first default of *schemas* at the version.

        Empty if none has one; references are followed.
        """
        met = each_once(
            reversed(schemas), lambda each: reversed(self.bases(self.era("schema", each)))
        )
        eras = (self.era("schema", each) for each in met)
        return next(((now["default"],) for now in eras if "default" in now), ())

    def bases(self, now: dict[str, Any]) -> list[Any]:
        """Return the targets of a schema's references, and the members of its `allOf`."""
        return [self._histories.resolver.resolve(now.get("$ref")), *now.get("allOf", ())]

    def list_names(self, schema: Any) -> list[str]:
        """Return the component that *schema* refers to, and those that it is an alias of."""
        found: list[str] = []
        variant_name = self._histories.resolver.variant_name
        while isinstance(schema, dict):
            name = variant_name(self.era("schema", schema)) or ""
            schema = None if name in found else self.schemas.get(name)
            found += [] if schema is None else [name]
        return found

    def restates(self, schema: Any) -> bool:
        """Return whether a history in *schema*, or below it, changes it at the version.

        If more values are valid for a schema at another version, converters have nothing to do; but
        the difference matters where a value must not be valid.
        """
        return self._histories.restates(schema, self.at)

    def read(self, kind: str, node: dict[str, Any]) -> Reading:
        if self._whole:
            return Reading(node, node)
        return self._histories.read(kind, node, self.at, self.way)

    def flat(self, *schemas: Any) -> FlatSchema:
        """Return *schemas* combined, as the schemas of one value."""
        flat = FlatSchema(schemas=schemas)
        for schema in schemas:
            self.add(flat, schema)
        return flat

    def add(self, flat: FlatSchema, schema: Any, *, shown: bool = True) -> None:
        """Add *schema* to *flat*.

        If it is not *shown*, only the fields that the version lacks are added.
        """
        if not isinstance(schema, dict) or (not shown and id(schema) in flat.hidden):
            return
        flat.hidden |= set() if shown else {id(schema)}
        reading = self.read("schema", schema)
        now = reading.now
        types, unions = flat.types, len(flat.unions)
        if "$ref" in now:
            goal, referred = self.referred(now), self._histories.resolver.resolve(now["$ref"])
            flat.named += [goal] if shown and goal is not None else []
            self.add(flat, referred, shown=shown and self.shows(referred))
        for base in now.get("allOf", ()):
            self.add(flat, base, shown=shown and self.shows(base))
        for name, child in now.get("properties", {}).items():
            there = shown and self.shows(child) and not self._is_hidden(child)
            names = self.names("schema", name, child)
            flat.fields.setdefault(name, []).append(Declared(child, there, names))
        for each in reading.beyond:
            self.add(flat, each, shown=False)
        if shown:
            self._add_conversion(flat, reading.converters)
            self._add_values(flat, now, reading.shown)
            self._add_unions(flat, schema, now, reading.shown)
        else:
            for union in UNIONS:
                for member in now.get(union, ()):
                    self.add(flat, member, shown=False)
        if OR_NULL in now:
            flat.types |= types & {"null"}
            flat.unions[unions:] = [
                each._replace(members=(*each.members, _NULL)) for each in flat.unions[unions:]
            ]

    def _add_conversion(self, flat: FlatSchema, names: tuple[str, ...]) -> None:
        known = (self._histories.are_alike(names, each) for each in flat.conversions)
        if names and not any(known):
            flat.conversions.append(names)

    def _add_values(self, flat: FlatSchema, now: dict[str, Any], shown: dict[str, Any]) -> None:
        flat.types &= declared_types(now)
        if "required" in shown:
            names, properties = shown["required"], shown.get("properties", {})
            flat.required |= {name for name in names if self.shows(properties.get(name))}
            flat.demanded |= set(names) - properties.keys()
            flat.optional |= set(names) - set(now.get("required", ()))
        beside = now.keys() & _REST.keys()
        if isinstance(now.get("additionalProperties"), dict) and "patternProperties" not in beside:
            known = frozenset(now.get("properties", ()))
            flat.extras.append((now["additionalProperties"], known))
        if isinstance(now.get("items"), dict) and "prefixItems" not in beside:
            flat.items.append(now["items"])
        flat.least_fields = max(flat.least_fields, shown.get("minProperties", 0))
        flat.least_items = max(flat.least_items, shown.get("minItems", 0))
        flat.unique = flat.unique or shown.get("uniqueItems") is True
        relating = RELATING & (now.keys() | shown.keys())
        flat.relating += [
            (key, era[key]) for key in sorted(relating) for era in (now, shown) if key in era
        ]
        flat.scalars += [] if SCALAR.isdisjoint(shown) else [shown]
        if shown.get("additionalProperties") is False:
            properties = now.get("properties", {}).items()
            names = frozenset(name for name, node in properties if self.shows(node))
            flat.closed.append(ClosedFields(names, tuple(shown.get("patternProperties", ()))))
        if not _OF_OBJECTS.isdisjoint(now):
            flat.implied |= {"object"}
        flat.objects += not _ON_OBJECTS.isdisjoint(now)
        if not _OF_LISTS.isdisjoint(now):
            flat.implied |= {"array"}
        values = self.choices(now)
        if values is not None:
            if any(isinstance(each, dict | list) for each in values):
                flat.relating.append(("const" if "const" in now else "enum", values))
            listed = frozenset(type_of(value) for value in values)
            flat.types &= listed | {"number"} if "integer" in listed else listed
        for key in () if now.keys().isdisjoint(_UNSERVED) else _UNSERVED:
            # which values the keyword of the rest concerns is known from the other alone
            if key in _REST and isinstance(rest := now.get(_REST[key]), dict) and key in now:
                flat.unserved.append((_REST[key], _REST[key], GatedMember(rest, self.shows(rest))))
            if key in now:
                flat.unserved += [
                    (key, place, GatedMember(child, self.shows(child), child))
                    for place, child in _below(key, now, self._histories.resolver)
                ]

    def _add_unions(
        self, flat: FlatSchema, schema: Any, now: dict[str, Any], shown: dict[str, Any]
    ) -> None:
        resolver = self._histories.resolver
        tags = TagMapping.of(now, resolver), TagMapping.of(shown, resolver)
        if any(each.property for each in tags) and not lists_variants(now):
            flat.tags = flat.tags or tags
        for key in UNIONS:
            if not now.get(key):
                continue
            members = tuple(GatedMember(member, self.shows(member), member) for member in now[key])
            if is_enumeration({key: now[key]}):
                flat.values.append(members)
            else:
                is_object = not _ON_OBJECTS.isdisjoint(now)
                flat.unions.append(FlatUnion(members, *tags, schema, key == "oneOf", is_object))

    def _find_types(self, schema: Any) -> frozenset[str]:
        if schema is False:
            return frozenset()
        flat = self.flat(schema)
        possible = flat.types
        for union in flat.unions:
            possible &= frozenset().union(
                *(self.types(each.schema) for each in union.members if self.counts(each))
            )
        if possible == EVERY_TYPE and len(flat.implied) == 1:
            return flat.implied
        return possible

    def counts(self, member: GatedMember) -> bool:
        # a value on the way down may belong to any member, one on the way up only to visible ones
        return member.shown or self.way is Way.DOWN

    def describe_read(self, schema: Any) -> Any:
        """Return the constraints of *schema* on values before any converter."""
        if self.way is Way.DOWN:
            return self.published.canonical(schema, self._hidden)
        return self.published.at(schema, self.at, self._hidden)

    def describe_shown(self, schema: Any) -> Any:
        """Return the constraints of *schema* at the version."""
        return self.published.at(schema, self.at, self._hidden)

    def apart(self, one: Any, other: Any) -> bool:
        """Return whether no value, before or after, can be valid for both schemas."""
        versions = (self.at,) if self.way is Way.DOWN else (self.at, None)
        return all(self.published.apart(one, other, at) for at in versions)


def _below(key: str, schema: dict[str, Any], resolver: Resolver) -> Iterator[tuple[str, Any]]:
    """Yield the schemas below the keyword *key* of *schema*, each with its place."""
    if key == "$dynamicRef":
        yield from ((key, goal.value) for goal in resolver.list_possible(schema))
    elif slot("schema", key)[0] is Arrangement.ONE:
        yield key, schema[key]
    elif isinstance(value := schema[key], dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        yield from ((f"{key}/{name}", child) for name, child in entries)
