"""Schemas of another dialect are read if they have the same meaning, and refused by name if not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.bundle import Document, Readings, open_document
from dateline.model import SourceError

Schema = dict[str, Any]

READ: Final = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://spec.openapis.org/oas/3.1/dialect/2024-11-10",
    "https://spec.openapis.org/oas/3.2/dialect/2025-09-17",
)
UNKNOWN: Final = (
    "https://example.com/dialect",
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/schema#",
    "",
    7,
)
DRAFTS: Final = {
    "draft/2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema",
    "draft-04": "http://json-schema.org/draft-04/schema#",
}

PLAIN: Final[Schema] = {
    "type": "object",
    "description": "a thing",
    "required": ["a"],
    "properties": {
        "a": {"type": "string", "enum": ["x", "y"]},
        "b": {"type": "array", "items": {"$ref": "#/components/schemas/Other"}, "maxItems": 3},
        "c": {"anyOf": [{"type": "integer", "minimum": 1}, {"not": {"type": "string"}}]},
    },
    "additionalProperties": {"type": "number"},
}
"""What means the same in every draft."""

EVERY: Final = tuple(DRAFTS)
UP_TO_7: Final = ("draft-07", "draft-06", "draft-04")
# Keywords with another meaning or none in some drafts, and these drafts.
OTHERWISE: Final[dict[str, tuple[str, Schema, tuple[str, ...]]]] = {
    "a tuple": ("items", {"items": [{"type": "string"}]}, EVERY),
    "a tuple of today": ("prefixItems", {"prefixItems": [{"type": "string"}]}, EVERY),
    "other items": ("additionalItems", {"additionalItems": False}, EVERY),
    "a recursion": ("$recursiveRef", {"$recursiveRef": "#"}, EVERY),
    "a dynamic anchor": ("$dynamicAnchor", {"$dynamicAnchor": "a"}, EVERY),
    "dependencies": ("dependencies", {"dependencies": {"a": ["b"]}}, UP_TO_7),
    "dependent fields": ("dependentRequired", {"dependentRequired": {"a": ["b"]}}, UP_TO_7),
    "what is left": ("unevaluatedProperties", {"unevaluatedProperties": False}, UP_TO_7),
    "a number of items": ("minContains", {"minContains": 2}, UP_TO_7),
    "a name as an address": ("$id", {"$id": "#thing"}, UP_TO_7),
    "beside a reference": (
        "$ref",
        {"$ref": "#/components/schemas/Other", "maxLength": 3},
        UP_TO_7,
    ),
    "a condition": ("then", {"then": {"type": "string"}}, ("draft-06", "draft-04")),
    "a constant": ("const", {"const": 1}, ("draft-04",)),
    "an exclusive bound": ("exclusiveMinimum", {"exclusiveMinimum": 1}, ("draft-04",)),
    "an exclusive flag": ("exclusiveMaximum", {"exclusiveMaximum": True}, EVERY),
}


def read(schema: Any, **more: Any) -> list[tuple[str, str]]:
    """Return the id and message of each problem of a document with *schema* in a response."""
    content = {"application/json": {"schema": schema}}
    written = {
        "openapi": "3.1.0",
        "info": {"title": "Dialects", "version": "1"},
        "paths": {"/it": {"get": {"responses": {"200": {"description": "", "content": content}}}}},
        "components": {"schemas": {"Other": {"type": "string"}}},
        **more,
    }
    try:
        assert Document(name="x.json", data=json.dumps(written).encode()).content
    except SourceError as error:
        return [(problem.id, problem.message) for problem in error.problems]
    return []


def place(schema: Schema, dialect: Any, where: str) -> list[tuple[str, str]]:
    """Return the problems if *where* declares that *schema* is of *dialect*."""
    match where:
        case "the schema":
            return read({"$schema": dialect, **schema})
        case "a schema around it":
            return read({"$schema": dialect, "type": "object", "properties": {"z": schema}})
        case "a component":
            named = {"Other": {}, "Named": {"$schema": dialect, **schema}}
            return read({}, components={"schemas": named})
        case _:
            return read(schema, jsonSchemaDialect=dialect)


WHERE: Final = ("the schema", "a schema around it", "a component", "the document")


@cases("where", WHERE)
@cases("dialect", [*READ, *DRAFTS.values()])
def test_keyword_with_the_same_meaning_is_read(dialect: str, where: str) -> None:
    assert place(PLAIN, dialect, where) == []


@cases("where", WHERE)
@cases("dialect", UNKNOWN)
def test_unknown_dialect_is_refused_by_name(dialect: Any, where: str) -> None:
    [(kind, message)] = place(PLAIN, dialect, where)
    assert kind == "unsupported-dialect"
    assert repr(dialect) in message


@cases("where", WHERE)
@cases("draft", DRAFTS)
@cases("case", OTHERWISE)
def test_keyword_with_another_meaning_in_a_draft_is_refused(
    case: str, draft: str, where: str
) -> None:
    keyword, schema, drafts = OTHERWISE[case]
    found = place(schema, DRAFTS[draft], where)
    assert {kind for kind, _ in found} == ({"unsupported-dialect"} if draft in drafts else set())
    assert all(message.startswith(f"`{keyword}` ") for _, message in found)


@cases("case", OTHERWISE)
def test_schema_may_declare_its_own_dialect(case: str) -> None:
    _, schema, _ = OTHERWISE[case]
    own = {"$schema": READ[0], **schema}
    assert place({"allOf": [own]}, DRAFTS["draft-04"], "the schema") == []


def test_keywords_are_found_in_yaml_and_in_escaped_form() -> None:
    text = '{"openapi": "3.1.0", "json\\u0053chemaDialect": "https://a.example/", "paths": {}}'
    for name in ("x.json", "x.yaml"):
        with pytest.raises(SourceError) as error:
            assert Document(name=name, data=text.encode()).content
        assert [problem.id for problem in error.value.problems] == ["unsupported-dialect"]


def test_openapi_3_0_has_no_such_keywords() -> None:
    schema = {"$schema": UNKNOWN[0], "type": "string"}
    assert read(schema, openapi="3.0.3", jsonSchemaDialect=UNKNOWN[0]) == []


SPECIFICATIONS = {
    "2.0": {"swagger": "2.0", "info": {"title": "T", "version": "1"}},
    "3.0": {"openapi": "3.0.4", "info": {"title": "T", "version": "1"}},
    "3.1": {"openapi": "3.1.1", "info": {"title": "T", "version": "1"}},
    "neither": {},
}


@cases("part", SPECIFICATIONS)
@cases("main", ["2.0", "3.0", "3.1"])
@cases("unused", [False, True])
def test_files_of_swagger_and_openapi_can_not_be_mixed(
    tmp_path: Path, main: str, part: str, unused: bool
) -> None:
    """A response or parameter of the other specification would lose its schema."""
    item = {"get": {"responses": {"200": {"description": "d"}}}}
    paths = {"/a": {"$ref": "part.json#/paths/~1a"}}
    name = "definitions" if main == "2.0" else "components"
    schemas: dict[str, Any] = {"A": {"$ref": "part.json#/A"}}
    section = schemas if main == "2.0" else {"schemas": schemas}
    whole = {"paths": {}, name: section} if unused else {"paths": paths}
    (tmp_path / "api.json").write_text(json.dumps({**SPECIFICATIONS[main], **whole}))
    found = {**SPECIFICATIONS[part], "paths": {"/a": item}, "A": {"type": "string"}}
    (tmp_path / "part.json").write_text(json.dumps(found))
    opened = open_document(tmp_path / "api.json", "api.json", Readings())
    is_mixed = part != "neither" and (main == "2.0") != (part == "2.0")
    if is_mixed and not unused:
        with pytest.raises(SourceError, match=r"api\.json:1:\d+: unsupported-dialect: .* 2\.0"):
            assert opened.content
    else:
        assert opened.content
