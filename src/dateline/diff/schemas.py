"""Read the schemas of one document: references, `allOf`, and different spellings of the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from weakref import proxy

from dateline.diff.defaults import NEEDED, is_default
from dateline.diff.documents import DocumentIndex
from dateline.diff.graph import identity
from dateline.diff.views import (
    SchemaView,
    Variant,
    Variants,
    apply_to_others,
    complete_types,
    enumerate_values,
    read_keyword,
)
from dateline.schema.access import ACCESS, access_of
from dateline.schema.dialect import NOTES
from dateline.schema.parts import NOTHING, Part, PartReader, Parts, list_members, may_be_value
from dateline.schema.references import Located, component, escape
from dateline.schema.types import UNIONS, type_of
from dateline.schema.values import text
from dateline.schema.variants import lists_variants

_EVALUATING: Final = ("if", "contains")
_COUNTED: Final = ("contains", "minContains")
# Keywords that concern the values of one type only.
_OF_NUMBERS: Final = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_OF_TYPE: Final = {
    "string": {"minLength", "maxLength", "pattern"},
    **dict.fromkeys(("integer", "number"), _OF_NUMBERS),
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "object": {
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties", "dependentRequired"),
    },
}


class Schemas:
    """The schemas of one document, each read once."""

    def __init__(self, document: DocumentIndex) -> None:
        self.document = document
        self.reader = PartReader(document.root)
        self.parts = self.reader.parts
        self._views: dict[tuple[Any, ...], SchemaView] = {}

    def read(self, located: Iterable[Located]) -> SchemaView:
        """Return the joint meaning of the schemas *located*."""
        return self.view(self.parts(located))

    def view(self, parts: Parts) -> SchemaView:
        """Return the joint meaning of *parts*."""
        key = identity(parts)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._read(parts)
        return view

    def access(self, located: list[Located]) -> str:
        """Return the keyword that limits a property to one direction; empty if none does."""
        hints = {*ACCESS, "$ref", "allOf", *UNIONS}
        if not any(isinstance(node, dict) and node.keys() & hints for node, _ in located):
            return ""
        return access_of(self.parts(located))

    def _read(self, parts: Parts) -> SchemaView:
        view = SchemaView(parts, self)
        for part in parts:
            node = part.node
            for keyword, value in node.items():
                if keyword in UNIONS and isinstance(value, list):
                    # null is no member of its own, and so is not compared with one
                    view.nulls += self.reader.choice(node, part.pointer, keyword).nulls
                if keyword in part.skip or is_default(keyword, value):
                    continue
                if keyword in NEEDED and self._is_idle(node, keyword):
                    continue
                if keyword in NOTES and any(keyword in known for known in part.above):
                    continue  # what is beside a reference overrides its target
                if keyword in UNIONS and isinstance(value, list) and value:
                    self._union(view, part, keyword)
                elif keyword != "discriminator" or not self._is_union(part):
                    read_keyword(view, part, keyword, part.at(keyword))
        complete_types(view)
        for part in parts if len(parts) > 1 else ():
            apply_to_others(view, part)
        view.variants = self._variants(view)
        return view

    def _is_idle(self, node: dict[str, Any], keyword: str) -> bool:
        """Return whether *keyword* means nothing beside the other keywords of *node*."""
        if keyword in _EVALUATING and self.document.closes:
            return False  # whatever it evaluates is no longer unevaluated
        if keyword in _COUNTED and _is_zero(node.get("minContains")) and "maxContains" not in node:
            return not self.document.closes
        return node.keys().isdisjoint(NEEDED[keyword])

    def _variants(self, view: SchemaView) -> Variants | None:
        """Return the schemas that a discriminator without a union chooses from, if there is one.

        They extend the component that is used here. What that component extends itself only
        provides the discriminator: its other subtypes are not used here.
        """
        facts = view.facts.get("discriminator")
        if not facts or not isinstance(facts[0].value, dict):
            return None
        known = self.document.subtypes
        named = _schema_names(view.parts)
        here = [name for name in named if known.get(name, NOTHING).isdisjoint(named)]
        below = {subtype for name in here for subtype in known.get(name, NOTHING)}
        at = facts[0].pointer.removesuffix("/discriminator")
        part = next(part for part in view.parts if part.pointer == at)
        tagged = {name for owner in _schema_names((part,)) for name in known.get(owner, NOTHING)}
        return Variants(
            "discriminator",
            facts[0].pointer,
            tuple(map(self._component, sorted(below))),
            discriminator=facts[0],
            null="",
            part=part,
            beside=view.parts,
            schemas=view.schemas,
            own=next((self._component(name) for name in here if name in tagged), None),
            tagged=frozenset(self._component(name).target for name in tagged),
        )

    def _component(self, name: str) -> Variant:
        pointer = f"/components/schemas/{escape(name)}"
        node = Located(self.document.section("schemas")[name], pointer)
        return Variant(node, self.parts([node]), pointer, name, proxy(self))

    def _union(self, view: SchemaView, part: Part, keyword: str) -> None:
        node, pointer = part.node, part.pointer
        choice = self.reader.choice(node, pointer, keyword)
        null = part.null or choice.null
        if choice.values is not None:
            values = [
                Located(
                    {key: value for key, value in one.items() if not is_default(key, value)}, at
                )
                for one, at in choice.values
            ]
            enumerate_values(view, values, null, Located(keyword, f"{pointer}/{keyword}"))
            return
        known = self._known_values(choice.members) if keyword == "anyOf" else None
        if known is not None:
            bare, listed = known
            read_keyword(view, part._replace(null=null), "type", bare)
            view.open_values_at = view.open_values_at or listed[0].pointer
            view.open_values = {text(one.value): one for one in listed} | (view.open_values or {})
            return
        is_dict = isinstance(node.get("discriminator"), dict)
        has_discriminator = is_dict and self._is_union(part)
        view.unions.append(
            Variants(
                keyword=keyword,
                pointer=f"{pointer}/{keyword}",
                members=tuple(map(self._member, choice.members)),
                discriminator=part.at("discriminator") if has_discriminator else None,
                null=null,
                part=part,
                beside=view.parts,
                schemas=view.schemas,
            )
        )

    def _known_values(self, members: list[Located]) -> tuple[Located, list[Located]] | None:
        """Return the type and the values of a union that lists values of a type.

        A union of any string and some strings is an open-ended string; None for all others.
        """
        bare: list[Located] = []
        listed: list[Located] = []
        for member in members:
            node, pointer = self.reader.goal(member)
            if not may_be_value(node):
                return None
            if "enum" in node and isinstance(node["enum"], list):
                listed += list_members(node, pointer, "enum")
            elif "const" in node:
                listed.append(Located(node["const"], f"{pointer}/const"))
            elif isinstance(node.get("type"), str):
                bare.append(Located(node["type"], f"{pointer}/type"))
            else:
                return None
        if len(bare) != 1 or not listed:
            return None
        types = {bare[0].value, "integer"} if bare[0].value == "number" else {bare[0].value}
        fits = all(type_of(value) in types for value, _ in listed)
        return (bare[0], listed) if fits else None

    def join_members(self, union: Variants) -> SchemaView | None:
        """Return *union* and its siblings as one schema of several types, if possible.

        Each member must have its own type, and no constraints for the type of another one.
        """
        types: set[str] = set()
        bounded: set[str] = set()
        parts = list(union.rest)
        for member in union.members:
            own = member.view
            names = own.types or set()
            allowed = set().union(*(_OF_TYPE.get(name, ()) for name in names)) | {"type"} | NOTES
            keys = {key for part in member.parts for key in part.node if key not in part.skip}
            # of several equal types `anyOf` allows each, and `oneOf` none
            says_more = not keys <= {"type"} | NOTES
            overlaps = bool(types & names) and (union.keyword == "oneOf" or says_more)
            overlaps = overlaps or bool(bounded & names)
            if not own.declared or overlaps or keys - allowed or union.discriminator:
                return None
            types |= names
            bounded |= names if says_more else set()
            parts += [part._replace(skip=part.skip | {"type"}) for part in member.parts]
        found = self._read(tuple(parts))
        types |= {"null"} if union.null else set()
        found.types = types if found.types is None else found.types & types
        found.types_at, found.declared = union.pointer, True
        found.null_at = found.null_at or union.null
        return found

    def _is_union(self, part: Part) -> bool:
        """Return whether *part* chooses between schemas that a discriminator can name."""
        return lists_variants(part.node) and any(
            isinstance(part.get(keyword), list)
            and self.reader.choice(part.node, part.pointer, keyword).values is None
            for keyword in UNIONS
        )

    def _member(self, located: Located) -> Variant:
        value = located.value
        if isinstance(value, dict) and len(value) > 1 and "$ref" in value:
            # keys beside a reference do not hide its target
            located_at = Located({"$ref": value["$ref"]}, located.pointer)
        else:
            located_at = located
        way = (node.pointer for node in self.reader.way(located_at))
        goal = self.document.find_variant(located_at.value) or located.pointer
        target = next(filter(component, way), goal)
        known = component(target)
        name = known[1] if known else None
        return Variant(located, self.parts([located]), target, name, proxy(self))


def _is_zero(value: Any) -> bool:
    return value == 0 and not isinstance(value, bool)


def _schema_names(parts: Parts) -> list[str]:
    """Return the names of the schemas among *parts* that are components, outermost first."""
    known = (component(part.pointer) for part in parts)
    return [found[1] for found in known if found is not None and found[0] == "schemas"]
