"""A schema in, what it says: references, `allOf` and other spellings of the same seen through."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.documents import Document, Node, component, escape, text
from dateline.diff.graph import NOTHING, Part, Parts, identity
from dateline.model import EXTENSIBLE
from dateline.openapi import OBJECTS

NOTES: Final = frozenset(
    {"title", "description", "$comment", "example", "examples", "externalDocs", "summary"}
)
"""What tells people something and machines nothing."""

ENUM_NOTES: Final = "x-enum-descriptions"
UNIONS: Final = ("oneOf", "anyOf")

APPLICATORS: Final = (
    *("items", "additionalProperties", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
"""Keywords that hold one schema, below which less stays less. True and `{}` say nothing there."""

OPAQUE: Final = ("not", "if", "then", "else", "contains")
"""Keywords that hold one schema, below which less can mean more."""

SCHEMA_MAPS: Final = ("patternProperties", "dependentSchemas", "prefixItems")
DEFINITIONS: Final = ("$defs", "definitions")

# References to references are followed this far: none is this long unless it is a circle.
_FAR: Final = 100

_NEVER: Final[dict[str, Any]] = {"not": {}}

# Keywords that are absent when they say this.
_DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems", "nullable"), False),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), False),
}
# Of several bounds only the tightest counts.
_TIGHTEST: Final[dict[str, Callable[[Iterable[Any]], Any]]] = {
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"),
        min,
    ),
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"),
        max,
    ),
}
# Where OpenAPI 3.0 says with a boolean that a bound is exclusive.
_EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_INCLUSIVE: Final = {bound: exclusive for exclusive, bound in _EXCLUSIVE.items()}

# Keys of a union's member that leave it a value with notes.
_VALUE: Final = frozenset({"const", "enum", "type"})
_VALUE_KEYS: Final = _VALUE | NOTES | {"deprecated"}

KNOWN: Final = frozenset(OBJECTS["schema"])


class Member(NamedTuple):
    """One member of a union, and the component that it refers to, if it does."""

    node: Node
    parts: Parts
    target: str
    name: str | None


class _Choice(NamedTuple):
    """The members of a union but null; where null stands; what they are if all are values."""

    members: list[Node]
    null: str
    values: list[Node] | None


class Union(NamedTuple):
    """A `oneOf` or `anyOf` of more than one member, and the part that declares it.

    ``null`` leads to what lets null pass beside the members, if anything does.
    """

    keyword: str
    pointer: str
    members: tuple[Member, ...]
    discriminator: Node | None
    null: str
    part: Part


class View:
    """All that a schema says, each thing with the pointer to what declares it."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.pointer = parts[0].pointer if parts else ""
        self.types: set[str] | None = None
        self.types_at = ""
        self.declared = False
        self.nullable = False
        self.null_at = ""
        self.values: dict[str, Node] | None = None
        self.values_at = Node("enum", "")
        self.value_notes: dict[tuple[str, str], Node] = {}
        self.open_values: dict[str, Node] | None = None
        self.open_values_at = ""
        self.properties: dict[str, list[Node]] = {}
        self.required: dict[str, str] = {}
        self.unions: list[Union] = []
        self.below: dict[str, list[Node]] = {}
        self.maps: dict[str, dict[str, list[Node]]] = {}
        self.facts: dict[str, list[Node]] = {}

    @property
    def never(self) -> bool:
        """Whether nothing satisfies it: `false`."""
        return any(part.node is _NEVER for part in self.parts)

    @property
    def allowed(self) -> set[str]:
        """The keys of the values that the types let pass."""
        return {
            key
            for key, node in (self.values or {}).items()
            if self.types is None or type_of(node.value) in self.types
        }

    @property
    def type_names(self) -> list[str]:
        """The types, sorted; `integer` goes without saying beside `number`."""
        names = self.types or set()
        return sorted(names - {"integer"} if "number" in names else names)

    def rest(self, union: Union) -> Parts:
        """Return the parts without what *union* says."""
        skipped = {union.keyword, "discriminator"}
        return tuple(
            part._replace(skip=part.skip | skipped) if part is union.part else part
            for part in self.parts
        )

    def member(self, union: Union, member: Member) -> Parts:
        """Return what *union* says beside its members, with one of them."""
        above = (*union.part.above, union.part.node)
        own = {id(part.node) for part in self.parts}
        return self.rest(union) + tuple(
            part._replace(above=above + part.above, null=part.null or union.null)
            for part in member.parts
            # a union that is a member of itself says nothing more there
            if id(part.node) not in own
        )

    def constants(self, schemas: Schemas) -> dict[str, str]:
        """Return the properties that have one value only, and the text of it."""
        found = {}
        for name, located in self.properties.items():
            # most properties can be told from their own keys not to be constant
            if any(
                isinstance(node, dict) and node.keys() & {"const", "enum", "$ref", "allOf"}
                for node, _ in located
            ):
                values = schemas.view(schemas.parts(located)).values
                if values is not None and len(values) == 1:
                    found[name] = next(iter(values))
        return found


