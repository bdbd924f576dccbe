"""Values that published documents have in place of a schema may differ between versions."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import read_back, store
from support.commands import dateline

from dateline.adopt import adopt
from dateline.oddities import show_oddities

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


def document(value: Any, *, in_property: bool, used: bool) -> Document:
    whole: Document = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schemas: Document = {"Whole": whole}
    holder = whole["properties"] if in_property else schemas
    if value is not GONE:
        holder["Odd"] = value
        if used and not in_property:
            whole["properties"]["odd"] = {"$ref": "#/components/schemas/Odd"}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Whole"}}}
    responses = {"200": {"description": "one", "content": content}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "responses": responses}}},
        "components": {"schemas": schemas},
    }


@pytest.mark.parametrize("place", ["property", "component", "used component"])
@pytest.mark.parametrize(("older", "newer"), PAIRS)
def test_any_value_in_place_of_a_schema_round_trips(
    place: str, older: str, newer: str, tmp_path: Path
) -> None:
    documents = [
        document(VALUES[each], in_property=place == "property", used=place == "used component")
        for each in (older, newer)
    ]
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: False)
    shown = read_back(tmp_path / "schemas")
    # the order of keys may differ, and 1, 1.0 and true are distinct
    assert [json.dumps(each, sort_keys=True) for each in shown] == [
        json.dumps(each, sort_keys=True) for each in documents
    ]


@pytest.mark.parametrize(("older", "newer"), [pair for pair in PAIRS if "a number" in pair])
def test_any_value_in_place_of_a_schema_is_generated_and_passes_the_next_check(
    older: str, newer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [document(VALUES[each], in_property=False, used=True) for each in (older, newer)]
    monkeypatch.chdir(tmp_path)
    arguments = store(tmp_path, documents)
    adopt(arguments, tmp_path / "schemas", accept=lambda _: False)
    assert dateline("generate").status == 0
    shutil.copytree(tmp_path / "generated", tmp_path / "released")
    outcome = dateline("check", "--against", "released", "--format", "json")
    assert (outcome.status, json.loads(outcome.out)["changes"]) == (0, [])
    for argument in arguments:
        date, _, file = argument.partition("=")
        spec = tmp_path / f"generated/spec/production/{date}.json"
        assert dateline("diff", file, str(spec), "--format", "json").status == 0


@pytest.mark.parametrize("key", [[], [True], [{}], [True, True], 1, None, {"a": 1}, "text"])
def test_missing_component_is_not_published(key: object) -> None:
    schema = {"type": "string", "x-published-schema": key}
    found = show_oddities({"components": {"schemas": {"A": schema}}})
    assert found == {"components": {"schemas": {"A": {"type": "string"}}}}
