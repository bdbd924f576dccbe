"""Repair added and removed parts: gate the part, or restore it with a gate."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from dateline.edit.components import beside
from dateline.edit.draft import BY_HAND, Breaking, Draft
from dateline.edit.history import NAME, aliases, plain
from dateline.edit.keywords import restore
from dateline.edit.places import Object, find_index, objects
from dateline.edit.repairs import CantGateError, Gated, Repair, Restored, Returned
from dateline.gates import order
from dateline.model import ENVIRONMENTS, GATES, KEYS, REMOVED, Trail
from dateline.openapi import resolve, target, value_at
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS

_NAMED: Final = ("properties", "headers", "parameters")
"""The keys whose children may have had other names."""


def gate_part(draft: Draft, found: Breaking) -> Repair:
    """Gate a new part."""
    spot = draft.after(found, found.change.after_pointer)
    if not spot.is_object:
        raise CantGateError("`true` and `false` can't have keys; write a schema instead")
    canonical = draft.canonical(spot.path, found)
    slot = str(spot.path[-2])
    named = _find_named(draft, canonical) if slot == "parameters" else canonical
    before = _name_before(draft, found, named, slot)
    if before is not None:
        return _restore_name(draft, found, named, before)
    repair = draft.keep(Gated(path=canonical, in_schema=spot.inner.kind == "schema"))
    repair.shown[found.combination.version] = False
    return repair


def _name_before(draft: Draft, found: Breaking, canonical: Trail, slot: str) -> str | None:
    """Return the published name of a renamed part, if its history knows it."""
    if slot not in _NAMED or found.change.holder_pointer is None:
        return None
    around = draft.before(found, found.change.holder_pointer)
    published, node = around.inner.node.get(slot, {}), draft.canvas.node(canonical)
    if slot == "parameters":
        theirs = [resolve(around.document, item) for item in published]
        published = [one.get(NAME) for one in theirs if one.get("in") == node.get("in")]
    known_as = aliases({"": node})
    return next((name for name in published if known_as.get(name) == ""), None)


def _find_named(draft: Draft, path: Trail) -> Trail:
    """Return the path of a parameter that is at *path*, or that a reference there leads to."""
    goal = target(str(draft.canvas.node(path).get("$ref")))
    return path if goal is None else ("components", *goal)


def _restore_name(draft: Draft, found: Breaking, path: Trail, name: str) -> Repair:
    """Give what is at *path* its *name* in a version, as its history knows it."""
    repair = draft.keep(Restored(path=path))
    repair.want(NAME, found.combination.version, name)
    return repair


class _Lost(NamedTuple):
    """A published part that is gone: its value in source form, and what surrounds it."""

    found: Breaking
    value: Any
    path: Trail
    siblings: Any
    around: Object

    @property
    def number(self) -> int:
        """Its index among its published siblings."""
        step = self.path[-1]
        return list(self.siblings).index(step) if isinstance(self.siblings, dict) else int(step)


def give_back(draft: Draft, found: Breaking) -> Repair:
    """Restore a removed part, unless it is there and only hidden."""
    spot = draft.before(found, found.change.before_pointer)
    if spot.path[-2:-1] and spot.path[-2] in UNIONS:
        now = objects(draft.project(found.combination), spot.path[:-2])[-1]
        if now.path == spot.path[:-2] and spot.path[-2] not in now.node:
            return restore(draft, found)
    around, holder = draft.holder(found, spot)
    canonical = draft.canonical(holder.path, found)
    below = spot.path[len(around.path) :]
    left = 0  # the number of steps on the path that the sources still have
    while left < len(below) - 1 and isinstance(
        draft.canvas.node((*canonical, *below[: left + 1])), dict | list
    ):
        left += 1
    reached = (*canonical, *below[:left])
    siblings = value_at(spot.document, spot.path[:-1])
    value = _inline(draft, spot.value, spot.document, below)
    lost = _Lost(found, value, spot.path, siblings, around)
    if left == len(below) - 1:
        return _back_among(draft, lost, reached)
    # what contained it is gone as well: it is restored where its keys were
    keys = value_at(spot.document, (*around.path, *below[:left]))
    place = find_index(list(draft.canvas.node(reached)), list(keys), below[left])
    return _back(draft, lost, (*canonical, *below), reached, place)


def _inline(draft: Draft, value: Any, published: dict[str, Any], below: Trail) -> Any:
    """Return *value* in source form: with references outside schemas replaced by their targets."""
    in_schema = not ({"parameters", "responses", "headers", "requestBody"} & {*map(str, below)})
    if not in_schema and isinstance(value, dict):
        value = resolve(published, value)
        if not value:
            raise CantGateError("what it refers to is not published with it; restore it")
    return draft.to_source(value)


def _back_among(draft: Draft, lost: _Lost, container: Trail) -> Repair:
    """Restore the *lost* part in *container*, which contains its former siblings."""
    now, step = draft.canvas.node(container), lost.path[-1]
    if isinstance(now, dict):
        known_as = aliases(now)
        if (name := known_as.get(str(step))) is not None:
            twin = (*container, name)
            if name != step and container[-1] in _NAMED:
                return _restore_name(draft, lost.found, twin, str(step))
            return _show_again(draft, lost.found, twin)
        schema = draft.canvas.node(container[:-1])
        if container[-1] == "properties" and step in schema.get("required", ()):
            raise CantGateError("`required` still names it; remove it there, or restore it")
        names = [known_as.get(name, name) for name in lost.siblings]
        whole: Trail = (*container, step)
        if container[:1] == ("components",) and len(container) == 2:
            file, place, neighbour = beside(draft, whole, names)
            repair = _back(draft, lost, whole, container, place)
            repair.file, repair.beside = file, neighbour
            return repair
        return _back(draft, lost, whole, container, find_index(list(now), names, str(step)))
    known = [_identity(item, draft.canvas.api.document) for item in now]
    theirs = [_identity(item, draft.published[lost.found.combination]) for item in lost.siblings]
    own = theirs[lost.number]
    if own in known:
        return _show_again(draft, lost.found, (*container, known.index(own)))
    if container[-1] == "parameters":
        for named in (_find_named(draft, (*container, index)) for index in range(len(now))):
            node = draft.canvas.node(named)
            if node.get("in") == lost.value["in"] and lost.value[NAME] in aliases({"": node}):
                return _restore_name(draft, lost.found, named, lost.value[NAME])
    # the index of an item means nothing: it gets a new one
    whole = (*container, draft.items.setdefault((container, own), len(now) + len(draft.items)))
    return _back(draft, lost, whole, container, find_index(known, theirs, own))


def _identity(item: Any, document: dict[str, Any]) -> str:
    """Return what distinguishes an item of a list from the others, in any version."""
    if isinstance(item, dict) and isinstance(item.get("$ref"), str):
        resolved = resolve(document, item)
        if (target(item["$ref"]) or ("",))[0] != "parameters" or not resolved:
            return str(item["$ref"])
        item = resolved
    if isinstance(item, dict):
        for keys in (("in", "name"), ("const",), ("title",)):
            if all(key in item for key in keys):
                return json.dumps([item[key] for key in keys])
    bare = {k: v for k, v in item.items() if k not in KEYS} if isinstance(item, dict) else item
    return json.dumps(plain(bare), sort_keys=True)


def _show_again(draft: Draft, found: Breaking, path: Trail) -> Repair:
    node = draft.canvas.node(path)
    if not isinstance(node, dict):
        raise CantGateError(BY_HAND)
    if found.combination.environment not in node.get(ENVIRONMENTS, [found.combination.environment]):
        raise CantGateError(
            f"`{ENVIRONMENTS}` applies to all versions; drop it, and write what is to differ "
            f"beside this"
        )
    repair = draft.keep(Gated(path=path))
    repair.shown[found.combination.version] = True
    # a component without a gate is visible where something refers to it
    repair.by_itself = path[:1] == ("components",) and len(path) == 3 and not GATES & node.keys()
    return repair


def _back(draft: Draft, lost: _Lost, whole: Trail, holder: Trail, place: int) -> Returned:
    """Restore the *lost* part at *whole*, at index *place* of what *holder* contains."""
    repair = draft.keep(
        Returned(path=whole, value=lost.value, holder=holder, at=place, order=lost.number)
    )
    version = lost.found.combination.version
    if all(order(known) <= order(version) for known, there in repair.shown.items() if there):
        repair.value = lost.value
        if whole[-2:-1] == ("properties",):
            required = lost.around.node.get("required", [])
            if whole[-1] in required:
                repair.required_behind = tuple(required[: required.index(whole[-1])])
    for combination, document in draft.published.items():
        # if nothing could contain it, its absence needs no gate
        if objects(document, lost.around.path)[-1].path != lost.around.path:
            repair.shown.setdefault(combination.version, None)
    repair.shown[version] = True
    return repair


def give_back_tag(draft: Draft, found: Breaking) -> Repair | None:
    """Restore a tag whose member is restored, too: it is visible with the member."""
    change = found.change
    if change.before_pointer is None or change.after_pointer is not None:
        return None
    spot = draft.before(found, change.before_pointer)
    around, slot, name = spot.path[:-3], spot.path[-3:-1], str(spot.path[-1])
    goal = Resolver(spot.document).mapped_name(spot.value)
    if slot != ("discriminator", "mapping"):
        return None
    if objects(draft.project(found.combination), around)[-1].path != around:
        return None
    canonical = draft.canonical(around, found)
    node = draft.canvas.node(canonical)
    members = [*node.get("oneOf", ()), *node.get("anyOf", ())]
    staying = [member for member in members if isinstance(member, dict) and REMOVED not in member]
    variant_name = Resolver(draft.canvas.api.document).variant_name
    if goal is None or any(variant_name(member) == goal for member in staying):
        return None
    holder = (*canonical, *slot)
    known, published = draft.canvas.node(holder), list(value_at(spot.document, spot.path[:-1]))
    if not isinstance(known, dict):
        return None
    return draft.keep(
        Returned(
            path=(*holder, name),
            value=spot.value,
            holder=holder,
            at=find_index(list(known), published, name),
            order=published.index(name),
        )
    )
