"""Make the text of findings inert: for terminals, logs of CI servers, and Markdown."""

from __future__ import annotations

import re
from typing import Final

from dateline.model import printable

LIMIT: Final = 1_000
"""The maximum number of characters of one text that people are shown; programs get all of it."""

# CI servers interpret such marks in a log as commands: GitHub and others `::name` at the start of a
# line, all of them `##[name]`, `##vso[name]` or `##teamcity[name]` anywhere in it.
_COMMAND: Final = re.compile(r"##(?=[A-Za-z]*\[)|(?<!\S)::(?=[A-Za-z])")

# First what code hosts turn into links and mentions, which they do after they have removed
# backslashes: a zero-width space separates it. Then markup.
_MARKUP: Final = re.compile(
    r"(?P<linked>@|:(?=//)|www(?=\.)|GH-(?=\d)|[#!](?=\d))|[\\`*_\[\]<>&#|~$!{}]", re.IGNORECASE
)
SEPARATOR: Final = "&#8203;"
"""A zero-width space in Markdown."""


def escape_line(text: str, limit: int = LIMIT) -> str:
    """Return *text* on one line, cut at *limit*, without what terminals or CI interpret."""
    # cut before escaping, too: a giant text costs no more than a long one
    line = printable(text[: limit + 1], limit)
    return _COMMAND.sub(lambda found: f"{found[0][0]}\\x{ord(found[0][0]):02x}", line)


def escape_markdown(text: str) -> str:
    """Return *text* on one line of Markdown without any markup, link or mention."""
    return _MARKUP.sub(_escape_markup, escape_line(text))


def _escape_markup(found: re.Match[str]) -> str:
    text = found[0]
    kept = f"\\{text}" if text in "\\`*_[]<>&#|~$!{}" else text
    return kept + SEPARATOR if found["linked"] else kept


def quote_markdown(text: str, limit: int = 300) -> str:
    """Return *text* as a code span of Markdown, with delimiters longer than any in it."""
    line = escape_line(text, limit)
    longest = max(map(len, re.findall("`+", line)), default=0)
    marks = "`" * (longest + 1)
    return f"{marks} {line} {marks}" if longest else f"{marks}{line}{marks}"
