"""Schemas in, definitions out: each component and each inline type under a name of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, inf
from typing import Any, Final

from dateline.model import EXTENSIBLE, Map, Place, Problem
from dateline.openapi import target
from dateline.render.models import names
from dateline.render.models.code import (
    Group,
    Node,
    Pair,
    Reference,
    Text,
    call,
    either,
    literal,
    references,
    subscript,
    value,
)
from dateline.render.models.patterns import UntranslatableError, matches, translated
from dateline.render.models.reading import JSON_TYPES, Flat, Reader, Union

_JSON: Final = "t.JsonValue"
_FORMATS: Final = {"date-time": "t.DateTime", "date": "t.Date", "uuid": "t.Uuid"}
_SIMPLE: Final[dict[str, Node]] = {
    "boolean": "t.Boolean",
    "number": "t.Number",
    "integer": "t.Integer",
    "string": "str",
    "array": subscript("list", _JSON),
    "object": subscript("dict", "str", _JSON),
}
_KIND_OF_KEYWORD: Final = {
    **dict.fromkeys(
        (
            *("properties", "additionalProperties", "required", "patternProperties"),
            *("propertyNames", "minProperties", "maxProperties", "dependentRequired"),
            "unevaluatedProperties",
        ),
        "object",
    ),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", EXTENSIBLE), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"),
}


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of a model: its Python name, what it holds, and its default in the source."""

    name: str
    annotation: Node
    default: Node | None = None


