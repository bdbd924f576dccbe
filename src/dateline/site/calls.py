"""Samples of calls with the generated Python client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from dateline.addresses import read_addresses, read_path
from dateline.model import Table
from dateline.openapi import chain, is_form, security_schemes
from dateline.python.called import Called, CalledBody, list_inlines
from dateline.python.code import Brackets, Node, Pair, Text, call, lay_out, mapping, value
from dateline.python.forms import FILE
from dateline.python.names import class_name, package_name
from dateline.python.operations import CalledReader, name_credentials
from dateline.python.types import Inline, is_enum, is_model, name_inlines
from dateline.schema.parts import PartReader
from dateline.schema.types import UNIONS

_STEP: Final = 4

_SECRETS: Final = {"basic": value(("YOUR_NAME", "YOUR_PASSWORD"))}

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
# What may give a type a name, or make it another one.
_NAMING: Final = frozenset({"enum", "const", "oneOf", "anyOf", "allOf", "nullable"})
_WIDTHS: Final = frozenset({"int32", "int64"})
_HAVING: Final = frozenset(
    {"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"}
)

# How values of a format are written.
_FORMATS: Final = {
    "uuid": ("uuid", "UUID", "UUID"),
    "date-time": ("datetime", "datetime", "datetime.fromisoformat"),
    "date": ("datetime", "date", "date.fromisoformat"),
    "decimal": ("decimal", "Decimal", "Decimal"),
}

# What samples have under these names is used after variables are assigned.
_TAKEN: Final = frozenset({"Client", "client", *(name for _, name, _ in _FORMATS.values())})


class PythonClients:
    """The clients of all versions that have one.

    *documents* has the document of each version, *environments* those of each of its environments.
    """

    def __init__(
        self,
        table: Table,
        documents: Mapping[str, dict[str, Any]],
        environments: Mapping[str, Mapping[str, dict[str, Any]]],
    ) -> None:
        self.table = table
        self.documents = documents
        self.environments = environments
        reader = CalledReader(table)
        self.operations = {
            each.date: reader.read(documents[each.date], environments[each.date])
            for each in table.supported
        }
        inlines = {date: list_inlines(found) for date, found in self.operations.items()}
        self.names = name_inlines(documents, inlines)
        """The names of inline types that are classes, by version and key."""


class PythonCalls:
    """Calls of the operations of the version *date*, as its client makes them.

    *sample* gives a value for a parameter.
    """

    def __init__(
        self, clients: PythonClients, date: str, sample: Callable[[Mapping[str, Any]], Any]
    ) -> None:
        self._table = clients.table
        self._document = document = clients.documents[date]
        self._sample = sample
        self._module = f"{self._table.package}.{package_name(date)}"
        self._reader = PartReader(document)
        self._resolver = self._reader.resolver
        self._operations = {(each.method, each.path): each for each in clients.operations[date]}
        self._names = clients.names[date]
        models = {*map(class_name, document.get("components", {}).get("schemas", {}))}
        self._client = "ApiClient" if "Client" in models.union(self._names.values()) else "Client"
        self._credentials = name_credentials(document)
        environments = clients.environments[date]
        self._addresses = read_addresses(environments)
        self._paths = {name: read_path(each.get("servers")) for name, each in environments.items()}

    def name(self, method: str, path: str) -> str:
        """Return the name of the method that calls an operation; empty if clients have none."""
        operation = self._operations.get((method, path))
        return operation.method_name if operation else ""

    def write(
        self,
        method: str,
        path: str,
        body: str | None,
        parameters: Iterable[Mapping[str, Any]] = (),
    ) -> str:
        """Return a call of an operation with *body*, a sample; empty if clients have none.

        *parameters* are those of the operation, which may have examples.
        """
        operation = self._operations.get((method, path))
        if operation is None:
            return ""
        imports = set[tuple[str, str]]()
        plain: dict[str, Node] = {}
        known = {(each.get("in"), each.get("name")): each for each in parameters}
        values = [*self._list_arguments(operation, known, imports, plain)]
        sent = operation.body
        if sent is not None and (body or sent.required or self._sample_form(sent)):
            values.append(Pair("body", self._write_body(sent, body, imports, plain)))
        if plain:
            imports.add(("typing", "Any"))
        called = call(f"client.{operation.method_name}", *values)
        opened = call(self._client, *self._list_settings(operation))
        code = lay_out(called, _STEP, _STEP + len("result = "))
        result = "result = " if any(operation.results.values()) else ""
        lines = [
            *_write_imports(imports),
            *self._import_own({own for at, own in imports if not at}),
            "",
            *(f"{name}: Any = {lay_out(each, 0, len(name) + 8)}" for name, each in plain.items()),
            *([""] if plain else []),
            f"with {lay_out(opened, 0, len('with  as client:'))} as client:",
            f"    {result}{code}",
        ]
        return "\n".join(lines)

    def _import_own(self, models: set[str]) -> Iterator[str]:
        """Yield the imports of the client and of *models*."""
        if self._client == "Client":
            models = {*models, "Client"}
        else:
            yield f"from {self._module}.client import Client as {self._client}"
        if models:
            yield f"from {self._module} import {', '.join(sorted(models))}"

    def _list_settings(self, operation: Called) -> Iterator[Pair]:
        schemes = security_schemes(self._document)
        for name in next(iter(operation.security), ()):
            kind = str(schemes.get(name, {}).get("scheme", "")).lower()
            if keyword := self._credentials.get(name):
                yield Pair(keyword, _SECRETS.get(kind, Text("YOUR_KEY")))
        environment = self._table.environments[0].name
        if operation.only and environment not in operation.only:
            environment = operation.only[0]
            yield Pair("environment", Text(environment))
        if not self._addresses:
            yield Pair("base_url", Text(f"https://api.example.com{self._paths[environment]}"))

    def _list_arguments(
        self,
        operation: Called,
        known: Mapping[tuple[Any, Any], Mapping[str, Any]],
        imports: set[tuple[str, str]],
        plain: dict[str, Node],
    ) -> Iterator[Node]:
        for argument in operation.arguments:
            if not argument.required:
                continue
            parameter = {"name": argument.name, "schema": argument.inline.schema}
            given = self._sample(known.get((argument.place, argument.name), parameter))
            written = self._write_value(argument.inline, given, imports)
            if written is None:
                schema = argument.inline.schema
                written = self._write_plain(argument.keyword, schema, value(given), plain)
            yield written if argument.place == "path" else Pair(argument.keyword, written)

    def _write_plain(self, name: str, schema: Any, given: Node, plain: dict[str, Node]) -> Node:
        """Return *given* for the argument *name*, or the name of a variable with it in *plain*.

        Only the models know the names of inline types: values of such types have the type Any.
        """
        if self._is_simple(schema):
            return given
        while name in _TAKEN or name in plain:
            name += "_"
        plain[name] = given
        return name

    def _is_simple(self, schema: Any) -> bool:
        """Return whether the type of *schema* has no name: it is that of a JSON value."""
        parts = [*chain(self._document, schema)]
        choices = [part[key] for part in parts for key in UNIONS if key in part]
        if len(choices) == 1 and parts[-1].keys() <= {*UNIONS, "description", "title"}:
            return all(map(self._is_simple, choices[0]))
        if any(not _NAMING.isdisjoint(part) for part in parts):
            return False
        if any(part.get("format", "int64") not in _WIDTHS for part in parts):
            return False
        types = {str(part["type"]) for part in parts if "type" in part}
        if types == {"object"}:
            return all(_HAVING.isdisjoint(part) for part in parts)
        if types == {"array"}:
            return all(self._is_simple(part["items"]) for part in parts if "items" in part)
        return len(types) == 1 and types <= _SCALARS

    def _write_value(
        self, inline: Inline, given: Any, imports: set[tuple[str, str]]
    ) -> Node | None:
        """Return the value *given* of a type with a known name; None for another one."""
        schema = inline.schema
        parts = chain(self._document, schema)
        for part in parts:
            found = _FORMATS.get(part.get("format", ""))
            if found is not None and part.get("type") == "string":
                imports.add(found[:2])
                return call(found[2], Text(str(given)))
        if self._names.get(inline.key) and is_enum(schema):
            return self._write_class(self._names[inline.key], "", value(given), imports)
        called = self._resolver.schema_name(schema)
        if called is not None and any("enum" in each for each in parts[1:2]):
            return self._write_class(class_name(called), "", value(given), imports)
        return None

    def _write_class(
        self, name: str, maker: str, given: Node, imports: set[tuple[str, str]]
    ) -> Node:
        """Return *given* as an object of the class *name*, which its method *maker* makes."""
        imports.add(("", name))
        return call(f"{name}{maker}", given)

    def _write_body(
        self,
        sent: CalledBody,
        body: str | None,
        imports: set[tuple[str, str]],
        plain: dict[str, Node],
    ) -> Node:
        if sent.inline is None:
            return 'b"..."'
        schema = sent.inline.schema
        form = is_form(sent.media_type)
        given = self._write_form(schema, self._sample_form(sent)) if form else _read_json(body)
        name = self._names.get(sent.inline.key, "")
        if not (name and is_model(self._reader, schema)):
            name = self._name_component(schema)
        if name:
            return self._write_class(name, ".model_validate", given, imports)
        return self._write_plain("body", schema, given, plain)

    def _name_component(self, schema: Any) -> str:
        """Return the name of the class of a reference, if it leads to a model."""
        called = self._resolver.schema_name(schema)
        if called is None or not is_model(self._reader, self._resolver.resolve(schema["$ref"])):
            return ""
        return class_name(called)

    def _sample_form(self, sent: CalledBody) -> Any:
        """Return a value of the form *sent*; None for another body."""
        if sent.inline is None or not is_form(sent.media_type):
            return None
        return self._sample({"name": "body", "schema": sent.inline.schema})

    def _write_form(self, schema: Any, given: Any) -> Node:
        if not isinstance(given, dict):
            return value(given)
        properties = {
            name: child
            for part in self._reader.parts_of(schema)
            for name, child in part.get("properties", {}).items()
        }
        return mapping(
            {name: _write_file(properties.get(name)) or value(each) for name, each in given.items()}
        )


def _read_json(body: str | None) -> Node:
    try:
        return value(json.loads(body or "{}"))
    except ValueError:
        return Text(body or "")


def _write_file(schema: Any) -> Node | None:
    """Return what is sent for a property that is a file, or several; None for another one."""
    if not isinstance(schema, dict):
        return None
    if schema.get("format") == FILE:
        return 'b"..."'
    found = _write_file(schema.get("items"))
    return None if found is None else Brackets("", (found,))


def _write_imports(imports: set[tuple[str, str]]) -> list[str]:
    modules = sorted({module for module, _ in imports if module})
    lines = [
        f"from {module} import {', '.join(sorted(name for at, name in imports if at == module))}"
        for module in modules
    ]
    return [*lines, ""] if lines else []
