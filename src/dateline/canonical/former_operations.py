"""Operations and responses that are only in the history of path items or operations."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from dateline.canonical.eras import list_history, with_eras
from dateline.gates import Timeline, changes, order
from dateline.model import WAS, Api
from dateline.openapi import ADDITIONAL, METHODS, operations, resolve


def with_former_operations(api: Api) -> Api:
    """Return *api* with an operation for each one that is only in the history of its path item.

    Adopted documents may have such a history. The operation is removed where its history ends. So
    is a response that is only in the history of its operation, which may have had no responses.
    """
    paths = api.document.get("paths", {})
    changed = {
        path: found
        for path, item in paths.items()
        if isinstance(item, dict)
        and (found := _with_former_responses(api, _with_former(api, item))) is not item
    }
    if not changed:
        return api
    return replace(api, document={**api.document, "paths": {**paths, **changed}})


def _with_former_responses(api: Api, item: dict[str, Any]) -> dict[str, Any]:
    found = {
        method: restated
        for method, operation in operations(item)
        if any("responses" in chain(*changes(each)) for each in operation.get(WAS, {}).values())
        and (restated := _restate_responses(api, operation)) is not operation
    }
    if not found:
        return item
    more = {key: found.get(key, value) for key, value in item.get(ADDITIONAL, {}).items()}
    own = {method: operation for method, operation in found.items() if method in METHODS}
    return {**item, **own, **({ADDITIONAL: more} if more else {})}


def _restate_responses(api: Api, operation: dict[str, Any]) -> dict[str, Any]:
    """Return *operation* with a history of each response in place of one of all responses.

    A history in which no response comes or goes stays. A response that is missing only between two
    eras is in these, too.
    """
    dates = sorted(operation[WAS], key=order, reverse=True)
    eras = [era for _, era in Timeline(api.table).eras("operation", operation)]
    listed = [era.get("responses") or {} for era in eras]
    if all(each.keys() == listed[0].keys() for each in listed):
        return operation
    responses = {}
    for status in dict.fromkeys(status for each in listed for status in each):
        oldest = max(at for at, each in enumerate(listed) if status in each)
        nodes = [each.get(status) for each in listed]
        for at in range(1, oldest):
            nodes[at] = nodes[at] or nodes[at - 1]
        responses[status] = with_eras(dates, nodes)
    history = dict(list_history(dates, eras, {"responses", WAS}))
    found = {key: value for key, value in operation.items() if key != WAS}
    return {**found, "responses": responses, **({WAS: history} if history else {})}


def _with_former(api: Api, item: dict[str, Any]) -> dict[str, Any]:
    if WAS not in item:
        return item
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
