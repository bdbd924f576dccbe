"""Decide what a value of the wrong kind means."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import is_
from types import NoneType
from typing import Any, Final

from dateline.model import KEYS
from dateline.openapi import JSON_TYPES, OBJECTS, TEXTS, VALUES, Arrangement, Key, Value
from dateline.schema.references import Located, Resolver
from dateline.wording import find_nearest

PREFIX: Final = "x-published-"
"""What a key begins with that holds what was published under the rest of it."""

CLOSE_TO_OURS: Final = 0.91
"""How like one of our keys a key of others is that is taken for a typing error of it."""

ABSENT: Final = object()
"""The meaning of a value that says nothing."""

SAME: Final = object()
"""The meaning of a value that says what it means."""

_PLACES: Final = ("path", "query", "header", "cookie")
_LISTED_PLACES: Final = (*_PLACES, "querystring")
_LISTS: Final = ("allOf", "oneOf", "anyOf")
# objects whose keys are names, below which null means nothing
_NAMED_BELOW: Final = ("paths", "callback", "responses")
# objects that may be null in a mapping of them, and mean nothing then
_NULLABLE: Final = ("media-type", "response", "header")
# objects that mean nothing without this key, which may stand for the whole of them
_NAMED_BY: Final = {"tag": "name", "server": "url", "discriminator": "propertyName"}
# objects that mean nothing in another form, but can't be left out without a loss: they are refused
_INDISPENSABLE: Final = frozenset(
    {"info", "paths", "path-item", "operation", "parameter"}
    | {"request-body", "responses", "response", "media-type"}
)
_NAMES: Final = frozenset({"openapi", "name", "in"})
UNDECIDING: Final = frozenset({"example", "link"})
"""Kinds of objects that decide on no value."""
# addresses, which can't be numbers
_ADDRESSES: Final = frozenset(
    {"$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "operationRef"}
)
# keys for where a schema is, or how it is read, if no reference needs them
_IDENTITY: Final = ("$id", "$schema", "$vocabulary")


CHOICES: Final = ("enum", "const")
"""Keywords whose values may mean others: those that the `type` beside them admits."""

CALLED: Final = {"$dynamicRef": "$ref", "$dynamicAnchor": "$anchor"}
"""What says the same as another keyword where each anchor has one schema."""


_ALWAYS_PLAIN: Final = (Value.TEXT, Value.FLAG, Value.NUMBER, Value.BOUND, Value.LIST, Value.ANY)
"""What means what it says in each type that it may have."""


def _list_plain(keys: Mapping[str, Key]) -> dict[str, frozenset[type]]:
    """Return the types of values that mean what they say, by the *keys* that have any."""
    types = {value: JSON_TYPES[value].accepts for value in _ALWAYS_PLAIN} | {Value.TYPES: TEXTS}
    return {
        key: types[known.value]
        for key, known in keys.items()
        if known.slot.arrangement is Arrangement.DATA
        and known.value in types
        and key not in (*CALLED, *_IDENTITY, *CHOICES, "in")
    }


PLAIN: Final = {kind: _list_plain(keys) for kind, keys in OBJECTS.items()}
"""By the kind of an object the types of values that mean what they say, by their keys.

