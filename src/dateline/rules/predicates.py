"""Predicates of rules about a change: where it is, and whether it allows more or less."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import isfinite
from typing import Any, Final

from dateline.model import Change, Direction, Kind

KEYWORD: Final = frozenset({Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED, Kind.KEYWORD_CHANGED})

SENT: Final = frozenset({Direction.REQUEST, Direction.BOTH})
"""What a caller writes, or writes as well."""

ONLY_READ: Final = frozenset({Direction.RESPONSE, Direction.MODEL})
"""What a caller reads and never writes. A model that no operation uses counts as read."""

READ: Final = ONLY_READ | {Direction.BOTH}
"""What a caller reads, or reads as well."""

_BODY: Final = frozenset({"body"})


class Extent(Enum):
    """Whether after a change more values are allowed, or fewer."""

    WIDER = "wider"
    NARROWER = "narrower"
    OTHER = "other"


CONSTRAINTS: Final = frozenset(
    {
        *("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"),
        *("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"),
        *("multipleOf", "pattern", "format", "uniqueItems", "type", "required"),
    }
)
"""Keywords that can only forbid, whatever is beside them."""

ALLOWING: Final = "allowEmptyValue"
"""A keyword that can only allow more."""

# Keywords that can only forbid too, but with a meaning that depends on their neighbours, or with
# a law of their own.
_DEPENDENT: Final = frozenset(
    {
        *("additionalProperties", "propertyNames", "items", "not"),
        *("unevaluatedProperties", "unevaluatedItems", "contains", "if"),
        *("dependentRequired", "dependentSchemas", "enum", "const"),
    }
)

_EXTENTS: Final = {
    Kind.FIELD_REQUIRED: Extent.NARROWER,
    Kind.FIELD_OPTIONAL: Extent.WIDER,
    Kind.TYPE_ADDED: Extent.WIDER,
    Kind.TYPE_REMOVED: Extent.NARROWER,
}

# Formats, each with a wider one: all its numbers fit, and more.
_WIDER_FORMATS: Final = (("int32", "int64"), ("float", "double"))


def is_required(change: Change) -> bool:
    """Return whether *change* adds or removes a required field, parameter or header."""
    return change.keyword == "required"


def is_flag(change: Change) -> bool:
    """Return whether a parameter, body or header as a whole became required or optional."""
    return change.kind in KEYWORD and change.keyword == "required"


def in_parameters(change: Change) -> bool:
    """Return whether *change* concerns what callers write into a path, query, header or cookie."""
    return change.direction is Direction.REQUEST and not _BODY.issuperset(change.carriers)


def in_parameters_only(change: Change) -> bool:
    """Return whether *change* concerns what callers write into such a place and nowhere else."""
    return in_parameters(change) and _BODY.isdisjoint(change.carriers)


def is_call(change: Change) -> bool:
    """Return whether an operation is one that callers call; webhooks and callbacks call them."""
    callback = change.field != ""
    return not callback and not any(name.startswith("WEBHOOK ") for name in change.operations)


def is_error(change: Change) -> bool:
    """Return whether a response is documented for a status of an error, or as `default`."""
    return change.field == "default" or change.field[:1] in ("4", "5")


def keeps_credentials(change: Change) -> bool:
    """Return whether all credentials that an operation accepted are accepted after *change*.

    Other settings of a scheme are not considered: they may change where a secret is sent.
    """
    if change.keyword != "security":
        return False
    before, after = _read_demands(change.before), _read_demands(change.after)
    if before is None or after is None:
        return False
    return all(any(new <= old for new in after) for old in before)


def _read_demands(security: Any) -> list[set[tuple[str, str]]] | None:
    """Return the schemes and scopes that each alternative demands; None if it is malformed.

    A scheme is paired with each of its scopes, and with nothing.
    """
    listed = [] if security is None else security
    if not isinstance(listed, list):
        return None
    found = []
    for alternative in listed or [{}]:
        if not isinstance(alternative, dict):
            return None
        demanded = set()
        for name, scopes in alternative.items():
            if not isinstance(scopes, list) or not all(isinstance(one, str) for one in scopes):
                return None
            demanded |= {(name, scope) for scope in ("", *scopes)}
        found.append(demanded)
    return found


def extent(change: Change) -> Extent:
    """Return whether *change* allows more values or fewer; OTHER where neither is certain."""
    if change.kind in _EXTENTS:
        return _EXTENTS[change.kind]
    if change.wider:
        return Extent.WIDER
    if change.keyword == ALLOWING:
        return Extent.WIDER if change.kind is Kind.KEYWORD_ADDED else Extent.NARROWER
    if change.keyword not in CONSTRAINTS and change.keyword not in _DEPENDENT:
        return Extent.OTHER
    if change.kind is Kind.KEYWORD_ADDED:
        return Extent.NARROWER
    if change.kind is Kind.KEYWORD_REMOVED:
        return Extent.WIDER
    return _compare(change) if change.kind is Kind.KEYWORD_CHANGED else Extent.OTHER


def _compare(change: Change) -> Extent:
    allows_more = _COMPARED.get(change.keyword)
    if allows_more is None:
        return Extent.OTHER
    if allows_more(change.before, change.after):
        return Extent.WIDER
    return Extent.NARROWER if allows_more(change.after, change.before) else Extent.OTHER


def _number(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (isinstance(value, float) and isfinite(value))


def _higher(before: Any, after: Any) -> bool:
    return _number(before) and _number(after) and bool(after > before)


def _lower(before: Any, after: Any) -> bool:
    return _number(before) and _number(after) and bool(after < before)


def _divides(before: Any, after: Any) -> bool:
    """Return whether every multiple of *before* is one of *after*, in decimal as it is written."""
    if not (_number(before) and _number(after)) or min(before, after) <= 0:
        return False
    # its import is only needed for this one keyword
    from fractions import Fraction

    exact = [Fraction(repr(side) if isinstance(side, float) else side) for side in (before, after)]
    return (exact[0] / exact[1]).denominator == 1


_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _higher
    ),
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _lower
    ),
    "multipleOf": _divides,
    "format": lambda before, after: (before, after) in _WIDER_FORMATS,
    "additionalProperties": lambda before, after: before is False and after is not False,
}
