"""Mark what discriminators name and no schema matches, so that it is published all the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from dateline.model import Trail
from dateline.oddities.facts import DocumentFacts
from dateline.oddities.meanings import PREFIX
from dateline.openapi import list_mapped, walk

DANGLING: Final = f"{PREFIX}dangling"
"""The key of a schema for a list of what its discriminator names and no schema matches.

A version without a schema publishes an entry that names it only if this lists it.
"""


def mark_dangling(
    document: dict[str, Any], paths: Collection[Trail]
) -> tuple[dict[str, Any], list[Trail]]:
    """Return *document* with entries of discriminators marked as dangling, and their paths.

    Those at *paths* are marked that name a schema that *document* lacks, or one that is no member
    of the union. Others, and those that are marked already, stay as they are.
    """
    entries = {path: _split(path) for path in paths}
    if not any(entry for _, entry in entries.values()):
        return document, []
    facts = DocumentFacts(document)
    schemas = {path: node for path, kind, node in walk("document", document) if kind == "schema"}
    found: dict[Trail, list[str]] = {}
    marked = []
    for path, (around, entry) in entries.items():
        schema = schemas.get(around, {})
        named = dict(_list_entries(schema.get("discriminator"))).get(entry)
        if not isinstance(named, str) or named in list_dangling(schema):
            continue
        if facts.selects_nothing(schema, named):
            found.setdefault(around, []).append(named)
            marked.append(path)
    for around, names in found.items():
        document = _mark(document, around, sorted({*names}))
    return document, marked


def list_dangling(schema: dict[str, Any]) -> list[Any]:
    """Return what the discriminator of *schema* names without a match, as far as it is marked."""
    marked = schema.get(DANGLING)
    known = list_mapped(schema.get("discriminator"))
    return [name for name in marked if name in known] if isinstance(marked, list) else []


def _split(path: Trail) -> tuple[Trail, Trail]:
    """Return the path of the schema around an entry of a discriminator, and the entry.

    The entry is empty if *path* leads to something else.
    """
    for length in (2, 1):
        if path[-length - 1 : -length] == ("discriminator",):
            return path[: -length - 1], path[-length:]
    return path, ()


def _list_entries(discriminator: Any) -> Iterator[tuple[Trail, Any]]:
    if isinstance(discriminator, dict):
        mapping = discriminator.get("mapping")
        for tag, named in mapping.items() if isinstance(mapping, dict) else ():
            yield ("mapping", tag), named
        if "defaultMapping" in discriminator:
            yield ("defaultMapping",), discriminator["defaultMapping"]


def _mark(node: Any, around: Trail, names: list[str]) -> Any:
    if not around:
        return {**node, DANGLING: sorted({*node.get(DANGLING, []), *names})}
    copy: Any = [*node] if isinstance(node, list) else {**node}
    copy[around[0]] = _mark(node[around[0]], around[1:], names)
    return copy
