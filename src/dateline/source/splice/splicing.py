"""A tree of what is to be held in, the splices that make it of the text out."""

from __future__ import annotations

from collections.abc import Iterator

from dateline.source.spans import FLOW
from dateline.source.splice.inserting import inserted
from dateline.source.splice.nodes import New, Old, Splice, value_of
from dateline.source.splice.page import Page
from dateline.source.splice.removing import removed
from dateline.source.splice.replacing import anew, in_quotes, is_rewritten, replaced
from dateline.source.writing import key_text


def splices(page: Page, old: Old) -> Iterator[Splice]:
    """Yield what makes the text of *page* hold what *old*, its root, is to hold; in no order."""
    if not old.opened:
        return
    span = old.span
    kept = [child for child in old.children if child.number >= 0]
    if not kept:
        # only the root: what is below another is replaced as a whole
        end = span.end if span.style in FLOW else page.line_end(span.end)
        yield Splice(span.start, end, anew(page, span, value_of(old)))
        return
    for child in kept:
        if span.is_map and child.name != span.names[child.number]:
            key = span.keys[child.number]
            text = key_text(child.name, page.style, brackets=span.style in FLOW)
            yield in_quotes(key, child.name) or Splice(key.start, key.end, text)
        node = child.node
        if isinstance(node, New) or is_rewritten(page, node):
            yield from replaced(page, span, child, value_of(node))
        else:
            yield from splices(page, node)
    yield from inserted(page, old)
    yield from removed(page, span, {child.number for child in kept})
