"""How contract data distinguish members of a union, and which keywords they don't support."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from support.tables import cases
from support.thing_sources import ADOPTED, GATED, api, down, taking, things, up

from dateline.contracts import contract_data

# Unions


PETS = """\
    Pet:
      type: object
      required: [kind]
      properties: { kind: { type: string }, name: { type: string, x-added: next } }
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat' } }
    Cat:
      allOf:
        - $ref: '#/components/schemas/Pet'
        - { type: object, properties: { lives: { type: integer, x-removed: 2024-09-01 } } }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }] }"""


def test_tag_selects_heirs_of_a_parent_without_a_union(tmp_path: Path) -> None:
    found = down(api(tmp_path, things(PETS, "$ref: '#/components/schemas/Pet'")))
    assert found["Pet"]["2024-01-15"] == {
        "tag": "kind",
        "members": {"Dog": "Dog", "cat": "Cat"},
        "otherwise": {"left_out": ["name"]},
    }
    assert found["Cat"] == {
        "2024-01-15": {"left_out": ["name"]},
        "2024-09-01": {"left_out": ["lives", "name"]},
        "next": {"left_out": ["lives"]},
    }


@cases("key, gate", [("anyOf", ""), ("anyOf", ", x-removed: next"), ("oneOf", ", x-removed: next")])
def test_object_of_an_absent_member_is_shown_without_its_fields(
    tmp_path: Path, key: str, gate: str
) -> None:
    schemas = """\
    B: { type: object, properties: { a: { type: string } } }
    C: { type: object, properties: { a: { type: string }, b: { type: string } } }"""
    older, newer = (f"{{ $ref: '#/components/schemas/{name}'" for name in "BC")
    around = f"{key}: [{older}{gate} }}, {newer}, x-added: next }}, {{ type: 'null' }}]"
    found = down(api(tmp_path, things(schemas, around), ADOPTED))["getThing/200/application/json"]
    assert found["2024-01-15"]["types"]["object"]["tried"] == [
        {"schema": {"$ref": "#/components/schemas/B"}, "then": {"left_out": ["b"]}},
        {"schema": {"$ref": "#/components/schemas/C"}, "then": {"absent": True}},
    ]


MEMBERS = """\
    A: { type: object, required: [kind], properties: { kind: { const: A, type: string } } }
    B: { type: object, required: [kind], properties: { kind: { const: B, type: string } } }
    C: { type: object, properties: { c: { type: string } } }"""


REFERENCE: Final = "$ref: '#/components/schemas/D'"


@cases(
    "member, kind, more, tags",
    [
        ("B", "const: B, type: string", "", "B"),
        ("B", REFERENCE, "    D: { const: d }", "d"),
        ("B", REFERENCE, "    D: { enum: [d, e] }", "de"),
        ("B", REFERENCE, "    D: { $ref: '#/components/schemas/E' }\n    E: { const: e }", "e"),
        ("D", "const: B", "    D: { oneOf: [{ $ref: '#/components/schemas/B' }] }", "B"),
    ],
)
def test_members_without_a_discriminator_are_distinguished_by_their_values(
    tmp_path: Path, member: str, kind: str, more: str, tags: str
) -> None:
    around = (
        "oneOf: [{ $ref: '#/components/schemas/A' }, "
        f"{{ $ref: '#/components/schemas/{member}', x-added: next }}]"
    )
    members = MEMBERS.replace("const: B, type: string", kind) + f"\n{more}"
    found = down(api(tmp_path, things(members, around), ADOPTED))
    assert found["getThing/200/application/json"] == {
        "2024-01-15": {
            "tag": "kind",
            "members": {"A": None, **{tag: {"absent": True} for tag in tags}},
        },
        "next": None,
    }


def test_indistinguishable_members_are_reported_with_their_schemas(tmp_path: Path) -> None:
    around = (
        "anyOf: [{ $ref: '#/components/schemas/C', x-added: next }, "
        "{ $ref: '#/components/schemas/A' }]"
    )
    found = down(api(tmp_path, things(MEMBERS, around), ADOPTED))
    tried = [
        # members that a version lacks come last, and others are shown without their fields
        {"schema": {"$ref": "#/components/schemas/A"}, "then": {"left_out": ["c"]}},
        {"schema": {"$ref": "#/components/schemas/C"}, "then": {"absent": True}},
    ]
    assert found["getThing/200/application/json"] == {"2024-01-15": {"tried": tried}, "next": None}


def test_result_of_a_one_of_fits_one_member_at_the_version_too(tmp_path: Path) -> None:
    around = "oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/C' }]"
    gated = MEMBERS.replace("c: { type: string }", "c: { type: string, x-added: next }")
    found = down(api(tmp_path, things(gated, around), ADOPTED))
    members = [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/C"}]
    assert found["getThing/200/application/json"] == {
        "2024-01-15": {
            "tried": [
                {"schema": members[0], "then": None},
                {"schema": members[1], "then": "C"},
            ],
            "fits": {"oneOf": members},
        },
    }


@pytest.mark.parametrize("required", ["required: [kind], ", ""])
def test_optional_tag_does_not_distinguish_members(tmp_path: Path, required: str) -> None:
    around = (
        "anyOf: [{ $ref: '#/components/schemas/A' }, "
        "{ $ref: '#/components/schemas/B', x-added: next }]"
    )
    members = MEMBERS.replace("required: [kind], ", required)
    [shape, _] = down(api(tmp_path, things(members, around), ADOPTED))[
        "getThing/200/application/json"
    ].values()
    assert ("tag" in shape, "tried" in shape) == (bool(required), not required)


def test_request_members_are_reported_with_the_schemas_of_the_callers_version(
    tmp_path: Path,
) -> None:
    text = """\
    Thing:
      anyOf:
        - type: object
          required: [a]
          properties: { a: { type: string, x-was: { next: { name: old } } } }
        - { type: object, required: [b], properties: { b: { type: string } } }"""
    shape = up(api(tmp_path, taking(text), ADOPTED))["Thing"]["2024-01-15"]
    assert shape == {
        "tried": [
            {
                "schema": {
                    "type": "object",
                    "required": ["old"],
                    "properties": {"old": {"type": "string"}},
                },
                "then": {"left_out": ["a"], "names": {"old": "a"}},
            },
            {
                "schema": {
                    "type": "object",
                    "required": ["b"],
                    "properties": {"b": {"type": "string"}},
                },
                "then": None,
            },
        ]
    }


def test_indistinguishable_members_may_be_equal_in_all_versions(tmp_path: Path) -> None:
    around = "oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/C' }]"
    assert down(api(tmp_path, things(MEMBERS, around), ADOPTED)) == {}


def test_gate_below_an_unsupported_keyword_needs_a_converter(
    tmp_path: Path,
) -> None:
    text = f"    Thing: {{ type: object, patternProperties: {{ '^x': {{ {GATED} }} }} }}"
    found = api(tmp_path, things(text), ADOPTED)

    def holding(properties: dict[str, Any]) -> dict[str, Any]:
        held = {"type": "object", **properties}
        return {"type": "object", "patternProperties": {"^x": held}}

    newest = holding({"properties": {"new": {"type": "string"}}})
    assert contract_data(found).data["converters"] == {
        "Thing": {
            "place": "Thing",
            "reason": "what is below `patternProperties/^x` differs between versions",
            "kind": "schema",
            "passes_null": False,
            "newer": newest,
            "older": [
                {"since": "2024-01-15", "schema": holding({})},
                {"since": "next", "schema": newest},
            ],
            "down": True,
            "up": False,
        }
    }
    assert down(found)["Thing"] == {
        "2024-01-15": {"demand": "Thing", "where": [{"left_out": ["new"]}]},
        "next": None,
    }


@pytest.mark.parametrize(
    ("keyword", "types"),
    [
        ("not: { GATED }", "type: object"),
        ("contains: { GATED }", "type: array"),
        ("prefixItems: [{ GATED }]", "type: array"),
        ("if: { GATED }", "type: object"),
        ("propertyNames: { maxLength: 9, x-was: { next: { maxLength: 4 } } }", "type: object"),
    ],
)
def test_unsupported_keywords_are_reported(tmp_path: Path, keyword: str, types: str) -> None:
    text = f"    Thing: {{ {types}, {keyword.replace('GATED', GATED)} }}"
    [converter] = contract_data(api(tmp_path, things(text), ADOPTED)).data["converters"].values()
    assert (converter["place"], "reason" in converter) == ("Thing", True)
