"""Values that published documents have in place of a schema may differ between versions."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.adopted_apis import read_back, store
from support.commands import dateline
from support.tables import cases

from dateline.adopt import adopt
from dateline.oddities import show_oddities, wrap_schemas

Document = dict[str, Any]

GONE: Any = ...

VALUES: dict[str, Any] = {
    "an object": {"type": "object"},
    "any": {},
    "a number": 7,
    "another number": 1.0,
    "a text": "x",
    "null": None,
    "a list": [1],
    "an empty list": [],
    "true": True,
    "false": False,
    "nothing": GONE,
}

PAIRS = list(itertools.permutations(VALUES, 2))


def make_documents(place: str) -> list[Document]:
    """Return two documents with a name for each pair of values, which have them in *place*."""
    return [make_document([VALUES[pair[side]] for pair in PAIRS], place) for side in (0, 1)]


def make_document(values: list[Any], place: str) -> Document:
    whole: Document = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schemas: Document = {"Whole": whole}
    holder = whole["properties"] if place == "property" else schemas
    for number, value in enumerate(values):
        if value is not GONE:
            holder[f"Odd{number}"] = value
            if place == "used component":
                reference = {"$ref": f"#/components/schemas/Odd{number}"}
                whole["properties"][f"odd{number}"] = reference
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Whole"}}}
    responses = {"200": {"description": "one", "content": content}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "responses": responses}}},
        "components": {"schemas": schemas},
    }


@pytest.mark.parametrize("place", ["property", "component", "used component"])
def test_any_value_in_place_of_a_schema_round_trips(place: str, tmp_path: Path) -> None:
    documents = make_documents(place)
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: False)
    shown = read_back(tmp_path / "schemas")
    # the order of keys may differ, and 1, 1.0 and true are distinct
    assert [json.dumps(each, sort_keys=True) for each in shown] == [
        json.dumps(each, sort_keys=True) for each in documents
    ]


def test_any_value_in_place_of_a_schema_is_generated_and_passes_the_next_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = store(tmp_path, make_documents("used component"))
    adopt(arguments, tmp_path / "schemas", accept=lambda _: False)
    assert dateline("generate").status == 0
    shutil.copytree(tmp_path / "generated", tmp_path / "released")
    outcome = dateline("check", "--against", "released", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["changes"]) == (0, [])
    for argument in arguments:
        date, _, file = argument.partition("=")
        spec = tmp_path / f"generated/spec/production/{date}.json"
        assert dateline("diff", file, str(spec), "--format", "json").status == 0


@cases("value", [value for value in VALUES.values() if value is not GONE], ids=str)
def test_component_that_is_no_object_keeps_its_meaning(value: Any) -> None:
    document = {"components": {"schemas": {"A": value}}}
    wrapped = wrap_schemas(document, ["A"])
    schema = wrapped["components"]["schemas"]["A"]
    # anything but a schema allows any value
    assert jsonschema_rs.is_valid(schema, {}) == (value is not False)
    assert json.dumps(show_oddities(wrapped)) == json.dumps(document)


@cases("key", [[], [True], [{}], [True, True], 1, None, {"a": 1}, "text"])
def test_missing_component_is_not_published(key: object) -> None:
    schema = {"type": "string", "x-published-schema": key}
    found = show_oddities({"components": {"schemas": {"A": schema}}})
    assert found == {"components": {"schemas": {"A": {"type": "string"}}}}
