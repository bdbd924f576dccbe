"""Repair changed keywords: write the older value into `x-was` beside the new one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from dateline.edit.draft import MOVED, REMOVED, Breaking, Draft
from dateline.edit.history import ABSENT, same, values
from dateline.edit.places import (
    Object,
    find_gateable,
    find_index,
    find_keyed,
    find_spot,
    objects,
)
from dateline.edit.repairs import CantGateError, Repair, Restored
from dateline.model import EXTENSIBLE, WAS, Change, Trail
from dateline.openapi import operation_path, parts, pointer, resolve, target, value_at, walk
from dateline.schema.types import UNIONS
from dateline.schema.words import DESCRIPTIVE
from dateline.wording import name_kind

# These apply schemas to the value itself.
_IN_PLACE: Final = frozenset({"allOf", *UNIONS})

# If one of these changes, nothing else of a schema means what it did.
_SHAPE: Final = frozenset({"type", "$ref", EXTENSIBLE, *_IN_PLACE})

_WRITE_BACK: Final = (
    "restore what was published or, if something was renamed, confirm it when `dateline gate` asks"
)


def restore(draft: Draft, found: Breaking) -> Repair:
    """Restore the former value of what is different."""
    (old, old_key), (new, new_key) = _sides(draft, found)
    if new.kind != "schema" and "$ref" in new.node:
        return _inline_with_history(draft, found, old, new)
    keys = {old_key, new_key} - {""}
    if (old.node.get("$ref"), new.node.get("$ref")) != (None, None):
        keys.add("$ref")
    is_shape = new.kind == "schema" and not _SHAPE.isdisjoint({*keys, found.change.keyword})
    if is_shape:
        # keywords that only one of the two has belong to it
        keys |= (old.node.keys() ^ new.node.keys()) - DESCRIPTIVE
    differing = _list_differing(old, new, keys)
    if is_shape and not differing:
        differing = _list_differing(old, new)
    if not differing:
        raise CantGateError(
            f"the objects around {found.change.keyword or 'it'} were exchanged, and each is what "
            f"it was before, so there is no keyword for `{WAS}`; {_WRITE_BACK}"
        )
    return _restore_keys(draft, found, old, new, differing)


def _list_differing(old: Object, new: Object, keys: Iterable[str] = ()) -> list[str]:
    """Return which of *keys*, or of all keys but descriptions, have another value."""
    return [
        key
        for key in sorted(keys or (old.node.keys() | new.node.keys()) - DESCRIPTIVE)
        if not same(old.node.get(key, ABSENT), new.node.get(key, ABSENT))
    ]


def _restore_keys(
    draft: Draft, found: Breaking, old: Object, new: Object, keys: list[str]
) -> Repair:
    repair = draft.repair_history(new, found)
    for key in keys:
        draft.want(repair, key, found, old.node.get(key, ABSENT))
        repair.published[key] = draft.published_values(old.path, key)
    return repair


def switch(draft: Draft, found: Breaking) -> tuple[Trail, Trail | None]:
    """Return where something is different, and the component that it refers to now.

    None means a published component, or no reference.
    """
    _, (new, _) = _sides(draft, found)
    goal = ("components", *_goal(new.node))
    return new.path, None if len(goal) == 1 or draft.is_published(goal) else goal


def _sides(draft: Draft, found: Breaking) -> tuple[tuple[Object, str], tuple[Object, str]]:
    """Return the objects that differ, as published and as they are, each with its key."""
    change = found.change
    published, now = draft.published[found.combination], draft.project(found.combination)
    old, old_key = _side(published, change.before_pointer, now, change)
    new, new_key = _side(now, change.after_pointer, published, change)
    return _applying(published, new.path, old, old_key), _applying(now, old.path, new, new_key)


def _applying(document: dict[str, Any], path: Trail, found: Object, key: str) -> tuple[Object, str]:
    """Return the schema at *path* if what was *found* is a part of it, and the key that has it."""
    there = objects(document, path)[-1]
    if there.path != path or there.kind != "schema":
        return found, key
    if ("components", *_goal(there.node)) == found.path:
        return there, key
    below = found.path[len(path) :]
    is_part = found.path[: len(path)] == path and {*below[::2]} <= _IN_PLACE
    return (there, str(below[0])) if below and is_part else (found, key)


def _goal(node: dict[str, Any]) -> tuple[str, ...]:
    return target(str(node.get("$ref"))) or ()


def _side(
    document: dict[str, Any], own: str | None, other: dict[str, Any], change: Change
) -> tuple[Object, str]:
    """Return the object of *document* that has or lacks the keyword, and the key if it has none."""
    if own is not None:
        return find_keyed(find_spot(document, own), change.keyword)
    known = change.before_pointer or change.after_pointer or ""
    there, key = find_keyed(find_spot(other, known), change.keyword)
    here = objects(document, there.path)[-1]
    if here.path == there.path and not same(
        here.node.get(key, ABSENT), there.node.get(key, ABSENT)
    ):
        return here, ""
    if change.holder_pointer is None:
        raise CantGateError(MOVED)
    return find_gateable(find_spot(document, change.holder_pointer).way), ""


def _inline_with_history(draft: Draft, found: Breaking, old: Object, new: Object) -> Repair:
    """Turn the former target of a reference outside schemas into the history of the new target."""
    then = resolve(draft.published[found.combination], old.node)
    now = resolve(draft.project(found.combination), new.node)
    repair = draft.keep(Restored(path=draft.canonical(new.path, found), inlined=True))
    for key in sorted((then.keys() | now.keys()) - DESCRIPTIVE):
        value = then.get(key, ABSENT)
        if not same(value, now.get(key, ABSENT)):
            draft.want(repair, key, found, value)
    return repair


def restore_security(draft: Draft, found: Breaking, operation: str) -> Repair:
    """Restore the requirements of one operation, whatever the whole document did."""
    method, _, route = operation.partition(" ")
    published, now = draft.published[found.combination], draft.project(found.combination)
    item = value_at(published, ("paths", route))
    path = ("paths", route, *operation_path(item if isinstance(item, dict) else {}, method))
    before, after = (objects(document, path)[-1] for document in (published, now))
    if before.path != path or after.path != path:
        raise CantGateError(MOVED)
    demanded = before.node.get("security", ABSENT)
    if demanded is ABSENT:
        # of the whole document, which can't have a history
        of_all = published.get("security", ABSENT)
        if not same(of_all, now.get("security", ABSENT)):
            demanded = of_all
    repair = draft.repair_history(after, found)
    draft.want(repair, "security", found, demanded)
    return repair


def restore_required(draft: Draft, found: Breaking) -> Repair:
    """Make optional what is required now."""
    spot = draft.after(found, found.change.after_pointer)
    name = _own_name(draft, spot.inner, str(spot.value), found)
    repair = draft.repair_history(spot.inner, found)
    names = _names(draft, repair, found.combination.version)
    _put_names(repair, found, [other for other in names if other != name])
    return repair


def restore_optional(draft: Draft, found: Breaking) -> Repair:
    """Make required what is optional now."""
    *_, schema, shown = draft.after(found, found.change.after_pointer).way
    name = _own_name(draft, schema, str(shown.path[-1]), found)
    repair = draft.repair_history(schema, found)
    names = _names(draft, repair, found.combination.version)
    if name not in names:
        document, (*around, number), _ = draft.before(found, found.change.before_pointer)
        listed = value_at(document, around)
        published = [_own_name(draft, schema, other, found) for other in listed]
        names.insert(find_index(names, published, published[int(number)]), name)
    _put_names(repair, found, names)
    return repair


def _own_name(draft: Draft, schema: Object, name: str, found: Breaking) -> str:
    """Return the name in the definitions of the property that a contract shows as *name*."""
    path = (*schema.path, "properties", name)
    origin = draft.projector.origin(pointer(path), *found.combination)
    return str(origin[-1]) if len(origin) == len(path) else name


def _names(draft: Draft, repair: Restored, version: str) -> list[str]:
    """Return what is required in *version*, as far as it is known by now."""
    node = draft.canvas.node(repair.path)
    own = node.get("required", ABSENT)
    now = values(own, node.get(WAS, {}), "required", draft.canvas.dates)
    names = repair.wanted.get("required", now).get(version, now[version])
    return [] if names is ABSENT else list(names)


def _put_names(repair: Restored, found: Breaking, names: list[str]) -> None:
    known = repair.wanted.setdefault("required", {})
    # the order means nothing: an existing one makes fewer differences
    alike = (other for other in known.values() if other is not ABSENT)
    names = next((other for other in alike if sorted(other) == sorted(names)), names)
    known[found.combination.version] = names or ABSENT


def restore_coarsely(draft: Draft, found: Breaking) -> Repair:
    """Restore the former value of the surrounding object as a whole."""
    change = found.change
    if change.kind in REMOVED:
        spot = draft.before(found, change.before_pointer)
        then, now = draft.holder(found, spot)
        key = str(spot.path[len(then.path)])
    else:
        now, key = find_keyed(draft.after(found, change.after_pointer), change.keyword)
        then = draft.before(found, change.holder_pointer or pointer(now.path)).inner
    if then.kind != now.kind:
        raise CantGateError(
            f"{name_kind(now.kind)} took the place of {name_kind(then.kind)}, and `{WAS}` "
            f"contains keywords of one kind of object only; {_WRITE_BACK}"
        )
    if key == "properties":
        raise CantGateError(
            f"properties were added and removed together, and `{WAS}` can't contain `properties` "
            f"as a whole; "
            f"{_WRITE_BACK}"
        )
    repair = draft.repair_history(now, found)
    draft.want(repair, key, found, then.node.get(key, ABSENT))
    return repair


def restore_references(draft: Draft, found: Breaking) -> list[Repair]:
    """Restore what was in place of references to a component that was published before.

    The differ compares the two as if one had become the other. If references led to another
    component, all of these are restored.
    """
    change = found.change
    before = change.before_pointer or change.holder_pointer
    then, now = _component(before), _component(change.after_pointer or change.holder_pointer)
    if now is None or then == now or not draft.is_published(now):
        return []
    published = draft.published[found.combination]
    document = draft.project(found.combination)
    paths = [one.path for one in find_spot(published, before or "").way if one.kind == "schema"]
    goal = then[1:] if then else ()
    for path, kind, node in walk("document", published) if goal else ():
        if kind == "schema" and target(str(node.get("$ref"))) == goal:
            paths.append(path)
    repairs = []
    for old, new in ((objects(published, each)[-1], objects(document, each)[-1]) for each in paths):
        if old.path == new.path and target(str(new.node.get("$ref"))) == now[1:]:
            keys = _list_differing(old, new, {"$ref"} if "$ref" in old.node else ())
            repairs += [_restore_keys(draft, found, old, new, keys)] if keys else []
    return repairs


def _component(pointer: str | None) -> Trail | None:
    """Return the path of the component that a pointer leads into."""
    steps = parts(pointer or "")
    return steps[:3] if steps[:1] == ("components",) and len(steps) > 2 else None
