"""Documents that a case of a rule compares."""

from __future__ import annotations

from typing import Any


def document(where: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return a document that holds *content*: schemas, the first of them in use; or more."""
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
