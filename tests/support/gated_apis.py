"""Definitions of random APIs with every kind of gate in every nesting.

Each gated name is used once in the whole API, so that tests can search for it. What an author
couldn't write, because no caller of an older version could be served, is not generated.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final

DATES: Final = ("2024-01-15", "2024-09-01", "2025-06-01", "2026-02-01", "next")

_VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
{versions}
environments:
  production: {{ servers: [{{ url: https://api.gated.example/api }}] }}
  sandbox: {{ servers: [{{ url: https://sandbox.gated.example/api }}] }}
policy: dated-contract
python: {{ package: gated }}
"""

Schema = dict[str, Any]


def table(dates: tuple[str, ...] = DATES) -> str:
    """Return a version table of *dates*."""
    rows = [
        f"  - {{ date: {date}, title: What came at {date}{', draft: true' * (date == 'next')} }}"
        for date in dates
    ]
    return _VERSIONS.format(versions="\n".join(rows))


def sources(seed: int, *, removing: bool = True) -> dict[str, str]:
    """Return the files of an API; with *removing*, later versions remove some parts."""
    document = _Api(seed, removing=removing).document()
    return {"versions.yaml": table(), "api.yaml": json.dumps(document, indent=1)}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


class _Api:
    """Generates one API.

    A value is *free* if it can be left out: in a list, a map, or an optional field. A value without
    a substitute is only put in free places. A value that is *sent* is part of requests as well.
    """

    def __init__(self, seed: int, *, removing: bool) -> None:
        self._pick = random.Random(seed)
        self._removing = removing
        self._count = 0
        self._sent = False
        self._schemas: dict[str, Schema] = {}
        self._pools: dict[bool, list[str]] = {True: [], False: []}

    def document(self) -> dict[str, Any]:
        self._schemas["Older"] = {
            "type": "object",
            "required": ["text"],
            "properties": {"text": {"type": "string"}},
        }
        for sent in (True, False):
            self._sent = sent
            for _ in range(2):
                name = self._name("T")
                # registered before it is complete: schemas may be recursive
                self._pools[sent].append(name)
                self._schemas[name] = {}
                self._schemas[name] = self._object(0, recursive=name)
        return {
            "openapi": "3.1.0",
            "info": {"title": "Gated", "version": "canonical"},
            "tags": [{"name": "Things"}],
            "paths": dict(self._paths()),
            "components": {"schemas": self._schemas},
        }

    def _paths(self) -> list[tuple[str, Any]]:
        made = []
        for name in self._pools[True] + self._pools[False]:
            operation: dict[str, Any] = {
                "operationId": f"post{name}",
                "tags": ["Things"],
                "parameters": [self._parameter() for _ in range(3)],
                "responses": {
                    "200": {
                        "description": "a thing",
                        "headers": {self._name("X-H"): self._header() for _ in range(2)},
                        "content": {"application/json": {"schema": self._around(ref(name))}},
                    },
                    "400": {
                        "description": "refused",
                        "content": {"application/json": {"schema": {"type": "string"}}},
                    },
                },
            }
            if name in self._pools[True]:
                operation["requestBody"] = {
                    "required": True,
                    "content": {"application/json": {"schema": ref(name)}},
                }
            made.append((f"/{name.lower()}", {"post": operation}))
        return made

    def _around(self, schema: Schema) -> Schema:
        ways: list[Callable[[], Schema]] = [
            lambda: schema,
            lambda: {"type": "array", "items": schema},
            lambda: {"type": "object", "additionalProperties": schema},
            lambda: {
                "type": "object",
                "required": ["items"],
                "properties": {"items": {"type": "array", "items": schema}},
            },
            lambda: {"allOf": [schema]},
        ]
        return self._pick.choice(ways)()

    def _parameter(self) -> Schema:
        schema: Schema = self._pick.choice(
            [{"type": "string"}, {"type": "integer"}, self._enumeration(free=True)]
        )
        made: Schema = {"name": self._name("p"), "in": "query", "schema": schema}
        how = self._pick.random()
        if how < 0.3:
            made["x-was"] = {self._date(): {"name": self._name("p")}}
        elif how < 0.5:
            made["x-added"] = self._date()
        elif how < 0.6 and self._removing:
            made["x-removed"] = self._date()
        return made

    def _header(self) -> Schema:
        made: Schema = {"schema": {"type": "string"}}
        how = self._pick.random()
        if how < 0.4:
            made["x-was"] = {self._date(): {"name": self._name("X-H")}}
        elif how < 0.7:
            made["x-added"] = self._date()
        return made

    # Names and dates

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _date(self, after: str = DATES[0]) -> str:
        return self._pick.choice(DATES[DATES.index(after) + 1 :])

    # Schemas

    def _schema(self, depth: int, *, free: bool) -> Schema:
        ways: list[Callable[[], Schema]] = [
            lambda: self._pick.choice(
                [{"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}]
            ),
            lambda: self._enumeration(free=free),
        ]
        if depth < 2:
            ways += [
                lambda: self._object(depth + 1),
                lambda: self._list(depth + 1),
                lambda: self._map(depth + 1),
                lambda: self._union(depth + 1, free=free),
                lambda: self._nullable(self._union(depth + 1, free=free)),
                lambda: self._mixed(depth + 1, free=free),
                lambda: self._component(free=free),
                lambda: self._nullable(self._component(free=free)),
                lambda: self._extended(depth + 1),
            ]
        return self._pick.choice(ways)()

    def _component(self, *, free: bool) -> Schema:
        """Return a reference to a component, usually an existing one."""
        known = self._pools[True] if self._sent else self._pools[True] + self._pools[False]
        # a component that is under construction would have to contain itself forever
        known = [name for name in known if self._schemas[name]] if not free else known
        if known and self._pick.random() < 0.7:
            return ref(self._pick.choice(known))
        name = self._name("E")
        self._schemas[name] = self._enumeration(free=free)
        return ref(name)

    def _nullable(self, schema: Schema) -> Schema:
        return {"oneOf": [schema, {"type": "null"}]}

    def _mixed(self, depth: int, *, free: bool) -> Schema:
        """Return a union of JSON types, each with a gated part; a member may be gated as well."""
        listed: Schema = {"type": "array", "items": self._union(depth, free=True)}
        gate = {"x-added": self._date()} if free else {}
        return {
            "oneOf": [
                self._union(depth, free=free),
                self._enumeration(free=free),
                {**listed, **gate},
                {"type": "null"},
            ]
        }

    def _list(self, depth: int) -> Schema:
        least = self._pick.random() < 0.3
        items = self._schema(depth, free=not least)
        made: Schema = {"type": "array", "items": items}
        if least:
            made["minItems"] = 1
        if self._pick.random() < 0.2:
            made["uniqueItems"] = True
        return made

    def _map(self, depth: int) -> Schema:
        return {"type": "object", "additionalProperties": self._schema(depth, free=True)}

    def _extended(self, depth: int) -> Schema:
        """Return an object that extends other objects; one of these may be gated."""
        made: Schema = {"allOf": [self._object(depth, open=True), self._object(depth, open=True)]}
        if self._pick.random() < 0.5:
            # its fields are optional, since older requests don't contain them
            extra = self._object(depth, open=True)
            extra.pop("required", None)
            made["allOf"].append({**extra, "x-added": self._date()})
        return made

    def _object(self, depth: int, *, recursive: str = "", open: bool = False) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for _ in range(self._pick.randint(1, 2 if depth else 6)):
            name = self._name("f")
            if self._pick.random() < 0.45:
                required.append(name)
            properties[name] = self._field(depth, name, required)
        if recursive:
            properties[self._name("f")] = {"type": "array", "items": ref(recursive)}
            properties[self._name("f")] = {**ref(recursive), "x-added": self._date()}
        made: Schema = {"type": "object", "properties": properties}
        if required:
            made["required"] = required
        if not open and self._pick.random() < 0.3:
            made["additionalProperties"] = False
        return made

    def _field(self, depth: int, name: str, required: list[str]) -> Schema:
        how = self._pick.choice(
            ["plain", "plain", "added", "removed", "renamed", "converted", "both", "sandbox", "era"]
        )
        if how == "converted":
            return self._converted({})
        if how == "both":
            return self._converted({"name": self._name("f")})
        free = name not in required
        schema = self._schema(depth, free=free)
        if how == "added":
            schema = {**schema, "x-added": self._date()}
            if self._sent and not free:
                required.remove(name)
        elif how == "removed" and self._removing:
            schema = {**schema, "x-removed": self._date()}
        elif how == "era" and self._removing:
            added = self._pick.choice(DATES[1:3])
            schema = {**schema, "x-added": added, "x-removed": self._date(added)}
            if self._sent and not free:
                required.remove(name)
        elif how == "renamed":
            dates = self._pick.sample(DATES[1:], self._pick.choice((1, 1, 2)))
            schema = {**schema, "x-was": {date: {"name": self._name("f")} for date in dates}}
        elif how == "sandbox" and free:
            schema = {**schema, "x-environments": ["sandbox"]}
        return schema

    def _converted(self, more: dict[str, Any]) -> Schema:
        changes: list[tuple[Schema, dict[str, Any]]] = [
            ({"type": "string", "format": "date-time"}, {"format": "date"}),
            ({"type": "integer"}, {"type": "string"}),
            ({"type": ["integer", "null"]}, {"type": ["string", "null"]}),
            ({"type": "string", "maxLength": 9}, {"maxLength": 4}),
            ({"type": "string", "maxLength": 4}, {"maxLength": 9}),
            (self._plain(), ref("Older")),
        ]
        schema, was = self._pick.choice(changes)
        entry: dict[str, Any] = {**was, **more}
        if "$ref" in was:
            entry = {"set": entry, "unset": sorted(schema)}
        return {**schema, "x-was": {self._date(): entry}}

    def _plain(self) -> Schema:
        return {
            "type": "object",
            "required": ["words"],
            "properties": {"words": {"type": "array", "items": {"type": "string"}}},
        }

    # Enumerations and unions

    def _gate(self, *, free: bool, instead: Any) -> Schema:
        """Return a gate for a member, for which *instead* can be shown."""
        how = self._pick.random()
        if free and how < 0.15 and self._removing:
            return {"x-removed": self._date()}
        if free and how < 0.3:
            return {"x-environments": ["sandbox"]}
        if free and how < 0.5:
            return {"x-added": self._date()}
        return {"x-added": self._date(), "x-shown-as": instead}

    def _enumeration(self, *, free: bool) -> Schema:
        first = self._name("v")
        gated = [
            {"const": self._name("v"), **self._gate(free=free, instead=first)}
            for _ in range(self._pick.randint(0, 2))
        ]
        return {"type": "string", "oneOf": [{"const": first}, *gated]}

    def _union(self, depth: int, *, free: bool) -> Schema:
        """Return a reference to a union of objects with a tag."""
        name, plain = self._name("U"), self._name("M")
        title = self._name("f")
        renamed = {"x-was": {self._date(): {"name": self._name("f")}}}
        self._schemas[plain] = {
            "type": "object",
            "required": ["kind", title],
            "properties": {
                "kind": {"type": "string", "const": plain},
                title: {"type": "string", **(renamed if self._pick.random() < 0.5 else {})},
            },
        }
        members: list[tuple[str, Schema]] = [(plain, {})]
        for _ in range(self._pick.randint(1, 2)):
            gate = self._gate(free=free, instead={"kind": plain, title: "instead"})
            kept = gate if self._pick.random() < 0.7 else {}
            member = self._name("M")
            self._schemas[member] = self._member(depth, member)
            members.append((member, kept))
        self._schemas[name] = {
            "oneOf": [{**ref(member), **gate} for member, gate in members],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {member: ref(member)["$ref"] for member, _ in members},
            },
        }
        return ref(name)

    def _member(self, depth: int, name: str) -> Schema:
        made = self._object(depth, open=True)
        made["properties"] = {"kind": {"type": "string", "const": name}, **made["properties"]}
        made["required"] = ["kind", *made.get("required", [])]
        if self._pick.random() < 0.3:
            base = self._name("B")
            self._schemas[base] = self._object(depth, open=True)
            return {"allOf": [ref(base), made]}
        return made
