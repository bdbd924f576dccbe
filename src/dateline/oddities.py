"""Read values that a document of others has in place of what belongs there, and show them again.

A published document may say `description: null`, `maxLength: '255'` or `required: true` on a
property: each has one meaning. Definitions say what it means, and keep what was published under a
key of its own: `x-published-maxLength: '255'` beside `maxLength: 255`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from types import NoneType
from typing import Any, Final

from dateline.model import KEYS
from dateline.openapi import (
    COMPONENTS,
    JSON_TYPES,
    OBJECTS,
    REFERABLE,
    VALUES,
    WEBHOOKS,
    Key,
    ResolvedReference,
    Shape,
    Value,
    find_replaced,
    list_mapped,
    parts,
    read_slot,
)
from dateline.schema.memo import closure
from dateline.schema.references import Resolver
from dateline.schema.variants import subtypes
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
UNDECIDING: Final = frozenset({"example", "link"})
"""Kinds of objects that decide on no value."""
# addresses, which no number stands for
_ADDRESSES: Final = frozenset(
    {"$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "operationRef"}
)
# what says where a schema is, or how it is read, where no reference needs that
_IDENTITY: Final = ("$id", "$schema", "$vocabulary")


# What says the same as another keyword where each anchor has one schema.
_CALLED: Final = {"$dynamicRef": "$ref", "$dynamicAnchor": "$anchor"}


def keep_oddities(
    document: dict[str, Any],
    is_wanted: Callable[[str, str], bool] | None = None,
    *,
    strict: bool = False,
) -> dict[str, Any]:
    """Return *document* with what its oddities mean, and these under keys of their own.

    A document without any is returned itself. ``show_oddities`` gives back what was published.
    With *is_wanted*, components, paths and webhooks are read only where it returns True for the
    section and the name. If it is *strict*, raises TypeError for a value that says nothing, and
    can't be left out.
    """
    context = _Context(document, is_strict=strict)
    read = document if is_wanted is None else _select(document, is_wanted)
    kept: dict[str, Any] = _put_back(document, read, _keep("document", read, context))
    return kept


def find_published(document: dict[str, Any], path: Iterable[str | int]) -> tuple[str | int, ...]:
    """Return where *document* says what is at *path* of ``keep_oddities(document)``.

    The path ends early where that is said in fewer words.
    """
    found: list[str | int] = []
    kind, node = "document", document
    steps = iter(path)
    for step in steps:
        key = str(step)
        names = (key, key.removeprefix(PREFIX), *(odd for odd in _CALLED if _CALLED[odd] == key))
        name = next((each for each in names if isinstance(node, dict) and each in node), None)
        if name is None:
            break
        found.append(name)
        meant = _find_meaning(kind, name, node[name])
        shape, kind = read_slot(kind, name)
        node = node[name]
        if shape is Shape.DATA:
            return (*found, *_follow_data(node, steps))
        if shape is Shape.ONE:
            continue
        entry = next(steps, None)
        if shape is Shape.LIST and isinstance(node, dict):
            continue  # one object in place of a list of it
        if shape is Shape.LIST:
            entry = _find_index(node, node if meant is _SAME else meant, entry)
        elif not isinstance(node, dict) or entry not in node:
            entry = None
        if entry is None:
            break
        found.append(entry)
        node = node[entry]
    return tuple(found)


def _follow_data(value: Any, steps: Iterable[str | int]) -> Iterator[str | int]:
    """Yield those of *steps* that lead somewhere in *value*."""
    for step in steps:
        is_known = step in value if isinstance(value, dict) else isinstance(value, list)
        if not is_known or (isinstance(value, list) and step not in range(len(value))):
            return
        yield step
        value = value[step]


def _find_index(published: Any, meant: Any, index: Any) -> int | None:
    """Return which of the *published* objects is the one at *index* of those that are *meant*."""
    if (
        not isinstance(published, list)
        or not isinstance(meant, list)
        or index not in range(len(meant))
    ):
        return None
    return next((at for at, one in enumerate(published) if one is meant[index]), None)


def show_oddities(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* as it was published, where what its oddities mean is what it says."""
    shown: dict[str, Any] = _show("document", document)
    return shown


