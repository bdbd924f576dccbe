"""Two discriminators in, what of one differs from the other: its property, and its tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dateline.diff.documents import ChangeSurvey
from dateline.diff.graph import Graph, NodePair, Seen
from dateline.diff.keywords import KEYWORD, differences, kinds_of
from dateline.diff.unions import UnionSide
from dateline.diff.views import KNOWN, Variant
from dateline.model import Kind
from dateline.schema.references import Located, escape


class Retagged(NamedTuple):
    """The `propertyName` of a discriminator before and after, and who is told apart by it."""

    before: Located
    after: Located
    members: list[NodePair]


def own_tags(side: UnionSide, member: Variant) -> set[str]:
    """Return the tags that stand for *member* on the wire, as far as the mapping says them."""
    found = {tag for tag, goal in side.tags().items() if goal == member.target}
    if found or member.name is None or side.union.discriminator is None:
        return found
    told = side.union.discriminator.value.get("propertyName")
    # the value of a constant property is compared where it stands
    constant = told in side.schemas.constants(side.view(member))
    return set() if constant else {member.name}


def discriminator_keys(pair: NodePair, before: Located, after: Located) -> None:
    """Compare two discriminators, but for their mappings."""
    for keyword in sorted((before.value.keys() | after.value.keys()) - {"mapping"}):
        ours, theirs = (
            Located(side.value[keyword], f"{side.pointer}/{escape(keyword)}")
            if keyword in side.value
            else None
            for side in (before, after)
        )
        told = "discriminator" if keyword == "propertyName" else keyword
        differences(pair, told, [ours], [theirs], kinds_of(told, KNOWN))


def mapping_changed(
    pair: NodePair, before: Located, after: Located, gone: list[str], came: list[str]
) -> None:
    """Note the tags that one of two discriminators has no longer, or has now."""
    differences(
        pair,
        "mapping",
        [tag_node(before, tag) for tag in gone],
        [tag_node(after, tag) for tag in came],
        KEYWORD,
    )


def tag_node(discriminator: Located, tag: str) -> Located:
    """Return *tag* and where it is written; one that no mapping has is the discriminator's."""
    if tag in (discriminator.value.get("mapping") or {}):
        return Located(tag, f"{discriminator.pointer}/mapping/{escape(tag)}")
    return Located(tag, discriminator.pointer)


def fold_tags(graph: Graph, survey: ChangeSurvey, retagged: Iterable[Retagged]) -> None:
    """Let the fields that came and went with the name be the one difference of that name.

    Without this, a discriminating property that got another name would read as if every member
    of the union had lost one field and gained one.
    """
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


def _moved(pair: NodePair, each: Retagged, survey: ChangeSurvey) -> Iterator[Seen]:
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


def _is_called(pointer: str | None, name: Located) -> bool:
    return pointer is not None and pointer.endswith(f"/properties/{escape(name.value)}")
