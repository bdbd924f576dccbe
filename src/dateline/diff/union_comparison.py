"""Compare unions: their members, and the discriminators that choose among these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dateline.diff.closures import forbids, list_names
from dateline.diff.documents import ChangeSurvey
from dateline.diff.graph import Graph, Kinds, NodePair, Opaque, Passage
from dateline.diff.keywords import KEYWORD, TYPE
from dateline.diff.overlaps import find_overlapping
from dateline.diff.schemas import Schemas
from dateline.diff.tags import (
    Retagging,
    compare_discriminators,
    compare_tags,
    find_own_tags,
    locate_tag,
)
from dateline.diff.unions import align_members, find_chosen_member, pair_own_variants
from dateline.diff.views import SchemaView, Variant, Variants, list_closing
from dateline.model import Kind
from dateline.schema.access import ACCESS
from dateline.schema.parts import Parts
from dateline.schema.references import Located

# Keywords about the field that has a value, not about the value itself.
_OF_FIELDS: Final = frozenset({*ACCESS, "default"})

_VARIANT: Final = Kinds(Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED)

_Same = list[tuple[Variant, Variant]]
"""The members that are on both sides."""


@dataclass
class UnionComparison(ABC):
    """Compares the unions of pairs of schemas; the base class of the complete comparison."""

    graph: Graph
    survey: ChangeSurvey
    before: Schemas
    after: Schemas
    renames: Mapping[str, str]
    retaggings: list[Retagging] = field(default_factory=list, init=False)

    @abstractmethod
    def compare_views(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Add the differences between two schemas to *pair*."""

    def pair(self, before: Iterable[Located], after: Iterable[Located]) -> NodePair:
        """Return the pair of the meanings of *before* and *after*."""
        return self.graph.pair("schema", self.before.parts(before), self.after.parts(after))

    def link(
        self,
        pair: NodePair,
        before: Sequence[Located],
        after: Sequence[Located],
        carrier: int = 0,
        way: Passage | None = None,
    ) -> None:
        """Compare two schemas below *pair*."""
        pair.reach(self.pair(before, after), before[0], after[0], carrier, way)

    def link_values(
        self, pair: NodePair, before: list[Located], after: list[Located], way: Passage
    ) -> None:
        """Compare what is said about a field below *pair*, if anything was said *before*."""
        if before:
            sides = self.before.parts(before), self.after.parts(after)
            below = self.graph.pair("schema", *map(_as_values, sides))
            pair.reach(below, before[0], after[0], way=way)

    def is_settled(self, before: list[Located], after: list[Located]) -> bool:
        """Return whether two schemas are equal, and reach nothing unequal."""
        return len(before) == len(after) == 1 and self.survey.is_settled(
            before[0].value, after[0].value
        )

    def link_below(
        self,
        pair: NodePair,
        before: list[Located],
        after: list[Located],
        way: Passage | None = None,
    ) -> None:
        """Compare two schemas below *pair*, unless they are equal and reach nothing unequal."""
        if not self.is_settled(before, after):
            self._link_unequal(pair, before, after, way)

    def _link_unequal(
        self,
        pair: NodePair,
        before: list[Located],
        after: list[Located],
        way: Passage | None,
    ) -> None:
        is_odd = not all(isinstance(one[0].value, dict | bool) for one in (before, after))
        if len(before) == len(after) == 1 and is_odd:
            pair.add(Kind.OTHER, "", before[0], after[0])
        else:
            self.link(pair, before, after, way=way)

    def compare_unions(self, pair: NodePair, before: SchemaView, after: SchemaView) -> bool:
        """Compare the unions of two schemas; return whether the rest must still be compared."""
        ours, theirs = list(before.unions), list(after.unions)
        for union in before.unions:
            other = next((one for one in theirs if one.keyword == union.keyword), None)
            if other is None and len(ours) == len(theirs) == 1:
                other = theirs[0]
            if other is not None:
                ours.remove(union)
                theirs.remove(other)
                same = self._compare_members(pair, union, other)
                self._compare_unevaluated(pair, before, after, same)
        if len(ours) + len(theirs) == 1 and len(before.unions) + len(after.unions) == 1:
            self._compare_with_one(pair, before, after)
            return False
        for union in ours:
            pair.add(KEYWORD, union.keyword, _members(union))
        for union in theirs:
            pair.add(KEYWORD, union.keyword, None, _members(union))
        return True

    def compare_discriminators(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare discriminators without a union, which choose from the extensions of a schema."""
        ours, theirs = before.variants, after.variants
        if ours and theirs:
            self._compare_members(pair, ours, theirs)
            return
        facts = [view.facts.get("discriminator") for view in (before, after)]
        pair.compare_all(KEYWORD, "discriminator", *facts)
        # if one side has none, its variants are the extensions of the other's
        one = ours or theirs
        for member in one.members if one else ():
            self._link_targets(pair, member.target, member.target)

    def _link_targets(self, pair: NodePair, before: str, after: str) -> bool:
        """Compare what is at two pointers; return whether both exist."""
        first = self.before.document.locate(f"#{before}")
        second = self.after.document.locate(f"#{after}")
        if first and second:
            self.link(pair, [first], [second])
        return first is not None and second is not None

    def _compare_members(self, pair: NodePair, before: Variants, after: Variants) -> _Same:
        """Compare two unions; return the members that are in both."""
        found = align_members(before, after)
        gone, came = find_overlapping(before), find_overlapping(after)
        # if no value is valid for two members, both keywords mean the same
        if before.keyword != after.keyword and (gone or came):
            keywords = (Located(one.keyword, one.pointer) for one in (before, after))
            pair.add(KEYWORD, "oneOf", *keywords)
        null_stays = _admits_null(before) is not None and _admits_null(before) == _admits_null(
            after
        )
        # OpenAPI 3.0, read literally, may refuse a null that several members of a `oneOf` allow
        is_certain = before.null != before.pointer and after.null != after.pointer
        if bool(before.null) != bool(after.null) and not null_stays:
            null = Located("null", before.null or after.null)
            pair.add_one(TYPE, "type", null, added=bool(after.null))
        for member in found.removed:
            _add_variant(pair, before, member, gone, added=False, holder=after.pointer)
        for member in found.added:
            _add_variant(pair, after, member, came, added=True, holder=before.pointer)
        for first, second in found.same:
            closed = _closes(before, first, second, gone)
            exclusive = first.node.pointer in gone or second.node.pointer in came
            way = Passage(inplace=True, closed=closed, exclusive=exclusive)
            if null_stays and is_certain and _takes_null(first) != _takes_null(second):
                # null is allowed elsewhere in the union now, or refused as before
                nullable = self.graph.pair("schema", _with_null(first), _with_null(second))
                pair.reach(nullable, first.node, second.node, way=way)
            else:
                self.link_below(pair, [first.node], [second.node], way)
        self._compare_tags(pair, before, after, found.same)
        return found.same

    def _compare_unevaluated(
        self, pair: NodePair, before: SchemaView, after: SchemaView, same: _Same
    ) -> None:
        """Compare what two schemas say about everything that no member of a union names.

        What a member names is excluded there, so that more of it is less of the other.
        """
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            ours, theirs = before.below.get(keyword, []), after.below.get(keyword, [])
            if ours and theirs and isinstance(ours[0].value, dict):
                for first, second in same:
                    child = self.pair([first.node], [second.node])
                    pair.opaque.append(Opaque(keyword, ours[0], theirs[0], child))

    def _compare_with_one(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare a union with a schema that is not one: with the member that it equals."""
        added = bool(after.unions)
        many, single = (after, before) if added else (before, after)
        union = many.unions[0]
        # several types, a schema for each or one for all
        chosen = many.schemas.join_members(union)
        if chosen is None or chosen.types != single.types:
            alone = single.facts.get("discriminator", [])
            single = _drop_discriminator(pair, single, union, added=added)
            index = find_chosen_member(single, union)
            if index is None:
                pair.add_one(KEYWORD, union.keyword, _members(union), added=added)
                return
            shared = find_overlapping(union)
            pair.exclusive |= union.members[index].node.pointer in shared
            for member in (*union.members[:index], *union.members[index + 1 :]):
                _add_variant(pair, union, member, shared, added=added, holder=single.pointer)
            chosen = union.whole_members[index]
            if alone and union.discriminator and isinstance(alone[0].value, dict):
                tags = find_own_tags(union, union.members[index])
                own = set(alone[0].value.get("mapping") or tags)
                sides = (alone[0], union.discriminator)
                came, gone = (tags - own, own - tags) if added else (own - tags, tags - own)
                compare_tags(pair, *(sides if added else sides[::-1]), gone, came)
        self.compare_views(pair, *((single, chosen) if added else (chosen, single)))

    def _compare_tags(self, pair: NodePair, before: Variants, after: Variants, same: _Same) -> None:
        """Compare the discriminators of two unions, and the tags of the members in both."""
        ours, theirs = before.discriminator, after.discriminator
        if ours is None or theirs is None:
            pair.compare(KEYWORD, "discriminator", ours, theirs)
            return
        is_kept = self._keeps_default(pair, before, after, same)
        compare_discriminators(pair, ours, theirs, is_default_kept=is_kept)
        old, new = (
            Located(side.value.get("propertyName"), f"{side.pointer}/propertyName")
            for side in (ours, theirs)
        )
        if old.value != new.value and isinstance(old.value, str) and new.value:
            members = [self.pair([first.node], [second.node]) for first, second in same]
            self.retaggings.append(Retagging(old, new, [*members, pair]))
        for first, second in [*same, *pair_own_variants(before, after)]:
            gone, came = find_own_tags(before, first), find_own_tags(after, second)
            compare_tags(pair, ours, theirs, gone - came, came - gone)
        self._compare_mappings(pair, before, after, ours, theirs)

    def _keeps_default(
        self, pair: NodePair, before: Variants, after: Variants, same: _Same
    ) -> bool:
        """Return whether values without a known tag keep their schema; compare it with itself."""
        gone, came = before.default, after.default
        if gone is None or came is None:
            return gone == came
        if gone in before.targets or came in after.targets:
            return any((first.target, second.target) == (gone, came) for first, second in same)
        return self._link_targets(pair, gone, came) or gone == came

    def _compare_mappings(
        self, pair: NodePair, before: Variants, after: Variants, ours: Located, theirs: Located
    ) -> None:
        """Compare the targets of each tag, except members of the unions."""
        gone, came = before.tags, after.tags
        members, others = before.targets, after.targets
        for tag in sorted(gone.keys() & came.keys()):
            if gone[tag] in members and came[tag] in others:
                continue  # compared with the members
            if not self._link_targets(pair, gone[tag], came[tag]) and gone[tag] != came[tag]:
                places = (
                    locate_tag(side, tag)._replace(value=goals[tag])
                    for side, goals in ((ours, gone), (theirs, came))
                )
                pair.add(KEYWORD, "mapping", *places)
        lost = {tag for tag in gone.keys() - came.keys() if gone[tag] not in members}
        new = {tag for tag in came.keys() - gone.keys() if came[tag] not in others}
        compare_tags(pair, ours, theirs, lost, new)


def _drop_discriminator(
    pair: NodePair, single: SchemaView, union: Variants, *, added: bool
) -> SchemaView:
    """Return *single* without a discriminator that it has as the only member of a union."""
    found = single.facts.get("discriminator", [])
    if not found or not isinstance(found[0].value, dict):
        return single
    if union.discriminator:
        both = (found[0], union.discriminator) if added else (union.discriminator, found[0])
        compare_discriminators(pair, *both)
    parts = tuple(part._replace(skip=part.skip | {"discriminator"}) for part in single.parts)
    return single.schemas.view(parts)


def _closes(union: Variants, first: Variant, second: Variant, shared: set[str]) -> bool:
    """Return whether the siblings of *first*, a member of *union*, refuse what it names now.

    On the other side it is *second*; *shared* are the overlapping members.
    """
    if list_closing(union.beside, "unevaluatedProperties"):
        return True
    names = list_names(second.view)
    new = sorted(names - list_names(first.view))
    if not new:
        return False
    beside = union.schemas.view(union.rest)
    at = first.node.pointer
    others = [
        member.view
        for member in union.members
        if at in shared and member.node.pointer in shared - {at}
    ]
    count = len(names | beside.properties.keys())
    return any(
        forbids(beside, name, count) or any(name in other.required for other in others)
        for name in new
    )


def _add_variant(
    pair: NodePair,
    union: Variants,
    member: Variant,
    shared: set[str],
    *,
    added: bool,
    holder: str,
) -> None:
    """Report a *member* of *union* that was added or removed; *shared* are the overlapping ones."""
    at = member.node.pointer
    fact = Located(member.name or member.node.value, at)
    exclusive = at in shared
    pair.add_one(_VARIANT, union.keyword, fact, added=added, holder=holder, exclusive=exclusive)


def _members(union: Variants) -> Located:
    names = [member.name or member.node.value for member in union.members]
    return Located(names, union.pointer)


def _as_values(parts: Parts) -> Parts:
    """Return *parts* without what they say about a field as long as it has a name."""
    return tuple(part._replace(skip=part.skip | _OF_FIELDS) for part in parts)


def _takes_null(member: Variant) -> bool | None:
    """Return whether null is valid for *member* alone; None if that is not certain."""
    view = member.view
    is_listed = view.values is None or "null" in view.values
    if view.types is not None and not ("null" in view.types and is_listed):
        return False
    return None if view.types is None or view.unions or not all(view.null_passes.values()) else True


def _with_null(member: Variant) -> Parts:
    return tuple(part._replace(null=part.null or member.node.pointer) for part in member.parts)


def _admits_null(union: Variants) -> bool | None:
    """Return whether null is valid for a union, beside or as one of its members, or None."""
    if union.null:
        return True
    taking = [_takes_null(member) for member in union.members]
    if union.keyword == "oneOf":
        return None if None in taking else taking.count(True) == 1
    return True if True in taking else (None if None in taking else False)
