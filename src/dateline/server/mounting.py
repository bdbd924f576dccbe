"""Where servers have operations: below the path of the document's, or of their own servers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from dateline.addresses import find_own_address, read_path
from dateline.model import Api
from dateline.openapi import operations, path_items, resolve
from dateline.project import Projector

Key = tuple[str, str]
"""A path of a document, and the key of an operation in its path item."""


def read_usual_prefixes(api: Api) -> dict[str, dict[str, str]]:
    """Return the path of the servers that documents have, by environment and version.

    They are those of the environment, or else those of the definitions.
    """
    around = {key: each for key, each in api.document.items() if key in ("info", "servers")}
    projector = Projector(replace(api, document=around))
    return {
        name: {
            date: read_path(projector.contract(date, name).document.get("servers"))
            for date in api.table.dates
        }
        for name in api.table.environment_names
    }


def find_usual_prefixes(api: Api) -> dict[str, str]:
    """Return the path of the servers that the newest documents have, by environment."""
    return {name: paths[api.table.dates[-1]] for name, paths in read_usual_prefixes(api).items()}


def read_prefixes(document: dict[str, Any]) -> dict[Key, str | None]:
    """Return the path of the servers that each operation has of its own; None without any."""
    found: dict[Key, str | None] = {}
    for path, written in path_items(document):
        item = resolve(document, written)
        for method, node in operations(item):
            own = find_own_address(document, item, node)
            found[path, method] = None if own is None else read_path([{"url": own}])
    return found


def find_clashes(prefixes: Mapping[Key, str | None], usual: str) -> dict[Key, Key]:
    """Return the operations whose requests are also those of another one, and that one.

    Their paths are equal with those of their servers, which is *usual* for None in *prefixes*.
    """
    if all(own is None for own in prefixes.values()):
        return {}
    return {
        one: next(other for other in clashing if other != one)
        for clashing in list_ambiguous(prefixes, usual)
        for one in clashing
    }


def list_ambiguous(prefixes: Mapping[Key, str | None], usual: str) -> Iterator[list[Key]]:
    """Yield the operations, two or more, that the same requests may mean.

    Their methods are equal, and their paths with those of their servers, which is *usual* for None
    in *prefixes*, but for the names of parameters.
    """
    listed: dict[Key, list[Key]] = {}
    for (path, method), own in prefixes.items():
        whole = f"{usual if own is None else own}/{path.removeprefix('/')}"
        listed.setdefault((method, re.sub(r"\{[^{}]*\}", "{}", whole)), []).append((path, method))
    yield from (alike for alike in listed.values() if len(alike) > 1)
