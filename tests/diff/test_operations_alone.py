"""The findings for an operation do not depend on the rest of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.random_documents import pairs
from support.seeds import scale

from dateline.diff import diff
from dateline.model import Change, Verdict
from dateline.openapi import operations
from dateline.rules import judge

Document = dict[str, Any]


def test_other_operations_hide_no_change() -> None:
    compared = 0
    for pair in pairs(seed=5, count=scale(600)):
        whole = list_gated(pair.before, pair.after)
        for path, method in list_operations(pair.before) & list_operations(pair.after):
            name = f"{method.upper()} {path}"
            sides = (keep(side, path, method) for side in (pair.before, pair.after))
            alone = kinds(list_gated(*sides), name)
            assert alone <= kinds(whole, name), (pair.edits, name)
            compared += bool(alone)
    assert compared > 50


def list_operations(document: Document) -> set[tuple[str, str]]:
    return {
        (path, method)
        for path, item in document.get("paths", {}).items()
        for method, _ in operations(item)
    }


def keep(document: Document, path: str, method: str) -> Document:
    """Return *document* with one operation and all components."""
    item = document["paths"][path]
    others = dict(operations(item)).keys() - {method}
    kept = {key: value for key, value in item.items() if key not in others}
    rest = {key: value for key, value in document.items() if key != "webhooks"}
    return {**rest, "paths": {path: kept}}


def list_gated(before: Document, after: Document) -> list[Change]:
    changes = diff(before, after)
    return [each for each in changes if judge(each, "dated-contract", {}).verdict is Verdict.GATED]


def kinds(changes: list[Change], name: str) -> set[tuple[str, str]]:
    return {
        (each.kind.value, each.keyword)
        for change in changes
        if name in change.operations
        for each in _with_parts(change)
    }


def _with_parts(change: Change) -> Iterator[Change]:
    yield change
    for each in change.within:
        yield from _with_parts(each)
