"""Every spelling of null in OpenAPI 3.0 is read alike by all readers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx
import jsonschema_rs
import pytest
from pydantic import TypeAdapter, ValidationError
from support.adopted_projects import VERSION, adopt_project
from support.generated_server import Generated, ask
from support.null_spellings import COMPONENTS, SPELLINGS, Schema, instances, ref
from support.tables import cases

from dateline.diff import diff
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import Kind
from dateline.sample import Sampler
from dateline.schema.dialect import Dialect, departs_from_letter
from dateline.schema.references import Resolver
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

POSITIONS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "field": (lambda schema: schema, lambda value: value),
    "items": (lambda schema: {"type": "array", "items": schema}, lambda value: [value]),
    "map": (
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda value: {"k": value},
    ),
}
FIELDS: Final = {
    f"{name}_{position}": (spelling, schema(spelling.schema), value)
    for name, spelling in SPELLINGS.items()
    for position, (schema, value) in POSITIONS.items()
}


def body(schema: Schema) -> Schema:
    return {"content": {"application/json": {"schema": schema}}}


def document(holder: Schema, components: dict[str, Schema], roots: dict[str, Schema]) -> Schema:
    """Return a document that reads and writes *holder*, and each of *roots* as a body."""

    def operations(name: str, schema: Schema) -> Schema:
        return {
            "get": {
                "operationId": f"get_{name}",
                "responses": {"200": {"description": "", **body(schema)}},
            },
            "put": {
                "operationId": f"put_{name}",
                "requestBody": {**body(schema), "required": True},
                "responses": {"204": {"description": ""}},
            },
        }

    return {
        "openapi": "3.0.3",
        "info": {"title": "Null", "version": VERSION},
        "paths": {
            f"/{name}": operations(name, schema)
            for name, schema in {"holder": ref("Holder"), **roots}.items()
        },
        "components": {"schemas": {"Holder": holder, **components}},
    }


def whole() -> Schema:
    holder = {
        "type": "object",
        "properties": {field: schema for field, (_, schema, _) in FIELDS.items()},
    }
    roots = {name: spelling.schema for name, spelling in SPELLINGS.items()}
    return document(holder, COMPONENTS, roots)


def list_wrong(fits: Callable[[str, Any], bool], positions: str = "") -> list[str]:
    """Return the fields and values for which *fits* is wrong, or those at *positions*."""
    return [
        f"{field} {'refuses' if is_valid else 'takes'} {json.dumps(value)}"
        for field, (spelling, _, held) in FIELDS.items()
        if field.endswith(positions)
        for value, is_valid in instances(spelling)
        if fits(field, held(value)) is not is_valid
    ]


def put(app: Any, name: str, value: Any) -> httpx.Response:
    """Return the response to a request with the body *value*; httpx would send none for null."""
    headers = {"content-type": "application/json"}
    return ask(app, "PUT", f"/{name}", content=json.dumps(value), headers=headers)


class Handlers:
    """Handlers that return what a test sets, and record what they are sent."""

    given: Any = None
    sent: Any = ...

    def __getattr__(self, name: str) -> Any:
        async def get(_: Any) -> Any:
            return self.given

        async def put(_: Any, *, body: Any) -> None:
            self.sent = body

        return get if name.startswith("get_") else put


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project adopted from the document and generated."""
    return adopt_project(tmp_path_factory.mktemp("null"), whole(), "null_served")


@pytest.fixture(scope="module")
def generated(project: Path) -> Generated:
    return Generated(project / "copy", load(project / "schemas"))


@pytest.fixture(scope="module")
def served(generated: Generated) -> tuple[Any, Handlers]:
    handlers = Handlers()
    server = generated.module("server")
    app = server.create_app(server.Handlers(default=handlers), environment="production")
    return app, handlers


def test_models_read_null(generated: Generated) -> None:
    holder = generated.module("v2024_01_15").Holder
    adapter: TypeAdapter[Any] = TypeAdapter(holder)

    def fits(field: str, value: Any) -> bool:
        try:
            read = adapter.validate_python({field: value})
        except ValidationError:
            return False
        assert json.loads(adapter.dump_json(read, by_alias=True, exclude_unset=True)) == {
            field: value
        }
        return True

    assert list_wrong(fits) == []


def test_server_reads_null(served: tuple[Any, Handlers]) -> None:
    app, handlers = served

    def takes(field: str, value: Any) -> bool:
        answer = ask(app, "PUT", "/holder", json={field: value})
        assert answer.status_code in (204, 400)
        return answer.status_code == 204

    def gives(field: str, value: Any) -> bool:
        handlers.given = {field: value}
        answer = ask(app, "GET", "/holder")
        assert answer.status_code == 500 or answer.json() == {field: value}
        return answer.status_code == 200

    assert list_wrong(takes, "_field") == []
    assert list_wrong(gives, "_items") == []


