"""Insert children of a collection between or after the existing ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from dateline.source.spans import FLOW, Span
from dateline.source.splice.nodes import Child, Old, Splice, value_of
from dateline.source.splice.page import TextPage, header_of, last_of
from dateline.source.splice.replacing import brackets_of
from dateline.source.writing import entry, in_brackets, item, key_in_brackets

# What may be between a value in brackets and the comma or bracket that follows it.
_GAP: Final = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*")


def insert_children(page: TextPage, old: Old) -> Iterator[Splice]:
    """Yield the splices that add the new children of *old*, each run after its predecessor."""
    kept = {child.number for child in old.children}
    # a pair in a list may omit braces as long as it is one
    bare = -1 in kept and old.span.style in FLOW and page.text[old.span.start] not in FLOW
    if bare:
        yield Splice(old.span.start, old.span.start, "{ ")
    anchor: int | None = None
    for is_new, run in groupby(old.children, key=lambda child: child.number < 0):
        children = list(run)
        if not is_new:
            anchor = children[-1].number
        elif old.span.style in FLOW:
            yield from _insert_in_brackets(page, old.span, anchor, children, kept)
        else:
            yield from _insert_lines(page, old.span, anchor, children)
    if bare:
        yield Splice(old.span.end, old.span.end, " }")


def _insert_lines(
    page: TextPage, span: Span, anchor: int | None, children: list[Child]
) -> Iterator[Splice]:
    margin = " " * span.column
    gap = "\n" if _is_parted(page, span, anchor) else ""
    lines = [margin + _line(page, span, anchor, child) for child in children]
    if anchor is not None:
        below = span.below[anchor]
        end = page.line_end(below.end)
        yield from _keep_unended(page, below)
        yield Splice(end, end, "".join(f"{gap}\n{line}" for line in lines))
        return
    first = page.head(span, 0)
    line = page.line_start(first)
    above = page.line_above(line)
    if page.text[line:first].strip():
        # after the dash of the surrounding item
        text = f"\n{gap}".join([*lines, margin])
        yield Splice(first, first, text.removeprefix(margin))
    elif above is None:
        yield Splice(line, line, "".join(f"{text}\n{gap}" for text in lines))
    else:
        yield Splice(above, above, "".join(f"\n{text}{gap}" for text in lines))


def _line(page: TextPage, span: Span, anchor: int | None, child: Child) -> str:
    value = value_of(child.node)
    number = -1 if anchor is None else anchor
    nearest = [*reversed(span.below[: number + 1]), *span.below[number + 1 :]]
    brackets = brackets_of(nearest, value)
    if span.is_map:
        return entry(child.name, value, page.style, span.column, brackets=brackets)
    return "- " + item(value, page.style, span.column + 2, brackets=brackets)


def _is_parted(page: TextPage, span: Span, anchor: int | None) -> bool:
    """Return whether there is a blank line between the neighbours."""
    # blank lines after text that keeps them would become part of it
    if len(span.below) < 2 or "+" in header_of(page.text, last_of(span.below[anchor or 0])):
        return False
    number = min(anchor or 0, len(span.below) - 2)
    between = page.text[span.below[number].end : page.head(span, number + 1)]
    return any(not line.strip() for line in between.split("\n")[1:-1])


def _keep_unended(page: TextPage, span: Span) -> Iterator[Splice]:
    """Keep block text at the end of the file without a line end if it has none."""
    leaf = last_of(span)
    if leaf.style in ("|", ">") and leaf.end == len(page.text):
        header = header_of(page.text, leaf)
        if "+" in header:
            at = leaf.start + header.index("+")
            yield Splice(at, at + 1, "-", on_what_stays=True)
        elif "-" not in header:
            yield Splice(leaf.start + 1, leaf.start + 1, "-", on_what_stays=True)


def _insert_in_brackets(
    page: TextPage, span: Span, anchor: int | None, children: list[Child], kept: set[int]
) -> Iterator[Splice]:
    number = anchor or 0
    head = page.head(span, number)
    line = "\n" + " " * (head - page.line_start(head))
    by_line = _is_by_line(page, span, number)
    texts = [_in_line(page, span, child, line if by_line else "") for child in children]
    if anchor is None:
        comma = f",{line}" if by_line else ", "
        yield Splice(head, head, "".join(text + comma for text in texts))
        return
    end = span.below[anchor].end
    gap = _GAP.match(page.text, end)
    assert gap is not None
    comma_follows = page.text.startswith(",", gap.end())
    same_line = "\n" not in gap.group()
    following_goes = number + 1 < len(span.below) and number + 1 not in kept
    stop = page.line_end(end)
    if not by_line or following_goes or (comma_follows and not same_line):
        yield Splice(end, end, "".join(f", {text}" for text in texts))
    elif not same_line:
        yield Splice(end, end, ",")
        yield Splice(stop, stop, ",".join(f"{line}{text}" for text in texts))
    elif comma_follows and not page.text[gap.end() + 1 : stop].partition("#")[0].strip():
        yield Splice(stop, stop, "".join(f"{line}{text}," for text in texts))
    else:
        # the bracket, or what comes next, is on the same line
        yield Splice(end, end, "".join(f",{line}{text}" for text in texts))


def _in_line(page: TextPage, span: Span, child: Child, line: str) -> str:
    value, style = value_of(child.node), page.style
    text = in_brackets(value, style)
    if style.json and line:
        text = json.dumps(value, ensure_ascii=False, indent=style.step).replace("\n", line)
    return f"{key_in_brackets(child.name, style)} {text}" if span.is_map else text


def _is_by_line(page: TextPage, span: Span, number: int) -> bool:
    """Return whether the children in brackets are on separate lines."""
    if len(span.below) < 2:
        return "\n" in page.text[span.start : page.head(span, 0)]
    number = min(number, len(span.below) - 2)
    return "\n" in page.text[span.below[number].end : page.head(span, number + 1)]
