"""Null in every spelling of OpenAPI 3.0: differences between spellings, and notes about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.adopted_projects import VERSION, adopt_project
from support.null_spellings import COMPONENTS, POSITIONS, SPELLINGS, Schema, ref
from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind
from dateline.schema.dialect import Dialect, departs_from_letter
from dateline.schema.references import Resolver

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


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project adopted from the document and generated."""
    return adopt_project(tmp_path_factory.mktemp("null"), whole(), "null_served")


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
