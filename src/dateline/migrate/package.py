"""Read the API of one version of a generated package from its source, without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from dateline.model import DatelineError
from dateline.openapi import find_operation, operation_steps, parts
from dateline.python.names import class_name, package_name
from dateline.schema.memo import closure

# Steps into a schema that its Python type does not show: into list items, values, members.
_SAME: Final = ("items", "additionalProperties", "unevaluatedProperties")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "patternProperties")
_TABLES: Final = ("results", "errors")

RESPONSES: Final = "responses/"
"""What the names of results begin with, beside the names of arguments."""


class PackageError(DatelineError):
    """The generated package, or a version of it, is not where it should be."""


@dataclass(frozen=True, kw_only=True)
class GeneratedClass:
    """A class of models: the annotation of each field, and the names of its members.

    ``wire`` maps names in JSON to fields, ``required`` are fields without a default.
    """

    fields: dict[str, ast.expr]
    members: dict[str, str]
    wire: dict[str, str]
    required: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class VersionModule:
    """One version of a generated package.

    ``names`` are its exports, ``classes`` and ``aliases`` those of its models, ``places`` where
    these and the methods of its client are defined, which other versions may share.

    By `METHOD /path`, which `_iterate` or `_open` follows for a second method, ``methods`` are
    those of its client, and ``types`` the annotations of their arguments, by name, and of their
    results, as `responses/200`; ``needed`` are arguments without a default.
    """

    package: str
    version: str
    names: frozenset[str]
    places: frozenset[str]
    classes: dict[str, GeneratedClass]
    aliases: dict[str, ast.expr]
    methods: dict[str, str]
    types: dict[str, dict[str, ast.expr]]
    needed: dict[str, frozenset[str]]

    @property
    def path(self) -> str:
        """The import path of the module: `library.v2025_01_15`."""
        return f"{self.package}.{package_name(self.version)}"

    def list_named(self, annotation: ast.expr) -> set[str]:
        """Return the classes and aliases of models that *annotation* names."""
        named = {
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(annotation)
            # `t` is the module of types, not of models
            if isinstance(node, ast.Name)
            or (isinstance(node, ast.Attribute) and ast.unparse(node.value) != "t")
        }
        return {name for name in named if name in self.classes or name in self.aliases}

    def find_class(self, annotation: ast.expr) -> str | None:
        """Return the class that *annotation* names, itself or by aliases; None if not just one."""
        classes = self.list_classes(annotation)
        return classes.pop() if len(classes) == 1 else None

    def list_classes(self, annotation: ast.expr) -> set[str]:
        """Return the classes that *annotation* names, itself or by aliases."""
        named = closure(
            self.list_named(annotation),
            lambda name: () if name in self.classes else self.list_named(self.aliases[name]),
        )
        return named.keys() & self.classes.keys()

    def find_nested(self, holder: str, field: str) -> str | None:
        """Return the class of an object or a list of objects in *field* of *holder*.

        *field* is a name in JSON. None if it is uncertain: the keys of a map are data.
        """
        known = self.classes.get(holder)
        if known is None or field not in known.wire:
            return None
        annotation = known.fields[known.wire[field]]
        is_direct = self.list_named(annotation) == self.list_classes(annotation)
        is_map = any(
            isinstance(node, ast.Name) and node.id == "dict" for node in ast.walk(annotation)
        )
        return self.find_class(annotation) if is_direct and not is_map else None

    def find_field(self, pointer: str, operations: Sequence[str]) -> tuple[str, str] | None:
        """Return the class with the field at *pointer* of the document, and the field in JSON.

        If no property is at the end, the field is empty. Inline schemas have the classes that the
        client of *operations* takes and returns. None if it is uncertain.
        """
        found = {self._follow(start, way) for start, way in self._list_starts(pointer, operations)}
        found.discard(None)
        return found.pop() if len(found) == 1 else None

    def _follow(self, annotation: ast.expr, way: Sequence[str]) -> tuple[str, str] | None:
        for name in way[:-1]:
            holder = self.classes.get(self.find_class(annotation) or "")
            if holder is None or name not in holder.wire:
                return None
            annotation = holder.fields[holder.wire[name]]
        last = self.find_class(annotation)
        return None if last is None else (last, way[-1])

    def _list_starts(
        self, pointer: str, operations: Sequence[str]
    ) -> Iterator[tuple[ast.expr, list[str]]]:
        """Yield the types that *pointer* may lead into, and the rest of the path in them."""
        path = parts(pointer)
        if (operation := find_operation(path)) is not None:
            path = ("operation", *path[2 + len(operation_steps(operation[1])) :])
        match path:
            case ("components", "schemas", name, *rest):
                starts: list[ast.expr] = [ast.Name(class_name(name))]
            case ("components", "requestBodies", _, "content", _, "schema", *rest):
                starts = [self.types[name]["body"] for name in self._list_taking(operations)]
            case ("components", "responses", _, "content", _, "schema", *rest):
                # only the document knows the status with this response
                starts = [
                    each
                    for name in operations
                    for status, each in self.types.get(name, {}).items()
                    if status.startswith(RESPONSES)
                ]
            case ("operation", "requestBody", "content", _, "schema", *rest):
                starts = [self.types[name]["body"] for name in self._list_taking(operations)]
            case ("operation", "responses", status, "content", _, "schema", *rest):
                each = self.types.get(operations[0], {}) if len(operations) == 1 else {}
                name = f"{RESPONSES}{status}"
                starts = [each[name]] if name in each else []
            case _:
                return
        way = _read_way(rest)
        if way is not None:
            yield from ((start, way) for start in starts)

    def _list_taking(self, operations: Sequence[str]) -> list[str]:
        return [name for name in operations if "body" in self.types.get(name, {})]


def _read_way(rest: Sequence[str]) -> list[str] | None:
    """Return the properties on the path *rest* of a pointer into a schema, and its end.

    The end is a property, or empty if the path ends at a keyword or in a list.
    """
    way, left = [], list(rest)
    while left:
        token = left.pop(0)
        if token == "properties" and left:
            way.append(left.pop(0))
            if not left:
                return way
        elif token in _LISTS and left:
            left.pop(0)
        elif token not in _SAME:
            # `enum/1`, `required/0`: a keyword of the schema there
            return [*way, ""] if len(left) <= 1 else None
    return [*way, ""]


def read_version(folder: Path, version: str) -> VersionModule:
    """Return the *version* of the package in *folder*. Raises PackageError."""
    home = folder / package_name(version)
    if not (home / "__init__.py").is_file():
        raise PackageError(
            f"{folder} has no version {version}: generate it, name another one, or name an older "
            "copy of the outputs that has it, with `--generated`"
        )
    start = _parse(home / "__init__.py")
    names = {
        alias.name
        for node in ast.walk(start)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname in (None, alias.name)
    }
    classes: dict[str, GeneratedClass] = {}
    aliases: dict[str, ast.expr] = {}
    for module in _list_modules(start, folder, "models"):
        classes.update(_read_classes(module))
        aliases.update(_read_aliases(module))
    methods: dict[str, str] = {}
    types: dict[str, dict[str, ast.expr]] = {}
    needed: dict[str, frozenset[str]] = {}
    if (home / "client.py").is_file():
        for module in _list_modules(_parse(home / "client.py"), folder, "client"):
            for each in _read_methods(module):
                methods[each.operation], types[each.operation] = each.name, each.types
                needed[each.operation] = each.needed
    return VersionModule(
        package=folder.name,
        version=version,
        names=frozenset(names),
        places=list_places(home),
        classes={name: found for name, found in classes.items() if name in names},
        aliases={name: found for name, found in aliases.items() if name in names},
        methods=methods,
        types=types,
        needed=needed,
    )


def list_places(home: Path) -> frozenset[str]:
    """Return where what the version in the folder *home* has is defined, from the package on.

    That is each definition of models, and each module of methods.
    """
    found = set()
    for path in (home / "__init__.py", home / "client.py"):
        for node in ast.walk(_parse(path)) if path.is_file() else ():
            if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module:
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


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
            each.target.id: each
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
        yield (
            node.name,
            GeneratedClass(
                fields={name: each.annotation for name, each in fields.items()},
                members=members,
                wire={_read_alias(each.annotation, name): name for name, each in fields.items()},
                required=frozenset(name for name, each in fields.items() if each.value is None),
            ),
        )


def _read_aliases(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in module.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def _read_alias(annotation: ast.expr, name: str) -> str:
    """Return the name of a field in JSON: its own metadata come last in `Annotated`."""
    found = [
        alias
        for each in ast.walk(annotation)
        if isinstance(each, ast.Call) and (alias := _read_texts(each).get("alias")) is not None
    ]
    return found[0] if found else name


def _read_texts(call: ast.Call) -> dict[str, str]:
    """Return the keyword arguments of *call* that are text."""
    return {
        each.arg: each.value.value
        for each in call.keywords
        if each.arg is not None
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, str)
    }


class _SentOperation(NamedTuple):
    """A method of clients, and the operation that it sends, as in `VersionModule`."""

    operation: str
    name: str
    types: dict[str, ast.expr]
    needed: frozenset[str]


def _read_methods(module: ast.Module) -> Iterator[_SentOperation]:
    """Yield each method of clients in *module*."""
    described = {
        node.targets[0].id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
    }
    for node in ast.walk(module):
        # the methods of other clients have the same names and arguments
        if type(node) is not ast.FunctionDef or (sent := _read_sent(node)) is None:
            continue
        operation = described.get(sent[1])
        texts = _read_texts(operation) if operation is not None else {}
        if operation is None or not {"name", "method", "path"} <= texts.keys():
            continue
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        types = {each.arg: each.annotation for each in arguments if each.annotation is not None}
        needed = frozenset(_list_needed(node.args))
        name = f"{texts['method']} {texts['path']}"
        if node.name != texts["name"]:
            yield _SentOperation(f"{name} {sent[0]}", node.name, types, needed)
            continue
        for table in (each.value for each in operation.keywords if each.arg in _TABLES):
            if isinstance(table, ast.Dict):
                types |= {
                    f"{RESPONSES}{key.value!s}": value
                    for key, value in zip(table.keys, table.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
        yield _SentOperation(name, node.name, types, needed)


def _list_needed(arguments: ast.arguments) -> Iterator[str]:
    """Yield the names of *arguments* without a default, except `self`."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for each in positional[: len(positional) - len(arguments.defaults)]:
        if each.annotation is not None:
            yield each.arg
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is None:
            yield each.arg


def _read_sent(function: ast.FunctionDef) -> tuple[str, str] | None:
    """Return how *function* sends its operation, and the constant that describes it."""
    match function.body[-1]:
        case ast.Return(ast.Call(ast.Attribute(ast.Name("self"), how), [ast.Name(constant), *_])):
            return how, constant
    return None
