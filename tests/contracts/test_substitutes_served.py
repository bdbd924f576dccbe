"""Substitutes for members of a union that a version lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.thing_sources import ADOPTED, api, things

from dateline.contracts import contract_data
from dateline_runtime.narrowing import narrowings

OBJECTS = "".join(
    f"    {name}: {{ type: object, required: [kind], properties: {{ kind: "
    f"{{ const: {name}, type: string }}, size: {{ type: integer, x-was: "
    f"{{ next: {{ name: length }} }} }} }} }}\n"
    for name in "AB"
)


@pytest.mark.parametrize(
    ("substitute", "shown"),
    [
        ("{ kind: A, size: 1 }", {"kind": "A", "length": 1}),
        ("none", "none"),
        ("[7]", [7]),
    ],
    ids=["of the same type", "a string", "a list"],
)
def test_substitute_may_have_any_type_of_the_union(
    substitute: str, shown: object, tmp_path: Path
) -> None:
    gated = f"x-added: next, x-shown-as: {substitute}"
    text = things(
        f"{OBJECTS}    Thing:\n      type: object\n      required: [item]\n      properties:\n"
        "        item:\n          oneOf:\n"
        "          - $ref: '#/components/schemas/A'\n"
        f"          - {{ $ref: '#/components/schemas/B', {gated} }}\n"
        "          - { type: string }\n          - { type: array, items: { type: integer } }\n"
    )
    contracts = json.loads(json.dumps(contract_data(api(tmp_path, text, ADOPTED)).data))
    narrow = {
        version: narrowing.body("getThing", 200, "application/json")
        for version, narrowing in narrowings(contracts, "production", {}).items()
    }
    for value in ("text", [2], {"kind": "A"}):
        assert narrow["2024-01-15"]({"item": value}) == {"item": value}
    assert narrow["2024-01-15"]({"item": {"kind": "B", "size": 2}}) == {"item": shown}
    assert narrow["next"]({"item": {"kind": "B"}}) == {"item": {"kind": "B"}}
