"""Remove children, with the lines and comments that belong to them alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from dateline.source.spans import FLOW, Span
from dateline.source.splice.nodes import Splice
from dateline.source.splice.page import TextPage

_COMMA: Final = re.compile(r"\s*,")


def remove_children(page: TextPage, span: Span, kept: set[int]) -> Iterator[Splice]:
    """Yield the splices that remove all children of *span* whose numbers are not *kept*."""
    remove = _remove_in_brackets if span.style in FLOW else _remove_lines
    for is_kept, run in groupby(range(len(span.below)), key=lambda number: number in kept):
        if not is_kept:
            numbers = list(run)
            yield remove(page, span, numbers[0], numbers[-1])


def _remove_in_brackets(page: TextPage, span: Span, first: int, last: int) -> Splice:
    start = page.head(span, first)
    if last + 1 < len(span.below):
        return Splice(start, page.head(span, last + 1), "")
    before = span.below[first - 1].end
    end = span.below[last].end
    if "#" not in page.text[before:start]:
        return Splice(before, end, "")
    # the comment belongs to what stays, whose comma does no harm before the bracket
    if comma := _COMMA.match(page.text, end):
        end = comma.end()
    rest = page.text[end : page.line_end(end)].partition("#")[0]
    alone = not (page.text[page.line_start(start) : start] + rest).strip()
    return Splice(page.break_before(start) if alone else start, end, "")


def _remove_lines(page: TextPage, span: Span, first: int, last: int) -> Splice:
    start = page.head(span, first)
    line, end = page.line_start(start), page.line_end(span.below[last].end)
    if page.text[line:start].strip():
        # after the dash of the surrounding item
        after = page.head(span, last + 1)
        follows = page.line_start(after) == page.next_line(end)
        return Splice(start, after if follows else end, "")
    line = page.comments_above(start, span.below[first - 1].end if first else 0)
    if not first:
        return Splice(line, page.next_line(end), "")
    if page.keeps_blanks:
        # the blank lines that follow could become part of the text before
        end = page.text_end(end)
    elif not page.text[end : page.line_end(page.next_line(end))].strip():
        # one gap, not two, remains between the neighbours
        line = page.blanks_above(line)
    return Splice(page.break_before(line), end, "")
