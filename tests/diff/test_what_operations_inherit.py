"""Security and servers are compared as operations inherit them, wherever they are written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind

Document = dict[str, Any]

VALUES: Final[dict[str, tuple[Any, Any]]] = {
    "security": ([{"key": []}], [{"token": []}]),
    "servers": ([{"url": "https://a.example"}], [{"url": "https://b.example"}]),
}
KINDS: Final = {"security": Kind.SECURITY_CHANGED, "servers": Kind.SERVERS_CHANGED}
# where a value may be written; path items have no security
PLACES: Final = {
    "security": ("document", "operation"),
    "servers": ("document", "path item", "operation"),
}


def _document(key: str, place: str, value: Any, section: str) -> Document:
    operation: Document = {"responses": {"200": {"description": "loans"}}}
    item: Document = {"get": operation}
    document: Document = {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "1"},
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "name": "X-Key", "in": "header"},
                "token": {"type": "http", "scheme": "bearer"},
            }
        },
    }
    if section == "callbacks":
        loans: Document = {"responses": {"200": {"description": "a loan"}}}
        # the operation around the callback has values of its own
        loans |= {each: value for each, (value, _) in VALUES.items()}
        loans["callbacks"] = {"lent": {"{$request.body#/url}": item}}
        document["paths"] = {"/loans": {"post": loans}}
    else:
        document[section] = {"/loans": item}
    {"document": document, "path item": item, "operation": operation}[place][key] = value
    return document


def _cases() -> Iterator[tuple[str, str, str, str]]:
    for key, places in PLACES.items():
        for before, after in product(places, repeat=2):
            for section in ("paths", "webhooks", "callbacks"):
                yield key, before, after, section


@cases(("key", "before", "after", "section"), list(_cases()))
def test_other_values_are_reported_wherever_they_are_written(
    key: str, before: str, after: str, section: str
) -> None:
    old, new = VALUES[key]
    here = _document(key, before, old, section)

    same = {change.kind for change in diff(here, _document(key, after, old, section))}
    found = [
        change
        for change in diff(here, _document(key, after, new, section))
        if change.kind is not Kind.DOCUMENTATION_CHANGED
    ]

    assert same <= {Kind.DOCUMENTATION_CHANGED}
    assert [(change.kind, change.keyword) for change in found] == [(KINDS[key], key)]
    assert len(found[0].operations) == 1


@pytest.mark.parametrize("key", VALUES)
def test_value_that_every_operation_overrides_is_documentation(key: str) -> None:
    old, new = VALUES[key]
    before, after = (_document(key, "operation", old, "paths") for _ in range(2))
    before[key], after[key] = old, new

    assert [(one.kind, one.keyword) for one in diff(before, after)] == [
        (Kind.DOCUMENTATION_CHANGED, key)
    ]


@pytest.mark.parametrize("key", VALUES)
def test_operations_that_inherit_share_one_change(key: str) -> None:
    old, new = VALUES[key]
    before, after = (_document(key, "document", value, "paths") for value in (old, new))
    for document in (before, after):
        document["paths"]["/fines"] = document["paths"]["/loans"]

    (found,) = diff(before, after)

    assert (found.kind, found.operations) == (KINDS[key], ("GET /fines", "GET /loans"))


def _serve(paths: tuple[str, ...], *urls: str, **more: Any) -> Document:
    operation = {"responses": {"200": {"description": "loans"}}}
    servers = {"servers": [{"url": url} for url in urls]} if urls else {}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "1"},
        **servers,
        "paths": {path: {"get": {**operation, **more}} for path in paths},
    }


HOST: Final = "https://a.example"
ALL: Final = frozenset({Kind.OPERATION_ADDED, Kind.OPERATION_REMOVED})
TURNED: Final = {
    Kind.OPERATION_ADDED: Kind.OPERATION_REMOVED,
    Kind.PARAMETER_ADDED: Kind.PARAMETER_REMOVED,
}
# two documents, and the kinds of changes between them, beside those of words
MOVED: Final[dict[str, tuple[Document, Document, frozenset[Kind]]]] = {
    "into the paths": (
        _serve(("/a", "/b/{id}"), f"{HOST}/v1"),
        _serve(("/v1/a", "/v1/b/{key}"), f"{HOST}/"),
        frozenset({Kind.PARAMETER_RENAMED}),
    ),
    "of several servers": (
        _serve(("/a",), f"{HOST}/x/v1/", "https://b.example/v1"),
        _serve(("/v1/a",), f"{HOST}/x", "https://b.example"),
        frozenset(),
    ),
    "without any servers": (_serve(("/a",), "/v1"), _serve(("/v1/a",)), frozenset()),
    "with an operation more": (
        _serve(("/a",), f"{HOST}/v1"),
        _serve(("/v1/a", "/a"), HOST),
        frozenset({Kind.OPERATION_ADDED}),
    ),
    "beside another change": (
        _serve(("/a",), f"{HOST}/v1"),
        _serve(("/v1/a",), HOST, parameters=[{"name": "q", "in": "query", "schema": {}}]),
        frozenset({Kind.PARAMETER_ADDED}),
    ),
    "but not in the paths": (
        _serve(("/a",), f"{HOST}/v1"),
        _serve(("/a",), HOST),
        frozenset({Kind.SERVERS_CHANGED}),
    ),
    "of another host": (
        _serve(("/a",), f"{HOST}/v1"),
        _serve(("/v1/a",), "https://b.example"),
        ALL,
    ),
    "of one of two servers": (
        _serve(("/a",), f"{HOST}/v1", "https://b.example"),
        _serve(("/v1/a",), HOST, "https://b.example"),
        ALL,
    ),
    "with a variable": (
        _serve(("/a",), HOST + "/{v}"),
        _serve(("/{v}/a",), HOST),
        ALL,
    ),
    "of operations with servers of their own": (
        _serve(("/a",), f"{HOST}/v1", servers=[{"url": HOST}]),
        _serve(("/v1/a",), HOST, servers=[{"url": HOST}]),
        ALL,
    ),
}


@cases("case", MOVED)
def test_path_of_servers_may_move_into_the_paths(case: str) -> None:
    before, after, kinds = MOVED[case]
    found = {change.kind for change in diff(before, after)}
    assert found - {Kind.DOCUMENTATION_CHANGED} == kinds
    back = {change.kind for change in diff(after, before)}
    turned = {
        Kind.OPERATION_ADDED: Kind.OPERATION_REMOVED,
        Kind.PARAMETER_ADDED: Kind.PARAMETER_REMOVED,
    }
    expected = kinds if kinds == ALL else {turned.get(kind, kind) for kind in kinds}
    assert back - {Kind.DOCUMENTATION_CHANGED} == expected