@dataclass(frozen=True, kw_only=True)
class Member:
    """A member of a closed enum."""

    name: str
    value: str
    description: str | None = None


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a name stands for: a model with fields, an enum with members, or an alias.

    ``alias`` is the expression of an alias. ``rules`` hold for a model as a whole, ``extras`` is
    what its other fields hold.
    """

    name: str
    component: str
    description: str | None = None
    bases: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    extras: Node | None = None
    rules: tuple[Node, ...] = ()
    members: tuple[Member, ...] = ()
    alias: Node | None = None

    @property
    def is_model(self) -> bool:
        return bool(self.bases)

    @property
    def nodes(self) -> Iterator[Node]:
        """Yield every expression in it."""
        for each in self.fields:
            yield each.annotation
            if each.default is not None:
                yield each.default
        yield from self.rules
        yield from (node for node in (self.extras, self.alias) if node is not None)

    @property
    def references(self) -> set[str]:
        return {name for node in self.nodes for name in references(node)}


@dataclass(frozen=True, kw_only=True)
class Type:
    """What a value may be: an expression, what narrows it, and whether null is allowed."""

    node: Node
    nullable: bool = False
    limits: tuple[Pair, ...] = ()
    marks: tuple[Node, ...] = ()

    @property
    def narrowed(self) -> Node:
        """The expression without null."""
        return self.annotated(())

    def annotated(self, more: tuple[Pair, ...]) -> Node:
        """Return the expression without null, with *more* said of it as a field."""
        limits = (*self.limits, *more)
        marks = (*self.marks, call("t.Field", *limits)) if limits else self.marks
        return subscript("Annotated", self.node, *marks) if marks else self.node

    @property
    def whole(self) -> Node:
        return either([self.narrowed, "None"]) if self.nullable else self.narrowed


@dataclass(frozen=True)
class Where:
    """Where a schema stands: its component and the names of the types on the way to it."""

    component: str
    parts: tuple[str, ...] = ()
    trail: str = ""

    def child(self, part: str, trail: str) -> Where:
        return Where(self.component, (*self.parts, part), self.trail + trail)

    def __str__(self) -> str:
        return f"components.{self.component}{self.trail}"


class Writer:
    """Writes the definitions of one version.

    ``strict`` names the components that only requests hold. ``taken`` are the names that
    definitions of earlier versions have in this one.
    """

    def __init__(
        self, reader: Reader, *, strict: frozenset[str], classes: dict[str, str], taken: set[str]
    ) -> None:
        self._reader = reader
        self._strict = strict
        self._classes = classes
        self._taken = taken | set(classes.values())
        self._made: list[Definition] = []
        self.notes: list[str] = []
        self.problems: list[Problem] = []

    def component(self, name: str) -> list[Definition]:
        """Return the definitions of component *name*: its own first, then its inline types'."""
        self._made = []
        flat = self._reader.component(name)
        where = Where(name)
        self._note_left(flat, where)
        called = self._classes[name]
        if self._shape(flat) == "model":
            self._define_model(called, flat, where)
        elif self._shape(flat) == "enum":
            self._define_enum(called, flat, where)
        else:
            made = self._plain(flat, where, called)
            self._made.append(
                Definition(
                    name=called,
                    component=name,
                    description=flat.annotations.get("description"),
                    alias=replace(made, nullable=made.nullable or bool(flat.nullable)).whole,
                )
            )
        own = [made for made in self._made if made.name == called]
        return own + [made for made in self._made if made.name != called]

    # What becomes of a schema.

    def _type(self, schema: Any, where: Where) -> Type:
        flat = self._reader.flat(schema)
        if flat.reference is not None:
            return self._referred(flat)
        self._note_left(flat, where)
        shape = self._shape(flat)
        if shape in ("model", "enum", "union", "open"):
            name = self._claim(where)
            if shape == "model":
                self._define_model(name, flat, where)
            elif shape == "enum":
                self._define_enum(name, flat, where)
            else:
                made = self._plain(flat, where, name)
                if isinstance(made.node, str | Reference) and not made.marks and not made.limits:
                    self._taken.discard(name)
                    return replace(made, nullable=made.nullable or bool(flat.nullable))
                self._made.append(
                    Definition(
                        name=name,
                        component=where.component,
                        description=flat.annotations.get("description"),
                        alias=made.narrowed,
                    )
                )
                return Type(node=Reference(name), nullable=made.nullable or bool(flat.nullable))
            return Type(node=Reference(name), nullable=bool(flat.nullable))
        return self._plain(flat, where, None)

    def _referred(self, flat: Flat) -> Type:
        assert flat.reference is not None
        goal = self._reader.component(flat.reference)
        # a class can't hold null: whoever refers to it says so
        nullable = flat.nullable or (self._shape(goal) in ("model", "enum") and goal.nullable)
        return Type(node=Reference(self._classes[flat.reference]), nullable=bool(nullable))

    def _shape(self, flat: Flat) -> str:
        if flat.reference is not None or flat.never:
            return "plain"
        if flat.values is not None:
            return "enum" if self._is_enum(flat) else "plain"
        if _groups(flat) is None and flat.unions:
            return "union"
        types = self._types(flat)
        if types == ("object",) and _is_model(flat):
            return "model"
        if types == ("string",) and flat.keywords.get(EXTENSIBLE):
            return "open"
        if types is not None and len(types) > 1:
            return "union"
        return "plain"

    @staticmethod
    def _types(flat: Flat) -> tuple[str, ...] | None:
        """Return the types, told from the keywords where none is said."""
        if flat.types is not None:
            return flat.types
        told = {_KIND_OF_KEYWORD[key] for key in flat.keywords}
        if flat.patterns:
            told.add("string")
        if flat.multiples:
            told.add("number")
        if _groups(flat):
            told.add("object")
        return tuple(told) if len(told) == 1 else None

    @staticmethod
    def _is_enum(flat: Flat) -> bool:
        """Tell whether the listed values can be an enum: texts, each under a name of its own."""
        if not all(isinstance(item, str) for item in flat.values or []):
            return False
        if flat.types is not None and "string" not in flat.types:
            return False
        values = set(flat.values or [])
        return len(values) > 1 and len(set(map(names.member_name, values))) == len(values)

    def _plain(self, flat: Flat, where: Where, name: str | None) -> Type:
        """Return the type of *flat*; *name* is what a union would be called."""
        nullable = bool(flat.nullable)
        if flat.reference is not None:
            return self._referred(flat)
        if flat.never:
            self._note(where, "no value is valid")
            return Type(node=_JSON)
        if flat.values is not None:
            return replace(self._listed(flat, where), nullable=nullable)
        if flat.unions:
            made = self._union(flat, where, name)
            return replace(made, nullable=made.nullable or nullable)
        types = self._types(flat)
        if types is None:
            if flat.constrained:
                self._note(where, "keywords of several types without a `type`")
            return Type(node=_JSON)
        if types:
            self._note_untyped(flat, where, types[0])
        if not types:
            return Type(node="None")
        if len(types) > 1:
            members = [
                self._member(
                    replace(flat, types=(each,), nullable=False), where, names.pascal(each), False
                )
                for each in types
            ]
            return Type(node=either([member.narrowed for member in members]), nullable=nullable)
        return replace(self._typed(types[0], flat, where), nullable=nullable)

    def _typed(self, kind: str, flat: Flat, where: Where) -> Type:
        if kind == "string":
            return self._string(flat, where)
        if kind in ("integer", "number"):
            return self._number(kind, flat)
        if kind == "array":
            return self._array(flat, where)
        if kind == "object":
            return self._map(flat, where)
        return Type(node=_SIMPLE[kind])

    def _string(self, flat: Flat, where: Where) -> Type:
        said = flat.keywords
        limits = _limits(said, ("min_length", "minLength"), ("max_length", "maxLength"))
        marks: list[Node] = []
        for pattern in flat.patterns:
            try:
                native, text = translated(pattern)
            except UntranslatableError as error:
                self._note(where, f"the pattern {pattern!r} {error}")
                continue
            if native and not any(pair.key == "pattern" for pair in limits):
                limits += (Pair("pattern", Text(text)),)
            else:
                marks.append(call("t.Pattern", Text(text)))
        known = said.get(EXTENSIBLE)
        if isinstance(known, list) and known and all(isinstance(item, str) for item in known):
            listed = subscript("Literal", *map(Text, dict.fromkeys(known)))
            return Type(
                node=either([listed, "t.Unrecognized"]),
                limits=limits,
                marks=("t.OpenEnded", *marks),
            )
        spelled = flat.annotations.get("format")
        node = _FORMATS.get(spelled) if isinstance(spelled, str) else None
        if node is not None and (limits or marks):
            # the limits are those of the text
            return Type(
                node="str", limits=limits, marks=(*marks, call("t.Spelled", Text(str(spelled))))
            )
        return Type(node=node or "str", limits=limits, marks=tuple(marks))

    def _number(self, kind: str, flat: Flat) -> Type:
        limits: list[Pair] = []
        for key, keyword, rounded in (
            ("ge", "minimum", ceil),
            ("gt", "exclusiveMinimum", floor),
            ("le", "maximum", floor),
            ("lt", "exclusiveMaximum", ceil),
        ):
            bound = flat.keywords.get(keyword)
            if isinstance(bound, int | float) and not isinstance(bound, bool):
                limits.append(Pair(key, repr(rounded(bound) if kind == "integer" else bound)))
        marks: list[Node] = []
        for unit in flat.multiples:
            if kind == "integer" and isinstance(unit, int):
                marks.append(call("t.Field", Pair("multiple_of", repr(unit))))
            else:
                marks.append(call("t.MultipleOf", repr(unit)))
        return Type(node=_SIMPLE[kind], limits=tuple(limits), marks=tuple(marks))

    def _array(self, flat: Flat, where: Where) -> Type:
        said = flat.keywords
        items = said.get("items", True)
        limits = _limits(said, ("min_length", "minItems"), ("max_length", "maxItems"))
        marks: tuple[Node, ...] = ("t.UniqueItems",) if said.get("uniqueItems") is True else ()
        first = said.get("prefixItems")
        if isinstance(first, list) and first:
            if items is False and said.get("minItems", 0) >= len(first):
                types = [
                    self._type(each, where.child(_ordinal(at), f".prefixItems[{at}]"))
                    for at, each in enumerate(first)
                ]
                return Type(
                    node=subscript("tuple", *(each.whole for each in types)),
                    marks=("t.FromList", *marks),
                )
            self._note(where, "`prefixItems` of a list that may be longer or shorter")
            items = True
        if items is False:
            return Type(node=_SIMPLE["array"], limits=(Pair("max_length", "0"),))
        item = self._type(items, where.child("Item", "[]"))
        return Type(node=subscript("list", item.whole), limits=limits, marks=marks)

    def _map(self, flat: Flat, where: Where) -> Type:
        said = flat.keywords
        limits = _limits(said, ("min_length", "minProperties"), ("max_length", "maxProperties"))
        named = said.get("propertyNames")
        keys: Node = "str"
        patterns = said.get("patternProperties") or {}
        values = said.get("additionalProperties", True)
        if patterns:
            if values is False and len(patterns) == 1 and named is None:
                ((pattern, values),) = patterns.items()
                named = {"pattern": pattern}
            else:
                self._note(where, "`patternProperties`")
        if isinstance(named, dict):
            below = where.child("Key", ".propertyNames")
            keys = self._type({"type": "string", **named}, below).whole
        if said.get("dependentRequired"):
            self._note(where, "`dependentRequired` of an object without properties")
        item = self._type(values, where.child("Value", "{}"))
        return Type(node=subscript("dict", keys, item.whole), limits=limits)

    def _listed(self, flat: Flat, where: Where) -> Type:
        """Return the type of one of some values."""
        listed = self._possible(flat, where)
        if not listed and not flat.nullable:
            self._note(where, "no value is valid")
            return Type(node=_JSON)
        if not listed:
            return Type(node="None")
        if all(isinstance(item, str | bool) for item in listed):
            return Type(node=subscript("Literal", *map(value, listed)))
        if all(isinstance(item, int) and not isinstance(item, bool) for item in listed):
            return Type(node=subscript("Literal", *map(value, listed)), marks=("t.Integral",))
        kinds = {kind for item in listed for kind in _json_type(item)}
        node = _SIMPLE["number"] if kinds <= {"number", "integer"} else _JSON
        return Type(node=node, marks=(call("t.OneOf", *map(value, listed)),))

    def _possible(self, flat: Flat, where: Where) -> list[Any]:
        """Return the distinct listed values that what is said beside them allows."""
        if flat.keywords.keys() - {"minLength", "maxLength", EXTENSIBLE} or flat.multiples:
            self._note(where, "what is said beside the listed values")
        low, high = flat.keywords.get("minLength", 0), flat.keywords.get("maxLength", inf)
        possible: list[Any] = []
        for item in flat.values or []:
            if flat.types is not None and not _json_type(item) & set(flat.types):
                continue
            if isinstance(item, str) and not (
                low <= len(item) <= high and all(matches(each, item) for each in flat.patterns)
            ):
                continue
            if not any(type(item) is type(known) and item == known for known in possible):
                possible.append(item)
        return possible

    # Unions.

    def _union(self, flat: Flat, where: Where, name: str | None) -> Type:
        union, *others = flat.unions
        for other in others:
            self._note(where, f"`{other.keyword}` beside `{union.keyword}`")
        base = replace(flat, unions=[], annotations={}, left=[], nullable=None)
        shared = base if _says_anything(base) else None
        nullable = False
        members: list[tuple[Flat, Type]] = []
        found = list(self._members(union, flat, shared))
        for member, part in zip(found, _variant_names(found), strict=True):
            if member.reference is None and member.types == () and member.nullable:
                nullable = True
                continue
            if member.reference is not None:
                made = self._referred(member)
            else:
                made = self._member(member, where, part, True)
            nullable = nullable or made.nullable
            members.append((member, replace(made, nullable=False)))
        if not members:
            return Type(node="None", nullable=nullable)
        plain = Type(node=either([made.narrowed for _, made in members]), nullable=nullable)
        if len(members) == 1:
            return replace(members[0][1], nullable=nullable)
        tagged = self._tagged(union, members, where, name)
        if tagged is not None:
            return replace(tagged, nullable=nullable)
        if union.keyword == "oneOf" and self._overlap([member for member, _ in members]):
            self._note(where, "that only one member of `oneOf` fits: the best fit is taken")
        return plain

    def _overlap(self, members: list[Flat]) -> bool:
        """Tell whether a value might fit two of *members*, going by JSON types and values."""
        seen: set[str] = set()
        for member in members:
            goal = self._reader.followed(member)
            types = set(self._types(goal) or JSON_TYPES)
            if goal.unions:
                types = set(JSON_TYPES)
            if "integer" in types:
                types.add("number")
            if goal.values is not None:
                types = {json.dumps(item) for item in goal.values}
            if seen & types:
                return True
            seen |= types
        return False

    def _members(self, union: Union, outer: Flat, shared: Flat | None) -> Iterator[Flat]:
        """Yield the members, those of an inline union in place of the union."""
        for schema in union.members:
            member = self._reader.flat(schema)
            if shared is not None:
                member = self._reader.with_base(member, shared)
                if member.never:
                    continue
            nested = member.unions
            if (
                member.reference is None
                and len(nested) == 1
                and not member.constrained
                and member.types is None
                and nested[0].discriminator is None
            ):
                yield from self._members(nested[0], outer, None)
            else:
                yield member

    def _member(self, member: Flat, where: Where, part: str, note: bool) -> Type:
        """Return the type of an inline member of a union; *part* is what to call it."""
        below = where.child(part, f"({part})")
        if note:
            self._note_left(member, below)
        shape = self._shape(member)
        if shape in ("model", "enum"):
            name = self._claim(below)
            if shape == "model":
                self._define_model(name, member, below)
            else:
                self._define_enum(name, member, below)
            return Type(node=Reference(name), nullable=bool(member.nullable))
        return self._plain(member, below, None)

    def _tagged(
        self, union: Union, members: list[tuple[Flat, Type]], where: Where, name: str | None
    ) -> Type | None:
        said = union.discriminator or {}
        tag = said.get("propertyName")
        if not isinstance(tag, str):
            tag = self._telling([member for member, _ in members])
            if tag is None:
                return None
            said = {}
        mapping = said.get("mapping")
        tags: dict[str, list[Node]] = {}
        untagged: list[Node] = []
        for member, made in members:
            found = self._tags(member, tag, mapping if isinstance(mapping, dict) else {})
            if found is None:
                self._note(where, f"the discriminator `{tag}`: not every member has it as text")
                return None
            for each in found.values:
                tags.setdefault(each, []).append(made.narrowed)
            if not found.required:
                untagged.append(made.narrowed)
        pairs = [Pair(_key(each), either(found), ": ") for each, found in tags.items()]
        options: list[Node] = []
        alternatives = [made.narrowed for _, made in members]
        if name is not None and where.component not in self._strict:
            unknown = self._unknown(name, tag, where)
            alternatives.append(Reference(unknown))
            options.append(Pair("unknown", Reference(unknown)))
        if untagged:
            options.append(Pair("untagged", either(untagged)))
        attribute = names.field_name(tag)
        if attribute != tag:
            options.append(Pair("attribute", Text(attribute)))
        mark = call("t.Tagged", Text(tag), _mapping(pairs), *options)
        return Type(node=either(alternatives), marks=(mark,))

    def _unknown(self, name: str, tag: str, where: Where) -> str:
        called = self._claimed(f"Unknown{name}", f"Unknown_{name}", where)
        description = f"A member of {name} that this version does not know; its data is kept."
        attribute = names.field_name(tag)
        annotation: Node = "str"
        if attribute != tag:
            annotation = subscript("Annotated", "str", call("t.Field", Pair("alias", Text(tag))))
        self._made.append(
            Definition(
                name=called,
                component=where.component,
                description=description,
                bases=("t.OpenModel",),
                fields=(Field(name=attribute, annotation=annotation),),
            )
        )
        return called

    def _tags(self, member: Flat, tag: str, mapping: dict[str, Any]) -> _Tags | None:
        """Return the tags that name *member*; None where it has none."""
        goal = self._reader.followed(member)
        if goal.unions and not goal.constrained and not _groups(goal):
            return self._nested_tags(goal, tag)
        schema = (goal.keywords.get("properties") or {}).get(tag)
        if self._types(goal) != ("object",):
            return None
        required = tag in (goal.keywords.get("required") or [])
        if schema is None and not required:
            return None
        listed = self._reader.followed(self._reader.flat(schema)) if schema is not None else Flat()
        if listed.values is not None:
            texts = [item for item in listed.values if isinstance(item, str)]
            return _Tags(texts, required) if len(texts) == len(listed.values) else None
        if member.reference is None:
            return None
        mapped = [
            key
            for key, goal_ in mapping.items()
            if isinstance(goal_, str) and _names_component(goal_, member.reference)
        ]
        return _Tags(mapped or [member.reference], required)

    def _nested_tags(self, goal: Flat, tag: str) -> _Tags | None:
        found: list[str] = []
        required = True
        said = goal.unions[0].discriminator or {}
        for schema in goal.unions[0].members:
            each = self._tags(self._reader.flat(schema), tag, said.get("mapping") or {})
            if each is None:
                return None
            found += each.values
            required = required and each.required
        return _Tags(found, required)

    def _telling(self, members: list[Flat]) -> str | None:
        """Return the first property whose text tells all members apart, if there is one."""
        first = self._reader.followed(members[0])
        tags: dict[str, Any] = first.keywords.get("properties") or {}
        for tag in tags:
            seen: set[str] = set()
            for member in members:
                goal = self._reader.followed(member)
                if goal.unions:
                    break
                schema = (goal.keywords.get("properties") or {}).get(tag)
                if schema is None:
                    break
                listed = self._reader.followed(self._reader.flat(schema))
                if listed.values is None:
                    break
                found = self._tags(member, tag, {})
                if found is None or not found.required or seen & set(found.values):
                    break
                seen |= set(found.values)
            else:
                return tag
        return None

    # Definitions.

    def _define_enum(self, name: str, flat: Flat, where: Where) -> None:
        said = flat.annotations.get("x-enum-descriptions")
        descriptions = said if isinstance(said, dict) else {}
        self._made.append(
            Definition(
                name=name,
                component=where.component,
                description=flat.annotations.get("description"),
                members=tuple(
                    Member(
                        name=names.member_name(item), value=item, description=descriptions.get(item)
                    )
                    for item in self._possible(flat, where)
                ),
            )
        )

    def _define_model(self, name: str, flat: Flat, where: Where) -> None:
        said = flat.keywords
        self._note_untyped(flat, where, "object")
        properties: dict[str, Any] = dict(said.get("properties") or {})
        required = [each for each in said.get("required") or [] if isinstance(each, str)]
        for each in required:
            properties.setdefault(each, True)
        at = len(self._made)
        fields = [
            self._field(each, schema, each in required, where)
            for each, schema in properties.items()
        ]
        self._refuse_collisions(name, properties, fields)
        others = said.get("additionalProperties", said.get("unevaluatedProperties"))
        closed = others is False or (others is None and where.component in self._strict)
        extras: Node | None = None
        if said.get("patternProperties"):
            self._note(where, "`patternProperties` beside `properties`")
            closed = False
        if isinstance(others, dict) and others:
            extras = self._type(others, where.child("Value", "{}")).whole
        rules = tuple(self._rules(flat, where))
        mixins = ["t.WithRules"] if rules else []
        if any(each.default not in (None, "t.ABSENT") for each in fields):
            mixins.append("t.WithDefaults")
        self._made.insert(
            at,
            Definition(
                name=name,
                component=where.component,
                description=flat.annotations.get("description"),
                bases=(*mixins, "t.ClosedModel" if closed else "t.OpenModel"),
                fields=tuple(fields),
                extras=extras,
                rules=rules,
            ),
        )

    def _rules(self, flat: Flat, where: Where) -> Iterator[Node]:
        said = flat.keywords
        for keyword, rule in (("minProperties", "t.AtLeast"), ("maxProperties", "t.AtMost")):
            if isinstance(said.get(keyword), int):
                yield call(rule, repr(said[keyword]))
        if isinstance(said.get("dependentRequired"), dict):
            yield call("t.Dependent", value(said["dependentRequired"]))
        if "propertyNames" in said:
            self._note(where, "`propertyNames` beside `properties`")
        for keyword, groups in _groups(flat) or []:
            yield call("t.Requires", Text(keyword), value(groups))

    def _field(self, name: str, schema: Any, required: bool, where: Where) -> Field:
        made = self._type(schema, where.child(names.pascal(name), f".{name}"))
        called = names.field_name(name, set(references(made.node)))
        flat = self._reader.flat(schema)
        more: list[Pair] = []
        if called != name:
            more.append(Pair("alias", Text(name)))
        for key in ("title", "description"):
            text = flat.annotations.get(key) if flat.reference is None or key in schema else None
            if isinstance(text, str):
                more.append(Pair(key, Text(text)))
        if flat.annotations.get("deprecated") is True:
            more.append(Pair("deprecated", "True"))
        if required:
            if made.nullable:
                return Field(name=called, annotation=_described(made.whole, more))
            return Field(name=called, annotation=made.annotated(tuple(more)))
        default = self._default(flat, made, where, name)
        if default is not None:
            if made.nullable:
                annotation = _described(made.whole, more)
            else:
                annotation = made.annotated(tuple(more))
            return Field(name=called, annotation=annotation, default=default)
        omittable = subscript("t.Omittable", made.whole)
        return Field(name=called, annotation=_described(omittable, more), default="t.ABSENT")

    def _default(self, flat: Flat, made: Type, where: Where, name: str) -> Node | None:
        if "default" not in flat.annotations:
            return None
        node = self._constant(flat, made, flat.annotations["default"])
        if node is None:
            self._note(where, f"the default of `{name}`: the field is absent by default")
        return node

    def _constant(self, flat: Flat, made: Type, default: Any) -> Node | None:
        """Return *default* as an expression of type *made*, if it can be written as one."""
        if default is None:
            return "None" if made.nullable else None
        goal = self._reader.followed(flat)
        if self._shape(goal) == "enum":
            if default not in (goal.values or []) or not isinstance(made.node, Reference):
                return None
            # the enum is defined before every class
            return Reference(made.node.name, "." + names.member_name(default))
        if goal.values is not None:
            return value(default) if default in goal.values else None
        types = self._types(goal)
        if goal.unions or types is None or len(types) != 1 or not (_json_type(default) & {*types}):
            return None
        if types == ("string",):
            if made.node in _FORMATS.values():
                return None
            known = goal.keywords.get(EXTENSIBLE)
            if known and default not in known:
                return call("t.Unrecognized", Text(default))
            return Text(default)
        if types == ("array",):
            return value(default) if default == [] else None
        if types == ("object",):
            return value(default) if default == {} and not _is_model(goal) else None
        return value(int(default) if types == ("integer",) else default)

    # Names, notes and problems.

    def _claim(self, where: Where) -> str:
        parts = (self._classes[where.component], *where.parts)
        return self._claimed("".join(parts), "_".join(parts), where)

    def _claimed(self, name: str, otherwise: str, where: Where) -> str:
        """Return *name* where it is free, else *otherwise*; a third is not invented."""
        for called in (name, otherwise):
            if called not in self._taken:
                self._taken.add(called)
                return called
        node = self._reader.components[where.component]
        self.problems.append(
            Problem(
                place=place_of(node),
                id="model-name-taken",
                message=f"{where}: its model would be called {name}, and so is another: "
                "give it a component of its own, under another name",
            )
        )
        return otherwise

    def _refuse_collisions(
        self, name: str, properties: dict[str, Any], fields: list[Field]
    ) -> None:
        first: dict[str, str] = {}
        for wire, each in zip(properties, fields, strict=True):
            if each.name in first:
                self.problems.append(
                    Problem(
                        place=place_of(properties[wire]),
                        id="field-name-taken",
                        message=f"{name}: the properties {first[each.name]!r} and {wire!r} would "
                        f"both be the field {each.name}: rename one",
                    )
                )
            first[each.name] = wire

    def _note_untyped(self, flat: Flat, where: Where, kind: str) -> None:
        if flat.types is None:
            self._note(where, f"values other than {kind}s, as it says no `type`")

    def _note_left(self, flat: Flat, where: Where) -> None:
        for keyword in flat.left:
            self._note(where, f"`{keyword}`")

    def _note(self, where: Where, what: str) -> None:
        self.notes.append(f"{where}: {what}; left to the document")


