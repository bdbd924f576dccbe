"""A schema in, what it says: references, `allOf` and other spellings of the same seen through."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.documents import Document, Node, component, escape, text
from dateline.diff.graph import NOTHING, Part, Parts, identity
from dateline.diff.views import (
    ACCESS,
    ANYTHING,
    NEVER,
    READERS,
    VALUE,
    Member,
    Union,
    View,
    enumerate_values,
    is_default,
    plain,
    reach_others,
    settle,
    value_of,
)
from dateline.schema.dialect import NOTES, OR_NULL, admits_null, is_null_union, is_old
from dateline.schema.types import UNIONS, type_of
from dateline.schema.variants import lists_variants

# References to references are followed this far: none is this long unless it is a circle.
_FAR: Final = 100
# Keywords whose members may be merged into what a schema says.
_MERGED: Final = ("allOf", *UNIONS)
# Keywords that mean nothing without one of others (JSON Schema 2020-12, core, section 10.2.2;
# validation, sections 6.4.4, 6.4.5 and 8.5).
_NEEDED: Final = {
    **dict.fromkeys(("then", "else"), ("if",)),
    "if": ("then", "else"),
    **dict.fromkeys(("minContains", "maxContains"), ("contains",)),
    "contentSchema": ("contentMediaType",),
}
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
_VALUE_KEYS: Final = VALUE | NOTES | {"deprecated"}


class _Choice(NamedTuple):
    """The members of a union but null; where null stands; what they are if all are values."""

    members: list[Node]
    null: str
    values: list[Node] | None


def says(parts: Parts) -> bool:
    """Tell whether *parts* say anything at all: `{}` does not."""
    return any(len(part.skip) < len(part.node) for part in parts)


class Schemas:
    """The schemas of one document, each read once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._is_old = is_old(document.root)
        self._views: dict[tuple[Any, ...], View] = {}
        # beside the parts what they are of: an id is unique only while its object lives
        self._parts: dict[tuple[Any, ...], tuple[list[Node], Parts]] = {}

    def parts(self, located: Iterable[Node]) -> Parts:
        """Return the nodes that together say what all of *located* say, outermost first.

        A reference, an `allOf` and a union of one member are seen through.
        """
        nodes = list(located)
        key = tuple((id(value), pointer) for value, pointer in nodes)
        known = self._parts.get(key)
        if known is None:
            known = self._parts[key] = nodes, self._seen_through(nodes)
        return known[1]

    def _seen_through(self, located: list[Node]) -> Parts:
        found: list[Part] = []
        outer: Part | None = None
        met: set[tuple[int, bool]] = set()
        stack = [Part(*one) for one in located][::-1]
        while stack:
            part = stack.pop()
            if isinstance(part.node, bool):
                part = part._replace(node=ANYTHING if part.node else NEVER)
            if not isinstance(part.node, dict) or (id(part.node), bool(part.null)) in met:
                continue
            met.add((id(part.node), bool(part.null)))
            null = part.node.get(OR_NULL) or self._null_union(part.node)
            if null:
                part = part._replace(null=f"{part.pointer}/{null}")
            skip, below = self._through(part)
            # a component stays even where it says nothing itself: it has a name
            if len(skip) < len(part.node) or component(part.pointer):
                found.append(part._replace(skip=skip))
            outer = outer or part._replace(skip=skip)
            stack += reversed(below)
        if not found and outer:
            found.append(outer)  # says nothing, but has a place
        return tuple(found)

    def _through(self, part: Part) -> tuple[frozenset[str], list[Part]]:
        """Return the keys of *part* that say nothing themselves, and what they lead to."""
        node, pointer = part.node, part.pointer
        above = (*part.above, node)
        skip: list[str] = []
        below: list[Part] = []
        if "$ref" in node:
            goal = self.document.target(node["$ref"])
            if goal is not None:
                skip.append("$ref")
                below.append(Part(*goal, above=above, null=part.null, via=pointer))
        if isinstance(node.get("allOf"), list):
            skip.append("allOf")
            below += [
                Part(*one, above=above, null=part.null) for one in _items(node, pointer, "allOf")
            ]
        for keyword in UNIONS:
            if isinstance(node.get(keyword), list):
                choice = self._choice(node, pointer, keyword)
                if len(choice.members) == 1 and choice.values is None:
                    skip.append(keyword)
                    null = part.null or choice.null
                    below.append(Part(*choice.members[0], above=above, null=null))
        return (frozenset(skip) if skip else NOTHING), below

    def view(self, parts: Parts) -> View:
        """Return what *parts* say together."""
        key = identity(parts)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._read(parts)
        return view

    def constants(self, view: View) -> dict[str, str]:
        """Return the properties that have one value only, and the text of it."""
        found = {}
        for name, located in view.properties.items():
            # most properties can be told from their own keys not to be constant
            if any(
                isinstance(node, dict) and node.keys() & {"const", "enum", "$ref", "allOf"}
                for node, _ in located
            ):
                values = self.view(self.parts(located)).values
                if values is not None and len(values) == 1:
                    found[name] = next(iter(values))
        return found

    def access(self, located: list[Node]) -> str:
        """Return the keyword that keeps a property to one direction; empty if none does."""
        hints = {*ACCESS, "$ref", *_MERGED}
        if not any(isinstance(node, dict) and node.keys() & hints for node, _ in located):
            return ""
        facts = self.view(self.parts(located)).facts
        found = [
            keyword
            for keyword in ACCESS
            if any(fact.value is True for fact in facts.get(keyword, ()))
        ]
        return found[0] if len(found) == 1 else ""

    def _read(self, parts: Parts) -> View:
        view = View(parts)
        for part in parts:
            node, pointer = part.node, part.pointer
            for keyword, value in node.items():
                if keyword in part.skip or is_default(keyword, value):
                    continue
                if keyword in _NEEDED and self._is_idle(node, keyword):
                    continue
                if keyword in NOTES and any(keyword in known for known in part.above):
                    continue  # what is said beside a reference overrides what is said behind it
                at = f"{pointer}/{escape(keyword)}"
                if keyword in UNIONS and isinstance(value, list) and value:
                    self._union(view, part, keyword)
                elif keyword == "discriminator" and self._is_union(node, pointer):
                    pass  # told with the union
                elif keyword in READERS:
                    READERS[keyword](view, part, Node(value, at))
                else:
                    plain(view, keyword, Node(value, at))
        settle(view)
        for part in parts if len(parts) > 1 else ():
            reach_others(view, part)
        view.variants = self._variants(view)
        return view

    def _is_idle(self, node: dict[str, Any], keyword: str) -> bool:
        """Tell whether *keyword* says nothing without others beside it, which are absent."""
        # what `if` alone looks at is no longer unevaluated
        looked_at = keyword == "if" and self.document.closes
        return node.keys().isdisjoint(_NEEDED[keyword]) and not looked_at

    def _variants(self, view: View) -> Union | None:
        """Return the schemas that a discriminator without a union chooses among, if there is one.

        They extend the component that stands here. What that one extends itself only gives it
        the discriminator: its other subtypes do not stand here.
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
        told = {name for owner in _schema_names((part,)) for name in known.get(owner, NOTHING)}
        return Union(
            "discriminator",
            facts[0].pointer,
            tuple(map(self._component, sorted(below))),
            discriminator=facts[0],
            null="",
            part=part,
            own=next((self._component(name) for name in here if name in told), None),
            told=frozenset(self._component(name).target for name in told),
        )

    def _component(self, name: str) -> Member:
        pointer = f"/components/schemas/{escape(name)}"
        node = Node(self.document.section("schemas")[name], pointer)
        return Member(node, self.parts([node]), pointer, name)

    def _union(self, view: View, part: Part, keyword: str) -> None:
        node, pointer = part.node, part.pointer
        choice = self._choice(node, pointer, keyword)
        null = part.null or choice.null
        if choice.values is not None:
            enumerate_values(view, choice.values, null, Node(keyword, f"{pointer}/{keyword}"))
            return
        known = self._known_values(choice.members) if keyword == "anyOf" else None
        if known is not None:
            bare, listed = known
            READERS["type"](view, part._replace(null=null), bare)
            view.open_values_at = view.open_values_at or listed[0].pointer
            view.open_values = {text(one.value): one for one in listed} | (view.open_values or {})
            return
        discriminator = node.get("discriminator") if self._is_union(node, pointer) else None
        view.unions.append(
            Union(
                keyword=keyword,
                pointer=f"{pointer}/{keyword}",
                members=tuple(map(self._member, choice.members)),
                discriminator=Node(discriminator, f"{pointer}/discriminator")
                if isinstance(discriminator, dict)
                else None,
                null=null,
                part=part,
            )
        )

    def _known_values(self, members: list[Node]) -> tuple[Node, list[Node]] | None:
        """Return the type, and the values, of a union that names values of a type.

        What is any string, or one of some strings, is an open-ended string: None for all else.
        """
        bare: list[Node] = []
        listed: list[Node] = []
        for member in members:
            node, pointer = deque(self._way(member), maxlen=1)[0]
            if not _may_be_value(node) or OR_NULL in node:
                return None
            if "enum" in node and isinstance(node["enum"], list):
                listed += (Node(one, f"{pointer}/enum/{i}") for i, one in enumerate(node["enum"]))
            elif "const" in node:
                listed.append(Node(node["const"], f"{pointer}/const"))
            elif isinstance(node.get("type"), str):
                bare.append(Node(node["type"], f"{pointer}/type"))
            else:
                return None
        if len(bare) != 1 or not listed:
            return None
        types = {bare[0].value, "integer"} if bare[0].value == "number" else {bare[0].value}
        fits = all(type_of(value) in types for value, _ in listed)
        return (bare[0], listed) if fits else None

    def joined(self, view: View, union: Union) -> View | None:
        """Return *view* with *union* as one schema of several types, if it can be written so.

        Each member has its own type, and says nothing that concerns the type of another one.
        """
        types: set[str] = set()
        bounded: set[str] = set()
        parts = list(view.rest(union))
        for member in union.members:
            own = self.view(member.parts)
            names = own.types or set()
            allowed = set().union(*(_OF_TYPE.get(name, ()) for name in names)) | {"type"} | NOTES
            said = {key for part in member.parts for key in part.node if key not in part.skip}
            # of several equal types `anyOf` takes any, and `oneOf` none
            says_more = not said <= {"type"} | NOTES
            overlaps = bool(types & names) and (union.keyword == "oneOf" or says_more)
            overlaps = overlaps or bool(bounded & names)
            if not own.declared or overlaps or said - allowed or union.discriminator:
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

    def _is_union(self, node: dict[str, Any], pointer: str) -> bool:
        """Tell whether *node* chooses between schemas that a discriminator can name."""
        return lists_variants(node) and any(
            isinstance(node.get(keyword), list)
            and self._choice(node, pointer, keyword).values is None
            for keyword in UNIONS
        )

    def _choice(self, node: dict[str, Any], pointer: str, keyword: str) -> _Choice:
        listed = list(self._flattened(node, pointer, keyword, set()))
        plain = [deque(self._way(member), maxlen=1)[0] for member in listed]
        nulls = [_is_null(member.value) for member in plain]
        several = keyword == "oneOf" and any(nulls) and not self._null_union(node)
        if all(nulls) or (several and sum(self._admits_null(one.value) for one in plain) > 1):
            # a union of null alone keeps it; and where two members take null, `oneOf` takes none
            nulls = [False] * len(nulls)
        kept = [member for member, null in zip(plain, nulls, strict=True) if not null]
        return _Choice(
            members=[member for member, null in zip(listed, nulls, strict=True) if not null],
            null=next((one.pointer for one, null in zip(listed, nulls, strict=True) if null), ""),
            values=kept if _are_values(keyword, kept) else None,
        )

    def _null_union(self, node: dict[str, Any]) -> str:
        is_one = self._is_old and is_null_union(node, self._target)
        return "oneOf" if is_one else ""

    def _admits_null(self, schema: Any) -> bool:
        return admits_null(schema, self._target)

    def _target(self, reference: str) -> Any:
        goal = self.document.target(reference)
        return goal.value if goal else None

    def _flattened(
        self, node: dict[str, Any], pointer: str, keyword: str, met: set[int]
    ) -> Iterator[Node]:
        """Yield the members of a union; those of an `anyOf` within `anyOf` are its own."""
        for member in _items(node, pointer, keyword):
            goal = deque(self._way(member), maxlen=1)[0]
            inner = goal.value
            nested = isinstance(inner, dict) and isinstance(inner.get(keyword), list)
            if (
                nested
                and keyword == "anyOf"
                and "discriminator" not in node
                and inner.keys() <= {keyword} | NOTES
                # null is told of the union that names it
                and not any(map(_is_null, inner[keyword]))
                and id(inner) not in met
            ):
                yield from self._flattened(inner, goal.pointer, keyword, met | {id(inner)})
            else:
                yield member

    def _way(self, located: Node) -> Iterator[Node]:
        """Yield what a node leads to that is nothing but a reference or an `allOf` of one."""
        seen = located
        for _ in range(_FAR):
            yield seen
            value, pointer = seen
            if not isinstance(value, dict) or len(value) != 1:
                return
            goal = self.document.target(value.get("$ref"))
            if goal is not None:
                seen = goal
            elif isinstance(value.get("allOf"), list) and len(value["allOf"]) == 1:
                seen = Node(value["allOf"][0], f"{pointer}/allOf/0")
            else:
                return

    def _member(self, located: Node) -> Member:
        value = located.value
        if isinstance(value, dict) and len(value) > 1 and "$ref" in value:
            # what stands beside a reference does not hide where it leads
            located_at = Node({"$ref": value["$ref"]}, located.pointer)
        else:
            located_at = located
        way = (node.pointer for node in self._way(located_at))
        target = next(filter(component, way), located.pointer)
        known = component(target)
        return Member(located, self.parts([located]), target, known[1] if known else None)


def _schema_names(parts: Parts) -> list[str]:
    """Return the names of the schemas among *parts* that are components, outermost first."""
    known = (component(part.pointer) for part in parts)
    return [found[1] for found in known if found is not None and found[0] == "schemas"]


def _items(node: dict[str, Any], pointer: str, keyword: str) -> list[Node]:
    return [
        Node(member, f"{pointer}/{keyword}/{index}") for index, member in enumerate(node[keyword])
    ]


def _is_null(node: Any) -> bool:
    if not _may_be_value(node):
        return False
    if "const" in node or "enum" in node:
        only = node.get("const") is None and node.get("enum", [None]) == [None]
        return only and "null" in node.get("type", "null")
    return node.get("type") in ("null", ["null"])


def _may_be_value(node: Any) -> bool:
    """Tell whether a member of a union says nothing but a type or a value, and words of it."""
    return isinstance(node, dict) and all(
        key in _VALUE_KEYS or key.startswith("x-") for key in node
    )


def _are_values(keyword: str, members: list[Node]) -> bool:
    """Tell whether a union does nothing but list values."""
    if not members or not all(map(_is_value, members)):
        return False
    # what two members allow, `oneOf` does not
    told = {text(value_of(one.value)) for one in members}
    return keyword != "oneOf" or len(told) == len(members)


def _is_value(member: Node) -> bool:
    """Tell whether a member of a union is one value and what is said of it."""
    node = member.value
    if not _may_be_value(node) or ("const" in node) == ("enum" in node):
        return False
    values = [node["const"]] if "const" in node else node["enum"]
    if not isinstance(values, list) or len(values) != 1:
        return False
    types = node.get("type", type_of(values[0]))
    return type_of(values[0]) in types or (type_of(values[0]), types) == ("integer", "number")
