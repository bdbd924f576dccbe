"""The Python types of schemas, and the contract of the server's types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from dateline.model import Contract
from dateline.python.code import (
    Brackets,
    DefinitionName,
    Either,
    Node,
    Pair,
    call,
    change_children,
    either,
    subscript,
)
from dateline.python.names import RESERVED_CLASSES, class_name, join_names, member_name
from dateline.schema.parts import Part, PartReader
from dateline.schema.types import UNIONS

# The Python types of JSON values for type checkers.
_PLAIN: Final = {
    "t.Boolean": "bool",
    "t.Date": "date",
    "t.DateTime": "datetime",
    "t.Decimal": "Decimal",
    "t.Integer": "int",
    "t.Number": "float",
    "t.Uuid": "UUID",
}

# What gives a type the name of another one, or makes it a union of its children.
_NAMED_ELSEWHERE: Final = frozenset({"$ref", "discriminator"})
_CHOOSING: Final = frozenset({"enum", "const", "not"})
# The keywords of a list of texts that narrow nothing.
_LISTING: Final = frozenset(
    {"type", "enum", "title", "description", "default", "deprecated", "example", "examples"}
)


class Type(NamedTuple):
    """What a value may be: an expression, what narrows it, and whether null is allowed.

    ``limits`` become arguments of `t.Field`, ``marks`` come after it.
    """

    node: Node
    nullable: bool = False
    limits: tuple[Pair, ...] = ()
    marks: tuple[Node, ...] = ()

    @property
    def narrowed(self) -> Node:
        """The expression without null."""
        marks = (call("t.Field", *self.limits), *self.marks) if self.limits else self.marks
        return subscript("Annotated", self.node, *marks) if marks else self.node

    @property
    def whole(self) -> Node:
        """The expression, with null where it is allowed."""
        return either([self.narrowed, "None"]) if self.nullable else self.narrowed

    def describe(self, more: tuple[Pair, ...]) -> Node:
        """Return the whole expression, with *more* about it as a field."""
        if self.nullable:
            return describe_field(self.whole, more)
        return Type(node=self.node, limits=(*self.limits, *more), marks=self.marks).narrowed


class Typed(NamedTuple):
    """The expression for a schema: its type and its default, if that can be written."""

    type: Type
    default: Node | None


def describe_field(node: Node, more: tuple[Pair, ...]) -> Node:
    """Return *node* with *more* about it as a field."""
    return subscript("Annotated", node, call("t.Field", *more)) if more else node


@dataclass(frozen=True, kw_only=True)
class Inline:
    """A schema of an operation that is not a component.

    ``holder`` describes its holder: one request or one response. If it needs a name, that is
    ``called`` followed by ``part``. ``sent`` says that callers write it. The representation leaves
    out the schema, which may be long.
    """

    holder: str
    called: str
    part: str
    schema: Any = field(repr=False)
    sent: bool

    @cached_property
    def key(self) -> str:
        """A unique key: one message may contain several inline schemas, each with its part."""
        return f"{self.holder} ({self.part})"

    @cached_property
    def name(self) -> str:
        """The name of its type, if it needs one and has it to itself."""
        return join_names((self.called, self.part))


def place_inline(
    shared: tuple[str, str | None, str],
    own: tuple[str, str, str],
    schema: Any,
    *,
    sent: bool,
) -> Inline:
    """Return the Inline of *schema*, named after the component that contains it, if any.

    *shared* is the section, the name of the component (None if there is none) and the part of it;
    *own* is the holder, the name and the part if no component contains the schema.
    """
    section, component, part = shared
    holder, called, own_part = own
    if component is None:
        return Inline(holder=holder, called=called, part=own_part, schema=schema, sent=sent)
    called = class_name(component)
    return Inline(
        holder=f"{section}.{component}",
        called=called,
        part="" if called.endswith(part) else part,
        schema=schema,
        sent=sent,
    )


def name_inlines(
    documents: Mapping[str, dict[str, Any]], inlines: Mapping[str, Sequence[Inline]]
) -> dict[str, dict[str, str]]:
    """Return the names of *inlines* that are certainly classes, by version and key.

    *documents* are those of all versions. A name that others would have, too, is left out.
    """
    keys: dict[str, set[str]] = {}
    for each in chain.from_iterable(inlines.values()):
        keys.setdefault(each.name, set()).add(each.key)
    readers = {version: PartReader(each) for version, each in documents.items()}
    components = (each.resolver.section("schemas") for each in readers.values())
    taken = {*map(class_name, chain.from_iterable(components))} | RESERVED_CLASSES
    own = {name for name, found in keys.items() if len(found) == 1} - taken
    found: dict[str, dict[str, str]] = {}
    for version, listed in inlines.items():
        reader = readers[version]
        found[version] = {
            each.key: each.name
            for each in listed
            if each.name in own and (is_model(reader, each.schema) or is_enum(each.schema))
        }
    return found


def is_model(reader: PartReader, schema: Any) -> bool:
    """Return whether the type of *schema* is certainly a model of its own, without None."""
    if not isinstance(schema, dict) or not schema.get("properties"):
        return False
    return _NAMED_ELSEWHERE.isdisjoint(schema) and all(
        map(_describes_object, reader.parts_of(schema))
    )


def _describes_object(part: Part) -> bool:
    unions = [part.get(keyword, ()) for keyword in UNIONS]
    return (
        part.get("type", "object") == "object"
        and not part.null
        and _CHOOSING.isdisjoint(part.node)
        and all(isinstance(each, dict) and [*each] == ["required"] for each in chain(*unions))
    )


def is_enum(schema: Any) -> bool:
    """Return whether the type of *schema* is certainly an enum, without None."""
    if not isinstance(schema, dict) or not schema.keys() <= _LISTING:
        return False
    values = schema.get("enum", ())
    if schema.get("type") != "string" or not all(isinstance(each, str) for each in values):
        return False
    return len(values) > 1 and len({*map(member_name, values)}) == len(values)


@dataclass(frozen=True, kw_only=True)
class Canonical:
    """The contract that servers are written against: it comes after all versions.

    Its types are as open as the document: a type without statements about other fields allows them,
    while a caller's own type of a request helps to find mistakes by refusing them. ``strict`` are
    the components that only requests contain. ``inlines`` are the schemas of operations for which a
    type is needed.
    """

    contract: Contract
    strict: frozenset[str]
    inlines: tuple[Inline, ...]


class CalledTypes(NamedTuple):
    """The types that callers of each version use.

    ``inlines`` are those of inline schemas by version and key, ``homes`` are, for each version, the
    modules that define each class, ``members`` are, for each module and class, the fields by their
    names in JSON: their Python names and annotations.
    """

    inlines: Mapping[str, Mapping[str, Typed]]
    homes: Mapping[str, Mapping[str, str]]
    members: Mapping[str, Mapping[str, Mapping[str, tuple[str, Node]]]]


def qualify_names(node: Node, qualify: Callable[[str], str]) -> Node:
    """Return *node* with the names of definitions as written by *qualify*."""
    if isinstance(node, DefinitionName):
        return DefinitionName(qualify(node.name), node.attribute)
    return change_children(node, lambda child: qualify_names(child, qualify))


def simplify_type(node: Node) -> Node:
    """Return *node* as people write it: without what only narrows it."""
    if isinstance(node, str):
        return _PLAIN.get(node, node)
    if isinstance(node, Brackets) and node.head == "Annotated":
        return simplify_type(node.items[0])
    found = change_children(node, simplify_type)
    # members may have become equal
    return either([*found.members]) if isinstance(found, Either) else found


def allow_none(node: Node) -> Node:
    """Return *node*, or None."""
    return either([node, "None"])
