"""Keywords with their default values make no difference in any schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind

TEXT: Final = {"type": "string"}
DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("readOnly", "writeOnly", "deprecated", "nullable", "uniqueItems"), False),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    **{key: {} for key in ("properties", "patternProperties", "dependentSchemas")},
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), True),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), True),
    **{"required": [], "dependentRequired": {}, "not": False, "pattern": "", "minContains": 1},
    **{"allOf": [{}], "anyOf": [{}], "then": TEXT, "else": TEXT, "contentSchema": TEXT},
}


def within(keyword: str) -> Callable[[Any], Any]:
    return lambda schema: {keyword: schema}


def beside(keyword: str) -> Callable[[Any], Any]:
    return lambda schema: {keyword: [{"type": "object", "required": ["a"]}, schema]}


POSITIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "itself": lambda schema: schema,
    "property": lambda schema: {"properties": {"a": schema}},
    "pattern": lambda schema: {"patternProperties": {"^a": schema}},
    "depending": lambda schema: {"dependentSchemas": {"a": schema}},
    "prefix": lambda schema: {"prefixItems": [schema]},
    "nested": lambda schema: {"items": {"items": schema}},
    "definition": lambda schema: {"$defs": {"a": schema}},
    **{
        key: within(key)
        for key in (
            *("items", "additionalProperties", "propertyNames", "not", "contains"),
            *("unevaluatedItems", "unevaluatedProperties"),
        )
    },
    "content": lambda schema: {"contentMediaType": "application/json", "contentSchema": schema},
    "condition": lambda schema: {"if": {"required": ["a"]}, "then": schema, "else": TEXT},
    **{key: beside(key) for key in ("allOf", "anyOf", "oneOf")},
}


def document(schema: Any, *, sent: bool, version: str = "3.1.0") -> dict[str, Any]:
    content = {"content": {"application/json": {"schema": schema}}}
    answer = {"description": "a"} | ({} if sent else content)
    operation = {"responses": {"200": answer}} | ({"requestBody": content} if sent else {})
    return {
        "openapi": version,
        "info": {"title": "a", "version": "1"},
        "paths": {"/a": {"post": operation}},
    }


def join(schemas: dict[str, Any], *, sent: bool) -> dict[str, Any]:
    """Return a document with an operation for each of *schemas*, whose path is its name."""
    paths = {name: document(each, sent=sent)["paths"]["/a"] for name, each in schemas.items()}
    return {**document({}, sent=sent), "paths": paths}


@cases("position", POSITIONS)
def test_keyword_with_its_default_value_is_no_change(position: str) -> None:
    place = POSITIONS[position]
    # the position and the direction are independent
    sent = list(POSITIONS).index(position) % 2 == 0
    pairs = {
        f"/{keyword}-{number}": (place(base), place({**base, keyword: value}))
        for keyword, value in DEFAULTS.items()
        for number, base in enumerate(({}, TEXT))
    }
    without, alike = (
        join({name: pair[side] for name, pair in pairs.items()}, sent=sent) for side in (0, 1)
    )
    changes = [*diff(without, alike), *diff(alike, without)]
    assert [(change.operations, change.kind, change.keyword) for change in changes] == []


@cases("keyword", ["items", "additionalProperties", "propertyNames"])
@cases("schema", [{}, True, {"readOnly": False}, {"items": {"minLength": 0}}])
def test_schema_that_accepts_anything_equals_no_schema(keyword: str, schema: Any) -> None:
    for sent in (True, False):
        without, alike = document({}, sent=sent), document({keyword: schema}, sent=sent)
        assert diff(without, alike) == diff(alike, without) == []


@cases("keyword", ["items", "additionalProperties", "propertyNames"])
@cases("other", [None, {}, True])
def test_annotations_below_a_keyword_are_documentation(keyword: str, other: Any) -> None:
    worded = document({keyword: {"description": "a"}}, sent=True)
    plain = document({} if other is None else {keyword: other}, sent=True)
    for pair in ((plain, worded), (worded, plain)):
        assert [change.kind for change in diff(*pair)] == [Kind.DOCUMENTATION_CHANGED]


@pytest.mark.parametrize(
    "schema",
    [{}, True, {"readOnly": False}, {"description": "a"}, {"$ref": "#/components/schemas/Any"}],
)
def test_schema_that_accepts_anything_still_evaluates(schema: Any) -> None:
    closed = {"unevaluatedProperties": False, "properties": {"a": TEXT}}
    open_ = closed | {"allOf": [{"additionalProperties": schema, "minProperties": 1}]}
    shut = closed | {"allOf": [{"minProperties": 1}]}
    components = {"components": {"schemas": {"Any": {"description": "a"}}}}
    for sent in (True, False):
        before, after = (document(one, sent=sent) | components for one in (shut, open_))
        for pair in ((before, after), (after, before)):
            kinds = {change.kind for change in diff(*pair)}
            assert kinds - {Kind.DOCUMENTATION_CHANGED}


@cases("position", sorted(POSITIONS.keys() - {"definition"}))
@cases("schema", [{"const": None}, {"enum": [None]}, {"not": {}}, False])
def test_schema_that_accepts_only_null_or_nothing_is_a_change(position: str, schema: Any) -> None:
    place = POSITIONS[position]
    for sent in (True, False):
        anything = document(place({}), sent=sent)
        little = document(place(schema), sent=sent)
        assert diff(anything, little) != []
        assert diff(little, anything) != []


@cases("version", ["3.0.3", "3.1.0"])
@cases("sent", [False, True])
@cases("keyword", ["additionalProperties", "unevaluatedProperties"])
@cases("anything", [{"nullable": True}, {"nullable": False}, {}, True])
def test_field_is_only_added_where_any_value_was_allowed(
    anything: Any, keyword: str, sent: bool, version: str
) -> None:
    before = {"type": "object", "properties": {"a": TEXT}, keyword: anything}
    after = {**before, "properties": {"a": TEXT, "b": TEXT}}
    one, other = (document(each, sent=sent, version=version) for each in (before, after))
    assert [change.kind for change in diff(one, other)] == [Kind.FIELD_ADDED]
    assert [change.kind for change in diff(other, one)] == [Kind.FIELD_REMOVED]
