"""Definitions of generated modules, as plain data: models with fields, enums and aliases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dateline.python.code import Node, references

ABSENT = "t.ABSENT"
"""The default of an optional field."""


class Field(NamedTuple):
    """A field of a model: its Python name, its type, and its default in the source."""

    name: str
    annotation: Node
    default: Node | None = None


class Member(NamedTuple):
    """A member of a closed enum."""

    name: str
    value: str
    description: str | None = None


@dataclass(frozen=True, kw_only=True)
class Definition:
    """The definition of a name: a model with fields, an enum with members, or an alias.

    ``alias`` is the expression of an alias. ``rules`` apply to a model as a whole, ``extras`` is
    the type of its other fields.
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

    @cached_property
    def references(self) -> set[str]:
        """The names of other definitions that it refers to."""
        return {name for node in self.nodes for name in references(node)}


class Where(NamedTuple):
    """The location of a schema: its component and the names of the types on the way to it.

    Instead of a component, an operation's request or response may contain it.
    """

    component: str
    parts: tuple[str, ...] = ()
    trail: str = ""
    is_inline: bool = False

    def child(self, part: str, trail: str) -> Where:
        return Where(self.component, (*self.parts, part), self.trail + trail, self.is_inline)

    def __str__(self) -> str:
        return f"{'' if self.is_inline else 'components.'}{self.component}{self.trail}"
