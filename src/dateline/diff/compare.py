"""Two schemas in, what of one differs from the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from dateline.diff.documents import Node, Survey, escape, text
from dateline.diff.graph import MODEL, Graph, Opaque, Pair
from dateline.diff.schemas import (
    APPLICATORS,
    DEFINITIONS,
    KNOWN,
    NOTES,
    OPAQUE,
    SCHEMA_MAPS,
    Member,
    Schemas,
    Union,
    View,
    says,
    speaks_of,
)
from dateline.diff.unions import Side, align, choose, mapping
from dateline.model import EXTENSIBLE, Kind

_KEYWORD: Final = (Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED, Kind.KEYWORD_CHANGED)
_NOTE: Final = (Kind.DOCUMENTATION_CHANGED,) * 3
_EXTENSION: Final = (Kind.EXTENSION_CHANGED,) * 3
_OTHER: Final = (Kind.OTHER,) * 3

# Equal texts in which what a reference leads to is compared on its own: nothing merges with it,
# and nothing turns its meaning round.
_MERGING: Final = re.compile(
    r'"(?:allOf|not|if|then|else|contains|dependentSchemas|\$defs|definitions)": '
)
_PLAIN_REFERENCE: Final = re.compile(r'\{"\$ref": "[^"\\]*"\}')


def kinds_of(keyword: str, known: Iterable[str]) -> tuple[Kind, Kind, Kind]:
    """Return what it is called that *keyword* came, went or changed."""
    if keyword in NOTES:
        return _NOTE
    if keyword.startswith("x-"):
        return _EXTENSION
    return _KEYWORD if keyword in known else _OTHER


class SchemaComparison:
    """Compares pairs of schemas; what lies below them waits in the graph."""

    def __init__(
        self,
        graph: Graph,
        survey: Survey,
        before: Schemas,
        after: Schemas,
        renames: Mapping[str, str],
    ) -> None:
        self.graph = graph
        self.survey = survey
        self.before = before
        self.after = after
        self.renames = renames

    def pair(self, before: Iterable[Node], after: Iterable[Node]) -> Pair:
        """Return the pair of what *before* and what *after* say."""
        return self.graph.pair("schema", self.before.parts(before), self.after.parts(after))

    def link(self, pair: Pair, before: Sequence[Node], after: Sequence[Node]) -> None:
        """Compare two schemas below *pair*."""
        pair.reach(self.pair(before, after), before[0], after[0])

    def compare(self, pair: Pair) -> None:
        """Note in *pair* how its schemas differ."""
        if not self._followed(pair):
            before, after = self.before.view(pair.before), self.after.view(pair.after)
            self._views(pair, before, after)

    def _followed(self, pair: Pair) -> bool:
        """Deal with equal nodes by their text alone, where that can be done."""
        if len(pair.before) != 1 or len(pair.after) != 1:
            return False
        ours, theirs = pair.before[0], pair.after[0]
        if ours.skip != theirs.skip or bool(ours.null) != bool(theirs.null):
            return False
        shared = self.survey.equal(ours.node, theirs.node)
        if shared is None:
            return False
        goals = self.survey.reached(shared)
        if goals and (
            _MERGING.search(shared)
            or len(_PLAIN_REFERENCE.findall(shared)) != shared.count('"$ref": ')
        ):
            return False
        for section, name in goals:
            reference = f"#/components/{section}/{escape(name)}"
            first = self.before.document.target(reference)
            second = self.after.document.target(reference)
            if section == "schemas" and first and second:
                self.link(pair, [first], [second])
        return True

    def _views(self, pair: Pair, before: View, after: View) -> None:
        if before.never != after.never:
            side = after if after.never else before
            _keyword(pair, "not", Node({}, side.pointer), added=after.never)
            return
        if not self._unions(pair, before, after):
            return
        if not _types(pair, before, after):
            return
        _values(pair, before, after)
        _open_values(pair, before, after)
        self._properties(pair, before, after)
        for keyword in sorted((before.facts.keys() | after.facts.keys()) - {"discriminator"}):
            differences(
                pair,
                keyword,
                before.facts.get(keyword, []),
                after.facts.get(keyword, []),
                kinds_of(keyword, KNOWN),
            )
        _value_notes(pair, before, after)
        self._discriminators(pair, before, after)
        self._below(pair, before, after)
        self._maps(pair, before, after)
        self._definitions(pair, before, after)

    # Properties

    def _properties(self, pair: Pair, before: View, after: View) -> None:
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
                )
        old = {renamed.get(name, name) for name in before.properties}
        for name, located in after.properties.items():
            if name not in old:
                pair.add(
                    Kind.FIELD_ADDED,
                    "required" if name in after.required else "",
                    after_pointer=located[0].pointer,
                    after=located[0].value,
                )
                told = self._told_before(before, name)
                if told:
                    self.link(pair, told, located)
        _requirements(pair, before, after, renamed)

    def _told_before(self, view: View, name: str) -> list[Node]:
        """Return what was said of a field while it was one of those without a name.

        Where there were none, nobody has been told anything.
        """
        return [
            Node(part.node[keyword], f"{part.pointer}/{keyword}")
            for part in view.parts
            for keyword in ("additionalProperties", "unevaluatedProperties")
            if isinstance(part.node.get(keyword), dict)
            and part.node[keyword]
            and keyword not in part.skip
            and not speaks_of(part.node, name)
        ]

    def _renamed(self, before: View, after: View) -> dict[str, str]:
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
        self, pair: Pair, before: tuple[str, list[Node]], after: tuple[str, list[Node]]
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
        self._below_pair(pair, ours, theirs)

    def _below_pair(self, pair: Pair, before: list[Node], after: list[Node]) -> None:
        if len(before) == len(after) == 1:
            ours, theirs = before[0], after[0]
            if self.survey.settled(ours.value, theirs.value):
                return
            odd = [one for one in (ours, theirs) if not isinstance(one.value, dict | bool)]
            if odd:
                changed(pair, Kind.OTHER, "", ours, theirs)
                return
        self.link(pair, before, after)

    # Unions

    def _unions(self, pair: Pair, before: View, after: View) -> bool:
        """Compare the unions of two schemas; tell whether the rest is still to be compared."""
        ours, theirs = list(before.unions), list(after.unions)
        for union in before.unions:
            other = next((one for one in theirs if one.keyword == union.keyword), None)
            if other is None and len(ours) == len(theirs) == 1:
                other = theirs[0]
            if other is not None:
                ours.remove(union)
                theirs.remove(other)
                self._aligned(pair, union, other)
        if len(ours) + len(theirs) == 1 and len(before.unions) + len(after.unions) == 1:
            return self._against_one(pair, before, after)
        for union in ours:
            _keyword(pair, union.keyword, _members(union), added=False)
        for union in theirs:
            _keyword(pair, union.keyword, _members(union), added=True)
        return True

    def _aligned(self, pair: Pair, before: Union, after: Union) -> None:
        ours, theirs = Side(self.before, before), Side(self.after, after)
        found = align(ours, theirs)
        if before.keyword != after.keyword:
            ways = Node(before.keyword, before.pointer), Node(after.keyword, after.pointer)
            changed(pair, Kind.KEYWORD_CHANGED, "oneOf", *ways)
        if bool(before.null) != bool(after.null):
            null = Node("null", before.null or after.null)
            kind = Kind.TYPE_ADDED if after.null else Kind.TYPE_REMOVED
            one_sided(pair, kind, "type", null, added=bool(after.null))
        for member in found.removed:
            self._variant(pair, before.keyword, member, added=False, holder=after.pointer)
        for member in found.added:
            self._variant(pair, after.keyword, member, added=True, holder=before.pointer)
        for first, second in found.same:
            self._below_pair(pair, [first.node], [second.node])
        self._tags(pair, ours, theirs, found.same)

    def _against_one(self, pair: Pair, before: View, after: View) -> bool:
        """Compare a union with a schema that is none: with the member that it is."""
        added = bool(after.unions)
        union = (after if added else before).unions[0]
        many, single = (after, before) if added else (before, after)
        side = Side(self.after if added else self.before, union)
        candidates = [side.schemas.view(many.member(union, member)) for member in union.members]
        single = self._without_discriminator(pair, single, union, added=added)
        chosen = choose(self.before if added else self.after, single, side, candidates)
        if chosen is None:
            _keyword(pair, union.keyword, _members(union), added=added)
            return False
        for index, member in enumerate(union.members):
            if index != chosen:
                self._variant(pair, union.keyword, member, added=added, holder=single.pointer)
        if added:
            self._views(pair, single, candidates[chosen])
        else:
            self._views(pair, candidates[chosen], single)
        return False

    def _without_discriminator(
        self, pair: Pair, single: View, union: Union, *, added: bool
    ) -> View:
        """Return what is no union without the discriminator of a union of one member."""
        told = single.facts.get("discriminator", [])
        if not told or not isinstance(told[0].value, dict):
            return single
        if union.discriminator:
            both = (told[0], union.discriminator) if added else (union.discriminator, told[0])
            _discriminator_keys(pair, *both)
        parts = tuple(part._replace(skip=part.skip | {"discriminator"}) for part in single.parts)
        return (self.before if added else self.after).view(parts)

    def _variant(
        self, pair: Pair, keyword: str, member: Member, *, added: bool, holder: str
    ) -> None:
        kind = Kind.VARIANT_ADDED if added else Kind.VARIANT_REMOVED
        fact = Node(member.name or member.node.value, member.node.pointer)
        one_sided(pair, kind, keyword, fact, added=added, holder=holder)

    # Discriminators

    def _tags(
        self, pair: Pair, before: Side, after: Side, same: list[tuple[Member, Member]]
    ) -> None:
        """Compare the tags of members that stand on both sides, and what else a mapping names."""
        ours, theirs = before.union.discriminator, after.union.discriminator
        if ours is None or theirs is None:
            differences(pair, "discriminator", [ours], [theirs], _KEYWORD)
            return
        _discriminator_keys(pair, ours, theirs)
        for first, second in same:
            gone, came = _own_tags(before, first), _own_tags(after, second)
            _mapping_changed(pair, ours, theirs, sorted(gone - came), sorted(came - gone))
        places = ({member.target for member in side.union.members} for side in (before, after))
        self._mapping(pair, ours, theirs, *places)

    def _discriminators(self, pair: Pair, before: View, after: View) -> None:
        """Compare discriminators without a union: they choose among those who extend them."""
        ours = before.facts.get("discriminator", [])
        theirs = after.facts.get("discriminator", [])
        if (
            ours
            and theirs
            and isinstance(ours[0].value, dict)
            and isinstance(theirs[0].value, dict)
        ):
            _discriminator_keys(pair, ours[0], theirs[0])
            self._mapping(pair, ours[0], theirs[0], set(), set())
        else:
            differences(pair, "discriminator", ours, theirs, _KEYWORD)

    def _mapping(
        self, pair: Pair, ours: Node, theirs: Node, members: set[str], others: set[str]
    ) -> None:
        """Compare what each tag leads to, the members of the unions left out."""
        gone = mapping(self.before, ours.value)
        came = mapping(self.after, theirs.value)
        for tag in sorted(gone.keys() & came.keys()):
            if gone[tag] in members and came[tag] in others:
                continue  # told with the members
            first = self.before.document.target("#" + gone[tag])
            second = self.after.document.target("#" + came[tag])
            if first and second:
                self.link(pair, [first], [second])
            elif gone[tag] != came[tag]:
                places = (
                    _tag_node(side, tag)._replace(value=goals[tag])
                    for side, goals in ((ours, gone), (theirs, came))
                )
                changed(pair, Kind.KEYWORD_CHANGED, "mapping", *places)
        _mapping_changed(
            pair,
            ours,
            theirs,
            sorted(tag for tag in gone.keys() - came.keys() if gone[tag] not in members),
            sorted(tag for tag in came.keys() - gone.keys() if came[tag] not in others),
        )

    # What lies below

    def _below(self, pair: Pair, before: View, after: View) -> None:
        for keyword in (*APPLICATORS, *OPAQUE):
            ours, theirs = before.below.get(keyword, []), after.below.get(keyword, [])
            if not ours and not theirs:
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
                    _KEYWORD,
                )
            elif self.before.view(first).never != self.after.view(second).never:
                changed(pair, Kind.KEYWORD_CHANGED, keyword, ours[0], theirs[0])
            else:
                self._below_pair(pair, ours, theirs)

    def _opaque(self, pair: Pair, keyword: str, before: list[Node], after: list[Node]) -> None:
        if len(before) == len(after) == 1:
            if not self.survey.settled(before[0].value, after[0].value):
                child = self.pair(before, after)
                pair.opaque.append(Opaque(keyword, before[0], after[0], child))
        else:
            differences(pair, keyword, before, after, _KEYWORD)

    def _maps(self, pair: Pair, before: View, after: View) -> None:
        for keyword in SCHEMA_MAPS:
            ours, theirs = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            for name in sorted(ours.keys() | theirs.keys()):
                if name in ours and name in theirs:
                    self._below_pair(pair, ours[name], theirs[name])
                else:
                    first, second = ours.get(name, [])[:1], theirs.get(name, [])[:1]
                    differences(pair, keyword, first, second, _KEYWORD)

    def _definitions(self, pair: Pair, before: View, after: View) -> None:
        """Compare definitions for their own sake: who refers to them reaches them by itself."""
        for keyword in DEFINITIONS:
            ours, theirs = before.maps.get(keyword, {}), after.maps.get(keyword, {})
            for name in sorted(ours.keys() | theirs.keys()):
                if name in ours and name in theirs:
                    child = self.pair(ours[name], theirs[name])
                    child.carried |= MODEL
                elif name in theirs:
                    at = theirs[name][0].pointer
                    pair.add(Kind.COMPONENT_ADDED, keyword, after_pointer=at, after=name)
                else:
                    at = ours[name][0].pointer
                    pair.add(Kind.COMPONENT_REMOVED, keyword, before_pointer=at, before=name)


def differences(
    pair: Pair,
    keyword: str,
    before: Iterable[Node | None],
    after: Iterable[Node | None],
    kinds: tuple[Kind, Kind, Kind],
) -> None:
    """Note which of the values of *keyword* came, went or changed; None is no value."""
    ours = {text(node.value): node for node in before if node}
    theirs = {text(node.value): node for node in after if node}
    gone = [fact for key, fact in ours.items() if key not in theirs]
    came = [fact for key, fact in theirs.items() if key not in ours]
    if len(gone) == len(came) == 1:
        changed(pair, kinds[2], keyword, gone[0], came[0])
        return
    for fact in gone:
        one_sided(pair, kinds[1], keyword, fact, added=False)
    for fact in came:
        one_sided(pair, kinds[0], keyword, fact, added=True)


def changed(pair: Pair, kind: Kind, keyword: str, before: Node, after: Node) -> None:
    """Note what has one value before and another after."""
    pair.add(
        kind,
        keyword,
        before_pointer=before.pointer,
        after_pointer=after.pointer,
        before=before.value,
        after=after.value,
    )


def one_sided(
    pair: Pair, kind: Kind, keyword: str, node: Node, *, added: bool, **told: Any
) -> None:
    """Note what stands on one side only."""
    if added:
        pair.add(kind, keyword, after_pointer=node.pointer, after=node.value, **told)
    else:
        pair.add(kind, keyword, before_pointer=node.pointer, before=node.value, **told)


def _keyword(pair: Pair, keyword: str, fact: Node, *, added: bool) -> None:
    kind = Kind.KEYWORD_ADDED if added else Kind.KEYWORD_REMOVED
    one_sided(pair, kind, keyword, fact, added=added)


def _requirements(pair: Pair, before: View, after: View, renamed: dict[str, str]) -> None:
    """Compare what is required of fields that stand on both sides, or in `required` only."""
    both = [
        (name, renamed.get(name, name))
        for name in before.properties
        if renamed.get(name, name) in after.properties
    ]
    undeclared = [
        (name, name)
        for name in dict.fromkeys((*before.required, *after.required))
        if name not in before.properties and name not in after.properties
    ]
    for old, new in (*both, *undeclared):
        if new in after.required and old not in before.required:
            pair.add(
                Kind.FIELD_REQUIRED,
                before_pointer=before.properties[old][0].pointer
                if old in before.properties
                else None,
                after_pointer=after.required[new],
            )
        elif old in before.required and new not in after.required:
            pair.add(
                Kind.FIELD_OPTIONAL,
                before_pointer=before.required[old],
                after_pointer=_property_pointer(after, new),
            )


def _property_pointer(view: View, name: str) -> str | None:
    return view.properties[name][0].pointer if name in view.properties else None


def _types(pair: Pair, before: View, after: View) -> bool:
    """Compare the types; tell whether anything can satisfy both sides."""
    ours, theirs = before.types, after.types
    valued = before.values is not None and after.values is not None
    if valued and not (before.declared and after.declared):
        # the values say it all, but for those that a type beside them rules out
        shared = (before.values or {}).keys() & (after.values or {}).keys()
        if before.allowed & shared != after.allowed & shared:
            side = after if after.declared else before
            _keyword(pair, "type", _type_fact(side), added=side is after)
        return True
    if ours is None or theirs is None:
        if ours is None and theirs is None:
            if before.nullable != after.nullable:
                view, other = (after, before) if after.nullable else (before, after)
                _type_change(pair, "null", view, other, added=after.nullable)
        elif ours is None and after.declared:
            _keyword(pair, "type", _type_fact(after), added=True)
        elif theirs is None and before.declared:
            _keyword(pair, "type", _type_fact(before), added=False)
        return True
    gone, came = ours - theirs, theirs - ours
    if gone and came:
        changed(pair, Kind.KEYWORD_CHANGED, "type", _type_fact(before), _type_fact(after))
        return bool((ours & theirs) - {"null"})
    for name in _told_names(gone):
        _type_change(pair, name, before, after, added=False)
    for name in _told_names(came):
        _type_change(pair, name, after, before, added=True)
    return True


def _told_names(names: set[str]) -> list[str]:
    """Return what is told of types that came or went together: `number` brings `integer`."""
    return sorted(names - {"integer"} if "number" in names else names)


def _type_change(pair: Pair, name: str, view: View, other: View, *, added: bool) -> None:
    """Note a type that *view* has and *other* has not."""
    kind = Kind.TYPE_ADDED if added else Kind.TYPE_REMOVED
    at = view.null_at if name == "null" and view.null_at else view.types_at
    one_sided(pair, kind, "type", Node(name, at), added=added, holder=other.types_at or None)


def _type_fact(view: View) -> Node:
    names = view.type_names
    return Node(names[0] if len(names) == 1 else names, view.types_at)


def _values(pair: Pair, before: View, after: View) -> None:
    ours, theirs = before.values, after.values
    if ours is None or theirs is None:
        for view, added in ((before, False), (after, True)):
            if view.values is not None:
                values = [fact.value for fact in view.values.values()]
                keyword = view.values_at.value
                value = values[0] if keyword == "const" and len(values) == 1 else values
                _keyword(pair, keyword, Node(value, view.values_at.pointer), added=added)
        return
    if len(ours) == len(theirs) == 1:
        (old, first), (new, second) = *ours.items(), *theirs.items()
        if old != new:
            changed(pair, Kind.KEYWORD_CHANGED, "const", first, second)
        return
    _entries(
        pair,
        (Kind.VALUE_REMOVED, Kind.VALUE_ADDED),
        "enum",
        _without_told(before, after),
        _without_told(after, before),
        (before.values_at.pointer, after.values_at.pointer),
    )


def _without_told(view: View, other: View) -> dict[str, Node]:
    """Return the values but null where the types have told already that it came or went."""
    values = view.values or {}
    told = (view.types or set()) - (other.types or set())
    if view.declared and other.declared and "null" in told:
        return {key: fact for key, fact in values.items() if key != "null"}
    return values


def _open_values(pair: Pair, before: View, after: View) -> None:
    ours, theirs = before.open_values, after.open_values
    if ours is None or theirs is None:
        for view, added in ((before, False), (after, True)):
            if view.open_values is not None:
                listed = [fact.value for fact in view.open_values.values()]
                _keyword(pair, EXTENSIBLE, Node(listed, view.open_values_at), added=added)
        return
    _entries(
        pair,
        (Kind.OPEN_VALUE_REMOVED, Kind.OPEN_VALUE_ADDED),
        EXTENSIBLE,
        ours,
        theirs,
        (before.open_values_at, after.open_values_at),
    )


def _entries(
    pair: Pair,
    kinds: tuple[Kind, Kind],
    keyword: str,
    before: dict[str, Node],
    after: dict[str, Node],
    holders: tuple[str, str],
) -> None:
    """Note the values that stand in one of two sets only."""
    for key, fact in before.items():
        if key not in after:
            one_sided(pair, kinds[0], keyword, fact, added=False, holder=holders[1])
    for key, fact in after.items():
        if key not in before:
            one_sided(pair, kinds[1], keyword, fact, added=True, holder=holders[0])


def _value_notes(pair: Pair, before: View, after: View) -> None:
    """Compare what is said of the values that stand on both sides."""
    if not before.value_notes and not after.value_notes:
        return
    ours = {str(fact.value) for fact in (before.values or {}).values()}
    theirs = {str(fact.value) for fact in (after.values or {}).values()}
    for value, keyword in sorted(before.value_notes.keys() | after.value_notes.keys()):
        if (value in ours) == (value in theirs):
            first, second = (side.value_notes.get((value, keyword)) for side in (before, after))
            differences(pair, keyword, [first], [second], kinds_of(keyword, KNOWN))


def _members(union: Union) -> Node:
    names = [member.name or member.node.value for member in union.members]
    return Node(names, union.pointer)


def _own_tags(side: Side, member: Member) -> set[str]:
    """Return the tags that stand for *member* on the wire, as far as the mapping says them."""
    found = {tag for tag, goal in side.tags().items() if goal == member.target}
    if found or member.name is None or side.union.discriminator is None:
        return found
    told = side.union.discriminator.value.get("propertyName")
    # the value of a constant property is compared where it stands
    constant = told in side.view(member).constants(side.schemas)
    return set() if constant else {member.name}


def _discriminator_keys(pair: Pair, before: Node, after: Node) -> None:
    for keyword in sorted((before.value.keys() | after.value.keys()) - {"mapping"}):
        ours, theirs = (
            Node(side.value[keyword], f"{side.pointer}/{escape(keyword)}")
            if keyword in side.value
            else None
            for side in (before, after)
        )
        told = "discriminator" if keyword == "propertyName" else keyword
        differences(pair, told, [ours], [theirs], kinds_of(told, KNOWN))


def _mapping_changed(
    pair: Pair, before: Node, after: Node, gone: list[str], came: list[str]
) -> None:
    differences(
        pair,
        "mapping",
        [_tag_node(before, tag) for tag in gone],
        [_tag_node(after, tag) for tag in came],
        _KEYWORD,
    )


def _tag_node(discriminator: Node, tag: str) -> Node:
    if tag in (discriminator.value.get("mapping") or {}):
        return Node(tag, f"{discriminator.pointer}/mapping/{escape(tag)}")
    return Node(tag, discriminator.pointer)
