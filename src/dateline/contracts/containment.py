"""Decide whether every value that is valid for one era of a node is valid for another."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from dateline.model import GATES, KEYS
from dateline.schema.dialect import OR_NULL
from dateline.schema.types import (
    ANNOTATIONS,
    UNIONS,
    choices,
    declared_types,
    is_enumeration,
)

Era = dict[str, Any]

# The keys of each kind, besides schemas, that concern values.
_HOLDS: Final = {
    "media-type": ("schema",),
    "header": ("schema", "content"),
    "parameter": ("schema", "content", "in"),
    "response": ("content", "headers"),
    "request-body": ("content",),
    "operation": ("parameters", "requestBody", "responses"),
}


def is_contained(kind: str, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether every value of the era *one* is, unchanged, a value of the era *other*.

    If in doubt, the answer is no. Schemas below must be written identically, or be the same at all
    versions.
    """
    if kind != "schema":
        return all(_holds_the_same(one, other, key) for key in _HOLDS.get(kind, ()))
    return _keys_fit(one, other) or _listed_fit(one, other) or _is_of_member(one, other)


def differs(one: Era, other: Era) -> bool:
    """Return whether two eras of a schema differ for any value."""
    return bool(_differing(one, other))


def _keys_fit(one: Era, other: Era) -> bool:
    return all(key in _FITS and _FITS[key](one, other, key) for key in _differing(one, other))


def _differing(one: Era, other: Era) -> list[str]:
    return [
        key
        for key in {**one, **other}
        if key not in _SAYS_NOTHING
        and not key.startswith("x-")
        and not _same(one.get(key), other.get(key))
    ]


def _listed_fit(one: Era, other: Era) -> bool:
    """Return whether the texts that *one* lists are valid for *other*, by their lengths."""
    listed = choices(one) or ()
    lengths = [len(value) for value in listed if isinstance(value, str)]
    if not lengths or not all(isinstance(value, str | None) for value in listed):
        return False
    return _keys_fit({**one, "minLength": min(lengths), "maxLength": max(lengths)}, other)


def _is_of_member(one: Era, other: Era) -> bool:
    """Return whether *one* is contained in a member of *other*, which is only an `anyOf`."""
    members = other.get("anyOf")
    if not isinstance(members, list) or {*other} - _SAYS_NOTHING - {"anyOf", OR_NULL}:
        return False
    return any(_is_below(one, member) for member in members)


def _is_below(one: Era, other: Any) -> bool:
    """Return whether values of *one* are valid for *other*, at all versions."""
    if not isinstance(other, dict) or _holds_gates(other):
        return False
    return _same(one, other) or (not _holds_gates(one) and is_contained("schema", one, other))


def _holds_the_same(one: dict[str, Any], other: dict[str, Any], key: str) -> bool:
    if key == "schema" and isinstance(one.get(key), dict) and isinstance(other.get(key), dict):
        return is_contained("schema", one[key], other[key])
    return _same(one.get(key), other.get(key))


_APPLIED: Final = frozenset({"$ref", "allOf", "oneOf", "anyOf", "not", "if"})

_SAYS_NOTHING: Final = (ANNOTATIONS | KEYS) - {"format"}


def _same(one: Any, other: Any) -> bool:
    return one is other or json.dumps(one, default=str) == json.dumps(other, default=str)


def _null_fits(one: Era, other: Era, _: str) -> bool:
    """Return whether *other* allows null if *one* does."""
    if OR_NULL not in one or OR_NULL in other:
        return True
    listed = choices(other)
    is_listed = listed is None or None in listed
    return is_listed and "null" in declared_types(other) and _APPLIED.isdisjoint(other)


def _is_dropped(_: Era, other: Era, key: str) -> bool:
    return not other.get(key)


def _format_fits(one: Era, other: Era, key: str) -> bool:
    wanted = other.get(key)
    if wanted == "double":
        # what JSON parsers read any number as (RFC 8259, section 6)
        return "string" not in declared_types(other)
    # any text is a password: the format is a hint for people's input
    return wanted in (None, "password") or (one.get(key), wanted) == ("int32", "int64")


def _is_within(one: Era, other: Era, key: str) -> bool:
    """Return whether numbers of *one* keep the bounds of *other*, at the end that *key* is for."""
    end = "minimum" if key.endswith("inimum") else "maximum"
    sign = 1 if end == "maximum" else -1
    ours, theirs = (
        [(sign * era[name], name == end) for name in (end, f"exclusiveM{end[1:]}") if name in era]
        for era in (one, other)
    )
    return not theirs or (bool(ours) and min(ours) <= min(theirs))


def _values_fit(one: Era, other: Era, key: str) -> bool:
    if key in UNIONS and not all(
        is_enumeration({key: era[key]}) for era in (one, other) if key in era
    ):
        return False
    if any(_holds_gates(era.get(key)) for era in (one, other)):
        return False
    allowed = _list_choices(other, key)
    if allowed is None:
        return True
    listed = _list_choices(one, key)
    texts = {json.dumps(value) for value in allowed}
    return listed is not None and all(json.dumps(value) in texts for value in listed)


def _list_choices(era: Era, key: str) -> list[Any] | None:
    """Return the values that *era* lists under *key*, or under another one in place of it."""
    return choices({key: era[key]} if key in UNIONS and key in era else era)


def _is_open(_: Era, other: Era, key: str) -> bool:
    return other.get(key, True) is True


def _has_fewer_fields(one: Era, other: Era, key: str) -> bool:
    """Return whether *other* knows all fields of *one*, which has no others."""
    fields, known = one.get(key, {}), other.get(key, {})
    is_closed = one.get("additionalProperties") is False and "patternProperties" not in one
    return is_closed and all(name in known and _same(fields[name], known[name]) for name in fields)


_FITS: Final[dict[str, Callable[[Era, Era, str], bool]]] = {
    "type": lambda one, other, _: declared_types(one) <= declared_types(other),
    OR_NULL: _null_fits,
    "format": _format_fits,
    **dict.fromkeys(("pattern", "uniqueItems"), _is_dropped),
    **dict.fromkeys(
        ("maxLength", "maxItems", "maxProperties"),
        lambda one, other, key: key not in other or (key in one and one[key] <= other[key]),
    ),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), _is_within),
    **dict.fromkeys(
        ("minLength", "minItems", "minProperties"),
        lambda one, other, key: key not in other or (key in one and one[key] >= other[key]),
    ),
    **dict.fromkeys(("minimum", "exclusiveMinimum"), _is_within),
    **dict.fromkeys(("enum", "const", "oneOf", "anyOf"), _values_fit),
    "multipleOf": _is_dropped,
    "required": lambda one, other, key: {*other.get(key, ())} <= {*one.get(key, ())},
    "additionalProperties": _is_open,
    "items": _is_open,
    "properties": _has_fewer_fields,
}


def _holds_gates(node: Any) -> bool:
    """Return whether *node*, or anything in it, differs between versions."""
    if isinstance(node, list):
        return any(map(_holds_gates, node))
    if not isinstance(node, dict):
        return False
    return not GATES.isdisjoint(node) or any(map(_holds_gates, node.values()))
