"""The edited tree of a source: nodes of its text, and new ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dateline.source.spans import Span


@dataclass(eq=False)
class New:
    """A value that is not in the text yet."""

    value: Any


@dataclass(eq=False)
class Old:
    """A node of the text, and its new children."""

    span: Span
    children: list[Child] = field(default_factory=list)
    opened: bool = False


@dataclass(eq=False)
class Child:
    """A child of a collection: its name, and its place in the text, if any.

    ``number`` is its position among the children in the text; -1 if it is new.
    """

    name: str
    node: Old | New
    number: int = -1


@dataclass(frozen=True)
class Splice:
    """Replaces ``text[start:end]`` by ``text``; ``on_what_stays`` skips removed text."""

    start: int
    end: int
    text: str
    on_what_stays: bool = False


def value_of(node: Old | New) -> Any:
    """Return the value of a node that keeps nothing of the text."""
    if isinstance(node, New):
        return node.value
    values = [value_of(child.node) for child in node.children]
    if node.span.is_map:
        return dict(zip((child.name for child in node.children), values, strict=True))
    return values
