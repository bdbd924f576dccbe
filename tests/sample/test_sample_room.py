"""A part that is too large in one place of a sample may fit in another."""

from __future__ import annotations

from typing import Any

from support.modelling import document
from support.tables import cases

from dateline.sample import Sampler

MANY: dict[str, Any] = {"type": "array", "minItems": 4, "items": {"type": "string"}}

WIDE: dict[str, Any] = {
    "object": {
        "type": "object",
        "required": [*"abcd"],
        "properties": {name: {"type": "string"} for name in "abcd"},
    },
    "list": MANY,
    "union": {"oneOf": [MANY, {**MANY, "minItems": 5}]},
    "intersection": {"allOf": [MANY]},
    "reference": {"$ref": "#/components/schemas/Many"},
    "object around it": {"type": "object", "required": ["b"], "properties": {"b": MANY}},
}


@cases("names", [["deep", "wide"], ["wide", "deep"]])
@cases("wide", WIDE)
def test_part_too_large_in_one_place_has_a_value_in_another(wide: str, names: list[str]) -> None:
    schema = {"$ref": "#/components/schemas/Wide"}
    many = {"type": "array", "minItems": 100}
    fields = {"deep": {**many, "items": {**many, "items": schema}}, "wide": schema}
    whole = {
        "type": "object",
        "required": ["wide"],
        "properties": {name: fields[name] for name in names},
    }
    around = {"type": "object", "required": ["a"], "properties": {"a": WIDE[wide]}}
    sampler = Sampler(document({"Many": MANY, "Wide": around, "Whole": whole}), 0)
    made = sampler.value({"$ref": "#/components/schemas/Whole"}, "whole")
    assert [*made] == ["wide"]
    assert len(made["wide"]["a"]) >= 4 or [*made["wide"]["a"]] == ["b"]


def require(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": ["a"], "properties": {"a": field}}


NAMED: dict[str, Any] = {"$ref": "#/components/schemas/Named"}


@cases(
    "field, is_null",
    [
        ({**NAMED, "nullable": True}, False),
        ({"anyOf": [NAMED], "nullable": True}, True),
        # it ends with null one level below
        ({"$ref": "#/components/schemas/Circle", "nullable": True}, False),
    ],
)
def test_null_beside_a_reference_is_the_last_choice_also_without_room(
    field: dict[str, Any], is_null: bool
) -> None:
    many = {"type": "array", "minItems": 25}
    whole = {**many, "items": {**many, "items": require(field)}}
    schemas = {"Named": require({"type": "string"}), "Circle": require(field)}
    sampler = Sampler(document(schemas, "3.0.3"), 0)
    assert (sampler.value(whole, "whole")[0][0]["a"] is None) is is_null
