"""Describe changes to callers in a sentence: how requests and responses differ."""

from __future__ import annotations

from typing import Final

from dateline.model import Change, Direction, Kind, printable
from dateline.rules.predicates import SENT, is_call, is_flag, is_required
from dateline.rules.wording import (
    NOUNS,
    describe,
    format_name,
    get_value,
    name_owner,
    name_place,
    quote,
)

IN_MESSAGES: Final = {
    Direction.REQUEST: "requests",
    Direction.RESPONSE: "responses",
    Direction.BOTH: "requests and responses",
    Direction.MODEL: "models",
}
"""Where callers meet what changed: in messages, or in models that nothing refers to."""

_EVENTS: Final = {"added": "new", "removed": "gone"}

_PARTS: Final = frozenset({"body", "media-type", "response", "header", "parameter"})
"""What operations and components have, by the beginning of the kinds of changes."""


def describe_effect(change: Change) -> str:
    """Return what *change* means to callers, as a sentence: `Loan.due is gone from responses.`"""
    sentence = printable(_describe(change))
    # the names of fields and components keep their case
    return f"T{sentence[1:]}." if sentence.startswith("the ") else f"{sentence}."


def _describe(change: Change) -> str:
    return _describe_effect(change) or describe(change)


def _describe_effect(change: Change) -> str | None:
    place = _name_place(change)
    where = IN_MESSAGES[change.direction]
    subject, _, event = change.kind.value.rpartition("-")
    match change.kind:
        case Kind.FIELD_ADDED:
            return _describe_new_field(change, place, where)
        case Kind.FIELD_REMOVED:
            return f"{place} is gone from {where}"
        case Kind.FIELD_RENAMED:
            return f"{place} was called {format_name(change.before)}"
        case Kind.FIELD_REQUIRED:
            if change.direction in SENT:
                return f"You have to send {place}"
            return f"{place} is always in {where}"
        case Kind.FIELD_OPTIONAL:
            if change.direction is Direction.REQUEST:
                return f"You may leave out {place}"
            return f"{place} may be missing from {where}"
        case Kind.VARIANT_ADDED | Kind.VALUE_ADDED | Kind.OPEN_VALUE_ADDED | Kind.TYPE_ADDED:
            return f"{place} can also be {_name_choice(change)} in {where}"
        case (
            Kind.VARIANT_REMOVED | Kind.VALUE_REMOVED | Kind.OPEN_VALUE_REMOVED | Kind.TYPE_REMOVED
        ):
            return f"{place} can no longer be {_name_choice(change)} in {where}"
        case Kind.OPERATION_ADDED | Kind.OPERATION_REMOVED:
            return _describe_operation(change, event)
        case Kind.COMPONENT_ADDED | Kind.COMPONENT_REMOVED:
            return f"The component {change.schema} is {_EVENTS[event]}"
        case Kind.COMPONENT_RENAMED:
            return f"The component {change.after} was called {format_name(change.before)}"
        case Kind.PARAMETER_RENAMED | Kind.HEADER_RENAMED:
            renamed = f"the {subject} {change.after} was called {format_name(change.before)}"
            return f"{name_owner(change)}: {renamed}"
    if subject in _PARTS and event in _EVENTS:
        name = " ".join(filter(None, (NOUNS.get(subject, subject), change.field)))
        needed = " and required" if event == "added" and is_required(change) else ""
        return f"{name_owner(change)}: the {name} is {_EVENTS[event]}{needed}"
    if change.within and get_value(change) is not None:
        return _describe_switch(change, place)
    return _describe_keyword(change, place)


def _name_place(change: Change) -> str:
    """Return the place as callers look for it: the field first, then the operation."""
    inline = change.schema is None and change.field
    return f"{change.field} of {name_owner(change)}" if inline else name_place(change)


def _describe_new_field(change: Change, place: str, where: str) -> str:
    if change.direction is Direction.REQUEST:
        return f"You {'have to' if is_required(change) else 'can'} send {place}"
    return f"{place} is new in {where}{', and always there' if is_required(change) else ''}"


def _describe_operation(change: Change, event: str) -> str:
    owner = name_owner(change)
    if change.field:
        return f"{owner}: the callback {change.field} is {_EVENTS[event]}"
    if event == "added" and is_call(change):
        return f"You can call {owner}"
    return f"{owner} is {_EVENTS[event]}"


def _describe_switch(change: Change, place: str) -> str:
    """Return the sentence about a reference to another component, with the first consequence."""
    before, after = (
        None if side is None else format_name(side) for side in (change.before, change.after)
    )
    if after is None:
        fact = f"{place} is no longer described by {before}"
    else:
        fact = f"{place} is described by {after} now{f', not by {before}' if before else ''}"
    first, *more = change.within
    return f"{fact}: {_describe(first)}{f', and {len(more):,} more' if more else ''}"


def _describe_keyword(change: Change, place: str) -> str | None:
    """Return the sentence about a keyword with a plain value; None where others say it better."""
    sides = (change.before, change.after)
    plain = all(
        isinstance(side, str | int | float | None) and not isinstance(side, bool) for side in sides
    )
    if is_flag(change) or not plain or not change.keyword:
        return None
    match change.kind:
        case Kind.KEYWORD_ADDED:
            return f"{place} has the {change.keyword} {quote(change.after)} now"
        case Kind.KEYWORD_REMOVED:
            return f"{place} no longer has the {change.keyword} {quote(change.before)}"
        case Kind.KEYWORD_CHANGED:
            both = f"{quote(change.before)} and is {quote(change.after)} now"
            return f"The {change.keyword} of {place} was {both}"
    return None


def _name_choice(change: Change) -> str:
    value = get_value(change)
    if change.kind not in (Kind.TYPE_ADDED, Kind.TYPE_REMOVED):
        return format_name(value)
    return "null" if value == "null" else f"of the type {format_name(value)}"
