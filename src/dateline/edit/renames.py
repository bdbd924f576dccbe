"""Find fields, headers and parameters that may have been renamed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from dateline.edit.draft import Breaking, Draft
from dateline.edit.history import NAME, aliases, plain
from dateline.edit.places import Spot
from dateline.edit.repairs import CantGateError, Repair, Restored
from dateline.gates import order
from dateline.model import Combination, Kind, Trail
from dateline.openapi import chain, follow, references, resolve, target, value_at
from dateline.schema.memo import closure
from dateline.schema.types import UNIONS
from dateline.schema.variants import subtypes
from dateline.schema.words import DESCRIPTIVE

# The removals that may be one half of a rename, and the additions that are the other half.
_NAMED: Final = {
    Kind.FIELD_REMOVED: Kind.FIELD_ADDED,
    Kind.HEADER_REMOVED: Kind.HEADER_ADDED,
    Kind.PARAMETER_REMOVED: Kind.PARAMETER_ADDED,
}


@dataclass(frozen=True, kw_only=True, order=True)
class Rename:
    """Two fields, headers or parameters that look like one, so that a rename is possible.

    ``before`` and ``after`` are its names, ``path`` leads to the new one in the definitions;
    ``lists`` lead to all its holders, of which a component has several.
    """

    path: Trail
    before: str
    after: str
    versions: tuple[str, ...]
    lists: tuple[Trail, ...]


class _RenameSide(NamedTuple):
    """One side of a possible rename in one combination.

    ``path`` leads in the definitions to what is new, or to what names what is gone.
    """

    around: Trail
    name: str
    shape: str
    path: Trail


def find_renames(draft: Draft, changes: Iterable[Breaking]) -> list[Rename]:
    """Return possible renames: one thing removed, and one of the same form added beside it.

    If there is more than one possibility, nothing is returned.
    """
    gone: dict[tuple[Trail, str], dict[Combination, _RenameSide]] = {}
    new: dict[tuple[Trail, str], dict[Combination, _RenameSide]] = {}
    for found in changes:
        if (side := _find_side(draft, found)) is not None:
            sides = gone if found.change.kind in _NAMED else new
            sides.setdefault((side.around, side.name), {})[found.combination] = side
    paths = {now: [*sides.values()][-1].path for now, sides in new.items()}
    pairs = [
        (old, now)
        for old, sides in gone.items()
        for now, others in new.items()
        if old[0] == now[0] and _shapes(sides) == _shapes(others)
        # a history that knows the name just has the wrong date
        if old[1] not in aliases({"": draft.canvas.node(paths[now])})
    ]
    lists: dict[tuple[Trail, str, str], list[Trail]] = {}
    versions: dict[tuple[Trail, str, str], set[str]] = {}
    for old, now in pairs:
        if sum(old == other for other, _ in pairs) == sum(now == other for _, other in pairs) == 1:
            key = paths[now], old[1], now[1]
            lists.setdefault(key, []).append(now[0])
            versions.setdefault(key, set()).update(one.version for one in gone[old])
    return sorted(
        Rename(
            path=path,
            before=before,
            after=after,
            versions=tuple(sorted(versions[path, before, after], key=order)),
            lists=tuple(names),
        )
        for (path, before, after), names in lists.items()
    )


def _shapes(sides: Mapping[Combination, _RenameSide]) -> dict[Combination, str]:
    return {combination: side.shape for combination, side in sides.items()}


def _find_side(draft: Draft, found: Breaking) -> _RenameSide | None:
    """Return the side of a rename that a change may be, or None."""
    try:
        if found.change.kind in _NAMED:
            return _find_gone(draft, found)
        return _find_new(draft, found) if found.change.kind in _NAMED.values() else None
    except CantGateError:
        return None


def _find_gone(draft: Draft, found: Breaking) -> _RenameSide | None:
    change = found.change
    if change.holder_pointer is None:
        return None
    spot = draft.before(found, change.before_pointer)
    around, holder = draft.holder(found, spot)
    canonical = draft.canonical(holder.path, found)
    value = _child(spot)
    name = str(value[NAME]) if change.kind is Kind.PARAMETER_REMOVED else str(spot.path[-1])
    shape = _describe(value, around.node, name)
    return _RenameSide((*canonical, str(spot.path[-2])), name, shape, canonical)


def _find_new(draft: Draft, found: Breaking) -> _RenameSide | None:
    change = found.change
    spot = draft.after(found, change.after_pointer)
    canonical = draft.canonical(spot.path, found)
    if not spot.is_object:
        return None
    value = _child(spot)
    parameter = change.kind is Kind.PARAMETER_ADDED
    name = str(value[NAME]) if parameter else str(spot.path[-1])
    around = (*canonical[:-2], str(canonical[-2]))
    if not spot.inner.gateable:
        *_, referring, _ = chain(draft.canvas.api.document, spot.value)
        goal = target(referring.get("$ref", ""))
        if not parameter or goal is None:
            return None  # the name of a header is not part of the component
        canonical = ("components", *goal)
    return _RenameSide(around, name, _describe(value, spot.way[-2].node, name), canonical)


def restore_name(draft: Draft, rename: Rename) -> Repair:
    repair = draft.keep(Restored(path=rename.path))
    for version in rename.versions:
        repair.want(NAME, version, rename.before)
    return repair


def restore_tag_names(draft: Draft, found: Breaking) -> Iterator[Repair]:
    """Yield the old names of the properties by which a discriminator distinguishes variants."""
    published, now = draft.published[found.combination], draft.project(found.combination)
    path = follow(now, found.change.after_pointer or "")
    holder = value_at(now, path[:-2])
    old, new = found.change.before, found.change.after
    if path[-2:] != ("discriminator", "propertyName") or not isinstance(holder, dict):
        return
    listed = [member for key in UNIONS for member in holder.get(key, ())]
    below = subtypes(now.get("components", {}).get("schemas", {})).get(str(path[2]), frozenset())
    starts = [path[:-2], *(("components", "schemas", name) for name in sorted(below))]
    starts += [("components", *goal) for one in listed for goal in references(one)]

    def list_parts(place: Trail) -> Iterator[Trail]:
        schema = value_at(now, place)
        if isinstance(schema, dict) and isinstance(value_at(published, place), dict):
            yield from ((*place, "allOf", number) for number in range(len(schema.get("allOf", ()))))
            if (goal := target(str(schema.get("$ref")))) is not None:
                yield ("components", *goal)

    for place in closure(starts, list_parts):
        names, then = (value_at(each, (*place, "properties")) or {} for each in (now, published))
        if new in names and old in then:
            own = draft.canonical((*place, "properties", new), found)
            if new not in then and old not in names:
                repair = draft.keep(Restored(path=own))
                repair.want(NAME, found.combination.version, old)
                yield repair


def find_settled(draft: Draft, found: Breaking, known: Mapping[Rename, Repair]) -> list[Repair]:
    """Return the completed repair if *found* is one side of a rename."""
    is_gone = found.change.kind in _NAMED
    side = _find_side(draft, found) if known else None
    return [
        repair
        for rename, repair in known.items()
        if side is not None and side.around in rename.lists
        if (side.name == rename.before if is_gone else side.path == rename.path)
    ]


def _describe(value: dict[str, Any], around: dict[str, Any], name: str) -> str:
    """Return a field, header or parameter without its name, as text."""
    bare = {key: below for key, below in value.items() if key not in {*DESCRIPTIVE, NAME}}
    return json.dumps([name in around.get("required", ()), plain(bare)], sort_keys=True)


def _child(spot: Spot) -> dict[str, Any]:
    """Return a field, or the target of a header or parameter."""
    if spot.path[-2] != "properties":
        return resolve(spot.document, spot.value)
    return spot.value if isinstance(spot.value, dict) else {}
