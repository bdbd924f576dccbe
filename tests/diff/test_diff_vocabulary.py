"""Every keyword of OpenAPI 3.0 and 3.1 and of JSON Schema 2020-12 is compared."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Change, Kind, Verdict
from dateline.openapi import ANY, COMPONENTS, METHODS, OBJECTS
from dateline.presets import DEFAULT_POLICY
from dateline.rules import judge

Object = dict[str, Any]


def _document(**parts: Any) -> Object:
    return {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, **parts}


def _operation(**parts: Any) -> Object:
    return _document(paths={"/x": {"post": {"responses": {}, **parts}}})


def _answer(**parts: Any) -> Object:
    return _operation(responses={"200": {"description": "", **parts}})


def _schema(node: Any) -> Object:
    text = json.dumps(node)
    # keywords that only OpenAPI 3.0 has
    old = '"nullable"' in text or '"exclusiveMinimum": true' in text
    version = {"openapi": "3.0.3"} if old else {}
    return {**_answer(content={"a/b": {"schema": node}}), **version}


def _component(section: str, node: Any) -> Object:
    return _document(components={section: {"A": node}})


PLACES: Final[dict[str, Callable[[Object], Object]]] = {
    "document": lambda node: {**_document(), **node},
    "info": lambda node: {**_document(), "info": node},
    "contact": lambda node: {**_document(), "info": {"contact": node}},
    "license": lambda node: {**_document(), "info": {"license": node}},
    "server": lambda node: _document(servers=[node]),
    "server-variable": lambda node: _document(servers=[{"url": "/{a}", "variables": {"a": node}}]),
    "components": lambda node: _document(components=node),
    "paths": lambda node: _document(paths=node),
    "path-item": lambda node: _document(paths={"/x": {"get": {}, **node}}),
    "operation": lambda node: _operation(**node),
    "external-docs": lambda node: _operation(externalDocs=node),
    "parameter": lambda node: _operation(parameters=[{"name": "q", "in": "query", **node}]),
    "header": lambda node: _answer(headers={"X-A": node}),
    "request-body": lambda node: _operation(requestBody=node),
    "media-type": lambda node: _answer(content={"a/b": node}),
    "encoding": lambda node: _answer(
        content={"a/b": {"schema": {"properties": {"a": {}}}, "encoding": {"a": node}}}
    ),
    "responses": lambda node: _operation(responses=node),
    "response": lambda node: _answer(**node),
    "callback": lambda node: _operation(callbacks={"done": node}),
    "example": lambda node: _answer(content={"a/b": {"examples": {"a": node}}}),
    "link": lambda node: _answer(links={"next": node}),
    "tag": lambda node: _document(tags=[{"name": "a", **node}]),
    "schema": _schema,
    "discriminator": lambda node: _schema(
        {"oneOf": [{"type": "string"}, {"type": "array"}], "discriminator": node}
    ),
    "xml": lambda node: _schema({"xml": node}),
    "security-scheme": lambda node: _component("securitySchemes", node),
    "oauth-flows": lambda node: _component("securitySchemes", {"flows": node}),
    "oauth-flow": lambda node: _component("securitySchemes", {"flows": {"implicit": node}}),
}
"""A document with an object of each kind in it."""

FLAGS: Final = frozenset(
    {"deprecated", "readOnly", "writeOnly", "uniqueItems", "nullable", "required"}
    | {"allowEmptyValue", "allowReserved", "attribute", "wrapped"}
)
NUMBERS: Final = frozenset(
    {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength"}
    | {"minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties"}
    | {"minProperties"}
)
APPLICATORS: Final = (
    *("items", "additionalProperties", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
OPAQUE: Final = ("not", "if", "then", "else", "contains")
_STRING: Final = {"type": "string"}
_INTEGER: Final = {"type": "integer"}
_ANSWERS: Final = ({"200": {"description": "a"}}, {"200": {"description": "b"}})

_ENCODINGS: Final[dict[str, Callable[[Object], Any]]] = {
    "encoding": lambda node: {"a": node},
    "prefixEncoding": lambda node: [{}, node],
    "itemEncoding": lambda node: node,
}

# Values of a keyword before and after, unless two strings will do.
VALUES: Final[dict[tuple[str, str], tuple[Any, Any]]] = {
    **{("schema", key): (3, 4) for key in NUMBERS},
    **{("document", key): ({"/x": {"get": {}}}, {"/x": {"put": {}}}) for key in ("paths",)},
    ("document", "webhooks"): ({"a": {"get": {}}}, {"b": {"get": {}}}),
    ("document", "info"): ({"title": "a"}, {"title": "b"}),
    ("document", "components"): ({"schemas": {"A": {}}}, {"schemas": {"B": _STRING}}),
    ("document", "servers"): ([{"url": "/a"}], [{"url": "/b"}]),
    ("document", "security"): ([{"a": []}], [{"b": []}]),
    ("document", "tags"): ([{"name": "a"}], [{"name": "b"}]),
    ("info", "contact"): ({"name": "a"}, {"name": "b"}),
    ("info", "license"): ({"name": "a"}, {"name": "b"}),
    ("server", "variables"): ({"a": {"default": "b"}}, {"a": {"default": "c"}}),
    ("server-variable", "enum"): (["a"], ["a", "b"]),
    **{("components", section): ({"A": {}}, {"B": {"x": 1}}) for section in COMPONENTS},
    ("paths", ANY): ({"get": {}}, {"put": {}}),
    ("path-item", "parameters"): (
        [{"name": "a", "in": "query"}],
        [{"name": "b", "in": "query"}],
    ),
    ("path-item", "servers"): ([{"url": "/a"}], [{"url": "/b"}]),
    **{("path-item", method): ({"summary": "a"}, {"summary": "b"}) for method in METHODS},
    ("operation", "tags"): (["a"], ["b"]),
    ("operation", "parameters"): ([{"name": "a", "in": "query"}], [{"name": "b", "in": "query"}]),
    ("operation", "requestBody"): ({"content": {"a/b": {}}}, {"content": {"a/c": {}}}),
    ("operation", "responses"): _ANSWERS,
    ("operation", "callbacks"): ({"a": {"x": {"get": {}}}}, {"a": {"y": {"get": {}}}}),
    ("operation", "security"): ([{"a": []}], [{"b": []}]),
    ("operation", "servers"): ([{"url": "/a"}], [{"url": "/b"}]),
    ("parameter", "in"): ("header", "cookie"),
    ("parameter", "style"): ("pipeDelimited", "spaceDelimited"),
    ("parameter", "explode"): (True, False),
    ("header", "style"): ("other", "another"),
    ("header", "explode"): (True, False),
    **{(kind, "schema"): (_STRING, _INTEGER) for kind in ("parameter", "header", "media-type")},
    **{
        (kind, "content"): ({"a/b": {}}, {"a/c": {}})
        for kind in ("parameter", "header", "request-body", "response")
    },
    **{
        (kind, "examples"): ({"a": {"value": 1}}, {"a": {"value": 2}})
        for kind in ("parameter", "header", "media-type")
    },
    ("media-type", "itemSchema"): (_STRING, _INTEGER),
    **{
        (kind, key): (of({"contentType": "a/b"}), of({"contentType": "a/c"}))
        for kind in ("media-type", "encoding")
        for key, of in _ENCODINGS.items()
    },
    ("path-item", "additionalOperations"): ({"COPY": {}}, {"MOVE": {}}),
    **{
        (kind, "headers"): ({"X-A": {"schema": _STRING}}, {"X-B": {"schema": _STRING}})
        for kind in ("response", "encoding")
    },
    ("encoding", "explode"): (True, False),
    ("responses", ANY): ({"description": "a"}, {"description": "b"}),
    ("response", "links"): ({"a": {"operationId": "a"}}, {"a": {"operationId": "b"}}),
    ("callback", ANY): ({"get": {}}, {"put": {}}),
    ("link", "parameters"): ({"a": 1}, {"a": 2}),
    ("link", "server"): ({"url": "/a"}, {"url": "/b"}),
    ("schema", "$ref"): ("a.yaml", "b.yaml"),
    ("schema", "type"): ("string", "integer"),
    ("schema", "enum"): (["a", "b"], ["a", "c"]),
    ("schema", "required"): (["a"], ["b"]),
    ("schema", "examples"): ([1], [2]),
    ("schema", "dependentRequired"): ({"a": ["b"]}, {"a": ["c"]}),
    **{
        ("schema", key): ({"a": _STRING}, {"a": _INTEGER})
        for key in ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
    },
    **{("schema", key): (_STRING, _INTEGER) for key in (*APPLICATORS, *OPAQUE)},
    **{
        ("schema", key): ([_STRING, {"type": "array"}], [_STRING, {"type": "object"}])
        for key in ("anyOf", "oneOf")
    },
    ("schema", "allOf"): ([_STRING, {"maxLength": 1}], [_STRING, {"maxLength": 2}]),
    ("schema", "prefixItems"): ([_STRING], [_INTEGER]),
    ("schema", "discriminator"): ({"propertyName": "a"}, {"propertyName": "b"}),
    ("schema", "xml"): ({"name": "a"}, {"name": "b"}),
    ("discriminator", "mapping"): ({"a": "A"}, {"a": "B"}),
    ("security-scheme", "flows"): (
        {"implicit": {"authorizationUrl": "a"}},
        {"implicit": {"authorizationUrl": "b"}},
    ),
    **{
        ("oauth-flows", flow): ({"scopes": {"a": ""}}, {"scopes": {"b": ""}})
        for flow in OBJECTS["oauth-flows"]
    },
    ("oauth-flow", "scopes"): ({"a": "x"}, {"b": "x"}),
}

# Keywords that others need to have any effect.
BESIDE: Final[dict[str, Object]] = {
    "if": {"then": {"title": "a"}},
    **{key: {"if": {"required": ["a"]}} for key in ("then", "else")},
    **{key: {"contains": {"type": "string"}} for key in ("minContains", "maxContains")},
    "contentSchema": {"contentMediaType": "application/json"},
}
EXTERNAL_DOCS: Final = ({"url": "a"}, {"url": "b"})
# Keys that refer to or name a thing: changing them means having another thing.
ELSEWHERE: Final = {("path-item", "$ref"), ("tag", "name"), ("parameter", "name")}
# Maps of 3.1 with arbitrary keys for paths, statuses or expressions.
NAMED: Final = {"paths": "/y", "responses": "201", "callback": "y"}


def _values(kind: str, key: str) -> tuple[Any, Any]:
    if (kind, key) in VALUES:
        return VALUES[kind, key]
    if key == "externalDocs":
        return EXTERNAL_DOCS
    return (True, False) if key in FLAGS else ("a", "b")


VOCABULARY: Final = [
    (kind, key) for kind, keys in OBJECTS.items() for key in keys if (kind, key) not in ELSEWHERE
]


def _kinds(before: Object, after: Object) -> list[str]:
    return [f"{change.kind} {change.keyword}" for change in diff(before, after)]


@cases(("kind", "key"), VOCABULARY)
def test_changed_keyword_is_reported(kind: str, key: str) -> None:
    place, name = PLACES[kind], NAMED.get(kind, key) if key == ANY else key
    before, after = _values(kind, key)
    # alone, the keyword accepts nothing that would be refused otherwise
    beside = {"type": "string"} if key == "nullable" else BESIDE.get(key, {})
    one, other = place({**beside, name: before}), place({**beside, name: after})
    assert _kinds(one, other)
    assert _kinds(other, one)
    if after is not False:
        # a flag that is false equals no flag
        none = place(beside if key in BESIDE else {})
        assert _kinds(none, other) or kind in ("components", "document", "path-item")
        assert _kinds(other, none) or kind in ("components", "document", "path-item")


@cases("kind", sorted(PLACES.keys() - {"paths", "callback", "responses"}))
def test_changed_unknown_keyword_is_reported(kind: str) -> None:
    place = PLACES[kind]
    for one, other in ((1, 2), (None, 1)):
        before = place({} if one is None else {"surprise": one})
        assert _kinds(before, place({"surprise": other}))


@cases("kind", sorted(PLACES))
def test_changed_extension_is_reported(kind: str) -> None:
    place = PLACES[kind]
    assert _kinds(place({"x-a": {"b": 1}}), place({"x-a": {"b": 2}}))
    assert _kinds(place({}), place({"x-a": {"b": 2}}))


WORDS: Final = [
    (kind, key)
    for kind, keys in OBJECTS.items()
    for key in ("title", "description", "summary", "$comment", "externalDocs", "deprecated")
    if key in keys
]


@cases(("kind", "key"), [*WORDS, *((kind, "x-a") for kind in sorted(PLACES))])
def test_annotations_and_extensions_are_no_contract(kind: str, key: str) -> None:
    place, (before, after) = PLACES[kind], _values(kind, key)
    sides = [place({}), place({key: before}), place({key: after})]
    for one, other in itertools.permutations(sides, 2):
        verdicts = [judge(change, DEFAULT_POLICY, {}).verdict for change in diff(one, other)]
        assert set(verdicts) <= {Verdict.ADDITIVE}


def test_every_kind_of_object_has_a_place() -> None:
    assert sorted(PLACES) == sorted(OBJECTS)


# Equivalent spellings of a schema: any two in a row have the same meaning.
SPELLINGS: Final[dict[str, list[Any]]] = {
    "a constant": [{"const": "a"}, {"enum": ["a"]}, {"oneOf": [{"const": "a"}]}],
    "values": [
        {"enum": ["a", "b"]},
        {"enum": ["b", "a"]},
        {"oneOf": [{"const": "a"}, {"const": "b"}]},
        {"anyOf": [{"enum": ["a"], "type": "string"}, {"const": "b"}]},
        {"allOf": [{"enum": ["a", "b", "c"]}, {"enum": ["d", "a", "b"]}]},
        {"type": "string", "enum": ["a", "b"]},
    ],
    "a text or null": [
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
        {"type": ["null", "string"]},
        {"anyOf": [_STRING, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, _STRING]},
        {"allOf": [_STRING], "nullable": True},
        {"anyOf": [_STRING, {"const": None}]},
    ],
    "values or null": [
        {"type": "string", "enum": ["a", "b"], "nullable": True},
        {"type": "string", "enum": ["a", "b", None], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", "b", None]},
        {"oneOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
    ],
    "a constant or null": [
        {"enum": ["a", None]},
        {"allOf": [{"const": "a"}], "nullable": True},
        {"anyOf": [{"const": "a"}, {"type": "null"}]},
        {"oneOf": [{"const": "a"}, {"const": None}]},
    ],
    "a number": [{"type": "number"}, {"type": ["integer", "number"]}],
    "an exclusive bound": [
        {"type": "number", "exclusiveMinimum": 5},
        {"type": "number", "minimum": 5, "exclusiveMinimum": True},
        {"type": "number", "exclusiveMinimum": 5.0},
    ],
    "one member": [
        {"type": "string", "maxLength": 5},
        {"oneOf": [{"type": "string", "maxLength": 5}]},
        {"anyOf": [{"type": "string", "maxLength": 5}]},
        {"allOf": [_STRING, {"maxLength": 5}]},
        {"allOf": [{"allOf": [{"maxLength": 5}]}], "type": "string"},
        {"allOf": [{"maxLength": 9}, {"maxLength": 5}], "type": "string"},
    ],
    "anything": [
        {},
        True,
        {"additionalProperties": True},
        {"additionalProperties": {}},
        {"items": {}},
        {"items": True},
        {"required": []},
        {"minLength": 0, "minItems": 0, "minProperties": 0},
        {"deprecated": False, "readOnly": False, "writeOnly": False, "uniqueItems": False},
        {"allOf": []},
        {"if": {"required": ["a"]}},
        {"then": {"required": ["a"]}, "else": {"required": ["b"]}},
        {"minContains": 2, "maxContains": 3},
        {"contentSchema": _STRING},
        {"dependentRequired": {}},
        {"dependentRequired": {"a": [], "b": ["b"]}},
    ],
    "true or false": [
        {"type": "boolean"},
        {"type": "boolean", "enum": [True, False]},
        {"enum": [False, True]},
        {"oneOf": [{"const": True}, {"const": False}]},
    ],
    "true, false or null": [
        {"type": ["boolean", "null"]},
        {"enum": [None, True, False]},
        {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    ],
    "whole numbers": [
        {"enum": [1, 2], "default": 1},
        {"enum": [1.0, 2], "default": 1.0},
        {"enum": [2e0, 1], "default": 1},
    ],
    "a constant with numbers": [
        {"const": {"a": [1, 1e20]}},
        {"const": {"a": [1.0, 10**20]}},
    ],
    "several types": [
        {"type": ["string", "number"]},
        {"anyOf": [_STRING, {"type": "number"}]},
        {"oneOf": [{"type": "number"}, _STRING]},
        {"anyOf": [_STRING, {"anyOf": [{"type": "number"}, {"type": "integer"}]}]},
    ],
    "several types with bounds": [
        {"type": ["string", "integer", "null"], "maxLength": 5, "minimum": 1},
        {
            "oneOf": [
                {"type": ["string", "null"], "maxLength": 5},
                {"type": "integer", "minimum": 1},
            ]
        },
        {
            "anyOf": [
                {"type": "null"},
                {"type": "integer", "minimum": 1},
                {"type": "string", "maxLength": 5},
            ]
        },
    ],
    "properties that need others": [
        {"dependentRequired": {"a": ["b", "c"], "b": ["c"]}},
        {"dependentRequired": {"b": ["c", "b"], "a": ["c", "b"], "c": []}},
        {
            "allOf": [{"dependentRequired": {"b": ["c"], "a": ["b"]}}],
            "dependentRequired": {"a": ["c"]},
        },
        {"allOf": [{"dependentRequired": {"a": ["b", "c"]}}, {"dependentRequired": {"b": ["c"]}}]},
    ],
    "schemas without common values": [
        {"anyOf": [{"type": "string"}, {"type": "array", "format": "a"}, {"type": "object"}]},
        {"oneOf": [{"type": "string"}, {"type": "array", "format": "a"}, {"type": "object"}]},
        {
            "anyOf": [
                {"type": "string"},
                {"anyOf": [{"type": "array", "format": "a"}, {"anyOf": [{"type": "object"}]}]},
            ]
        },
    ],
    "an object": [
        {"type": "object", "required": ["a", "b"], "properties": {"a": _STRING, "b": {}}},
        {
            "allOf": [
                {"type": "object", "properties": {"b": {}}, "required": ["b"]},
                {"properties": {"a": _STRING}, "required": ["a"]},
            ]
        },
        {
            "type": "object",
            "required": ["b", "a"],
            "allOf": [{"properties": {"a": _STRING}}, {"properties": {"a": {}, "b": True}}],
        },
    ],
    "nothing": [False, {"not": {}}],
}


def _list_reported(before: Any, after: Any) -> list[Change]:
    """Return the changes except that of the dialect."""
    changes = diff(_schema(before), _schema(after))
    return [change for change in changes if change.kind is not Kind.DIALECT_CHANGED]


@cases(
    ("one", "other"),
    [
        pytest.param(row[0], other, id=f"{name}: {json.dumps(other)}")
        for name, row in SPELLINGS.items()
        for other in row[1:]
    ],
)
def test_another_spelling_is_no_change(one: Any, other: Any) -> None:
    assert _list_reported(one, copy.deepcopy(other)) == []
    assert _list_reported(other, one) == []


@cases(
    ("one", "other"),
    [
        ({"const": 1}, {"const": True}),
        ({"const": {"a": 0}}, {"const": {"a": False}}),
        ({"const": 1}, {"const": 1.5}),
        ({"const": "1"}, {"const": "1.0"}),
        ({"default": 1}, {"default": True}),
        ({}, {"enum": [True, False]}),
        ({}, {"dependentRequired": {"a": ["b"]}}),
        ({}, {"dependentRequired": {"a": ["a", "b"]}}),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"]}}),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"allOf": [{"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"]}}]},
        ),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": "b"}}),
        ({"dependentRequired": {"a": ["1"]}}, {"dependentRequired": {"a": [1]}}),
        ({}, {"dependentRequired": []}),
        (
            {"allOf": [{"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"b": ["c"]}}]},
            {
                "allOf": [
                    {"dependentRequired": {"a": ["b"]}},
                    {"dependentRequired": {"a": "b"}},
                    {"dependentRequired": {"b": ["c"]}},
                ]
            },
        ),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"allOf": [{"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": "b"}}]},
        ),
        ({"type": "boolean"}, {"enum": [True]}),
        ({"type": ["boolean", "null"]}, {"type": ["boolean", "null"], "enum": [True, False]}),
        ({"if": {}, "then": {"required": ["a"]}}, {"if": {}}),
        ({"if": {"required": ["a"]}, "else": {"required": ["b"]}}, {"else": {"required": ["b"]}}),
        ({"type": "number"}, {"oneOf": [{"type": "integer"}, {"type": "number"}]}),
        (
            {"type": ["string", "number"], "format": "a"},
            {"anyOf": [{"type": "string", "format": "a"}, {"type": "number"}]},
        ),
        (
            {"type": ["string", "array"], "maxLength": 5},
            {"anyOf": [{"type": "string", "maxLength": 6}, {"type": "array"}]},
        ),
        (
            {"oneOf": [{"type": "string"}, {"oneOf": [{"type": "object"}, {"required": ["a"]}]}]},
            {"oneOf": [{"type": "string"}, {"type": "object"}, {"required": ["a"]}]},
        ),
        (
            {"contains": {}, "minContains": 0, "$defs": {"a": {"unevaluatedItems": False}}},
            {"contains": {}, "$defs": {"a": {"unevaluatedItems": False}}},
        ),
        (
            {"allOf": [{"patternProperties": {"^a": {}}, "unevaluatedProperties": False}, {}]},
            {"allOf": [{"unevaluatedProperties": False}, {"patternProperties": {"^a": {}}}]},
        ),
        (
            {"unevaluatedProperties": False, "if": {"properties": {"a": {}}}},
            {"unevaluatedProperties": False},
        ),
    ],
)
def test_similar_spelling_with_another_meaning_is_a_change(one: Any, other: Any) -> None:
    assert _list_reported(one, other) != []
    assert _list_reported(other, one) != []


@cases(
    ("one", "other"),
    [
        (row[0], another[0])
        for name, row in SPELLINGS.items()
        for reported, another in SPELLINGS.items()
        if name != reported
    ],
)
def test_schema_with_another_meaning_is_reported(one: Any, other: Any) -> None:
    reported = {change.kind for change in _list_reported(one, other)}
    assert reported - {Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED}


@cases(
    "keyword",
    [
        *("type", "nullable", "enum", "required", "properties", "items", "allOf", "oneOf", "not"),
        *("patternProperties", "prefixItems", "$defs", "maximum", "exclusiveMinimum", "minLength"),
        *("discriminator", "x-extensible-enum", "x-enum-descriptions", "$ref"),
    ],
)
def test_keyword_with_an_invalid_value_is_reported(keyword: str) -> None:
    for before, after in ((5, "odd"), ("odd", 5.5)):
        assert _kinds(_schema({keyword: before}), _schema({keyword: after}))
    assert _kinds(_schema({}), _schema({keyword: "odd"}))
