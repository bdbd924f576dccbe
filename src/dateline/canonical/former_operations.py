"""Operations that are only in the history of their path items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dateline.canonical.eras import list_history, with_eras
from dateline.gates import Timeline, order
from dateline.model import WAS, Api
from dateline.openapi import METHODS, resolve


def with_former_operations(api: Api) -> Api:
    """Return *api* with an operation for each one that is only in the history of its path item.

    Adopted documents may have such a history. The operation is removed where its history ends.
    """
    paths = api.document.get("paths", {})
    changed = {
        path: found
        for path, item in paths.items()
        if isinstance(item, dict) and WAS in item and (found := _with_former(api, item)) is not item
    }
    if not changed:
        return api
    return replace(api, document={**api.document, "paths": {**paths, **changed}})


def _with_former(api: Api, item: dict[str, Any]) -> dict[str, Any]:
    dates = sorted(item[WAS], key=order, reverse=True)
    eras = [era for _, era in Timeline(api.table).eras("path-item", item)]
    resolved = [resolve(api.document, era) for era in eras]
    former = [m for m in METHODS if m not in resolved[0] and any(m in era for era in resolved)]
    if not former:
        return item
    found = {key: value for key, value in resolved[0].items() if key not in ("$ref", WAS)}
    history = dict(list_history(dates, resolved, {"$ref", WAS, *former}))
    found = {**found, WAS: history} if history else found
    for method in former:
        operations = [era.get(method) for era in resolved]
        found[method] = with_eras(dates, operations)
    return found
