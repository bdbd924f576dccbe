"""A changed discriminator: older callers read and send the property and the tags they know."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
from support.parents import OLD, TABLE, Schema, api, document, extending, make_converter, ref
from support.sources import problems
from support.tables import cases

from dateline.check.servable import check_servable
from dateline.contracts import contract_data
from dateline.project import Projector

POSITIONS: Final[dict[str, tuple[Callable[[Schema], Schema], Callable[[Any], Any]]]] = {
    "alone": (lambda schema: schema, lambda value: value),
    "list": (lambda schema: {"type": "array", "items": schema}, lambda value: [value]),
    "map": (
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda value: {"a": value},
    ),
    "field": (
        lambda schema: {"type": "object", "required": ["it"], "properties": {"it": schema}},
        lambda value: {"it": value},
    ),
    "nullable": (
        lambda schema: {
            "type": "object",
            "required": ["it"],
            "properties": {"it": {"oneOf": [schema, {"type": "null"}]}},
        },
        lambda value: {"it": value},
    ),
    "with more beside it": (
        lambda schema: {
            "type": "object",
            "properties": {"it": {"allOf": [schema], "description": "A noun"}},
        },
        lambda value: {"it": value},
    ),
}

# The discriminator now and before, and the tags of Book and Disc now and before.
CHANGES: Final[dict[str, tuple[Schema, Schema, tuple[str, str], tuple[str, str]]]] = {
    "the property": (
        {"propertyName": "type"},
        {"propertyName": "kind"},
        ("Book", "Disc"),
        ("Book", "Disc"),
    ),
    "one tag": (
        {"propertyName": "kind", "mapping": {"book": "Book", "audio": "Disc"}},
        {"propertyName": "kind", "mapping": {"book": "Book", "disc": ref("Disc")["$ref"]}},
        ("book", "audio"),
        ("book", "disc"),
    ),
    "an added mapping": (
        {"propertyName": "kind", "mapping": {"book": "Book", "disc": "Disc"}},
        {"propertyName": "kind"},
        ("book", "disc"),
        ("Book", "Disc"),
    ),
    "a removed mapping": (
        {"propertyName": "kind"},
        {"propertyName": "kind", "mapping": {"book": "Book", "disc": "Disc"}},
        ("Book", "Disc"),
        ("book", "disc"),
    ),
    "tags that were exchanged": (
        {"propertyName": "kind", "mapping": {"a": "Book", "b": "Disc"}},
        {"propertyName": "kind", "mapping": {"b": "Book", "a": "Disc"}},
        ("a", "b"),
        ("b", "a"),
    ),
    "property and tags": (
        {"propertyName": "type", "mapping": {"book": "Book", "disc": "Disc"}},
        {"propertyName": "kind"},
        ("book", "disc"),
        ("Book", "Disc"),
    ),
}


def tag(now: Schema, before: Schema) -> Schema:
    """Return the properties with the tag."""
    name, old = now["propertyName"], before["propertyName"]
    renamed = {} if name == old else {"x-was": {"next": {"name": old}}}
    return {
        "type": "object",
        "required": [name],
        "properties": {name: {"type": "string", **renamed}},
    }


def union(now: Schema, before: Schema) -> dict[str, Schema]:
    history = {"discriminator": now, "x-was": {"next": {"discriminator": before}}}
    schemas: dict[str, Schema] = {"Noun": {"oneOf": [ref("Book"), ref("Disc")], **history}}
    for name, own in (("Book", "pages"), ("Disc", "minutes")):
        schemas[name] = tag(now, before)
        schemas[name]["properties"][own] = {"type": "integer"}
    return schemas


def parent(now: Schema, before: Schema) -> dict[str, Schema]:
    history = {"discriminator": now, "x-was": {"next": {"discriminator": before}}}
    return {
        "Noun": {**tag(now, before), **history},
        "Book": extending("Noun", "pages"),
        "Disc": extending("Noun", "minutes"),
    }


WAYS: Final = {"union": union, "parent": parent}


@cases(
    ("change", "way", "position"),
    [
        *product(CHANGES, WAYS, ["list"]),
        *product(["property and tags"], WAYS, POSITIONS),
    ],
)
def test_older_callers_see_and_send_the_old_discriminator(
    change: str, way: str, position: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    now, before, tags, old_tags = CHANGES[change]
    schema, filled = POSITIONS[position]
    root = tmp_path_factory.mktemp("project")
    made = api(root, WAYS[way](now, before), schema(ref("Noun")))
    assert list(check_servable(made)) == []
    down, up = make_converter(made, "down"), make_converter(made, "up")
    shown = Projector(made).contract(OLD, "production").document["components"]["schemas"]
    assert shown["Noun"]["discriminator"] == before
    for new, old in zip(tags, old_tags, strict=True):
        newest = filled({now["propertyName"]: new})
        oldest = filled({before["propertyName"]: old})
        assert down(newest) == oldest
        assert up(oldest) == newest


def test_variant_used_alone_has_the_old_tag(tmp_path: Path) -> None:
    now, before, tags, old_tags = CHANGES["property and tags"]
    made = api(tmp_path, parent(now, before), {"type": "array", "items": ref("Disc")})
    newest, oldest = [{"type": tags[1], "minutes": "3"}], [{"kind": old_tags[1], "minutes": "3"}]
    assert make_converter(made, "down")(newest) == oldest
    assert make_converter(made, "up")(oldest) == newest


def list_findings(folder: Path, schemas: dict[str, Schema]) -> list[str]:
    text = json.dumps(document(schemas, ref("Noun")))
    listed = problems(folder, {"versions.yaml": TABLE, "api.yaml": text})
    return [problem.split(": ", 1)[1] for problem in listed]


@pytest.mark.parametrize("way", WAYS)
def test_history_uses_the_names_of_its_time(way: str, tmp_path: Path) -> None:
    now, before = {"propertyName": "type"}, {"propertyName": "kind"}
    schemas = WAYS[way](now, before)
    assert list_findings(tmp_path / "right", schemas) == []
    schemas["Noun"]["x-was"]["next"]["discriminator"] = {"propertyName": "sort"}
    (wrong,) = list_findings(tmp_path / "wrong", schemas)
    assert wrong.startswith(f"discriminator-property: in {OLD}, ")
    assert "no property 'sort'" in wrong
    del schemas["Noun"]["x-was"]
    (silent,) = list_findings(tmp_path / "silent", schemas)
    assert silent.startswith(f"discriminator-property: in {OLD}, ")
    assert silent.endswith("write `x-was: {DATE: {discriminator: {propertyName: …}}}`")


def test_old_tag_must_be_valid_for_the_old_property(tmp_path: Path) -> None:
    now = {"propertyName": "kind", "mapping": {"book": "Book", "audio": "Disc"}}
    before = {"propertyName": "kind", "mapping": {"book": "Book", "disc": "Disc"}}
    schemas = union(now, before)
    schemas["Disc"]["properties"]["kind"] = {
        "const": "audio",
        "x-was": {"next": {"const": "disc"}},
    }
    assert list_findings(tmp_path / "right", schemas) == []
    schemas["Disc"]["properties"]["kind"] = {"const": "audio"}
    assert list_findings(tmp_path / "wrong", schemas) == [
        f"discriminator-tag: in {OLD}, the tag of Disc is 'disc', but its property allows "
        "'audio'; make them agree"
    ]


def test_old_mapping_must_not_name_a_member_that_was_absent(tmp_path: Path) -> None:
    mapping = {"book": "Book", "disc": "Disc"}
    schemas = union({"propertyName": "kind", "mapping": mapping}, {"propertyName": "kind"})
    del schemas["Noun"]["x-was"]
    schemas["Noun"]["oneOf"][1] = {**ref("Disc"), "x-added": "next"}
    assert list_findings(tmp_path, schemas) == []


@pytest.mark.parametrize("way", WAYS)
def test_ambiguous_conversion_of_tags_is_refused(way: str, tmp_path: Path) -> None:
    now = {"propertyName": "kind", "mapping": {"book": "Book", "novel": "Book", "disc": "Disc"}}
    before = {"propertyName": "kind", "mapping": {"text": "Book", "tale": "Book", "disc": "Disc"}}
    said = list_findings(tmp_path, WAYS[way](now, before))
    assert [each.split(":")[0] for each in said] == ["tag-without-way", "tag-without-way"]


@pytest.mark.parametrize("way", WAYS)
def test_several_tags_that_were_merged_stay_merged_on_the_way_up(way: str, tmp_path: Path) -> None:
    now = {"propertyName": "kind", "mapping": {"book": "Book", "novel": "Book", "disc": "Disc"}}
    before = {"propertyName": "kind", "mapping": {"book": "Book", "disc": "Disc"}}
    made = api(tmp_path, WAYS[way](now, before), ref("Noun"))
    assert make_converter(made, "down")({"kind": "novel"}) == {"kind": "book"}
    assert contract_data(made).data["up"]["operations"] == {}
