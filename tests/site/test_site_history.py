"""What fields were, and which changes the page of an operation lists."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from support.sources import VERSIONS, folder
from support.tables import cases

from dateline.changes.pages import compare_versions
from dateline.load import load
from dateline.model import EVERYWHERE, Api
from dateline.project import Projector
from dateline.site.comparing import MessagePart, PageComparison
from dateline.site.history import StepHistory, name_component
from dateline.site.marks import Mark, Marker
from dateline.site.sharing import SharedNodes
from dateline.site.trees import TreeRow


def load_with(tmp_path: Path, schemas: dict[str, Any], **info: Any) -> Api:
    """Return an API that answers `GET /a` with the first of *schemas*, with keys of its *info*."""
    schema = {"$ref": f"#/components/schemas/{next(iter(schemas))}"}
    answer = {"description": "", "content": {"application/json": {"schema": schema}}}
    api = {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "canonical", **info},
        "paths": {"/a": {"get": {"responses": {"200": answer}}}},
        "components": {"schemas": schemas},
    }
    files = {"versions.yaml": f"{VERSIONS}lint: adopted\n", "api.yaml": json.dumps(api)}
    return load(folder(tmp_path, files))


TEN = ", ".join(f"`{number}`" for number in range(10))


@cases(
    ("before", "now", "older", "newer"),
    [
        ({"type": "integer"}, {"type": "string"}, "type `string`", "type `integer`"),
        ({"readOnly": True}, {}, "in requests, too", "only in responses"),
        ({"uniqueItems": None}, {"uniqueItems": True}, "no duplicates", "duplicates allowed"),
        (
            {"additionalProperties": None},
            {"additionalProperties": False},
            "no other members",
            "other members allowed",
        ),
        ({"required": ["b"]}, {"required": ["b", "c"]}, "`c` required", "`c` optional"),
        ({"required": None}, {"required": ["c"]}, "`c` required", "`c` optional"),
        (
            {"required": ["b"]},
            {"required": ["c"]},
            "`c` required, `b` optional",
            "`b` required, `c` optional",
        ),
        ({"format": "date"}, {}, "no format", "format `date`"),
        ({"maxLength": 3}, {"maxLength": 9}, "at most 9 characters", "at most 3 characters"),
        ({"maxLength": None}, {"maxLength": 9}, "at most 9 characters", "no maximum length"),
        ({"pattern": "^a"}, {}, "no pattern", "matches `^a`"),
        ({"default": "a"}, {"default": "b"}, 'default `"b"`', 'default `"a"`'),
        ({"enum": ["a", 1]}, {}, "no list of values", "only `a`, `1`"),
        ({"enum": [*range(12)]}, {"enum": [1]}, "only `1`", f"only {TEN} and 2 more"),
        # what only a page can show, once
        ({"anyOf": [{"type": "string"}], "items": {}}, {}, *["described differently"] * 2),
        (
            {"additionalProperties": False},
            {"additionalProperties": {"type": "string"}},
            "described differently",
            "no other members",
        ),
        ({"x-words": 1}, {"x-words": 2}, None, None),
        ({"title": "a"}, {"title": "b"}, None, None),
    ],
)
def test_former_field_is_described_in_words(
    tmp_path: Path, before: Any, now: Any, older: str | None, newer: str | None
) -> None:
    field = {**now, "x-was": {"2025-06-01": before}}
    marks = Marker(load_with(tmp_path, {"A": {"type": "object", "properties": {"b": field}}}))
    at = "/components/schemas/A/properties/b"
    assert [mark.text for mark in marks.of("2024-01-15")[at]] == (
        [f"From 2025-06-01 on: {older}"] if older else []
    )
    assert [mark.text for mark in marks.of("2025-06-01")[at]] == (
        [f"Before 2025-06-01: {newer}"] if newer else []
    )


def test_fields_in_place_of_others_are_named_at_their_object(tmp_path: Path) -> None:
    text = {"type": "string"}
    former = {"properties": {"first": text, "last": text}, "required": ["first"]}
    schema = {
        "type": "object",
        "properties": {"whole": {**text, "x-was": {"2025-06-01": {"name": "full"}}}},
        "x-was": {
            "2024-09-01": {"in-place-of": ["whole"], **former, "minProperties": 1},
            "2025-06-01": {"minProperties": 2},
        },
    }
    marks = Marker(load_with(tmp_path, {"A": schema}))
    at = "/components/schemas/A"
    assert [
        [mark.text for mark in marks.of(each)[at]] for each in ("2024-01-15", "2025-06-01")
    ] == [
        [
            "From 2025-06-01 on: no minimum number of members",
            "From 2024-09-01 on: `whole` in place of `first`, `last`",
            "From 2024-09-01 on: at least 2 members",
        ],
        [
            "Before 2025-06-01: at least 2 members",
            "Before 2024-09-01: `first`, `last` in place of `whole`",
            "Before 2024-09-01: at least 1 member",
        ],
    ]
    [older] = marks.of("2024-09-01")[f"{at}/properties/full"]
    [newer] = marks.of("2025-06-01")[f"{at}/properties/whole"]
    assert [older.text, newer.text] == [
        "Called `whole` from 2025-06-01 on",
        "Called `full` before 2025-06-01",
    ]


def test_history_of_the_document_concerns_no_page(tmp_path: Path) -> None:
    was = {"2025-06-01": {"license": {"name": "MIT"}}}
    api = load_with(tmp_path, {"A": {"type": "object"}}, **{"x-was": was})
    marks, projector = Marker(api), Projector(api)
    older, newer = "2024-09-01", "2025-06-01"
    assert marks.of(older).keys() == {"/info"}
    shown = [projector.contract(date, EVERYWHERE).document for date in (older, newer)]
    shared = SharedNodes(shown[0], shown[1], (marks.of(older), marks.of(newer)))
    assert shared.has("schemas", "A")
    assert shared.has("paths", "/a")


OPERATION: Final = "GET /a"


def test_operation_lists_changes_on_its_page_first_and_counts_others(
    tmp_path: Path,
) -> None:
    gone = {"type": "string", "x-removed": "2025-06-01"}
    near = {f"a{number}": gone for number in range(42)}
    api = load_with(
        tmp_path,
        {
            "A": {
                "type": "object",
                "properties": {**near, "b": {"$ref": "#/components/schemas/B"}},
            },
            "B": {"type": "object", "properties": {"c": gone}},
        },
    )
    versions = {each.date: each for each in api.table.versions}
    older, newer = versions["2024-09-01"], versions["2025-06-01"]
    history = StepHistory(compare_versions(api, Projector(api), older, newer))
    kept = {}
    own = ["/paths/~1a/get"]
    a, b = ([name_component(name)] for name in ("A", "B"))
    for label, places in {
        "": [],
        "a": [own, a],
        "b": [own, b],
        "a, b": [a, b],
        "b, a": [b, a],
    }.items():
        found = history.list_changes(OPERATION, places)
        assert found is not None
        schemas = [each.schema for each in found.entries]
        kept[label] = {name: schemas.count(name) for name in ("A", "B")}
        assert len(schemas) + found.others == 43
    assert kept == {
        "": {"A": 40, "B": 0},
        "a": {"A": 40, "B": 0},
        "b": {"A": 0, "B": 1},
        "a, b": {"A": 40, "B": 0},
        "b, a": {"A": 39, "B": 1},
    }
    assert history.list_changes("GET /b", [a]) is None


@cases(
    "older, newer, compared",
    [
        # type, and the versions in which the variant is there
        ("object string", "object string", ""),
        ("object string", "string object", ""),
        ("string object", "object", "string removed"),
        ("object", "string object", "string added"),
        ("object", "object object", "object added"),
        ("object:until string", "object:since string", "object added, object removed"),
        ("object:until string", "string", "object removed"),
        ("string", "string object:since", "object added"),
        ("object:was string", "object:now string", ""),
    ],
)
def test_variants_without_names_are_compared_with_their_like(
    older: str, newer: str, compared: str
) -> None:
    def write(variants: str) -> TreeRow:
        rows = []
        for index, each in enumerate(variants.split(), 1):
            kind, _, mark = each.partition(":")
            row = TreeRow(name=f"variant {index}", anchor=str(index), role="variant", type=kind)
            marks = (Mark(mark if mark in ("since", "until") else "was", mark),) if mark else ()
            rows.append(replace(row, marks=marks))
        return TreeRow(name="", anchor="", role="body", rows=tuple(rows))

    sides = [
        [MessagePart(kind="request", name="", contents=(("json", write(each), ""),))]
        for each in (older, newer)
    ]
    sections = PageComparison(lambda _: None, lambda _: None, []).sections(*sides)
    rows = [row for each in sections for _, tree, _ in each.contents for row in tree.rows]
    assert ", ".join(f"{row.type} {row.state}" for row in rows) == compared
