"""Two unions in, which member of one is which member of the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.schemas import Schemas
from dateline.diff.views import APPLICATORS, SchemaView, Variant, Variants
from dateline.schema.dialect import NOTES
from dateline.schema.references import component
from dateline.schema.values import text

# How far below a member its likeness to another is looked for.
_DEPTH: Final = 2

# Two objects are alike if they share this much of their property names.
_ALIKE: Final = 0.5


class Alignment(NamedTuple):
    """The members that are one and the same, and those that stand on one side only."""

    same: list[tuple[Variant, Variant]]
    removed: list[Variant]
    added: list[Variant]


class UnionSide(NamedTuple):
    """A union and the schemas of its document."""

    schemas: Schemas
    union: Variants

    def view(self, member: Variant) -> SchemaView:
        return self.schemas.view(member.parts)

    def tags(self) -> dict[str, str]:
        """Return which component or place each tag of the discriminator's mapping leads to."""
        told = self.union.discriminator
        return mapping(self.schemas, told.value) if told else {}


def mapping(schemas: Schemas, discriminator: dict[str, Any]) -> dict[str, str]:
    """Return where each tag of a discriminator leads: a pointer, or the text as it stands.

    A bare name is a schema's (OpenAPI 3.1.1, section 4.8.25).
    """
    tags = discriminator.get("mapping")
    found = {}
    for tag, reference in tags.items() if isinstance(tags, dict) else ():
        goal = schemas.document.locate(reference) or schemas.document.locate(
            f"#/components/schemas/{reference}"
        )
        found[str(tag)] = goal.pointer if goal else str(reference)
    return found


def align(before: UnionSide, after: UnionSide) -> Alignment:
    """Find the members that are one and the same.

    By what tells them apart, the surest first: the component's name, the tag on the wire, what is
    written, a property that has one value, what they say; last those that are most alike. A tag
    that leads to another member than before is a change of the mapping, not of the members.
    """
    left = dict(enumerate(before.union.members))
    right = dict(enumerate(after.union.members))
    same: list[tuple[int, int]] = []

    def match(key: Callable[[UnionSide, Variant], Hashable], *, once: bool = False) -> None:
        ours, theirs = _by(key, before, left), _by(key, after, right)
        for found, indexes in ours.items():
            others = theirs.get(found, [])
            if found is not None and not (once and len(indexes) + len(others) > 2):
                for index, other in zip(indexes, others, strict=False):
                    same.append((index, other))
                    del left[index], right[other]

    match(_name)
    if before.union.discriminator and after.union.discriminator:
        match(_tag)
    match(_text)
    if left and right:
        # members that share their constants are told apart by what else they say
        match(_constants, once=True)
        match(_shape_of)
        match(_constants)
    for first, second in list(_likely(before, after, left, right)):
        same.append((first, second))
        del left[first], right[second]
    return Alignment(
        [(before.union.members[i], after.union.members[j]) for i, j in sorted(same)],
        list(left.values()),
        list(right.values()),
    )


def alone(before: UnionSide, after: UnionSide) -> list[tuple[Variant, Variant]]:
    """Return the variant that stands alone in the place of both unions, if it is the same one."""
    first, second = before.union.own, after.union.own
    if first is None or second is None:
        return []
    switched = first.name != second.name and _both_stay(before, after, first, second)
    return [] if switched else [(first, second)]


def _by(
    key: Callable[[UnionSide, Variant], Hashable],
    side: UnionSide,
    members: dict[int, Variant],
) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for index, member in members.items():
        found.setdefault(key(side, member), []).append(index)
    return found


def _tag(side: UnionSide, member: Variant) -> Hashable:
    tags = sorted(tag for tag, goal in side.tags().items() if goal == member.target)
    return tags[0] if tags else member.name


def _name(_side: UnionSide, member: Variant) -> Hashable:
    return member.name


def _text(_side: UnionSide, member: Variant) -> Hashable:
    return text(member.node.value)


def _constants(side: UnionSide, member: Variant) -> Hashable:
    return tuple(sorted(side.schemas.constants(side.view(member)).items())) or None


def _shape_of(side: UnionSide, member: Variant) -> Hashable:
    return shape(side.schemas, side.view(member))


