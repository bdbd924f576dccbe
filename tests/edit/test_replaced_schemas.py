"""Schemas that are replaced by others: alone, within unions, and behind references.

In place of one schema there may be a union that contains it, as optional fields of pydantic have
with null, or a reference to a component that other operations use, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.gating import TODAY, publish_cut, require_law
from support.sources import loaded

from dateline.edit.gate import gate
from dateline.project import Projector

NULL: Final = {"type": "null"}
TEXT: Final = {"type": "string"}
BOOK: Final = {"$ref": "#/components/schemas/Book"}
FILM: Final = {"$ref": "#/components/schemas/Film"}


def make_object(*names: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), **more}


REPLACED: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "no null": ({"anyOf": [TEXT, NULL], "title": "A"}, {**TEXT, "title": "A"}),
    "null": (TEXT, {"anyOf": [TEXT, NULL]}),
    "no null, another type": ({"anyOf": [TEXT, NULL]}, {"type": "integer"}),
    "no null, another bound": (
        {"anyOf": [{**TEXT, "maxLength": 9}, NULL]},
        {**TEXT, "maxLength": 5},
    ),
    "no null in a list": ({"oneOf": [{"type": "array", "items": TEXT}, NULL]}, make_object()),
    "no null of values": (
        {"anyOf": [{**TEXT, "enum": ["a", "b"]}, NULL]},
        {**TEXT, "enum": ["a", "b"]},
    ),
    "no null of a union": ({"anyOf": [{"anyOf": [TEXT, {"type": "integer"}]}, NULL]}, TEXT),
    "no null within": (
        {"anyOf": [{"type": "array", "items": {"anyOf": [TEXT, NULL]}}, NULL]},
        {"type": "array", "items": TEXT},
    ),
    "no null of a reference": ({"anyOf": [BOOK, NULL]}, BOOK),
    "another reference": (BOOK, FILM),
    "another reference beside null": ({"anyOf": [BOOK, NULL]}, {"anyOf": [FILM, NULL]}),
    "one of several": ({"anyOf": [BOOK, {"type": "integer"}, NULL]}, BOOK),
    "one of two references": ({"oneOf": [BOOK, FILM]}, BOOK),
    "one of two references with a title": (
        {"oneOf": [{**BOOK, "title": "A"}, {**FILM, "title": "B"}], "title": "A"},
        {**BOOK, "title": "A"},
    ),
    "one of two objects": (
        {"anyOf": [make_object("id", "isbn"), make_object("id", "length", required=["length"])]},
        make_object("id", "isbn"),
    ),
    "a reference for an object": (make_object("id", "isbn", "title", "lent"), BOOK),
    "a reference for an object that is required": (
        make_object("id", "isbn", "title", "lent", required=["lent"]),
        BOOK,
    ),
    "a reference for objects in a list": (
        {"type": "array", "items": make_object("id", "isbn", "title", "lent")},
        {"type": "array", "items": BOOK},
    ),
    "an object for a reference": (BOOK, make_object("id", "title")),
    "a reference for more than it": ({"allOf": [BOOK, make_object("lent")]}, BOOK),
}

CONTROL: Final = {"as before": ({"anyOf": [BOOK, FILM]}, {"anyOf": [BOOK, FILM]})}


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_replaced_schema_is_restored_where_it_was(openapi: str, tmp_path: Path) -> None:
    before = loaded(tmp_path / "before", write_definitions(openapi, 0))
    published = publish_cut(before)
    after = loaded(tmp_path / "after", write_definitions(openapi, 1))
    plan = gate(after, published, today=TODAY)
    assert plan.left == ()
    gated = require_law(after, plan, published)
    sources = gated.document["components"]["schemas"]
    fields = sources["Loan"]["properties"]
    assert [name for name, field in fields.items() if field == REPLACED.get(name, [0, 0])[1]] == []
    assert fields["as before"] == CONTROL["as before"][1]
    # what other operations use as well is as it was
    assert [sources[name] for name in ("Book", "Film")] == [
        after.document["components"]["schemas"][name] for name in ("Book", "Film")
    ]
    old, now = (
        Projector(each).contract("2025-01-01", "production").document for each in (before, gated)
    )
    assert now == old


def write_definitions(openapi: str, side: int) -> dict[str, str]:
    """Return definitions with the schemas of one *side*: 0 is before the edits, 1 after.

    OpenAPI 3.0 has no type null.
    """
    fields = {
        name: pair[side]
        for name, pair in {**REPLACED, **CONTROL}.items()
        if openapi != "3.0.3" or NULL not in [*pair[0].get("anyOf", ()), *pair[1].get("anyOf", ())]
    }

    def content(schema: dict[str, Any]) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": schema}}}

    loan = content({"$ref": "#/components/schemas/Loan"})
    operations = {
        "put": {"requestBody": loan, "responses": {"200": {"description": "done", **loan}}},
        "get": {
            "responses": {"200": {"description": "all", **content({"anyOf": [BOOK, FILM]})}},
        },
    }
    schemas = {
        "Loan": {"type": "object", "properties": fields},
        "Book": make_object("id", "isbn", "title"),
        "Film": make_object("id", "title", "length", required=["length"]),
    }
    document = {
        "openapi": openapi,
        "info": {"title": "Loans", "version": "1"},
        "paths": {"/loan": operations},
        "components": {"schemas": schemas},
    }
    return {
        "versions.yaml": "lint: adopted\nversions:\n- {date: 2025-01-01, title: First.}\n",
        "api.json": json.dumps(document),
    }
