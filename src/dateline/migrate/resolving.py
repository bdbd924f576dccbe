"""Resolve names in callers' code, if they are certain."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jedi  # type: ignore[import-untyped]

from dateline.migrate.concerned import find_top, read_code
from dateline.migrate.package import VersionModule

# jedi caches files between runs by path and time; here it may only do so by content.
_SCRATCH = TemporaryDirectory(prefix="dateline-jedi-", ignore_cleanup_errors=True)
jedi.settings.cache_directory = _SCRATCH.name

_METHODS = ("Methods", "AsyncMethods")
_CLIENTS = ("Client", "AsyncClient")


class PackageMember(NamedTuple):
    """A member of the package, and what has it.

    A field or member of a class of models, an argument of a method of the client, or a method
    (``holder`` is empty).
    """

    holder: str
    name: str


class _CodeFile:
    """The text of one file, its tree, and what jedi infers from it.

    The tree is empty for syntax that is newer than this Python. Lines count from 1, columns, in
    characters, from 0.
    """

    def __init__(self, text: str, path: Path, project: Any) -> None:
        self.script = jedi.Script(text, path=path, project=project)
        # jedi only remembers steps of an inference, and several questions need the same one
        self.infer = cache(self.script.infer)
        self.lines = text.split("\n")
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module([], [])

    def locate(self, line: int, offset: int) -> tuple[int, int]:
        """Return the place in characters of an *offset* in bytes."""
        return line, len(self.lines[line - 1].encode()[:offset].decode())

    def find_last(self, node: ast.expr) -> tuple[int, int]:
        """Return the place of the last character of *node*."""
        line, column = self.locate(node.end_lineno or 1, node.end_col_offset or 0)
        return line, column - 1

    @cached_property
    def holders(self) -> dict[tuple[int, int], ast.expr]:
        """The expression that has each attribute, by the place of its name."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                line, last = self.find_last(node)
                found[line, last + 1 - len(node.attr)] = node.value
        return found


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _split_choice(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions of which *node* has the value of one, calls without `await`."""
    match node:
        case ast.BoolOp(values=values):
            for each in values:
                yield from _split_choice(each)
        case ast.IfExp():
            yield from _split_choice(node.body)
            yield from _split_choice(node.orelse)
        case ast.Await() | ast.NamedExpr():
            yield from _split_choice(node.value)
        case _:
            yield node


def _list_returned(function: _Function) -> Iterator[ast.expr]:
    """Yield the expressions of which *function* returns one, unless its arguments decide on it."""
    given = function.args
    listed = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    names = {each.arg for each in listed if each is not None}
    ahead: list[ast.AST] = [*function.body]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            for each in _split_choice(node.value):
                if names.isdisjoint(one.id for one in ast.walk(each) if isinstance(one, ast.Name)):
                    yield each
        elif not isinstance(node, _Function | ast.ClassDef | ast.Lambda):
            ahead += ast.iter_child_nodes(node)


def _name_whole(found: Any) -> str:
    """Return where *found* is defined; a field that a call gives is in its class."""
    if found.full_name is None and found.type == "param":
        holder = found.parent()
        return f"{holder.full_name}.{found.name}" if holder is not None else ""
    if found.type == "instance":
        # a member of an enum has the name of its class
        return f"{found.full_name}.{found.name}"
    return found.full_name or ""


class NameResolver:
    """Finds the definitions of names in one file; *folders* are searched for imports.

    Nothing in the *shared* places of the package is certain: the file uses another version, too,
    that has it.
    """

    def __init__(
        self,
        text: str,
        path: Path,
        folders: Sequence[Path],
        older: VersionModule,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        # the generated package comes before another release of it that may be installed
        searched = [*map(str, folders), *sys.path]
        top = find_top(path.parent)
        self._project = jedi.Project(top, sys_path=searched, smart_sys_path=True)
        self._code = _CodeFile(text, path, self._project)
        self._opened = {path: self._code}
        self._script, self._lines = self._code.script, self._code.lines
        self._folders = folders
        self._older = older
        self._shared = shared
        self._varied: dict[tuple[int, int], bool] = {}

    def find_members(
        self, line: int, column: int, keyword: str = ""
    ) -> tuple[set[PackageMember], bool]:
        """Return the possible members of the package for the name at a place.

        Also returns whether that is certain: nothing else is possible. A *keyword* of a call is
        certain only where a parameter has its name: any other may be passed on. Lines count from
        1, columns from 0.
        """
        found = self._script.goto(line, column, follow_imports=True)
        if any((each.line, each.column) == (line, column) for each in found):
            # what is assigned or deleted is found as the definition of itself
            return self._find_assigned(line, column)
        names = {_name_whole(each) for each in found}
        members = {self._read(each) for each in names}
        is_named = not keyword or all(each.name == keyword for each in found)
        known = {each for each in members if each is not None}
        is_certain = is_named and len(members) == 1 and not self._has_shared(names)
        return known, is_certain and not (known and self._may_be_other(line, column))

    def _find_assigned(self, line: int, column: int) -> tuple[set[PackageMember], bool]:
        """Return what `find_members` does for an attribute, by the type of what has it.

        It is not certain if that type only inherits from the package: it may have it itself.
        """
        text = self._lines[line - 1]
        found = re.match(r"\w+", text[column:])
        before = text[:column].rstrip(" \t.")
        if not (found and before):
            return set(), False
        name = found[0]
        types = self._code.infer(line, len(before) - 1)
        names = {f"{each.full_name}.{name}" for each in types}
        members = {self._read(each) for each in names}
        own = [each for each in types if self._read(f"{each.full_name}.{name}") is None]
        inherited = {PackageMember(holder, name) for holder in self._list_inherited(own)}
        known = {each for each in members if each is not None}
        is_certain = len(members) == 1 and not inherited and not self._has_shared(names)
        return known | inherited, is_certain and not self._may_be_other(line, column)

    def _may_be_other(self, line: int, column: int) -> bool:
        """Return whether what has the attribute at a place may be of unknown type."""
        holder = self._code.holders.get((line, column))
        return holder is not None and self._is_other(holder)

    def _is_other(self, holder: ast.expr) -> bool:
        return any(map(self._is_choice_other, _split_choice(holder)))

    def _is_choice_other(self, node: ast.expr) -> bool:
        match node:
            case ast.Name():
                return self.is_varied(*self._code.find_last(node))
            case ast.Attribute():
                is_varied = self.is_varied(*self._code.find_last(node))
                return is_varied or self._is_other(node.value)
            case ast.Call():
                known = self._code.infer(*self._code.find_last(node.func))
                return not known or self._returns_unknown(self._code, node, frozenset())
        return False

    def is_varied(self, line: int, column: int) -> bool:
        """Return whether the variable or attribute at a place may be of unknown type."""
        if (line, column) not in self._varied:
            self._varied[line, column] = self._find_varied(line, column)
        return self._varied[line, column]

    def _find_varied(self, line: int, column: int) -> bool:
        named = self._script.get_references(line, column, scope="file")
        defined = [each for each in named if each.is_definition()]
        if [each.type for each in defined] == ["param"]:
            # it may be a fixture of pytest, which only its use shows
            return False
        return any(map(self._is_unknown, defined))

    def _is_unknown(self, defined: Any) -> bool:
        """Return whether the variable *defined* gets a value there whose type can't be inferred."""
        types = [each.name for each in defined.infer()]
        if defined.type == "param":
            # a default may not be the only value
            types = [each for each in types if each != "NoneType"]
        return not types or not all(
            self._is_inferred(self._code, each)
            for each in self._list_choices(defined.line, defined.column)
        )

    def _list_choices(self, line: int, column: int) -> Iterator[ast.expr]:
        """Yield the expressions of which one is assigned to the variable at a place."""
        for node in ast.walk(self._code.tree):
            match node:
                case ast.Assign([ast.Name() as target]) | ast.AnnAssign(ast.Name() as target):
                    pass
                case ast.NamedExpr(ast.Name() as target):
                    pass
                case _:
                    continue
            place = self._code.locate(target.lineno, target.col_offset)
            if node.value is not None and place == (line, column):
                yield from _split_choice(node.value)

    def _is_inferred(
        self, code: _CodeFile, node: ast.expr, seen: frozenset[tuple[Path, int]] = frozenset()
    ) -> bool:
        """Return whether the type of *node*, a name or a call in *code*, can be inferred.

        Functions that were *seen* call this one.
        """
        called = node.func if isinstance(node, ast.Call) else node
        if not isinstance(called, ast.Name | ast.Attribute):
            return True
        types = code.infer(*code.find_last(called))
        if isinstance(node, ast.Call):
            types = [each for one in types for each in one.execute()]
            return bool(types) and not self._returns_unknown(code, node, seen)
        return bool(types)

    def _returns_unknown(
        self, code: _CodeFile, call: ast.Call, seen: frozenset[tuple[Path, int]]
    ) -> bool:
        """Return whether *call* in *code* may return a value whose type can't be inferred.

        Annotations of functions are believed.
        """
        for each in code.script.goto(*code.find_last(call.func), follow_imports=True):
            place = each.module_path, each.line
            if each.type != "function" or not self._is_own(each.module_path) or place in seen:
                continue
            other = self._open(each.module_path)
            for node in ast.walk(other.tree):
                if not isinstance(node, _Function) or node.lineno != each.line or node.returns:
                    continue
                returned = _list_returned(node)
                if not all(self._is_inferred(other, one, seen | {place}) for one in returned):
                    return True
        return False

    def _open(self, path: Path) -> _CodeFile:
        """Return the file at *path*; an empty one if it can't be read."""
        if path not in self._opened:
            try:
                text = read_code(path)[0]
            except (SyntaxError, ValueError):
                text = ""  # such a file is refused if it names the version
            self._opened[path] = _CodeFile(text, path, self._project)
        return self._opened[path]

    def find_class(self, line: int, column: int) -> str | None:
        """Return the class of models that the name at a place certainly is."""
        types = self._code.infer(line, column)
        found = {self._read_class(each) for each in types}
        is_shared = self._has_shared({each.full_name or "" for each in types})
        name = found.pop() if len(found) == 1 and not is_shared else None
        is_variable = not self._lines[line - 1][:column].rstrip().endswith(".")
        return None if name and is_variable and self.is_varied(line, column) else name

    def find_inherited(self, line: int, column: int) -> set[str]:
        """Return the classes of models that the class at a place may be or inherit.

        A class of clients has an empty name.
        """
        found = self._code.infer(line, column)
        return self._list_inherited(each for each in found if each.type == "class")

    def _list_inherited(self, types: Iterable[Any]) -> set[str]:
        """Return the classes of models that *types* are or inherit; a client's is empty."""
        found, seen, ahead = set[str](), set[str](), [*types]
        while ahead:
            each = ahead.pop()
            name = each.full_name or ""
            if name in seen:
                continue
            seen.add(name)
            if name.startswith(f"{self._older.package}."):
                known = self._read_class(each)
                if known is None and each.name in _CLIENTS:
                    known = ""
                found |= {known} if known is not None else set()
            elif self._is_own(each.module_path):
                ahead += (base for base in self._infer_bases(each) if base.type == "class")
        return found

    def _read_class(self, found: Any) -> str | None:
        place = self._find_place(found.full_name or "") if found.type == "class" else None
        name = (place or "").rpartition(".")[2]
        return name if name in self._older.classes else None

    def _is_own(self, path: Path | None) -> bool:
        """Return whether *path* may have classes that inherit from the package."""
        return path is not None and any(path.is_relative_to(each) for each in self._folders)

    def _infer_bases(self, named: Any) -> Iterator[Any]:
        """Yield what the bases of the class *named* may be."""
        code = self._open(named.module_path)
        for node in ast.walk(code.tree):
            if isinstance(node, ast.ClassDef) and node.name == named.name:
                # the line of a decorated class is that of its name
                for base in node.bases if node.lineno == named.line else ():
                    each = base.value if isinstance(base, ast.Subscript) else base
                    yield from code.infer(*code.find_last(each))

    def _read(self, name: str) -> PackageMember | None:
        place = self._find_place(name)
        if place is None:
            return None
        start, _, last = place.rpartition(".")
        match name.removeprefix(f"{self._older.package}.{place}").split(".")[1:]:
            case [member] if start != "client" and last in self._older.classes:
                return PackageMember(last, member)
            case [holder, member] if start == "client" and holder in _METHODS:
                return PackageMember("", member)
            case [holder, method, argument] if start == "client" and holder in _METHODS:
                return PackageMember(method, argument)
        return None

    def _find_place(self, name: str) -> str | None:
        """Return the place of the version that *name* is or belongs to."""
        start, *rest = name.split(".")
        if start != self._older.package:
            return None
        around = (".".join(rest[:end]) for end in range(len(rest), 0, -1))
        return next((each for each in around if each in self._older.places), None)

    def _has_shared(self, names: Iterable[str]) -> bool:
        return any(self._find_place(each) in self._shared for each in names)
