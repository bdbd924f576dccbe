"""What the results of handlers have to be: canonical, whatever the version.

Plain JSON values, which stand beside the contract data::

    {"results": {ID: {STATUS: {MEDIA TYPE: SCHEMA}}},
     "headers": {ID: {STATUS: {NAME: SCHEMA}}},
     "canonical": {NAME: SCHEMA}}

Statuses are the keys of the definitions. Of bodies, only JSON is described, and of the components
only those that results or contract data refer to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from dateline.canonical import canonical_document
from dateline.model import Api
from dateline.openapi import METHODS, chain, is_json, operation_names
from dateline.schema.access import WRITE_ONLY, Hidden, OneWay
from dateline.schema.constraints import Constraints, references
from dateline.schema.memo import closure


def describe_results(api: Api, components: Iterable[str] = ()) -> dict[str, Any]:
    """Return what the results of the operations of *api* have to be, and *components*."""
    document = canonical_document(api)
    constraints = Constraints(api.document)
    direction = OneWay(document, WRITE_ONLY, Hidden.ANY)
    found = dict(_operations(document, operation_names(api.document)))
    operations, headers = (
        {
            name: {
                status: {key: constraints.of(direction.of(each)) for key, each in schemas.items()}
                for status, schemas in read(document, operation)
            }
            for name, operation in sorted(found.items())
        }
        for read in (_contents, _headers)
    )
    schemas = document.get("components", {}).get("schemas", {})
    # where a reference of adopted definitions leads nowhere, any value will do
    component = cache(lambda name: constraints.of(direction.of(schemas.get(name, True))))
    names = {
        name
        for responses in (*operations.values(), *headers.values())
        for each in responses.values()
        for schema in each.values()
        for name in references(schema)
    }
    reached = closure(sorted({*components, *names}), lambda name: references(component(name)))
    return {
        "results": operations,
        "headers": {name: found for name, found in headers.items() if found},
        "canonical": {name: component(name) for name in sorted(reached)},
    }


def _operations(
    document: dict[str, Any], names: dict[tuple[str | int, ...], str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document.get("paths", {}).items():
        for resolved in chain(document, item)[-1:]:
            for method in METHODS:
                if method in resolved:
                    yield names[path, method], resolved[method]


def _contents(
    document: dict[str, Any], operation: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (status, schema for each media type) of the responses that are JSON."""
    for status, response in _responses(document, operation):
        content = {
            media_type: held.get("schema", True)
            for media_type, held in response.get("content", {}).items()
            if is_json(media_type)
        }
        if content:
            yield status, content


def _headers(
    document: dict[str, Any], operation: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (status, schema for each header) of the responses that have headers."""
    for status, response in _responses(document, operation):
        headers = {
            name: _schema(header)
            for name, node in response.get("headers", {}).items()
            for header in chain(document, node)[-1:]
        }
        if headers:
            yield status, headers


def _responses(
    document: dict[str, Any], operation: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for status, node in operation.get("responses", {}).items():
        for response in [] if status.startswith("x-") else chain(document, node)[-1:]:
            yield status, response


def _schema(header: dict[str, Any]) -> Any:
    """Return the schema of a header, which may be below a media type."""
    if "schema" in header:
        return header["schema"]
    return next((each.get("schema", True) for each in header.get("content", {}).values()), True)
