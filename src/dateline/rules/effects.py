"""Describe changes to callers in a sentence: how requests and responses differ."""

from __future__ import annotations

import json
from typing import Any, Final

from dateline.model import Change, Direction, Kind, printable
from dateline.rules.gated.keywords import WRITTEN
from dateline.rules.predicates import SENT, is_call, is_flag, is_required
from dateline.rules.wording import (
    NOUNS,
    describe,
    event_of,
    format_name,
    get_value,
    name_owner,
    name_place,
    names_dialect,
    quote,
)
from dateline.schema.limits import FLAGS, describe_flag, describe_limits
from dateline.schema.types import UNIONS, choices

_IN_MESSAGES: Final = {
    Direction.REQUEST: ("requests", "answers to webhooks", "requests and answers to webhooks"),
    Direction.RESPONSE: ("responses", "webhooks", "responses and webhooks"),
    Direction.BOTH: ("requests and responses", "webhooks and answers to them", "all messages"),
    Direction.MODEL: ("models", "models", "models"),
}
"""Where callers meet what changed: in messages of operations that they call, of webhooks, of both;
or in models that nothing refers to."""

_KEYWORDS: Final = {
    "additionalProperties": "description of other members",
    "const": "fixed value",
    "enum": "list of values",
    "maxItems": "maximum number of items",
    "maxLength": "maximum length",
    "maxProperties": "maximum number of members",
    "minItems": "minimum number of items",
    "minLength": "minimum length",
    "minProperties": "minimum number of members",
    **dict.fromkeys(UNIONS, "union of variants"),
}
"""What keywords are called in sentences, except where that is their name."""

_EVENTS: Final = {"added": "new", "removed": "gone"}
_HAPPENED: Final = {"added": "is new", "removed": "is gone", "changed": "has changed"}
_OF_SEVERAL: Final = {"added": "are new", "removed": "are gone", "changed": "have changed"}
_MOST_VALUES: Final = 5
_MOST_FIELDS: Final = 3
"""With more of them, the values of a variant without a name are not listed; so many fields are."""

_PLURAL: Final = frozenset({"examples", "externalDocs", "servers", "tags"})
"""Keywords whose names are plurals, of those that `_describe` makes the subject of a sentence."""

_PARTS: Final = frozenset({"body", "media-type", "response", "header", "parameter"})
"""Parts of operations and components, as the names of kinds of changes begin."""


def describe_effect(change: Change) -> str:
    """Return what *change* means to callers, as a sentence: `Loan.due is gone from responses.`"""
    sentence = printable(_describe(change))
    # the names of fields and components keep their case
    is_word = sentence.startswith(("the ", "each item of ", "how "))
    return f"{sentence[0].upper()}{sentence[1:]}." if is_word else f"{sentence}."


def _describe(change: Change) -> str:
    place = _name_place(change)
    where = _name_messages(change)
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
        case Kind.PARAMETER_MOVED:
            both = f"{format_name(change.after)} where it had {format_name(change.before)}"
            return f"{name_owner(change)}: the path has {both}"
        case Kind.SECURITY_CHANGED:
            return _describe_security(change)
        case Kind.LINK_CHANGED:
            return f"{name_owner(change)}: the link {change.keyword} {_HAPPENED[event_of(change)]}"
        case Kind.DOCUMENTATION_CHANGED:
            keyword = change.keyword or "documentation"
            return f"the {keyword} of {place} {_phrase_event(keyword, event_of(change))}"
    if subject in _PARTS and event in _EVENTS:
        name = " ".join(filter(None, (NOUNS.get(subject, subject), change.field)))
        needed = " and required" if event == "added" and is_required(change) else ""
        return f"{name_owner(change)}: the {name} is {_EVENTS[event]}{needed}"
    if change.within and get_value(change) is not None:
        return _describe_switch(change, place)
    return _describe_keyword(change, place)


def _name_messages(change: Change) -> str:
    """Return where callers meet what changed: `responses`, `webhooks`."""
    calls, webhooks, both = _IN_MESSAGES[change.direction]
    kinds = {each.startswith("WEBHOOK ") for each in change.operations}
    return both if len(kinds) > 1 else webhooks if True in kinds else calls


def _name_place(change: Change) -> str:
    """Return the place as callers look for it: the field first, then the operation."""
    if change.schema is not None or not change.field:
        return name_place(change)
    owner, field = name_owner(change), change.field
    while field.startswith("[]"):
        owner, field = f"each item of {owner}", field[2:]
    return f"{field.removeprefix('.')} of {owner}" if field else owner


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


