"""Rewrite callers' code for another version, with comments where a person has to decide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import libcst as cst
from libcst import ParserSyntaxError
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
    ScopeProvider,
)

from dateline.migrate.applying import EditApplier, MigratedFile, Notice, set_value
from dateline.migrate.expressions import list_names, list_objects, name_dotted, read_text
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
_WORD: Final = re.compile(r"\w+")
_PATH: Final = re.compile(r"[\w.]+")
# what str.format and % put into a text
_FIELDS: Final = re.compile(r"\{([\w.\[\]]+)[!:}]|%\((\w+)\)")
_READERS: Final = ("model_validate", "model_construct")


def rewrite(
    text: str,
    facts: MigrationFacts,
    versions: tuple[VersionModule, VersionModule],
    resolver: NameResolver,
    *,
    is_concerned: bool = False,
) -> MigratedFile:
    """Return *text* for the newer of *versions*. Raises libcst.ParserSyntaxError.

    Only what certainly is a name of the package is rewritten. Nothing changes in a file that does
    not import the older version, unless it *is_concerned* by other means.
    """
    wrapper = MetadataWrapper(cst.parse_module(text))
    finder = _EditFinder(facts, versions, resolver, text)
    finder.is_concerned = is_concerned
    wrapper.visit(finder)
    if not finder.is_concerned:
        return MigratedFile(text, ())
    changed = wrapper.module.visit(EditApplier(finder.edits, finder.marks))
    return MigratedFile(changed.code, tuple(sorted({*finder.notices})))


class _EditFinder(cst.CSTVisitor):
    """Finds what to edit, by node, and the notices."""

    METADATA_DEPENDENCIES = (
        *(PositionProvider, ParentNodeProvider),
        *(QualifiedNameProvider, ScopeProvider),
    )

    def __init__(
        self,
        facts: MigrationFacts,
        versions: tuple[VersionModule, VersionModule],
        resolver: NameResolver,
        text: str,
    ) -> None:
        super().__init__()
        self._words_of_file = {*_WORD.findall(text)}
        self._kept: set[str] = set()
        # of each class around
        self._bases: list[list[str]] = []
        # classes whose names are something else on another way through the file
        self._ambiguous: set[str] = set()
        self._facts = facts
        self._older, self._newer = versions
        self._resolver = resolver
        self._names = facts.find_names()
        self._wire = {
            each.wire[0] if isinstance(each, NewName) else name
            for (_, name), each in facts.fields.items()
        }
        self._keywords = {name for _, name in (*facts.fields, *facts.arguments)}
        removed = {
            self._older.classes[holder].members[name]
            for holder, name in facts.members
            if name in self._older.classes[holder].members
        }
        # what a text may name, in JSON or in Python
        self._words = self._wire | self._names | self._keywords | removed
        self._imported: set[str] = set()
        self._stars: set[str] = set()
        self._settled: set[cst.CSTNode] = set()
        self.is_concerned = False
        self.edits: dict[cst.CSTNode, Callable[[Any], cst.CSTNode]] = {}
        self.marks: dict[cst.CSTNode, list[str]] = {}
        self.notices: list[Notice] = []

    # --- imports and names

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            name = name_dotted(alias.name)
            if name == self._older.path or name.startswith(f"{self._older.path}."):
                self.is_concerned = True
                self._move(alias.name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = name_dotted(node.module) if node.module is not None else ""
        names = () if isinstance(node.names, cst.ImportStar) else node.names
        if node.relative:
            if package_name(self._older.version) in module.split("."):
                self._notice(node, "a relative import of the version: change it by hand")
            return
        if module == self._older.package:
            for alias in names:
                if name_dotted(alias.name) == package_name(self._older.version):
                    self.is_concerned = True
                    self._edit(alias.name, lambda name: name.with_changes(value=self._module))
        if isinstance(node.names, cst.ImportStar):
            self._stars.add(module)
        if module.partition(".")[0] != self._older.package:
            for alias in names:
                # it may be handed on
                if isinstance(alias.name, cst.Name) and alias.name.value in self._facts.classes:
                    self._list_possible(alias.name)
        if module == self._older.path or module.startswith(f"{self._older.path}."):
            self.is_concerned = True
            self._move(node.module)
            for alias in names:
                known = self._facts.classes.get(name_dotted(alias.name))
                if known is not None and alias.asname is None:
                    self._imported.add(name_dotted(alias.name))
                if isinstance(known, NewName) and self._is_kept(node, alias, known.new):
                    self._keep_name(alias, known)
                elif isinstance(known, NewName):
                    self._rename(alias.name, known)
                elif known is not None:
                    self._mark(alias, known)

    def _is_kept(self, node: cst.ImportFrom, alias: cst.ImportAlias, new: str) -> bool:
        """Return whether the file may have something else of the old name, or of the *new* one."""
        name = alias.evaluated_alias or alias.evaluated_name
        scope = self.get_metadata(ScopeProvider, node, None)
        bound = scope[name] if scope is not None else ()
        qualified = {found.name for each in bound for found in each.get_qualified_names_for(name)}
        return new in self._words_of_file or len(qualified) > 1

    def _keep_name(self, alias: cst.ImportAlias, known: NewName) -> None:
        """Import the class under its old name."""
        called = cst.Name(known.new)
        name = cst.AsName(cst.Name(name_dotted(alias.name)))
        asname = name if alias.asname is None else alias.asname
        self._edit(alias, lambda old: old.with_changes(name=called, asname=asname))
        if alias.asname is None:
            self._kept.add(name_dotted(alias.name))

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
            if start == self._older.path and not self._is_certain(node):
                self._ambiguous.add(last)
            if start == self._older.path and last == node.value and known is not None:
                if last in self._kept:
                    return
                if not self._is_certain(node):
                    self._list_possible(node)
                elif isinstance(known, NewName):
                    self._rename(node, known)
                elif self._stars:
                    self._mark(node, known)
            elif name == self._older.path and node.value == package_name(self._older.version):
                self._edit(node, lambda old: old.with_changes(value=self._module))

    def _qualify(self, node: cst.CSTNode) -> list[str]:
        found = [each.name for each in self.get_metadata(QualifiedNameProvider, node, ()) or ()]
        if not found and self._older.path in self._stars and isinstance(node, cst.Name):
            # nothing in the file defines it
            return [f"{self._older.path}.{node.value}"] * (node.value in self._older.names)
        return found

    def _is_certain(self, node: cst.CSTNode) -> bool:
        """Return whether the name *node*, which may be one of the package, is nothing else."""
        found = self.get_metadata(QualifiedNameProvider, node, ()) or ()
        return len(self._stars) == 1 if not found else len(found) == 1

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
            if known is not None and len(qualified) > 1:
                self._list_possible(node.attr)
                return
            if known is not None:
                self._apply(node.attr, known)
                return
        if node.attr.value in self._names:
            self._decide(node.attr)
        elif node.attr.value in self._facts.classes:
            self._list_possible(node.attr)

    def _list_possible(self, node: cst.Name) -> None:
        facts = sorted({str(each) for each in self._find_all(node.value)})
        self._notice(node, f"`{node.value}` may be one of the API: {'; '.join(facts)}")

    def _decide(self, node: cst.Name) -> None:
        """Rewrite or mark the attribute *node* if its meaning is certain; else list it."""
        where = self.get_metadata(PositionProvider, node).start
        members, is_certain = self._resolver.find_members(where.line, where.column)
        known = [
            found
            for holder, name in sorted(members)
            if (found := self._find(holder, name)) is not None
        ]
        if is_certain and members and self._ambiguous.isdisjoint(name for name, _ in members):
            for each in known:
                self._apply(node, each)
        elif known or not (members or is_certain) or self._is_inherited(node.value):
            self._list_possible(node)

    def _is_inherited(self, name: str) -> bool:
        """Return whether the class around inherits a field *name* that changed."""
        return any(self._find(each, name) is not None for each in (self._bases or [[]])[-1])

    def _find(self, holder: str, name: str) -> NewName | CallerRemark | None:
        if not holder:
            return self._facts.methods.get(name)
        return self._facts.fields.get((holder, name)) or self._facts.members.get((holder, name))

    def _find_all(self, name: str) -> Iterator[str]:
        pairs = [*self._facts.fields.items(), *self._facts.members.items()]
        for (holder, member), what in pairs:
            if member == name:
                yield _describe(f"{holder}.{name}", what)
        for (method, argument), what in self._facts.arguments.items():
            if argument == name:
                yield _describe(f"{method}({name}=)", what)
        for known in (self._facts.methods, self._facts.classes):
            if name in known:
                yield _describe(name, known[name])

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

    def visit_Arg(self, node: cst.Arg) -> None:
        """List a keyword that may become one of the API: of a partial call, say, or a dict."""
        keyword = node.keyword
        if keyword is None or keyword in self._settled or keyword.value not in self._keywords:
            return
        where = self.get_metadata(PositionProvider, keyword).start
        members, is_certain = self._resolver.find_members(where.line, where.column, keyword.value)
        known = [found for each in sorted(members) if (found := self._find(*each)) is not None]
        if is_certain and members and self._ambiguous.isdisjoint(name for name, _ in members):
            for what in known:
                self._apply(keyword, what)
        elif known or not is_certain:
            self._list_possible(keyword)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """List fields that a class inherits and has itself, too."""
        holders = [found for each in node.bases if (found := self._find_class(each.value))]
        self._bases.append(holders)
        statements = [each for each in node.body.body if isinstance(each, cst.SimpleStatementLine)]
        lines = [line for each in statements for line in each.body]
        for line in lines if holders else ():
            targets = [line.target] if isinstance(line, cst.AnnAssign) else []
            targets += (
                [each.target for each in line.targets] if isinstance(line, cst.Assign) else []
            )
            for target in targets:
                name = target.value if isinstance(target, cst.Name) else ""
                if self._is_inherited(str(name)):
                    self._list_possible(cst.ensure_type(target, cst.Name))

    def leave_ClassDef(self, _node: cst.ClassDef) -> None:
        self._bases.pop()

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
                return last if self._is_certain(node) else None
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
        self._settled |= {*given.values()}
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
            if not isinstance(key, cst.SimpleString) or (text := read_text(key)) is None:
                continue
            if nested := self._older.find_nested(holder, text):
                for each in list_objects(element.value):
                    self._check_keys(each, nested)
            name = self._older.classes[holder].wire.get(text, text)
            given.add(name)
            known = self._facts.fields.get((holder, name))
            if isinstance(known, NewName):
                self._edit(key, partial(set_value, text=key.quote + known.wire[1] + key.quote))
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
        text = read_text(node)
        if text == self._older.version:
            self._notice(node, f"the text {text!r} may name the version")
        elif text is not None and package_name(self._older.version) in text:
            self.is_concerned = True
            self._notice(node, f"the text {printable(repr(text))} may name the version")
        elif text in self._wire and node not in self.edits:
            self._notice(node, f"the text {text!r} may name a field that changed")
        elif text is not None and node not in self.edits and (named := self._list_words(text)):
            names = " and ".join(f"`{each}`" for each in sorted(named))
            self._notice(node, f"the text {printable(repr(text))} may name what changed: {names}")
        elif text is not None:
            self._decide_quoted(node, text)

    def _list_words(self, text: str) -> set[str]:
        """Return what *text* may name: by itself, in a path of names, or where it is formatted."""
        paths = [text] if _PATH.fullmatch(text) else []
        paths += [found[1] or found[2] for found in _FIELDS.finditer(text)]
        return {word for path in paths for word in _WORD.findall(path)} & self._words

    def _decide_quoted(self, node: cst.SimpleString, text: str) -> None:
        """Rewrite or list the classes that *text* names, which may be a type in quotes."""
        is_type = self._is_annotation(node)
        changed = list_names(text) & self._facts.classes.keys() if is_type else {text}
        changed -= self._kept
        known = {name: self._facts.classes[name] for name in changed & self._imported}
        if is_type and known and known.keys() == changed and _QUOTED_TYPE.fullmatch(node.value):
            for what in known.values():
                if isinstance(what, CallerRemark):
                    self._mark(node, what)
            new = {name: what.new for name, what in known.items() if isinstance(what, NewName)}
            quoted = re.sub(r"\w+", lambda word: new.get(word[0], word[0]), node.value)
            self._edit(node, partial(set_value, text=quoted))
        elif known or (is_type and changed):
            self._notice(node, f"the text {text!r} may name a class that changed")

    def _is_annotation(self, node: cst.CSTNode) -> bool:
        """Return whether the text *node* is certainly a type, or a part of one."""
        while not isinstance(node, cst.Annotation | cst.BaseStatement | cst.BaseSmallStatement):
            if isinstance(node, cst.Call):
                return False
            if isinstance(node, cst.Subscript):
                name = name_dotted(node.value).rpartition(".")[2]
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


def _describe(name: str, what: NewName | CallerRemark) -> str:
    return f"{name} is {what.new} now" if isinstance(what, NewName) else str(what)
