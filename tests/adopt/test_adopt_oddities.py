"""Oddities of published documents are preserved, noted and served."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import read_back, store
from support.adopted_projects import adopt_project
from support.copies import copy_plain
from support.odd_documents import CASES, EVERY_OBJECT, SOUND, adds_only, edit
from support.seeds import scale
from support.sources import LIBRARY, folder
from support.tables import cases

from dateline.adopt import adopt
from dateline.load import load
from dateline.model import SourceError
from dateline.oddities import keep_oddities, show_oddities
from dateline.openapi import OBJECTS, walk
from dateline.render import render

HOUSE = {"array-without-items"}


@cases("case", CASES, ids=[case["oddity"] for case in CASES])
def test_oddity_with_one_meaning_is_kept_and_noted(tmp_path: Path, case: dict[str, Any]) -> None:
    document = edit(copy_plain(SOUND), case)
    adoption = adopt(store(tmp_path, [document]), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal"]
    shown = read_back(tmp_path / "schemas")
    assert json.dumps(shown, sort_keys=True) == json.dumps([document], sort_keys=True)
    assert {note.what for note in adoption.house_rules} - HOUSE == {*case["noted"]}


def test_all_oddities_in_one_document_are_generated_and_imported(tmp_path: Path) -> None:
    document = copy_plain(SOUND)
    for case in CASES:
        if adds_only(document, case):
            edit(document, case)
    root = adopt_project(tmp_path, document, "library")
    shown = json.loads((root / "generated/spec/production/2024-01-15.json").read_text("utf-8"))
    assert json.dumps(shown, sort_keys=True) == json.dumps(document, sort_keys=True)
    code = "import library.server, library.v2024_01_15"
    subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=root / "generated/python", check=True
    )


def test_oddity_is_published_until_its_meaning_changes() -> None:
    schema = {"type": "string", "maxLength": "9", "description": None}
    document = {**copy_plain(SOUND), "components": {"schemas": {"Name": schema}}}
    kept = keep_oddities(document)
    assert kept["components"]["schemas"]["Name"] == {
        "type": "string",
        "maxLength": 9,
        "x-published-maxLength": "9",
        "x-published-description": None,
    }
    assert json.dumps(show_oddities(kept)) == json.dumps(document)
    kept["components"]["schemas"]["Name"] |= {"maxLength": 5, "description": "A name."}
    assert show_oddities(kept)["components"]["schemas"]["Name"] == {
        "type": "string",
        "maxLength": 5,
        "description": "A name.",
    }
    assert keep_oddities(SOUND) is SOUND


def test_values_of_an_open_ended_enumeration_are_edited() -> None:
    state = {"type": "string", "enum": ["open"], "x-extensible-enum": True}
    kept = keep_oddities({**SOUND, "components": {"schemas": {"State": state}}})
    found = kept["components"]["schemas"]["State"]
    assert found["x-extensible-enum"] == ["open"]
    assert "enum" not in found
    found["x-extensible-enum"] = ["open", "lost"]
    shown = show_oddities(kept)["components"]["schemas"]["State"]
    assert shown == {**state, "enum": ["open", "lost"]}


VALUES: tuple[Any, ...] = (
    *(None, True, 7, -1.5, "", "text", "7", "true", [], {}, ["text"], [None], [7], [{}]),
    *({"a": None}, {"a": "text"}, {"a": {}}, {"a": 7}, {"$ref": None}, {"$ref": "#/components"}),
)
STEP = 1 if scale(4) == 4 else len(VALUES)
"""Each key is tried with one value, keys with the next one in turn, or with all."""


# The keywords of a schema, and the values that its enumeration allows.
LISTED: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "numbers in texts": (
        {"type": "string", "enum": [1, 2.5, True, "a"]},
        ["1", "2.5", "true", "a"],
    ),
    "one in both spellings": ({"type": "string", "enum": [1, "1", 2, 2]}, ["1", "2"]),
    "null among texts": ({"type": ["string", "null"], "enum": [1, None]}, ["1", None]),
    "lists among texts": ({"type": "string", "enum": [[1], {"a": 1}]}, [[1], {"a": 1}]),
    "texts in integers": ({"type": "integer", "enum": ["1", "1.5", "a"]}, [1, "1.5", "a"]),
    "texts in numbers": ({"type": "number", "enum": ["1.5", "1", 1]}, [1.5, 1]),
    "texts in truth values": ({"type": "boolean", "enum": ["true", "0", True]}, [False, True]),
    "texts of the type": ({"type": "string", "enum": ["1", "1"]}, ["1", "1"]),
    "several types": ({"type": ["string", "integer"], "enum": [1, "2"]}, [1, "2"]),
    "no type": ({"enum": [1, "2"]}, [1, "2"]),
    "a list": ({"type": "array", "enum": ["1"]}, ["1"]),
}


@cases("name", LISTED)
def test_enum_values_are_converted_to_the_adjacent_type(name: str) -> None:
    schema, meant = LISTED[name]
    for keywords in (schema, {**schema, "format": "date"}):
        document = {**SOUND, "components": {"schemas": {"State": keywords}}}
        kept = keep_oddities(document)
        found = kept["components"]["schemas"]["State"]
        assert json.dumps(found["enum"]) == json.dumps(meant)
        # strings in place of numbers don't match the format
        is_free = name in ("numbers in texts", "one in both spellings", "null among texts")
        assert ("format" in found) is ("format" in keywords and not is_free)
        assert json.dumps(show_oddities(kept)) == json.dumps(document)
        found["enum"] = ["new"]
        shown = show_oddities(kept)["components"]["schemas"]["State"]
        assert shown["enum"] == ["new"]


def test_constant_is_converted_to_the_adjacent_type() -> None:
    for schema, meant in (
        ({"type": "string", "const": 1, "format": "date"}, {"type": "string", "const": "1"}),
        ({"type": "integer", "const": "1"}, {"type": "integer", "const": 1}),
        ({"type": "boolean", "const": "false"}, {"type": "boolean", "const": False}),
    ):
        document = {**SOUND, "components": {"schemas": {"State": schema}}}
        kept = keep_oddities(document)
        found = kept["components"]["schemas"]["State"]
        assert {key: found[key] for key in found if not key.startswith("x-")} == meant
        assert json.dumps(show_oddities(kept)) == json.dumps(document)


@cases("kind", sorted(OBJECTS))
def test_any_value_of_any_key_round_trips(kind: str) -> None:
    for at, key in enumerate(OBJECTS[kind]):
        for value in VALUES[at % STEP :: STEP]:
            document = copy_plain(EVERY_OBJECT)
            for node in [node for _, found, node in walk("document", document) if found == kind]:
                node[key.replace("*", "/any")] = value
                if kind == "schema" and key in ("enum", "const", "format"):
                    node |= {"type": "string", "format": "date", key: value}
            published = json.dumps(document, sort_keys=True)
            shown = show_oddities(keep_oddities(document))
            assert json.dumps(shown, sort_keys=True) == published, (key, value)


def test_document_contains_each_kind_of_object() -> None:
    assert {kind for _, kind, _ in walk("document", EVERY_OBJECT)} == {*OBJECTS}


@cases("said", [["a", "b"], None, 7, "Loans."])
def test_end_is_announced_whatever_the_description_is(tmp_path: Path, said: Any) -> None:
    document = copy_plain(SOUND)
    document["info"]["description"] = said
    adopt(store(tmp_path, [document, document]), tmp_path / "schemas")
    table = tmp_path / "schemas" / "versions.yaml"
    oldest, newest = load(tmp_path / "schemas").table.dates
    end = f"{{ ends: {oldest}, from: 2030-01-01, announced: 2026-01-01 }}"
    text = table.read_text().replace(f"default: {oldest}", f"default: {newest}")
    table.write_text(f"{text}announcements: [{end}]\n")
    ending, lasting = (shown["info"] for shown in read_back(tmp_path / "schemas"))
    sentence = "This version ends on 2030-01-01, as announced on 2026-01-01."
    words = {"Loans.": f"Loans.\n\n{sentence}", 7: f"7\n\n{sentence}"}
    assert ending["description"] == words.get(said if isinstance(said, str | int) else "", sentence)
    assert lasting["description"] == said


NUMBERS = {
    "openapi: 3.0": "3.0",
    "openapi: 3.1": "3.1",
    "openapi: 3.2": "3.2",
    "openapi: 3.0.3": "3.0.3",
    "openapi: '3.0'": "3.0",
}


@cases("line", NUMBERS)
def test_versions_may_be_numbers(tmp_path: Path, line: str) -> None:
    document = tmp_path / "library.yaml"
    document.write_text(f"{line}\ninfo: {{ title: Library, version: 1.0 }}\npaths: {{}}\n")
    adopt((f"2024-01-15={document}",), tmp_path / "schemas")
    assert load(tmp_path / "schemas").document["openapi"] == NUMBERS[line]
    (shown,) = read_back(tmp_path / "schemas")
    assert shown == yaml.safe_load(document.read_text())


def test_authored_versions_are_strings(tmp_path: Path) -> None:
    numbers = (
        LIBRARY["api.yaml"].replace("3.1.0", "3.1").replace("version: canonical", "version: 1.0")
    )
    schemas = folder(tmp_path, {**LIBRARY, "api.yaml": numbers})
    with pytest.raises(SourceError) as caught:
        load(schemas)
    assert [one.id for one in caught.value.problems] == ["wrong-type", "wrong-type"]


@pytest.mark.parametrize("is_older", [True, False], ids=["older", "newer"])
def test_null_in_a_schema_of_one_version_is_compared_and_explained(
    tmp_path: Path, is_older: bool
) -> None:
    odd, sound = copy_plain(SOUND), copy_plain(SOUND)
    for number, key in enumerate(key for key in OBJECTS["schema"] if key != "$ref"):
        for each, more in ((odd, {key.replace("*", "/any"): None}), (sound, {})):
            schemas = each["components"]["schemas"]
            schemas[f"Cat{number}"] = copy_plain(schemas["Cat"]) | more
    documents = [odd, sound] if is_older else [sound, odd]
    adoption = adopt(store(tmp_path, documents), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal", "equal"]
    assert render(load(tmp_path / "schemas"), models=False, validate=False).artifacts