def _describe_security(change: Change) -> str:
    """Return the sentence about the credentials that operations need."""
    owner = name_owner(change)
    if change.keyword != "security":
        return f"{owner}: how to authenticate has changed ({change.keyword})"
    before, after = (_name_credentials(side) for side in (change.before, change.after))
    if before == after:
        return f"{owner}: the scopes that callers need have changed"
    if not after:
        return f"{owner} needs no credentials any more"
    return (
        f"{owner} needs {f'{after} now, not {before}' if before else f'credentials now: {after}'}"
    )


def _name_credentials(security: Any) -> str:
    """Return the names of the schemes that *security* requires; empty if it requires none."""
    ways = [way for way in security if isinstance(way, dict)] if isinstance(security, list) else []
    if not any(ways):
        return ""
    return " or ".join(" and ".join(map(format_name, sorted(way))) or "nothing" for way in ways)


def _describe_keyword(change: Change, place: str) -> str:
    """Return the sentence about a keyword; values that are no plain ones are left out."""
    if is_flag(change):
        return f"{name_owner(change)}: the {describe(change).rpartition(': ')[2]}"
    if change.keyword in FLAGS and isinstance(get_value(change), bool):
        return f"{place}: {describe_flag(change.keyword, change.after)} now"
    keyword, event = change.keyword or "content", event_of(change)
    keyword = _KEYWORDS.get(keyword, keyword)
    sides = [_write_side(change.keyword, side) for side in (change.before, change.after)]
    before, after = sides
    following = ", and with it the dialect of every schema" if names_dialect(change) else ""
    if None in sides:
        if event == "changed" and json.dumps(change.before) == json.dumps(change.after):
            return f"what the {keyword} of {place} depends on has changed"
        return f"the {keyword} of {place} {_phrase_event(keyword, event)}{following}"
    if keyword in WRITTEN:
        said = {"added": after, "removed": f"no longer {before}"}.get(
            event, f"{after}, not {before}"
        )
        return f"how {place} is written has changed ({keyword}: {said})"
    if event in _EVENTS:
        value = after if event == "added" else before
        is_yes_or_no = isinstance(get_value(change), bool)
        named = f"{keyword}: {value}" if is_yes_or_no else f"the {keyword} {value}"
        return f"{place} {f'has {named} now' if event == 'added' else f'no longer has {named}'}"
    verbs = ("were", "are") if keyword in _PLURAL else ("was", "is")
    return f"the {keyword} of {place} {verbs[0]} {before} and {verbs[1]} {after} now{following}"


def _phrase_event(keyword: str, event: str) -> str:
    """Return what happened to *keyword*, the subject of the sentence."""
    return (_OF_SEVERAL if keyword in _PLURAL else _HAPPENED)[event]


def _write_side(keyword: str, value: Any) -> str | None:
    """Return a plain value as text, or the addresses of servers; None for other values."""
    if keyword == "servers" and isinstance(value, list):
        urls = [each.get("url") for each in value if isinstance(each, dict)]
        return " and ".join(map(quote, urls)) or None
    if keyword == "type":
        types = value if isinstance(value, list) else [value]
        named = [format_name(each) for each in types if each != "null"]
        return " or ".join([*named, *["null"] * ("null" in types)]) or None
    return None if isinstance(value, list | dict) else quote(value)


def _name_choice(change: Change) -> str:
    value = get_value(change)
    if isinstance(value, dict):
        return _name_variant(value)
    if change.kind not in (Kind.TYPE_ADDED, Kind.TYPE_REMOVED):
        return format_name(value)
    return "null" if value == "null" else f"of the type {format_name(value)}"


def _name_variant(schema: dict[str, Any]) -> str:
    """Return what a variant without a name is: one of a few values, or of a type."""
    listed = choices(schema)
    if listed and len(listed) <= _MOST_VALUES:
        return " or ".join(map(format_name, listed))
    written = _write_side("type", schema.get("type", []))
    fields = schema.get("properties")
    if isinstance(fields, dict) and fields:
        named, more = (
            ", ".join(map(format_name, [*fields][:_MOST_FIELDS])),
            len(fields) - _MOST_FIELDS,
        )
        return f"an object with {named}" + (f" and {more:,} more" if more > 0 else "")
    named = f"of the type {written}" if written else "a variant without a name"
    return ", ".join([named, *describe_limits(schema)])
