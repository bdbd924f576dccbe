"""Suggest the right place of a key that was written on the wrong kind of object."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from dateline.openapi import ANY, OBJECTS, Arrangement
from dateline.wording import name_kind

_FARTHEST: Final = 3
_RARELY_MEANT: Final = frozenset({"webhooks", "links"})
"""Keys that are not searched below: another place that is as near is nearly always meant."""
_OF_OTHERS: Final = frozenset({"definitions"})
"""Keys of Swagger 2.0 whose names mean something else in OpenAPI."""


class GrammarStep(NamedTuple):
    """A step from an object to one that its *key* holds, or to its holder (*upwards*)."""

    key: str
    arrangement: Arrangement
    kind: str
    upwards: bool


@cache
def find_right_place(kind: str, key: str) -> str | None:
    """Return in words where *key*, written on an object of *kind*, belongs.

    That is the nearest place, below the object or around it; None if no object near has the key.
    """
    found = [trail for trail in _list_trails(kind) if key in OBJECTS[trail[-1].kind]]
    if not found or key in _OF_OTHERS:
        return None
    nearest = [trail for trail in found if len(trail) == len(found[0])]
    # an object is named once, by the first way to it
    named = {trail[-1].kind: trail for trail in reversed(nearest)}
    ways = [_describe(named[each]) for each in dict.fromkeys(one[-1].kind for one in nearest)]
    return f"it belongs {' or '.join(ways[:2])}"


def _list_trails(kind: str) -> Iterator[tuple[GrammarStep, ...]]:
    """Yield the ways from an object of *kind* to others, the shortest first, up or down."""
    for length in range(1, _FARTHEST + 1):
        for upwards in (False, True):
            yield from _list_extensions((), kind, length, upwards)


def _list_extensions(
    trail: tuple[GrammarStep, ...], kind: str, length: int, upwards: bool
) -> Iterator[tuple[GrammarStep, ...]]:
    if not length:
        yield trail
        return
    for step in _list_steps(kind, upwards):
        if step.kind != kind and all(step.kind != taken.kind for taken in trail):
            yield from _list_extensions((*trail, step), step.kind, length - 1, upwards)


@cache
def _list_steps(kind: str, upwards: bool) -> tuple[GrammarStep, ...]:
    return tuple(
        GrammarStep(key, known.slot.arrangement, holder if upwards else known.slot.kind, upwards)
        for holder, keys in OBJECTS.items()
        for key, known in keys.items()
        if known.slot.arrangement is not Arrangement.DATA
        and key not in _RARELY_MEANT
        # they surround everything
        and not (upwards and holder == "components")
        and known.slot.kind in OBJECTS
        and (known.slot.kind if upwards else holder) == kind
    )


def _describe(trail: tuple[GrammarStep, ...]) -> str:
    last = trail[-1]
    if last.upwards:
        return f"to {name_kind(last.kind)} around it"
    if last.key == ANY:
        return f"to {name_kind(last.kind)} in {f'`{trail[-2].key}`' if trail[1:] else 'it'}"
    if last.kind == "operation":
        return f"to an operation, such as `{last.key}`"
    if last.arrangement is Arrangement.ONE:
        return f"into `{last.key}`" if len(trail) == 1 else f"into a `{last.key}` below"
    return f"to {name_kind(last.kind)} in `{last.key}`"
