"""Record edits of a file, comments above its statements, and notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import libcst as cst
from libcst.metadata import (
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
    ScopeProvider,
)

from dateline.migrate.applying import Notice
from dateline.migrate.facts import CallerRemark, NewName
from dateline.model import printable

_MARK: Final = "# dateline: "


class EditRecorder(cst.CSTVisitor):
    """Collects what to edit, by node, the comments to write, and the notices."""

    METADATA_DEPENDENCIES = (
        *(PositionProvider, ParentNodeProvider),
        *(QualifiedNameProvider, ScopeProvider),
    )

    def __init__(self) -> None:
        super().__init__()
        self.edits: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]] = {}
        self.marks: dict[cst.CSTNode, list[str]] = {}
        self.notices: list[Notice] = []

    def _apply(self, node: cst.Name, what: NewName | CallerRemark) -> None:
        if isinstance(what, NewName):
            self._rename(node, what)
        else:
            self._mark(node, what)

    def _rename(self, node: cst.CSTNode, what: NewName) -> None:
        self._edit(node, lambda name: name.with_changes(value=what.new))

    def _edit(self, node: cst.CSTNode, edit: Callable[[Any], cst.CSTNode]) -> None:
        self.edits[node] = edit

    def _mark(self, node: cst.CSTNode, remark: CallerRemark) -> None:
        statement: cst.CSTNode = node
        while not hasattr(statement, "leading_lines"):
            statement = self.get_metadata(ParentNodeProvider, statement)
        comment = _MARK + printable(str(remark))
        if comment not in self.marks.setdefault(statement, []):
            self.marks[statement].append(comment)
        self._notice(node, str(remark), is_marked=True)

    def _notice(self, node: cst.CSTNode, message: str, *, is_marked: bool = False) -> None:
        line, column = self._locate(node)
        self.notices.append(Notice(line, column + 1, message, is_marked))

    def _locate(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line of *node*, from 1, and its column, from 0."""
        start = self.get_metadata(PositionProvider, node).start
        return start.line, start.column
