"""Read values that a document of others has in place of what belongs there, and show them again.

A published document may say `description: null`, `maxLength: '255'` or `required: true` on a
property: each has one meaning. Definitions say what it means, and keep what was published under a
key of its own: `x-published-maxLength: '255'` beside `maxLength: 255`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from dateline.model import KEYS
from dateline.openapi import (
    JSON_TYPES,
    OBJECTS,
    REFERABLE,
    VALUES,
    Key,
    ResolvedReference,
    Shape,
    Value,
    find_replaced,
)
from dateline.schema.references import Resolver
from dateline.wording import find_nearest

PREFIX: Final = "x-published-"
"""What a key begins with that holds what was published under the rest of it."""

CLOSE_TO_OURS: Final = 0.91
"""How like one of our keys a key of others is that is taken for a typing error of it."""

_ABSENT: Final = object()
_SAME: Final = object()

_PLACES: Final = ("path", "query", "header", "cookie")
_FORMER_PLACES: Final = ("body", "formData")
_LISTS: Final = ("allOf", "oneOf", "anyOf")
# objects whose keys are names, below which null says nothing
_NAMED_BELOW: Final = ("paths", "callback", "responses")
# objects that may be null in a mapping of them, and say nothing then
_NULLABLE: Final = ("media-type", "response", "header")
# what says nothing without this key, which may stand for the whole of it
_NAMED_BY: Final = {"tag": "name", "server": "url", "discriminator": "propertyName"}
# what says nothing in another form, but can't be left out without a loss: it is refused
_INDISPENSABLE: Final = frozenset(
    {"info", "paths", "components", "path-item", "operation", "parameter"}
    | {"request-body", "responses", "response", "media-type"}
)
_NAMES: Final = frozenset({"openapi", "name", "in"})
# addresses, which no number stands for
_ADDRESSES: Final = frozenset(
    {"$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "operationRef"}
)
# what says where a schema is, or how it is read, where no reference needs that
_IDENTITY: Final = ("$id", "$schema", "$vocabulary")


# What says the same as another keyword where each anchor has one schema.
_CALLED: Final = {"$dynamicRef": "$ref", "$dynamicAnchor": "$anchor"}


def keep_oddities(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* with what its oddities mean, and these under keys of their own.

    A document without any is returned itself. ``show_oddities`` gives back what was published.
    """
    resolver = Resolver(document)

    def is_certain(keyword: str, value: Any) -> bool:
        anchor = f"#{value}" if keyword == "$dynamicAnchor" else value
        return keyword in _CALLED and len(resolver.list_anchored(anchor)) < 2

    kept: dict[str, Any] = _keep("document", document, is_certain)
    return kept


