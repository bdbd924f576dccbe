"""Members of `allOf` that some versions lack, as handlers receive them: their fields, optional."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from dateline.schema.memo import each_once

Schema = dict[str, Any]
_Resolve = Callable[[Any], Any]


def ease_members(node: Schema, lacked: Collection[int], resolve: _Resolve) -> Schema:
    """Return *node* without what the members of its `allOf` with ids in *lacked* demand.

    Their fields stay; those that *node* or another member has are as these say. A field that two
    of them have in different forms may be anything. A member with a discriminator stays as it is:
    tags lead from there to *node*.
    """
    eased = [
        member
        for member in node["allOf"]
        if id(member) in lacked
        and not any("discriminator" in part for part in _list_parts([member], resolve))
    ]
    if not eased:
        return node
    steady = [member for member in node["allOf"] if all(member is not each for each in eased)]
    around = [{**node, "allOf": steady}]
    known = {name for name, _ in _list_fields(around, resolve)}
    fields: dict[str, Any] = {}
    for name, child in _list_fields(eased, resolve):
        if name not in known and fields.setdefault(name, child) != child:
            fields[name] = {}
    result: Schema = {"properties": fields} if fields else {}
    if all(_is_object(member, resolve) for member in eased):
        result["type"] = "object"
    return {**node, "allOf": [*steady, result]}


def _list_fields(schemas: Iterable[Any], resolve: _Resolve) -> Iterator[tuple[str, Any]]:
    for part in _list_parts(schemas, resolve):
        yield from part.get("properties", {}).items()


def _is_object(schema: Any, resolve: _Resolve) -> bool:
    return any(part.get("type") == "object" for part in _list_parts([schema], resolve))


def _list_parts(schemas: Iterable[Any], resolve: _Resolve) -> Iterator[Schema]:
    """Yield *schemas*, what they refer to, and the members of their `allOf`, at any depth."""
    yield from each_once(
        schemas, lambda schema: [resolve(schema.get("$ref")), *schema.get("allOf", ())]
    )
