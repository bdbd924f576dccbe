"""Check that gates of versions that are not cut have reasons, if the table demands them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline.check.findings import create_finding
from dateline.gates import order, why
from dateline.model import ADDED, REMOVED, WAS, Api, Finding, Policy
from dateline.openapi import pointer, walk
from dateline.schema.values import text


def check_reasons(api: Api) -> Iterator[Finding]:
    """Yield each gate without `x-why`, if the version table demands it, except for cut versions."""
    if not api.table.require_why:
        return
    for path, _, node in walk("document", api.document):
        for key in (ADDED, REMOVED, WAS):
            gates = _dates(key, node.get(key)).intersection(api.table.drafts)
            dates = sorted((date for date in gates if why(node, [date]) is None), key=order)
            if dates:
                yield create_finding(
                    "reason-missing",
                    Policy.TABLE,
                    f"`{key}` of {', '.join(dates)} gives no reason",
                    key=(pointer(path), key),
                    after_pointer=pointer(path),
                    versions=tuple(dates),
                    after_source=api.locate((*path, key)),
                    # an index names no member: a waiver is about this one
                    field=_name_member(node) if isinstance(path[-1], int) else "",
                )


def _name_member(node: dict[str, Any]) -> str:
    """Return what names a member of a list: its value, its name or what it refers to."""
    if "name" in node and "in" in node:
        return f"{node['in']} {node['name']}"
    if "const" in node:
        return node["const"] if isinstance(node["const"], str) else text(node["const"])
    named = node.get("$ref", node.get("title"))
    return named if isinstance(named, str) else ""


def _dates(key: str, value: Any) -> set[str]:
    if value is None:
        return set()
    return set(value) if key == WAS else {value}
