"""Resolve names in callers' code, if they are certain."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jedi  # type: ignore[import-untyped]

from dateline.migrate.package import VersionModule

# jedi caches files between runs by path and time; here it may only do so by content.
_SCRATCH = TemporaryDirectory(prefix="dateline-jedi-", ignore_cleanup_errors=True)
jedi.settings.cache_directory = _SCRATCH.name

_METHODS = ("Methods", "AsyncMethods")


class PackageMember(NamedTuple):
    """A field or member of a class of models, or a method of the client (``holder`` is empty)."""

    holder: str
    name: str


def _name_whole(found: Any) -> str:
    """Return where *found* is defined; a field that a call gives is in its class."""
    if found.full_name is None and found.type == "param":
        holder = found.parent()
        return f"{holder.full_name}.{found.name}" if holder is not None else ""
    return found.full_name or ""


class NameResolver:
    """Finds the definitions of names in one file; *folders* are searched for imports."""

    def __init__(
        self, text: str, path: Path, folders: Sequence[Path], older: VersionModule
    ) -> None:
        # the generated package comes before another release of it that may be installed
        searched = [*map(str, folders), *sys.path]
        project = jedi.Project(path.parent, sys_path=searched, smart_sys_path=True)
        self._script = jedi.Script(text, path=path, project=project)
        self._lines = text.split("\n")
        self._older = older

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
        members = {self._read(_name_whole(each)) for each in found}
        is_named = not keyword or all(each.name == keyword for each in found)
        known = {each for each in members if each is not None}
        return known, bool(found) and is_named and len(members) == 1

    def _find_assigned(self, line: int, column: int) -> tuple[set[PackageMember], bool]:
        """Return what `find_members` does for an attribute, by the type of what has it."""
        text = self._lines[line - 1]
        name = re.match(r"\w+", text[column:])
        before = text[:column].rstrip(" \t.")
        types = self._script.infer(line, len(before) - 1) if name and before else []
        members = {self._read(f"{each.full_name}.{name[0]}") for each in types if name}
        return {each for each in members if each is not None}, len(members) == 1

    def _read(self, name: str) -> PackageMember | None:
        start, *rest = name.split(".")
        if start != self._older.package or len(rest) != 4:
            return None
        room, _, holder, member = rest
        if room == "models" and holder in self._older.classes:
            return PackageMember(holder, member)
        return PackageMember("", member) if room == "client" and holder in _METHODS else None
