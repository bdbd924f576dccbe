"""Where servers have operations: below the path of the environment, or of their own servers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dateline.addresses import find_own_servers, read_path
from dateline.openapi import operations, path_items, resolve

Key = tuple[str, str]
"""A path of a document, and the key of an operation in its path item."""


def read_prefixes(document: dict[str, Any]) -> dict[Key, str | None]:
    """Return the path of the servers that each operation has of its own; None without any."""
    found: dict[Key, str | None] = {}
    for path, written in path_items(document):
        item = resolve(document, written)
        for method, node in operations(item):
            servers = find_own_servers(item, node)
            found[path, method] = read_path(servers) if servers else None
    return found


def find_clashes(prefixes: Mapping[Key, str | None], usual: str) -> dict[Key, Key]:
    """Return the operations whose requests are also those of another one, and that one.

    Their paths are equal with those of their servers, which is *usual* for None in *prefixes*.
    """
    if all(own is None for own in prefixes.values()):
        return {}
    listed: dict[Key, list[Key]] = {}
    for (path, method), own in prefixes.items():
        whole = f"{usual if own is None else own}/{path.removeprefix('/')}"
        listed.setdefault((method, re.sub(r"\{[^{}]*\}", "{}", whole)), []).append((path, method))
    return {
        one: next(other for other in clashing if other != one)
        for clashing in listed.values()
        if len(clashing) > 1
        for one in clashing
    }
