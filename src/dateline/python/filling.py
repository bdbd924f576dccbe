"""Lay out deferred source with its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from dateline.deferral import fill_in, has_marks, split_deferred
from dateline.filters import ESCAPES, TRIMMED
from dateline.python.code import lay_out, read_node
from dateline.python.docstrings import docstring

Words = Callable[[int], str]


class Deferred(NamedTuple):
    """A piece of source that depends on words: its content as JSON, and its kind.

    ``words`` are the numbers of the words in ``source``.
    """

    parts: str
    source: str
    words: list[int]


class Filling:
    """The source of deferred pieces, by name, each laid out once.

    *parts* are their contents; *words* are given by their numbers. ``known`` pieces are laid out
    with these words already.
    """

    def __init__(
        self, parts: Mapping[str, str], words: Words, known: dict[str, Deferred] | None = None
    ) -> None:
        self._parts = parts
        self._words = words
        self.known = {} if known is None else known

    def find(self, name: str) -> Deferred:
        """Return the piece called *name*. Raises KeyError if there is none."""
        if name not in self.known:
            self.known[name] = self._lay_out(self._parts[name])
        return self.known[name]

    def split(self, text: str) -> Iterator[str]:
        """Yield the pieces of *text*: verbatim text and names of deferred pieces in turn.

        Raises ValueError for a placeholder anywhere else.
        """
        for number, piece in enumerate(split_deferred(text)):
            if not number % 2 and has_marks(piece):
                raise ValueError("a word that is not deferred")
            yield piece

    def join(self, pieces: list[str]) -> str:
        """Return the source for *pieces*, as `split` yields them."""
        found = [*pieces]
        found[1::2] = (self.find(name).source for name in pieces[1::2])
        return "".join(found)

    def _lay_out(self, parts: str) -> Deferred:
        numbers: dict[int, None] = {}

        def read_word(number: int) -> str:
            numbers[number] = None
            return self._words(number)

        def read_deferred(name: str) -> str:
            inner = self.find(name)
            numbers.update(dict.fromkeys(inner.words))
            return inner.source

        kind, *given = fill_in(parts, read_word, read_deferred)
        if kind in ESCAPES:
            source = ESCAPES[kind](*given)
        elif kind == TRIMMED:
            source = given[0].removesuffix("\n")
        elif kind == "docstring":
            source = docstring(*given)
        else:
            node, *more = given
            source = lay_out(read_node(node), *more)
        return Deferred(parts, source, [*numbers])
