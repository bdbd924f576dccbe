"""Rewrite callers' code for another version, with comments where a person has to decide."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import libcst as cst
from libcst import ParserSyntaxError
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
)

from dateline.migrate.facts import CallerRemark, MigrationFacts, NewName
from dateline.migrate.package import VersionModule
from dateline.migrate.resolving import NameResolver
from dateline.model import printable
from dateline.python.names import package_name

__all__ = ["MigratedFile", "Notice", "ParserSyntaxError", "rewrite"]

_MARK: Final = "# dateline: "
_CHECKS: Final = ("isinstance", "issubclass")
# Text in quotes with names of types only: none is in nested quotes, or escaped.
_QUOTED_TYPE: Final = re.compile(r"""[rRuU]?(["']+)[\w\s\[\],|]*\1""")
_READERS: Final = ("model_validate", "model_construct")

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


@dataclass(frozen=True)
class MigratedFile:
    """The new text of a file, and the notices about the old one, in its order."""

    text: str
    notices: tuple[Notice, ...]


def rewrite(
    text: str,
    facts: MigrationFacts,
    versions: tuple[VersionModule, VersionModule],
    resolver: NameResolver,
) -> MigratedFile:
    """Return *text* for the newer of *versions*. Raises libcst.ParserSyntaxError.

    Only what certainly is a name of the package is rewritten. Nothing changes in a file that does
    not import the older version.
    """
    wrapper = MetadataWrapper(cst.parse_module(text))
    finder = _EditFinder(facts, versions, resolver)
    wrapper.visit(finder)
    if not finder.is_concerned:
        return MigratedFile(text, ())
    changed = wrapper.module.visit(_Applier(finder.edits, finder.marks))
    return MigratedFile(changed.code, tuple(sorted({*finder.notices})))


class _EditFinder(cst.CSTVisitor):
    """Finds what to edit, by node, and the notices."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider, QualifiedNameProvider)

    def __init__(
        self,
        facts: MigrationFacts,
        versions: tuple[VersionModule, VersionModule],
        resolver: NameResolver,
    ) -> None:
        super().__init__()
        self._facts = facts
        self._older, self._newer = versions
        self._resolver = resolver
        self._names = facts.find_names()
        self._wire = {
            each.wire[0] if isinstance(each, NewName) else name
            for (_, name), each in facts.fields.items()
        }
        self._imported: set[str] = set()
        self.is_concerned = False
        self.edits: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]] = {}
        self.marks: dict[cst.CSTNode, list[str]] = {}
        self.notices: list[Notice] = []

    # --- imports and names

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            name = _dotted(alias.name)
            if name == self._older.path or name.startswith(f"{self._older.path}."):
                self.is_concerned = True
                self._move(alias.name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = _dotted(node.module) if node.module is not None else ""
        names = () if isinstance(node.names, cst.ImportStar) else node.names
        if node.relative:
            if package_name(self._older.version) in module.split("."):
                self._notice(node, "a relative import of the version: change it by hand")
            return
        if module == self._older.package:
            for alias in names:
                if _dotted(alias.name) == package_name(self._older.version):
                    self.is_concerned = True
                    self._edit(alias.name, lambda name: name.with_changes(value=self._module))
        elif module == self._older.path or module.startswith(f"{self._older.path}."):
            self.is_concerned = True
            self._move(node.module)
            for alias in names:
                known = self._facts.classes.get(_dotted(alias.name))
                if known is not None and alias.asname is None:
                    self._imported.add(_dotted(alias.name))
                if isinstance(known, NewName):
                    self._rename(alias.name, known)
                elif known is not None:
                    self._mark(alias, known)

    def _move(self, node: cst.CSTNode | None) -> None:
        """Direct the dotted name *node* to the newer version."""
        while isinstance(node, cst.Attribute):
            if node.attr.value == package_name(self._older.version):
                self._edit(node.attr, lambda name: name.with_changes(value=self._module))
            node = node.value

    @property
    def _module(self) -> str:
        return package_name(self._newer.version)

    def visit_Name(self, node: cst.Name) -> None:
        if isinstance(self.get_metadata(ParentNodeProvider, node), cst.ImportAlias):
            return
        for name in self._qualify(node):
            start, _, last = name.rpartition(".")
            known = self._facts.classes.get(last)
            if start == self._older.path and last == node.value and isinstance(known, NewName):
                self._rename(node, known)
            elif name == self._older.path and node.value == package_name(self._older.version):
                self._edit(node, lambda old: old.with_changes(value=self._module))

    def _qualify(self, node: cst.CSTNode) -> list[str]:
        return [each.name for each in self.get_metadata(QualifiedNameProvider, node, ()) or ()]

    # --- attributes

    def visit_Attribute(self, node: cst.Attribute) -> None:
        qualified = self._qualify(node)
        if self._older.path in qualified:
            # `import library` leads to its versions, too
            self.is_concerned = True
            self._edit(node.attr, lambda name: name.with_changes(value=self._module))
            return
        for name in qualified:
            if not name.startswith(f"{self._older.path}."):
                continue
            holder, _, member = name.removeprefix(f"{self._older.path}.").partition(".")
            known = self._find(holder, member) if member else self._facts.classes.get(holder)
            if known is not None:
                self._apply(node.attr, known)
                return
        if node.attr.value in self._names:
            self._decide(node.attr)

    def _decide(self, node: cst.Name) -> None:
        """Rewrite or mark the attribute *node* if its meaning is certain; else list it."""
        where = self.get_metadata(PositionProvider, node).start
        members, is_certain = self._resolver.find_members(where.line, where.column)
        known = [
            found
            for holder, name in sorted(members)
            if (found := self._find(holder, name)) is not None
        ]
        if is_certain and members:
            for each in known:
                self._apply(node, each)
        elif known or not (members or is_certain):
            facts = sorted({str(each) for each in self._find_all(node.value)})
            self._notice(node, f"`{node.value}` may be one of the API: {'; '.join(facts)}")

    def _find(self, holder: str, name: str) -> NewName | CallerRemark | None:
        if not holder:
            return self._facts.methods.get(name)
        return self._facts.fields.get((holder, name)) or self._facts.members.get((holder, name))

    def _find_all(self, name: str) -> Iterator[str]:
        pairs = [*self._facts.fields.items(), *self._facts.members.items()]
        for (holder, member), what in pairs:
            if member == name:
                yield _describe(f"{holder}.{name}", what)
        if name in self._facts.methods:
            yield _describe(name, self._facts.methods[name])

    # --- calls and patterns

    def visit_Call(self, node: cst.Call) -> None:
        holder, keys = self._find_class(node.func), node.args
        if isinstance(node.func, cst.Name) and node.func.value in _CHECKS:
            for each in node.args[1:2]:
                self._check_alias(each.value)
        if holder is not None:
            self._check_alias(node.func)
            self._check_arguments(node, keys, holder, self._facts.fields)
            return
        reader = node.func
        if isinstance(reader, cst.Attribute) and reader.attr.value in _READERS:
            holder = self._find_class(reader.value)
            if holder is None:
                return
            if reader.attr.value == "model_construct":
                self._check_arguments(node, keys, holder, self._facts.fields)
            elif keys and isinstance(keys[0].value, cst.Dict):
                self._check_keys(keys[0].value, holder)
            return
        method = self._find_method(node.func)
        if method is not None:
            self._check_arguments(node, keys, method, self._facts.arguments)

    def visit_MatchClass(self, node: cst.MatchClass) -> None:
        holder = self._find_class(node.cls)
        self._check_alias(node.cls)
        for each in node.kwds if holder is not None else ():
            known = self._facts.fields.get((holder or "", each.key.value))
            if known is not None:
                self._apply(each.key, known)

    def _check_alias(self, node: cst.CSTNode) -> None:
        """Mark *node* if it names a class that no longer is one."""
        for each in (
            [item.value for item in node.elements] if isinstance(node, cst.Tuple) else [node]
        ):
            remark = self._facts.aliases.get(self._find_class(each) or "")
            if remark is not None:
                self._mark(each, remark)

    def _find_class(self, node: cst.CSTNode) -> str | None:
        """Return the class of models that *node* names."""
        for name in self._qualify(node):
            start, _, last = name.rpartition(".")
            if start == self._older.path and last in self._older.classes:
                return last
        return None

    def _find_method(self, node: cst.CSTNode) -> str | None:
        """Return the method of a client that *node* names, if its arguments have changed."""
        called = {name for name, _ in self._facts.arguments}
        called |= self._facts.required.keys() - self._older.classes.keys()
        if not isinstance(node, cst.Attribute) or node.attr.value not in called:
            return None
        where = self.get_metadata(PositionProvider, node.attr).start
        members, is_certain = self._resolver.find_members(where.line, where.column)
        if ("", node.attr.value) in members and is_certain:
            return node.attr.value
        if not is_certain:
            self._notice(node.attr, f"`{node.attr.value}` may be a method of the client")
        return None

    def _check_arguments(
        self,
        node: cst.Call,
        arguments: Sequence[cst.Arg],
        holder: str,
        facts: dict[tuple[str, str], NewName | CallerRemark],
    ) -> None:
        given = {each.keyword.value: each.keyword for each in arguments if each.keyword is not None}
        for name, keyword in given.items():
            known = facts.get((holder, name))
            if known is not None:
                self._apply(keyword, known)
        is_open = any(each.star == "**" for each in arguments)
        self._check_required(node, holder, {*given}, is_open=is_open)

    def _check_keys(self, node: cst.Dict, holder: str) -> None:
        given = set()
        for element in node.elements:
            key = element.key if isinstance(element, cst.DictElement) else None
            if not isinstance(key, cst.SimpleString) or (text := _read_text(key)) is None:
                continue
            if nested := self._older.find_nested(holder, text):
                for each in _list_objects(element.value):
                    self._check_keys(each, nested)
            name = self._older.classes[holder].wire.get(text, text)
            given.add(name)
            known = self._facts.fields.get((holder, name))
            if isinstance(known, NewName):
                self._edit(key, partial(_set_value, text=key.quote + known.wire[1] + key.quote))
            elif known is not None:
                self._mark(key, known)
        is_open = any(isinstance(each, cst.StarredDictElement) for each in node.elements)
        self._check_required(node, holder, given, is_open=is_open)

    def _check_required(
        self, node: cst.CSTNode, holder: str, given: set[str], *, is_open: bool
    ) -> None:
        for name, remark in sorted(self._facts.required.get(holder, {}).items()):
            if name not in given and is_open:
                self._notice(node, f"`{name}` may be missing: {remark}")
            elif name not in given:
                self._mark(node, CallerRemark(f"`{name}` is needed here: {remark}"))

    # --- texts

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        text = _read_text(node)
        if text == self._older.version:
            self._notice(node, f"the text {text!r} may name the version")
        elif text in self._wire and node not in self.edits:
            self._notice(node, f"the text {text!r} may name a field that changed")
        elif text is not None:
            self._decide_quoted(node, text)

    def _decide_quoted(self, node: cst.SimpleString, text: str) -> None:
        """Rewrite or list the classes that *text* names, which may be a type in quotes."""
        is_type = self._is_annotation(node)
        changed = _list_names(text) & self._facts.classes.keys() if is_type else {text}
        known = {name: self._facts.classes[name] for name in changed & self._imported}
        if is_type and known and known.keys() == changed and _QUOTED_TYPE.fullmatch(node.value):
            for what in known.values():
                if isinstance(what, CallerRemark):
                    self._mark(node, what)
            new = {name: what.new for name, what in known.items() if isinstance(what, NewName)}
            quoted = re.sub(r"\w+", lambda word: new.get(word[0], word[0]), node.value)
            self._edit(node, partial(_set_value, text=quoted))
        elif known or (is_type and changed):
            self._notice(node, f"the text {text!r} may name a class that changed")

    def _is_annotation(self, node: cst.CSTNode) -> bool:
        """Return whether the text *node* is certainly a type, or a part of one."""
        while not isinstance(node, cst.Annotation | cst.BaseStatement | cst.BaseSmallStatement):
            if isinstance(node, cst.Call):
                return False
            if isinstance(node, cst.Subscript):
                name = _dotted(node.value).rpartition(".")[2]
                if name in ("Literal", "Annotated"):
                    return False
            node = self.get_metadata(ParentNodeProvider, node)
        return isinstance(node, cst.Annotation)

    # --- the resulting edits

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
        where = self.get_metadata(PositionProvider, node).start
        self.notices.append(Notice(where.line, where.column + 1, message, is_marked))


class _Applier(cst.CSTTransformer):
    """Applies edits, and puts marks above statements."""

    def __init__(
        self,
        edits: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]],
        marks: dict[cst.CSTNode, list[str]],
    ) -> None:
        super().__init__()
        self._edits = edits
        self._marks = marks

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
        return node


def _set_value(node: cst.SimpleString, *, text: str) -> cst.SimpleString:
    return node.with_changes(value=text)


def _dotted(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _read_text(node: cst.SimpleString) -> str | None:
    try:
        read = ast.literal_eval(node.value)
    except (SyntaxError, ValueError):
        return None
    return read if isinstance(read, str) else None


def _list_objects(node: cst.BaseExpression) -> list[cst.Dict]:
    """Return the literals of objects that *node* is, or that are in it as a list."""
    if isinstance(node, cst.List):
        return [found for each in node.elements for found in _list_objects(each.value)]
    return [node] if isinstance(node, cst.Dict) else []


def _list_names(text: str) -> set[str]:
    """Return the names in *text*, if it is an expression."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return set()
    nodes = ast.walk(tree)
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    }


def _describe(name: str, what: NewName | CallerRemark) -> str:
    return f"{name} is {what.new} now" if isinstance(what, NewName) else str(what)