@dataclass(frozen=True)
class _Tags:
    values: list[str]
    required: bool


def place_of(node: Any) -> Place:
    """Return where *node* stands; the document as such where it does not know."""
    return node.place() if isinstance(node, Map) else Place("components", 1, 1)


def _limits(said: dict[str, Any], *pairs: tuple[str, str]) -> tuple[Pair, ...]:
    return tuple(
        Pair(key, repr(int(said[keyword])))
        for key, keyword in pairs
        if isinstance(said.get(keyword), int | float)
    )


def _described(node: Node, more: list[Pair]) -> Node:
    return subscript("Annotated", node, call("t.Field", *more)) if more else node


def _is_model(flat: Flat) -> bool:
    """Tell whether an object has fields of its own, or may have none at all."""
    said = flat.keywords
    if said.get("properties") or said.get("required") or _groups(flat):
        return True
    return not said.get("patternProperties") and (
        said.get("additionalProperties") is False or said.get("unevaluatedProperties") is False
    )


def _groups(flat: Flat) -> list[tuple[str, list[list[str]]]] | None:
    """Return the unions whose members only say what is required; None if others are there."""
    found: list[tuple[str, list[list[str]]]] = []
    for union in flat.unions:
        if not all(
            isinstance(member, dict)
            and isinstance(member.get("required"), list)
            and member.keys() <= {"required", "type", "title", "description"}
            for member in union.members
        ):
            return None
        found.append((union.keyword, [member["required"] for member in union.members]))
    return found or None