def _list_plain(keys: Mapping[str, Key]) -> dict[str, type]:
    """Return the type of values that mean what they say, by those *keys* that have one."""
    types: dict[Value, type] = {
        **{Value.TEXT: str, Value.TYPES: str},
        **{Value.FLAG: bool, Value.NUMBER: int, Value.LIST: list},
    }
    return {
        key: types[known.value]
        for key, known in keys.items()
        if known.slot.shape is Shape.DATA
        and known.value in types
        and key not in (*_CALLED, *_IDENTITY, "in")
    }


_PLAIN: Final = {kind: _list_plain(keys) for kind, keys in OBJECTS.items()}


class _Context:
    """What a document is, where the meaning of a key depends on more than its object."""

    def __init__(self, document: dict[str, Any], *, is_strict: bool) -> None:
        self.is_strict = is_strict
        self._document = document
        self._resolver = Resolver(document)

    def is_certain(self, keyword: str, value: Any) -> bool:
        """Return whether *keyword* leads to one schema, or names one."""
        anchor = f"#{value}" if keyword == "$dynamicAnchor" else value
        return keyword in _CALLED and len(self._resolver.list_anchored(anchor)) < 2

    def says_nothing(self, kind: str, node: dict[str, Any]) -> bool:
        """Return whether *node* refers to nothing, and that decides on no value."""
        reference = node["$ref"]
        if not isinstance(reference, str) or self._resolver.locate(reference) is not None:
            return False
        return kind in UNDECIDING or id(node) in self._unused

    @cached_property
    def _unused(self) -> set[int]:
        """The ids of the objects in components that nothing uses."""
        used = list_used(self._document)
        found = self._document.get("components")
        components = found if isinstance(found, dict) else {}
        shown = [value for key, value in self._document.items() if key != "components"]
        hidden: list[Any] = []
        for section, entries in components.items():
            for name, entry in entries.items() if isinstance(entries, dict) else ():
                is_used = section not in COMPONENTS or (section, name) in used
                (shown if is_used else hidden).append(entry)
        return _list_ids(hidden) - _list_ids(shown)


def _list_ids(node: Any) -> set[int]:
    found: set[int] = set()
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, dict | list) and id(each) not in found:
            found.add(id(each))
            pending += each.values() if isinstance(each, dict) else each
    return found


