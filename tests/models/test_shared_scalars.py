"""Scalars that versions share are laid out once, with the same output as separate copies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.modelling import document, record, ref, table

from dateline.model import Contract
from dateline.models import Models, generate_models
from dateline.render import builtin_templates

DATES = ("2024-01-01", "2024-06-01", "2025-01-01")

KEYWORDS: dict[str, list[Any]] = {
    "format": ["date-time", "date", "uuid", "binary", "unknown"],
    "minLength": [1, "a text"],
    "maxLength": [5],
    # the last ones can't be generated
    "pattern": ["^a+$", "(?=a)b", r"\p{Letter}", "("],
    "minimum": [1, "a text"],
    "maximum": [2.5],
    "nullable": [True],
    "title": ["A title"],
    "description": ['A "description" of\nseveral lines'],
    "deprecated": [True],
    "example": ["an example"],
    "readOnly": [True],
    "writeOnly": [True],
    # with these, the output depends on more than the schema itself
    "default": ["a", 1],
    "enum": [["a", "b"]],
    "const": ["a"],
    "x-extensible-enum": [["a", "b"]],
    "multipleOf": [2],
    "not": [{"const": 1}],
    "x-other": [1],
}

SCALARS: list[dict[str, Any]] = [
    {"type": kind, **added}
    for kind in ("string", "integer", "number", "boolean", ["string", "null"])
    for added in ({}, *({key: value} for key, values in KEYWORDS.items() for value in values))
]


def make_schemas(number: int) -> dict[str, Any]:
    """Return components of a version that share all scalars with those of the others."""
    # no component is equal in two versions, so each is generated for each of them
    marked = {"mark": {"type": "array", "minItems": number + 1}}
    fields = {f"field-{at}": schema for at, schema in enumerate(SCALARS)}
    return {
        "Optional": record(**fields, **marked),
        "Required": record(*fields, **fields, **marked),
        # the names of the fields differ
        "Renamed": record(**{f"other{at}": each for at, each in enumerate(SCALARS)}, **marked),
        "Nested": record(
            lists={"type": "array", "items": SCALARS[number]},
            maps={"type": "object", "additionalProperties": SCALARS[number]},
            inline=record(**fields, **marked),
            optional=ref("Optional"),
        ),
    }


def generate(documents: list[dict[str, Any]]) -> Models:
    contracts = [
        Contract(version=date, environment="", document=each)
        for date, each in zip(DATES, documents, strict=True)
    ]
    return generate_models(contracts, table(DATES, "library"), [builtin_templates()])


@pytest.mark.parametrize(
    "dialects",
    [("3.0.3", "3.0.3", "3.1.0"), ("3.1.0", "3.1.0", "3.0.3"), ("3.0.3", "3.1.0", "3.0.3")],
    ids="-".join,
)
def test_output_does_not_depend_on_shared_scalars(dialects: tuple[str, ...]) -> None:
    documents = [document(make_schemas(at), each) for at, each in enumerate(dialects)]
    shared, apart = generate(documents), generate(json.loads(json.dumps(documents)))
    assert shared.artifacts == apart.artifacts
    assert shared.notes == apart.notes
    # each version has a note about it, although it is generated for none
    assert sum("pattern" in note for note in shared.notes) > len(DATES)
