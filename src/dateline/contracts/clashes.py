"""Find fields whose histories differ between schemas: of one value, or of members of a union."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from dateline.contracts.flat import FlatSchema, GatedMember, View
from dateline.contracts.histories import ConverterStep


def list_clashing(view: View, flat: FlatSchema) -> list[str]:
    """Return the fields of *flat* that its schemas rename or convert in different ways.

    The version has two counterparts of such a field, or one of two fields. The empty name is that
    of the value itself.
    """
    if flat.objects < 2 and len(flat.conversions) < 2:
        return []
    return sorted({*_list_renamed(flat), *_list_replaced(view, flat), *_list_shared(view, flat)})


def list_joint(
    view: View, members: list[GatedMember], base: FlatSchema | None
) -> list[tuple[int, ...]]:
    """Return which of *members* together have fields that not all of them have, most first.

    A value that is valid for all of these would lose such a field if it were read as one of those
    without it: a name that callers of the version don't know there. *base* describes values, too.
    """
    known = [_read_names(view, each, base) for each in members]
    pairs = {
        (one, other)
        for one, other in combinations(range(len(members)), 2)
        if _differ(known[one], known[other])
        and not view.apart(members[one].schema, members[other].schema)
    }
    joined = sorted({each for pair in pairs for each in pair})
    sizes = range(len(joined), 1, -1) if len(joined) <= _MOST_JOINED else (2,)
    return [
        chosen
        for size in sizes
        for chosen in combinations(joined, size)
        if not pairs.isdisjoint(combinations(chosen, 2))
    ]


_MOST_JOINED: Final = 4


def _read_names(
    view: View, member: GatedMember, base: FlatSchema | None
) -> tuple[set[str], set[str]]:
    """Return the names that callers of the version know in *member*, and all others in use."""
    flat = FlatSchema() if base is None else base.copy()
    view.add(flat, member.schema)
    known = {each.names[-1] for found in flat.fields.values() for each in found if each.shown}
    return known, flat.fields.keys() - known


def _differ(one: tuple[set[str], set[str]], other: tuple[set[str], set[str]]) -> bool:
    return not (one[1].isdisjoint(other[0]) and other[1].isdisjoint(one[0]))


def _list_renamed(flat: FlatSchema) -> Iterator[str]:
    """Yield the fields that have several names at the version, or one that several have."""
    called = Counter[str]()
    for name, found in flat.fields.items():
        names = {each.names[-1] for each in found if each.shown}
        called.update(names)
        if len(names) > 1:
            yield name
    for name, found in flat.fields.items():
        if any(each.shown and called[each.names[-1]] > 1 for each in found):
            yield name


def _list_replaced(view: View, flat: FlatSchema) -> Iterator[str]:
    """Yield the fields that one schema replaces, or puts in their place, and another one has."""
    for step in (view.converters[name] for name in flat.converters):
        newer, older = step.replaced or ((), ())
        for name in {*newer, *older}:
            shown = {id(each.schema) for each in flat.fields.get(name, ()) if each.shown}
            if len(shown) > (name in older):
                yield name


def _list_shared(view: View, flat: FlatSchema) -> Iterator[str]:
    """Yield the fields that the converters of several schemas create."""
    for pair in combinations(flat.conversions, 2):
        one, other = (_list_made([view.converters[name] for name in each]) for each in pair)
        yield from {""} if one is None or other is None else one & other


def _list_made(steps: list[ConverterStep]) -> set[str] | None:
    """Return the fields that *steps* change; None if they may change the whole value."""
    made: set[str] = set()
    for step in steps:
        if step.replaced is not None:
            made.update(*step.replaced)
            continue
        newer, older = step.newer.get("properties"), step.older.get("properties")
        if newer is None or older is None:
            return None
        made |= {each for each in newer.keys() | older.keys() if newer.get(each) != older.get(each)}
        made |= {*step.newer.get("required", ())} ^ {*step.older.get("required", ())}
    return made
