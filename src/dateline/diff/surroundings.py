"""Security, servers and tags in, how they differ: what operations inherit from the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dateline.diff.documents import Node, escape, text
from dateline.diff.graph import Pair
from dateline.diff.keywords import EXTENSION, NOTE, differences
from dateline.diff.messages import Thing
from dateline.model import Kind

SECURITY: Final = (Kind.SECURITY_CHANGED,) * 3
_SERVERS: Final = (Kind.SERVERS_CHANGED,) * 3


def alternatives(
    node: Node | None, renamed: Mapping[str, str]
) -> set[frozenset[tuple[str, frozenset[str]]]]:
    """Return the alternatives of a security requirement: sets of schemes with their scopes.

    No requirement and an empty list both let everybody in.
    """
    listed = node.value if node and isinstance(node.value, list) else []
    return {
        frozenset(
            (renamed.get(name, name), frozenset(scopes or ()))
            for name, scopes in alternative.items()
        )
        for alternative in listed or [{}]
    }


def renamed_schemes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Return the new names of security schemes that are equal but for their names."""
    gone = {text(before[name]): name for name in before if name not in after}
    came = {text(after[name]): name for name in after if name not in before}
    return {gone[found]: came[found] for found in gone if found in came}


def settings(node: Any, pointer: str, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yield the settings of a security scheme by dotted path: flows are looked into."""
    for key, value in node.items():
        at, below = f"{pointer}/{escape(key)}", f"{path}{key}"
        if isinstance(value, dict) and not key.startswith("x-"):
            yield from settings(value, at, f"{below}.")
        else:
            yield below, Node(value, at)


def scheme_kinds(path: str, *, both: bool) -> tuple[Kind, Kind, Kind]:
    if path == "description" or (both and ".scopes." in path):
        return NOTE
    return EXTENSION if path.rsplit(".", 1)[-1].startswith("x-") else SECURITY


def compare_servers(asks: Pair, whole: Pair, before: Node | None, after: Node | None) -> None:
    if _servers(before) != _servers(after):
        differences(asks, "servers", [before], [after], _SERVERS)
    elif _servers(before, described=True) != _servers(after, described=True):
        differences(whole, "servers", [before], [after], NOTE)


def _servers(node: Node | None, *, described: bool = False) -> list[str]:
    """Return what is said of each server; their order does not count."""
    listed = node.value if node and isinstance(node.value, list) else []
    return sorted(
        text(
            {
                key: _unordered(value) if key == "variables" else value
                for key, value in server.items()
                if described or key in ("url", "variables")
            }
        )
        for server in listed or [{"url": "/"}]
        if isinstance(server, dict)
    )


def _unordered(variables: Any) -> Any:
    """Return server variables with the values of each in one order."""
    if not isinstance(variables, dict):
        return variables
    return {
        name: {**variable, "enum": sorted(map(text, variable["enum"]))}
        if isinstance(variable, dict) and isinstance(variable.get("enum"), list)
        else variable
        for name, variable in variables.items()
    }


def named_tags(document: Thing) -> dict[str, Node]:
    listed = document.get("tags")
    if listed is None or not isinstance(listed.value, list):
        return {}
    return {
        str(tag.get("name")): Node(tag, f"{listed.pointer}/{index}")
        for index, tag in enumerate(listed.value)
        if isinstance(tag, dict)
    }
