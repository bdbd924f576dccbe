"""The text of a source before its edits, and the positions of its lines."""

from __future__ import annotations

import re
from typing import Final

from dateline.source.spans import Span
from dateline.source.writing import Style

# The header of block text that keeps the blank lines after it.
_KEEPING: Final = re.compile(r"[|>][0-9]?\+")
# The question mark before a key in brackets.
_KEY_MARK: Final = re.compile(r"(?<![^\s,{\[])\?[ \t]+\Z")


class TextPage:
    """An unchanging text: positions are those before the edits."""

    def __init__(self, text: str, style: Style) -> None:
        self.text = text
        self.style = style
        self.keeps_blanks = _KEEPING.search(text) is not None

    def comments_above(self, head: int, floor: int) -> int:
        """Return the start of the lines that belong to what begins at *head*.

        These are its own and the comments directly above it in its column, as long as they are
        after *floor*. Comments at the top of the file belong to the file.
        """
        line = self.line_start(head)
        margin = self.text[line:head] + "#"
        first = line
        while first and self.text.startswith(margin, above := self.line_start(first - 1)):
            if above < floor:
                break
            first = above
        return first or line

    def head(self, span: Span, number: int) -> int:
        """Return where child *number* begins: at its key, the mark before it, or in brackets."""
        if span.style == ":":
            key = span.keys[number]
            is_explicit = key.column > span.column
            return self._mark(span, number, key.start, "?") if is_explicit else key.start
        if span.style == "{":
            start = span.keys[number].start
            mark = _KEY_MARK.search(self.text, self.line_start(start), start)
            return mark.start() if mark else start
        start = span.below[number].start
        return start if span.style == "[" else self._mark(span, number, start, "-")

    def _mark(self, span: Span, number: int, start: int, mark: str) -> int:
        """Return the position of the *mark* before *start*, in the column of *span*."""
        if number == 0:
            return span.start
        line = self.line_start(start)
        while self.text[line : line + span.column + 1] != " " * span.column + mark:
            line = self.line_start(line - 1)
        return line + span.column

    def line_start(self, offset: int) -> int:
        """Return the beginning of the line of *offset*."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Return the end of the line of *offset*, before its line break."""
        found = self.text.find("\n", offset)
        if found < 0:
            return len(self.text)
        return found - self.text.startswith("\r\n", found - 1)

    def blanks_above(self, line: int) -> int:
        """Return the start of the blank lines directly above *line*."""
        while line and not self.text[(above := self.line_start(line - 1)) : line].strip():
            line = above
        return line

    def text_end(self, offset: int) -> int:
        """Return the end of the last blank line that follows the line of *offset*."""
        following = self.next_line(offset)
        while following < len(self.text):
            stop = self.line_end(following)
            if self.text[following:stop].strip():
                break
            offset, following = stop, self.next_line(following)
        return self.line_end(offset)

    def next_line(self, offset: int) -> int:
        """Return the beginning of the line after that of *offset*, or the end of the text."""
        return self.text.find("\n", offset) + 1 or len(self.text)

    def break_before(self, offset: int) -> int:
        """Return the end of the line before that of *offset*."""
        return self.line_end(self.line_start(offset) - 1)

    def line_above(self, line: int) -> int | None:
        """Return the end of the nearest line above *line* that is not a comment, or None."""
        while line:
            above = self.line_start(line - 1)
            content = self.text[above:line].strip()
            if content and not content.startswith("#"):
                return self.line_end(above)
            line = above
        return None


def last_of(span: Span) -> Span:
    """Return the last scalar, or empty collection, of *span*."""
    while span.below:
        span = span.below[-1]
    return span


def header_of(text: str, span: Span) -> str:
    """Return the header of block text; empty for any other node."""
    if span.style not in ("|", ">"):
        return ""
    return text[span.start : span.end].partition("\n")[0].partition("#")[0]
