"""Make equal JSON values one object, so that equality is identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class Interner:
    """Keeps one object for all equal values, the order of keys aside.

    Numbers are equal as JSON Schema has it (`1` is `1.0`), and none is equal to true or false.
    The first of equal values lends its order of keys. A number that any of *documents* spells as
    an integer is spelled so everywhere: `maxLength: 1.0` would be refused.
    """

    def __init__(self, documents: Iterable[Any]) -> None:
        # each value is kept alive here, so that its id stands for it alone
        self._scalars: dict[tuple[bool, Any], Any] = {}
        self._maps: dict[frozenset[tuple[str, int]], dict[str, Any]] = {}
        self._lists: dict[tuple[int, ...], list[Any]] = {}
        pending = list(documents)
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                pending += node.values()
            elif isinstance(node, list):
                pending += node
            elif isinstance(node, int):
                self.intern(node)

    def intern(self, value: Any) -> Any:
        """Return the one object that stands for all values equal to *value*; do not change it."""
        if isinstance(value, dict):
            node = {self.intern(key): self.intern(below) for key, below in value.items()}
            identity = frozenset((key, id(below)) for key, below in node.items())
            return self._maps.setdefault(identity, node)
        if isinstance(value, list):
            items = [self.intern(item) for item in value]
            return self._lists.setdefault(tuple(map(id, items)), items)
        return self._scalars.setdefault((isinstance(value, bool), value), value)


def find_differences(
    one: Any, other: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
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
    elif isinstance(one, bool) != isinstance(other, bool) or one != other:
        yield path
