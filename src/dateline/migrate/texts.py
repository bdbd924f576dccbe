"""Decide what texts in code name: the version, a class, or what changed in one."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

import libcst as cst
from libcst.metadata import ParentNodeProvider

from dateline.migrate.applying import set_value
from dateline.migrate.expressions import list_names, name_dotted, read_text
from dateline.migrate.facts import CallerRemark, MigrationFacts, NewName
from dateline.migrate.package import VersionModule
from dateline.migrate.recording import EditRecorder
from dateline.model import printable
from dateline.python.names import package_name

# Text in quotes with names of types only: none is in nested quotes, or escaped.
_QUOTED_TYPE: Final = re.compile(r"""[rRuU]?(["']+)[\w\s\[\],|]*\1""")
_WORD: Final = re.compile(r"\w+")
_BLANK: Final = re.compile(r"\s")
# what str.format and % put into a text, and what is in quotes there, as in JSON
_FIELDS: Final = re.compile(r"""\{([\w.\[\]]+)[!:}]|%\((\w+)\)|(["'])(\w+)\3""")


class TextReader(EditRecorder):
    """Finds the texts of a file that name what changed."""

    def __init__(
        self, facts: MigrationFacts, versions: tuple[VersionModule, VersionModule]
    ) -> None:
        super().__init__()
        self._facts = facts
        self._older, self._newer = versions
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
        version = re.escape(self._older.version)
        self._dated = re.compile(rf"(?<![\w-]){version}(?![\w-])|{self._package}(?!\w)")
        # classes that are imported from the version under their own names, and from elsewhere
        self._imported: set[str] = set()
        self._handed: set[str] = set()
        # those that keep their old names
        self._kept: set[str] = set()
        # nodes that are decided with others
        self._settled: set[cst.CSTNode] = set()
        self.is_concerned = False

    @property
    def _package(self) -> str:
        return package_name(self._older.version)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        text = read_text(node)
        if text is None:
            self._list_version(node, node.value)
        elif (
            not self._list_version(node, text)
            and node not in self.edits
            and node not in self._settled
            and not self._list_changed(node, text)
        ):
            self._decide_quoted(node, text)

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:
        if not self._list_version(node, node.value):
            self._list_changed(node, node.value)

    def _list_version(self, node: cst.CSTNode, text: str) -> bool:
        """List *text* if it may name the version; return whether it does."""
        found = self._dated.search(text)
        if found is not None:
            if found[0] == self._package:
                self.is_concerned = True
            self._notice(node, f"the text {printable(repr(text))} may name the version")
        return found is not None

    def _list_changed(self, node: cst.CSTNode, text: str) -> bool:
        """List *text* if it may name fields, members or methods that changed."""
        if text in self._wire:
            self._notice(node, f"the text {text!r} may name a field that changed")
            return True
        # by itself, in a path of names, or where it is formatted
        words = {*_WORD.findall(text)} if not _BLANK.search(text) else set()
        for found in _FIELDS.finditer(text):
            words |= {*_WORD.findall(found[1] or found[2] or found[4])}
        named = sorted(words & self._words)
        if named:
            names = " and ".join(f"`{each}`" for each in named)
            self._notice(node, f"the text {printable(repr(text))} may name what changed: {names}")
        return bool(named)

    def _decide_quoted(self, node: cst.SimpleString, text: str) -> None:
        """Rewrite or list the classes that *text* names, which may be a type in quotes."""
        changed = (list_names(text) & self._facts.classes.keys()) - self._kept
        known = {name: self._facts.classes[name] for name in changed & self._imported}
        is_type = self._is_annotation(node)
        if is_type and known and known.keys() == changed and _QUOTED_TYPE.fullmatch(node.value):
            for what in known.values():
                if isinstance(what, CallerRemark):
                    self._mark(node, what)
            new = {name: what.new for name, what in known.items() if isinstance(what, NewName)}
            quoted = re.sub(r"\w+", lambda word: new.get(word[0], word[0]), node.value)
            self._edit(node, partial(set_value, text=quoted))
        elif known or changed & self._handed or (is_type and changed):
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
