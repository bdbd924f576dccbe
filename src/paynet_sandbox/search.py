"""Texts in, the form in which they are searched out: equal for all spellings of one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute

# Stands between texts, and in none of them.
_SEPARATOR: Final = "\x1f"


def folded(text: str) -> str:
    """Return *text* for a comparison without regard to case, width and the like.

    It is the compatibility caseless match of Unicode (section 3.13, D146), composed.
    """
    decomposed = normalize("NFKD", normalize("NFD", text).casefold())
    return normalize("NFKC", decomposed.casefold()).replace(_SEPARATOR, " ")


def searched(texts: Iterable[str]) -> str:
    """Return what is kept of the texts in order to find them."""
    return _SEPARATOR.join(folded(text) for text in texts)


def holds(column: InstrumentedAttribute[str], term: str) -> ColumnElement[bool]:
    """Return the condition that one of the texts in *column* holds *term*, sign by sign."""
    return column.contains(folded(term), autoescape=True)
