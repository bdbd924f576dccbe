"""Apply edits to the tree of a file, and put comments above its statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import libcst as cst

_Node = TypeVar("_Node", bound=cst.CSTNode)


@dataclass(frozen=True, order=True)
class Notice:
    """A notice for people at a place: marked in the code, or listed as uncertain.

    Lines and columns count from 1.
    """

    line: int
    column: int
    message: str
    is_marked: bool

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True)
class MigratedFile:
    """The new text of a file, and the notices about it, in its order.

    Each notice has its place in the old text, and the one in the new text that is the same.
    """

    text: str
    notices: tuple[tuple[Notice, Notice], ...]


class EditApplier(cst.CSTTransformer):
    """Applies edits, and puts marks above statements."""

    def __init__(
        self,
        edits: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]],
        marks: dict[cst.CSTNode, list[str]],
    ) -> None:
        super().__init__()
        self._edits = edits
        self._marks = marks
        self.applied: dict[cst.CSTNode, cst.CSTNode] = {}
        """The new node in place of each old one."""

    def on_leave(self, original_node: _Node, updated_node: _Node) -> Any:
        node: Any = super().on_leave(original_node, updated_node)
        if original_node in self._edits:
            node = self._edits[original_node](node)
        if original_node in self._marks:
            there = {each.comment.value for each in node.leading_lines if each.comment}
            lines = [
                cst.EmptyLine(comment=cst.Comment(each))
                for each in self._marks[original_node]
                if each not in there
            ]
            node = node.with_changes(leading_lines=[*node.leading_lines, *lines])
        if isinstance(node, cst.CSTNode):
            self.applied[original_node] = node
        return node


def set_value(node: cst.SimpleString, *, text: str) -> cst.SimpleString:
    return node.with_changes(value=text)
