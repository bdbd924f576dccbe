"""Equivalent spellings are no change, and near misses are."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema_rs
import pytest
import yaml
from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind
from dateline.schema.dialect import Dialect

Schema = dict[str, Any]

COMPONENTS: Final = {
    "3.1": {
        "Text": {"type": "string"},
        "Null": {"type": ["string", "null"]},
        "Loan": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
    "3.0": {
        "Text": {"type": "string"},
        "Null": {"type": "string", "nullable": True},
        "Loan": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
}
VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, 2, 5, 1.5, "", "a", "ab", "abc", "abcdef", "1", [], [1], ["a"]),
    *({}, {"a": "a"}, {"a": 1}, {"b": "a"}, {"a": "a", "b": 1}),
)
SILENT: Final = {Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED}


class Spellings(NamedTuple):
    """Schemas of one dialect with the same meaning, and others."""

    openapi: str
    same: list[Schema]
    other: list[Schema]

    def document(self, schema: Schema) -> dict[str, Any]:
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
        operation = {
            "requestBody": {"required": True, "content": content},
            "responses": {"200": {"description": "a thing", "content": content}},
        }
        schemas = {"Thing": schema, **COMPONENTS[self.openapi[:3]]}
        return {
            "openapi": self.openapi,
            "info": {"title": "Things", "version": "1"},
            "paths": {"/thing": {"put": operation}},
            "components": {"schemas": schemas},
        }

    def list_accepted(self, schema: Schema) -> list[bool]:
        """Return which of the values fit *schema*."""
        document = self.document(schema)
        modern = Dialect(document).modernize("document", document)
        whole = {"$ref": "#/components/schemas/Thing", "components": modern["components"]}
        validator = jsonschema_rs.Draft202012Validator(whole)
        return [validator.is_valid(value) for value in VALUES]

    def list_kinds(self, before: Schema, after: Schema) -> set[str]:
        """Return the kinds of the changes that are more than documentation."""
        changes = diff(self.document(before), self.document(after))
        return {str(change.kind) for change in changes if change.kind not in SILENT}


def _cases() -> list[Any]:
    listed = yaml.load(
        Path(__file__).with_name("spellings.yaml").read_text("utf-8"), yaml.CSafeLoader
    )
    return [
        pytest.param(
            Spellings(each.get("openapi", "3.1.0"), each["same"], each["other"]), id=each["it"]
        )
        for each in listed
    ]


@cases("spellings", _cases())
def test_equivalent_spellings_are_no_change(spellings: Spellings) -> None:
    for before, after in permutations(spellings.same, 2):
        assert spellings.list_accepted(before) == spellings.list_accepted(after), (before, after)
        assert spellings.list_kinds(before, after) == set(), (before, after)


@cases("spellings", _cases())
def test_near_misses_are_changes(spellings: Spellings) -> None:
    for same in spellings.same:
        for other in spellings.other:
            assert spellings.list_accepted(same) != spellings.list_accepted(other), (same, other)
            assert spellings.list_kinds(same, other) != set(), (same, other)
            assert spellings.list_kinds(other, same) != set(), (other, same)


@pytest.mark.parametrize("access", ["readOnly", "writeOnly"])
def test_field_required_in_one_direction_may_still_be_needed(access: str) -> None:
    spellings = Spellings("3.1.0", [], [])
    fields = {"a": {"type": "string"}, "b": {"type": "string", access: True}}
    free = {"type": "object", "required": ["b"], "properties": fields}
    needed = {**free, "dependentRequired": {"a": ["b"]}}
    for before, after in permutations([free, needed], 2):
        assert spellings.list_kinds(before, after) != set()
