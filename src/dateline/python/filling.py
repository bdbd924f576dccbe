"""Lay out deferred source with the words that it waits for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dateline.python.code import lay_out, read_node
from dateline.python.deferral import (
    has_marks,
    list_placeholders,
    replace_placeholders,
    split_deferred,
)
from dateline.python.docstrings import docstring

Words = Callable[[int], str]


class Deferred(NamedTuple):
    """A piece of source that depends on words: what it is laid out from, as JSON, and as what.

    ``words`` are the numbers of the words in ``source``.
    """

    parts: str
    source: str
    words: list[int]


def fill(text: str, words: Words) -> list[str | Deferred]:
    """Return the pieces of *text*, those that are deferred laid out with *words*.

    Raises ValueError where a placeholder is anywhere else.
    """
    pieces: list[str | Deferred] = []
    for number, piece in enumerate(split_deferred(text)):
        if number % 2:
            pieces.append(fill_piece(piece, words))
        elif has_marks(piece):
            raise ValueError("a word that is not deferred")
        elif piece:
            pieces.append(piece)
    return pieces


def fill_piece(parts: str, words: Words) -> Deferred:
    """Return the deferred piece of source that is laid out from *parts*, with *words*."""
    numbers: dict[int, None] = {}
    kind, *given = _fill_in(json.loads(parts), words, numbers)
    if kind == "docstring":
        source = docstring(*given)
    else:
        node, *more = given
        source = lay_out(read_node(node), *more)
    return Deferred(parts, source, [*numbers])


def join_pieces(pieces: Iterable[str | Deferred]) -> str:
    """Return the source that *pieces* are."""
    return "".join(piece if isinstance(piece, str) else piece.source for piece in pieces)


def _fill_in(value: Any, words: Words, numbers: dict[int, None]) -> Any:
    """Return *value* with its words in place, and add their *numbers*."""
    if isinstance(value, list):
        return [_fill_in(each, words, numbers) for each in value]
    if not isinstance(value, str) or not has_marks(value):
        return value
    if len(pieces := split_deferred(value)) > 1:
        # deferred source within what is deferred
        return "".join(_fill_nested(pieces, words, numbers))
    numbers |= dict.fromkeys(list_placeholders(value))
    return replace_placeholders(value, words)


def _fill_nested(pieces: list[str], words: Words, numbers: dict[int, None]) -> list[str]:
    made = []
    for number, piece in enumerate(pieces):
        if number % 2:
            inner = fill_piece(piece, words)
            numbers |= dict.fromkeys(inner.words)
            made.append(inner.source)
        elif has_marks(piece):
            raise ValueError("a word that is not deferred")
        else:
            made.append(piece)
    return made
