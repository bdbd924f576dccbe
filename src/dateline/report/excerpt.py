"""The source line of a finding, with a caret under its column."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

from dateline.model import Place
from dateline.report.escaping import escape_line

_WIDE: Final = frozenset("WF")
_WITHOUT_WIDTH: Final = frozenset(["Mn", "Me", "Cf"])


class Excerpts:
    """The sources of findings; each is read and split into lines once."""

    def __init__(self, source: Callable[[str], str | None], width: int) -> None:
        """Lines are cut to *width* columns; *source* is that of ``Context``."""
        self._source = source
        self._width = width
        self._lines: dict[str, list[str]] = {}

    def at(self, place: Place | None) -> list[str]:
        """Return the line at *place* and the line with the caret; nothing if it is unknown."""
        if place is None:
            return []
        if place.file not in self._lines:
            # the reader of the sources also recognizes no other line ends
            self._lines[place.file] = (self._source(place.file) or "").split("\n")
        lines = self._lines[place.file]
        line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
        if not line.strip():
            return []
        gutter = f"{place.line} | "
        room = max(self._width - len(gutter), 20)
        shown, offset = _window(line.rstrip("\r"), max(place.column, 1) - 1, room)
        return [gutter + shown, f"{'|':>{len(gutter) - 1}} {' ' * offset}^"]


def _window(line: str, index: int, room: int) -> tuple[str, int]:
    """Return the part of *line* around *index*, and how many columns are before it."""
    index = min(index, len(line))
    start = max(0, index - room // 2) if len(line) > room else 0
    end = start + room
    lead = "…" if start else ""
    shown = lead + _flat(line[start:end]) + ("…" if end < len(line) else "")
    return shown, _columns(lead + _flat(line[start:index]))


def _flat(text: str) -> str:
    return escape_line(text.replace("\t", "  "))


def _columns(text: str) -> int:
    """Return the width of *text* in columns of a terminal."""
    return sum(
        0
        if unicodedata.category(character) in _WITHOUT_WIDTH
        else 2
        if unicodedata.east_asian_width(character) in _WIDE
        else 1
        for character in text
    )