def show_oddities(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* as it was published, where what its oddities mean is what it says."""
    shown: dict[str, Any] = _show("document", document)
    return shown


def _keep(kind: str, node: Any, is_certain: Callable[[str, Any], bool]) -> Any:
    if not isinstance(node, dict) or ("$ref" in node and kind in REFERABLE):
        return node
    found: dict[str, Any] = {}
    odd = False
    for key, value in node.items():
        meant = _find_meaning(kind, key, value)
        name, published = key, value
        if isinstance(value, ResolvedReference):
            meant, published = str(value), value.written
        is_called = kind == "schema" and isinstance(value, str) and is_certain(key, value)
        if is_called and _CALLED[key] not in node:
            name, meant = _CALLED[key], str(value)
        if meant is not _ABSENT:
            found[name] = value if meant is _SAME else meant
        if meant is not _SAME:
            found[PREFIX + key] = published
            odd = True
    return _replace(
        kind, found if odd else node, lambda below, child: _keep(below, child, is_certain)
    )


def _show(kind: str, node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    below = _replace(kind, node, _show)
    if not any(key.startswith(PREFIX) for key in node):
        return below
    published = {
        key.removeprefix(PREFIX): value
        for key, value in below.items()
        if key.startswith(PREFIX) and _is_meant(kind, key.removeprefix(PREFIX), value, below)
    }
    shown: dict[str, Any] = {}
    replaced = {
        _CALLED[key] for key in published.keys() & _CALLED.keys() if isinstance(published[key], str)
    }
    for key, value in below.items():
        name = key.removeprefix(PREFIX)
        if name in published:
            shown[name] = published[name]
        elif name == key and name not in replaced:
            shown[key] = value
    return shown


def _is_meant(kind: str, key: str, value: Any, node: dict[str, Any]) -> bool:
    if key.startswith(PREFIX):
        return True
    if kind == "schema" and key in ("$ref", *_CALLED) and isinstance(value, str):
        return _CALLED.get(key, key) in node
    meant = _find_meaning(kind, key, value)
    return bool(meant is not _SAME and meant == node.get(key, _ABSENT))


def _replace(kind: str, node: dict[str, Any], replace: Callable[[str, Any], Any]) -> dict[str, Any]:
    found = find_replaced(kind, node, lambda _, below, child: replace(below, child))
    changed = {key: value for key, value in found.items() if value is not node[key]}
    return {**node, **changed} if changed else node


def _find_meaning(kind: str, key: str, value: Any) -> Any:
    """Return what *key* of an object of *kind* means; ``_SAME`` where it is what it says."""
    known = OBJECTS[kind].get(key)
    if known is None and value is None and kind in _NAMED_BELOW:
        return _SAME if key.startswith("x-") else {}
    if known is None:
        return _ABSENT if key.startswith("x-") and _is_misleading(key) else _SAME
    if kind == "schema" and key in _IDENTITY and isinstance(value, str | dict):
        return _ABSENT
    if known.slot == (Shape.ONE, "schema"):
        return _SAME
    if value is None:
        is_data = known.slot.shape is Shape.DATA and known.value is Value.ANY
        return _SAME if is_data else _ABSENT
    is_data = known.slot.shape is Shape.DATA
    read = _read_data(kind, key, known, value) if is_data else _read_objects(key, known, value)
    if read is _ABSENT or _is_typed(known, value if read is _SAME else read):
        return read
    # what is of another type says nothing
    return read if _is_indispensable(kind, key, known) else _ABSENT


def _is_indispensable(kind: str, key: str, known: Key) -> bool:
    if known.slot.shape is Shape.DATA:
        return (kind in ("document", "parameter") and key in _NAMES) or known.value is Value.DEMANDS
    return known.slot.kind in _INDISPENSABLE and known.since == "3.0"


def _is_typed(known: Key, value: Any) -> bool:
    """Return whether *value* has the type that its key needs, and what is directly below it."""
    shape, kind = known.slot
    if shape is Shape.DATA:
        return JSON_TYPES[known.value].fits(value)
    if shape is Shape.ONE:
        return _says_something(kind, value)
    if shape is Shape.LIST:
        below = value if isinstance(value, list) else [_ABSENT]
    else:
        below = list(value.values()) if isinstance(value, dict) else [_ABSENT]
    return all(
        one is not _ABSENT and (kind == "schema" or _says_something(kind, one)) for one in below
    )


def _says_something(kind: str, value: Any) -> bool:
    named = _NAMED_BY.get(kind)
    return isinstance(value, dict) and (
        named is None or isinstance(value.get(named), str | bool | int | float)
    )


@lru_cache(maxsize=1024)
def _is_misleading(key: str) -> bool:
    """Return whether *key* would be taken for one of ours."""
    if key in KEYS:
        return False
    return key.startswith(PREFIX) or find_nearest(key, sorted(KEYS), CLOSE_TO_OURS) is not None


def _read_objects(key: str, known: Key, value: Any) -> Any:
    shape, kind = known.slot
    if shape is Shape.LIST:
        return _read_list(key, kind, value)
    if shape is Shape.MAP:
        if value == []:
            return {}  # as PHP writes an empty object
        if kind == "example" and _has_no_examples(value):
            return _ABSENT
        if kind in _NULLABLE and isinstance(value, dict) and None in value.values():
            return {name: {} if below is None else below for name, below in value.items()}
    elif isinstance(value, str) and kind in _NAMED_BY:
        return {_NAMED_BY[kind]: value}
    return _SAME


def _read_list(key: str, kind: str, value: Any) -> Any:
    if key in _LISTS:
        return [value] if isinstance(value, dict) else _SAME
    if kind in _NAMED_BY:
        name = _NAMED_BY[kind]
        items = value if isinstance(value, list) else [value]
        named = [{name: one} if isinstance(one, str) else one for one in items]
        known = [one for one in named if _says_something(kind, one)]
        is_same = isinstance(value, list) and len(known) == len(value)
        return _SAME if is_same and all(map(_is_same, known, value)) else known
    if not isinstance(value, list):
        return _SAME
    known = [one for one in value if one is not None]
    if key != "parameters":
        return _SAME if len(known) == len(value) else known
    return _read_parameters(value)


def _is_same(one: Any, other: Any) -> bool:
    return one is other


def _has_no_examples(value: Any) -> bool:
    return isinstance(value, list) or (
        isinstance(value, dict) and not all(isinstance(below, dict) for below in value.values())
    )


def _read_parameters(parameters: list[Any]) -> Any:
    """Return the first *parameters* of each name and place; those of Swagger 2.0 are no others."""
    kept: dict[str, Any] = {}
    for one in parameters:
        if one is None or (isinstance(one, dict) and one.get("in") in _FORMER_PLACES):
            continue
        named = (
            json.dumps([one.get("name"), str(one.get("in")).lower()], default=str)
            if isinstance(one, dict) and "$ref" not in one
            else json.dumps(one, default=str, sort_keys=True)
        )
        kept.setdefault(named, one)
    return _SAME if len(kept) == len(parameters) else list(kept.values())


def _read_data(kind: str, key: str, known: Key, value: Any) -> Any:
    if kind == "parameter" and key == "in" and isinstance(value, str):
        return value.lower() if value.lower() in _PLACES and value not in _PLACES else _SAME
    if kind == "security-scheme" and key == "in" and value not in VALUES[kind, key]:
        place = str(value).lower()
        return place if place in VALUES[kind, key] else _ABSENT
    if kind == "schema" and key == "required" and isinstance(value, str | bool):
        return _ABSENT
    if kind == "schema" and key == "enum" and isinstance(value, str | int | float):
        return [value]
    if key == "scopes":
        return _read_descriptions(value)
    read = None if key in _ADDRESSES else _READERS.get(known.value)
    return _SAME if read is None else read(value)


def _read_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else _SAME


def _read_flag(value: Any) -> Any:
    known = {"true": True, "false": False, "1": True, "0": False}
    is_bool = isinstance(value, bool) or not isinstance(value, str | int)
    return _SAME if is_bool else known.get(str(value).lower(), _SAME)


def _read_number(value: Any) -> Any:
    if not isinstance(value, str):
        return _SAME
    try:
        found = json.loads(value)
    except ValueError:
        return _SAME
    return found if type(found) in (int, float) else _SAME


def _read_count(value: Any) -> Any:
    found = _read_number(value) if isinstance(value, str) else value
    if isinstance(found, int | float) and not isinstance(found, bool) and found < 0:
        return _ABSENT  # no bound
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(value, str) and type(found) is int else _SAME


def _read_texts(value: Any) -> Any:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or all(isinstance(one, str) for one in value):
        return _SAME
    return [
        one if isinstance(one, str) else json.dumps(one)
        for one in value
        if isinstance(one, str | bool | int | float)
    ]


def _read_demands(value: Any) -> Any:
    """Return a list of demands, each a mapping of the names of schemes to their scopes."""
    items = value if isinstance(value, list) else [value]
    demands = [_read_demand(one) for one in items]
    is_same = isinstance(value, list) and all(map(_is_same, demands, value))
    return _SAME if is_same else demands


def _read_demand(value: Any) -> Any:
    if isinstance(value, str):
        return {value: []}
    if not isinstance(value, dict):
        return value
    read = {name: _read_scopes(scopes) for name, scopes in value.items()}
    return value if all(read[name] is value[name] for name in value) else read


def _read_scopes(value: Any) -> Any:
    read = _SAME if value is None else _read_texts(value)
    if read is not _SAME:
        return read
    return value if value is None or isinstance(value, list) else []


def _read_types(value: Any) -> Any:
    if isinstance(value, list) and None in value:
        return ["null" if one is None else one for one in value]
    return _SAME


def _read_text_map(value: Any) -> Any:
    if not isinstance(value, dict) or all(isinstance(one, str) for one in value.values()):
        return _SAME
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
        return _SAME
    return {name: one if isinstance(one, str) else "" for name, one in value.items()}


def _read_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return _SAME
    lists = {name: [one] if isinstance(one, str) else one for name, one in value.items()}
    known = {name: one for name, one in lists.items() if isinstance(one, list)}
    is_same = len(known) == len(value) and all(one is value[name] for name, one in known.items())
    return _SAME if is_same else known


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
