"""Variants of a value with what is rare: absent fields, null, empty texts and lists, 0 and less."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, Final

from dateline.sample.dice import Dice

_MOST: Final = 24
"""The number of places that may change, those at the top of the value first."""

_ABSENT: Final = object()


def vary(value: Any, fits: Callable[[Any], bool], dice: Dice) -> Any:
    """Return *value* with rare parts, as the *dice* choose and as long as it *fits*."""
    # without the parts that places of a sampled value share
    root = [json.loads(json.dumps(value))]
    places = list(_list_places(root[0]))
    top = [place for place in places if place[0] is root[0]] or [(root, 0)]
    below = [place for place in places if place[0] is not root[0]]
    for holder, key in islice(chain(dice.shuffle(top), dice.shuffle(below)), _MOST):
        if dice.below(2):
            _change(holder, key, dice, lambda: fits(root[0]))
    return root[0]


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the containers in *value* with each of their keys or indexes."""
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from _list_places(child)


def _change(holder: Any, key: Any, dice: Dice, fits: Callable[[], bool]) -> None:
    """Leave out or replace what *holder* has at *key*, if it *fits* then."""
    before = holder[key]
    rare = [*_list_rare(before), *([_ABSENT] if isinstance(holder, dict) else ())]
    for each in dice.shuffle(rare):
        if each is _ABSENT:
            del holder[key]
        else:
            holder[key] = each
        if fits():
            return
        holder[key] = before


def _list_rare(value: Any) -> list[Any]:
    """Return what is rarely in the place of *value*."""
    if isinstance(value, dict | list | str):
        return [None, type(value)()]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [None, 0, -value]
    return [None]
