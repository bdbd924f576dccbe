"""What a schema becomes in Python: its type, and which contract the server's types are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dateline.model import Contract
from dateline.python.code import Node, Pair, call, either, subscript


@dataclass(frozen=True, kw_only=True)
class Type:
    """What a value may be: an expression, what narrows it, and whether null is allowed.

    ``limits`` become arguments of `t.Field`, ``marks`` stand behind it.
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
        """Return the whole expression, with *more* said of it as a field."""
        if self.nullable:
            return describe_field(self.whole, more)
        return Type(node=self.node, limits=(*self.limits, *more), marks=self.marks).narrowed


class Typed(NamedTuple):
    """What a schema is written as: its type and its default, if that can be written."""

    type: Type
    default: Node | None


def describe_field(node: Node, more: tuple[Pair, ...]) -> Node:
    """Return *node* with *more* said of it as a field."""
    return subscript("Annotated", node, call("t.Field", *more)) if more else node


@dataclass(frozen=True, kw_only=True)
class Inline:
    """A schema of an operation that is no component.

    ``holder`` says in words what holds it: one request or one response. It is called ``called``
    and, behind that, ``part``, where it needs a name. ``sent`` says that callers write it.
    """

    holder: str
    called: str
    part: str
    schema: Any
    sent: bool


@dataclass(frozen=True, kw_only=True)
class Canonical:
    """The contract that servers are written against: it comes after all versions.

    Its types are as open as the document: what says nothing of other fields takes them, where a
    caller's own type of a request helps to find mistakes by refusing them. ``strict`` names the
    components that only requests hold. ``inlines`` are the schemas of operations for which a type
    is wanted.
    """

    contract: Contract
    strict: frozenset[str]
    inlines: tuple[Inline, ...]
