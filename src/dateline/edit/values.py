"""Repair added and removed values of an enumeration."""

from __future__ import annotations

from typing import Any

from dateline.edit.children import gate_part, give_back
from dateline.edit.draft import Breaking, Draft
from dateline.edit.history import ABSENT, same
from dateline.edit.places import Object
from dateline.edit.repairs import Enumerated, Repair
from dateline.gates import changes
from dateline.model import WAS, Kind
from dateline.schema.types import is_enumeration


def gate_value(draft: Draft, found: Breaking) -> Repair:
    """Gate a single value, or restore it."""
    change = found.change
    is_new = change.kind is Kind.VALUE_ADDED
    spot = draft.after(found, change.after_pointer if is_new else change.holder_pointer)
    if spot.is_object and spot.path[-2:-1] in (("oneOf",), ("anyOf",)):
        # adopted documents show a `oneOf` of `const` as it is
        return gate_part(draft, found) if is_new else give_back(draft, found)
    canonical = draft.canonical(spot.inner.path, found)
    if not _is_enumeration(draft.canvas.node(canonical)):
        return _restore_values(draft, found, spot.inner)
    repair = draft.keep(Enumerated(path=canonical))
    value = change.after if is_new else change.before
    repair.want(value, found.combination.version, not is_new)
    if not is_new:
        old = draft.before(found, change.before_pointer).inner.node
        repair.published = list(old["enum"]) if "enum" in old else [old.get("const")]
    return repair


def _restore_values(draft: Draft, found: Breaking, schema: Object) -> Repair:
    """Restore all values at once, if single ones can't be gated."""
    change = found.change
    old = draft.before(found, change.before_pointer or change.holder_pointer).inner
    repair = draft.repair_history(schema, found)
    for key in ("enum", "const"):
        value = old.node.get(key, ABSENT)
        if not same(value, schema.node.get(key, ABSENT)):
            draft.want(repair, key, found, value)
    return repair


def _is_enumeration(node: Any) -> bool:
    """Return whether single values of *node* can be gated."""
    if not isinstance(node, dict) or "const" in node:
        return False
    if "enum" in node:
        histories = [changes(entry)[0] for entry in node.get(WAS, {}).values()]
        return "oneOf" not in node and not any("enum" in setting for setting in histories)
    return is_enumeration({"oneOf": node.get("oneOf")})
