"""Samples of calls with the generated Python client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from dateline.addresses import read_addresses, read_path
from dateline.model import Table
from dateline.openapi import chain, is_form
from dateline.python.code import Brackets, Node, Pair, Text, call, lay_out, mapping, value
from dateline.python.forms import FILE
from dateline.python.names import class_name, package_name
from dateline.python.operations import (
    Argument,
    Called,
    CalledBody,
    name_credentials,
    read_operations,
)
from dateline.schema.parts import PartReader
from dateline.schema.references import Located

_STEP: Final = 4

_SECRETS: Final = {"basic": value(("YOUR_NAME", "YOUR_PASSWORD"))}

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
# What may give a type a name, or make it another one.
_NAMING: Final = frozenset({"enum", "const", "format", "oneOf", "anyOf", "allOf", "nullable"})
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


class PythonCalls:
    """Calls of the operations of one version, as its client makes them.

    *document* is that of the version, *environments* has those of each; *sample* gives a value
    for a parameter.
    """

    def __init__(
        self,
        table: Table,
        document: dict[str, Any],
        date: str,
        environments: Mapping[str, dict[str, Any]],
        sample: Callable[[Mapping[str, Any]], Any],
    ) -> None:
        self._table = table
        self._document = document
        self._sample = sample
        self._module = f"{table.package}.{package_name(date)}"
        self._reader = PartReader(document)
        self._resolver = self._reader.resolver
        found = read_operations(table, document, environments)
        self._operations = {(each.method, each.path): each for each in found}
        self._credentials = name_credentials(document)
        self._addresses = read_addresses(environments)
        self._paths = {name: read_path(each.get("servers")) for name, each in environments.items()}

    def write(self, method: str, path: str, body: str | None) -> str:
        """Return a call of an operation with *body*, a sample; empty if clients have none."""
        operation = self._operations.get((method, path))
        if operation is None:
            return ""
        imports = {("", "Client")}
        plain: dict[str, Node] = {}
        values = [*self._list_arguments(operation, imports, plain)]
        sent = operation.body
        if sent is not None and (body or sent.required or is_form(sent.media_type)):
            values.append(Pair("body", self._write_body(sent, body, imports, plain)))
        if plain:
            imports.add(("typing", "Any"))
        called = call(f"client.{operation.method_name}", *values)
        opened = call("Client", *self._list_settings(operation))
        code = lay_out(called, _STEP, _STEP + len("result = "))
        result = "result = " if any(operation.results.values()) else ""
        lines = [
            *_write_imports(imports),
            f"from {self._module} import {', '.join(sorted(own for at, own in imports if not at))}",
            "",
            *(f"{name}: Any = {lay_out(each, 0, len(name) + 8)}" for name, each in plain.items()),
            *([""] if plain else []),
            f"with {lay_out(opened, 0, len('with  as client:'))} as client:",
            f"    {result}{code}",
        ]
        return "\n".join(lines)

    def _list_settings(self, operation: Called) -> Iterator[Pair]:
        schemes = self._document.get("components", {}).get("securitySchemes", {})
        for name in next(iter(operation.security), ()):
            scheme = self._resolver.resolve(schemes.get(name, {}).get("$ref")) or schemes.get(name)
            kind = str((scheme or {}).get("scheme", "")).lower()
            if keyword := self._credentials.get(name):
                yield Pair(keyword, _SECRETS.get(kind, Text("YOUR_KEY")))
        environment = self._table.environments[0].name
        if operation.only and environment not in operation.only:
            environment = operation.only[0]
            yield Pair("environment", Text(environment))
        if not self._addresses:
            yield Pair("base_url", Text(f"https://api.example.com{self._paths[environment]}"))

    def _list_arguments(
        self, operation: Called, imports: set[tuple[str, str]], plain: dict[str, Node]
    ) -> Iterator[Node]:
        for argument in operation.arguments:
            if not argument.required:
                continue
            written = self._write_value(argument, imports)
            if written is None:
                schema = argument.inline.schema
                given = value(self._sample({"name": argument.name, "schema": schema}))
                written = self._write_plain(argument.keyword, schema, given, plain)
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
        if any(not _NAMING.isdisjoint(part) for part in parts):
            return False
        types = {str(part["type"]) for part in parts if "type" in part}
        if types == {"object"}:
            return all(_HAVING.isdisjoint(part) for part in parts)
        if types == {"array"}:
            return all(self._is_simple(part["items"]) for part in parts if "items" in part)
        return len(types) == 1 and types <= _SCALARS

    def _write_value(self, argument: Argument, imports: set[tuple[str, str]]) -> Node | None:
        """Return a value of a type with a known name; None for another one."""
        schema = argument.inline.schema
        given = self._sample({"name": argument.name, "schema": schema})
        parts = chain(self._document, schema)
        for part in parts:
            found = _FORMATS.get(part.get("format", ""))
            if found is not None and part.get("type") == "string":
                imports.add(found[:2])
                return call(found[2], Text(str(given)))
        called = self._resolver.schema_name(schema)
        if called is not None and any("enum" in each for each in parts[1:2]):
            imports.add(("", class_name(called)))
            return call(class_name(called), value(given))
        return None

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
        if is_form(sent.media_type):
            return self._write_plain("body", schema, self._write_form(schema), plain)
        try:
            given = value(json.loads(body or "{}"))
        except ValueError:
            given = Text(body or "")
        called = self._resolver.schema_name(schema)
        if called is None or not _is_model(self._resolver.resolve(schema["$ref"])):
            return self._write_plain("body", schema, given, plain)
        imports.add(("", class_name(called)))
        return call(f"{class_name(called)}.model_validate", given)

    def _write_form(self, schema: Any) -> Node:
        given = self._sample({"name": "body", "schema": schema})
        if not isinstance(given, dict):
            return value(given)
        properties = {
            name: child
            for part in self._reader.parts([Located(schema, "")])
            for name, child in (part.get("properties") or {}).items()
        }
        return mapping(
            {name: _write_file(properties.get(name)) or value(each) for name, each in given.items()}
        )


def _is_model(schema: Any) -> bool:
    """Return whether the type of the component *schema* is certainly a model."""
    if not isinstance(schema, dict) or "properties" not in schema:
        return False
    is_null = schema.get("nullable") is True or not isinstance(schema.get("type", ""), str)
    return not is_null and {"oneOf", "anyOf", "enum", "const"}.isdisjoint(schema)


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
