"""References are resolved, and the parts of a schema found, in every spelling."""

from __future__ import annotations

import weakref
from typing import Any, Final

from support.tables import cases

from dateline.schema.memo import Memo, closure
from dateline.schema.parts import NEVER, PartReader
from dateline.schema.references import Located, Resolver

_TEXT: Final = {"type": "string"}
COMPONENTS: Final[dict[str, Any]] = {
    "A": _TEXT,
    "a/b~c d": _TEXT,
    "Alias": {"$ref": "#/components/schemas/A"},
    "Circle": {"$ref": "#/components/schemas/Circle"},
    "Anchored": {"type": "object", "properties": {"x": {"$anchor": "here", "type": "string"}}},
    "Listed": {"anyOf": [{"type": "integer"}, _TEXT]},
    "Null": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]},
    "Merged": {"allOf": [{"$ref": "#/components/schemas/A"}, {"minLength": 1}]},
}


def document(openapi: str) -> dict[str, Any]:
    return {"openapi": openapi, "components": {"schemas": COMPONENTS}}


def at(*steps: str) -> str:
    return "/components/schemas/" + "/".join(steps)


@cases(
    ("reference", "pointer"),
    [
        ("#" + at("A"), at("A")),
        ("#" + at("a~1b~0c d"), at("a~1b~0c d")),
        ("#" + at("a~1b~0c%20d"), at("a~1b~0c d")),
        ("#/components/schemas/a%2Fb~0c%20d", at("a~1b~0c d")),
        ("#" + at("Listed", "anyOf", "1"), at("Listed", "anyOf", "1")),
        ("#here", at("Anchored", "properties", "x")),
        ("#" + at("Alias"), at("Alias")),
        ("#", ""),
        ("#" + at("B"), None),
        ("#" + at("Listed", "anyOf", "2"), None),
        ("#" + at("Listed", "anyOf", "-1"), None),
        ("#elsewhere", None),
        ("other.yaml#" + at("A"), None),
        ("A", None),
        (["#"], None),
    ],
)
def test_reference_is_resolved(reference: Any, pointer: str | None) -> None:
    found = Resolver(document("3.1.0")).locate(reference)
    assert (found.pointer if found else None) == pointer


def test_only_a_reference_to_a_component_names_one() -> None:
    resolver = Resolver(document("3.1.0"))
    names = [
        resolver.schema_name(schema)
        for schema in (
            {"$ref": "#" + at("a~1b~0c%20d")},
            {"$ref": "#" + at("B")},
            {"$ref": "#" + at("Listed", "anyOf", "0")},
            {"$ref": "#here"},
            _TEXT,
            True,
        )
    ]
    assert names == ["a/b~c d", None, None, None, None, None]


@cases(
    ("schema", "openapi", "parts"),
    [
        (_TEXT, "3.1.0", [("", set(), "")]),
        ({"$ref": "#" + at("Alias")}, "3.1.0", [(at("Alias"), {"$ref"}, ""), (at("A"), set(), "")]),
        (
            {"$ref": "#" + at("A"), "maxLength": 9},
            "3.1.0",
            [("", {"$ref"}, ""), (at("A"), set(), "")],
        ),
        # in OpenAPI 3.0, siblings of a reference are ignored
        ({"$ref": "#" + at("A"), "maxLength": 9}, "3.0.3", [(at("A"), set(), "")]),
        (
            {"$ref": "#" + at("Merged")},
            "3.1.0",
            [
                (at("Merged"), {"allOf"}, ""),
                (at("A"), set(), ""),
                (at("Merged", "allOf", "1"), set(), ""),
            ],
        ),
        (
            {"$ref": "#" + at("Null")},
            "3.1.0",
            [(at("Null"), {"oneOf"}, ""), (at("A"), set(), at("Null", "oneOf", "1"))],
        ),
        (
            {"allOf": [{"$ref": "#" + at("A")}], "nullable": True},
            "3.0.3",
            [("", {"allOf"}, "/nullable"), (at("A"), set(), "/nullable")],
        ),
        ({"$ref": "#" + at("Circle")}, "3.1.0", [(at("Circle"), {"$ref"}, "")]),
        ({"$ref": "#" + at("B")}, "3.1.0", [("", set(), "")]),
        ({"$ref": "#" + at("Listed")}, "3.1.0", [(at("Listed"), set(), "")]),
        ({}, "3.1.0", [("", set(), "")]),
        (False, "3.1.0", [("", set(), "")]),
    ],
)
def test_parts_of_a_schema_are_found(
    schema: Any, openapi: str, parts: list[tuple[str, set[str], str]]
) -> None:
    found = PartReader(document(openapi)).parts([Located(schema, "")])
    assert [(part.pointer, set(part.skip), part.null) for part in found] == parts


def test_false_is_a_part_without_valid_values() -> None:
    (part,) = PartReader(document("3.1.0")).parts([Located(False, "")])
    assert part.node is NEVER


def test_memo_calls_once_for_each_object_and_distinguishes_equal_ones() -> None:
    calls: list[tuple[Any, ...]] = []

    def note(*given: Any) -> int:
        calls.append(given)
        return len(calls)

    memo = Memo(note)
    one, other = {"a": 1}, {"a": 1}
    assert [memo(one), memo(other), memo(one), memo(one, "b"), memo((one, other))] == [
        1,
        2,
        1,
        3,
        4,
    ]
    assert memo((one, other)) == 4
    assert len(calls) == 4


def test_recursive_memo_gets_its_initial_value() -> None:
    circle: list[Any] = []
    circle.append(circle)
    memo: Memo[int] = Memo(lambda node: 1 + memo(node[0]), start=lambda _: 0)
    assert [memo(circle), memo(circle)] == [1, 1]


def test_closure_contains_everything_reachable() -> None:
    edges = {"a": ["b"], "b": ["a", "c"], "d": ["e"]}
    assert list(closure(["a"], lambda name: edges.get(name, ()))) == ["a", "b", "c"]


def test_cached_values_are_released_with_their_object() -> None:
    class Owner:
        def __init__(self) -> None:
            self.length = Memo(Owner._length, owner=self)

        def _length(self, node: list[Any]) -> int:
            return len(node)

    owner = Owner()
    assert owner.length([1, 2]) == 2
    gone = weakref.ref(owner)
    del owner
    assert gone() is None
