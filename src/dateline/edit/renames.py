"""Fields, headers and parameters that may have been renamed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dateline.edit.draft import WORDS, Breaking, Draft, resolve
from dateline.edit.history import NAME, aliases, plain
from dateline.edit.places import Steps, at, objects
from dateline.edit.repairs import CantGateError, Repair, Restored
from dateline.gates import order
from dateline.model import Combination, Kind
from dateline.openapi import follow, references, target
from dateline.schema.types import UNIONS
from dateline.schema.variants import subtypes

# What may be one thing under another name, and what it would look like.
_NAMED: Final = {
    Kind.FIELD_REMOVED: Kind.FIELD_ADDED,
    Kind.HEADER_REMOVED: Kind.HEADER_ADDED,
    Kind.PARAMETER_REMOVED: Kind.PARAMETER_ADDED,
}


@dataclass(frozen=True, kw_only=True, order=True)
class Rename:
    """Two fields, headers or parameters that look like one: was it renamed?

    ``before`` and ``after`` are its names, ``path`` leads in the definitions to what it is now;
    ``lists`` to all that hold it, of which there are several where it is a component.
    """

    path: Steps
    before: str
    after: str
    versions: tuple[str, ...]
    lists: tuple[Steps, ...]


def find_renames(draft: Draft, changes: Iterable[Breaking]) -> list[Rename]:
    """Return what may have been renamed: one thing gone, one of the same shape new beside it.

    Where more than two could be meant, nothing is returned.
    """
    gone: dict[tuple[Steps, str], dict[Combination, str]] = {}
    new: dict[tuple[Steps, str], dict[Combination, str]] = {}
    paths: dict[tuple[Steps, str], Steps] = {}
    for found in changes:
        if found.change.kind in _NAMED:
            seen = _find_gone(draft, found)
            if seen is not None:
                gone.setdefault(seen[0], {})[found.combination] = seen[1]
        elif found.change.kind in _NAMED.values():
            added = _find_new(draft, found)
            if added is not None:
                new.setdefault(added[0], {})[found.combination] = added[1]
                paths[added[0]] = added[2]
    pairs = [
        (old, now)
        for old, shapes in gone.items()
        for now, others in new.items()
        if old[0] == now[0] and shapes == others
        # a history that knows the name only has the wrong date
        if old[1] not in aliases({"": draft.canvas.node(paths[now])})
    ]
    lists: dict[tuple[Steps, str, str], list[Steps]] = {}
    versions: dict[tuple[Steps, str, str], set[str]] = {}
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
            lists=tuple(held),
        )
        for (path, before, after), held in lists.items()
    )


def _find_gone(draft: Draft, found: Breaking) -> tuple[tuple[Steps, str], str] | None:
    change = found.change
    if change.holder_pointer is None or change.before_pointer is None:
        return None
    published = draft.published[found.combination]
    path = follow(published, change.before_pointer)
    way = objects(published, path)
    try:
        around, holder = draft.holder(found, way, path)
        canonical = draft.canonical(holder.path, found.combination)
    except CantGateError:
        return None
    value = _child(published, path)
    name = str(value[NAME]) if change.kind is Kind.PARAMETER_REMOVED else str(path[-1])
    return ((*canonical, str(path[-2])), name), _describe(value, around.node, name, change.kind)


def _find_new(draft: Draft, found: Breaking) -> tuple[tuple[Steps, str], str, Steps] | None:
    change = found.change
    assert change.after_pointer is not None
    document = draft.projected(found.combination)
    path = follow(document, change.after_pointer)
    way = objects(document, path)
    try:
        canonical = draft.canonical(path, found.combination)
    except CantGateError:
        return None
    if way[-1].path != path:
        return None
    value = _child(document, path)
    parameter = change.kind is Kind.PARAMETER_ADDED
    name = str(value[NAME]) if parameter else str(path[-1])
    around = (*canonical[:-2], str(canonical[-2]))
    if not way[-1].gateable:
        goal = _goal(draft.canvas.api.document, way[-1].node)
        if not parameter or not goal:
            return None  # the name of a header is no part of the component
        canonical = ("components", *goal)
    return (around, name), _describe(value, way[-2].node, name, change.kind), canonical


def _goal(document: dict[str, Any], node: dict[str, Any]) -> tuple[str, ...]:
    """Return the component that a chain of references ends at."""
    goal = ""
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        goal = node["$ref"]
        node = at(document, ("components", *(target(goal) or ())))
    return target(goal) or ()


def restore_name(draft: Draft, rename: Rename) -> Repair:
    named = rename.path[-2:-1] in (("properties",), ("headers",))
    repair = draft.keep(Restored(path=rename.path, named=named))
    for version in rename.versions:
        repair.want(NAME, version, rename.before)
    return repair


def restore_tag_names(draft: Draft, found: Breaking) -> Iterator[Repair]:
    """Yield the old names of the properties by which a discriminator tells its variants apart."""
    published, now = draft.published[found.combination], draft.projected(found.combination)
    path = follow(now, found.change.after_pointer or "")
    holder = at(now, path[:-2])
    old, new = found.change.before, found.change.after
    if path[-2:] != ("discriminator", "propertyName") or not isinstance(holder, dict):
        return
    listed = [member for key in UNIONS for member in holder.get(key, ())]
    below = subtypes(now.get("components", {}).get("schemas", {})).get(str(path[2]), frozenset())
    pending = [path[:-2], *(("components", "schemas", name) for name in sorted(below))]
    pending += [("components", *goal) for one in listed for goal in references(one)]
    met: set[Steps] = set()
    while pending:
        place = pending.pop()
        schema, then = at(now, place), at(published, place)
        if place in met or not isinstance(schema, dict) or not isinstance(then, dict):
            continue
        met.add(place)
        pending += [(*place, "allOf", number) for number, _ in enumerate(schema.get("allOf", ()))]
        goal = target(str(schema.get("$ref")))
        pending += [("components", *goal)] if goal else []
        if new in schema.get("properties", {}) and old in then.get("properties", {}):
            own = draft.canonical((*place, "properties", new), found.combination)
            if new not in then["properties"] and old not in schema["properties"]:
                repair = draft.keep(Restored(path=own, named=True))
                repair.want(NAME, found.combination.version, old)
                yield repair


def find_settled(
    draft: Draft, found: Breaking, known: Mapping[Rename, Repair]
) -> list[Repair] | None:
    """Return what is done already about one side of a rename, None if it is none."""
    kind = found.change.kind
    if not known:
        return None
    if kind in _NAMED:
        gone = _find_gone(draft, found)
        return [
            repair
            for rename, repair in known.items()
            if gone is not None and gone[0][1] == rename.before and gone[0][0] in rename.lists
        ]
    if kind in _NAMED.values():
        new = _find_new(draft, found)
        return [
            repair
            for rename, repair in known.items()
            if new is not None and new[2] == rename.path and new[0][0] in rename.lists
        ]
    return None


def _describe(value: dict[str, Any], around: dict[str, Any], name: str, kind: Kind) -> str:
    """Return what a field, header or parameter is but for its name, as text."""
    fields = kind in (Kind.FIELD_ADDED, Kind.FIELD_REMOVED)
    required = name in around.get("required", ()) if fields else None
    own = set() if fields else {NAME}
    bare = {key: below for key, below in value.items() if key not in WORDS | own}
    return json.dumps([required, plain(bare)], sort_keys=True)


def _child(document: dict[str, Any], path: Steps) -> dict[str, Any]:
    """Return the field, header or parameter at *path*; what the latter two refer to."""
    node = at(document, path)
    if not isinstance(node, dict):
        return {}
    return node if path[-2] == "properties" else resolve(document, node)
