"""A difference that only concerns the other direction needs no converter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.sources import loaded
from support.tables import cases

from dateline.contracts import contract_data

OLD, NEW = "2024-01-15", "2025-06-01"
TABLE = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
VERSIONS
environments:
  production: {{ servers: [{{ url: https://api.example }}] }}
policy: dated-contract
lint: adopted
python: {{ package: example }}
"""

POSITIONS: dict[str, Any] = {
    "patternProperties": lambda schema: {"type": "object", "patternProperties": {"^x": schema}},
    "not": lambda schema: {"type": "object", "not": schema},
    "prefixItems": lambda schema: {"type": "array", "prefixItems": [schema]},
    "contains": lambda schema: {"type": "array", "contains": schema},
    "if": lambda schema: {"type": "object", "if": schema, "then": {"required": ["a"]}},
    "dependentSchemas": lambda schema: {"type": "object", "dependentSchemas": {"a": schema}},
    "unevaluatedProperties": lambda schema: {"type": "object", "unevaluatedProperties": schema},
}
SPELLINGS: dict[str, Any] = {
    "inline": lambda schema: schema,
    "reference": lambda _: {"$ref": "#/components/schemas/Part"},
    "base": lambda _: {"allOf": [{"$ref": "#/components/schemas/Part"}]},
}


def data(
    folder: Path, position: str, spelling: str, field: dict[str, Any], *, versions: int
) -> dict[str, Any]:
    part = {"type": "object", "properties": {"a": field, "b": {"type": "string"}}}
    return generate_data(folder, POSITIONS[position](SPELLINGS[spelling](part)), part, versions)


def generate_data(
    folder: Path, schema: dict[str, Any], part: dict[str, Any], versions: int
) -> dict[str, Any]:
    content = {"content": {"application/json": {"schema": schema}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {
            "/things": {
                "put": {
                    "operationId": "put_thing",
                    "requestBody": content,
                    "responses": {"200": {"description": "it", **content}},
                }
            }
        },
        "components": {"schemas": {"Part": part}},
    }
    newer = f"  - {{ date: {NEW}, title: Second }}" if versions > 1 else ""
    files = {"versions.yaml": TABLE.replace("VERSIONS\n", f"{newer}\n" if newer else "")}
    return contract_data(loaded(folder, {**files, "api.yaml": json.dumps(document)})).data


@cases("versions", [1, 2])
@cases("keyword", ["readOnly", "writeOnly"])
@cases("spelling", SPELLINGS)
@cases("position", POSITIONS)
def test_difference_in_the_other_direction_needs_no_converter(
    position: str, spelling: str, keyword: str, versions: int, tmp_path: Path
) -> None:
    field = {"type": "string", keyword: True}
    found = data(tmp_path, position, spelling, field, versions=versions)
    assert found["converters"] == {}


@cases(
    ("field", "now", "then", "needs"),
    [
        ({"readOnly": True}, ["a"], None, False),
        ({"writeOnly": True}, None, ["a"], False),
        # a field of this direction, in some version at least
        ({"writeOnly": True}, ["a"], None, True),
        ({"readOnly": True}, None, ["a"], True),
        ({"writeOnly": True, "x-was": {NEW: {"writeOnly": None}}}, None, ["a"], True),
        ({}, ["a"], None, True),
    ],
)
def test_required_field_of_the_other_direction_needs_no_converter(
    field: dict[str, Any],
    now: list[str] | None,
    then: list[str] | None,
    needs: bool,
    tmp_path: Path,
) -> None:
    thing = {"type": "object", "properties": {"a": {"type": "string", **field}}}
    thing |= {"x-was": {NEW: {"required": then}}} | ({"required": now} if now else {})
    assert bool(generate_data(tmp_path, thing, {}, 2)["converters"]) == needs


@cases("spelling", SPELLINGS)
@cases("position", POSITIONS)
def test_difference_between_versions_needs_a_converter(
    position: str, spelling: str, tmp_path: Path
) -> None:
    field = {"type": "string", "x-was": {NEW: {"type": "integer"}}}
    assert data(tmp_path, position, spelling, field, versions=2)["converters"] != {}
