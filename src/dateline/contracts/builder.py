"""Build nodes of contract data from schemas, at one version and one way: one file for one walk."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, Final

from dateline.canonical import has_lacked_default
from dateline.contracts.clashes import list_clashing, list_joint
from dateline.contracts.converters import RequiredConverters
from dateline.contracts.flat import (
    Declared,
    FlatSchema,
    FlatUnion,
    GatedMember,
    TagMapping,
    View,
)
from dateline.contracts.histories import Way
from dateline.contracts.nodes import (
    Node,
    Withholder,
    by_type,
    is_absent,
    list_converters,
    list_unserved,
)
from dateline.contracts.published import together
from dateline.contracts.reach import CONVERTING, Reach
from dateline.contracts.tags import find_tag, is_default, list_tags, list_variant_tags
from dateline.contracts.violations import list_broken
from dateline.model import SHOWN_AS, WAS
from dateline.schema.dialect import OR_NULL
from dateline.schema.types import TYPES
from dateline.schema.values import text
from dateline.schema.variants import other_tags

# The types of the values that a keyword concerns, if not of any type.
_TYPES_OF: Final = {
    **dict.fromkeys(("prefixItems", "items", "contains", "unevaluatedItems"), ("array",)),
    **dict.fromkeys(("patternProperties", "unevaluatedProperties"), ("object",)),
    "additionalProperties": ("object",),
    **dict.fromkeys(("dependentSchemas", "propertyNames"), ("object",)),
    "contentSchema": ("string",),
}

# Below these, a schema that allows more may make fewer values valid.
_NEGATING: Final = frozenset({"not", "if", "contains"})


class Builder:
    """Builds the nodes of schemas, at one version and in one direction.

    ``reach`` knows the components that differ between any two versions, and the extensions of
    schemas with a discriminator and no union.
    """

    def __init__(
        self,
        view: View,
        reach: Reach,
        required_converters: RequiredConverters,
    ) -> None:
        self.view = view
        self._reach = reach
        self._subtypes = reach.subtypes
        self._extending = {name for names in reach.subtypes.values() for name in names}
        self.required_converters = required_converters
        self._unfinished: set[tuple[int, ...]] = set()
        self.merged: set[int] = set()
        """The gates of the schemas that were merged: the nodes built depend on them."""

    def component(self, name: str) -> Node:
        """Return the node of the component *name*, or of recursive schemas with this name."""
        if name in self._reach.recursive:
            return self.node(*self._reach.recursive[name])
        schema = self.view.schemas[name]
        if name not in self._subtypes and name not in self._extending:
            return self.node(schema)
        # an extension of another schema is read alone: the other may lead back to it by a tag
        flat = self.view.flat(schema)
        flat.named.insert(0, name)
        return self.flat(flat, alone=True)

    def node(self, *schemas: Any) -> Node:
        """Return the node of a value to which all of *schemas* apply."""
        if all(map(self._reach.is_fixed, schemas)):
            return None
        # several parts of a value may refer to the same schema
        unique = {id(schema): schema for schema in schemas}
        if len(unique) == 1:
            shared = self._find_shared(schemas[0])
            if shared is not None:
                return shared[0]
        key = tuple(unique)
        if key in self._unfinished:
            return self._reach.name_recursive(unique.values())
        self._unfinished.add(key)
        if len(unique) > 1:
            self.merged.update(*(self._reach.masks(("schema", schema)) for schema in schemas))
        try:
            return self.flat(self.view.flat(*unique.values()))
        finally:
            self._unfinished.discard(key)

    def _find_shared(self, schema: Any) -> tuple[Node] | None:
        """Return the node of a schema that is only a reference to a component."""
        reading = self.view.read("schema", schema)
        says = CONVERTING & reading.now.keys()
        name = self.view.referred(reading.now)
        # what it requires itself may come with a default
        if reading.beyond or reading.now.get("required") != reading.shown.get("required"):
            return None
        if name is not None and says == {"$ref"}:
            node = self._beside_null(name if name in self._reach.varying else None, reading.now)
            return (self.convert(reading.converters, node, schema),)
        bases = [each for each in reading.now.get("allOf", ()) if _decides(each)]
        if says == {"allOf"} and len(bases) == 1 and self.view.shows(bases[0]):
            node = self._beside_null(self.node(bases[0]), reading.now)
            return (self.convert(reading.converters, node, schema),)
        return None

    def _beside_null(self, node: Node, schema: dict[str, Any]) -> Node:
        """Return the node of a value of *node*, or of null if *schema* allows it."""
        if OR_NULL not in schema or node is None:
            return node
        return by_type(
            {
                name: None if name == "null" else node
                for name in TYPES
                if name in self.view.types(schema)
            }
        )

    def flat(self, flat: FlatSchema, *, alone: bool = False) -> Node:
        """Return the node of a value that *flat* describes.

        With *alone*, return that of a component by itself.
        """
        own = self._own(flat)
        if flat.tags is None:
            return own
        below = {name: self._subtypes.get(name, frozenset()) for name in flat.named}
        here = [name for name in flat.named if below[name].isdisjoint(flat.named)]
        tagged = [name for name in here if name in self._extending or flat.tags[0].list_tags(name)]
        variant = next(iter(tagged), None)
        if variant is not None:
            before = list_variant_tags(self.view.given, variant, flat.tags[0])
            after = list_variant_tags(self.view.other, variant, flat.tags[1])
            own = self._change_tag(own, before, after, flat.tags[1], *flat.schemas)
        names = sorted({subtype for name in here for subtype in below[name]})
        if not names or flat.tags[0].property is None:
            return own
        given = self.view.given.flat(*flat.schemas).tags
        tags = given[0] if given else flat.tags[0]
        members = {}
        # if several have one tag, nothing that a version lacks is mistaken for another
        for member in sorted(map(self._component, names), key=lambda one: not one.shown):
            node = self._member(member, None if alone else flat)
            name = self.view.referred(member.schema) or ""
            for tag in list_variant_tags(self.view.given, name, tags):
                members[tag] = node
            if name == tags.default:
                own = node
        return {"tag": tags.property, "members": dict(sorted(members.items())), "otherwise": own}

    def _own(self, flat: FlatSchema) -> Node:
        """Return the node of a value that is none of the extensions of this schema."""
        if clashing := self._list_clashing(flat):
            what = [f"`{each}`" if each else "it" for each in clashing]
            parts = [f"what the schemas of `allOf` make of {each}" for each in what]
            why = self.required_converters.value(flat.schemas, parts)
            return {"why": why, "where": [{"absent": True}], "otherwise": None}
        inner = self._union(flat) if flat.unions else self._value(flat)
        if flat.converters:
            return self.convert(flat.converters, inner, *flat.schemas)
        if inner is None or (
            isinstance(inner, dict) and "why" in inner and inner["otherwise"] is None
        ):
            # a converter creates the whole value, and its result is validated
            return inner
        broken = list_broken(self.view, flat, inner)
        if not broken:
            return inner
        if self.view.way is Way.UP:
            source = Withholder(flat.schemas[0], broken)
            return {**inner, "source": source} if isinstance(inner, dict) else inner
        return {
            "then": inner,
            "fits": together([self.view.describe_shown(each) for each in flat.schemas]),
            "source": Withholder(flat.schemas[0], broken),
        }

    def _list_clashing(self, flat: FlatSchema) -> list[str]:
        """Return the fields that *flat* converts in different ways, alone or with a member.

        Its converters change the value before a member of its union is chosen, so that those of
        the member would get what these left.
        """
        clashing = {*list_clashing(self.view, flat)}
        if flat.conversions:
            base = replace(flat.copy(), unions=[])
            members = [each for union in flat.unions for each in union.members if each.shown]
            for member in members:
                clashing.update(self._list_clashing(self._combine([member.schema], base)))
        return sorted(clashing)

    def _component(self, name: str) -> GatedMember:
        schema = self.view.schemas[name]
        instead = {SHOWN_AS: schema[SHOWN_AS]} if SHOWN_AS in schema else {}
        reference = {"$ref": f"#/components/schemas/{name}", **instead}
        return GatedMember(reference, self.view.shows(schema), schema)

    def _change_tag(
        self, node: Node, before: list[str], after: list[str], tags: TagMapping, *schemas: Any
    ) -> Node:
        """Return *node*, of a value of *schemas*, with a change of the tag after it."""
        changed = other_tags(before, after) if before and after else {}
        if tags.property is None or changed == {} or is_absent(node):
            return node
        if changed is None:  # only adopted definitions may have an unclear change
            return self._require_converter(schemas, {"discriminator": {"absent": True}}, None)
        return {"retag": [tags.property, changed], "then": node}

    def convert(self, converters: tuple[str, ...], node: Node, *schemas: Any) -> Node:
        """Return the node of a value that goes through *converters* and then through *node*.

        The result must be valid for all of *schemas*; on the way up, the types that handlers
        receive validate it.
        """
        if not converters:
            return node
        result: dict[str, Any] = {"convert": list(converters), "then": node}
        if self.view.way is Way.DOWN:
            result["fits"] = together([self.view.describe_shown(schema) for schema in schemas])
        return result

    def _value(self, flat: FlatSchema) -> Node:
        if changed := self._values(flat):
            return {"values": changed}
        own: dict[str, Node] = {"object": self.object(flat), "array": self._list(flat)}
        below = [
            (key, place, node)
            for key, place, child in flat.unserved
            if (node := self._read_unserved(key, child)) is not None
        ]
        nodes: dict[str, Node] = {
            name: self._require_converter(
                flat.schemas,
                {place: node for key, place, node in below if name in _TYPES_OF.get(key, TYPES)},
                own.get(name),
            )
            for name in TYPES
            if name in flat.types
        }
        return by_type(nodes)

    def _read_unserved(self, key: str, child: GatedMember) -> Node:
        """Return the node of *child* below the keyword *key*, which leaves out no parts of values.

        Only changes by the direction of a message stay.
        """
        if not self._reach.is_gated(child.schema):
            return None
        if key in _NEGATING and self.view.restates(child.schema):
            return {"absent": True}
        return self._member(child, None)

    def _require_converter(
        self, schemas: tuple[Any, ...], below: dict[str, Node], otherwise: Node
    ) -> Node:
        """Return the node of a value that can't be served because of the nodes *below* it."""
        if not below:
            return otherwise
        parts = [f"what is below `{place}`" for place in below]
        why = self.required_converters.value(schemas, parts)
        # this converter does what converters below it would do
        where = [
            {"absent": True} if list_converters(each) or list_unserved(each) else each
            for each in below.values()
        ]
        return {"why": why, "where": where, "otherwise": otherwise}

    def _values(self, flat: FlatSchema) -> list[dict[str, Any]]:
        """Return the changed values of enumerations: absent ones, and renamed ones."""
        replacements: list[dict[str, Any]] = []
        for members in flat.values:
            for member in members:
                now, then = member.schema["const"], self.view.constant(member.schema)
                if not member.shown and self.view.way is Way.DOWN:
                    instead = self.view.instead(member.schema, members)
                    shown = {key: value for key, value in instead.items() if key != "absent"}
                    replacements.append({"value": now, **shown, "source": Withholder(member.gated)})
                elif member.shown and now != then:
                    down = self.view.way is Way.DOWN
                    replacements.append(
                        {"value": now, "is": then} if down else {"value": then, "is": now}
                    )
        return replacements

    def _list(self, flat: FlatSchema) -> Node:
        items = self.node(*flat.items) if flat.items else None
        if items is None:
            return None
        result: dict[str, Any] = {"items": items}
        if flat.least_items and self.view.way is Way.DOWN:
            result["least"] = flat.least_items
        if flat.unique:
            result["unique"] = True
        if self.view.way is Way.DOWN:
            result["source"] = Withholder(flat.schemas[0], ("uniqueItems",))
        return result

    # Objects

    def object(self, flat: FlatSchema) -> Node:
        """Return the node of an object, such as all parameters, that *flat* describes."""
        down = self.view.way is Way.DOWN
        fields: dict[str, Node] = {}
        names: dict[str, str] = {}
        defaults: dict[str, Any] = {}
        for name, found in flat.fields.items():
            shown = [each for each in found if each.shown]
            called = next((each.names[-1] for each in shown if each.names[-1] != name), name)
            if not shown or (down and not all(each.admits(name, called) for each in flat.closed)):
                continue
            source = name if down else called
            fields[source] = self._field(flat, name, shown)
            if called != name:
                names[source] = called if down else name
            # defaults of parameters are applied when they are read, by the caller's version
            if flat.schemas and (default := self._default(flat, name, shown)):
                defaults[source] = default[0]
        for name in sorted(flat.required - flat.fields.keys()) if down and flat.extras else ():
            # unlike others, it can't be left out
            fields[name] = self.node(*(schema for schema, _ in flat.extras))
        result: dict[str, Any] = {
            "left_out": sorted(self._list_keys(flat) - fields.keys()),
            "names": dict(sorted(names.items())),
            "defaults": dict(sorted(defaults.items())),
            "fields": {name: node for name, node in sorted(fields.items()) if node is not None},
        }
        extras = self.node(*(schema for schema, _ in flat.extras)) if flat.extras else None
        result |= {"extras": extras}
        result = {key: value for key, value in result.items() if value}
        spelled = {*self._list_keys(flat), *fields}
        # other spellings of fields are left out of requests, but not those that are fields
        is_alike = not down and len({*map(str.casefold, spelled)}) < len(spelled)
        if result and (extras is not None or is_alike):
            result["declared"] = sorted(fields)
        if result and down:
            staying = sorted(flat.required & result.get("fields", {}).keys())
            result |= {"required": staying} if staying else {}
            result |= {"least": flat.least_fields} if flat.least_fields else {}
            gone = {*result.get("left_out", ())}
            if flat.least_fields > len(flat.required - gone):
                result["source"] = Withholder(flat.schemas[0], ("minProperties",))
        return result or None

    def _field(self, flat: FlatSchema, name: str, shown: list[Declared]) -> Node:
        schemas = [each.schema for each in shown]
        schemas += [schema for schema, known in flat.extras if name not in known]
        return self.convert(shown[0].converters, self.node(*schemas), shown[0].fits)

    def _default(self, flat: FlatSchema, name: str, shown: list[Declared]) -> tuple[Any, ...]:
        """Return the value of a missing field *name*, if the reader can't know it.

        In requests, that is the default of the caller's version if the types of handlers have
        another one; if such a type requires the field, it is the newest default. In responses, it
        is the newest default if the version requires the field.
        """
        schemas = [each.schema for each in shown]
        if self.view.way is Way.DOWN:
            return self.view.find_filling(schemas) if name in flat.optional else ()
        then, newest = self.view.default(schemas), self.view.other.default(schemas)
        if name in flat.optional:
            return then or newest
        typed = newest and not any(map(has_lacked_default, schemas))
        return () if typed and then and text(then[0]) == text(newest[0]) else then

    def _list_keys(self, flat: FlatSchema) -> set[str]:
        """Return the names of declared fields.

        On the way down this includes older names: an undeclared field with such a name would be
        mistaken for the declared one. On the way up, fields that the caller's version lacks are not
        the caller's.
        """
        if self.view.way is Way.UP:
            return set(flat.fields)
        return {name for found in flat.fields.values() for each in found for name in each.names}

    # Unions

    def _union(self, flat: FlatSchema) -> Node:
        union = flat.unions[0]
        # the converters come first, before a member is chosen
        base = replace(
            flat.copy(),
            conversions=[],
            unions=flat.unions[1:],
            chosen=flat.chosen or not union.is_one,
        )
        counted = [each for each in union.members if self.view.counts(each)]
        if not counted:
            return self.flat(base)
        types = [self.view.given.types(member.schema) & base.types for member in counted]
        if union.is_one and self._may_overlap(union, counted, types):
            return self._require_converter(flat.schemas, {"oneOf": {"absent": True}}, None)
        objects = [each for each, its in zip(counted, types, strict=True) if "object" in its]
        hidden = self._hide_fields(base, union, objects)
        around = None if base.is_empty else base
        nodes = [_mark_kept(self._member(member, around), hidden, union) for member in counted]
        if union.tags != union.then:
            nodes = [
                self._change_tag(node, *self._member_tags(member, union), union.then, member.schema)
                for node, member in zip(nodes, counted, strict=True)
            ]
        if all(node == nodes[0] for node in nodes[1:]) and not is_absent(nodes[0]):
            return nodes[0]
        return by_type(
            {
                name: self._of_type(name, union, counted, nodes, types, around)
                for name in TYPES
                if any(name in each for each in types)
            }
        )

    def _hide_fields(
        self, base: FlatSchema, union: FlatUnion, members: list[GatedMember]
    ) -> frozenset[str]:
        """Add to *base* the fields of *members* that the version lacks; return their names.

        A value of such a member may fit another one that allows any fields, unless a tag decides.
        Fields that decide whether a value fits one of the others are not added.
        """
        lacked = [each for each in members if not each.shown]
        if self.view.way is Way.UP or not 0 < len(lacked) < len(members):
            return frozenset()
        shown = [self.view.flat(each.schema) for each in members if each.shown]
        absent = FlatSchema()
        for each in lacked:
            self.view.add(absent, each.schema, shown=False)
        deciding = {
            name for each in shown for name in (*each.fields, *each.required, *each.demanded)
        }
        names = frozenset(absent.fields.keys() - deciding)
        is_counted = any(
            each.least_fields or each.extras or each.relating or each.unserved or each.unions
            for each in shown
        )
        schemas = [each.schema for each in members]
        if not names or is_counted or find_tag(self.view.given, union, schemas) is not None:
            return frozenset()
        base.fields.update({name: absent.fields[name] for name in names - base.fields.keys()})
        return names

    def _member_tags(self, member: GatedMember, union: FlatUnion) -> tuple[list[str], list[str]]:
        """Return the tags of a member of a union: before, and in the result."""
        before, after = union.tags.property, union.then.property
        if before is None or after is None:
            return [], []
        other = union._replace(tags=union.then)
        return (
            list_tags(self.view.given, member.schema, before, union),
            list_tags(self.view.other, member.schema, after, other),
        )

    def _may_overlap(
        self, union: FlatUnion, members: list[GatedMember], types: list[frozenset[str]]
    ) -> bool:
        """Return whether a value of one of *members* may be valid for two at another version.

        That is so if one of them has a history, and can't be distinguished from the others.
        """
        for name in TYPES:
            having = [m.schema for m, its in zip(members, types, strict=True) if name in its]
            if len(having) < 2 or not any(map(self.view.restates, having)):
                continue
            tag = name == "object" and find_tag(self.view.given, union, having)
            if not tag and not all(self.view.apart(*pair) for pair in combinations(having, 2)):
                return True
        return False

    def _of_type(
        self,
        name: str,
        union: FlatUnion,
        members: list[GatedMember],
        nodes: list[Node],
        types: list[frozenset[str]],
        around: FlatSchema | None,
    ) -> Node:
        """Return the node of a value of the JSON type *name*, by the members of that type."""
        having = [i for i, each in enumerate(types) if name in each]
        own = [nodes[i] for i in having]
        if all(node == own[0] for node in own[1:]):
            return own[0]
        members = [members[i] for i in having]
        tag = None
        if name == "object":
            tag = find_tag(self.view.given, union, [each.schema for each in members])
        if tag is None:
            joint = self._join_members(union, members, around) if name == "object" else []
            return self._choose_by_schema(union, members, own, joint)
        return self._choose_by_tag(union, tag, members, own)

    def _choose_by_tag(
        self, union: FlatUnion, tag: str, members: list[GatedMember], nodes: list[Node]
    ) -> dict[str, Any]:
        by_value = {
            value: node
            for member, node in zip(members, nodes, strict=True)
            for value in list_tags(self.view.given, member.schema, tag, union)
        }
        choice: dict[str, Any] = {"tag": tag, "members": dict(sorted(by_value.items()))}
        for member, node in zip(members, nodes, strict=True):
            if tag == union.tags.property and is_default(self.view, member.schema, union.tags):
                choice["otherwise"] = node
        return choice

    def _join_members(
        self, union: FlatUnion, members: list[GatedMember], base: FlatSchema | None
    ) -> list[dict[str, Any]]:
        """Return the choices of requests that fit several of *members* and need what each has."""
        if union.is_one or self.view.way is Way.DOWN:
            return []
        choices = []
        for joint in list_joint(self.view, members, base):
            schemas = [members[at].schema for at in joint]
            flat = self._combine(schemas, base)
            if not list_clashing(self.view, flat):
                schema = together(self.view.describe_read(each) for each in schemas)
                choices.append({"schema": schema, "then": self.flat(flat)})
        return choices

    def _choose_by_schema(
        self,
        union: FlatUnion,
        members: list[GatedMember],
        nodes: list[Node],
        joint: list[dict[str, Any]],
    ) -> Node:
        """Return the node of a value whose members only validation can distinguish.

        A value that is valid for several of them belongs to one that the version has.
        """
        order = sorted(range(len(members)), key=lambda at: not members[at].shown)
        choice: dict[str, Any] = {
            "tried": [
                *joint,
                *(
                    {"schema": self.view.describe_read(members[at].schema), "then": nodes[at]}
                    for at in order
                ),
            ]
        }
        shown = [each.schema for each in members if each.shown]
        if (
            union.is_one
            and self.view.way is Way.DOWN
            and not all(self.view.apart(*pair) for pair in combinations(shown, 2))
        ):
            choice["fits"] = {"oneOf": [self.view.describe_shown(schema) for schema in shown]}
            choice["source"] = Withholder(union.schema, ("oneOf",))
        return choice

    def _member(self, member: GatedMember, base: FlatSchema | None) -> Node:
        """Return the node of a value of *member* that *base* describes, too."""
        if not member.shown:
            return {**self.view.instead(member.schema, ()), "source": Withholder(member.gated)}
        if base is None:
            return self.node(member.schema)
        return self.flat(self._combine([member.schema], base))

    def _combine(self, schemas: list[Any], base: FlatSchema | None) -> FlatSchema:
        flat = FlatSchema() if base is None else base.copy()
        flat.schemas += tuple(schemas)
        for schema in schemas:
            self.view.add(flat, schema)
        return flat


def _mark_kept(node: Node, hidden: frozenset[str], union: FlatUnion) -> Node:
    """Return *node*, marked by a source without keywords if it leaves out *hidden* fields only.

    Its value is still one of the same members of *union*.
    """
    if isinstance(node, dict) and node.keys() == {"left_out"} and hidden.issuperset(*node.values()):
        return {**node, "source": Withholder(union.schema)}
    return node


def _decides(schema: Any) -> bool:
    """Return whether *schema*, beside others, may decide how a value is converted."""
    return not isinstance(schema, dict) or WAS in schema or not CONVERTING.isdisjoint(schema)
