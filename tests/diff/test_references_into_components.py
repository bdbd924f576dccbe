"""References into components and to other places are judged by their targets, as if inline."""

from __future__ import annotations

from typing import Any, Final

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Direction

Document = dict[str, Any]

_SHORT: Final = {"type": "string", "maxLength": 5}
_LONG: Final = {"type": "string", "maxLength": 50}
_NUMBER: Final = {"type": "integer"}
_MEDIA: Final = "content/application~1json/schema"

# The target of the reference, and components with either schema at that place.
_PLACES: Final[dict[str, Any]] = {
    "#/components/schemas/A/properties/b": lambda one: {
        "schemas": {"A": {"properties": {"b": one}}}
    },
    "#/components/schemas/A/items": lambda one: {"schemas": {"A": {"items": one}}},
    "#/components/schemas/A/not": lambda one: {"schemas": {"A": {"not": one}}},
    "#/components/schemas/A/allOf/1": lambda one: {"schemas": {"A": {"allOf": [_NUMBER, one]}}},
    "#/components/schemas/A/$defs/b": lambda one: {"schemas": {"A": {"$defs": {"b": one}}}},
    "#/components/schemas/A/x-parts/b": lambda one: {"schemas": {"A": {"x-parts": {"b": one}}}},
    "#/components/schemas/%41/x-parts/b": lambda one: {"schemas": {"A": {"x-parts": {"b": one}}}},
    "#there": lambda one: {"schemas": {"A": {"$defs": {"b": {"$anchor": "there", **one}}}}},
    "#/components/parameters/A/schema": lambda one: {
        "parameters": {"A": {"name": "a", "in": "query", "schema": one}}
    },
    "#/components/headers/A/schema": lambda one: {"headers": {"A": {"schema": one}}},
    f"#/components/responses/A/{_MEDIA}": lambda one: {
        "responses": {"A": {"description": "", "content": {"application/json": {"schema": one}}}}
    },
    f"#/components/requestBodies/A/{_MEDIA}": lambda one: {
        "requestBodies": {"A": {"content": {"application/json": {"schema": one}}}}
    },
}


# The same for targets outside of the components that OpenAPI knows.
_ELSEWHERE: Final[dict[str, Any]] = {
    "#/components/x-schemas/A": lambda one: {"components": {"x-schemas": {"A": one}}},
    "#/definitions/A": lambda one: {"definitions": {"A": one}},
    "#/x-schemas/A": lambda one: {"x-schemas": {"A": one}},
    "#/x-schemas/list/1": lambda one: {"x-schemas": {"list": [{}, one]}},
    "#/x-schema": lambda one: {"x-schema": one},
    "#/%78-schema": lambda one: {"x-schema": one},
    "#/info/x-schema": lambda one: {"info": {"title": "Places", "version": "1", "x-schema": one}},
    "#/x-alias": lambda one: {"x-alias": {"$ref": "#/x-schema"}, "x-schema": one},
    "#/components/schemas/A": lambda one: {
        "components": {"schemas": {"A": {"$ref": "#/x-schema"}}},
        "x-schema": one,
    },
    "#elsewhere": lambda one: {"x-schema": {"$anchor": "elsewhere", **one}},
}


def _parts(place: str, schema: Document) -> Document:
    """Return the part of a document that has *schema* at *place*."""
    found = _PLACES.get(place)
    parts: Document = {"components": found(schema)} if found else _ELSEWHERE[place](schema)
    return parts


def _document(schema: Document, parts: Document, *, sent: bool) -> Document:
    content = {"application/json": {"schema": {"properties": {"field": schema}}}}
    answer = {"description": "", **({} if sent else {"content": content})}
    operation = {
        "responses": {"200": answer},
        **({"requestBody": {"content": content}} if sent else {}),
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Places", "version": "1"},
        "paths": {"/things": {"post": operation}},
        **parts,
    }


def _print_changes(before: Document, after: Document) -> list[tuple[str, str, Direction, Any, Any]]:
    """Return the changes that callers of the operation notice."""
    return sorted(
        (change.kind.value, change.keyword, change.direction, change.before, change.after)
        for change in diff(before, after)
        if change.operations
    )


@cases("sent", [False, True], ids=["response", "request"])
@cases(("old", "new"), [(_SHORT, _LONG), (_LONG, _SHORT), (_SHORT, _NUMBER)])
@cases("place", [*_PLACES, *_ELSEWHERE])
def test_target_of_a_reference_is_judged_as_if_inline(
    place: str, old: Document, new: Document, sent: bool
) -> None:
    before, after = (
        _document({"$ref": place}, _parts(place, schema), sent=sent) for schema in (old, new)
    )
    inline = _print_changes(_document(old, {}, sent=sent), _document(new, {}, sent=sent))
    assert inline
    assert _print_changes(before, after) == inline


