"""Source whose words are filled in last, so that the rest of it can be kept while they change.

In place of a word, definitions have a placeholder. What is laid out with one in it is deferred:
its parts are in the source, between marks, until `dateline.python.filling` lays them out with the
word itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from dateline.templating import Code

_WORD, _FLOWING, _BEGIN, _END = "\U0001d300", "\U0001d301", "\U0001d302", "\U0001d303"
MARKS: Final = (_WORD, _FLOWING, _BEGIN, _END)
"""Characters of placeholders and of deferred source, which definitions must not have themselves."""

_PLACEHOLDER: Final = re.compile(
    rf"{_WORD}[a-z]*([0-9]+){_WORD}|{_FLOWING}[a-z]*([0-9]+){_FLOWING}"
)
_DEFERRED: Final = re.compile(rf"{_BEGIN}([^{_END}]*){_END}")

# What is asked of a word before it is laid out, so that a placeholder has to say it, too.
_ASKED: Final = "deprecated"


def create_placeholder(number: int, text: str) -> str:
    """Return the placeholder of the word *text*; a blank one stays what it is."""
    if not text.strip():
        return text
    said = _ASKED if _ASKED in text.lower() else ""
    return f"{_WORD}{said}{number}{_WORD}"


def has_marks(text: str) -> bool:
    """Return whether *text* has a placeholder in it, or deferred source."""
    return any(mark in text for mark in MARKS)


def join_lines(text: str) -> str:
    """Return *text* as running text in one line."""
    return " ".join(text.split()).replace(_WORD, _FLOWING)


def defer(kind: str, *parts: Any) -> Code:
    """Return source in place of what *kind* of it is laid out from *parts*, plain JSON values."""
    return Code(f"{_BEGIN}{json.dumps([kind, *parts])}{_END}")


def replace_placeholders(text: str, words: Callable[[int], str]) -> str:
    """Return *text* with its words, which are given by their numbers."""

    def find_word(found: re.Match[str]) -> str:
        if found[1]:
            return words(int(found[1]))
        return join_lines(words(int(found[2])))

    return _PLACEHOLDER.sub(find_word, text)


def list_placeholders(text: str) -> list[int]:
    """Return the numbers of the words in *text*."""
    return [int(found[1] or found[2]) for found in _PLACEHOLDER.finditer(text)]


def split_deferred(text: str) -> list[str]:
    """Return the pieces of *text*: as it is, what is deferred, as it is, and so on."""
    return _DEFERRED.split(text)
