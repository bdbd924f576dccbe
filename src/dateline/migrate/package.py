"""What a generated package has in one version, read from its text: nothing of it is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dateline.model import DatelineError
from dateline.python.names import package_name


class PackageError(DatelineError):
    """The generated package, or a version of it, is not where it should be."""


@dataclass(frozen=True, kw_only=True)
class GeneratedClass:
    """A class of models: the annotation of each field, and the names of its members."""

    fields: dict[str, ast.expr]
    members: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class VersionModule:
    """One version of a generated package.

    ``names`` are what it exports, ``classes`` those of its models, ``methods`` those of its client
    by `METHOD /path`.
    """

    package: str
    version: str
    names: frozenset[str]
    classes: dict[str, GeneratedClass]
    methods: dict[str, str]

    @property
    def path(self) -> str:
        """The module as it is imported: `library.v2025_01_15`."""
        return f"{self.package}.{package_name(self.version)}"

    def find_class(self, start: str, fields: list[str]) -> str | None:
        """Return the class that *fields* lead to from the class *start*.

        None where an annotation on the way names no class, or several.
        """
        for name in fields:
            if start not in self.classes or name not in self.classes[start].fields:
                return None
            annotation = self.classes[start].fields[name]
            named = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
            found = sorted(named & self.classes.keys())
            if len(found) != 1:
                return None
            start = found[0]
        return start if start in self.classes else None


def read_version(folder: Path, version: str) -> VersionModule:
    """Return what the package in *folder* has in *version*. Raises PackageError."""
    home = folder / package_name(version)
    if not (home / "__init__.py").is_file():
        raise PackageError(f"{folder} has no version {version}: generate it, or name another one")
    start = _parse(home / "__init__.py")
    names = {
        alias.name
        for node in ast.walk(start)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname in (None, alias.name)
    }
    classes: dict[str, GeneratedClass] = {}
    for module in _list_modules(start, folder, "models"):
        classes.update(_read_classes(module))
    methods: dict[str, str] = {}
    if (home / "client.py").is_file():
        for module in _list_modules(_parse(home / "client.py"), folder, "client"):
            methods.update(_read_methods(module))
    return VersionModule(
        package=folder.name,
        version=version,
        names=frozenset(names),
        classes={name: found for name, found in classes.items() if name in names},
        methods=methods,
    )


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _list_modules(module: ast.Module, folder: Path, room: str) -> Iterator[ast.Module]:
    """Yield the modules of the folder *room* of the package that *module* imports from."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module:
            head, _, name = node.module.partition(".")
            if head != room:
                continue
            for each in [name] if name else [alias.name for alias in node.names]:
                path = folder / room / f"{each}.py"
                if path.is_file():
                    yield _parse(path)


def _read_classes(module: ast.Module) -> Iterator[tuple[str, GeneratedClass]]:
    for node in module.body:
        if not isinstance(node, ast.ClassDef):
            continue
        fields = {
            each.target.id: each.annotation
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        members = {
            each.targets[0].id: each.value.value
            for each in node.body
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and isinstance(each.value, ast.Constant)
            and isinstance(each.value.value, str)
        }
        yield node.name, GeneratedClass(fields=fields, members=members)


def _read_methods(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield `METHOD /path` and the name of the method for each operation that *module* defines."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            said = {
                each.arg: each.value.value
                for each in node.keywords
                if isinstance(each.value, ast.Constant) and isinstance(each.value.value, str)
            }
            if {"name", "method", "path"} <= said.keys():
                yield f"{said['method']} {said['path']}", said["name"]
