"""Record edits of a file, comments above its statements, and notices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
    QualifiedNameSource,
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
        self.notices: dict[Notice, cst.CSTNode] = {}

    def _is_builtin(self, node: cst.CSTNode) -> bool:
        """Return whether *node* names a function or class of Python, unless a star import does."""
        found = self.get_metadata(QualifiedNameProvider, node, ()) or ()
        return {each.source for each in found} == {QualifiedNameSource.BUILTIN}

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
        self.notices[Notice(line, column + 1, message, is_marked)] = node

    def pair_notices(
        self, changed: cst.Module, applied: Mapping[cst.CSTNode, cst.CSTNode]
    ) -> Iterator[tuple[Notice, Notice]]:
        """Yield each notice and the one at the same place of the *changed* module, in order.

        *applied* has the new node in place of each old one.
        """
        places = MetadataWrapper(changed, unsafe_skip_copy=True).resolve(PositionProvider)
        for notice in sorted(self.notices):
            node = self.notices[notice]
            # what another edit has replaced is at the place of what is around it
            while applied.get(node) not in places:
                node = self.get_metadata(ParentNodeProvider, node)
            start = places[applied[node]].start
            yield notice, replace(notice, line=start.line, column=start.column + 1)

    def _locate(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line of *node*, from 1, and its column, from 0."""
        start = self.get_metadata(PositionProvider, node).start
        return start.line, start.column
