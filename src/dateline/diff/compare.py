"""Two schemas in, what of one differs from the other."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from dateline.diff.closures import forbids, matching, named
from dateline.diff.documents import ChangeSurvey
from dateline.diff.graph import MODEL, Graph, NodePair, Opaque, Passage
from dateline.diff.keywords import (
    KEYWORD,
    changed,
    compare_neighbours,
    compare_null,
    compare_open_values,
    compare_required,
    compare_types,
    compare_value_notes,
    compare_values,
    differences,
    keyword_one_sided,
    kinds_of,
    one_sided,
)
from dateline.diff.overlaps import overlapping
from dateline.diff.schemas import NEEDED, Schemas, says
from dateline.diff.tags import Retagged, discriminator_keys, mapping_changed, own_tags, tag_node
from dateline.diff.unions import UnionSide, align, alone, choose, mapping
from dateline.diff.views import (
    APPLICATORS,
    DEFINITIONS,
    KNOWN,
    OPAQUE,
    SCHEMA_MAPS,
    SchemaView,
    Variant,
    Variants,
    closed_at,
    speaks_of,
)
from dateline.model import Kind
from dateline.schema.access import ACCESS
from dateline.schema.parts import Part, Parts
from dateline.schema.references import Located, component, escape

# Equal texts in which what a reference leads to is compared on its own: nothing merges with it,
# nothing turns its meaning round, and nothing says who writes it, that only one may fit, or that
# any value of a type does.
_MERGING: Final = re.compile(
    r'"(?:allOf|oneOf|not|if|then|else|contains|dependentSchemas|unevaluatedProperties'
    r'|readOnly|writeOnly|\$defs|definitions|\$dynamicRef)": '
    r'|"anyOf": \[[^\]]*\{"type": "(?:string|integer|number)"'
)
# Keywords that concern the field that has a value, not the value itself.
_OF_FIELDS: Final = frozenset({*ACCESS, "default"})
# Only of a whole component it is enough to compare what bears the same name on both sides.
_PLAIN_REFERENCE: Final = re.compile(r'\{"\$ref": "#/components/schemas/[^"\\/]*"\}')


class SchemaComparison:
    """Compares pairs of schemas; what lies below them waits in the graph."""

    def __init__(
        self,
        graph: Graph,
        survey: ChangeSurvey,
        before: Schemas,
        after: Schemas,
        renames: Mapping[str, str],
    ) -> None:
        self.graph = graph
        self.survey = survey
        self.before = before
        self.after = after
        self.renames = renames
        self.retagged: list[Retagged] = []

    def pair(self, before: Iterable[Located], after: Iterable[Located]) -> NodePair:
        """Return the pair of what *before* and what *after* say."""
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

    def compare(self, pair: NodePair) -> None:
        """Note in *pair* how its schemas differ."""
        if not self._followed(pair):
            before, after = self.before.view(pair.before), self.after.view(pair.after)
            self._views(pair, before, after)

    def _followed(self, pair: NodePair) -> bool:
        """Deal with equal nodes by their text alone, where that can be done."""
        if len(pair.before) != 1 or len(pair.after) != 1:
            return False
        ours, theirs = pair.before[0], pair.after[0]
        if ours.skip != theirs.skip or bool(ours.null) != bool(theirs.null):
            return False
        shared = self.survey.equal(ours.node, theirs.node)
        if shared is None or self._chooses(ours) or self._chooses(theirs):
            return False
        goals = self.survey.reached(shared)
        if goals and (
            _MERGING.search(shared.written)
            or len(_PLAIN_REFERENCE.findall(shared.written)) != shared.written.count('"$ref": ')
        ):
            return False
        named = [
            f"#/components/schemas/{escape(name)}" for kind, name in goals if kind == "schemas"
        ]
        ends = [(self.before.document.locate(at), self.after.document.locate(at)) for at in named]
        if any((first is None) != (second is None) for first, second in ends):
            return False  # what leads nowhere on one side means something else on the other
        for first, second in ends:
            if first and second:
                self.link(pair, [first], [second])
        return True

    def _chooses(self, part: Part) -> bool:
        """Tell whether *part* is extended by schemas that it does not name; one may differ."""
        known = component(part.pointer)
        if known not in self.survey.dirty or known is None or known[0] != "schemas":
            return False
        return any(known[1] in side.document.subtypes for side in (self.before, self.after))

    def _views(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        if before.never != after.never:
            side = after if after.never else before
            keyword_one_sided(pair, "not", Located({}, side.pointer), added=after.never)
            return
        if not self._unions(pair, before, after):
            return
        if not compare_types(pair, before, after):
            return
        compare_null(pair, before, after)
        compare_values(pair, before, after)
        compare_open_values(pair, before, after)
        self._properties(pair, before, after)
        reported = {"discriminator", *_governed(before, after)}
        for keyword in sorted((before.facts.keys() | after.facts.keys()) - reported):
            differences(
                pair,
                keyword,
                before.facts.get(keyword, []),
                after.facts.get(keyword, []),
                kinds_of(keyword, KNOWN),
            )
        compare_value_notes(pair, before, after)
        self._discriminators(pair, before, after)
        self._dynamic_references(pair, before, after)
        self._below(pair, before, after)
        self._maps(pair, before, after)
        compare_neighbours(pair, before, after)
        self._definitions(pair, before, after)

    # Properties

    def _properties(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        renamed = self._renamed(before, after)
        for name, located in before.properties.items():
            called = renamed.get(name, name)
            if called in after.properties:
                self._property(pair, (name, located), (called, after.properties[called]))
            else:
                pair.add(
                    Kind.FIELD_REMOVED,
                    "required" if name in before.required else "",
                    before_pointer=located[0].pointer,
                    before=located[0].value,
                    access=self.before.access(located),
                )
        old = {renamed.get(name, name) for name in before.properties}
        for name in after.properties:
            if name not in old:
                self._added(pair, before, after, name)
        compare_required(pair, before, after, renamed, self._access)

    def _added(self, pair: NodePair, before: SchemaView, after: SchemaView, name: str) -> None:
        """Note the property *name* that only the view *after* names."""
        located = after.properties[name]
        patterns = matching(before, name)
        now = [*located, *matching(after, name)]
        closed = forbids(self.before, before, name, len(after.properties)) or (
            bool(patterns) and self.after.view(self.after.parts(now)).types == set()
        )
        access = self.after.access(located)
        pair.add(
            Kind.FIELD_ADDED,
            "required" if name in after.required else "",
            after_pointer=located[0].pointer,
            after=located[0].value,
            access=access,
            closed=closed,
        )
        told = [*self._told_before(before, name), *([] if closed else patterns)]
        if told:
            before_parts, after_parts = self.before.parts(told), self.after.parts(now)
            below = self.graph.pair("schema", _as_values(before_parts), _as_values(after_parts))
            pair.reach(below, told[0], now[0], way=Passage(access=access))

    def _told_before(self, view: SchemaView, name: str) -> list[Located]:
        """Return what was said of a field while it was one of those without a name.

        Where there were none, nobody has been told anything.
        """
        return [
            Located(part.node[keyword], f"{part.pointer}/{keyword}")
            for part in view.parts
            for keyword in ("additionalProperties", "unevaluatedProperties")
            if isinstance(part.node.get(keyword), dict)
            and part.node[keyword]
            and part not in closed_at(view, keyword)
            and keyword not in part.skip
            and not speaks_of(part.node, name)
        ]

    def _renamed(self, before: SchemaView, after: SchemaView) -> dict[str, str]:
        """Return the new names of the properties that the sources say were renamed."""
        if not self.renames:
            return {}
        return {
            old: name
            for name, located in after.properties.items()
            if name not in before.properties
            and (old := self.renames.get(located[0].pointer)) in before.properties
            and old not in after.properties
        }

    def _property(
        self,
        pair: NodePair,
        before: tuple[str, list[Located]],
        after: tuple[str, list[Located]],
    ) -> None:
        (old, ours), (new, theirs) = before, after
        if old != new:
            pair.add(
                Kind.FIELD_RENAMED,
                before_pointer=ours[0].pointer,
                after_pointer=theirs[0].pointer,
                before=old,
                after=new,
            )
        if not self._settled(ours, theirs):
            self._below_pair(pair, ours, theirs, Passage(access=self._access(ours, theirs)))

    def _settled(self, before: list[Located], after: list[Located]) -> bool:
        return len(before) == len(after) == 1 and self.survey.settled(
            before[0].value, after[0].value
        )

    def _access(self, before: list[Located], after: list[Located]) -> str:
        """Return the keyword that keeps a property to one direction on both sides, if any."""
        found = self.before.access(before)
        return found if found and self.after.access(after) == found else ""

    def _below_pair(
        self,
        pair: NodePair,
        before: list[Located],
        after: list[Located],
        way: Passage | None = None,
    ) -> None:
        if self._settled(before, after):
            return
        if len(before) == len(after) == 1:
            ours, theirs = before[0], after[0]
            odd = [one for one in (ours, theirs) if not isinstance(one.value, dict | bool)]
            if odd:
                changed(pair, Kind.OTHER, "", ours, theirs)
                return
        self.link(pair, before, after, way=way)

    # Unions

    def _unions(self, pair: NodePair, before: SchemaView, after: SchemaView) -> bool:
        """Compare the unions of two schemas; tell whether the rest is still to be compared."""
        ours, theirs = list(before.unions), list(after.unions)
        for union in before.unions:
            other = next((one for one in theirs if one.keyword == union.keyword), None)
            if other is None and len(ours) == len(theirs) == 1:
                other = theirs[0]
            if other is not None:
                ours.remove(union)
                theirs.remove(other)
                same = self._aligned(pair, (before, union), (after, other))
                self._left_over(pair, before, after, same)
        if len(ours) + len(theirs) == 1 and len(before.unions) + len(after.unions) == 1:
            return self._against_one(pair, before, after)
        for union in ours:
            keyword_one_sided(pair, union.keyword, _members(union), added=False)
        for union in theirs:
            keyword_one_sided(pair, union.keyword, _members(union), added=True)
        return True

    def _aligned(
        self,
        pair: NodePair,
        old: tuple[SchemaView, Variants],
        new: tuple[SchemaView, Variants],
    ) -> list[tuple[Variant, Variant]]:
        """Compare two unions, each of a view; return the members that stand in both."""
        before, after = old[1], new[1]
        ours, theirs = UnionSide(self.before, before), UnionSide(self.after, after)
        found = align(ours, theirs)
        gone, came = overlapping(old[0], ours), overlapping(new[0], theirs)
        # where no value fits two members, both keywords say the same
        if before.keyword != after.keyword and (gone or came):
            ways = Located(before.keyword, before.pointer), Located(after.keyword, after.pointer)
            changed(pair, Kind.KEYWORD_CHANGED, "oneOf", *ways)
        if bool(before.null) != bool(after.null) and not (
            _admits_null(self.before, before) and _admits_null(self.after, after)
        ):
            null = Located("null", before.null or after.null)
            kind = Kind.TYPE_ADDED if after.null else Kind.TYPE_REMOVED
            one_sided(pair, kind, "type", null, added=bool(after.null))
        for member in found.removed:
            self._variant(pair, before, member, gone, added=False, holder=after.pointer)
        for member in found.added:
            self._variant(pair, after, member, came, added=True, holder=before.pointer)
        for first, second in found.same:
            closed = self._closes(old[0], before, first, second, gone)
            exclusive = first.node.pointer in gone or second.node.pointer in came
            way = Passage(inplace=True, closed=closed, exclusive=exclusive)
            self._below_pair(pair, [first.node], [second.node], way)
        self._tags(pair, ours, theirs, found.same)
        return found.same

    def _closes(
        self,
        view: SchemaView,
        union: Variants,
        first: Variant,
        second: Variant,
        shared: set[str],
    ) -> bool:
        """Tell whether what stands beside a member of *union* refuses what it learns to name.

        *view* is of the schema that holds the union, *shared* has its overlapping members.
        """
        if closed_at(view, "unevaluatedProperties"):
            return True
        names = named(self.after, self.after.view(second.parts))
        new = sorted(names - named(self.before, self.before.view(first.parts)))
        if not new:
            return False
        beside = self.before.view(view.rest(union))
        others = [
            self.before.view(member.parts)
            for member in union.members
            if first.node.pointer in shared and member.node.pointer in shared - {first.node.pointer}
        ]
        count = len(names | beside.properties.keys())
        return any(
            forbids(self.before, beside, name, count)
            or matching(beside, name)
            or any(name in other.required for other in others)
            for name in new
        )

    def _left_over(
        self,
        pair: NodePair,
        before: SchemaView,
        after: SchemaView,
        same: list[tuple[Variant, Variant]],
    ) -> None:
        """Compare what is said of all that no member of a union has named.

        What a member names is left out there, so that more of it is less of the other.
        """
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            ours, theirs = before.below.get(keyword, []), after.below.get(keyword, [])
            if ours and theirs and isinstance(ours[0].value, dict):
                for first, second in same:
                    child = self.pair([first.node], [second.node])
                    pair.opaque.append(Opaque(keyword, ours[0], theirs[0], child))

    def _against_one(self, pair: NodePair, before: SchemaView, after: SchemaView) -> bool:
        """Compare a union with a schema that is none: with the member that it is."""
        added = bool(after.unions)
        union = (after if added else before).unions[0]
        many, single = (after, before) if added else (before, after)
        joined = (self.after if added else self.before).joined(many, union)
        if joined and joined.types == single.types:
            # several types, a schema for each or one for all
            self._views(pair, *((single, joined) if added else (joined, single)))
            return False
        side = UnionSide(self.after if added else self.before, union)
        candidates = [side.schemas.view(many.member(union, member)) for member in union.members]
        single = self._without_discriminator(pair, single, union, added=added)
        chosen = choose(self.before if added else self.after, single, side, candidates)
        if chosen is None:
            keyword_one_sided(pair, union.keyword, _members(union), added=added)
            return False
        shared = overlapping(many, side)
        pair.exclusive |= union.members[chosen].node.pointer in shared
        for index, member in enumerate(union.members):
            if index != chosen:
                self._variant(pair, union, member, shared, added=added, holder=single.pointer)
        if added:
            self._views(pair, single, candidates[chosen])
        else:
            self._views(pair, candidates[chosen], single)
        return False

    def _without_discriminator(
        self, pair: NodePair, single: SchemaView, union: Variants, *, added: bool
    ) -> SchemaView:
        """Return what is no union without the discriminator of a union of one member."""
        told = single.facts.get("discriminator", [])
        if not told or not isinstance(told[0].value, dict):
            return single
        if union.discriminator:
            both = (told[0], union.discriminator) if added else (union.discriminator, told[0])
            discriminator_keys(pair, *both)
        parts = tuple(part._replace(skip=part.skip | {"discriminator"}) for part in single.parts)
        return (self.before if added else self.after).view(parts)

    def _variant(
        self,
        pair: NodePair,
        union: Variants,
        member: Variant,
        shared: set[str],
        *,
        added: bool,
        holder: str,
    ) -> None:
        kind = Kind.VARIANT_ADDED if added else Kind.VARIANT_REMOVED
        fact = Located(member.name or member.node.value, member.node.pointer)
        exclusive = fact.pointer in shared
        one_sided(pair, kind, union.keyword, fact, added=added, holder=holder, exclusive=exclusive)

    # Discriminators

    def _tags(
        self,
        pair: NodePair,
        before: UnionSide,
        after: UnionSide,
        same: list[tuple[Variant, Variant]],
    ) -> None:
        """Compare the tags of members that stand on both sides, and what else a mapping names."""
        ours, theirs = before.union.discriminator, after.union.discriminator
        if ours is None or theirs is None:
            differences(pair, "discriminator", [ours], [theirs], KEYWORD)
            return
        self._discriminator(pair, ours, theirs, same)
        for first, second in [*same, *alone(before, after)]:
            gone, came = own_tags(before, first), own_tags(after, second)
            mapping_changed(pair, ours, theirs, sorted(gone - came), sorted(came - gone))
        self._mapping(pair, ours, theirs, before.union.targets, after.union.targets)

    def _discriminators(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare discriminators without a union: they choose among those who extend them."""
        ours, theirs = before.variants, after.variants
        if ours and theirs:
            self._aligned(pair, (before, ours), (after, theirs))
            return
        facts = [view.facts.get("discriminator", []) for view in (before, after)]
        differences(pair, "discriminator", facts[0], facts[1], KEYWORD)
        # where one side has none, its variants are those who extend the other's
        one = ours or theirs
        for member in one.members if one else ():
            first, second = (
                schemas.document.locate(f"#{member.target}")
                for schemas in (self.before, self.after)
            )
            if first and second:
                self.link(pair, [first], [second])

    def _discriminator(
        self,
        pair: NodePair,
        before: Located,
        after: Located,
        same: list[tuple[Variant, Variant]],
    ) -> None:
        """Compare two discriminators, but for their mappings.

        They tell apart the members of a union, or those who extend what has no union itself.
        """
        discriminator_keys(pair, before, after)
        ours, theirs = (
            Located(side.value.get("propertyName"), f"{side.pointer}/propertyName")
            for side in (before, after)
        )
        if ours.value != theirs.value and isinstance(ours.value, str) and theirs.value:
            members = [self.pair([first.node], [second.node]) for first, second in same]
            self.retagged.append(Retagged(ours, theirs, [*members, pair]))

    def _mapping(
        self,
        pair: NodePair,
        ours: Located,
        theirs: Located,
        members: Container[str],
        others: Container[str],
    ) -> None:
        """Compare what each tag leads to, the members of the unions left out."""
        gone = mapping(self.before, ours.value)
        came = mapping(self.after, theirs.value)
        for tag in sorted(gone.keys() & came.keys()):
            if gone[tag] in members and came[tag] in others:
                continue  # told with the members
            first = self.before.document.locate("#" + gone[tag])
            second = self.after.document.locate("#" + came[tag])
            if first and second:
                self.link(pair, [first], [second])
            elif gone[tag] != came[tag]:
                places = (
                    tag_node(side, tag)._replace(value=goals[tag])
                    for side, goals in ((ours, gone), (theirs, came))
                )
                changed(pair, Kind.KEYWORD_CHANGED, "mapping", *places)
        mapping_changed(
            pair,
            ours,
            theirs,
            sorted(tag for tag in gone.keys() - came.keys() if gone[tag] not in members),
            sorted(tag for tag in came.keys() - gone.keys() if came[tag] not in others),
        )

    # What lies below

    def _dynamic_references(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare what dynamic references lead to where no other schema is entered first."""
        facts = (view.facts.get("$dynamicRef", ()) for view in (before, after))
        for ours, theirs in zip(*facts, strict=False):
            first = self.before.document.locate(ours.value)
            second = self.after.document.locate(theirs.value)
            if first and second:
                self.link(pair, [first], [second])

    def _below(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        for keyword in (*APPLICATORS, *OPAQUE):
            ours, theirs = before.below.get(keyword, []), after.below.get(keyword, [])
            if not (ours or theirs) or keyword in _governed(before, after):
                continue
            first, second = self.before.parts(ours), self.after.parts(theirs)
            if keyword in OPAQUE:
                self._opaque(pair, keyword, ours, theirs)
            elif not (says(first) and says(second)):
                differences(
                    pair,
                    keyword,
                    ours[:1] if says(first) else [],
                    theirs[:1] if says(second) else [],
                    KEYWORD,
                )
            elif self.before.view(first).never != self.after.view(second).never:
                changed(pair, Kind.KEYWORD_CHANGED, keyword, ours[0], theirs[0])
            else:
                self._below_pair(pair, ours, theirs)

    def _opaque(
        self, pair: NodePair, keyword: str, before: list[Located], after: list[Located]
    ) -> None:
        if len(before) == len(after) == 1:
            if not self.survey.settled(before[0].value, after[0].value):
                child = self.pair(before, after)
                pair.opaque.append(Opaque(keyword, before[0], after[0], child))
        else:
            differences(pair, keyword, before, after, KEYWORD)

    def _maps(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        for keyword in SCHEMA_MAPS:
            ours, theirs = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            inplace = keyword == "dependentSchemas"
            way = Passage(inplace=inplace, closed=bool(closed_at(before, "unevaluatedProperties")))
            for name in sorted(ours.keys() | theirs.keys()):
                if name in ours and name in theirs:
                    self._below_pair(pair, ours[name], theirs[name], way)
                else:
                    first, second = ours.get(name, [])[:1], theirs.get(name, [])[:1]
                    differences(pair, keyword, first, second, KEYWORD)

    def _definitions(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare definitions for their own sake: who refers to them reaches them by itself."""
        for keyword in DEFINITIONS:
            ours, theirs = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            for name in sorted(ours.keys() | theirs.keys()):
                if name in ours and name in theirs:
                    child = self.pair(ours[name], theirs[name])
                    child.carried |= MODEL
                elif name in theirs:
                    at = theirs[name][0].pointer
                    pair.add(Kind.DOCUMENTATION_CHANGED, keyword, after_pointer=at, after=name)
                else:
                    at = ours[name][0].pointer
                    pair.add(Kind.DOCUMENTATION_CHANGED, keyword, before_pointer=at, before=name)


def _governed(before: SchemaView, after: SchemaView) -> Iterable[str]:
    """Return the keywords that came or went with one without which they say nothing."""
    return [
        keyword
        for keyword, (governing, *others) in NEEDED.items()
        if not others
        and governing != keyword
        and (governing in before.below) != (governing in after.below)
    ]


def _as_values(parts: Parts) -> Parts:
    """Return *parts* without what they say of a field as long as it has a name."""
    return tuple(part._replace(skip=part.skip | _OF_FIELDS) for part in parts)


def _members(union: Variants) -> Located:
    names = [member.name or member.node.value for member in union.members]
    return Located(names, union.pointer)


def _admits_null(schemas: Schemas, union: Variants) -> bool:
    """Return whether null certainly fits a union, beside its members or as one of them."""
    if union.null:
        return True
    views = [schemas.view(member.parts) for member in union.members]
    admitting = [
        "null" in view.types and (view.values is None or "null" in view.values)
        for view in views
        if view.types is not None
    ]
    if union.keyword == "oneOf":
        return admitting.count(True) == 1 and len(admitting) == len(views)
    return any(admitting)
