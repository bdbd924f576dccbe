"""The canonical document of an API: what handlers are written against, all that any version shows.

Names are the canonical ones, and fields and members that some versions lack are there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline, changes, drop_keys, order
from dateline.model import ADDED, EXTENSIBLE, GATES, KEYS, REMOVED, WAS, Api, Combination
from dateline.openapi import METHODS, chain, replace_children
from dateline.project.publishing import enumeration, open_ended
from dateline.schema.types import is_enumeration

_ANNOTATIONS: Final = KEYS - {EXTENSIBLE}


def with_media_types(api: Api) -> Api:
    """Return *api* with each media type written where its content refers to it.

    Only bodies have such references, since OpenAPI 3.2, and a server reads no others.
    """
    if not api.document.get("components", {}).get("mediaTypes"):
        return api

    def place(kind: str, node: Any) -> Any:
        if kind == "schema" or not isinstance(node, dict):
            return node
        found = chain(api.document, node) if kind == "media-type" else []
        return replace_children(kind, found[-1] if found else node, place)

    return replace(api, document=place("document", api.document))


def with_former_operations(api: Api) -> Api:
    """Return *api* with an operation for each that only the history of its path item has.

    Such a history is what adopted documents may have. The operation is removed where it ends.
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
    resolved = [(chain(api.document, era) or [{}])[-1] for era in eras]
    former = [m for m in METHODS if m not in resolved[0] and any(m in era for era in resolved)]
    if not former:
        return item
    found = {key: value for key, value in resolved[0].items() if key not in ("$ref", WAS)}
    history = dict(_history(dates, resolved, {"$ref", WAS, *former}))
    found = {**found, WAS: history} if history else found
    for method in former:
        operations = [era.get(method) for era in resolved]
        found[method] = _former_operation(dates, operations)
    return found


def _former_operation(dates: list[str], operations: list[Any]) -> dict[str, Any]:
    """Return an operation from what it was before each of *dates*, newest first, None for nothing.

    *operations* begins with what it is now: nothing.
    """
    newest = next(at for at, each in enumerate(operations) if each is not None)
    found = {**operations[newest], REMOVED: dates[newest - 1]}
    last = next((at for at in range(newest, len(dates)) if operations[at + 1] is None), None)
    if last is not None:
        found[ADDED] = dates[last]
    history = dict(_history(dates[newest:last], operations[newest:], frozenset()))
    return {**found, WAS: history} if history else found


def _history(
    dates: list[str], eras: list[dict[str, Any]], without: Container[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what `x-was` says at each date: the keys in which an era differs from the next."""
    for date, newer, older in zip(dates, eras, eras[1:], strict=False):
        keys = {key: None for key in (*newer, *older) if key not in without}
        entry = {key: older.get(key) for key in keys if older.get(key) != newer.get(key)}
        if entry:
            yield date, entry


def canonical_document(api: Api, *, sent: bool = False) -> dict[str, Any]:
    """Return the document of canonical values.

    Read it with *sent* for requests: in what callers of any version have sent, fields that some
    versions lack are not required.
    """
    adopted = api.table.adopted
    document: dict[str, Any] = canonical("document", api.document, sent=sent, adopted=adopted)
    return document


def canonical(kind: str, node: Any, *, sent: bool = False, adopted: bool = False) -> Any:
    """Return *node* as it is today, without our keys: canonical names, every member, all fields.

    It is written as it is published, which for *adopted* definitions is as they are. Where it is
    *sent*, by callers of any version, fields that some of them lack are not required, and nothing
    has a default that it lacks in some of them.
    """
    if not isinstance(node, dict):
        return node
    found = drop_keys(node, *_ANNOTATIONS & node.keys())
    found = replace_children(kind, found, partial(canonical, sent=sent, adopted=adopted))
    if kind != "schema":
        return found
    if sent and has_lacked_default(node):
        del found["default"]
    if sent and "required" in node:
        properties = node.get("properties", {})
        required = node["required"]
        found["required"] = [name for name in required if not _is_gated(properties.get(name))]
    members = node.get("oneOf")
    if isinstance(members, list) and is_enumeration({"oneOf": members}):
        found = found if adopted and not any(map(_is_gated, members)) else enumeration(found)
    return open_ended(found) if EXTENSIBLE in found and not adopted else found


def has_lacked_default(node: Any) -> bool:
    """Return whether a schema has a default that it lacked in an older version.

    A new field has its default for callers of all versions: it is the way up.
    """
    if not isinstance(node, dict) or WAS not in node or "default" not in node or _is_gated(node):
        return False
    return any("default" in changes(entry)[1] for entry in node[WAS].values())


def _is_gated(node: Any) -> bool:
    return isinstance(node, dict) and not GATES.isdisjoint(node.keys() - {WAS})


Row = dict[str, list[Any]]
"""The values of something at each version, oldest first, by environment."""


def entries(row: Row, versions: tuple[str, ...], key: str) -> Iterator[dict[str, Any]]:
    """Yield where each value of *row* begins, and in which environments if not in all.

    *row* holds the values at each of *versions*; *key* is the key of a value in an entry.
    """
    groups: list[tuple[list[str], list[Any]]] = []
    for environment, values in row.items():
        for names, known in groups:
            if known == values:
                names.append(environment)
                break
        else:
            groups.append(([environment], values))
    for at, version in enumerate(versions):
        for names, values in groups:
            if at == 0 or values[at] != values[at - 1]:
                where = {"environments": names} if len(groups) > 1 else {}
                yield {"since": version, **where, key: values[at]}


class Unserved(NamedTuple):
    """Why an operation can't be served, and at which versions, in which environments."""

    reason: str
    where: frozenset[Combination]


class ContractData(NamedTuple):
    """How values differ between versions, as plain JSON values (see the room `contracts`).

    ``canonical`` and ``dated`` are the components that schemas in ``data`` refer to, of which the
    canonical schema and the schema of a version are needed. ``unserved`` are the operations that
    can't be served somewhere, by id.
    """

    data: dict[str, Any]
    canonical: set[str]
    dated: set[str]
    unserved: dict[str, Unserved]
