"""`defaultMapping` is published in the versions that have its schema, like tags of a mapping."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any, Final

from support.sources import VERSIONS, folder, problems
from support.tables import cases

from dateline.edit.retire import retire
from dateline.load import load
from dateline.model import EVERYWHERE, Api
from dateline.project import Projector

FIRST: Final = "2024-01-15"
ENDS: Final = """\
announcements:
  - { ends: 2024-01-15, from: 2025-12-01, announced: 2025-06-01 }
"""
TABLE: Final = VERSIONS.replace(f"default: {FIRST}", "default: 2025-06-01") + ENDS

GATES: Final = [
    {"x-added": "2024-09-01"},
    {"x-added": "2025-06-01"},
    {"x-removed": "2024-09-01"},
    {"x-added": "2024-09-01", "x-removed": "2025-06-01"},
]
NAMED: Final = ["Other", "#/components/schemas/Other"]
MAPPINGS: Final[list[dict[str, Any]]] = [
    {},
    {"mapping": {"cat": "Cat"}},
    {"mapping": {"cat": "Cat", "other": "Other"}},
]


def define(gate: dict[str, str], named: str, mapping: dict[str, Any], union: str | None) -> str:
    """Return definitions of a schema whose default is gated, as an extension or as a member."""
    kind = {"kind": {"type": "string"}}
    pet: dict[str, Any] = {"discriminator": {"propertyName": "kind", "defaultMapping": named}}
    pet["discriminator"] |= mapping
    schemas: dict[str, Any] = {"Pet": pet}
    goal = "#/components/schemas/"
    if union:
        pet[union] = [{"$ref": f"{goal}Cat"}, {"$ref": f"{goal}Dog"}]
        pet[union].append({"$ref": f"{goal}Other", **gate})
        schemas |= {
            name: {"type": "object", "required": ["kind"], "properties": kind}
            for name in ("Cat", "Dog", "Other")
        }
    else:
        pet |= {"type": "object", "required": ["kind"], "properties": kind}
        schemas |= {name: {"allOf": [{"$ref": f"{goal}Pet"}]} for name in ("Cat", "Other")}
        schemas["Other"] |= gate
    items = {"type": "array", "items": {"$ref": f"{goal}Pet"}}
    answer = {"description": "pets", "content": {"application/json": {"schema": items}}}
    return json.dumps(
        {
            "openapi": "3.2.0",
            "info": {"title": "Pets", "version": "canonical"},
            "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": answer}}}},
            "components": {"schemas": schemas},
        }
    )


def documents(api: Api) -> dict[str, Any]:
    projector = Projector(api)
    return {
        version: projector.contract(version, EVERYWHERE).document for version in api.table.dates
    }


# every gate in every union, each with both names and one of the mappings
COMBINED: Final = [
    (gate, named, MAPPINGS[(one + other) % len(MAPPINGS)], union)
    for one, gate in enumerate(GATES)
    for other, union in enumerate((None, "oneOf", "anyOf"))
    for named in NAMED
]


@cases(("gate", "named", "mapping", "union"), COMBINED)
def test_default_is_that_of_each_version(
    gate: dict[str, str], named: str, mapping: dict[str, Any], union: str | None, tmp_path: Path
) -> None:
    text = define(gate, named, mapping, union)
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": text})
    before = documents(load(schemas))
    for version, document in before.items():
        added, removed = gate.get("x-added", ""), gate.get("x-removed", "z")
        is_there = added <= version < removed
        discriminator = document["components"]["schemas"]["Pet"]["discriminator"]
        assert discriminator.get("defaultMapping") == (named if is_there else None)
        assert ("other" in discriminator.get("mapping", {})) is (
            is_there and "other" in mapping.get("mapping", {})
        )

    for one in retire(schemas, FIRST, date(2026, 1, 1)).replacements:
        (schemas / one.name).write_bytes(one.after or b"")
    del before[FIRST]
    assert documents(load(schemas)) == before


def test_version_without_the_default_requires_the_tag(tmp_path: Path) -> None:
    text = define({"x-added": "2024-09-01"}, "Other", {}, None)
    optional = text.replace('"required": ["kind"], ', "")
    assert optional != text
    always = optional.replace(', "x-added": "2024-09-01"', "")
    assert not problems(tmp_path / "always", {"versions.yaml": TABLE, "api.yaml": always})
    [found] = problems(tmp_path / "added", {"versions.yaml": TABLE, "api.yaml": optional})
    assert "discriminator-property" in found
    history = '"x-was": {"2024-09-01": {"required": ["kind"]}}, "type": "object", "properties"'
    then = optional.replace('"type": "object", "properties"', history)
    assert not problems(tmp_path / "then", {"versions.yaml": TABLE, "api.yaml": then})
