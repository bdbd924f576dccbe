"""Read the parts of operations: what clients and servers have in common."""

from __future__ import annotations

from typing import Any, Final

from dateline.model import REMOVED
from dateline.openapi import chain, target
from dateline.python.names import argument_name

# OpenAPI 3.1.1, section 4.8.12.1: parameters of these names are ignored.
IGNORED_HEADERS: Final = frozenset({"accept", "content-type", "authorization"})

# The words for signs after names, as in `created<` and `created>`.
_SIGNS: Final = {"<": "less", ">": "greater"}

Sites = list[dict[str, Any]]
"""A node, after the references that lead to it (see `openapi.chain`)."""


def list_parameters(
    document: dict[str, Any], path: str, item: dict[str, Any], operation: dict[str, Any]
) -> dict[tuple[str, str], Sites]:
    """Return the parameters of *operation* in the *item* of *path*, by place and name.

    An adopted document may declare parameters that the path does not have. Of several with one
    name and place, those that newer versions lack are left out.
    """
    listed: dict[tuple[str, str], Sites] = {}
    for each in (*item.get("parameters", ()), *operation.get("parameters", ())):
        found = chain(document, each)
        if found and (found[-1]["in"] != "path" or f"{{{found[-1]['name']}}}" in path):
            key = found[-1]["in"], found[-1]["name"]
            if key not in listed or not any(REMOVED in site for site in found):
                listed[key] = found
    return listed


def list_responses(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Sites]:
    """Return the responses of *operation* by status, without references that lead nowhere."""
    return {
        str(status): found
        for status, each in operation.get("responses", {}).items()
        if not str(status).startswith("x-") and (found := chain(document, each))
    }


def find_component(sites: Sites) -> str | None:
    """Return the name of the last of *sites* if it is a component."""
    goal = target(sites[-2]["$ref"]) if len(sites) > 1 else None
    return goal[1] if goal else None


def name_argument(name: str) -> str:
    """Return the keyword for the parameter *name*."""
    return argument_name(f"{name} {_SIGNS.get(name[-1:], '')}".strip())


def is_sendable(path: str) -> bool:
    """Return whether requests can have *path*, which may end with a constant query.

    A fragment is not sent, and neither are expressions of RFC 6570 such as `{?limit}`.
    """
    before, mark, query = path.partition("?")
    is_expression = bool(mark) and before.rfind("{") > before.rfind("}")
    return "#" not in path and "{" not in query and not is_expression
