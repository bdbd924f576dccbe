"""A change in, one line out: what happened, in the past tense, subject first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from dateline.model import Change, Kind, printable
from dateline.rules.predicates import is_call, is_flag

_LONGEST: Final = 60

_WORD: Final = re.compile(r"[^\W\d][\w.:/+-]{0,59}")
_LITERALS: Final = frozenset({"null", "true", "false"})

# What a flag stands on, by the key that stands two above it in its pointer.
_FLAGGED: Final = {"parameters": "parameter", "headers": "header"}

# How the path goes on below a keyword.
_STEPS: Final = {
    **dict.fromkeys(("items", "contains", "prefixItems"), "[]"),
    **dict.fromkeys(("additionalProperties", "patternProperties"), "{}"),
}


def describe(change: Change) -> str:
    """Return what happened in one line: `Customer.email: field removed`."""
    told = (True, _flag) if is_flag(change) else _FACTS.get(change.kind)
    if told is None:
        return printable(f"{_place(change)}: {_differs(change)}")
    whole, fact = told
    return printable(f"{_owner(change) if whole else _place(change)}: {fact(change)}")


# The subject


def _owner(change: Change) -> str:
    """Return the component, or the operations where there is none."""
    if change.schema is not None:
        return change.schema
    if not change.operations:
        return "the document"
    first, *more = change.operations
    return f"{first} and {len(more)} more" if more else first


def _place(change: Change) -> str:
    """Return the owner and the path below it."""
    owner = _owner(change)
    # a keyword that came or went is no place of its own
    field = change.field.removesuffix(_STEPS.get(change.keyword, ""))
    if not field:
        return owner
    if change.schema is None:
        return f"{owner}, {field}"
    return f"{owner}{'' if field[0] in '[{' else '.'}{field}"


# Values


def _shown(value: Any) -> str:
    """Return *value* as it is written, text in single quotes; long ones cut."""
    text = (
        repr(value)
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )
    return printable(text, _LONGEST)


def _name(value: Any) -> str:
    """Return *value* as a name: text as it is, unless it could be taken for something else."""
    plain = isinstance(value, str) and _WORD.fullmatch(value) and value not in _LITERALS
    return value if plain else _shown(value)


def _from_to(change: Change) -> str:
    return f"({_shown(change.before)} -> {_shown(change.after)})"


def _value(change: Change) -> Any:
    return change.before if change.after is None else change.after


# The fact


def _happened(what: str, did: str) -> Callable[[Change], str]:
    return lambda _: f"{what} {did}"


def _named(what: str, did: str) -> Callable[[Change], str]:
    return lambda change: f"{what} {_name(_value(change))} {did}"


def _placed(what: str, did: str) -> Callable[[Change], str]:
    def fact(change: Change) -> str:
        return " ".join(filter(None, (change.keyword, what, change.field, did)))

    return fact


def _field(did: str) -> Callable[[Change], str]:
    def fact(change: Change) -> str:
        where = " to a closed object" if change.closed else ""
        return f"{change.keyword} field {did}{where}".lstrip()

    return fact


def _type(did: str) -> Callable[[Change], str]:
    return lambda change: f"type {_value(change)} {did}"


def _operation(did: str) -> Callable[[Change], str]:
    def fact(change: Change) -> str:
        if change.field:
            return f"callback {change.field} {did}"
        return f"{'operation' if is_call(change) else 'webhook'} {did}"

    return fact


def _renamed(what: str) -> Callable[[Change], str]:
    return lambda change: f"{what} renamed {_from_to(change)}"


def _dialect(change: Change) -> str:
    return f"{_differs(change)}, and with it the dialect of every schema"


def _parameter_renamed(change: Change) -> str:
    what = "path parameter" if change.carriers == ("path",) else "parameter"
    return f"{what} renamed {_from_to(change)}"


def _differs(change: Change) -> str:
    """Return what happened to a keyword: `maxLength changed (100 -> 50)`."""
    keyword = change.keyword or "content"
    if change.after_pointer is None:
        return f"{keyword} removed ({_shown(change.before)}){_following(change)}"
    if change.before_pointer is None:
        return f"{keyword} added ({_shown(change.after)}){_following(change)}"
    if not change.within and json.dumps(change.before) == json.dumps(change.after):
        return f"what {keyword} depends on changed"
    return f"{keyword} changed {_from_to(change)}{_following(change)}"


def _following(change: Change) -> str:
    """Return the first of what follows from a switched reference, and how much more there is."""
    if not change.within:
        return ""
    first, *more = change.within
    return f", so {describe(first)}{f', and {len(more)} more' if more else ''}"


def _flag(change: Change) -> str:
    """Return the fact of a parameter, header or body that became required or optional."""
    pointer = change.before_pointer or change.after_pointer or ""
    what = _FLAGGED.get("".join(pointer.split("/")[-3:-2]), "request body")
    named = what if change.schema else f"{what} {change.field}".rstrip()
    return f"{named} became {'required' if change.before_pointer is None else 'optional'}"


def _documented(change: Change) -> str:
    did = "changed"
    if change.after_pointer is None:
        did = "removed"
    elif change.before_pointer is None:
        did = "added"
    return f"{change.keyword or 'documentation'} {did}"


# For each kind: whether its subject is the owner as a whole, and the fact. What is not listed is a
# keyword whose values are shown.
_FACTS: Final[dict[Kind, tuple[bool, Callable[[Change], str]]]] = {
    Kind.OPERATION_ADDED: (True, _operation("added")),
    Kind.OPERATION_REMOVED: (True, _operation("removed")),
    Kind.PARAMETER_ADDED: (True, _placed("parameter", "added")),
    Kind.PARAMETER_REMOVED: (True, _placed("parameter", "removed")),
    Kind.PARAMETER_RENAMED: (True, _parameter_renamed),
    Kind.PARAMETER_MOVED: (True, lambda change: f"path parameters swapped {_from_to(change)}"),
    Kind.BODY_ADDED: (True, _placed("request body", "added")),
    Kind.BODY_REMOVED: (True, _placed("request body", "removed")),
    Kind.MEDIA_TYPE_ADDED: (True, _placed("media type", "added")),
    Kind.MEDIA_TYPE_REMOVED: (True, _placed("media type", "removed")),
    Kind.RESPONSE_ADDED: (True, _placed("response", "added")),
    Kind.RESPONSE_REMOVED: (True, _placed("response", "removed")),
    Kind.HEADER_ADDED: (True, _placed("header", "added")),
    Kind.HEADER_REMOVED: (True, _placed("header", "removed")),
    Kind.HEADER_RENAMED: (True, _renamed("header")),
    Kind.LINK_CHANGED: (True, lambda change: f"link {_differs(change)}"),
    Kind.COMPONENT_ADDED: (True, _happened("component", "added")),
    Kind.COMPONENT_REMOVED: (True, _happened("component", "removed")),
    Kind.COMPONENT_RENAMED: (True, _renamed("component")),
    Kind.FIELD_ADDED: (False, _field("added")),
    Kind.FIELD_REMOVED: (False, _field("removed")),
    Kind.FIELD_RENAMED: (False, _renamed("field")),
    Kind.FIELD_REQUIRED: (False, _happened("field", "became required")),
    Kind.FIELD_OPTIONAL: (False, _happened("field", "became optional")),
    Kind.VARIANT_ADDED: (False, _named("variant", "added")),
    Kind.VARIANT_REMOVED: (False, _named("variant", "removed")),
    Kind.VALUE_ADDED: (False, _named("value", "added")),
    Kind.VALUE_REMOVED: (False, _named("value", "removed")),
    Kind.OPEN_VALUE_ADDED: (False, _named("open-ended value", "added")),
    Kind.OPEN_VALUE_REMOVED: (False, _named("open-ended value", "removed")),
    Kind.TYPE_ADDED: (False, _type("added")),
    Kind.TYPE_REMOVED: (False, _type("removed")),
    Kind.DIALECT_CHANGED: (False, _dialect),
    Kind.DOCUMENTATION_CHANGED: (False, _documented),
}
