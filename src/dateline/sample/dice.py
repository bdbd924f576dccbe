"""Deterministic choices: the same names lead to the same choices, on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of choices that is determined by its names alone.

    Python only guarantees that `random()` of the module `random` stays the same between releases.
    """

    def __init__(self, *names: object) -> None:
        self._names = names
        self._count = 0

    @cached_property
    def _key(self) -> bytes:
        return "\0".join(map(str, self._names)).encode()

    def below(self, limit: int) -> int:
        """Return a number from 0 to *limit* - 1."""
        self._count += 1
        if limit == 1:
            return 0
        digest = hashlib.sha256(self._key + self._count.to_bytes(4, "big")).digest()
        return int.from_bytes(digest, "big") % limit

    def between(self, low: int, high: int) -> int:
        """Return a number from *low* to *high*, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: Iterable[T]) -> Iterator[T]:
        """Yield *items* in another order, which is chosen as far as it is needed."""
        left = list(items)
        while left:
            yield left.pop(self.below(len(left)))
