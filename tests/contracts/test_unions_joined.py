"""Requests that are valid for several members of an `anyOf` keep what each of them knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.narrowed import Law
from support.tables import cases
from support.thing_sources import ADOPTED, api, taking

GROWN = """
      anyOf:
        - { type: object, properties: { d: STRING, b: { type: integer, x-added: 2025-06-01 } } }
        - { type: object, required: [b, d], properties: { b: STRING, d: STRING }, GONE }
"""
BESIDE = """
      type: object
      properties: { b: { type: integer, x-added: 2025-06-01 } }
      anyOf:
        - { type: object, required: [a], properties: { a: STRING } }
        - { type: object, required: [b], properties: { b: STRING }, GONE }
        - { type: object, required: [c], properties: { c: STRING } }
"""
THREE = """
      anyOf:
        - { type: object, properties: { b: NEW, c: NEW } }
        - { type: object, required: [b], properties: { b: STRING }, GONE }
        - { type: object, required: [c], properties: { c: STRING }, GONE }
"""
RENAMED = """
      anyOf:
        - { type: object, properties: { b: { type: string, x-was: { 2025-06-01: { name: a } } } } }
        - { type: object, required: [c], properties: { c: STRING } }
"""
HOLDERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "itself": ("THING", lambda value: value),
    "allOf": ("{ allOf: [THING] }", lambda value: value),
    "list": ("{ type: array, items: THING }", lambda value: [value, {}, value]),
    "map": ("{ type: object, additionalProperties: THING }", lambda value: {"m": value}),
}
REQUESTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (GROWN, {"b": "x", "d": "y"}, {"b": "x", "d": "y"}),
    (GROWN, {"b": "x", "d": "y", "e": 1}, {"b": "x", "d": "y", "e": 1}),
    (GROWN, {"b": "x"}, {}),
    (GROWN, {"b": 1, "d": "y"}, {"d": "y"}),
    (BESIDE, {"a": "x", "b": "y"}, {"a": "x", "b": "y"}),
    (BESIDE, {"a": "x", "b": 1}, {"a": "x"}),
    (BESIDE, {"a": "x", "b": "y", "c": "z"}, {"a": "x", "b": "y", "c": "z"}),
    (BESIDE, {"b": 1, "c": "z"}, {"c": "z"}),
    (THREE, {"b": "x", "c": "y"}, {"b": "x", "c": "y"}),
    (THREE, {"b": "x", "c": 1}, {"b": "x"}),
    (THREE, {"b": 1, "c": "y"}, {"c": "y"}),
    (THREE, {"b": 1, "c": 1}, {}),
    (RENAMED, {"a": "x", "c": "y"}, {"b": "x", "c": "y"}),
]


@cases("holder", HOLDERS)
@cases(("union", "sent", "taken"), REQUESTS)
def test_request_keeps_the_fields_of_each_member_that_it_fits(
    union: str, sent: dict[str, Any], taken: dict[str, Any], holder: str, tmp_path: Path
) -> None:
    schema, hold = HOLDERS[holder]
    union = union.replace("STRING", "{ type: string }").replace("GONE", "x-removed: 2025-06-01")
    union = union.replace("NEW", "{ type: integer, x-added: 2025-06-01 }")
    outer = schema.replace("THING", "{ $ref: '#/components/schemas/Union' }")
    schemas = f"    Union:{union}    Thing: {outer}"
    law = Law(api(tmp_path, taking(schemas), ADOPTED))
    for version, expected in (("2024-09-01", taken), ("2025-06-01", None)):
        lift = law.up["production"][version].body("addThing", "application/json")
        given = hold(sent)
        assert lift(json.loads(json.dumps(given))) == hold(sent if expected is None else expected)