def _likely(
    before: UnionSide,
    after: UnionSide,
    left: dict[int, Variant],
    right: dict[int, Variant],
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are alike, the most alike first."""
    ranked = sorted(
        (-alike, first, second)
        for first, ours in left.items()
        for second, theirs in right.items()
        if not _both_stay(before, after, ours, theirs)
        and (
            alike := likeness(before.schemas, before.view(ours), after.schemas, after.view(theirs))
        )
        >= _ALIKE
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, first, second in ranked:
        if first not in taken[0] and second not in taken[1]:
            taken[0].add(first)
            taken[1].add(second)
            yield first, second


def _both_stay(before: UnionSide, after: UnionSide, first: Variant, second: Variant) -> bool:
    """Tell whether one of two components stands in both documents: then neither is the other."""
    return (
        first.name is not None
        and second.name is not None
        and (
            first.name in after.schemas.document.section("schemas")
            or second.name in before.schemas.document.section("schemas")
        )
    )


def likeness(
    before_schemas: Schemas,
    before: SchemaView,
    after_schemas: Schemas,
    after: SchemaView,
    depth: int = _DEPTH,
) -> float:
    """Return how much of their property names two schemas share, from 0 to 1; lists by their items.

    Different types, and a property that has one value here and another there, share nothing.
    That null came or went is no other type, nor is a number one that need not be whole.
    """
    if _type_families(before) != _type_families(after):
        return 0
    ours, theirs = before_schemas.constants(before), after_schemas.constants(after)
    if any(theirs.get(name, value) != value for name, value in ours.items()):
        return 0
    names = before.properties.keys() | after.properties.keys()
    if names:
        return len(before.properties.keys() & after.properties.keys()) / len(names)
    if "items" in before.below and "items" in after.below and depth:
        return likeness(
            before_schemas,
            before_schemas.view(before_schemas.parts(before.below["items"])),
            after_schemas,
            after_schemas.view(after_schemas.parts(after.below["items"])),
            depth - 1,
        )
    return 1


def _type_families(view: SchemaView) -> set[str]:
    """Return the types without null; `integer` counts as `number`."""
    return {"number" if name == "integer" else name for name in view.types or ()} - {"null"}


def shape(schemas: Schemas, view: SchemaView, depth: int = _DEPTH) -> str:
    """Return what a schema says, down to *depth*, as text without any component's name."""
    return text(_outline(schemas, view, depth))


def _outline(schemas: Schemas, view: SchemaView, depth: int) -> Any:
    if depth < 0:
        return view.type_names
    return [
        view.type_names,
        sorted(view.values or ()),
        sorted(view.required),
        {
            keyword: sorted(text(fact.value) for fact in facts)
            for keyword, facts in view.facts.items()
            if keyword not in NOTES and not keyword.startswith("x-")
        },
        {
            name: _outline(schemas, schemas.view(schemas.parts(located)), depth - 1)
            for name, located in view.properties.items()
        },
        {
            keyword: _outline(schemas, schemas.view(schemas.parts(view.below[keyword])), depth - 1)
            for keyword in APPLICATORS
            if keyword in view.below
        },
        sorted(
            text(_outline(schemas, schemas.view(member.parts), depth - 1))
            for union in view.unions
            for member in union.members
        ),
    ]


def choose(
    single: Schemas, whole: SchemaView, side: UnionSide, candidates: list[SchemaView]
) -> int | None:
    """Return which member of a union a schema that is no union has become, or was; None if none.

    *candidates* are the members, each with what the union says beside them.
    """
    named = {part.pointer for part in whole.parts if component(part.pointer)}
    for index, member in enumerate(side.union.members):
        # a union that is a member of itself has not become itself
        if member.target in named and member.target != side.union.part.pointer:
            return index
    own = shape(single, whole)
    ranked = [
        (
            shape(side.schemas, candidate) == own,
            likeness(single, whole, side.schemas, candidate),
            (candidate.values is None) == (whole.values is None),
            len(candidate.facts.keys() & whole.facts.keys()),
            -index,
        )
        for index, candidate in enumerate(candidates)
    ]
    best = max(ranked)
    return -best[-1] if best[0] or best[1] >= _ALIKE else None
