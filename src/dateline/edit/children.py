"""Repairs of parts that came or went: a gate on the part, or the part itself with one."""

from __future__ import annotations

import json
from typing import Any

from dateline.edit.components import beside
from dateline.edit.draft import BY_HAND, Breaking, Draft
from dateline.edit.history import NAME, aliases, plain
from dateline.edit.keywords import restore
from dateline.edit.places import Object, Steps, at, child, find_index, objects
from dateline.edit.repairs import CantGateError, Gated, Repair, Restored, Returned
from dateline.gates import order
from dateline.model import ENVIRONMENTS, GATES, KEYS, REMOVED
from dateline.openapi import follow, target


def gate_part(draft: Draft, found: Breaking) -> Repair:
    """What is new is gated."""
    change = found.change
    assert change.after_pointer is not None
    document = draft.projected(found.combination)
    path = follow(document, change.after_pointer)
    way = objects(document, path)
    if way[-1].path != path:
        if isinstance(at(document, path), bool):
            raise CantGateError("`true` and `false` can't have keys; write a schema instead")
        return restore(draft, found)
    canonical = draft.canonical(path, found.combination)
    before = _name_before(draft, found, canonical, str(path[-2]))
    if before is not None:
        return _called(draft, found, canonical, before)
    repair = draft.keep(Gated(path=canonical, in_schema=way[-1].kind == "schema"))
    repair.shown[found.combination.version] = False
    return repair


def _name_before(draft: Draft, found: Breaking, canonical: Steps, slot: str) -> str | None:
    """Return the published name of what is new under another, if its history knows that."""
    node = draft.canvas.node(canonical)
    if slot not in ("properties", "headers") or found.change.holder_pointer is None:
        return None
    published = draft.before(found, found.change.holder_pointer)[-1].node.get(slot, {})
    known_as = aliases({"": node})
    return next((name for name in published if known_as.get(name) == ""), None)


def _called(draft: Draft, found: Breaking, path: Steps, name: str) -> Repair:
    """Let what stands at *path* have *name* in a version, as its history knows it."""
    repair = draft.keep(Restored(path=path, named=True))
    repair.want(NAME, found.combination.version, name)
    return repair


def give_back(draft: Draft, found: Breaking) -> Repair:
    """What is gone comes back, unless it is there and only hidden."""
    change = found.change
    assert change.before_pointer is not None
    published = draft.published[found.combination]
    path = follow(published, change.before_pointer)
    around, holder = draft.holder(found, objects(published, path), path)
    canonical = draft.canonical(holder.path, found.combination)
    below = path[len(around.path) :]
    reached = canonical
    for step in below[:-1]:
        if not isinstance(child(draft.canvas.node(reached), step), dict | list):
            break
        reached = (*reached, step)
    value = _inlined(draft, at(published, path), published, below)
    if len(reached) == len(canonical) + len(below) - 1:
        siblings = at(published, path[:-1])
        return _back_among(draft, found, reached, siblings, path[-1], value, around)
    # what holds it is gone as well: it comes back where its keys stood
    key = below[len(reached) - len(canonical)]
    keys = at(published, (*around.path, *below[: len(reached) - len(canonical)]))
    place = find_index(list(draft.canvas.node(reached)), list(keys), key)
    whole = (*canonical, *below)
    siblings = at(published, path[:-1])
    number = list(siblings).index(path[-1]) if isinstance(siblings, dict) else int(path[-1])
    return _back(draft, found, whole, reached, value, place, number, around)


def _inlined(draft: Draft, value: Any, published: dict[str, Any], below: Steps) -> Any:
    """Return *value* as it is to be written: a reference that is no schema, in full."""
    in_schema = not ({"parameters", "responses", "headers", "requestBody"} & {*map(str, below)})
    while not in_schema and isinstance(value, dict) and "$ref" in value:
        goal = target(value["$ref"])
        value = at(published, ("components", *goal)) if goal else None
    if value is None:
        raise CantGateError("what it refers to is not published with it; write it back")
    return draft.authored(value)


