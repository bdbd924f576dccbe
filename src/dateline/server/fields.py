"""Describe the headers of responses for a server: their schemas, and how values are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dateline.openapi import is_json, value_schema
from dateline.server.readable import CONTENT

Resolve = Callable[[Any], dict[str, Any]]
"""Returns the object that a node is or refers to; empty if there is none."""

_USUAL: Final[dict[str, Any]] = {"style": "simple", "explode": False}


def describe_headers(
    response: Mapping[str, Any], resolve: Resolve, constrain: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return the description of each header of *response*, with the constraints of its schema."""
    return {
        name: {
            "required": header.get("required") is True,
            **_find_notation(header),
            "schema": constrain(value_schema(header, True)),
        }
        for name, node in response.get("headers", {}).items()
        if (header := resolve(node))
    }


def list_notations(
    responses: Mapping[str, dict[str, Any]], resolve: Resolve
) -> dict[str, dict[str, Any]]:
    """Return the unusual styles of headers by the status of their response, and by name."""
    found = {
        status: {
            name: notation
            for name, node in response.get("headers", {}).items()
            if (notation := _find_notation(resolve(node))) != _USUAL
        }
        for status, response in responses.items()
    }
    return {status: notations for status, notations in found.items() if notations}


def _find_notation(header: dict[str, Any]) -> dict[str, Any]:
    """Return how values of *header* are written: as JSON if that is its content."""
    if is_json(next(iter(header.get("content", ())), "")):
        return {"style": CONTENT, "explode": False}
    return {**_USUAL, "explode": header.get("explode") is True}
