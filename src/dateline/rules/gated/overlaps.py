"""Changes of the members of a `oneOf` that may share values: they need a new version."""

from __future__ import annotations

from dateline.model import Change, Direction, Kind
from dateline.rules.predicates import ONLY_READ, Extent, extent, is_required
from dateline.rules.rule import gated

_MORE = frozenset({Kind.VALUE_ADDED, Kind.VARIANT_ADDED})
_FEWER = frozenset({Kind.VALUE_REMOVED, Kind.VARIANT_REMOVED})


@gated
def overlap_changed(change: Change) -> bool:
    """Variants of a `oneOf` that a value may fit together stay as they are.

    A value that fits two variants is refused, so that a variant that allows more can take values
    away from the union, and one that allows less can let new ones through.

    Give what is new `x-added: next`, or keep what was for older versions with `x-removed` or
    `x-was` (`dateline gate` writes it). No value fits two variants that differ in their type or
    in the constant of a property that both require.

    Callers: Check which variant of the union your values match.
    Breaks: code that relies on which variant of the union a value matches.

    In a request, before:
        Size: {oneOf: [{type: integer, maximum: 5}, {type: integer, minimum: 10}]}
    After:
        Size: {oneOf: [{type: integer, maximum: 20}, {type: integer, minimum: 10}]}
    """
    if not change.exclusive:
        return False
    if change.direction is Direction.REQUEST:
        opened = change.kind is Kind.FIELD_ADDED and change.closed
        return opened or extent(change) is Extent.WIDER or change.kind in _MORE
    required = change.kind is Kind.FIELD_ADDED and is_required(change)
    fewer = required or extent(change) is Extent.NARROWER or change.kind in _FEWER
    return fewer and change.direction in ONLY_READ
