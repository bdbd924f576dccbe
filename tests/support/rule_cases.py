"""Build the documents that a case of a rule compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline.diff import diff
from dateline.model import Change


def document(where: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return a document with *content*: schemas, the first of which is used; or other sections."""
    whole: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "Library", "version": "1"}}
    if where == "document":
        return whole | content
    if where == "operation":
        operation = {key: value for key, value in content.items() if key != "components"}
        components = content.get("components", {})
        return whole | {"paths": {"/loans": {"get": operation}}, "components": components}
    schema = {"$ref": f"#/components/schemas/{next(iter(content))}"}
    body = {"content": {"application/json": {"schema": schema}}}
    operation = {"responses": {"204": {"description": "done"}}}
    if "request" in where:
        operation["requestBody"] = body
    if "response" in where:
        operation["responses"] = {"200": {"description": "done", **body}}
    if where == "parameter":
        operation["parameters"] = [{"name": "choice", "in": "query", "schema": schema}]
    paths = {} if where == "model" else {"/loans": {"put": operation}}
    return whole | {"paths": paths, "components": {"schemas": content}}


def renames(node: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Remove every `x-was` from *node*, and yield its path and the old name."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return
    for was in node.pop("x-was", {}).values():
        yield pointer, was["name"]
    for key, value in node.items():
        yield from renames(value, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")


def documents(
    where: str, before: dict[str, Any], after: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Return two documents, and the renames that `x-was` in the newer one declares."""
    newer = document(where, after)
    names = dict(renames(newer))
    return document(where, before), newer, names


def changes(where: str, before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """Return the changes between two documents with *before* and *after*."""
    older, newer, names = documents(where, before, after)
    return diff(older, newer, renames=names)
