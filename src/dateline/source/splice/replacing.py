"""Replace a value, on the same line if the new one fits there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.model import Day
from dateline.source.scalars import end_key, is_long_key
from dateline.source.spans import BLOCK, FLOW, Span
from dateline.source.splice.nodes import Child, New, Old, Splice
from dateline.source.splice.page import TextPage
from dateline.source.writing import after_key, in_brackets, item, key_text, laid_out

_QUOTES: Final = ("'", '"')


def is_rewritten(page: TextPage, old: Old) -> bool:
    """Return whether nothing of *old* stays, or it no longer fits the one line it was on."""
    if not old.opened:
        return False
    on_one_line = old.span.style in FLOW and "\n" not in page.text[old.span.start : old.span.end]
    return not any(
        child.number >= 0 and not (on_one_line and isinstance(child.node, New))
        for child in old.children
    )


def rewrite_value(page: TextPage, span: Span, value: Any) -> str:
    """Return *value* as written in place of *span*, the whole of the text."""
    if span.style in FLOW or not value:
        return in_brackets(value, page.style)
    return laid_out(value, page.style, span.column)


def rename_key(page: TextPage, around: Span, child: Child) -> Splice:
    """Return the splice that gives *child* of *around* its new name."""
    key, in_flow = around.keys[child.number], around.style in FLOW
    if kept := in_quotes(key, child.name):
        return kept
    written, end = key_text(child.name, page.style, brackets=in_flow), key.end
    is_explicit = page.head(around, child.number) < key.start
    if is_long_key(written) and not (is_explicit or page.style.json):
        if in_flow:
            written = f"? {written} "
        else:
            written, end = end_key(written, " " * around.column), page.text.index(":", end) + 1
    return Splice(key.start, end, written)


def replace_value(page: TextPage, around: Span, child: Child, value: Any) -> Iterator[Splice]:
    """Yield the splices that put *value* in place of *child* of *around*."""
    span = around.below[child.number]
    brackets = brackets_of([span], value)
    if kept := in_quotes(span, value):
        yield kept
    elif around.style in FLOW:
        yield _in_place(page, span, in_brackets(value, page.style))
    elif around.style == "-":
        text = item(value, page.style, around.column + 2, brackets=brackets)
        yield from _as_item(page, around.column, span, text)
    else:
        key_span = around.keys[child.number]
        taken = key_span.end - key_span.start + 1
        text = after_key(child.name, value, page.style, around.column, taken, brackets=brackets)
        yield from _behind(page, key_span, span, text)


def _as_item(page: TextPage, column: int, span: Span, text: str) -> Iterator[Splice]:
    """Replace *span*, an item of the list at *column*, by *text*."""
    stop = page.line_end(span.end)
    head, tail = split_first_line(text)
    if span.style in BLOCK:
        yield Splice(span.start, stop, text)
    elif "\n" in head and page.text[span.end : stop].strip():
        # a comment that follows can only move above lines
        yield Splice(span.start, span.end, "")
        yield Splice(stop, stop, "\n" + " " * (column + 2) + text)
    else:
        yield Splice(span.start, span.end, head)
        yield Splice(stop, stop, tail)


def _in_place(page: TextPage, span: Span, text: str) -> Splice:
    # an empty value is directly after the colon
    bare = span.start == span.end and page.text[span.start - 1] == ":"
    return Splice(span.start, span.end, f" {text}" if bare else text)


def _behind(page: TextPage, key: Span, span: Span, text: str) -> Iterator[Splice]:
    """Put *text*, which begins with a blank or a line break, after the colon of *key*."""
    colon = page.text.index(":", key.end) + 1
    head, tail = split_first_line(text)
    if head.startswith("\n"):
        if span.style in BLOCK:
            yield Splice(page.break_before(span.start), page.line_end(span.end), head)
        else:
            yield Splice(colon, span.end, "")
            yield from _below(page, span, head)
    elif span.style in BLOCK:
        line = page.line_end(colon)
        yield Splice(colon, colon, head)
        # comments above the former value would become part of block text
        start = line if tail else page.break_before(span.start)
        yield Splice(start, page.line_end(span.end), tail)
    else:
        yield _in_place(page, span, head[1:])
        yield from _below(page, span, tail)


def _below(page: TextPage, span: Span, text: str) -> Iterator[Splice]:
    """Put *text*, which begins with a line break, below the last line of *span*."""
    end = page.line_end(span.end)
    yield Splice(end, end, text)


def in_quotes(span: Span, value: Any) -> Splice | None:
    """Return a date in the quotes of *span*, or None if it has none."""
    if isinstance(value, Day) and span.style in _QUOTES:
        return Splice(span.start + 1, span.end - 1, value)
    return None


def split_first_line(text: str) -> tuple[str, str]:
    """Split block text after its first line, where there may be a comment."""
    if not text.lstrip(" ").startswith(("|", ">")):
        return text, ""
    head, _, tail = text.partition("\n")
    return head, f"\n{tail}"


def brackets_of(neighbours: list[Span], value: Any) -> bool | None:
    """Return whether most neighbours of *value*'s kind are in brackets, if any is one.

    In case of a tie, the nearest one, which comes first, decides.
    """
    wanted = ("{", ":") if isinstance(value, dict) else ("[", "-")
    alike = [span.style in FLOW for span in neighbours if span.style in wanted and span.below]
    return max(alike, key=alike.count) if alike else None
