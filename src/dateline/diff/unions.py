"""Find which member of one union is which member of another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.views import (
    APPLICATORS,
    SchemaView,
    Variant,
    Variants,
    is_assertion,
    without_implied,
)
from dateline.schema.references import component
from dateline.schema.values import text

# How far below a member its similarity to another is examined.
_DEPTH: Final = 2

# Two objects are similar if they share this much of their property names.
_ALIKE: Final = 0.5


class Alignment(NamedTuple):
    """The members that correspond, and those that are on one side only."""

    same: list[tuple[Variant, Variant]]
    removed: list[Variant]
    added: list[Variant]


def align_members(before: Variants, after: Variants) -> Alignment:
    """Find the members that correspond.

    They are matched by what distinguishes them, the surest first: the component's name, the tag on
    the wire, the text, a property with a constant value, the meaning; last by similarity. A tag
    that leads to another member than before is a change of the mapping, not of the members.
    """
    left = dict(enumerate(before.members))
    right = dict(enumerate(after.members))
    same: list[tuple[int, int]] = []

    def match(key: Callable[[Variants, Variant], Hashable], *, once: bool = False) -> None:
        ours, theirs = _by(key, before, left), _by(key, after, right)
        for found, indexes in ours.items():
            others = theirs.get(found, [])
            if found is not None and not (once and len(indexes) + len(others) > 2):
                for index, other in zip(indexes, others, strict=False):
                    same.append((index, other))
                    del left[index], right[other]

    match(lambda _, member: member.name)
    if before.discriminator and after.discriminator:
        match(_tag)
    match(lambda _, member: text(member.node.value))
    if left and right:
        # members that share their constants are distinguished by what else they say
        match(_constants, once=True)
        lone = len(left) == len(right) == 1
        if not lone or _both_stay(before, after, *left.values(), *right.values()):
            # the full meaning is compared only if a quick comparison finds no difference
            glances = _by(_glance, before, left).keys() & _by(_glance, after, right).keys()
            match(lambda _, member: outline(member.view) if _glance(_, member) in glances else None)
        match(_constants)
    for first, second in list(_likely(before, after, left, right)):
        same.append((first, second))
        del left[first], right[second]
    return Alignment(
        [(before.members[i], after.members[j]) for i, j in sorted(same)],
        list(left.values()),
        list(right.values()),
    )


def pair_own_variants(before: Variants, after: Variants) -> list[tuple[Variant, Variant]]:
    """Return the variants that are used themselves where both unions are, if they correspond."""
    first, second = before.own, after.own
    if first is None or second is None:
        return []
    switched = first.name != second.name and _both_stay(before, after, first, second)
    return [] if switched else [(first, second)]


def _by(
    key: Callable[[Variants, Variant], Hashable],
    union: Variants,
    members: dict[int, Variant],
) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for index, member in members.items():
        found.setdefault(key(union, member), []).append(index)
    return found


def _tag(union: Variants, member: Variant) -> Hashable:
    tags = sorted(tag for tag, goal in union.tags.items() if goal == member.target)
    return tags[0] if tags else member.name


def _constants(_union: Variants, member: Variant) -> Hashable:
    return tuple(sorted(member.view.constants.items())) or None


def _glance(_union: Variants, member: Variant) -> Hashable:
    return outline(member.view, 0)


def _likely(
    before: Variants,
    after: Variants,
    left: dict[int, Variant],
    right: dict[int, Variant],
) -> Iterator[tuple[int, int]]:
    """Yield the similar pairs, the most similar first."""
    ranked = sorted(
        (-alike, first, second)
        for first, ours in left.items()
        for second, theirs in right.items()
        if not _both_stay(before, after, ours, theirs)
        and (alike := measure_likeness(ours.view, theirs.view)) >= _ALIKE
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, first, second in ranked:
        if first not in taken[0] and second not in taken[1]:
            taken[0].add(first)
            taken[1].add(second)
            yield first, second


def _both_stay(before: Variants, after: Variants, first: Variant, second: Variant) -> bool:
    """Return whether one of two components is in both documents: then neither is the other."""
    return (
        first.name is not None
        and second.name is not None
        and (
            first.name in after.schemas.document.section("schemas")
            or second.name in before.schemas.document.section("schemas")
        )
    )


def measure_likeness(before: SchemaView, after: SchemaView, depth: int = _DEPTH) -> float:
    """Return the share of property names that two schemas have in common, from 0 to 1.

    Lists are compared by their items. Different types, and a property with different constants,
    have nothing in common. An added or removed null does not make another type, nor does a number
    that need not be whole.
    """
    if _type_families(before) != _type_families(after):
        return 0
    constants = after.constants
    if any(constants.get(name, value) != value for name, value in before.constants.items()):
        return 0
    names = before.properties.keys() | after.properties.keys()
    if names:
        return len(before.properties.keys() & after.properties.keys()) / len(names)
    if "items" in before.below and "items" in after.below and depth:
        return measure_likeness(before.under("items"), after.under("items"), depth - 1)
    return 1


def _type_families(view: SchemaView) -> set[str]:
    """Return the types without null; `integer` counts as `number`."""
    return {"number" if name == "integer" else name for name in view.types or ()} - {"null"}


def outline(view: SchemaView, depth: int = _DEPTH) -> str:
    """Return the meaning of a schema down to *depth*, as text without any component's name."""
    return text(_outline(view, depth))


def _outline(view: SchemaView, depth: int) -> Any:
    if depth not in view.outlines:
        view.outlines[depth] = _read_outline(view, depth)
    return view.outlines[depth]


def _read_outline(view: SchemaView, depth: int) -> Any:
    if depth < 0:
        return without_implied(view.types or ())
    below = depth - 1
    return [
        without_implied(view.types or ()),
        sorted(view.values or ()),
        sorted(view.required),
        {
            keyword: sorted(text(fact.value) for fact in facts)
            for keyword, facts in view.facts.items()
            if is_assertion(keyword)
        },
        {name: _outline(view.property(name), below) for name in view.properties},
        {kw: _outline(view.under(kw), below) for kw in APPLICATORS if kw in view.below},
        sorted(outline(member.view, below) for union in view.unions for member in union.members),
    ]


def find_chosen_member(single: SchemaView, union: Variants) -> int | None:
    """Return the member of *union* that a single schema has become, or was, or None."""
    named = {part.pointer for part in single.parts if component(part.pointer)}
    for index, member in enumerate(union.members):
        # a union that is a member of itself has not become itself
        if member.target in named and member.target != union.part.pointer:
            return index
    own = outline(single)
    ranked = [
        (
            outline(candidate) == own,
            measure_likeness(single, candidate),
            (candidate.values is None) == (single.values is None),
            len(candidate.facts.keys() & single.facts.keys()),
            -index,
        )
        for index, candidate in enumerate(union.whole_members)
    ]
    best = max(ranked)
    return -best[-1] if best[0] or best[1] >= _ALIKE else None