@cases("name", SPELLINGS)
def test_server_reads_null_as_a_body(name: str, served: tuple[Any, Handlers]) -> None:
    app, handlers = served
    for value, is_valid in instances(SPELLINGS[name]):
        sent = put(app, name, value)
        assert (value, sent.status_code) == (value, 204 if is_valid else 400)
        handlers.given = value
        given = ask(app, "GET", f"/{name}")
        assert (value, given.status_code) == (value, 200 if is_valid else 500)


def test_mock_reads_null(project: Path) -> None:
    sampler = Sampler(whole())
    for field, (_, schema, _) in FIELDS.items():
        sampler.value(schema, field)  # a valid value is found
    assert list_wrong(lambda field, value: sampler.fits(FIELDS[field][1], value)) == []

    schemas = project / "schemas"
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=project / "generated"), api) as server:
        for seed in range(2):
            app = Mock(api, server, api.table.environments[0].name, seed).app
            for name, spelling in SPELLINGS.items():
                answer = ask(app, "GET", f"/{name}")
                assert answer.status_code == 200
                assert sampler.fits(spelling.schema, answer.json())
        # what a request may contain does not depend on the seed
        for name, spelling in SPELLINGS.items():
            for value, is_valid in instances(spelling):
                sent = put(app, name, value)
                assert (value, sent.status_code) == (value, 204 if is_valid else 400)


def test_adopting_with_documents_of_openapi_3_1_preserves_null() -> None:
    old = whole()
    modern = Dialect(old).modernize("document", old)
    registry = jsonschema_rs.Registry([("urn:null", modern)])

    def fits(field: str, value: Any) -> bool:
        schema = {"$ref": "urn:null#/components/schemas/Holder"}
        validator = jsonschema_rs.Draft202012Validator(schema, registry=registry)
        return validator.is_valid({field: value})

    assert list_wrong(fits) == []
    reported = diff(old, {**modern, "openapi": "3.1.0"})
    assert [(change.kind, change.keyword) for change in reported] == [
        (Kind.DIALECT_CHANGED, "openapi")
    ]


def _alone(schema: Schema, openapi: str = "3.0.3") -> Schema:
    holder = {"type": "object", "properties": {"it": schema}}
    return {**document(holder, COMPONENTS, {}), "openapi": openapi}


@cases("name", SPELLINGS)
def test_differ_reads_null(name: str) -> None:
    spelling = SPELLINGS[name]
    before = _alone(spelling.schema)
    # null is added last, whatever else the schema says
    either = diff(before, _alone({"nullable": True, "anyOf": [spelling.schema]}))
    assert bool(either) is not spelling.null
    assert all((change.keyword, change.after) == ("type", "null") for change in either), either


@cases("name", SPELLINGS)
def test_differ_compares_null_between_openapi_versions(name: str) -> None:
    old = _alone(SPELLINGS[name].schema)
    modern = {**Dialect(old).modernize("document", old), "openapi": "3.1.0"}
    for pair in ((old, modern), (modern, old)):
        assert [change.kind for change in diff(*pair)] == [Kind.DIALECT_CHANGED]


def test_differ_reports_removed_nullable() -> None:
    nullable = {name: each for name, each in SPELLINGS.items() if "nullable" in each.schema}
    reported = {
        name: bool(diff(_alone(spelling.schema), _alone({**spelling.schema, "nullable": False})))
        for name, spelling in nullable.items()
    }
    # next to these keywords, null is valid without it
    passing = {"anything", "enum", "enum_not_nullable", "not_nullable"}
    assert reported == {name: name not in passing for name in nullable}


@pytest.mark.parametrize("command", ["adopt", "generate"])
def test_note_counts_departures_from_the_specification(command: str, project: Path) -> None:
    # fields, items, values of maps, bodies of a request and a response; and a component
    count = 5 * sum(spelling.departs for spelling in SPELLINGS.values()) + 1
    said = (project / f"{command}.txt").read_text()
    assert said.count("null fits where OpenAPI 3.0.4 (section 4.7.24) may refuse it") == 1
    assert re.search(rf"\b{count} schemas\b.*, first at .*:\d+:\d+", said)


@cases("name", SPELLINGS)
def test_departure_is_noted_where_the_specification_refuses_null(name: str) -> None:
    resolver = Resolver({"components": {"schemas": COMPONENTS}})
    assert departs_from_letter(SPELLINGS[name].schema, resolver) is SPELLINGS[name].departs
