"""Rewrite callers' code for another version, with comments where a person has to decide."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

import libcst as cst
from libcst import ParserSyntaxError
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    QualifiedNameProvider,
    ScopeProvider,
)

from dateline.migrate.applying import EditApplier, MigratedFile, Notice, set_value
from dateline.migrate.expressions import (
    find_last,
    is_literal,
    list_defined,
    list_functions,
    list_objects,
    name_dotted,
    read_text,
)
from dateline.migrate.facts import CallerRemark, MigrationFacts, NewName
from dateline.migrate.package import VersionModule
from dateline.migrate.resolving import NameResolver
from dateline.migrate.texts import TextReader
from dateline.python.names import package_name

__all__ = ["MigratedFile", "Notice", "ParserSyntaxError", "rewrite"]

_WORD: Final = re.compile(r"\w+")
_CHECKS: Final = ("isinstance", "issubclass")
_READERS: Final = (
    *("model_construct", "model_validate", "model_validate_json", "model_validate_strings"),
)
# classes that describe objects of other classes by the names of their members
_STRUCTURES: Final = frozenset({"Protocol", "TypedDict"})


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
    applier = EditApplier(finder.edits, finder.marks)
    changed = wrapper.module.visit(applier)
    with finder.resolve(wrapper):
        notices = tuple(finder.pair_notices(changed, applier.applied))
    return MigratedFile(changed.code, notices)


class _EditFinder(TextReader):
    """Finds what to edit, by node, and the notices."""

    def __init__(
        self,
        facts: MigrationFacts,
        versions: tuple[VersionModule, VersionModule],
        resolver: NameResolver,
        text: str,
    ) -> None:
        super().__init__(facts, versions)
        self._words_of_file = {*_WORD.findall(text)}
        # of each class around
        self._bases: list[set[str]] = []
        # classes whose names are something else on another way through the file
        self._ambiguous: set[str] = set()
        self._resolver = resolver
        self._stars: set[str] = set()

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
        if node.relative and self._package in module.split("."):
            self._notice(node, "a relative import of the version: change it by hand")
            return
        if node.relative:
            # the package's own name may follow the dots
            module = f".{module}"
        if module == self._older.package:
            for alias in names:
                if name_dotted(alias.name) == self._package:
                    self.is_concerned = True
                    self._edit(alias.name, lambda name: name.with_changes(value=self._module))
        if isinstance(node.names, cst.ImportStar):
            self._stars.add(module)
        if module.partition(".")[0] != self._older.package:
            for alias in names:
                # it may be handed on
                if isinstance(alias.name, cst.Name) and alias.name.value in self._facts.classes:
                    self._handed.add(alias.name.value)
                    self._list_possible(alias.name)
                elif name_dotted(alias.name) == self._package:
                    self._notice(alias, f"`{self._package}` may be the version")
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
            if node.attr.value == self._package:
                self._edit(node.attr, lambda name: name.with_changes(value=self._module))
            node = node.value

    @property
    def _module(self) -> str:
        return package_name(self._newer.version)

    def visit_Name(self, node: cst.Name) -> None:
        if isinstance(self.get_metadata(ParentNodeProvider, node), cst.ImportAlias):
            return
        names = self._qualify(node)
        if not names and self._stars:
            # nothing in the file defines it
            if node.value in self._facts.classes:
                self._list_possible(node)
            elif node.value == self._package and node not in self.edits:
                self._notice(node, f"`{node.value}` may be the version")
        for name in names:
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
            elif name == self._older.path and node.value == self._package:
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
        if node.attr.value == self._package and node.attr not in self.edits:
            self._notice(node.attr, f"`{node.attr.value}` may be the version")
        elif node.attr.value in self._names:
            self._decide(node.attr)
        elif node.attr.value in self._facts.classes:
            self._list_possible(node.attr)

    def _list_possible(self, node: cst.Name) -> None:
        facts = sorted({str(each) for each in self._find_all(node.value)})
        self._notice(node, f"`{node.value}` may be one of the API: {'; '.join(facts)}")

    def _decide(self, node: cst.Name) -> None:
        """Rewrite or mark the attribute *node* if its meaning is certain; else list it."""
        members, is_certain = self._resolver.find_members(*self._locate(node))
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
        return bool(self._bases) and self._is_member(name, self._bases[-1])

    def _is_member(self, name: str, holders: set[str]) -> bool:
        return any(self._find(each, name) is not None for each in holders)

    def _find(self, holder: str, name: str) -> NewName | CallerRemark | None:
        if not holder:
            return self._facts.methods.get(name)
        key = holder, name
        facts = self._facts
        return facts.fields.get(key) or facts.members.get(key) or facts.arguments.get(key)

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
        if isinstance(node.func, cst.Name) and node.func.value in _CHECKS:
            for each in node.args[1:2]:
                self._check_alias(each.value)
        holder = self._find_class(node.func, is_found=self._is_of_concern(node))
        if holder is not None:
            self._check_alias(node.func)
            self._check_arguments(node, holder)
            return
        reader = node.func
        if isinstance(reader, cst.Attribute) and reader.attr.value in _READERS:
            holder = self._find_class(reader.value)
            if holder is not None and reader.attr.value == "model_construct":
                self._check_arguments(node, holder)
            elif holder is not None:
                self._check_data(node, holder)
            return
        method = self._find_method(node.func)
        if method is not None:
            self._check_arguments(node, method)
        elif self._is_of_concern(node):
            self._check_inherited(node)

    def _is_of_concern(self, node: cst.Call) -> bool:
        """Return whether it matters what *node* calls."""
        return bool(self._facts.required) or any(
            each.star == "**" or (each.keyword and each.keyword.value in self._keywords)
            for each in node.args
        )

    def _check_data(self, node: cst.Call, holder: str) -> None:
        """Rewrite the keys of an object that is read as *holder*; list any other data."""
        data = [each for each in node.args if each.keyword is None or each.keyword.value == "obj"]
        if data and isinstance(data[0].value, cst.Dict):
            self._check_keys(data[0].value, holder)
        elif data and not isinstance(data[0].value, cst.SimpleString):
            self._list_open(data[0], holder)

    def _list_open(self, node: cst.CSTNode, holder: str, given: Collection[str] = ()) -> None:
        """List *node*, which may contain any of the names of *holder* that are not *given*."""
        facts = {**self._facts.fields, **self._facts.arguments}
        own = sorted(name for each, name in facts if each == holder and name not in given)
        if own:
            found = "; ".join(_describe(name, facts[holder, name]) for name in own)
            self._notice(node, f"this may have a name of {holder} that changed: {found}")

    def _check_inherited(self, node: cst.Call) -> None:
        """List the call of a class that inherits from one with new required fields."""
        given = {each.keyword.value for each in node.args if each.keyword is not None}
        for holder in sorted(self._list_inherited(node.func)):
            self._check_required(node, holder, given, is_open=True)
            for each in node.args:
                if each.star == "**":
                    self._list_open(each, holder, given)

    def visit_Arg(self, node: cst.Arg) -> None:
        """List a keyword that may become one of the API: of a partial call, say, or a dict."""
        keyword = node.keyword
        if keyword is None or keyword in self._settled or keyword.value not in self._keywords:
            return
        members, is_certain = self._resolver.find_members(*self._locate(keyword), keyword.value)
        known = [each for each in sorted(members) if self._find(*each) is not None]
        call = cst.ensure_type(self.get_metadata(ParentNodeProvider, node), cst.Call)
        if known and isinstance(call.func, cst.Name):
            is_certain = is_certain and not self._resolver.is_varied(*self._locate(call.func))
        if is_certain and members and self._ambiguous.isdisjoint(name for name, _ in members):
            given = {each.keyword.value for each in call.args if each.keyword is not None}
            for holder, _ in known:
                self._apply_among(keyword, holder, keyword.value, given)
        elif known or not is_certain:
            self._list_possible(keyword)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """List what a class inherits and has itself, too, and what stands in for the client."""
        bases = [
            each.value.value if isinstance(each.value, cst.Subscript) else each.value
            for each in node.bases
        ]
        holders = {name for each in bases for name in self._list_inherited(each)}
        described = {name_dotted(each).rpartition(".")[2] for each in bases} & _STRUCTURES
        self._bases.append(holders)
        for target in list_defined(node):
            is_described = bool(described) and target.value in self._names
            if is_described or self._is_inherited(target.value):
                self._list_possible(target)
            for holder in sorted(holders):
                if any(target.value == new for new in self._list_new(holder)):
                    self._notice(target, f"`{target.value}` is inherited now")
        for function in list_functions(node):
            # of the client, or of what tests have in its place
            name = function.name.value
            if name in self._facts.methods and "" not in holders and not described:
                self._list_possible(function.name)
            for each in (*function.params.params, *function.params.kwonly_params):
                if (name, each.name.value) in self._facts.arguments:
                    self._list_possible(each.name)

    def leave_ClassDef(self, _node: cst.ClassDef) -> None:
        self._bases.pop()

    def _list_inherited(self, node: cst.BaseExpression) -> set[str]:
        """Return the classes that *node*, a class, may be or inherit; the client's are empty."""
        last = find_last(node)
        found = self._resolver.find_inherited(*self._locate(last)) if last is not None else set()
        known = self._find_class(node)
        return found if known is None else found | {known}

    def _list_new(self, holder: str) -> Iterator[str]:
        """Yield the new names of the members of *holder*; of the methods, if it is empty."""
        facts = self._facts
        own = [what for (name, _), what in facts.fields.items() if name == holder]
        for what in own if holder else facts.methods.values():
            if isinstance(what, NewName):
                yield what.new

    def visit_MatchClass(self, node: cst.MatchClass) -> None:
        self._check_alias(node.cls)
        holder = self._find_class(node.cls)
        given = {each.key.value for each in node.kwds}
        for each in node.kwds if given & self._names else ():
            if holder is not None:
                self._apply_among(each.key, holder, each.key.value, given)
            elif self._is_member(each.key.value, self._list_inherited(node.cls)):
                self._list_possible(each.key)

    def _check_alias(self, node: cst.CSTNode) -> None:
        """Mark *node* if it names a class that no longer is one."""
        if isinstance(node, cst.Tuple):
            for item in node.elements:
                self._check_alias(item.value)
        elif self._facts.aliases:
            remark = self._facts.aliases.get(self._find_class(node) or "")
            if remark is not None:
                self._mark(node, remark)

    def _find_class(self, node: cst.CSTNode, *, is_found: bool = True) -> str | None:
        """Return the class of models that *node* names: here, or if it *is_found* elsewhere."""
        for name in self._qualify(node):
            start, _, last = name.rpartition(".")
            if start == self._older.path and last in self._older.classes:
                return last if self._is_certain(node) else None
        last_name = find_last(node)
        is_known = not self._stars and self._is_builtin(node)
        if not is_found or last_name is None or is_known:
            return None
        return self._resolver.find_class(*self._locate(last_name))

    def _find_method(self, node: cst.CSTNode) -> str | None:
        """Return the method of a client that *node* names, if its arguments have changed."""
        called = {name for name, _ in self._facts.arguments}
        called |= self._facts.required.keys() - self._older.classes.keys()
        if not isinstance(node, cst.Attribute) or node.attr.value not in called:
            return None
        members, is_certain = self._resolver.find_members(*self._locate(node.attr))
        if ("", node.attr.value) in members and is_certain:
            return node.attr.value
        if not is_certain:
            self._notice(node.attr, f"`{node.attr.value}` may be a method of the client")
        return None

    def _check_arguments(self, node: cst.Call, holder: str) -> None:
        given = {each.keyword.value: each.keyword for each in node.args if each.keyword is not None}
        self._settled |= {*given.values()}
        for name, keyword in given.items():
            self._apply_among(keyword, holder, name, given)
        is_open = any(each.star == "**" for each in node.args)
        for each in node.args:
            if each.star == "**" and not is_literal(each.value):
                self._list_open(each, holder, given)
        self._check_required(node, holder, {*given}, is_open=is_open)

    def _apply_among(self, node: cst.Name, holder: str, name: str, given: Collection[str]) -> None:
        """Rewrite or mark *name*, unless its new name is among those that are *given*, too."""
        what = self._find(holder, name)
        others = {self._rename_member(holder, each) for each in given if each != name}
        if isinstance(what, NewName) and what.new in others:
            self._notice(node, f"{_describe(f'`{name}`', what)}, which is there as well")
        elif what is not None:
            self._apply(node, what)

    def _rename_member(self, holder: str, name: str) -> str:
        what = self._find(holder, name)
        return what.new if isinstance(what, NewName) else name

    def _check_keys(self, node: cst.Dict, holder: str) -> None:
        given: dict[str, cst.SimpleString] = {}
        wire = self._older.classes[holder].wire
        for element in node.elements:
            key = element.key if isinstance(element, cst.DictElement) else None
            if isinstance(element, cst.StarredDictElement):
                self._list_open(element, holder)
            if not isinstance(key, cst.SimpleString) or (text := read_text(key)) is None:
                continue
            if nested := self._older.find_nested(holder, text):
                for each in list_objects(element.value):
                    self._check_keys(each, nested)
            given[wire.get(text, text)] = key
        for name, key in given.items():
            known = self._facts.fields.get((holder, name))
            others = {self._rename_member(holder, each) for each in given if each != name}
            if isinstance(known, NewName) and known.new in others:
                self._settled.add(key)
                self._notice(key, f"{_describe(f'`{name}`', known)}, which is there as well")
            elif isinstance(known, NewName):
                self._edit(key, partial(set_value, text=key.quote + known.wire[1] + key.quote))
            elif known is not None:
                self._mark(key, known)
        is_open = any(isinstance(each, cst.StarredDictElement) for each in node.elements)
        self._check_required(node, holder, {*given}, is_open=is_open)

    def _check_required(
        self, node: cst.CSTNode, holder: str, given: set[str], *, is_open: bool
    ) -> None:
        named = {self._rename_member(holder, each) for each in given}
        for name, remark in sorted(self._facts.required.get(holder, {}).items()):
            if name not in named and is_open:
                self._notice(node, f"`{name}` may be missing: {remark}")
            elif name not in named:
                self._mark(node, CallerRemark(f"`{name}` is needed here: {remark}"))


def _describe(name: str, what: NewName | CallerRemark) -> str:
    return f"{name} is {what.new} now" if isinstance(what, NewName) else str(what)
