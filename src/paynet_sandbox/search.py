"""Fold texts for searches: all spellings of one text become equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute

# Stands between texts, and in none of them.
_SEPARATOR: Final = "\x1f"


def fold(text: str) -> str:
    """Return *text* for a comparison without regard to case, width and the like.

    It is the compatibility caseless match of Unicode (section 3.13, D146), composed.
    """
    decomposed = normalize("NFKD", normalize("NFD", text).casefold())
    return normalize("NFKC", decomposed.casefold()).replace(_SEPARATOR, " ")


def join_folded(texts: Iterable[str]) -> str:
    """Return the text that is stored so that *texts* can be found."""
    return _SEPARATOR.join(fold(text) for text in texts)


def contains(column: InstrumentedAttribute[str], term: str) -> ColumnElement[bool]:
    """Return the condition that one of the texts in *column* contains *term* literally."""
    return column.contains(fold(term), autoescape=True)
