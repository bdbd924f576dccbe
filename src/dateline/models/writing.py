"""Write the definitions of schemas, in one file since components, unions and inline types nest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from dateline.models.constructs import Construct, construct_of, json_types
from dateline.models.defaults import write_default
from dateline.models.definitions import ABSENT, Definition, Field, Member, Where
from dateline.models.flat import Flat, Union
from dateline.models.ledger import Ledger
from dateline.models.reading import Flattener
from dateline.models.relations import list_rules
from dateline.models.scalars import (
    JSON,
    limits_of,
    listed_type,
    no_type,
    number_type,
    possible_values_of,
    string_type,
)
from dateline.models.unions import (
    find_tag,
    is_untyped,
    may_overlap,
    name_variants,
    read_tagged,
)
from dateline.python import names
from dateline.python.code import (
    DefinitionName,
    Node,
    Pair,
    Text,
    call,
    either,
    mapping,
    references,
    subscript,
)
from dateline.python.types import Inline, Type, Typed, describe_field

_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")

_POSITIONS: Final = (
    *("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth"),
)


_SCALAR_TYPES: Final = ("string", "integer", "number", "boolean")
_SCALAR_KEYWORDS: Final = frozenset(
    {
        *("type", "nullable", "format", "minLength", "maxLength", "pattern", "minimum", "maximum"),
        *("title", "description", "deprecated", "example", "readOnly", "writeOnly"),
    }
)


@dataclass
class _Opening:
    """An inline type that is being written, and its name, if it has one yet."""

    where: Where
    name: str | None = None
    nullable: bool = False
    is_recursive: bool = False


class Read(NamedTuple):
    """A schema that was read, its type, and its fields by name, name in JSON, and obligation.

    The schema is kept alive: its id is unique only while it lives.
    """

    schema: Any
    flat: Flat
    type: Type
    fields: dict[tuple[str, str, bool], Field]


Scalars = dict[tuple[int, bool], Read]
"""Scalars that versions share, by identity and dialect; nothing about them had to be noted."""


def _is_scalar(schema: Any) -> bool:
    """Return whether the type of *schema* depends on nothing but its own keywords."""
    if not isinstance(schema, dict):
        return False
    return schema.get("type") in _SCALAR_TYPES and schema.keys() <= _SCALAR_KEYWORDS


class Writer:
    """Writes the definitions of one version.

    ``strict`` are the components that only requests contain: their unions have no unknown members.
    ``classes`` are the class names of components, ``taken`` the names that definitions of earlier
    versions have in this one, ``named`` the names that inline types have to themselves, by key. In
    ``adopted`` definitions, duplicate names are no reason for refusal. ``scalars`` are shared with
    the writers of other versions.
    """

    def __init__(
        self,
        reader: Flattener,
        *,
        strict: frozenset[str],
        classes: dict[str, str],
        taken: set[str],
        named: Mapping[str, str],
        adopted: bool,
        scalars: Scalars,
    ) -> None:
        self._reader = reader
        self._scalars = scalars
        self._strict = set(strict)
        self._classes = dict(classes)
        self._named = named
        # the name that the next type has to itself
        self._own_name = ""
        self._ledger = Ledger(
            taken=taken | set(classes.values()) | names.RESERVED_CLASSES,
            holders=dict(reader.components),
            adopted=adopted,
        )
        self._made: list[Definition] = []
        # by content: the inline types that are being written
        self._open: dict[Any, _Opening] = {}
        # and those that contain themselves, until the outermost of them is written
        self._recursive: dict[Any, Type] = {}
        self.notes = self._ledger.notes
        self.problems = self._ledger.problems

    def component(self, name: str) -> list[Definition]:
        """Return the definitions of component *name*: its own, and those of its inline types."""
        self._made = []
        flat = self._reader.component(name)
        where = Where(name)
        self._ledger.note_left(flat, where)
        called = self._classes[name]
        if construct_of(flat) is Construct.MODEL:
            self._define_model(called, flat, where)
        elif construct_of(flat) is Construct.ENUM:
            self._define_enum(called, flat, where)
        else:
            self._define_alias(called, self._plain(flat, where, called).whole, flat, where)
        return self._made

    def reserve(self, classes: Iterable[str]) -> None:
        """Reserve the names in *classes*, which others may have."""
        self._ledger.taken |= set(classes)

    def inline(self, inline: Inline) -> tuple[Typed, list[Definition]]:
        """Return the expression for *inline*, and the definitions that it needs.

        Call it after `component` for all components, so that those get their names first.
        """
        self._made = []
        self._classes[inline.holder] = inline.called
        self._ledger.holders[inline.holder] = inline.schema
        if inline.sent:
            self._strict.add(inline.holder)
        where = Where(inline.holder, (inline.part,), is_inline=True)
        self._own_name = self._named.get(inline.key, "")
        _, flat, type_, _ = self._read(inline.schema, where)
        default = None
        if "default" in flat.annotations:
            default = write_default(self._reader, flat, type_, flat.annotations["default"])
        return Typed(type_, default), self._made

    # Types.

    def _type(self, schema: Any, where: Where) -> Type:
        """Return the type of *schema*; one that needs a name gets it."""
        return self._read(schema, where).type

    def _read(self, schema: Any, where: Where) -> Read:
        """Return *schema* with its type, which is written once for all versions of a scalar."""
        key = id(schema), self._reader.is_old
        if key in self._scalars:
            return self._scalars[key]
        count = len(self.notes)
        flat = self._reader.flatten(schema)
        if flat.reference is not None:
            return Read(schema, flat, self._write_reference(flat), {})
        self._ledger.note_left(flat, where)
        read = Read(schema, flat, self._write_named(flat, where), {})
        if _is_scalar(schema) and len(self.notes) == count:
            self._scalars[key] = read
        return read

    def _write_reference(self, flat: Flat) -> Type:
        assert flat.reference is not None
        goal = self._reader.component(flat.reference)
        # a class can't include null: whoever refers to it adds it
        of_class = construct_of(goal) in (Construct.MODEL, Construct.ENUM)
        return Type(
            node=DefinitionName(self._classes[flat.reference]),
            nullable=bool(flat.nullable or (of_class and goal.nullable)),
        )

    def _write_named(self, flat: Flat, where: Where) -> Type:
        content = flat.content
        if content is None:
            return self._write_opened(flat, _Opening(where))
        if content in self._recursive:
            return self._recursive[content]
        if content in self._open:
            # a reference to anything but a component, or constraints beside one, led back to it
            opening = self._open[content]
            opening.is_recursive = True
            opening.name = opening.name or self._claim(opening.where)
            return Type(DefinitionName(opening.name), opening.nullable)
        opening = self._open[content] = _Opening(where)
        type_ = self._write_opened(flat, opening)
        del self._open[content]
        if opening.is_recursive:
            self._recursive[content] = type_
        if not self._open:
            self._recursive.clear()
        return type_

    def _write_opened(self, flat: Flat, opening: _Opening) -> Type:
        kind, where = construct_of(flat), opening.where
        if kind is not Construct.PLAIN:
            opening.name = self._claim(where)
        name = opening.name
        if name is not None and kind in (Construct.MODEL, Construct.ENUM):
            opening.nullable = bool(flat.nullable)
            define = self._define_model if kind is Construct.MODEL else self._define_enum
            define(name, flat, where)
            return Type(DefinitionName(name), opening.nullable)
        type_ = self._plain(flat, where, name)
        if opening.name is not None and opening.is_recursive:
            self._define_alias(opening.name, type_.whole, flat, where)
            return Type(DefinitionName(opening.name))
        if name is None:
            return type_
        if isinstance(type_.node, str | DefinitionName) and not (type_.marks or type_.limits):
            # one name for another is not worth an alias
            self._ledger.taken.discard(name)
            return type_
        self._define_alias(name, type_.narrowed, flat, where)
        return Type(DefinitionName(name), type_.nullable)

    def _plain(self, flat: Flat, where: Where, name: str | None) -> Type:
        """Return the type of *flat* in terms of others; *name* is for a union."""
        if flat.reference is not None:
            return self._write_reference(flat)
        type_ = self._without_null(flat, where, name)
        # a union allows null by its members, or by its siblings
        is_union = bool(flat.unions) and flat.values is None
        return type_._replace(nullable=type_.nullable or bool(flat.nullable and not is_union))

    def _without_null(self, flat: Flat, where: Where, name: str | None) -> Type:
        if flat.never:
            return no_type(where, self._ledger)
        if flat.values is not None:
            return listed_type(flat, where, self._ledger)
        if flat.unions:
            return self._union(flat, where, name)
        types = json_types(flat)
        if types is None:
            self._ledger.note_keywords(flat, where, flat.constraints, "without a `type`")
            return Type(node=JSON)
        if len(types) > 1:
            members = [self._one_type(flat, each, where) for each in types]
            return Type(node=either([member.narrowed for member in members]))
        if not types:
            return Type(node="None")
        if flat.types is None:
            type_ = self._without_null(replace(flat, types=types), where, name)
            return Type(node=either([type_.narrowed, f"t.Not{names.pascal(types[0])}"]))
        if types[0] == "string":
            return string_type(flat, where, self._ledger)
        makers = {"array": self._array, "object": self._map}
        if types[0] in makers:
            return makers[types[0]](flat, where)
        return Type(node="t.Boolean") if types[0] == "boolean" else number_type(types[0], flat)

    def _one_type(self, flat: Flat, kind: str, where: Where) -> Type:
        below = where.child(names.pascal(kind), f"({kind})")
        return self._write_named(replace(flat, types=(kind,), nullable=False), below)

    def _array(self, flat: Flat, where: Where) -> Type:
        keywords = flat.keywords
        items = keywords.get("items", True)
        first = keywords.get("prefixItems") or []
        unique: tuple[Node, ...] = ("t.UniqueItems",) if keywords.get("uniqueItems") is True else ()
        if first and items is False and keywords.get("minItems") == len(first) <= len(_POSITIONS):
            types = [
                self._type(each, where.child(_POSITIONS[at], f".prefixItems[{at}]"))
                for at, each in enumerate(first)
            ]
            node = subscript("tuple", *(each.whole for each in types))
            return Type(node=node, marks=("t.FromList", *unique))
        if first:
            what = "of a list that may be longer or shorter"
            self._ledger.note_keywords(flat, where, ("prefixItems", "items"), what)
            items = True
        if items is False:
            return Type(node=subscript("list", JSON), limits=(Pair("max_length", "0"),))
        item = self._type(items, where.child("Item", "[]"))
        limits = limits_of(flat, ("min_length", "minItems"), ("max_length", "maxItems"))
        return Type(node=subscript("list", item.whole), limits=limits, marks=unique)

    def _map(self, flat: Flat, where: Where) -> Type:
        keywords = flat.keywords
        named = keywords.get("propertyNames")
        values = keywords.get("additionalProperties", True)
        patterns = keywords.get("patternProperties") or {}
        if len(patterns) == 1 and values is False and named is None:
            ((pattern, values),) = patterns.items()
            named = {"pattern": pattern}
        elif patterns:
            self._ledger.note_keywords(flat, where, ("patternProperties", *_OTHERS))
            values = True
        keys: Node = "str"
        if isinstance(named, dict):
            below = where.child("Key", ".propertyNames")
            keys = self._type({"type": "string", **named}, below).whole
        elif named is False:
            self._ledger.note_ignored(where, "`propertyNames`")
        if keywords.get("dependentRequired"):
            self._ledger.note_ignored(where, "`dependentRequired` of an object without properties")
        item = self._type(values, where.child("Value", "{}"))
        limits = limits_of(flat, ("min_length", "minProperties"), ("max_length", "maxProperties"))
        return Type(node=subscript("dict", keys, item.whole), limits=limits)

    # Unions.

    def _union(self, flat: Flat, where: Where, name: str | None) -> Type:
        union, *others = flat.unions
        for other in others:
            self._ledger.note_ignored(where, f"`{other.keyword}` beside `{union.keyword}`")
        base = replace(flat, unions=[], annotations={}, left=[])
        found = list(self._members(union, base))
        members: list[tuple[Flat, Type]] = []
        nullable = False
        for member, part in zip(found, name_variants(found), strict=True):
            if member.reference is None and member.types == () and member.nullable:
                self._ledger.note_left(member, where)
                nullable = True
                continue
            type_ = self._variant(member, where.child(part, f"({part})"))
            nullable = nullable or type_.nullable
            members.append((member, type_._replace(nullable=False)))
        # a type beside the union applies to null as well
        nullable = (nullable and (flat.types is None or bool(flat.nullable))) or flat.or_null
        nulls = sum(map(self._reader.admits_null, union.members))
        is_wide = flat.types is None or flat.nullable
        if nulls > 1 and is_wide and union.keyword == "oneOf" and not flat.or_null:
            self._ledger.note_ignored(where, "that null fits several members of `oneOf`")
        if not members:
            return Type(node="None") if nullable else no_type(where, self._ledger)
        if len(members) == 1:
            return members[0][1]._replace(nullable=nullable)
        type_ = self._write_tagged(union, base, members, where, name) or self._best_fit(
            union, members, where
        )
        return type_._replace(nullable=nullable)

    def _members(self, union: Union, base: Flat, above: tuple[int, ...] = ()) -> Iterator[Flat]:
        """Yield the members; an unnamed nested union is replaced by its members.

        *base* are the keywords beside the union, which apply to each of them.
        """
        for schema in union.members:
            member = self._reader.flatten(schema)
            if self._reader.narrows(base, member):
                member = self._reader.merge_base(member, base)
                if member.never:
                    continue
            says_more = member.constrained or member.types is not None or member.left
            if member.reference is None and len(member.unions) == 1 and not says_more:
                nested = member.unions[0]
                if id(nested.members) in above:
                    # it is a member of itself, and adds nothing
                    continue
                if nested.tag is None and (nested.keyword, union.keyword) != ("oneOf", "anyOf"):
                    yield from self._members(nested, base, (*above, id(union.members)))
                    if member.or_null:
                        yield Flat(types=(), nullable=True)
                    continue
            yield member

    def _variant(self, member: Flat, where: Where) -> Type:
        if member.reference is not None:
            return self._write_reference(member)
        self._ledger.note_left(member, where)
        if construct_of(member) is Construct.OPEN:
            # within a union its values need no name of their own
            return self._plain(member, where, None)
        return self._write_named(member, where)

    def _best_fit(self, union: Union, members: list[tuple[Flat, Type]], where: Where) -> Type:
        if union.keyword == "oneOf" and may_overlap(self._reader, [each for each, _ in members]):
            self._note_best_fit(where)
        return Type(node=either([type_.narrowed for _, type_ in members]))

    def _note_best_fit(self, where: Where) -> None:
        self._ledger.note_ignored(
            where, "that only one member of `oneOf` fits: the best fit is taken"
        )

    def _write_tagged(
        self,
        union: Union,
        base: Flat,
        members: list[tuple[Flat, Type]],
        where: Where,
        name: str | None,
    ) -> Type | None:
        """Return the union as one that a tag distinguishes, if there is such a tag."""
        tag = union.tag or find_tag(self._reader, [each for each, _ in members])
        if tag is None:
            return None
        # for values other than objects, a member without `type` says nothing
        untyped = sum(is_untyped(self._reader, member) for member, _ in members)
        if untyped and (untyped == 1 or union.keyword == "anyOf"):
            return None
        tagged = read_tagged(self._reader, union, members, tag)
        if tagged is None:
            self._ledger.note_ignored(
                where, f"the discriminator `{tag}`: not every member has it as text"
            )
            return None
        alternatives = [type_.narrowed for _, type_ in members]
        if union.keyword == "oneOf" and tagged.is_ambiguous:
            self._note_best_fit(where)
        options: list[Node] = [Pair("hint", "True")] if tagged.is_hint else []
        if name is not None and where.component not in self._strict:
            unknown = DefinitionName(self._unknown(name, tag, where))
            alternatives.append(unknown)
            fitted = " and ".join(f"`{each}`" for each in (union.keyword, *base.constraints))
            self._ledger.note_ignored(
                where, f"that {fitted} allows no other tags: they are read as a class `Unknown…`"
            )
            options.append(Pair("unknown", unknown))
        if tagged.default is not None:
            options.append(Pair("default", tagged.default))
        if tagged.untagged:
            options.append(Pair("untagged", either(tagged.untagged)))
        if names.field_name(tag) != tag:
            options.append(Pair("attribute", Text(names.field_name(tag))))
        tags = {each: either(goals) for each, goals in tagged.by_tag.items()}
        mark = call("t.Tagged", Text(tag), mapping(tags), *options)
        return Type(node=subscript("Annotated", either(alternatives), mark))

    def _unknown(self, name: str, tag: str, where: Where) -> str:
        """Define the class of a member with an unknown tag."""
        called = self._ledger.claim([f"Unknown{name}", f"Unknown{name}Member"], where)
        attribute = names.field_name(tag)
        alias = (Pair("alias", Text(tag)),) if attribute != tag else ()
        self._made.append(
            Definition(
                name=called,
                component=where.component,
                description=f"A member of {name} that this version does not know; "
                "its data is kept.",
                bases=("t.OpenModel",),
                fields=(Field(name=attribute, annotation=describe_field("str", alias)),),
            )
        )
        return called

    def _claim(self, where: Where) -> str:
        if self._own_name:
            own, self._own_name = self._own_name, ""
            return own
        parts = (self._classes[where.component], *where.parts)
        whole = "".join(parts)
        return self._ledger.claim([names.join_names(parts), whole, f"{whole}Value"], where)

    # Definitions.

    def _define(self, name: str, flat: Flat, where: Where, **parts: Any) -> Definition:
        described = flat.text("description")
        return Definition(name=name, component=where.component, description=described, **parts)

    def _define_alias(self, name: str, node: Node, flat: Flat, where: Where) -> None:
        self._made.append(self._define(name, flat, where, alias=node))

    def _define_enum(self, name: str, flat: Flat, where: Where) -> None:
        listed = flat.annotations.get("x-enum-descriptions")
        descriptions = listed if isinstance(listed, dict) else {}
        members = tuple(
            Member(name=names.member_name(item), value=item, description=descriptions.get(item))
            for item in possible_values_of(flat, where, self._ledger)
        )
        self._made.append(self._define(name, flat, where, members=members))

    def _define_model(self, name: str, flat: Flat, where: Where) -> None:
        keywords = flat.keywords
        if "discriminator" in flat.annotations:
            self._ledger.note_ignored(where, "the discriminator of an object that names no members")
        at = len(self._made)
        fields = self._fields(name, flat, where)
        others = keywords.get("additionalProperties", keywords.get("unevaluatedProperties"))
        closed = others is False
        if keywords.get("patternProperties"):
            left = ("patternProperties", *_OTHERS)
            self._ledger.note_keywords(flat, where, left, "beside `properties`")
            closed, others = False, True
        if "propertyNames" in keywords:
            self._ledger.note_ignored(where, "`propertyNames` beside `properties`")
        extras: Node | None = None
        if isinstance(others, dict) and others:
            extras = self._type(others, where.child("Value", "{}")).whole
        rules = tuple(list_rules(flat))
        mixins = ["t.Untyped"] if flat.types is None else []
        mixins += ["t.WithRules"] if rules else []
        if any(each.default not in (None, ABSENT) for each in fields):
            mixins.append("t.WithDefaults")
        definition = self._define(
            name,
            flat,
            where,
            bases=(*mixins, "t.ClosedModel" if closed else "t.OpenModel"),
            fields=tuple(fields),
            extras=extras,
            rules=rules,
        )
        # before the types of its fields: a reader goes from the whole to its parts
        self._made.insert(at, definition)

    def _fields(self, name: str, flat: Flat, where: Where) -> list[Field]:
        required = flat.keywords.get("required", [])
        properties = dict(flat.keywords.get("properties", {}))
        others: Any = True
        if not flat.keywords.get("patternProperties"):
            others = next((flat.keywords[key] for key in _OTHERS if key in flat.keywords), True)
        for wire in required:
            properties.setdefault(wire, others)
        found = {
            wire: self._read(schema, where.child(names.pascal(wire), f".{wire}"))
            for wire, schema in properties.items()
        }
        # an annotation must not be shadowed by a field beside it
        used = {each for read in found.values() for each in references(read.type.whole)}
        called = {wire: names.field_name(wire, used) for wire in found}
        called = self._ledger.name_fields(name, properties, called, used)
        fields = []
        for wire, read in found.items():
            key = called[wire], wire, wire in required
            if key not in read.fields:
                read.fields[key] = self._field(*key, read, where)
            fields.append(read.fields[key])
        return fields

    def _field(self, name: str, wire: str, required: bool, read: Read, where: Where) -> Field:
        schema, flat, type_, _ = read
        described = [Pair("alias", Text(wire))] if name != wire else []
        for key in ("title", "description"):
            text = flat.text(key)
            if text is not None and (flat.reference is None or _says(schema, key)):
                described.append(Pair(key, Text(text)))
        if flat.annotations.get("deprecated") is True:
            described.append(Pair("deprecated", "True"))
        more = tuple(described)
        if required:
            return Field(name=name, annotation=type_.describe(more))
        if "default" in flat.annotations:
            default = write_default(self._reader, flat, type_, flat.annotations["default"])
            if default is not None:
                return Field(name=name, annotation=type_.describe(more), default=default)
            self._ledger.note_ignored(
                where, f"the default of `{wire}`: the field is absent by default"
            )
        omittable = subscript("t.Omittable", type_.whole)
        return Field(name=name, annotation=describe_field(omittable, more), default=ABSENT)


def _says(schema: dict[str, Any], key: str) -> bool:
    """Return whether *schema* itself has the annotation *key*, or an inline base of it."""
    bases = schema.get("allOf", ())
    return key in schema or any(key in each for each in bases if "$ref" not in each)
