"""Annotations of null as a member of a union are compared, however null is spelled there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from dateline.diff import diff
from dateline.model import Change, Kind

Schema = dict[str, Any]
Notes = dict[str, Any]
_Spelling = Callable[[str, Notes], list[Any]]
"""Returns the members of a union; its arguments are the keyword of the union, and annotations."""

_TEXT: Final = {"type": "string", "maxLength": 5}
_ANY_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_A: Final = {"$ref": "#/components/schemas/A"}
_B: Final = {"$ref": "#/components/schemas/B"}

_BOTH: Final[dict[str, _Spelling]] = {
    "type": lambda _, notes: [_TEXT, {"type": "null", **notes}],
    "first": lambda _, notes: [{"type": "null", **notes}, _TEXT],
    "enum": lambda _, notes: [_TEXT, {"enum": [None], **notes}],
    "allOf": lambda _, notes: [_TEXT, {"allOf": [{"enum": [None], **notes}]}],
    "of three": lambda _, notes: [_TEXT, _NUMBER, {"enum": [None], **notes}],
    "beside a component": lambda _, notes: [_A, {"enum": [None], **notes}],
    "beside components": lambda _, notes: [_A, _B, {"enum": [None], **notes}],
    "beside values": lambda _, notes: [{"enum": ["a"]}, {"enum": ["b"]}, {"enum": [None], **notes}],
    "beside one value": lambda _, notes: [{"enum": ["a"]}, {"enum": [None], **notes}],
    "alone": lambda _, notes: [{"enum": [None], **notes}],
    "within": lambda union, notes: [_TEXT, {union: [_NUMBER, {"type": "null", **notes}]}],
    "without": lambda union, notes: [{union: [_TEXT, {"type": "null", **notes}]}, _NUMBER],
    "in a union of one": lambda union, notes: [_TEXT, {union: [{"type": "null", **notes}]}],
    "known values": lambda _, notes: [_ANY_TEXT, {"enum": ["a"]}, {"type": "null", **notes}],
}
_NEW: Final[dict[str, _Spelling]] = {
    **_BOTH,
    "types": lambda _, notes: [_TEXT, {"type": ["null"], **notes}],
    "const": lambda _, notes: [_TEXT, {"const": None, **notes}],
    "type and const": lambda _, notes: [_TEXT, {"type": "null", "const": None, **notes}],
    "type and enum": lambda _, notes: [_TEXT, {"type": "null", "enum": [None], **notes}],
    "beside a reference": lambda _, notes: [_TEXT, {"$ref": "#/components/schemas/Null", **notes}],
    "beside allOf": lambda _, notes: [_TEXT, {"allOf": [{"type": "null"}], **notes}],
}
_OLD: Final[dict[str, _Spelling]] = {
    **_BOTH,
    "nullable": lambda _, notes: [
        _TEXT,
        {"type": "string", "nullable": True, "enum": [None], **notes},
    ],
}

_NOTES: Final[dict[str, tuple[Any, Any, Kind | None]]] = {
    "description": ("None.", "Nothing.", Kind.DOCUMENTATION_CHANGED),
    "title": ("None", "Nothing", Kind.DOCUMENTATION_CHANGED),
    "example": (None, "none", Kind.DOCUMENTATION_CHANGED),
    "examples": ([None], [None, None], Kind.DOCUMENTATION_CHANGED),
    "x-note": ("none", ["nothing"], Kind.EXTENSION_CHANGED),
    "deprecated": (True, False, None),
    "default": (None, "none", None),
    "readOnly": (True, False, None),
    "writeOnly": (True, False, None),
}
"""Two values of each annotation, and what a change of it is; None for a change of a keyword."""


def fields(spellings: dict[str, _Spelling], at: int | None) -> Iterator[tuple[str, Schema]]:
    """Yield a field for each spelling, union and annotation with its value *at*, or without it."""
    for name, members in spellings.items():
        for union in ("anyOf", "oneOf"):
            for keyword, values in _NOTES.items():
                notes = {} if at is None else {keyword: values[at]}
                yield f"{union} {name} {keyword}", {union: members(union, notes)}


def components(at: int | None) -> dict[str, Schema]:
    return {
        f"Null-{keyword}": {"enum": [None]} | ({} if at is None else {keyword: values[at]})
        for keyword, values in _NOTES.items()
    }


def document(version: str, at: int | None) -> dict[str, Any]:
    referring = {
        f"{union} {keyword}": {union: [_A, {"$ref": f"#/components/schemas/Null-{keyword}"}]}
        for keyword in _NOTES
        for union in ("anyOf", "oneOf")
    }
    spelled = dict(fields(_OLD if version < "3.1" else _NEW, at))
    schema = {"type": "object", "properties": {**spelled, **referring}}
    message = {"content": {"application/json": {"schema": schema}}}
    operation = {"requestBody": message, "responses": {"200": {"description": "", **message}}}
    return {
        "openapi": version,
        "info": {"title": "Null", "version": "1"},
        "paths": {"/notes": {"put": operation}},
        "components": {
            "schemas": {
                "A": {"type": "object", "properties": {"a": {"type": "string"}}},
                "B": {"type": "array", "items": {"type": "string"}},
                "Null": {"type": "null"},
                **components(at),
            }
        },
    }


def list_expected(version: str, first: int | None, second: int | None) -> list[tuple[Any, ...]]:
    spelled = [name for name, _ in fields(_OLD if version < "3.1" else _NEW, first)]
    places = [(name, "", name.rpartition(" ")[2]) for name in spelled]
    places += [("", f"Null-{keyword}", keyword) for keyword in _NOTES]
    found = []
    for field, schema, keyword in places:
        *values, kind = _NOTES[keyword]
        before, after = (None if at is None else values[at] for at in (first, second))
        after = None if after is False else after  # which means nothing
        is_removed = second is None or values[second] is False
        action = "added" if first is None else "removed" if is_removed else "changed"
        found.append((field, schema, keyword, kind or Kind(f"keyword-{action}"), before, after))
    return sorted(found, key=str)


def describe(change: Change) -> tuple[Any, ...]:
    schema = change.schema or ""
    return change.field, schema, change.keyword, change.kind, change.before, change.after


def test_annotations_of_null_are_compared() -> None:
    for version in ("3.0.3", "3.1.0"):
        for first, second in ((None, 0), (0, None), (0, 1)):
            changes = diff(document(version, first), document(version, second))
            found = sorted(map(describe, changes), key=str)
            assert found == list_expected(version, first, second)
            assert {change.operations for change in changes} == {("PUT /notes",)}


def test_null_comes_and_goes_with_its_annotations() -> None:
    def read(schema: Schema) -> dict[str, Any]:
        whole = document("3.1.0", None)
        message = {"content": {"application/json": {"schema": schema}}}
        whole["paths"]["/notes"]["put"] = {"responses": {"200": {"description": "", **message}}}
        return whole

    noted = {"type": "null", "description": "None.", "default": None, "x-note": 1}
    for without, null in (
        ({"anyOf": [_TEXT]}, {"anyOf": [_TEXT, noted]}),
        (_TEXT, {"oneOf": [_TEXT, noted]}),
        ({"anyOf": [_A, _B]}, {"anyOf": [_A, _B, noted]}),
    ):
        for before, after, kind in ((without, null, "added"), (null, without, "removed")):
            [change] = diff(read(before), read(after))
            assert (change.kind, change.keyword) == (Kind(f"type-{kind}"), "type")
    plain = {"type": ["string", "null"], "maxLength": 5}
    for union in ("anyOf", "oneOf"):
        # the spelling alone is no change, its annotations are
        assert diff(read(plain), read({union: [_TEXT, {"const": None}]})) == []
        changes = diff(read(plain), read({union: [_TEXT, noted]}))
        assert sorted(change.keyword for change in changes) == ["default", "description", "x-note"]
