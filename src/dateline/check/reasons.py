"""Check that gates of versions that are not cut have reasons, if the table demands them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline.check.findings import create_finding
from dateline.gates import order, why
from dateline.model import ADDED, REMOVED, WAS, Api, Finding, Policy
from dateline.openapi import pointer, walk


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
                )


def _dates(key: str, value: Any) -> set[str]:
    if value is None:
        return set()
    return set(value) if key == WAS else {value}