def _says_anything(flat: Flat) -> bool:
    return flat.constrained or flat.types is not None


def _variant_names(members: list[Flat]) -> list[str]:
    """Return what each inline member of a union is called.

    By its title, by the value of its tag, by the first field that only it has, by its type, or
    by all its fields: the first of these that no member before it is called by.
    """
    fields = [list(member.keywords.get("properties") or {}) for member in members]
    taken: set[str] = set()
    made = []
    for at, member in enumerate(members):
        others = {name for there, each in enumerate(fields) if there != at for name in each}
        own = [name for name in fields[at] if name not in others]
        ways = [
            member.annotations.get("title"),
            _tag_value(member),
            f"with {own[0]}" if own else None,
            "known" if member.values is not None else None,
            None if fields[at] else (member.types or ["other"])[0],
            "plain",
            "with " + " ".join(fields[at]),
        ]
        called = [names.pascal(way) for way in ways if isinstance(way, str) and way]
        part = next((each for each in called if each not in taken), called[-1])
        if member.reference is None:
            taken.add(part)
        made.append(part)
    return made


def _tag_value(member: Flat) -> str | None:
    """Return the value of the first property that has just one."""
    for schema in (member.keywords.get("properties") or {}).values():
        if isinstance(schema, dict):
            values = [schema["const"]] if "const" in schema else schema.get("enum")
            if isinstance(values, list) and len(values) == 1 and isinstance(values[0], str):
                return values[0]
    return None


def _names_component(reference: str, component: str) -> bool:
    goal = target(reference)
    return component in ((goal[1],) if goal else (reference, reference.removesuffix(".json")))


def _json_type(item: Any) -> set[str]:
    """Return the JSON types that *item* has."""
    if isinstance(item, bool):
        return {"boolean"}
    if isinstance(item, int) or (isinstance(item, float) and item.is_integer()):
        return {"integer", "number"}
    return {
        {float: "number", str: "string", list: "array", dict: "object"}.get(type(item), "null")
        if not isinstance(item, dict | list)
        else "array"
        if isinstance(item, list)
        else "object"
    }


def _key(text: str) -> str:
    return literal(text)


def _mapping(pairs: list[Pair]) -> Group:
    return Group("", tuple(pairs), "{}")


_ORDINALS: Final = (
    *("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth"),
)


def _ordinal(at: int) -> str:
    return _ORDINALS[at] if at < len(_ORDINALS) else "Later" * (at - len(_ORDINALS) + 1)
