"""Contract data of keyword combinations that are easily mistaken for simpler ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from support.sources import API, loaded
from support.tables import cases
from support.thing_sources import ADOPTED, api, down, taking, things, up

GATED: Final = "{ type: object, properties: { g: { type: string, x-added: next } } }"
OTHER: Final = f"    Other: {GATED}\n"
LACKING: Final = {"left_out": ["g"]}


def variant(name: str, tag: str, *more: str) -> str:
    """Return a component with a constant *tag* and its name in lower case as text."""
    fields = ", ".join([f"{tag}: {{ const: {name.lower()} }}", *more])
    return f"    {name}: {{ type: object, required: [{tag}], properties: {{ {fields} }} }}\n"


VARIANTS: Final = "".join(
    [
        variant("A", "k", "g: { type: string, x-added: next }"),
        variant("B", "k"),
        variant("C", "l", "h: { type: string, x-added: next }"),
        variant("D", "l"),
    ]
)


def union(keyword: str, *names: str) -> str:
    members = ", ".join(f"{{ $ref: '#/components/schemas/{name}' }}" for name in names)
    return f"{keyword}: [{members}]"


REFERENCES: Final = [{"$ref": f"#/components/schemas/{name}"} for name in "AB"]
NARROWED: Final[dict[str, tuple[str, Any]]] = {
    "a reference is the node of its target": (
        f"{OTHER}    Thing: {{ $ref: '#/components/schemas/Other' }}",
        "Other",
    ),
    "a reference to a part of a component": (
        f"    Other: {{ type: object, properties: {{ p: {GATED} }} }}\n"
        "    Thing: { type: object, properties: "
        "{ q: { $ref: '#/components/schemas/Other/properties/p' } } }",
        {"fields": {"q": LACKING}},
    ),
    "a constraint on the items beside a reference": (
        f"    Other: {{ type: array, items: {GATED} }}\n"
        "    Thing: { $ref: '#/components/schemas/Other', uniqueItems: true }",
        {"items": LACKING, "unique": True},
    ),
    "a required field beside a reference": (
        f"{OTHER}    Thing: {{ $ref: '#/components/schemas/Other', required: [g] }}",
        {
            "then": LACKING,
            "fits": {"required": ["g"], "$ref": "#/components/schemas/Other"},
        },
    ),
    "two unions of one value": (
        f"{VARIANTS}    Thing: {{ {union('oneOf', 'A', 'B')}, {union('anyOf', 'C', 'D')} }}",
        {
            "tag": "k",
            "members": {
                "a": {"tag": "l", "members": {"c": {"left_out": ["g", "h"]}, "d": LACKING}},
                "b": {"tag": "l", "members": {"c": {"left_out": ["h"]}, "d": None}},
            },
        },
    ),
    "a keyword for objects beside texts": (
        f"    Thing: {{ type: [object, string], patternProperties: {{ '^a': {GATED} }} }}",
        {"types": {"string": None, "object": {"demand": "Thing", "where": [LACKING]}}},
    ),
    "conditional keywords for objects beside texts": (
        f"    Thing: {{ type: [object, string], dependentSchemas: {{ a: {GATED} }} }}",
        {"types": {"string": None, "object": {"demand": "Thing", "where": [LACKING]}}},
    ),
    "a dynamic reference to one of several schemas": (
        f"""\
{OTHER}    Any: {{ $dynamicAnchor: item }}
    Third: {{ $dynamicAnchor: item, $ref: '#/components/schemas/Other' }}
    Thing: {{ type: array, items: {{ type: object, $dynamicRef: '#item' }} }}""",
        {"items": {"demand": "Thing[]", "where": ["Other"]}},
    ),
    "a dynamic reference to schemas without a difference": (
        f"""\
    Any: {{ $dynamicAnchor: item }}
    Other: {{ $dynamicAnchor: item, type: string }}
    Thing: {{ allOf: [{GATED}], properties: {{ h: {{ $dynamicRef: '#item' }} }} }}""",
        LACKING,
    ),
    "subtypes of a schema that had no discriminator": (
        f"""\
    Thing:
      type: object
      required: [k]
      properties: {{ k: {{ type: string }} }}
      discriminator: {{ propertyName: k }}
      x-was: {{ next: {{ discriminator: null }} }}
    Cat: {{ allOf: [{{ $ref: '#/components/schemas/Thing' }}, {GATED}] }}""",
        {"tag": "k", "members": {"Cat": "Cat"}, "otherwise": None},
    ),
    "a union that only older versions have tags for": (
        f"""\
    A: {{ type: object, required: [k, x], properties: {{ k: {{ type: string }}, x: {{}} }} }}
    B:
      allOf: [{{ type: object, required: [k, y], properties: {{ k: {{}}, y: {{}} }} }}, {GATED}]
    Thing:
      {union("oneOf", "A", "B")}
      x-was:
        next:
          discriminator:
            propertyName: k
            mapping: {{ a: '#/components/schemas/A', b: '#/components/schemas/B' }}""",
        {
            "tried": [
                {"schema": REFERENCES[0], "then": None},
                {"schema": REFERENCES[1], "then": "B"},
            ],
            "fits": {"oneOf": REFERENCES},
        },
    ),
    "more values below `not` are fewer values": (
        "    Thing: { type: string, not: { maxLength: 3, x-was: { next: { maxLength: 5 } } } }",
        {"demand": "Thing#2", "where": [{"absent": True}]},
    ),
}


@cases("case", NARROWED)
def test_response_values_are_converted(tmp_path: Path, case: str) -> None:
    schemas, node = NARROWED[case]
    found = down(api(tmp_path, things(schemas), ADOPTED))
    assert found["Thing"]["2024-01-15"] == node


def within(beside: str) -> str:
    return (
        "    Thing: { type: object, properties: { g: { type: string, x-added: next }, "
        f"p: {{ {beside} }} }} }}"
    )


def twins(*goals: str) -> str:
    """Return a `Thing` of two schemas, each with a `p` that is one of *goals*."""
    a, b = (f"p: {{ $ref: '#/components/schemas/{goal}' }}" for goal in goals)
    both = "[{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]"
    return f"""\
    Thing: {{ allOf: {both} }}
    A: {{ type: object, properties: {{ g: {{ type: string, x-added: next }}, {a} }} }}
    B: {{ type: object, properties: {{ {b}, k: {{ type: string }} }} }}"""


@cases(
    "schemas",
    [
        within("$ref: '#/components/schemas/Thing'"),
        within("allOf: [{ $ref: '#/components/schemas/Thing' }, { description: another }]"),
        within("allOf: [{ $ref: '#/components/schemas/Thing' }, { minProperties: 1 }]"),
        within("$ref: '#/components/schemas/Thing', maxProperties: 9, minProperties: 1"),
        within("$ref: '#/components/schemas/Thing', properties: { k: {} }"),
        twins("A", "B"),
        twins("B", "A"),
        twins("A", "A"),
        twins("Thing", "Thing"),
        twins("A", "Thing"),
    ],
)
def test_values_nested_in_values_of_the_same_schemas_are_converted(
    tmp_path: Path, schemas: str
) -> None:
    shapes = down(api(tmp_path, things(schemas), ADOPTED))
    for version, lacking in (("2024-01-15", ["g"]), ("next", None)):
        shape = "Thing"
        for _ in range(5):
            while isinstance(shape, str):
                shape = shapes[shape][version]
            shape = shape.get("then", shape)
            assert shape.get("left_out") == lacking
            shape = shape["fields"]["p"]


@cases("depth", range(1, 5))
def test_values_deep_below_two_schemas_are_converted(tmp_path: Path, depth: int) -> None:
    levels = [
        f"    {side}{at}: {{ type: object, properties: "
        f"{{ p: {{ $ref: '#/components/schemas/{side}{at + 1}' }} }} }}"
        for side in "AB"
        for at in range(depth)
    ]
    last = [f"    A{depth}: {GATED}", f"    B{depth}: {{ type: object }}"]
    both = "[{ $ref: '#/components/schemas/A0' }, { $ref: '#/components/schemas/B0' }]"
    text = "\n".join([f"    Thing: {{ allOf: {both} }}", *levels, *last])
    expected: Any = LACKING
    for _ in range(depth):
        expected = {"fields": {"p": expected}}
    found = down(api(tmp_path, things(text), ADOPTED))["Thing"]
    assert found == {"2024-01-15": expected, "next": None}


@cases("holder", ["items: %s", "additionalProperties: %s", "properties: { p: %s }"])
@cases("beside", ["minProperties: 1", "required: [a]", "not: { required: [b] }", "items: {}"])
def test_gates_behind_references_with_more_beside_them_are_followed(
    tmp_path: Path, holder: str, beside: str
) -> None:
    child = f"{{ $ref: '#/components/schemas/Between', {beside} }}"
    text = f"""\
    Thing: {{ {holder % child} }}
    Between: {{ allOf: [{{ $ref: '#/components/schemas/Last' }}, {{ description: between }}] }}
    Last: {GATED}"""
    found = down(api(tmp_path, things(text), ADOPTED))["Thing"]
    lacking = {version: "left_out" in repr(shape) for version, shape in found.items()}
    assert lacking == {"2024-01-15": True, "next": False}


def test_unknown_tag_selects_the_default_member(tmp_path: Path) -> None:
    mapping = "mapping: { a: '#/components/schemas/A', b: '#/components/schemas/B' }"
    discriminator = f"discriminator: {{ propertyName: k, {mapping}, defaultMapping: Any }}"
    text = (
        f"{VARIANTS}    Any: {GATED}\n"
        f"    Thing: {{ {union('oneOf', 'A', 'B', 'Any')}, {discriminator} }}"
    )
    files = {"versions.yaml": ADOPTED, "api.yaml": API.replace("3.1.0", "3.2.0")}
    found = down(loaded(tmp_path, {**files, "things.yaml": things(text)}))
    assert found["Thing"]["2024-01-15"] == {
        "tag": "k",
        "members": {"Any": "Any", "a": "A", "b": None},
        "otherwise": "Any",
    }


def test_requests_have_no_minimum_fields(tmp_path: Path) -> None:
    below = "{ type: object, properties: { b: { type: string, x-was: { next: { name: c } } } } }"
    text = (
        "    Thing: { type: object, minProperties: 1, required: [a], "
        f"properties: {{ a: {below} }} }}"
    )
    found = up(api(tmp_path, taking(text)))
    assert found["Thing"]["2024-01-15"] == {
        "fields": {"a": {"left_out": ["b"], "names": {"c": "b"}}}
    }


@pytest.mark.parametrize(
    ("history", "default"),
    [
        ("", 3),
        ("x-was: { next: { default: 4 } }", 4),
        # callers may omit it, and handlers require it
        ("x-was: { next: { default: null } }", 3),
    ],
)
def test_field_that_requests_could_omit_has_a_default(
    tmp_path: Path, history: str, default: int
) -> None:
    text = f"""\
    Thing:
      type: object
      required: [n]
      properties: {{ n: {{ type: integer, default: 3, {history} }} }}
      x-was: {{ next: {{ required: null }} }}"""
    found = up(api(tmp_path, taking(text), ADOPTED))
    assert found["Thing"]["2024-01-15"] == {"defaults": {"n": default}}
