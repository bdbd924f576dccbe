"""The edited tree of a source: nodes of its text, and new ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dateline.source.spans import Span


@dataclass(eq=False)
class New:
    """A value that the text does not have yet."""

    value: Any


@dataclass(eq=False)
class Old:
    """A node of the text, and the children it is to have."""

    span: Span
    children: list[Child] = field(default_factory=list)
    opened: bool = False


@dataclass(eq=False)
class Child:
    """What a collection holds: under which name, and where the text has it, if it does.

    ``number`` is its place among the children that the text has; -1 where it is new.
    """

    name: str
    node: Old | New
    number: int = -1


@dataclass(frozen=True)
class Splice:
    """What to put in the place of ``text[start:end]``; on what stays only, if so."""

    start: int
    end: int
    text: str
    on_what_stays: bool = False


def value_of(node: Old | New) -> Any:
    """Return the value of what has nothing of the text left."""
    if isinstance(node, New):
        return node.value
    values = [value_of(child.node) for child in node.children]
    if node.span.is_map:
        return dict(zip((child.name for child in node.children), values, strict=True))
    return values
