"""Move code that uses a generated package from one version of the API to another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dateline.files.disk import replace
from dateline.migrate.concerned import find_concerned, find_roots, read_code
from dateline.migrate.facts import CallerRemark, find_facts
from dateline.migrate.package import PackageError, VersionModule, list_places, read_version
from dateline.model import Place, Problem, SourceError
from dateline.paths import name_path
from dateline.python.names import package_name

if TYPE_CHECKING:
    from dateline.migrate.applying import MigratedFile

__all__ = ["Migration", "PackageError", "migrate"]

_SUFFIXES: Final = (".py", ".pyi", ".ipynb")
_NOTEBOOK: Final = "a notebook, which is not read: export it as Python"


class PlacedRemark(NamedTuple):
    """A line for people about a place, with that place in the old text and in the new one."""

    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Migration:
    """The result for files: the old and the new text of those that change, by their paths.

    ``left`` are changes for callers that have no name in Python code. Files keep their
    ``encodings``.
    """

    files: dict[Path, tuple[str, str]]
    encodings: dict[Path, str]
    marked: tuple[PlacedRemark, ...]
    uncertain: tuple[PlacedRemark, ...]
    left: tuple[CallerRemark, ...]

    @property
    def patch(self) -> str:
        """All changes as a unified diff."""
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for path, (before, after) in self.files.items()
            for line in unified_diff(
                before.splitlines(keepends=True),
                after.splitlines(keepends=True),
                f"a/{name_path(path)}",
                f"b/{name_path(path)}",
            )
        )

    def write(self) -> None:
        """Write the files. Each has its old text or its new one, whenever the process ends."""
        for path, (_, text) in self.files.items():
            content = text.encode(self.encodings[path])
            replace(path, content, path.with_name(f".{path.name}.dateline"))


def migrate(paths: Sequence[Path], generated: Path, older: str, newer: str) -> Migration:
    """Return the result for the Python files in *paths*, files or folders.

    *generated* is a folder with the generated packages and change pages, in `python` and
    `changes`. Nothing is imported or run. Files that import one that imports the older version,
    at any distance, are read as well. Raises PackageError where *generated* lacks a version or the
    page, SourceError with every one of the files that is not valid Python.
    """
    # slow to import, and an optional dependency
    from dateline.migrate.resolving import NameResolver
    from dateline.migrate.rewriting import ParserSyntaxError, rewrite

    versions = _read_versions(generated / "python", older, newer)
    facts = find_facts(_read_changes(generated / "changes", older, newer), *versions)
    files: dict[Path, tuple[str, str]] = {}
    marked: list[PlacedRemark] = []
    texts, encodings, uncertain, problems = _read_files(paths, versions[0])
    concerned = find_concerned(texts, package_name(older))
    folders = [generated / "python", *find_roots(paths)]
    others = {
        home: find_concerned(texts, home.name)
        for home in _list_others(generated / "python" / versions[0].package, versions[0])
    }
    for path, text in texts.items():
        if path not in concerned:
            continue
        is_user = concerned[path]
        places = [list_places(home) for home, using in others.items() if path in using]
        shared = versions[0].places.intersection(frozenset[str]().union(*places))
        resolver = NameResolver(text, path.resolve(), folders, versions[0], shared)
        try:
            rewritten: MigratedFile = rewrite(text, facts, versions, resolver, is_concerned=is_user)
        except ParserSyntaxError as error:
            problems.append(_refuse(path, error.editor_line, error.editor_column))
            continue
        if rewritten.text != text:
            files[path] = text, rewritten.text
        for pair in rewritten.notices:
            listed = marked if pair[0].is_marked else uncertain
            listed.append(PlacedRemark(*(f"{name_path(path)}:{each}" for each in pair)))
    if problems:
        raise SourceError(problems)
    return Migration(
        files=files,
        encodings=encodings,
        marked=tuple(marked),
        uncertain=tuple(uncertain),
        left=tuple(facts.left),
    )


class _CodeFiles(NamedTuple):
    """The texts and encodings of the files that can be read, and what to report about others."""

    texts: dict[Path, str]
    encodings: dict[Path, str]
    uncertain: list[PlacedRemark]
    problems: list[Problem]


def _read_files(paths: Sequence[Path], older: VersionModule) -> _CodeFiles:
    found = _CodeFiles({}, {}, [], [])
    for path in _list_files(paths):
        if path.suffix == ".ipynb":
            if older.package.encode() in path.read_bytes():
                line = f"{name_path(path)}:1:1: {_NOTEBOOK}"
                found.uncertain.append(PlacedRemark(line, line))
            continue
        try:
            found.texts[path], found.encodings[path] = read_code(path)
        except (SyntaxError, UnicodeDecodeError):
            # Python can't import it either: other files, such as test data, are of no concern
            if package_name(older.version).encode() in path.read_bytes():
                why = "its encoding is not the one that it declares"
                found.problems.append(_refuse(path, 1, 1, why))
    return found


def _refuse(path: Path, line: int, column: int, why: str = "") -> Problem:
    reason = f": {why}" if why else ""
    return Problem(
        place=Place(name_path(path), line, column),
        id="python-unreadable",
        message=f"this is not valid Python{reason}; fix the file, or leave it out",
    )


def _read_versions(python: Path, older: str, newer: str) -> tuple[VersionModule, VersionModule]:
    packages = sorted(path.parent for path in python.glob("*/types.py"))
    if len(packages) != 1:
        raise PackageError(f"{python} has no generated package: run `dateline generate`")
    return read_version(packages[0], older), read_version(packages[0], newer)


def _list_others(package: Path, older: VersionModule) -> Iterator[Path]:
    """Yield the folders of the versions of *package* but the *older* one."""
    for home in sorted(package.glob("v*/")):
        if (home / "__init__.py").is_file() and home.name != package_name(older.version):
            yield home


def _read_changes(pages: Path, older: str, newer: str) -> list[dict[str, Any]]:
    page = pages / f"{older}...{newer}.json"
    try:
        found: list[dict[str, Any]] = json.loads(page.read_bytes())["changes"]
    except FileNotFoundError:
        raise PackageError(
            f"{page} is missing: run `dateline generate`, or go by the versions between"
        ) from None
    return found


def _list_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of Python and notebooks, each once, in order; hidden folders aside."""
    found = set()
    for path in paths:
        if path.is_dir():
            inside = [each for each in path.rglob("*.*") if each.suffix in _SUFFIXES]
            shown = [each for each in inside if not _is_hidden(each.relative_to(path))]
            found |= {each for each in shown if each.is_file()}
        else:
            found.add(path)
    yield from sorted(found)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)
