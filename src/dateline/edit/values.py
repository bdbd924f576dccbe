"""Repairs of single values of an enumeration that came or went."""

from __future__ import annotations

from typing import Any

from dateline.edit.children import gate_part, give_back
from dateline.edit.draft import MOVED, Breaking, Draft
from dateline.edit.history import ABSENT, same
from dateline.edit.places import Object, objects
from dateline.edit.repairs import CantGateError, Enumerated, Repair
from dateline.gates import changes
from dateline.model import WAS, Kind
from dateline.openapi import follow


def gate_value(draft: Draft, found: Breaking) -> Repair:
    """A single value is gated, or comes back."""
    change = found.change
    is_new = change.kind is Kind.VALUE_ADDED
    pointed = change.after_pointer if is_new else change.holder_pointer
    if pointed is None:
        raise CantGateError(MOVED)
    document = draft.projected(found.combination)
    path = follow(document, pointed)
    schema = objects(document, path)[-1]
    if schema.path == path and path[-2:-1] in (("oneOf",), ("anyOf",)):
        # adopted documents show a `oneOf` of `const` as it is
        return gate_part(draft, found) if is_new else give_back(draft, found)
    canonical = draft.canonical(schema.path, found.combination)
    if not _is_enumeration(draft.canvas.node(canonical)):
        return _values(draft, found, schema)
    repair = draft.keep(Enumerated(path=canonical))
    value = change.after if is_new else change.before
    repair.want(value, found.combination.version, not is_new)
    if not is_new:
        repair.published = _listed(draft, found)
    return repair


def _values(draft: Draft, found: Breaking, schema: Object) -> Repair:
    """Restore all values at once, where single ones can't be gated."""
    change = found.change
    pointed = change.before_pointer or change.holder_pointer
    if pointed is None:
        raise CantGateError(MOVED)
    old = draft.before(found, pointed)[-1]
    repair = draft.restored(schema, found.combination)
    for key in ("enum", "const"):
        value = old.node.get(key, ABSENT)
        if not same(value, schema.node.get(key, ABSENT)):
            draft.want(repair, key, found.combination.version, value)
    return repair


def _listed(draft: Draft, found: Breaking) -> list[Any]:
    assert found.change.before_pointer is not None
    old = draft.before(found, found.change.before_pointer)[-1].node
    return list(old["enum"]) if "enum" in old else [old.get("const")]


def _is_enumeration(node: Any) -> bool:
    """Tell whether single values of *node* can be gated."""
    if not isinstance(node, dict):
        return False
    members = node.get("oneOf")
    if "const" in node:
        return False
    if "enum" in node:
        histories = [changes(entry)[0] for entry in node.get(WAS, {}).values()]
        return members is None and not any("enum" in setting for setting in histories)
    return isinstance(members, list) and all(
        isinstance(member, dict) and "const" in member for member in members
    )
