"""Write paragraphs of prose as a docstring, with everything in them escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final, Protocol

from dateline.deferral import defer, join_lines, waits
from dateline.filters import Code
from dateline.markup import remove_markup
from dateline.python.code import WIDTH, escape_text

# The beginning of a line: blanks, and the mark of a list item.
_MARGIN: Final = re.compile(r" *(?:[-*+] +|[0-9]+[.)] +)?")

# A line of running text: no list, table, heading, quote, code or fence (CommonMark 0.31).
_PROSE: Final = re.compile(r"(?! )(?![-*+] )(?![0-9]+[.)] )[^|#>`~]")


def docstring(paragraphs: Iterable[str], indent: int) -> Code:
    """Return the docstring of *paragraphs*, whose lines after the first begin at *indent*."""
    paragraphs = [*paragraphs]
    if any(map(waits, paragraphs)):
        return Code(defer("docstring", paragraphs, indent))
    lines: list[str] = []
    for paragraph in paragraphs:
        found = [*_lines(remove_markup(paragraph), WIDTH - indent)]
        lines += ["", *found] if lines else found
    if not lines:
        return Code('""')
    if len(lines) == 1 and len(lines[0]) + indent + 6 <= WIDTH:
        return Code(f'"""{_end(lines[0])}"""')
    margin = " " * indent
    first, *rest = lines
    if len(first) + indent + 3 > WIDTH:
        # a word that is longer than a line
        first, rest = "", lines
    text = "\n".join([f'"""{first}', *(margin + line if line else "" for line in rest)])
    return Code(f'{text}\n{margin}"""')


class Described(Protocol):
    """An argument as docstrings describe it."""

    @property
    def keyword(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def deprecated(self) -> bool: ...


def describe_argument(argument: Described, limits: str = "") -> str:
    """Return the line of a docstring about *argument*; empty if there is nothing to say."""
    text = join_lines(argument.description)
    if argument.deprecated:
        text = f"Deprecated. {text}".rstrip()
    about = f"- `{argument.keyword}`" + (f" ({join_lines(limits)})" if limits else "")
    return f"{about}: {text}" if text else about if limits else ""


@dataclass(frozen=True, kw_only=True)
class DescribedOperation:
    """What docstrings say about an operation."""

    method: str
    path: str
    summary: str
    description: str
    deprecated: bool

    @property
    def address(self) -> str:
        """The path of its requests, below that of the server: it begins with a slash."""
        return self.path if self.path.startswith("/") else f"/{self.path}"


def describe_operation(
    operation: DescribedOperation, arguments: Iterable[str], *notes: str
) -> Iterator[str]:
    """Yield the paragraphs of the docstring of *operation*.

    *notes* come before the lines about *arguments*, of which empty ones are left out.
    """
    if operation.summary:
        yield operation.summary
    if operation.description:
        yield operation.description
    if operation.deprecated and "deprecated" not in operation.description.lower():
        yield "Deprecated."
    yield from notes
    if lines := [*filter(None, arguments)]:
        yield "\n".join(lines)
    yield f"`{operation.method} {operation.path}`"


def _flowing(paragraph: str) -> Iterator[str]:
    """Yield the lines of *paragraph*, with continuation lines joined."""
    before = ""
    for line in paragraph.strip().splitlines():
        if (_PROSE.match(line) and _PROSE.match(before)) or _continues(before, line):
            before += " " + line.strip()
            continue
        if before:
            yield before
        if not line.strip():
            yield ""
        before = line.rstrip()
    if before:
        yield before


def _continues(before: str, line: str) -> bool:
    """Return whether *line* continues the list item in *before*."""
    margin = len(found.group()) if (found := _MARGIN.match(before)) else 0
    return (
        bool(before[:margin].strip())
        and line[:margin].isspace()
        and _PROSE.match(line[margin:]) is not None
    )


def _lines(paragraph: str, width: int) -> Iterator[str]:
    for line in _flowing(paragraph):
        margin = _MARGIN.match(line)
        hanging = " " * len(margin.group()) if margin else ""
        text = '"'.join(map(escape_text, line.split('"')))
        yield from wrap(
            text.replace('"""', r"\"\"\""),
            # the opening quotes may be before it
            width - 3,
            subsequent_indent=hanging,
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]


def _end(line: str) -> str:
    """Return *line*, with its last quote kept apart from those that close the docstring."""
    bare = line.removesuffix('"')
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + r"\"" if bare != line and escapes % 2 == 0 else line
