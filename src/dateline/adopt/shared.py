"""Plain values in, the same values out, equal ones as one object: equality is then identity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Shared:
    """Makes equal values one object, the order of keys aside.

    Numbers are equal as JSON Schema has it (`1` is `1.0`), and none is equal to true or false.
    The first of equal values lends its order of keys.
    """

    def __init__(self) -> None:
        # each value is kept alive here, so that its id stands for it alone
        self._scalars: dict[tuple[bool, Any], Any] = {}
        self._maps: dict[frozenset[tuple[str, int]], dict[str, Any]] = {}
        self._lists: dict[tuple[int, ...], list[Any]] = {}

    def of(self, value: Any) -> Any:
        """Return the one object that stands for all that equals *value*: plain, not to change."""
        if isinstance(value, dict):
            made = {self.of(key): self.of(below) for key, below in value.items()}
            told = frozenset((key, id(below)) for key, below in made.items())
            return self._maps.setdefault(told, made)
        if isinstance(value, list):
            items = [self.of(item) for item in value]
            return self._lists.setdefault(tuple(map(id, items)), items)
        return self._scalars.setdefault((isinstance(value, bool), value), value)


def differences(
    one: Any, other: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to each thing in which two values differ; equal is meant as in `Shared`."""
    if one is other:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if key in one and key in other:
                yield from differences(one[key], other[key], (*path, key))
            else:
                yield (*path, key)
    elif isinstance(one, list) and isinstance(other, list):
        for index, (mine, theirs) in enumerate(zip(one, other, strict=False)):
            yield from differences(mine, theirs, (*path, index))
        if len(one) != len(other):
            yield (*path, min(len(one), len(other)))
    elif isinstance(one, bool) != isinstance(other, bool) or one != other:
        yield path