def _back_among(
    draft: Draft,
    found: Breaking,
    container: Steps,
    siblings: Any,
    step: str | int,
    value: Any,
    around: Object,
) -> Repair:
    """Let *value*, published as *step* among *siblings*, come back into *container*."""
    now = draft.canvas.node(container)
    if isinstance(now, dict):
        known_as = aliases(now)
        if (name := known_as.get(str(step))) is not None:
            twin = (*container, name)
            if name != step and container[-1] in ("properties", "headers"):
                return _called(draft, found, twin, str(step))
            return _unhidden(draft, found, twin)
        schema = draft.canvas.node(container[:-1])
        if container[-1] == "properties" and step in schema.get("required", ()):
            raise CantGateError("`required` names it still; take it out there, or write it back")
        names = [known_as.get(name, name) for name in siblings]
        whole: Steps = (*container, step)
        number = list(siblings).index(step)
        if container[:1] == ("components",) and len(container) == 2:
            file, place, neighbour = beside(draft, whole, names)
            repair = _back(draft, found, whole, container, value, place, number, around)
            repair.file, repair.beside = file, neighbour
            return repair
        place = find_index(list(now), names, str(step))
        return _back(draft, found, whole, container, value, place, number, around)
    index = int(step)
    known = [_identity(item, draft.canvas.api.document) for item in now]
    theirs = [_identity(item, draft.published[found.combination]) for item in siblings]
    own = theirs[index]
    if own in known:
        return _unhidden(draft, found, (*container, known.index(own)))
    # an item's number says nothing: it gets one of its own
    new = len(now) + len(draft.items)
    whole = (*container, draft.items.setdefault((container, own), new))
    return _back(
        draft, found, whole, container, value, find_index(known, theirs, own), index, around
    )


def _identity(item: Any, document: dict[str, Any]) -> str:
    """Return what tells an item of a list from the others, in any version."""
    if isinstance(item, dict) and isinstance(item.get("$ref"), str):
        goal = target(item["$ref"])
        resolved = at(document, ("components", *goal)) if goal else None
        if goal and goal[0] == "parameters" and isinstance(resolved, dict):
            item = resolved
        else:
            return str(item["$ref"])
    if isinstance(item, dict):
        for keys in (("in", "name"), ("const",), ("title",)):
            if all(key in item for key in keys):
                return json.dumps([item[key] for key in keys])
    bare = {k: v for k, v in item.items() if k not in KEYS} if isinstance(item, dict) else item
    return json.dumps(plain(bare), sort_keys=True)


def _unhidden(draft: Draft, found: Breaking, path: Steps) -> Repair:
    node = draft.canvas.node(path)
    if not isinstance(node, dict):
        raise CantGateError(BY_HAND)
    if found.combination.environment not in node.get(ENVIRONMENTS, [found.combination.environment]):
        raise CantGateError(
            f"`{ENVIRONMENTS}` holds in all versions; drop it, and write what is to differ "
            f"beside this"
        )
    repair = draft.keep(Gated(path=path))
    repair.shown[found.combination.version] = True
    # a component without a gate goes with what refers to it
    repair.by_itself = path[:1] == ("components",) and len(path) == 3 and not GATES & node.keys()
    return repair


def _back(
    draft: Draft,
    found: Breaking,
    whole: Steps,
    holder: Steps,
    value: Any,
    place: int,
    number: int,
    around: Object,
) -> Returned:
    repair = draft.keep(Returned(path=whole, value=value, holder=holder, at=place, order=number))
    version = found.combination.version
    if all(order(known) <= order(version) for known, there in repair.shown.items() if there):
        repair.value = value
        if whole[-2:-1] == ("properties",):
            required = around.node.get("required", [])
            name = str(whole[-1])
            if name in required:
                repair.required_behind = tuple(required[: required.index(name)])
    for combination, document in draft.published.items():
        # where nothing could hold it, nothing is said of it
        if objects(document, around.path)[-1].path != around.path:
            repair.shown.setdefault(combination.version, None)
    repair.shown[version] = True
    return repair


def give_back_tag(draft: Draft, found: Breaking) -> Repair | None:
    """Give a tag back whose member is given back, too: it comes and goes with that."""
    change = found.change
    if change.before_pointer is None or change.after_pointer is not None:
        return None
    published = draft.published[found.combination]
    path = follow(published, change.before_pointer)
    goal = target(str(at(published, path)))
    schema = objects(draft.projected(found.combination), path[:-3])[-1]
    if path[-3:-1] != ("discriminator", "mapping") or schema.path != path[:-3]:
        return None
    canonical = draft.canonical(schema.path, found.combination)
    node = draft.canvas.node(canonical)
    members = [*node.get("oneOf", ()), *node.get("anyOf", ())]
    staying = [member for member in members if isinstance(member, dict) and REMOVED not in member]
    if goal is None or any(target(str(member.get("$ref"))) == goal for member in staying):
        return None
    canonical = (*canonical, *path[-3:-1])
    known, told = draft.canvas.node(canonical), at(published, path[:-1])
    if not isinstance(known, dict):
        return None
    name = str(path[-1])
    return draft.keep(
        Returned(
            path=(*canonical, name),
            value=at(published, path),
            holder=canonical,
            at=find_index(list(known), list(told), name),
            order=list(told).index(name),
        )
    )
