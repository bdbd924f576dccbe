"""All readers of one document: server, models, mock, differ, and adopted definitions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError

from dateline.adopt import adopt
from dateline.bundle import Document
from dateline.load import load
from dateline.model import Api
from dateline.openapi import walk
from dateline.project import Projector
from dateline.sample import Sampler
from dateline.schema.constraints import Constraints
from dateline.schema.dialect import Dialect
from dateline.schema.references import Resolver, component
from support.differ_view import DifferView
from support.generated_server import Generated

VERSION: Final = "2024-01-15"
_LATER: Final = "2024-02-15"
_ENVIRONMENT: Final = "production"
HOLDER: Final = "Holder"
"""The component that has a property for each of the others."""

Schema = dict[str, Any]
Fits = Callable[[str, Any], bool]


def document(schemas: Schema, openapi: str) -> Schema:
    """Return a document with each component of *schemas* in a request and a response."""

    properties = {name: _reference(name) for name in schemas}
    schemas = {**schemas, HOLDER: {"type": "object", "properties": properties}}

    def body(name: str) -> Schema:
        return {"content": {"application/json": {"schema": _reference(name)}}}

    return {
        "openapi": openapi,
        "info": {"title": "Readers", "version": VERSION},
        "paths": {
            f"/{name}": {
                "put": {
                    "operationId": f"put_{name}",
                    "requestBody": {**body(name), "required": True},
                    "responses": {"200": {"description": "", **body(name)}},
                }
            }
            for name in schemas
        },
        "components": {"schemas": schemas},
    }


class Readers:
    """The answers of every reader to whether a value fits a component of *schemas*."""

    def __init__(self, folder: Path, schemas: Schema, openapi: str = "3.1.0") -> None:
        written = document(schemas, openapi)
        read = Document(name="x.json", data=json.dumps(written).encode()).content
        self.document = json.loads(json.dumps(read))
        api = _adopted(folder / "alone", {VERSION: written})
        self.generated = Generated(folder, api)
        self.notes = self.generated.notes
        sampler = Sampler(self.document)
        self.readers: dict[str, Fits] = {
            **self._server(),
            "models": self._models(),
            "mock": lambda name, value: sampler.fits(_reference(name), value),
            "differ": DifferView(self.document).accepts,
            "adopted": _validator(Projector(api).contract(VERSION, _ENVIRONMENT).document),
            "modernized": _validator(_beside_modern(folder / "beside", self.document)),
        }

    def notes_of(self, name: str) -> list[str]:
        """Return the notes of `generate` about the component *name*."""
        place = re.compile(rf"components\.{name}(_\w+)?\b")
        return [note for note in self.notes if place.match(note)]

    def _server(self) -> dict[str, Fits]:
        data = json.loads(self.generated.text("server/contracts.json"))
        contracts = self.generated.module("server.contracts").Contracts(data, _ENVIRONMENT)

        def takes(name: str, value: Any) -> bool:
            contract = contracts.at(f"put_{name}", VERSION)
            schema = contract.request["body"]["content"]["application/json"]
            return bool(contract.validator(schema).fits(value))

        def gives(name: str, value: Any) -> bool:
            schema = data["results"][f"put_{name}"]["200"]["application/json"]
            return bool(contracts.fits(schema, value))

        return {"server, request": takes, "server, result": gives}

    def _models(self) -> Fits:
        module = self.generated.module(f"v{VERSION.replace('-', '_')}")
        # a class can't include null: references to it do
        adapter: TypeAdapter[Any] = TypeAdapter(getattr(module, HOLDER))

        def fits(name: str, value: Any) -> bool:
            try:
                adapter.validate_json(json.dumps({name: value}))
            except ValidationError:
                return False
            return True

        return fits


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _adopted(folder: Path, documents: dict[str, Schema]) -> Api:
    folder.mkdir(parents=True)
    arguments = []
    for date, each in documents.items():
        path = folder / f"{date}.json"
        path.write_text(json.dumps({**each, "info": {**each["info"], "version": date}}))
        arguments.append(f"{date}={path}")
    adopt(tuple(arguments), folder / "schemas")
    return load(folder / "schemas")


def _beside_modern(folder: Path, written: Schema) -> Schema:
    """Return *written* as rendered after it was adopted together with an OpenAPI 3.1 document."""
    modern = {**Dialect(written).modernize("document", written), "openapi": "3.1.0"}
    api = _adopted(folder, {VERSION: written, _LATER: modern})
    return Projector(api).contract(VERSION, _ENVIRONMENT).document


def _validator(found: Schema) -> Fits:
    constraints = Constraints(found)
    schemas = {name: constraints.of(each) for name, each in found["components"]["schemas"].items()}
    resolver = Resolver(found)
    # schemas that are no components are identified by their pointers
    for _, kind, node in walk("document", found):
        for goal in resolver.list_referred(node) if kind == "schema" else ():
            if component(goal.pointer) is None:
                schemas[goal.pointer] = constraints.of(goal.value)
    plain = json.loads(json.dumps({"components": {"schemas": schemas}}))
    registry = jsonschema_rs.Registry([("urn:adopted", plain)])
    known: dict[str, Any] = {}

    def fits(name: str, value: Any) -> bool:
        if name not in known:
            known[name] = jsonschema_rs.Draft202012Validator(
                {"$ref": f"urn:adopted#/components/schemas/{name}"},
                validate_formats=True,
                registry=registry,
            )
        return bool(known[name].is_valid(value))

    return fits
