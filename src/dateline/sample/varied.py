"""Variants of a value with less in it: without optional fields, with null, with empty lists."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any, Final

from dateline.sample.dice import Dice

_MOST: Final = 24
"""The number of places that may change, those at the top of the value first."""

_ABSENT: Final = object()


def vary(value: Any, fits: Callable[[Any], bool], dice: Dice) -> Any:
    """Return *value* with less in it, as the *dice* choose and as long as it *fits*."""
    varied = copy.deepcopy(value)
    places = list(_list_places(varied))
    top = [place for place in places if place[0] is varied]
    below = [place for place in places if place[0] is not varied]
    for holder, key in islice(chain(dice.shuffle(top), dice.shuffle(below)), _MOST):
        if dice.below(2):
            _reduce(holder, key, dice, lambda: fits(varied))
    return varied


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the containers in *value* with each of their keys or indexes."""
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from _list_places(child)


def _reduce(holder: Any, key: Any, dice: Dice, fits: Callable[[], bool]) -> None:
    """Leave out what *holder* has at *key*, or make it null or empty, if it *fits* then."""
    before = holder[key]
    fewer = [_ABSENT] if isinstance(holder, dict) else []
    empty = [type(before)()] if isinstance(before, dict | list) else []
    for less in dice.shuffle([*fewer, None, *empty]):
        if less is _ABSENT:
            del holder[key]
        else:
            holder[key] = less
        if fits():
            return
        holder[key] = before
