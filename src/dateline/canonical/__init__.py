"""The canonical document of an API, which handlers are written against: what any version shows.

Names are the canonical ones, and fields and members that some versions lack are included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dateline.canonical.bases import ease_members
from dateline.canonical.former_operations import with_former_operations
from dateline.canonical.moved_fields import with_moved_fields
from dateline.canonical.outside_targets import with_outside_targets
from dateline.canonical.payloads import with_event_components
from dateline.canonical.ranges import with_media_types
from dateline.gates import changes, drop_keys
from dateline.model import ADDED, EXTENSIBLE, GATES, UNPUBLISHED, WAS, Api
from dateline.openapi import find_replaced
from dateline.project.publishing import enumeration, open_ended
from dateline.schema.access import ACCESS, READ_ONLY, WRITE_ONLY
from dateline.schema.references import Resolver
from dateline.schema.types import is_enumeration
from dateline.versions import order


def prepare_serving(api: Api) -> Api:
    """Return *api* as its server reads it; see the five functions that this combines."""
    moved = with_moved_fields(with_outside_targets(api))
    return with_event_components(with_media_types(with_former_operations(moved)))


def canonical_document(api: Api, *, sent: bool = False) -> dict[str, Any]:
    """Return the canonical document.

    With *sent*, return it for requests: fields that callers of some version can't send are not
    required then.
    """
    document: dict[str, Any] = canonical(
        "document",
        api.document,
        sent=sent,
        adopted=api.table.adopted,
        resolve=Resolver(api.document).resolve,
    )
    return document


def answered_document(api: Api) -> dict[str, Any]:
    """Return the canonical document as an application of the newest version writes it.

    Fields that only older versions, drafts or some environments show are not required.
    """
    drafts = api.table.drafts

    def is_lacked(node: Any) -> bool:
        if isinstance(node, dict) and node.get(WRITE_ONLY) is True:
            return True
        added = node.get(ADDED) if isinstance(node, dict) else None
        return added in drafts or (_is_gated(node) and node.keys() & (GATES - {WAS}) != {ADDED})

    document: dict[str, Any] = canonical(
        "document",
        api.document,
        is_lacked=is_lacked,
        adopted=api.table.adopted,
        resolve=Resolver(api.document).resolve,
    )
    return document


def canonical(
    kind: str,
    node: Any,
    *,
    sent: bool = False,
    adopted: bool = False,
    is_lacked: Callable[[Any], bool] | None = None,
    resolve: Callable[[Any], Any] | None = None,
) -> Any:
    """Return *node* as it is today, without our keys: canonical names, every member, all fields.

    A field that is `readOnly` or `writeOnly` in some versions only is not so. *adopted* definitions
    are written as they were published. If it is *sent* by callers of any version, fields that those
    of some version can't send are not required, and a default is left out if some versions lack it.
    Fields for which *is_lacked* returns true are not required either. What is not required of
    fields is not demanded by members of `allOf` either, whose references *resolve* follows.
    """
    if not isinstance(node, dict):
        return node
    is_absent = is_lacked or (_is_unsent if sent else None)
    if kind == "schema" and "allOf" in node and is_absent and resolve:
        node = _ease_bases(node, is_absent, resolve)
    found = drop_keys(node, *own) if (own := UNPUBLISHED & node.keys()) else node
    below = find_replaced(
        kind,
        found,
        lambda _, below, child: canonical(
            below, child, sent=sent, adopted=adopted, is_lacked=is_lacked, resolve=resolve
        ),
    )
    found = {**found, **below} if below else found
    if kind != "schema":
        return found
    if WAS in node:
        found = drop_keys(found, *(key for key in ACCESS if {*_list_access(node, key)} != {True}))
    if sent and has_lacked_default(node):
        found = {key: value for key, value in found.items() if key != "default"}
    if is_absent and "required" in node:
        lacked = list_lacked(node, is_absent)
        required = [name for name in node["required"] if name not in lacked]
        found = {**found, "required": required} if lacked else found
    members = node.get("oneOf")
    if isinstance(members, list) and is_enumeration({"oneOf": members}):
        found = found if adopted and not any(map(_is_gated, members)) else enumeration(found)
    return open_ended(found) if EXTENSIBLE in found and not adopted else found


def _ease_bases(
    node: dict[str, Any], is_absent: Callable[[Any], bool], resolve: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return *node* without the demands of those members of its `allOf` that some versions lack."""
    lacked = {id(each) for each in node["allOf"] if _is_gated(each) and is_absent(each)}
    return ease_members(node, lacked, resolve) if lacked else node


def _is_gated(node: Any) -> bool:
    return isinstance(node, dict) and not GATES.isdisjoint(node.keys() - {WAS})


def _list_access(node: dict[str, Any], keyword: str) -> list[bool]:
    """Return whether *keyword* is true for *node* in each of its eras, newest first."""
    found = [node.get(keyword)]
    for date in sorted(node.get(WAS, ()), key=order, reverse=True):
        set_, unset = changes(node[WAS][date])
        found.append(None if keyword in unset else set_.get(keyword, found[-1]))
    return [each is True for each in found]


def _is_unsent(node: Any) -> bool:
    return _is_gated(node) or (isinstance(node, dict) and any(_list_access(node, READ_ONLY)))


def list_lacked(node: Any, is_lacked: Callable[[Any], bool] = _is_unsent) -> list[str]:
    """Return the required fields for which *is_lacked* returns true.

    By default, these are the ones that callers of some version can't send.
    """
    properties = node.get("properties", {})
    return [name for name in node.get("required", ()) if is_lacked(properties.get(name))]


def has_lacked_default(node: Any) -> bool:
    """Return whether an older version of a schema had no default.

    A new field has its default for callers of all versions, because it fills the field on the way
    up.
    """
    if not isinstance(node, dict) or WAS not in node or "default" not in node or _is_gated(node):
        return False
    return any("default" in changes(entry)[1] for entry in node[WAS].values())
