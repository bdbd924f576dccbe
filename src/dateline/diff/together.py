"""Compare what several schemas say together about a field of the same value.

An object may have to fit a schema, one of its variants, and what one of its fields implies. If one
of them names a field that it did not name before, callers may know the field from another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from dateline.diff.closures import list_matching, list_unnamed
from dateline.diff.graph import NodePair, Passage
from dateline.diff.overlaps import find_overlapping
from dateline.diff.unions import align_members
from dateline.diff.views import SchemaView, Variants
from dateline.schema.references import Located

if TYPE_CHECKING:
    from dateline.diff.union_comparison import UnionComparison

_ALTERNATIVES: Final = ("then", "else")
_CONDITIONS: Final = ("if", "not")
"""Keywords whose schema may say what a field is not."""


class _Applied(NamedTuple):
    """A schema that may apply to a value, before and after.

    ``choices`` are the alternatives that lead to it, by the place of the choice: schemas that
    follow from different ones do not apply together. ``access`` is `readOnly` or `writeOnly` if
    only one direction has the value.
    """

    before: SchemaView
    after: SchemaView
    is_settled: bool = False
    choices: Mapping[str, int] = {}
    access: str = ""
    is_exclusive: bool = False
    is_condition: bool = False

    def applies_with(self, other: _Applied) -> bool:
        """Return whether both may apply to the same value."""
        shared = self.choices.keys() & other.choices.keys()
        return all(self.choices[each] == other.choices[each] for each in shared)

    def describe(self, name: str) -> tuple[list[Located], list[Located]]:
        """Return all that is said about the field *name*, by its name or as one of others."""
        before, after = (_describe(view, name) for view in (self.before, self.after))
        if self.is_condition:
            return [Located(True, each.pointer) for each in before[:1]], []
        return before, after


def compare_together(
    comparison: UnionComparison, pair: NodePair, before: SchemaView, after: SchemaView
) -> None:
    """Compare fields that a schema or one within it names now with what the others say."""
    if not any(
        view.properties or view.below or view.maps or len(view.unions) > 1
        for view in (before, after)
    ):
        return  # only variants are left, of which no two apply together
    pending: list[tuple[_Applied, ...]] = [(_Applied(before, after),)]
    seen: set[tuple[str, ...]] = set()
    while pending:
        roots = pending.pop()
        place = tuple(view.pointer for each in roots for view in (each.before, each.after))
        if place not in seen:
            seen.add(place)
            together = _expand(comparison, roots)
            if len(together) > 1 and not all(each.is_settled for each in together):
                _compare_added(comparison, pair, together)
                pending += _list_below(comparison, together)


def _compare_added(comparison: UnionComparison, pair: NodePair, together: list[_Applied]) -> None:
    for each in together:
        if each.is_settled or each.is_condition:
            continue
        for name in sorted(each.after.properties.keys() - each.before.properties.keys()):
            added = each.after.properties[name]
            access = each.access or comparison.after.access(added)
            way = Passage(access=access, exclusive=each.is_exclusive)
            for other in together:
                if other is not each and each.applies_with(other):
                    past, now = other.describe(name)
                    comparison.link_values(pair, past, [*added, *now], way)


def _list_below(
    comparison: UnionComparison, together: list[_Applied]
) -> Iterator[tuple[_Applied, ...]]:
    """Yield the schemas of each field, and of the items, that several of *together* describe."""
    changed = [each for each in together if not each.is_settled and not each.is_condition]
    names = {
        name
        for each in changed
        for name in each.before.properties.keys() & each.after.properties.keys()
    }
    for name in sorted(names):
        yield from _read_below(comparison, [(each, each.describe(name)) for each in together])
    items = [
        (each, (each.before.below.get("items", []), each.after.below.get("items", [])))
        for each in together
    ]
    yield from _read_below(comparison, items)


def _read_below(
    comparison: UnionComparison,
    described: Iterable[tuple[_Applied, tuple[list[Located], list[Located]]]],
) -> Iterator[tuple[_Applied, ...]]:
    """Yield the schemas *described* below others, unless there is one only, or none may differ."""
    roots = tuple(
        each._replace(
            before=comparison.before.read(ours),
            after=comparison.after.read(theirs),
            is_settled=comparison.is_settled(ours, theirs),
            access=each.access or comparison.after.access(theirs),
        )
        for each, (ours, theirs) in described
        if ours and theirs and not each.is_condition
    )
    if len(roots) > 1 and not all(each.is_settled for each in roots):
        yield roots


def _expand(comparison: UnionComparison, roots: Iterable[_Applied]) -> list[_Applied]:
    """Return *roots* and all schemas in them that may apply to the same value."""
    found: dict[tuple[str, str], _Applied] = {}
    pending = [*roots]
    while pending:
        each = pending.pop()
        place = each.before.pointer, each.after.pointer
        if place not in found:
            found[place] = each
            pending += [] if each.is_condition else _list_inner(comparison, each)
    return [*found.values()]


def _list_inner(comparison: UnionComparison, each: _Applied) -> Iterator[_Applied]:
    """Yield the schemas directly below that may apply to the same value, before and after."""

    def read(before: list[Located], after: list[Located]) -> _Applied:
        return each._replace(
            before=comparison.before.read(before),
            after=comparison.after.read(after),
            is_settled=comparison.is_settled(before, after),
        )

    unions = {union.keyword: union for union in _list_unions(each.after)}
    for union in _list_unions(each.before):
        other = unions.get(union.keyword)
        if other is None:
            continue
        overlapping = find_overlapping(union) | find_overlapping(other)
        for index, (first, second) in enumerate(align_members(union, other).same):
            may_overlap = not overlapping.isdisjoint((first.node.pointer, second.node.pointer))
            yield read([first.node], [second.node])._replace(
                choices={**each.choices, union.pointer: index},
                # what narrows a part of a member narrows the member
                is_exclusive=each.is_exclusive or may_overlap,
            )
    ours, theirs = (view.maps.get("dependentSchemas", {}) for view in (each.before, each.after))
    for name in sorted(ours.keys() & theirs.keys()):
        yield read(ours[name], theirs[name])
    before, after = each.before.below, each.after.below
    for index, keyword in enumerate(_ALTERNATIVES):
        if keyword in before and keyword in after:
            choices = {**each.choices, f"{each.before.pointer}/if": index}
            yield read(before[keyword], after[keyword])._replace(choices=choices)
    for keyword in _CONDITIONS:
        if keyword in before and keyword in after:
            yield read(before[keyword], after[keyword])._replace(is_condition=True)


def _list_unions(view: SchemaView) -> list[Variants]:
    return [*view.unions, *([view.variants] if view.variants else [])]


def _describe(view: SchemaView, name: str) -> list[Located]:
    return [
        *view.properties.get(name, ()),
        *list_unnamed(view, name),
        *list_matching(view, name),
    ]
