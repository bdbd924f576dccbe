"""Variants of sampled values with what is rare."""

from __future__ import annotations

import copy
from typing import Any

from dateline.sample import Sampler


def test_variants_fit_and_contain_what_is_rare() -> None:
    text = {"type": "string"}
    properties = {
        "kept": text,
        "name": {"type": ["string", "null"], "pattern": "^[a-z]+$"},
        "cents": {"type": "integer", "maximum": 5},
        "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}},
        "share": {"type": "number", "exclusiveMinimum": 0},
        "flag": {"type": "boolean"},
    }
    tag = {"type": "object", "required": ["a"], "properties": {"a": text, "b": text}}
    sampler = Sampler({"openapi": "3.1.0", "components": {"schemas": {"Tag": tag}}})
    schema = {
        "type": "object",
        "required": ["kept", "cents"],
        "properties": properties,
        "dependentRequired": {"flag": ["tags"]},
    }
    found: set[str] = set()
    for number in range(60):
        value = sampler.value(schema, f"value {number}")
        before = copy.deepcopy(value)
        varied = sampler.vary(schema, value, f"value {number}")
        assert (value, sampler.find_defect(schema, varied)) == (before, None)
        assert varied == sampler.vary(schema, value, f"value {number}")
        found |= {f"no {name}" for name in properties.keys() - varied.keys()}
        found |= {f"{name} {each!r}" for name, each in varied.items() if each in (None, 0, "", [])}
        found |= {"negative" for name in ("cents", "share") if varied.get(name, 0) < 0}
        found |= {"no b" for each in varied.get("tags", []) if "b" not in each}
    found -= {"flag False"}
    absent = {"no name", "no tags", "no share", "no flag", "no b"}
    assert found == absent | {"kept ''", "name None", "cents 0", "negative", "tags []"}
    assert [sampler.vary(each, "x", "any") for each in (True, dict[str, Any]())] == ["x", "x"]
    assert {sampler.vary(text, "x", str(number)) for number in range(9)} == {"x", ""}


def test_variants_of_values_with_shared_parts() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"a": {}, "b": {}}}}
    shared = {"a": 1, "b": {"c": 1}}
    sampler = Sampler({"openapi": "3.1.0"})
    for number in range(20):
        varied = sampler.vary(schema, [shared] * 3, str(number))
        assert sampler.find_defect(schema, varied) is None
    assert shared == {"a": 1, "b": {"c": 1}}
