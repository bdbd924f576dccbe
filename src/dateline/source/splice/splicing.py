"""Compute the splices that turn a text into its edited tree of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from dateline.source.spans import FLOW
from dateline.source.splice.inserting import insert_children
from dateline.source.splice.nodes import New, Old, Splice, value_of
from dateline.source.splice.page import TextPage
from dateline.source.splice.removing import remove_children
from dateline.source.splice.replacing import is_rewritten, rename_key, replace_value, rewrite_value


def find_splices(page: TextPage, old: Old) -> Iterator[Splice]:
    """Yield, in no order, the splices that turn the text of *page* into *old*, its edited root."""
    if not old.opened:
        return
    span = old.span
    kept = [child for child in old.children if child.number >= 0]
    if not kept:
        # only the root: what is below another is replaced as a whole
        end = span.end if span.style in FLOW else page.line_end(span.end)
        yield Splice(span.start, end, rewrite_value(page, span, value_of(old)))
        return
    for child in kept:
        if span.is_map and child.name != span.names[child.number]:
            yield rename_key(page, span, child)
        node = child.node
        if isinstance(node, New) or is_rewritten(page, node):
            yield from replace_value(page, span, child, value_of(node))
        else:
            yield from find_splices(page, node)
    yield from insert_children(page, old)
    yield from remove_children(page, span, {child.number for child in kept})
