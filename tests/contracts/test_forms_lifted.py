"""Forms with added parts need no converter; forms with other differences do."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, Final

from support.sources import loaded
from support.tables import cases

from dateline.contracts import contract_data

OLD, NEW = "2024-01-15", "2025-06-01"
TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
environments:
  production: {{ servers: [{{ url: https://api.example }}] }}
policy: dated-contract
lint: adopted
python: {{ package: example }}
"""
TEXT: Final = {"type": "string"}
ADDED: Final = {**TEXT, "x-added": NEW}
FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
MEDIA_TYPES: Final = (*FORMS, "multipart/mixed", "application/xml")

# The schema of the part `later`, and whether it needs a converter.
PARTS: Final[dict[str, tuple[Any, bool]]] = {
    "none": (TEXT, False),
    "added": (ADDED, False),
    "added file": ({**ADDED, "format": "binary"}, False),
    "added list": ({"type": "array", "items": TEXT, "x-added": NEW}, False),
    "removed": ({**TEXT, "x-removed": NEW}, False),
    "renamed": ({**TEXT, "x-was": {NEW: {"name": "sooner"}}}, True),
    "changed": ({**TEXT, "x-was": {NEW: {"type": "integer"}}}, True),
    "added below": ({"type": "object", "properties": {"deep": ADDED}}, True),
}
SPELLINGS: Final[dict[str, Any]] = {
    "inline": lambda schema: (schema, {}),
    "reference": lambda schema: ({"$ref": "#/components/schemas/F"}, {"F": schema}),
    "base": lambda schema: ({"allOf": [{"$ref": "#/components/schemas/F"}]}, {"F": schema}),
    "references": lambda schema: (
        {"$ref": "#/components/schemas/G"},
        {"F": schema, "G": {"$ref": "#/components/schemas/F"}},
    ),
}


def data(folder: Path, media_type: str, written: tuple[Any, Any], position: str) -> Any:
    schema, schemas = written
    content = {"content": {media_type: {"schema": schema}}}
    operation: dict[str, Any] = {"operationId": "put", "tags": ["all"]}
    operation["responses"] = {"200": {"description": "it"}}
    if position == "request":
        operation["requestBody"] = content
    else:
        operation["responses"]["200"] |= content
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {"/things": {"put": operation}},
        "components": {"schemas": schemas},
    }
    files = {"versions.yaml": TABLE, "api.yaml": json.dumps(document)}
    return contract_data(loaded(folder, files)).data


@cases(
    ("kind", "spelling", "media_type", "position"),
    [
        *product(PARTS, ["inline"], MEDIA_TYPES, ["request", "response"]),
        *product(PARTS, SPELLINGS, FORMS[1:], ["request"]),
    ],
)
def test_form_with_another_difference_needs_a_converter(
    kind: str, spelling: str, media_type: str, position: str, tmp_path: Path
) -> None:
    later, needs = PARTS[kind]
    schema = {"type": "object", "properties": {"here": TEXT, "later": later}}
    found = data(tmp_path, media_type, SPELLINGS[spelling](schema), position)
    is_lifted = position == "request" and media_type in FORMS
    assert bool(found["converters"]) == (needs or (kind != "none" and not is_lifted))
    entries = [each for row in found["up"]["shapes"].values() for each in row]
    left_out = [each["since"] for each in entries if each["shape"] == {"left_out": ["later"]}]
    if is_lifted and kind in ("added", "removed"):
        assert left_out[:1] == [OLD if "added" in kind else NEW]


@cases("media_type", FORMS)
@cases("spelling", SPELLINGS)
def test_read_only_parts_need_no_converter(spelling: str, media_type: str, tmp_path: Path) -> None:
    later = {**TEXT, "readOnly": True}
    schema = {"type": "object", "properties": {"here": TEXT, "later": later}}
    found = data(tmp_path, media_type, SPELLINGS[spelling](schema), "request")
    assert found["converters"] == {}
    [[entry]] = found["up"]["shapes"].values()
    assert entry["shape"] == {"left_out": ["later"]}
