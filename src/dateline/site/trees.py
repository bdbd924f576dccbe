"""Schemas as trees of rows: the facts about each field for readers, in source order.

A component is laid out if it is the value itself; below that, its name links to its own page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from dateline.model import EXTENSIBLE
from dateline.openapi import value_schema
from dateline.schema.limits import Keywords, describe_limits, merge_keywords
from dateline.schema.parts import Part, PartReader
from dateline.schema.references import Located, component, escape
from dateline.schema.types import EVERY_TYPE, UNIONS, choices, declared_types
from dateline.site.contents import follow_object
from dateline.site.marks import Marks

_MOST_VALUES: Final = 200
"""So many values of an enumeration are listed; the page counts the others."""

_MOST_BESIDE: Final = 12
"""So many of them are listed where the enumeration has a page of its own."""

_DEEPEST: Final = 12
"""Inline schemas are laid out this deep: no API nests deeper on purpose."""

_SEVERAL: Final[tuple[str, ...]] = ("object", "array", "string", "number", "boolean")
"""The types of JSON but null; an integer is a number."""

_OWN_WORDS: Final = frozenset({"description", "deprecated"})
"""What a row says itself where its schema is the name of a component."""

_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedValue:
    """A value of an enumeration, as JSON, with its history."""

    text: str
    description: str
    marks: Marks
    state: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeRow:
    """A field, an item, a variant or a parameter.

    ``component`` is the schema whose page, ``page``, has more; ``whole`` is its tree, if that is
    shown here, too. ``type`` says what a value is, ``limits`` are its constraints, and ``rows`` its
    contents. ``anchor`` is its id within a page. If two versions are compared, ``state`` is
    ``added``, ``removed`` or ``changed``, and ``before`` is the former value.
    """

    name: str
    anchor: str
    role: str
    type: str = ""
    component: str | None = None
    page: str = ""
    whole: TreeRow | None = None
    is_required: bool = False
    is_deprecated: bool = False
    description: str = ""
    limits: tuple[str, ...] = ()
    values: tuple[ListedValue, ...] = ()
    more_values: int = 0
    is_open: bool = False
    marks: Marks = ()
    rows: tuple[TreeRow, ...] = ()
    state: str = ""
    before: str = ""

    @property
    def contents(self) -> str:
        """What the ``rows`` are: `variants`, `fields and other members`."""
        return " and ".join(dict.fromkeys(f"{row.role}s" for row in self.rows))

    @property
    def words(self) -> str:
        """The text about the value itself, for comparison with that of another version."""
        found = [self.type, self.component or "", *self.limits]
        found += ["required" if self.is_required else "optional"]
        return ", ".join(each for each in found if each)


class _RowPlace(NamedTuple):
    """The place of a row: its name, its id, its role in its parent, and its depth."""

    name: str
    anchor: str
    role: str
    is_required: bool = False
    deep: int = 0

    def below(self, name: str, role: str, step: str, *, is_required: bool = False) -> _RowPlace:
        """Return the place of the target of *step*."""
        return _RowPlace(name, name_anchor(self.anchor, step), role, is_required, self.deep + 1)


def name_anchor(around: str, step: str) -> str:
    """Return the id of the target of *step*, which must not contain blanks."""
    return f"{around}.{_BLANKS.sub('-', step)}"


class Trees:
    """The trees of the schemas of one document.

    *marks* are those of its nodes, by pointer, *pages* the names of the pages of components.
    *known* returns the tree of a component from another version, or None.
    """

    def __init__(
        self,
        document: dict[str, Any],
        marks: dict[str, Marks],
        pages: Mapping[str, str],
        known: Callable[[str], TreeRow | None],
    ) -> None:
        self._reader = PartReader(document)
        self._schemas = self._reader.resolver.section("schemas")
        self._pages = pages
        self._marks = marks
        self._known = known
        self._components: dict[str, TreeRow] = {}
        self._briefs: dict[str, TreeRow] = {}

    def component(self, name: str) -> TreeRow:
        """Return the tree of the component *name*."""
        if name not in self._components:
            known = self._known(name)
            place = _RowPlace("", "schema", "page")
            self._components[name] = known or self._lay_out(self._at(name), place)
        return self._components[name]

    def body(self, schema: Located, anchor: str) -> TreeRow:
        """Return the row of a whole value; a component that it is, or lists, is laid out."""
        return self._row(schema, _RowPlace("", anchor, "body"), is_whole=True)

    def parameter(self, located: Located) -> TreeRow:
        """Return the row of a parameter, which may be a reference."""
        node = follow_object(self._reader.resolver, located).value
        return self._message_field(located, str(node.get("name", "")), str(node.get("in", "")))

    def header(self, name: str, located: Located, around: str) -> TreeRow:
        """Return the row of the header *name* of the response *around*; it may be a reference."""
        return self._message_field(located, name, "header", f"{around}.")

    def _message_field(self, located: Located, name: str, role: str, around: str = "") -> TreeRow:
        goal = follow_object(self._reader.resolver, located)
        node = goal.value
        schema = Located(value_schema(node, {}), f"{goal.pointer}/schema")
        is_required = bool(node.get("required"))
        place = _RowPlace(name, name_anchor(f"{around}{role}", name), role, is_required)
        row = self._row(schema, place)
        return replace(
            row,
            description=str(node.get("description") or row.description),
            is_deprecated=bool(node.get("deprecated")) or row.is_deprecated,
            marks=(*self._marks_at([located.pointer, goal.pointer]), *row.marks),
        )

    def _at(self, name: str) -> Located:
        return Located(self._schemas[name], f"/components/schemas/{escape(name)}")

    def _marks_at(self, pointers: Iterable[str]) -> Marks:
        # very few nodes have marks
        found = [self._marks[each] for each in pointers if each in self._marks]
        return tuple(dict.fromkeys(chain.from_iterable(found))) if found else ()

    def _row(self, schema: Located, place: _RowPlace, *, is_whole: bool = False) -> TreeRow:
        """Return the row of *schema*: for a component, its name; with *is_whole*, its tree, too."""
        called = self._component(schema)
        if called is None:
            return self._lay_out(schema, place, is_whole=is_whole)
        node = schema.value if isinstance(schema.value, dict) else {}
        return replace(
            self._brief(called),
            name=place.name,
            anchor=place.anchor,
            role=place.role,
            is_required=place.is_required,
            is_deprecated=node.get("deprecated") is True,
            description=str(node.get("description") or ""),
            marks=self._marks_at([schema.pointer]),
            whole=self.component(called) if is_whole else None,
        )

    def _brief(self, name: str) -> TreeRow:
        """Return the short description of the component *name*."""
        if name not in self._briefs:
            located = self._at(name)
            parts = self._reader.parts([located])
            variants = [
                TreeRow(
                    name=each,
                    anchor="",
                    role="variant",
                    component=each,
                    page=self._pages[each],
                    marks=self._marks_at([member.pointer]),
                )
                for member in self._members(parts)
                if (each := self._component(member)) is not None
            ]
            self._briefs[name] = TreeRow(
                name="",
                anchor="",
                role="",
                component=name,
                page=self._pages[name],
                rows=tuple(variants),
                **self._describe(parts, merge_keywords(parts), _MOST_BESIDE),
            )
        return self._briefs[name]

    def _lay_out(self, schema: Located, place: _RowPlace, *, is_whole: bool = False) -> TreeRow:
        """Return the row of *schema* with all of its contents."""
        parts = self._reader.parts([schema])
        own = [part.pointer for part in parts if part.pointer.startswith(schema.pointer)]
        merged = merge_keywords(parts)
        is_deep = place.deep >= _DEEPEST
        return TreeRow(
            name=place.name,
            anchor=place.anchor,
            role=place.role,
            is_required=place.is_required,
            is_deprecated=merged.get("deprecated") is True,
            description=str(merged.get("description") or ""),
            limits=tuple(describe_limits(merged)),
            marks=self._marks_at([schema.pointer, *own]),
            rows=() if is_deep else tuple(self._below(parts, place, is_whole=is_whole)),
            **self._describe(parts, merged, _MOST_VALUES),
        )

    def _describe(self, parts: tuple[Part, ...], merged: Keywords, most: int) -> dict[str, Any]:
        """Return the type and the values in a row, at most *most* values."""
        values = list(self._values(parts))
        return {
            "type": self._type(parts, merged),
            "values": tuple(values[:most]),
            "more_values": max(0, len(values) - most),
            "is_open": merged.get(EXTENSIBLE) is not None,
        }

    def _component(self, schema: Located) -> str | None:
        """Return the name of the component that *schema* is an alias of, but for its own words."""
        if isinstance(schema.value, dict):
            bare = {key: each for key, each in schema.value.items() if key not in _OWN_WORDS}
            schema = schema._replace(value=bare)
        for each in self._reader.way(schema):
            found = component(each.pointer)
            if found is not None and found[0] == "schemas":
                return found[1]
        return None

    def _type(self, parts: tuple[Part, ...], merged: Keywords) -> str:
        """Return the type of a value, in words."""
        types = EVERY_TYPE
        for part in parts:
            types &= declared_types(
                {key: part.node[key] for key in part.node if key not in part.skip}
            )
        names = [name for name in _SEVERAL if name in types]
        names += ["integer"] if "integer" in types and "number" not in types else []
        is_any = len(names) == len(_SEVERAL)
        words = self._guess(parts) if is_any else " or ".join(names)
        if merged.get("format") and names != ["object"]:
            words = f"{words} ({merged.get('format')})".strip()
        is_null = "null" in types and not is_any
        return f"{words} or null" if is_null and words else words or ("null" if is_null else "")

    def _guess(self, parts: tuple[Part, ...]) -> str:
        listed = [choices(part.node) for part in parts]
        if any(each is not None for each in listed):
            return "value"
        if any(part.get(union) for part in parts for union in UNIONS):
            return "one of several"
        if any(part.get("properties") for part in parts):
            return "object"
        return "any value"

    def _values(self, parts: tuple[Part, ...]) -> Iterator[ListedValue]:
        for part in parts:
            node = {key: part.node[key] for key in part.node if key not in part.skip}
            listed = choices(node)
            words = node.get("x-enum-descriptions")
            for index, each in enumerate(listed or ()):
                text = json.dumps(each, ensure_ascii=False)
                texts = (
                    words.get(each, "") if isinstance(words, dict) and isinstance(each, str) else ""
                )
                yield ListedValue(
                    text=text,
                    description=str(texts),
                    marks=self._marks_at([f"{part.pointer}/enum/{index}"]),
                )
            if listed is None:
                for each in part.get(EXTENSIBLE) or ():
                    yield ListedValue(
                        text=json.dumps(each, ensure_ascii=False), description="", marks=()
                    )

    def _below(
        self, parts: tuple[Part, ...], place: _RowPlace, *, is_whole: bool
    ) -> Iterator[TreeRow]:
        required = {str(name) for part in parts for name in part.get("required") or ()}
        known: dict[str, Located] = {}
        for part in parts:
            for name, child in part.get("properties", {}).items():
                known[name] = Located(child, f"{part.pointer}/properties/{escape(name)}")
        for name, located in known.items():
            below = place.below(name, "field", name, is_required=name in required)
            yield self._row(located, below)
        for part in parts:
            yield from self._items(part, place, is_whole=is_whole)
        for index, member in enumerate(self._members(parts)):
            name = self._component(member) or f"variant {index + 1}"
            yield self._row(member, place.below(name, "variant", name))

    def _items(self, part: Part, place: _RowPlace, *, is_whole: bool) -> Iterator[TreeRow]:
        """Yield the rows of items and of members without a name of their own."""
        if isinstance(part.get("items"), dict):
            below = place.below("[ ]", "item", "item")
            yield self._row(part.at("items"), below, is_whole=is_whole)
        if isinstance(part.get("additionalProperties"), dict):
            below = place.below("{ }", "other member", "other")
            yield self._row(part.at("additionalProperties"), below)
        for index, each in enumerate(part.get("prefixItems", ())):
            at = Located(each, f"{part.pointer}/prefixItems/{index}")
            yield self._row(at, place.below(f"[{index}]", "item", f"item-{index}"))
        for name, each in part.get("patternProperties", {}).items():
            at = Located(each, f"{part.pointer}/patternProperties/{escape(name)}")
            yield self._row(at, place.below(f"{{{name}}}", "member", f"member-{name}"))

    def _members(self, parts: tuple[Part, ...]) -> Iterator[Located]:
        """Yield the members of unions, except of those that list values."""
        for part in parts:
            for keyword in UNIONS:
                if isinstance(part.get(keyword), list):
                    choice = self._reader.choice(part.node, part.pointer, keyword)
                    if choice.values is None and len(choice.members) > 1:
                        yield from choice.members
