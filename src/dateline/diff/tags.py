"""A discriminator that goes by another property is one difference, wherever its members have it.

Without this, a discriminating property that got another name would read as if every member of the
union had lost one field and gained one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dateline.diff.documents import Node, Survey, escape
from dateline.diff.graph import Graph, Pair, Seen
from dateline.model import Kind


class Retagged(NamedTuple):
    """The `propertyName` of a discriminator before and after, and who is told apart by it."""

    before: Node
    after: Node
    members: list[Pair]


def fold_tags(graph: Graph, survey: Survey, retagged: Iterable[Retagged]) -> None:
    """Let the fields that came and went with the name be the one difference of that name."""
    told: dict[tuple[object, ...], Seen] = {}
    for each in retagged:
        one = Seen(Kind.KEYWORD_CHANGED, "discriminator", *_sides(each))
        told |= {seen.identity: one for pair in each.members for seen in _moved(pair, each, survey)}
    for pair in graph.pairs if told else ():
        if any(seen.identity in told for seen in pair.seen):
            left = [told.get(seen.identity, seen) for seen in pair.seen]
            pair.seen = list({seen.identity: seen for seen in left}.values())


def _sides(each: Retagged) -> tuple[str, str, str, str]:
    before, after = each.before, each.after
    return before.pointer, after.pointer, before.value, after.value


def _moved(pair: Pair, each: Retagged, survey: Survey) -> Iterator[Seen]:
    """Yield the field that went and the one that came, if they are one but for the name."""
    for gone in pair.seen:
        for came in pair.seen:
            if (
                (gone.kind, came.kind) == (Kind.FIELD_REMOVED, Kind.FIELD_ADDED)
                and _is_called(gone.before_pointer, each.before)
                and _is_called(came.after_pointer, each.after)
                and gone.keyword == came.keyword
                and survey.settled(gone.before, came.after)
            ):
                yield from (gone, came)


def _is_called(pointer: str | None, name: Node) -> bool:
    return pointer is not None and pointer.endswith(f"/properties/{escape(name.value)}")
