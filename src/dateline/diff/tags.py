"""Compare discriminators: their property, and their tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dateline.diff.documents import ChangeSurvey
from dateline.diff.graph import Difference, Graph, NodePair, align
from dateline.diff.keywords import KEYWORD, kinds_of
from dateline.diff.views import KNOWN, Variant, Variants
from dateline.model import Kind
from dateline.openapi import OBJECTS
from dateline.schema.references import Located, escape


class Retagging(NamedTuple):
    """The `propertyName` of a discriminator before and after, and the schemas it distinguishes."""

    before: Located
    after: Located
    members: list[NodePair]


def find_own_tags(union: Variants, member: Variant) -> set[str]:
    """Return the tags that name *member* on the wire, as far as the mapping has them."""
    found = {tag for tag, goal in union.tags.items() if goal == member.target}
    if found or member.name is None or union.discriminator is None:
        return found
    name = union.discriminator.value.get("propertyName")
    # the value of a constant property is compared where it is declared
    constant = name in member.view.constants
    return set() if constant else {member.name}


def compare_discriminators(
    pair: NodePair, before: Located, after: Located, *, is_default_kept: bool = False
) -> None:
    """Compare two discriminators without their mappings, and without an unchanged default."""
    skipped = {"mapping", "defaultMapping"} if is_default_kept else {"mapping"}
    for keyword, ours, theirs in align(*map(_list_entries, (before, after))):
        name = "discriminator" if keyword == "propertyName" else keyword
        if keyword not in skipped:
            pair.compare(kinds_of(name, {*KNOWN, *OBJECTS["discriminator"]}), name, ours, theirs)


def _list_entries(discriminator: Located) -> dict[str, Located]:
    return {
        key: Located(value, f"{discriminator.pointer}/{escape(key)}")
        for key, value in discriminator.value.items()
    }


def compare_tags(
    pair: NodePair, before: Located, after: Located, gone: set[str], came: set[str]
) -> None:
    """Report the removed and added tags of two discriminators."""
    ours = [locate_tag(before, tag) for tag in sorted(gone)]
    theirs = [locate_tag(after, tag) for tag in sorted(came)]
    pair.compare_all(KEYWORD, "mapping", ours, theirs)


def locate_tag(discriminator: Located, tag: str) -> Located:
    """Return *tag* and its place; that of the discriminator if no mapping has it."""
    if tag in (discriminator.value.get("mapping") or {}):
        return Located(tag, f"{discriminator.pointer}/mapping/{escape(tag)}")
    return Located(tag, discriminator.pointer)


def fold_tags(graph: Graph, survey: ChangeSurvey, retaggings: Iterable[Retagging]) -> None:
    """Replace fields removed and added by a renamed `propertyName` by one difference.

    Without this, a renamed discriminating property would look as if every member of the union had
    lost one field and gained one.
    """
    folded: dict[tuple[object, ...], Difference] = {}
    for each in retaggings:
        one = Difference(Kind.KEYWORD_CHANGED, "discriminator", each.before, each.after)
        for pair in each.members:
            folded |= {found.identity: one for found in _find_moved(pair, each, survey)}
    for pair in graph.pairs if folded else ():
        if any(found.identity in folded for found in pair.differences):
            left = [folded.get(found.identity, found) for found in pair.differences]
            pair.differences = list({found.identity: found for found in left}.values())


def _find_moved(pair: NodePair, each: Retagging, survey: ChangeSurvey) -> Iterator[Difference]:
    """Yield the removed and the added field, if they are equal except for the name."""
    for gone in pair.differences:
        for came in pair.differences:
            if (
                (gone.kind, came.kind) == (Kind.FIELD_REMOVED, Kind.FIELD_ADDED)
                and gone.before
                and came.after
                and _is_called(gone.before, each.before)
                and _is_called(came.after, each.after)
                and gone.keyword == came.keyword
                and survey.is_settled(gone.before.value, came.after.value)
            ):
                yield from (gone, came)


def _is_called(field: Located, name: Located) -> bool:
    return field.pointer.endswith(f"/properties/{escape(name.value)}")