def says(parts: Parts) -> bool:
    """Tell whether *parts* say anything at all: `{}` does not."""
    return any(len(part.skip) < len(part.node) for part in parts)


class Schemas:
    """The schemas of one document, each read once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._views: dict[tuple[Any, ...], View] = {}

    def parts(self, located: Iterable[Node]) -> Parts:
        """Return the nodes that together say what all of *located* say, outermost first.

        A reference, an `allOf` and a union of one member are seen through.
        """
        found: list[Part] = []
        met: set[tuple[int, bool]] = set()
        stack = [Part(*one) for one in located][::-1]
        while stack:
            part = stack.pop()
            if part.node is False:
                part = part._replace(node=_NEVER)
            if not isinstance(part.node, dict) or (id(part.node), bool(part.null)) in met:
                continue
            met.add((id(part.node), bool(part.null)))
            if part.node.get("nullable") is True:
                part = part._replace(null=f"{part.pointer}/nullable")
            skip, below = self._through(part)
            # a component stays even where it says nothing itself: it has a name
            if len(skip) < len(part.node) or component(part.pointer):
                found.append(part._replace(skip=skip))
            stack += reversed(below)
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
                below.append(Part(*goal, above=above, null=part.null))
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

    def _read(self, parts: Parts) -> View:
        view = View(parts)
        for part in parts:
            node, pointer = part.node, part.pointer
            for keyword, value in node.items():
                if keyword in part.skip or (keyword in _DEFAULTS and _is_default(keyword, value)):
                    continue
                if keyword in NOTES and any(keyword in known for known in part.above):
                    continue  # what is said beside a reference overrides what is said behind it
                at = f"{pointer}/{escape(keyword)}"
                if keyword in UNIONS and isinstance(value, list) and value:
                    self._union(view, part, keyword)
                elif keyword == "discriminator" and self._is_union(node, pointer):
                    pass  # told with the union
                elif keyword in _READERS:
                    _READERS[keyword](view, part, Node(value, at))
                else:
                    _plain(view, keyword, Node(value, at))
        _settle(view)
        for part in parts if len(parts) > 1 else ():
            _reach(view, part)
        return view

    def _union(self, view: View, part: Part, keyword: str) -> None:
        node, pointer = part.node, part.pointer
        choice = self._choice(node, pointer, keyword)
        null = part.null or choice.null
        if choice.values is not None:
            _enumerated(view, choice.values, null, Node(keyword, f"{pointer}/{keyword}"))
            return
        discriminator = node.get("discriminator")
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

    def _is_union(self, node: dict[str, Any], pointer: str) -> bool:
        """Tell whether *node* chooses between schemas, not only between values."""
        return any(
            isinstance(node.get(keyword), list)
            and self._choice(node, pointer, keyword).values is None
            for keyword in UNIONS
        )

    def _choice(self, node: dict[str, Any], pointer: str, keyword: str) -> _Choice:
        listed = _items(node, pointer, keyword)
        plain = [deque(self._way(member), maxlen=1)[0] for member in listed]
        nulls = [_is_null(member.value) for member in plain]
        if all(nulls) or (keyword == "oneOf" and any(_takes_null(one.value) for one in plain)):
            # a union of null alone keeps it; and where two members take null, `oneOf` takes none
            nulls = [False] * len(nulls)
        kept = [member for member, null in zip(plain, nulls, strict=True) if not null]
        return _Choice(
            members=[member for member, null in zip(listed, nulls, strict=True) if not null],
            null=next((one.pointer for one, null in zip(listed, nulls, strict=True) if null), ""),
            values=kept if _are_values(keyword, kept) else None,
        )

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


def _takes_null(node: Any) -> bool:
    """Tell whether a member that is not null alone says itself that it takes null."""
    if not isinstance(node, dict):
        return node is True
    if _is_null(node):
        return False
    if "type" in node:
        return "null" in node["type"] or node.get("nullable") is True
    members = [*node.get("oneOf", ()), *node.get("anyOf", ())]
    return (
        not node
        or None in node.get("enum", ())
        or any(_is_null(member) or _takes_null(member) for member in members)
    )


def _value(node: dict[str, Any]) -> Any:
    return node["const"] if "const" in node else node["enum"][0]


def _are_values(keyword: str, members: list[Node]) -> bool:
    """Tell whether a union does nothing but list values."""
    if not members or not all(map(_is_value, members)):
        return False
    # what two members allow, `oneOf` does not
    told = {text(_value(one.value)) for one in members}
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


def _is_default(keyword: str, value: Any) -> bool:
    default = _DEFAULTS[keyword]
    return isinstance(value, bool) == isinstance(default, bool) and bool(value == default)


def _plain(view: View, keyword: str, fact: Node) -> None:
    facts = view.facts.setdefault(keyword, [])
    if all(text(known.value) != text(fact.value) for known in facts):
        facts.append(fact)


def _enumerated(view: View, members: list[Node], null: str, declared: Node) -> None:
    """Read a union of values, each with its notes, as an enumeration."""
    values: dict[str, Node] = {}
    for node, pointer in members:
        value = _value(node)
        values.setdefault(text(value), Node(value, pointer))
        for key in node.keys() - _VALUE:
            view.value_notes[str(value), key] = Node(node[key], f"{pointer}/{escape(key)}")
    if null:
        values.setdefault("null", Node(None, null))
    _narrow(view, values, declared)


def _narrow(view: View, values: dict[str, Node], declared: Node) -> None:
    """Allow only *values*; of several enumerations only the shared values are left."""
    if view.values is None:
        view.values, view.values_at = values, declared
    else:
        view.values = {key: fact for key, fact in view.values.items() if key in values}


def _type(view: View, part: Part, fact: Node) -> None:
    names = fact.value if isinstance(fact.value, list) else [fact.value]
    if not all(isinstance(name, str) for name in names):
        _plain(view, "type", fact)
        return
    types = set(names)
    if "number" in types:
        types.add("integer")
    if part.null:
        types.add("null")
        view.null_at = part.null
    if view.types is None:
        view.types, view.types_at, view.declared = types, fact.pointer, True
    else:
        view.types &= types


def _nullable(view: View, _part: Part, fact: Node) -> None:
    if fact.value is not True:
        _plain(view, "nullable", fact)


def _enum(view: View, part: Part, fact: Node) -> None:
    if not isinstance(fact.value, list):
        _plain(view, "enum", fact)
        return
    values: dict[str, Node] = {}
    for index, value in enumerate(fact.value):
        values.setdefault(text(value), Node(value, f"{fact.pointer}/{index}"))
    if part.null:
        # in 3.0 documents null is seldom repeated among the values
        values.setdefault("null", Node(None, part.null))
    _narrow(view, values, Node("enum", fact.pointer))


def _const(view: View, part: Part, fact: Node) -> None:
    values = {text(fact.value): fact}
    if part.null:
        values.setdefault("null", Node(None, part.null))
    _narrow(view, values, Node("const", fact.pointer))


def _bound(view: View, part: Part, fact: Node) -> None:
    node = part.node
    keyword = fact.pointer.rsplit("/", 1)[1]
    if node.get(_INCLUSIVE.get(keyword, "")) is True:
        return  # 3.0: the boolean beside it makes it the exclusive bound
    value = node.get(_EXCLUSIVE.get(keyword, "")) if fact.value is True else fact.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        _plain(view, keyword, fact)
        return
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 5.0 is no other bound than 5
    facts = view.facts.setdefault(keyword, [])
    facts.append(Node(value, fact.pointer))
    numbers = [known for known in facts if isinstance(known.value, int | float)]
    tightest = _TIGHTEST[keyword](known.value for known in numbers)
    facts[:] = [next(known for known in numbers if known.value == tightest)]


def _properties(view: View, _part: Part, fact: Node) -> None:
    if not isinstance(fact.value, dict):
        _plain(view, "properties", fact)
        return
    for name, child in fact.value.items():
        located = Node(child, f"{fact.pointer}/{escape(name)}")
        view.properties.setdefault(name, []).append(located)


def _required(view: View, _part: Part, fact: Node) -> None:
    if not isinstance(fact.value, list):
        _plain(view, "required", fact)
        return
    for index, name in enumerate(fact.value):
        view.required.setdefault(name, f"{fact.pointer}/{index}")


def _one(view: View, _part: Part, fact: Node) -> None:
    keyword = fact.pointer.rsplit("/", 1)[1]
    if isinstance(fact.value, dict | bool):
        view.below.setdefault(keyword, []).append(fact)
    else:
        _plain(view, keyword, fact)


def _many(view: View, _part: Part, fact: Node) -> None:
    keyword = fact.pointer.rsplit("/", 1)[1]
    entries: Iterable[tuple[Any, Any]]
    if isinstance(fact.value, dict):
        entries = fact.value.items()
    elif isinstance(fact.value, list):
        entries = enumerate(fact.value)
    else:
        _plain(view, keyword, fact)
        return
    known = view.maps.setdefault(keyword, {})
    for name, child in entries:
        located = Node(child, f"{fact.pointer}/{escape(str(name))}")
        known.setdefault(str(name), []).append(located)


def _examples(view: View, part: Part, fact: Node) -> None:
    # published by rule beside an open-ended set: they say nothing of their own
    listed = part.node.get(EXTENSIBLE)
    if not (
        isinstance(listed, list)
        and isinstance(fact.value, list)
        and sorted(map(text, listed)) == sorted(map(text, fact.value))
    ):
        _plain(view, "examples", fact)


def _open_values(view: View, _part: Part, fact: Node) -> None:
    if not isinstance(fact.value, list):
        _plain(view, EXTENSIBLE, fact)
        return
    view.open_values_at = view.open_values_at or fact.pointer
    view.open_values = view.open_values or {}
    for index, value in enumerate(fact.value):
        view.open_values.setdefault(text(value), Node(value, f"{fact.pointer}/{index}"))


def _enum_notes(view: View, _part: Part, fact: Node) -> None:
    if not isinstance(fact.value, dict):
        _plain(view, ENUM_NOTES, fact)
        return
    for value, note in fact.value.items():
        noted = Node(note, f"{fact.pointer}/{escape(value)}")
        view.value_notes.setdefault((value, "description"), noted)


_READERS: Final[dict[str, Callable[[View, Part, Node], None]]] = {
    "type": _type,
    "nullable": _nullable,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "examples": _examples,
    EXTENSIBLE: _open_values,
    ENUM_NOTES: _enum_notes,
    **dict.fromkeys(_TIGHTEST, _bound),
    **dict.fromkeys((*APPLICATORS, *OPAQUE), _one),
    **dict.fromkeys((*SCHEMA_MAPS, *DEFINITIONS), _many),
}

# A boolean is an integer in Python: it comes first.
_TYPES: Final = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


def _settle(view: View) -> None:
    """Let null and the values have their say on the types."""
    nulls = [part.null for part in view.parts if part.null]
    if nulls and view.types is None and not view.unions:
        view.nullable, view.null_at = True, nulls[0]
    if view.values is None:
        return
    if view.types is None:
        view.types = {type_of(fact.value) for fact in view.values.values()}
        view.types_at = view.values_at.pointer


def _reach(view: View, part: Part) -> None:
    """Let what a part says of all other fields hold for the fields that other parts name.

    `additionalProperties` knows only the fields that are named right beside it (JSON Schema
    2020-12, core, section 10.3.2.3).
    """
    schema = part.node.get("additionalProperties", True)
    if schema is True or not isinstance(schema, dict | bool):
        return
    for name, located in view.properties.items():
        if not speaks_of(part.node, name):
            located.append(Node(schema, f"{part.pointer}/additionalProperties"))


def speaks_of(node: dict[str, Any], name: str) -> bool:
    """Tell whether *node* itself names a property, or matches it by a pattern."""
    own, patterns = node.get("properties"), node.get("patternProperties")
    if isinstance(own, dict) and name in own:
        return True
    return isinstance(patterns, dict) and any(_matches(pattern, name) for pattern in patterns)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False  # written for another engine


def type_of(value: Any) -> str:
    """Return the type of a JSON value."""
    if isinstance(value, float) and value.is_integer():
        return "integer"  # 1.0 is a whole number (JSON Schema 2020-12, core, section 4.2.3)
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "null")
