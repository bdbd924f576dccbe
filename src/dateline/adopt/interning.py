"""Make equal JSON values one object, so that equality is identity."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from dateline.changes.words import identify
from dateline.model import EXTENSIBLE, Trail

_UNORDERED: Final = frozenset(
    {"allOf", "anyOf", "enum", "oneOf", "parameters", "required", "type", EXTENSIBLE}
)
"""The keywords whose lists are sets."""


class Interner:
    """Keeps one object for all equal values, the order of keys aside.

    Numbers are equal if they are written alike: `1` and `1.0` are two values, as are `0.0` and
    `-0.0`. The first of equal values lends its order of keys.
    """

    def __init__(self) -> None:
        # each value is kept alive here, so that its id stands for it alone
        self._scalars: dict[tuple[Any, ...], Any] = {}
        # apart from the values: a name that the bundler made is not the same as an author's text
        self._keys: dict[str, str] = {}
        self._maps: dict[frozenset[tuple[str, int]], dict[str, Any]] = {}
        self._lists: dict[tuple[int, ...], list[Any]] = {}

    def intern(self, value: Any) -> Any:
        """Return the one object that stands for all values equal to *value*; do not change it."""
        if isinstance(value, dict):
            known = self._keys
            node = {known.setdefault(key, key): self.intern(each) for key, each in value.items()}
            identity = frozenset((key, id(below)) for key, below in node.items())
            return self._maps.setdefault(identity, node)
        if isinstance(value, list):
            items = [self.intern(item) for item in value]
            return self._lists.setdefault(tuple(map(id, items)), items)
        return self._scalars.setdefault(_spell(value), value)


def find_differences(one: Any, other: Any, path: Trail = ()) -> Iterator[Trail]:
    """Yield the path to each difference between two values, which are compared as by `Interner`."""
    if one is other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if key in one and key in other:
                yield from find_differences(one[key], other[key], (*path, key))
            else:
                yield (*path, key)
    elif isinstance(one, list) and isinstance(other, list):
        for index, (mine, theirs) in enumerate(zip(one, other, strict=False)):
            yield from find_differences(mine, theirs, (*path, index))
        if len(one) != len(other):
            yield (*path, min(len(one), len(other)))
    elif _spell(one) != _spell(other):
        yield path


def spell_alike(value: Any, newer: Any) -> Any:
    """Return *value*, whose numbers are spelled as equal ones in the same places of *newer*."""
    if isinstance(value, dict) and isinstance(newer, dict):
        return {
            key: spell_alike(below, newer[key]) if key in newer else below
            for key, below in value.items()
        }
    if isinstance(value, list) and isinstance(newer, list) and len(value) == len(newer):
        return [spell_alike(item, other) for item, other in zip(value, newer, strict=True)]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return newer if is_number and not isinstance(newer, bool) and value == newer else value


def arrange_alike(value: Any, known: Any) -> Any:
    """Return *value*, whose lists have the order of *known* ones where it has no meaning.

    Items that only *value* has stay where they are.
    """
    if isinstance(value, dict) and isinstance(known, dict):
        return {
            key: _arrange_items(below, known[key])
            if key in _UNORDERED and isinstance(below, list) and isinstance(known.get(key), list)
            else arrange_alike(below, known.get(key))
            for key, below in value.items()
        }
    if isinstance(value, list) and isinstance(known, list) and len(value) == len(known):
        return [arrange_alike(item, other) for item, other in zip(value, known, strict=True)]
    return value


def _arrange_items(items: list[Any], known: list[Any]) -> list[Any]:
    own, others = ({_name(item): item for item in each} for each in (items, known))
    if len(own) < len(items) or len(others) < len(known):
        return items
    places = {name: number for number, name in enumerate(others)}
    ordered = iter(sorted(own.keys() & others, key=places.__getitem__))
    names = [next(ordered) if name in others else name for name in own]
    return [arrange_alike(own[name], others.get(name)) for name in names]


def pair_items(items: list[Any], others: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the items of two lists that are the same, and the rest in order if it is as long."""
    own, known = ({_name(item): item for item in each} for each in (items, others))
    yield from ((own[name], known[name]) for name in own if name in known)
    left, rest = ([n for n in one if n not in other] for one, other in ((own, known), (known, own)))
    if len(left) == len(rest):
        yield from ((own[name], known[other]) for name, other in zip(left, rest, strict=True))


def _name(item: Any) -> str:
    """Return what identifies an item of a list."""
    return json.dumps(identify(item) or item, sort_keys=True)


def _spell(scalar: Any) -> tuple[Any, ...]:
    """Return what distinguishes *scalar* from those that are written in another way."""
    if isinstance(scalar, float):
        return float, repr(scalar)
    return isinstance(scalar, bool), scalar
