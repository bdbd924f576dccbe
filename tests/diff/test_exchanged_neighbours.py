"""Keywords in several members of an `allOf` are compared with their siblings."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any, Final

import jsonschema_rs
from support.readers import document
from support.tables import cases

from dateline.diff import diff
from dateline.model import Change, Kind

Schema = dict[str, Any]

STRING: Final = {"type": "string"}
SHORT: Final = {"maxLength": 1}
HAS: Final = {name: {"properties": {name: True}, "required": [name]} for name in "abcd"}
OPEN: Final = {"patternProperties": {"^a": True}}
FIRST: Final = {"prefixItems": [True]}

# A keyword, two values of it, and two siblings of it.
EXCHANGED: Final[tuple[tuple[str, tuple[Any, Any], tuple[Schema, Schema]], ...]] = (
    ("additionalProperties", (STRING, SHORT), ({}, OPEN)),
    ("unevaluatedProperties", (STRING, SHORT), ({}, OPEN)),
    ("items", (STRING, SHORT), ({}, FIRST)),
    ("unevaluatedItems", (STRING, SHORT), ({}, FIRST)),
    ("contains", (STRING, {"type": "integer"}), ({}, {"minContains": 2})),
    ("contains", (STRING, {"type": "integer"}), ({"minContains": 1}, {"minContains": 2})),
    ("contains", (STRING, {"type": "integer"}), ({}, {"maxContains": 1})),
    ("if", (HAS["a"], HAS["b"]), ({"then": HAS["c"]}, {"then": HAS["d"]})),
    ("if", (HAS["a"], HAS["b"]), ({"else": HAS["c"]}, {"else": HAS["d"]})),
    ("if", (HAS["a"], HAS["b"]), ({"then": HAS["c"]}, {"else": HAS["c"]})),
    ("if", (HAS["a"], HAS["b"]), ({"then": HAS["c"]}, {"then": HAS["c"], "else": HAS["d"]})),
    ("if", (HAS["a"], HAS["b"]), ({}, {"unevaluatedProperties": False})),
    ("contains", (STRING, SHORT), ({}, {"unevaluatedItems": False})),
)

# A keyword, and different neighbours of it.
BESIDE: Final[tuple[tuple[str, tuple[Schema, Schema]], ...]] = (
    ("additionalProperties", ({}, OPEN)),
    ("additionalProperties", ({"patternProperties": {"^b": True}}, OPEN)),
    ("unevaluatedProperties", ({}, OPEN)),
    ("unevaluatedProperties", ({}, {"additionalProperties": True})),
    ("items", ({}, FIRST)),
    ("items", ({"prefixItems": [True, True]}, FIRST)),
    ("unevaluatedItems", ({}, FIRST)),
)
ANY: Final = {"$ref": "#/components/schemas/Any"}
STEPS: Final = (
    (SHORT, {"maxLength": 2}),
    (STRING, {"type": ["string", "integer"]}),
    ({"enum": ["x"]}, {"enum": ["x", 1]}),
    (STRING, ANY),
    (False, STRING),
)
VALUES: Final[tuple[Any, ...]] = (
    *(
        dict.fromkeys(names, value)
        for names in ("a", "ab", "abc", "abd", "b", "bc", "bd", "ac")
        for value in ("x", "xx", 1)
    ),
    *(list(items) for size in range(4) for items in product(("x", "xx", 1), repeat=size)),
    {"a": "xx", "b": "x"},
    {"ad": "x"},
    {"ad": 1, "b": "x"},
)


@cases(("keyword", "values", "beside"), EXCHANGED)
def test_exchanged_siblings_are_a_change(
    keyword: str, values: tuple[Any, Any], beside: tuple[Schema, Schema]
) -> None:
    schemas = [
        {"allOf": list(members)}
        for one, other in permutations(beside)
        for members in permutations([{keyword: values[0], **one}, {keyword: values[1], **other}])
    ]
    accepted = [[jsonschema_rs.is_valid(schema, value) for value in VALUES] for schema in schemas]
    assert accepted[0] != accepted[2]
    for one, other in permutations(range(len(schemas)), 2):
        found = compare(schemas[one], schemas[other])
        differ = accepted[one] != accepted[other]
        assert bool(found) == differ, (schemas[one], schemas[other])


@cases(("keyword", "beside"), BESIDE)
@cases(("narrow", "wide"), STEPS)
def test_one_of_two_members_changes_to_what_the_other_implies(
    narrow: Any, wide: Any, keyword: str, beside: tuple[Schema, Schema]
) -> None:
    schemas = [
        {"allOf": [{keyword: first, **beside[0]}, {keyword: second, **beside[1]}]}
        for first, second in ((narrow, narrow), (wide, narrow), (narrow, wide))
    ]
    inline = [json.loads(json.dumps(each).replace(json.dumps(ANY), "{}")) for each in schemas]
    accepted = [[jsonschema_rs.is_valid(schema, value) for value in VALUES] for schema in inline]
    assert accepted[0] != accepted[1] or accepted[0] != accepted[2]
    for one, other in product(range(len(schemas)), repeat=2):
        found = compare(schemas[one], schemas[other], {"Any": {}}, {"Any": {}})
        assert found or accepted[one] == accepted[other], (schemas[one], schemas[other])
        assert not found or one != other


@cases("strictest", [1, 2])
@cases("keyword", ["minContains", "maxContains"])
def test_counts_beside_a_stricter_one_are_compared(keyword: str, strictest: int) -> None:
    other = {"contains": {"type": "integer"}, keyword: strictest}
    schemas = [{"allOf": [{"contains": STRING, keyword: count}, other]} for count in range(3)]
    accepted = [[jsonschema_rs.is_valid(schema, value) for value in VALUES] for schema in schemas]
    for one, two in product(range(len(schemas)), repeat=2):
        found = compare(schemas[one], schemas[two])
        assert bool(found) == (accepted[one] != accepted[two]), (schemas[one], schemas[two])


@cases(
    ("keyword", "shared"),
    [("unevaluatedProperties", HAS["a"]), ("unevaluatedItems", FIRST)],
)
def test_a_schema_that_several_members_refer_to_is_evaluated_in_each(
    keyword: str, shared: Schema
) -> None:
    reference = {"$ref": "#/components/schemas/Shared"}
    without = {"allOf": [{keyword: STRING}], **reference}
    within = {"allOf": [{keyword: STRING, **reference}], **reference}
    twice = {"allOf": [{keyword: STRING, "allOf": [reference], **reference}, reference]}
    below = {"allOf": [reference, {keyword: STRING, "allOf": [{"allOf": [reference]}]}]}
    schemas: list[dict[str, Any]] = [without, within, twice, below]
    for before, after in product(schemas, repeat=2):
        found = compare(before, after, {"Shared": shared}, {"Shared": shared})
        assert bool(found) == ((before is without) != (after is without)), (before, after)


@cases("count", [1, 2, 3])
@cases("keyword", ["not", "if", "then", "else", "contains"])
def test_change_behind_a_reference_in_a_member_is_reported(keyword: str, count: int) -> None:
    """If more can mean less, the keyword changed for the operations that use it."""
    around = {"if": {"then": HAS["a"]}, "then": {"if": HAS["a"]}, "else": {"if": HAS["a"]}}
    closed = {
        "allOf": [
            {keyword: {"$ref": f"#/components/schemas/P{number}"}, **around.get(keyword, {})}
            for number in range(count)
        ]
    }
    before: dict[str, Schema] = {
        f"P{number}": {"required": [f"p{number}"]} for number in range(count)
    }
    for name in before:
        after: dict[str, Schema] = {**before, name: {"required": ["other"]}}
        found = compare(closed, closed, before, after)
        concerned = [each.operations for each in found if each.keyword == keyword]
        assert [bool(each) for each in concerned] == [True], name
        words: dict[str, Schema] = {**before, name: {**before[name], "title": "Words"}}
        for each in compare(closed, closed, before, words):
            assert each.kind is Kind.DOCUMENTATION_CHANGED, each


def compare(
    before: Schema,
    after: Schema,
    ours: dict[str, Schema] | None = None,
    theirs: dict[str, Schema] | None = None,
) -> list[Change]:
    old = document({"Closed": before, **(ours or {})}, "3.1.0")
    return diff(old, document({"Closed": after, **(theirs or {})}, "3.1.0"))
