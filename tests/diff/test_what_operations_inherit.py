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
