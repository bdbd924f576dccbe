"""Describe a change in one line, in the past tense, subject first."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from dateline.model import Change, Direction, Kind, printable
from dateline.openapi import COMPONENTS
from dateline.rules.predicates import is_call, is_flag, is_required

_LONGEST: Final = 60

_WORD: Final = re.compile(r"[^\W\d][\w.:/+-]{0,119}")
_LITERALS: Final = frozenset({"null", "true", "false"})

# Versions of the specification with a dialect of their own; later ones share that of JSON Schema.
_OLD_DIALECTS: Final = ("2.", "3.0")

# What a `required` belongs to, by the key two above it in its pointer.
_FLAGGED: Final = {"parameters": "parameter", "headers": "header"}

# How the path goes on below an entry of a keyword.
_STEPS: Final = {"prefixItems": "[]", "patternProperties": "{}"}

NOUNS: Final = {
    "body": "request body",
    "media-type": "media type",
    "open-value": "open-ended value",
}
"""The nouns of messages for beginnings of kinds that are none themselves."""

# Nouns whose changes name the operation or component as a whole, not a place below it.
_WHOLE: Final = frozenset(
    {
        *("operation", "parameter", "request body", "media type", "response", "header", "link"),
        "component",
    }
)


def describe(change: Change) -> str:
    """Return what happened in one line: `Customer.email: field removed`."""
    kind, _, event = change.kind.value.rpartition("-")
    noun = NOUNS.get(kind, kind)
    whole = noun in _WHOLE or is_flag(change)
    if noun == "component":
        noun = _name_component(change)
    subject = name_owner(change) if whole else name_place(change)
    return printable(f"{subject}: {_describe_event(change, noun, event)}")


def _describe_event(change: Change, noun: str, event: str) -> str:
    """Return what happened to the subject: *event*, the past tense, to *noun*."""
    match noun, event:
        case _, "added" | "removed" if noun.endswith("component"):
            return f"{noun} {event}"
        case _, "renamed":
            path = "path " if noun == "parameter" and change.carriers == ("path",) else ""
            return f"{path}{noun} renamed {_format_both(change)}"
        case "operation", _ if change.field:
            return f"callback {change.field} {event}"
        case "operation", _:
            return f"{'operation' if is_call(change) else 'webhook'} {event}"
        case "parameter", "moved":
            return f"path parameters swapped {_format_both(change)}"
        case "parameter" | "request body" | "media type" | "response" | "header", _:
            needed = "required" if is_required(change) else ""
            named = change.field if noun != "parameter" or _has_name(change) else "without a name"
            return " ".join(filter(None, (needed, noun, named, event)))
        case "link", _:
            return f"link {_describe_keyword(change)}"
        case "field", "required" | "optional":
            return f"field became {event}"
        case "field", _:
            closed = " to a closed object" if change.closed else ""
            return f"{change.keyword} field {event}{closed}".lstrip()
        case "variant" | "value" | "open-ended value", _:
            return f"{noun} {format_name(get_value(change))} {event}"
        case "type", _:
            return f"type {get_value(change)} {event}"
        case "dialect", _:
            following = ", and with it the dialect of every schema" if names_dialect(change) else ""
            return f"{_describe_keyword(change)}{following}"
        case "documentation", _:
            return f"{change.keyword or 'documentation'} {event_of(change)}"
        case _ if is_flag(change):
            return _describe_flag(change)
    return _describe_keyword(change)


def _has_name(change: Change) -> bool:
    """Return whether a parameter has a name; published ones may be broken references."""
    value = get_value(change)
    if not isinstance(value, dict):
        return change.field != "parameters"
    return value.get("name") is not None


def _name_component(change: Change) -> str:
    """Return what a component is called: those that are no schemas by their kind."""
    pointer = change.before_pointer or change.after_pointer or ""
    kind = COMPONENTS.get("".join(pointer.split("/")[2:3]), "schema")
    return "component" if kind == "schema" else f"{kind.replace('-', ' ')} component"


def names_dialect(change: Change) -> bool:
    """Return whether the version of the specification changed, and the dialect with it."""
    sides = (change.before, change.after)
    is_dialect = change.kind is Kind.DIALECT_CHANGED
    return is_dialect and any(str(side).startswith(_OLD_DIALECTS) for side in sides)


def event_of(change: Change) -> str:
    """Return what happened to the keyword: it was added, removed or changed."""
    if change.after_pointer is None:
        return "removed"
    return "added" if change.before_pointer is None else "changed"


def name_owner(change: Change) -> str:
    """Return the component, or the operations where there is none."""
    if change.schema is not None:
        return change.schema
    if not change.operations:
        return "the document"
    first, *more = change.operations
    return f"{first} and {len(more)} more" if more else first


def name_place(change: Change) -> str:
    """Return the owner and the path below it."""
    owner = name_owner(change)
    # an added or removed entry of a keyword is not a place of its own
    field = change.field.removesuffix(_STEPS.get(change.keyword, ""))
    if not field:
        return owner
    if change.schema is None:
        return f"{owner}, {field}"
    return f"{owner}{'' if field[0] in '[{' else '.'}{field}"


def quote(value: Any) -> str:
    """Return *value* as it is written, text in single quotes; long ones cut."""
    return printable(_write(value), _LONGEST)


def _write(value: Any) -> str:
    written = isinstance(value, str)
    return repr(value) if written else json.dumps(value, ensure_ascii=False, default=str)


def format_name(value: Any) -> str:
    """Return *value* as a name: text as it is, unless it could be taken for something else."""
    plain = isinstance(value, str) and _WORD.fullmatch(value) and value not in _LITERALS
    return value if plain else quote(value)


def _format_both(change: Change) -> str:
    """Return the old and the new value; long ones that begin alike from where they differ."""
    texts = [_write(value) for value in (change.before, change.after)]
    unlike = (at for at, (ours, theirs) in enumerate(zip(*texts, strict=False)) if ours != theirs)
    shared = next(unlike, min(map(len, texts)))
    if shared >= _LONGEST - 1:
        texts = ["…" + text[shared - _LONGEST // 3 :] for text in texts]
    return "({} -> {})".format(*(printable(text, _LONGEST) for text in texts))


def get_value(change: Change) -> Any:
    """Return the new value, or the old one if there is no new one."""
    return change.before if change.after is None else change.after


def _describe_keyword(change: Change) -> str:
    """Return what happened to a keyword: `maxLength changed (100 -> 50)`."""
    keyword = change.keyword or "content"
    if change.after_pointer is None:
        return f"{keyword} removed ({quote(change.before)}){_describe_following(change)}"
    if change.before_pointer is None:
        return f"{keyword} added ({quote(change.after)}){_describe_following(change)}"
    if not change.within and json.dumps(change.before) == json.dumps(change.after):
        return f"what {keyword} depends on changed"
    return f"{keyword} changed {_format_both(change)}{_describe_following(change)}"


def _describe_following(change: Change) -> str:
    """Return the first of what follows from a switched reference, and how much more there is."""
    if not change.within:
        return ""
    first, *more = change.within
    return f", so {describe(first)}{f', and {len(more)} more' if more else ''}"


def _name_carried(change: Change) -> str:
    """Return the noun of what contains *change*, by the part of the message that contains it."""
    if change.carriers in ((), ("body",)):
        return "request body"
    return "parameter" if change.direction is Direction.REQUEST else "header"


def _describe_flag(change: Change) -> str:
    """Return the fact of a parameter, header or body that became required or optional."""
    pointer = change.before_pointer or change.after_pointer or ""
    what = _FLAGGED.get("".join(pointer.split("/")[-3:-2])) or _name_carried(change)
    named = what if change.schema else f"{what} {change.field}".rstrip()
    return f"{named} became {'required' if change.before_pointer is None else 'optional'}"
