"""Compare pairs of schemas keyword by keyword."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from dateline.diff.closures import forbids, list_matching, list_unnamed
from dateline.diff.defaults import NEEDED, restricts, takes_anything
from dateline.diff.equivalents import is_unused_anchor, list_below, list_equivalent
from dateline.diff.graph import MODEL, Difference, NodePair, Opaque, Passage, align
from dateline.diff.keywords import (
    KEYWORD,
    NOTE,
    compare_neighbours,
    compare_null,
    compare_open_values,
    compare_required,
    compare_types,
    compare_value_notes,
    compare_values,
    compare_whole,
    divide_below,
    kinds_of,
)
from dateline.diff.together import compare_together
from dateline.diff.union_comparison import UnionComparison
from dateline.diff.views import (
    APPLICATORS,
    DEFINITIONS,
    KNOWN,
    OPAQUE,
    SCHEMA_MAPS,
    SchemaView,
    list_closing,
)
from dateline.model import Kind
from dateline.schema.dialect import OR_NULL
from dateline.schema.parts import VALUE, Part, Parts
from dateline.schema.references import Located, component, escape
from dateline.schema.values import text

# Keywords beside which the targets of references can't be compared separately: they merge with a
# target, negate it, limit it to one direction, allow only one of several, or allow any value of a
# type.
_MERGING: Final = re.compile(
    rb'"(?:allOf|oneOf|not|if|then|else|contains|dependentSchemas|unevaluated(?:Items|Properties)'
    rb'|readOnly|writeOnly|\$defs|definitions|\$dynamicRef)":'
    rb'|"anyOf":\[[^\]]*\{"type":"(?:string|integer|number)"'
)
# A reference to a whole component, which is compared with the one of that name on the other side.
_PLAIN_REFERENCE: Final = re.compile(rb'\{"\$ref":"#/components/schemas/[^"\\/]*"\}')


class SchemaComparison(UnionComparison):
    """Compares pairs of schemas; the pairs below them wait in the graph."""

    def compare(self, pair: NodePair) -> None:
        """Add the differences between the schemas of *pair*."""
        if not self._link_targets_of_equal(pair):
            before, after = self.before.view(pair.before), self.after.view(pair.after)
            self.compare_views(pair, before, after)

    def _link_targets_of_equal(self, pair: NodePair) -> bool:
        """Compare the targets of references of equal nodes; return whether that is enough."""
        if len(pair.before) != 1 or len(pair.after) != 1:
            return False
        ours, theirs = pair.before[0], pair.after[0]
        if ours.skip != theirs.skip or bool(ours.null) != bool(theirs.null):
            return False
        shared = self.survey.equal(ours.node, theirs.node)
        if shared is None or any(map(self._has_unequal_subtypes, (ours, theirs))):
            return False
        goals = self.survey.list_reached(shared)
        if goals and (
            _MERGING.search(shared.written)
            or len(_PLAIN_REFERENCE.findall(shared.written)) != shared.written.count(b'"$ref":')
        ):
            return False
        named = [
            f"#/components/schemas/{escape(name)}" for kind, name in goals if kind == "schemas"
        ]
        ends = [(self.before.document.locate(at), self.after.document.locate(at)) for at in named]
        if any((first is None) != (second is None) for first, second in ends):
            return False  # a reference that dangles on one side has a meaning on the other
        for first, second in ends:
            if first and second:
                self.link(pair, [first], [second])
        return True

    def _has_unequal_subtypes(self, part: Part) -> bool:
        """Return whether schemas that extend *part*, which it does not name, may differ."""
        known = component(part.pointer)
        if known not in self.survey.dirty or known is None or known[0] != "schemas":
            return False
        return any(known[1] in side.document.subtypes for side in (self.before, self.after))

    def compare_views(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Add the differences between two schemas to *pair*."""
        if before.never != after.never:
            side = after if after.never else before
            pair.add_one(KEYWORD, "not", Located({}, side.pointer), added=after.never)
            return
        if not self.compare_unions(pair, before, after):
            return
        if not compare_types(pair, before, after):
            return
        compare_null(pair, before, after)
        compare_values(pair, before, after)
        compare_open_values(pair, before, after)
        self._properties(pair, before, after)
        reported = {"discriminator", *_governed(before, after), *list_equivalent(before, after)}
        for keyword in sorted((before.facts.keys() | after.facts.keys()) - reported):
            ours, theirs = before.facts.get(keyword), after.facts.get(keyword)
            if keyword == "xml" and ours and theirs and len(ours) == len(theirs) == 1:
                compare_whole(pair, "xml", KEYWORD, keyword, ours[0], theirs[0])
            else:
                is_note = is_unused_anchor(keyword, before, after)
                kinds = NOTE if is_note else kinds_of(keyword, KNOWN)
                pair.compare_all(kinds, keyword, ours, theirs)
        compare_value_notes(pair, before, after)
        self._null_notes(pair, before, after)
        self.compare_discriminators(pair, before, after)
        self._dynamic_references(pair, before, after)
        self._below(pair, before, after)
        self._maps(pair, before, after)
        compare_together(self, pair, before, after)
        compare_neighbours(pair, before, after)
        self._definitions(pair, before, after)

    # Properties

    def _properties(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        renamed = self._find_renamed(before, after)
        for name, located in before.properties.items():
            called = renamed.get(name, name)
            if called in after.properties:
                self._property(pair, (name, located), (called, after.properties[called]))
            else:
                required = "required" if name in before.required else ""
                access = self.before.access(located)
                pair.add(Kind.FIELD_REMOVED, required, located[0], access=access)
        old = {renamed.get(name, name) for name in before.properties}
        for name in after.properties:
            if name not in old:
                self._add_field(pair, before, after, name)
        compare_required(pair, before, after, renamed, self._access)

    def _add_field(self, pair: NodePair, before: SchemaView, after: SchemaView, name: str) -> None:
        """Add the property *name*, which only the view *after* names."""
        located = after.properties[name]
        patterns = list_matching(before, name)
        now = [*located, *list_matching(after, name)]
        closed = forbids(before, name, len(after.properties)) or (
            bool(patterns) and self.after.read(now).types == set()
        )
        access = self.after.access(located)
        required = "required" if name in after.required else ""
        pair.add(Kind.FIELD_ADDED, required, None, located[0], access=access, closed=closed)
        way = Passage(access=access)
        if not any(node is False for node, _ in patterns):
            past = [*list_unnamed(before, name), *patterns]
            self.link_values(pair, past, now, way)

    def _find_renamed(self, before: SchemaView, after: SchemaView) -> dict[str, str]:
        """Return the new names of the properties that were renamed according to the sources."""
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
            names = Located(old, ours[0].pointer), Located(new, theirs[0].pointer)
            pair.add(Kind.FIELD_RENAMED, "", *names)
        if not self.is_settled(ours, theirs):
            way = Passage(access=self._access(ours, theirs))
            self._link_unequal(pair, ours, theirs, way)

    def _access(self, before: list[Located], after: list[Located]) -> str:
        """Return the keyword that limits a property to one direction on both sides, if any."""
        found = self.before.access(before)
        return found if found and self.after.access(after) == found else ""

    # Null as a member of unions

    def _null_notes(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare the annotations of null where it is a member of a union.

        If null itself was added or removed, its annotations came or went with it.
        """
        for ours, theirs in zip_longest(before.nulls, after.nulls):
            if not (ours and theirs) and any(map(_concerns_null, pair.differences)):
                return
            first = ours or Located(True, before.pointer)
            second = theirs or Located(True, after.pointer)
            if not self.is_settled([first], [second]):
                sides = self.before.parts([first]), self.after.parts([second])
                below = self.graph.pair("schema", *map(_as_notes, sides))
                pair.reach(below, first, second)

    # What lies below

    def _dynamic_references(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare all targets of dynamic references that are not parts."""
        facts = (view.facts.get("$dynamicRef", ()) for view in (before, after))
        for ours, theirs in zip(*facts, strict=False):
            goals = (
                self.before.document.list_anchored(ours.value),
                self.after.document.list_anchored(theirs.value),
            )
            for _, first, second in align(*({each.pointer: each for each in one} for one in goals)):
                if first and second:
                    self.link(pair, [first], [second])
                else:
                    pair.add(KEYWORD, "$dynamicRef", ours, theirs)

    def _below(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        sides = list_below(before, after)
        for keyword in (*APPLICATORS, *OPAQUE):
            ours, theirs = (side.get(keyword, []) for side in sides)
            if not (ours or theirs) or keyword in _governed(before, after):
                continue
            first, second = self.before.parts(ours), self.after.parts(theirs)
            if keyword in OPAQUE:
                self._opaque(pair, keyword, ours, theirs)
            elif restricts(first) != restricts(second) and not (
                _has_keywords(first) and _has_keywords(second)
            ):
                listed = (
                    ours[:1] if restricts(first) else [],
                    theirs[:1] if restricts(second) else [],
                )
                pair.compare_all(KEYWORD, keyword, *listed)
            elif not (ours and theirs) and self._evaluates(ours or theirs):
                pair.compare_all(KEYWORD, keyword, ours[:1], theirs[:1])
            elif self.before.view(first).never != self.after.view(second).never:
                pair.add(KEYWORD, keyword, ours[0], theirs[0])
            else:
                # a side without the keyword allows anything there
                ours = ours or [Located(True, before.pointer)]
                theirs = theirs or [Located(True, after.pointer)]
                for old, new in divide_below(keyword, (before, ours), (after, theirs)):
                    self.link_below(pair, old, new)

    def _evaluates(self, located: list[Located]) -> bool:
        """Return whether schemas below a keyword may count as evaluated for an unevaluated one.

        `compare_neighbours` reports that of schemas that take anything without any reference.
        """
        closes = any(side.document.closes for side in (self.before, self.after))
        return closes and not all(takes_anything(node.value) for node in located)

    def _opaque(
        self, pair: NodePair, keyword: str, before: list[Located], after: list[Located]
    ) -> None:
        # equal texts may refer to what changed
        ours, theirs = ({text(each.value): each for each in side} for side in (before, after))
        both = [(ours[key], theirs[key]) for key in ours if key in theirs]
        gone = [each for key, each in ours.items() if key not in theirs]
        came = [each for key, each in theirs.items() if key not in ours]
        if len(gone) == len(came) == 1:
            both.append((gone[0], came[0]))
        else:
            pair.compare_all(KEYWORD, keyword, gone, came)
        for first, second in both:
            if not self.is_settled([first], [second]):
                child = self.pair([first], [second])
                pair.opaque.append(Opaque(keyword, first, second, child))

    def _maps(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        for keyword in SCHEMA_MAPS:
            inplace = keyword == "dependentSchemas"
            way = Passage(
                inplace=inplace,
                closed=bool(list_closing(before.parts, "unevaluatedProperties")),
            )
            sides = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            for _, first, second in align(*sides):
                if first and second:
                    self.link_below(pair, first, second, way)
                else:
                    pair.compare_all(KEYWORD, keyword, (first or [])[:1], (second or [])[:1])

    def _definitions(self, pair: NodePair, before: SchemaView, after: SchemaView) -> None:
        """Compare definitions for their own sake: schemas that refer to them reach them anyway."""
        for keyword in DEFINITIONS:
            sides = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            for name, first, second in align(*sides):
                if first and second:
                    self.pair(first, second).carried |= MODEL
                else:
                    lone = Located(name, (first or second or [])[0].pointer)
                    pair.add_one(NOTE, keyword, lone, added=second is not None)


def _concerns_null(difference: Difference) -> bool:
    """Return whether *difference* is that null was added or removed, as a type or as a value."""
    fact = difference.before or difference.after
    null = {"type": "null", "enum": None}
    return (
        difference.keyword in null and fact is not None and fact.value == null[difference.keyword]
    )


def _as_notes(parts: Parts) -> Parts:
    """Return *parts*, which allow null alone, without the keywords that say so."""
    return tuple(part._replace(skip=part.skip | VALUE | {OR_NULL}, null="") for part in parts)


def _governed(before: SchemaView, after: SchemaView) -> Iterable[str]:
    """Return the keywords that were added or removed with one that they depend on."""
    return [
        keyword
        for keyword, (governing, *others) in NEEDED.items()
        if not others
        and governing != keyword
        and (governing in before.below) != (governing in after.below)
    ]


def _has_keywords(parts: Parts) -> bool:
    """Return whether *parts* have any keyword: then differences are reported one by one."""
    return any(len(part.skip) < len(part.node) for part in parts)