# a key that OpenAPI doesn't know is reported itself
@cases("place", sorted(_ELSEWHERE.keys() - {"#/definitions/A"}))
def test_target_of_a_reference_is_reported_once(place: str) -> None:
    before, after = (
        _document({"$ref": place}, _parts(place, schema), sent=True) for schema in (_SHORT, _LONG)
    )
    assert [change.kind for change in diff(before, after) if not change.operations] == []
    # it is, too, if the other document has it inline
    inline = _document(_SHORT, {}, sent=True)
    for sides in ((inline, after), (after, inline)):
        assert "maxLength" in {printed[1] for printed in _print_changes(*sides)}
    # without a reference, it is reported as it is
    for side, value in ((before, "old"), (after, "new")):
        side["x-alone"] = {"a": value}
    alone = [change.keyword for change in diff(before, after) if not change.operations]
    assert alone == ["x-alone"]


@cases("place", ["#/components", "#/components/schemas", "#/paths"])
def test_reference_to_a_whole_section_hides_no_change(place: str) -> None:
    before, after = (
        _document({"$ref": place}, {"components": {"schemas": {"A": schema}}}, sent=True)
        for schema in (_SHORT, _LONG)
    )
    assert [change.keyword for change in diff(before, after)] == ["maxLength"]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_reordered_members_are_reported_if_a_reference_counts_them(
    keyword: str,
) -> None:
    schema = {"$ref": f"#/components/schemas/A/{keyword}/1"}
    before, after = (
        _document(schema, {"components": {"schemas": {"A": {keyword: members}}}}, sent=True)
        for members in ([_SHORT, _NUMBER], [_NUMBER, _SHORT])
    )
    inline = _document(_NUMBER, {}, sent=True), _document(_SHORT, {}, sent=True)
    assert [printed[:2] for printed in _print_changes(before, after)] == [
        printed[:2] for printed in _print_changes(*inline)
    ]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_reordered_members_are_no_change_without_such_a_reference(keyword: str) -> None:
    before, after = (
        _document(
            {"$ref": "#/components/schemas/A"},
            {"components": {"schemas": {"A": {keyword: members}}}},
            sent=True,
        )
        for members in ([_SHORT, _NUMBER], [_NUMBER, _SHORT])
    )
    assert diff(before, after) == []


def test_siblings_of_the_target_do_not_concern_the_operation() -> None:
    schema = {"$ref": "#/components/schemas/A/properties/b"}
    before, after = (
        _document(
            schema,
            {"components": {"schemas": {"A": {"properties": {"b": _SHORT, "c": beside}}}}},
            sent=True,
        )
        for beside in (_SHORT, _NUMBER)
    )
    (change,) = diff(before, after)
    assert (change.direction, change.operations) == (Direction.MODEL, ())


_SCHEMES: Final[dict[str, Any]] = {
    "written there": lambda one: {"components": {"securitySchemes": {"Key": one}}},
    "another scheme": lambda one: {
        "components": {
            "securitySchemes": {"Key": {"$ref": "#/components/securitySchemes/A"}, "A": one}
        }
    },
    "an extension": lambda one: {
        "components": {"securitySchemes": {"Key": {"$ref": "#/x-scheme"}}},
        "x-scheme": one,
    },
}


@cases(("renamed", "printed"), [("X-Other", True), ("x-key", False)])
@cases("scheme", _SCHEMES)
def test_scheme_is_judged_where_an_operation_demands_it(
    scheme: str, renamed: str, printed: bool
) -> None:
    before, after = (
        _document(
            _SHORT, _SCHEMES[scheme]({"type": "apiKey", "in": "header", "name": name}), sent=True
        )
        for name in ("X-Key", renamed)
    )
    for side in (before, after):
        side["paths"]["/things"]["post"]["security"] = [{"Key": []}]
    expected = (
        [("security-changed", "name", Direction.REQUEST, "X-Key", renamed)] if printed else []
    )
    assert _print_changes(before, after) == expected


@cases("sent", [False, True], ids=["response", "request"])
@cases(("old", "new"), [(_SHORT, _LONG), (_LONG, _SHORT), (_SHORT, _NUMBER)])
def test_target_of_a_dynamic_reference_concerns_its_operation(
    old: Document, new: Document, sent: bool
) -> None:
    before, after = (
        _document(
            {"$dynamicRef": "#node"},
            {"components": {"schemas": {"A": {"$defs": {"b": {"$dynamicAnchor": "node", **one}}}}}},
            sent=sent,
        )
        for one in (old, new)
    )
    inline = _print_changes(_document(old, {}, sent=sent), _document(new, {}, sent=sent))
    assert _print_changes(before, after) == inline