def list_used(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the components that *document* uses, by section and name; rather one too many."""
    resolver = Resolver(document)
    components = document.get("components")
    sections = components if isinstance(components, dict) else {}
    entries = {
        (section, name): entry
        for section in sections.keys() & COMPONENTS.keys()
        for name, entry in resolver.section(section).items()
    }
    extended = subtypes(resolver.section("schemas"))

    def list_goals(node: Any) -> Iterator[tuple[str, str]]:
        for text in _list_names(node):
            yield from ((section, text) for section in ("schemas", "securitySchemes"))
            found = resolver.locate(text)
            for pointer in (text.removeprefix("#"), found.pointer if found else ""):
                steps = parts(pointer) if pointer.startswith("/components/") else ()
                if len(steps) > 2:
                    yield steps[1], steps[2]

    def follow(goal: tuple[str, str]) -> list[tuple[str, str]]:
        section, name = goal
        also = extended.get(name, ()) if section == "schemas" else ()
        return [*list_goals(entries.get(goal)), *(("schemas", each) for each in also)]

    rest = {key: value for key, value in document.items() if key != "components"}
    others = [value for section, value in sections.items() if section not in COMPONENTS]
    return {*closure([*list_goals([rest, others])], follow)}


def _list_names(node: Any) -> Iterator[str]:
    """Yield what in *node* may name a component, or be the address of one."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, str) and each.startswith("#"):
            yield each
        elif isinstance(each, dict):
            pending += each.values()
            demands = each.get("security")
            for demand in demands if isinstance(demands, list) else ():
                yield from demand if isinstance(demand, dict) else ()
            yield from (name for name in list_mapped(each) if isinstance(name, str))


def _select(document: dict[str, Any], is_wanted: Callable[[str, str], bool]) -> dict[str, Any]:
    """Return *document* without the components, paths and webhooks that are not wanted."""

    def select(section: str, entries: Any) -> Any:
        if not isinstance(entries, dict):
            return entries
        return {
            name: entry
            for name, entry in entries.items()
            if not isinstance(entry, dict) or is_wanted(section, str(name))
        }

    selected = {
        key: select(key, value) if key in ("paths", *WEBHOOKS) else value
        for key, value in document.items()
    }
    components = document.get("components")
    if isinstance(components, dict):
        selected["components"] = {
            section: select(section, entries) if section in COMPONENTS else entries
            for section, entries in components.items()
        }
    return selected


def _put_back(whole: Any, selected: Any, kept: Any) -> Any:
    """Return *whole* with what became of the part of it that was *selected*."""
    if kept is selected:
        return whole
    if whole is selected or not isinstance(kept, dict):
        return kept
    merged = {
        key: _put_back(value, selected[key], kept[key]) if key in selected else value
        for key, value in whole.items()
        if key in kept or key not in selected
    }
    return {**kept, **merged}


def _keep(kind: str, node: Any, context: _Context) -> Any:
    if not isinstance(node, dict):
        return node
    if "$ref" in node and (kind in REFERABLE or kind == "schema"):
        if context.says_nothing(kind, node):
            others = {key: value for key, value in node.items() if key != "$ref"}
            return {**others, f"{PREFIX}$ref": node["$ref"]}
        if kind != "schema":
            return node
    plain = _PLAIN[kind]
    if any(type(value) is not plain.get(key) for key, value in node.items()):
        node = _keep_values(kind, node, context)
    return _replace(kind, node, lambda below, child: _keep(below, child, context))


def _keep_values(kind: str, node: dict[str, Any], context: _Context) -> dict[str, Any]:
    """Return an object of *kind* with what its own keys mean, *node* itself if that is as said."""
    plain = _PLAIN[kind]
    found: dict[str, Any] = {}
    odd = False
    for key, value in node.items():
        if type(value) is plain.get(key):
            found[key] = value
            continue
        meant = _find_meaning(kind, key, value, is_strict=context.is_strict)
        name, published = key, value
        if isinstance(value, ResolvedReference):
            meant, published = str(value), value.written
        is_called = kind == "schema" and isinstance(value, str) and context.is_certain(key, value)
        if is_called and _CALLED[key] not in node:
            name, meant = _CALLED[key], str(value)
        if meant is not _ABSENT:
            found[name] = value if meant is _SAME else meant
        if meant is not _SAME:
            found[PREFIX + key] = published
            odd = True
    return found if odd else node


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
    if key == "$ref" and isinstance(value, str):
        return True
    if kind == "schema" and key in _CALLED and isinstance(value, str):
        return _CALLED[key] in node
    meant = _find_meaning(kind, key, value)
    return bool(meant is not _SAME and meant == node.get(key, _ABSENT))


def _replace(kind: str, node: dict[str, Any], replace: Callable[[str, Any], Any]) -> dict[str, Any]:
    found = find_replaced(kind, node, lambda _, below, child: replace(below, child))
    changed = {key: value for key, value in found.items() if value is not node[key]}
    return {**node, **changed} if changed else node


def _find_meaning(kind: str, key: str, value: Any, *, is_strict: bool = False) -> Any:
    """Return what *key* of an object of *kind* means; ``_SAME`` where it is what it says.

    What can't be read, and can't be left out either, is what it says, or a TypeError.
    """
    known = OBJECTS[kind].get(key)
    is_named = known is None and kind in _NAMED_BELOW and not key.startswith("x-")
    if is_strict and is_named and not isinstance(value, dict | NoneType):
        raise TypeError(key)
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
    if not _is_indispensable(kind, key, known):
        return _ABSENT  # what is of another type says nothing
    if is_strict:
        raise TypeError(key)
    return read


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
        if kind == "parameter" and isinstance(value, dict):
            # what leads elsewhere still, and is used, was refused
            known_here = {
                name: below for name, below in value.items() if not _refers_elsewhere(below)
            }
            return _SAME if len(known_here) == len(value) else known_here
        if kind in _NULLABLE and isinstance(value, dict) and None in value.values():
            return {name: {} if below is None else below for name, below in value.items()}
    elif isinstance(value, str) and kind in _NAMED_BY:
        return {_NAMED_BY[kind]: value}
    return _SAME


def _refers_elsewhere(node: Any) -> bool:
    reference = node.get("$ref") if isinstance(node, dict) else None
    return isinstance(reference, str) and not reference.startswith("#")


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
