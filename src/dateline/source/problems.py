"""The problems of one file, with their positions and the messages that all readers share."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from dateline.model import Place, Problem

MOST_PROBLEMS: Final = 200
"""The number of problems after which the rest of a file is not read."""

EMPTY: Final = ("empty-file", "this file has no content; write a mapping, or delete the file")
"""The id and message for an empty file."""

EQUAL_TWICE: Final = "keys that are there twice with equal values are read once"
"""Message of the note for them."""

_WORD: Final = re.compile(r"\S+")


class ReadError(Exception):
    """Something can't be read: the id of the problem, and its message with the way out."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class StoppedError(Exception):
    """The rest of the file can't be read, or is not worth reading; the reason is in the log."""


class Log:
    """The problems of one file."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file = file
        self._problems = problems
        self._left = MOST_PROBLEMS

    def note(self, line: int, column: int, kind: str, message: str) -> None:
        """Add a problem; raises StoppedError for the last of ``MOST_PROBLEMS``."""
        place = Place(self.file, line, column)
        self._problems.append(Problem(place=place, id=kind, message=message))
        self._left -= 1
        if not self._left:
            message = f"{MOST_PROBLEMS} problems; the rest of the file was not read"
            self._problems.append(Problem(place=place, id="too-many-problems", message=message))
            raise StoppedError

    def stop(self, line: int, column: int, kind: str, message: str) -> NoReturn:
        """Add a problem after which nothing can be read; raises StoppedError."""
        self.note(line, column, kind, message)
        raise StoppedError


def short(text: str, limit: int = 40) -> str:
    """Return *text* for a message, cut at *limit*."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def word_at(text: str, offset: int) -> str:
    """Return the word at *offset* for a message."""
    word = _WORD.match(text, offset)
    if word is None:
        return "the end of the line" if text[offset : offset + 1] else "the end of the file"
    return f"'{short(word.group(), 20)}'"


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of *offset*, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def duplicate(key: str, first: Place) -> tuple[str, str]:
    """Return id and message for a *key* that already occurs at *first*."""
    return "duplicate-key", f"'{short(key)}' is already at {first}; keep one of the two"


def are_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON; `1` and `1.0` are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
