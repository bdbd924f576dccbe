"""The removal of a component follows from that of an operation if nothing else refers to it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any, Final

from support.sources import VERSIONS, loaded
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.check import Published, check
from dateline.check.policy import PolicyRecord
from dateline.model import Combination

GOAL: Final = "#/components/schemas/"
TAGGED: Final = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
USES: Final[dict[str, dict[str, Any]]] = {
    "by nothing": {"type": "object"},
    "whole": {"$ref": f"{GOAL}Gone"},
    "into it": {"$ref": f"{GOAL}Gone/properties/kind"},
    "by an anchor": {"$ref": "#gone"},
    "by an escaped pointer": {"$ref": f"{GOAL}G%6Fne"},
    "by its name in a mapping": {
        "oneOf": [{"$ref": f"{GOAL}Other"}],
        "discriminator": {"propertyName": "kind", "mapping": {"gone": "Gone"}},
    },
    "as an extension": {"$ref": f"{GOAL}Parent"},
}
PARENT: Final = TAGGED | {"discriminator": {"propertyName": "kind"}}
GONE: Final = {"$anchor": "gone", "allOf": [{"$ref": f"{GOAL}Parent"}], **TAGGED}


def define(use: dict[str, Any], *, has_gone: bool) -> dict[str, Any]:
    def describe(operation: str, schema: dict[str, Any]) -> dict[str, Any]:
        content = {"application/json": {"schema": schema}}
        return {
            "operationId": operation,
            "responses": {"200": {"description": "pets", "content": content}},
        }

    paths: dict[str, Any] = {"/kept": {"get": describe("getKept", use), "x-note": "a text"}}
    schemas: dict[str, Any] = {"Parent": PARENT, "Other": TAGGED}
    if has_gone:
        paths["/removed"] = {"get": describe("getRemoved", {"$ref": f"{GOAL}Gone"})}
        schemas["Gone"] = GONE
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "canonical"},
        "paths": paths | {"x-note": "a text"},
        "components": {"schemas": schemas, "x-note": "a text", "x-notes": ["a text"]},
    }


@cases("how", USES)
def test_removed_component_that_is_used_elsewhere_is_reported(how: str, tmp_path: Path) -> None:
    now = json.dumps(define({"type": "object"}, has_gone=False))
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": now})
    shown = Combination("2024-01-15", "production")
    file = tmp_path / "published.json"
    file.write_text(json.dumps(define(USES[how], has_gone=True)))
    published = Published(
        label="published",
        documents={shown: open_document(file, file.name, Readings())},
        policy=PolicyRecord.of(api.table, ()),
    )
    rules = {one.rule for one in check(api, published, today=date(2024, 2, 1))}
    assert "operation-removed" in rules
    assert ("component-removed" in rules) is (how != "by nothing")