Below such a value is no object of a kind.
"""


def find_meaning(
    kind: str,
    key: str,
    value: Any,
    resolver: Resolver,
    type_: Any = None,
    *,
    is_strict: bool = False,
) -> Any:
    """Return the meaning of *key* of an object of *kind*; ``SAME`` if it is the value itself.

    *resolver* is that of the document, *type_* the `type` beside it. A value that can neither be
    read nor left out is returned unchanged, or raises a TypeError.
    """
    known = OBJECTS[kind].get(key)
    is_named = known is None and kind in _NAMED_BELOW and not key.startswith("x-")
    if is_named and kind == "paths" and key[:1] != "/" and isinstance(value, list):
        return ABSENT  # no path, but what its author wanted for each of them
    if is_strict and is_named and not isinstance(value, dict | NoneType):
        raise TypeError(key)
    if known is None and value is None and kind in _NAMED_BELOW:
        return SAME if key.startswith("x-") else {}
    if known is None:
        return ABSENT if key.startswith("x-") and _is_misleading(key) else SAME
    if kind == "schema" and key in _IDENTITY and isinstance(value, str | dict):
        return ABSENT
    if known.slot == (Arrangement.ONE, "schema"):
        return SAME if isinstance(value, dict | bool) else ABSENT
    if value is None:
        is_data = known.slot.arrangement is Arrangement.DATA and known.value is Value.ANY
        return SAME if is_data else ABSENT
    is_data = known.slot.arrangement is Arrangement.DATA
    if kind == "schema" and key in CHOICES:
        read = _read_choices(key, value, type_)
    elif is_data:
        read = _read_data(kind, key, known, value)
    elif known.slot == (Arrangement.LIST, "parameter") and isinstance(value, list):
        read = _read_parameters(value, resolver)
    else:
        read = _read_objects(kind, key, known, value)
    if read is ABSENT or _is_typed(known, value if read is SAME else read):
        return read
    if not _is_indispensable(kind, key, known):
        return ABSENT  # a value of another type means nothing
    if is_strict:
        raise TypeError(key)
    return read


def _is_indispensable(kind: str, key: str, known: Key) -> bool:
    if kind == "components":
        return False  # what is used, and missing then, is refused
    if known.slot.arrangement is Arrangement.DATA:
        return (kind in ("document", "parameter") and key in _NAMES) or known.value is Value.DEMANDS
    return known.slot.kind in _INDISPENSABLE and known.since == "3.0"


def _is_typed(known: Key, value: Any) -> bool:
    """Return whether *value*, and what is directly below it, has the type that its key needs."""
    arrangement, kind = known.slot
    if arrangement is Arrangement.DATA:
        return JSON_TYPES[known.value].fits(value)
    if arrangement is Arrangement.ONE:
        return _says_something(kind, value)
    if not isinstance(value, list if arrangement is Arrangement.LIST else dict):
        return False
    below = value.values() if isinstance(value, dict) else value
    return kind == "schema" or all(_says_something(kind, one) for one in below)


def _says_something(kind: str, value: Any) -> bool:
    named = _NAMED_BY.get(kind)
    return isinstance(value, dict) and (
        named is None or isinstance(value.get(named), str | bool | int | float)
    )


@lru_cache(maxsize=1024)
def _is_misleading(key: str) -> bool:
    """Return whether *key* would be mistaken for one of ours."""
    if key in KEYS:
        return False
    return key.startswith(PREFIX) or find_nearest(key, sorted(KEYS), CLOSE_TO_OURS) is not None


def _read_objects(holder: str, key: str, known: Key, value: Any) -> Any:
    arrangement, kind = known.slot
    if arrangement is Arrangement.LIST:
        return _read_list(key, kind, value)
    if arrangement is Arrangement.MAP:
        if value == []:
            return {}  # PHP's form of an empty object
        if kind == "example" and holder != "components" and _has_no_examples(value):
            return ABSENT
        if isinstance(value, dict):
            is_demanded = kind == "schema" or _is_indispensable(holder, key, known)
            return _read_map(holder, kind, value, is_demanded=is_demanded)
    elif isinstance(value, str) and kind in _NAMED_BY:
        return {_NAMED_BY[kind]: value}
    return SAME


def _read_map(holder: str, kind: str, value: dict[str, Any], *, is_demanded: bool) -> Any:
    """Return *value*, a mapping of objects of *kind*, without what is none.

    If each of them *is_demanded*, they stay, and so do schemas, which have any form.
    """
    nothing: dict[str, Any] | None = {} if kind in _NULLABLE else None
    read = {name: nothing if below is None else below for name, below in value.items()}
    if not is_demanded:
        read = {name: below for name, below in read.items() if _says_something(kind, below)}
    if holder == "components" and kind != "schema":
        # a reference that leads to another one is dangling
        read = {name: below for name, below in read.items() if _is_component(kind, below)}
    return _unless_same(value, read)


def _unless_same(value: Any, read: Any) -> Any:
    """Return *read*, what a list or a mapping means; SAME if its items are those of *value*."""
    if not isinstance(value, type(read)) or len(value) != len(read):
        return read
    both = (read, value) if isinstance(read, list) else (read.values(), value.values())
    return SAME if all(map(is_, *both)) else read


def _is_component(kind: str, value: Any) -> bool:
    """Return whether *value* can be referred to as an object of *kind*."""
    if kind != "parameter" or not isinstance(value, dict):
        return isinstance(value, dict)
    if "$ref" in value:
        # a reference that leads elsewhere, and is used, was refused
        return not isinstance(value["$ref"], str) or value["$ref"].startswith("#")
    return _has_name(value)


def _has_name(parameter: dict[str, Any]) -> bool:
    return all(isinstance(parameter.get(key), str | bool | int | float) for key in ("name", "in"))


def _read_list(key: str, kind: str, value: Any) -> Any:
    if key in _LISTS:
        return [value] if isinstance(value, dict) else SAME
    if kind in _NAMED_BY:
        name = _NAMED_BY[kind]
        items = value if isinstance(value, list) else [value]
        named = [{name: one} if isinstance(one, str) else one for one in items]
        return _unless_same(value, [one for one in named if _says_something(kind, one)])
    if not isinstance(value, list):
        return SAME
    return _unless_same(value, [one for one in value if one is not None])


def _has_no_examples(value: Any) -> bool:
    return isinstance(value, list) or (
        isinstance(value, dict) and not all(isinstance(below, dict) for below in value.values())
    )


def _read_parameters(parameters: list[Any], resolver: Resolver) -> Any:
    """Return the first of *parameters* of each name and place, without those that have none."""
    kept: dict[str, Any] = {}
    for one in parameters:
        is_reference = isinstance(one, dict) and "$ref" in one
        found = resolver.follow(Located(one, "")).value if is_reference else one
        if isinstance(found, dict) and "$ref" not in found and _has_name(found):
            place = str(found["in"]).lower()
            # case does not count in headers (RFC 9110, section 5.1)
            name = str(found["name"]).lower() if place == "header" else found["name"]
            if is_reference or place in _LISTED_PLACES:
                kept.setdefault(json.dumps([name, place]), one)
        elif is_reference or not isinstance(one, dict | NoneType):
            kept.setdefault(json.dumps(one, default=str, sort_keys=True), one)
    return _unless_same(parameters, list(kept.values()))


def _read_data(kind: str, key: str, known: Key, value: Any) -> Any:
    if kind == "parameter" and key == "in" and isinstance(value, str):
        return value.lower() if value.lower() in _PLACES and value not in _PLACES else SAME
    if kind == "security-scheme" and key == "in" and value not in VALUES[kind, key]:
        place = str(value).lower()
        return place if place in VALUES[kind, key] else ABSENT
    if kind == "schema" and key == "required" and isinstance(value, str | bool):
        return ABSENT
    if key == "scopes":
        return _read_descriptions(value)
    read = None if key in _ADDRESSES else _READERS.get(known.value)
    return SAME if read is None else read(value)


def _read_choices(key: str, value: Any, type_: Any) -> Any:
    """Return the values that `enum` or `const` means beside a `type`, which they may not have.

    `type: string` with `enum: [1, 2]` means the texts, `type: integer` with `enum: ['1']` the
    number: otherwise there would be no such value.
    """
    if key == "const":
        return read_choice(value, type_)
    listed = [value] if isinstance(value, str | int | float) else value
    if not isinstance(listed, list):
        return SAME
    read = [read_choice(one, type_) for one in listed]
    if listed is value and all(one is SAME for one in read):
        return SAME
    # what is there in both spellings is one value
    meant = [one for one, other in zip(listed, read, strict=True) if other is SAME]
    return [
        one if other is SAME else other
        for at, (one, other) in enumerate(zip(listed, read, strict=True))
        if other is SAME or other not in (*meant, *read[:at])
    ]


def read_choice(value: Any, type_: Any) -> Any:
    """Return what one *value* of `enum` or `const` means beside a `type`; SAME if it is that."""
    if type_ == "string":
        return _read_text(value)
    if type_ in ("integer", "number", "boolean") and isinstance(value, str):
        read = _read_flag(value) if type_ == "boolean" else _read_number(value)
        return read if type_ != "integer" or isinstance(read, int) else SAME
    return SAME


def _read_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else SAME


def _read_flag(value: Any) -> Any:
    known = {"true": True, "false": False, "1": True, "0": False}
    is_bool = isinstance(value, bool) or not isinstance(value, str | int)
    return SAME if is_bool else known.get(str(value).lower(), SAME)


def _read_number(value: Any) -> Any:
    if not isinstance(value, str):
        return SAME
    try:
        found = json.loads(value)
    except ValueError:
        return SAME
    return found if type(found) in (int, float) else SAME


def _read_count(value: Any) -> Any:
    found = _read_number(value) if isinstance(value, str) else value
    if isinstance(found, int | float) and not isinstance(found, bool) and found < 0:
        return ABSENT  # no bound
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(value, str) and type(found) is int else SAME


def _read_texts(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or all(isinstance(one, str) for one in value):
        return SAME
    return [
        one if isinstance(one, str) else json.dumps(one)
        for one in value
        if isinstance(one, str | bool | int | float)
    ]


def _read_demands(value: Any) -> Any:
    """Return a list of requirements, each a mapping of the names of schemes to their scopes."""
    items = value if isinstance(value, list) else [value]
    return _unless_same(value, [_read_demand(one) for one in items])


def _read_demand(value: Any) -> Any:
    if isinstance(value, str):
        return {value: []}
    if not isinstance(value, dict):
        return value
    read = {name: _read_scopes(scopes) for name, scopes in value.items()}
    return value if all(read[name] is value[name] for name in value) else read


def _read_scopes(value: Any) -> Any:
    read = SAME if value is None else _read_texts(value)
    if read is not SAME:
        return read
    return value if value is None or isinstance(value, list) else []


def _read_types(value: Any) -> Any:
    if isinstance(value, list) and None in value:
        return ["null" if one is None else one for one in value]
    return SAME


def _read_text_map(value: Any) -> Any:
    if not isinstance(value, dict) or all(isinstance(one, str) for one in value.values()):
        return SAME
    return {
        name: one if isinstance(one, str) else json.dumps(one)
        for name, one in value.items()
        if isinstance(one, str | bool | int | float)
    }


def _read_descriptions(value: Any) -> Any:
    """Return the scopes of a flow with a description each, which may be empty."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return dict.fromkeys(value, "")
    if not isinstance(value, dict) or all(isinstance(one, str) for one in value.values()):
        return SAME
    return {name: one if isinstance(one, str) else "" for name, one in value.items()}


def _read_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return SAME
    lists = {name: [one] if isinstance(one, str) else one for name, one in value.items()}
    return _unless_same(value, {name: one for name, one in lists.items() if isinstance(one, list)})


_READERS: Final[dict[Value, Callable[[Any], Any]]] = {
    Value.TEXT: _read_text,
    Value.FLAG: _read_flag,
    Value.NUMBER: _read_number,
    Value.BOUND: _read_number,
    Value.COUNT: _read_count,
    Value.TEXTS: _read_texts,
    Value.TYPES: _read_types,
    Value.TEXT_MAP: _read_text_map,
    Value.LIST_MAP: _read_lists,
    Value.DEMANDS: _read_demands,
}
