"""The words in documents of older versions that differ from the newest one.

Adopted documents come back as they were published, and their definitions have no gates for words:
descriptions, summaries and examples. The words of older documents are kept beside the definitions,
in rows: ``at`` are the steps to the place in that document, and ``was`` its content, if any. The
step to an item of a list is its identity, such as the name and the place of a parameter, or its
index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from dateline.model import Contract
from dateline.openapi import Arrangement, slot

TEXTS: Final = frozenset({"description", "summary", "example", "examples", "externalDocs"})
"""The keys of an object of a document whose values are for people."""

Row = Mapping[str, Any]

_KNOWN_BY: Final = ("$ref", "name", "in", "url")


def identify(item: Any) -> dict[str, str]:
    """Return what identifies an item of a list in all versions; empty if nothing does."""
    if not isinstance(item, dict):
        return {}
    return {key: item[key] for key in _KNOWN_BY if isinstance(item.get(key), str)}


def list_words(kind: str, older: Any, newer: Any, at: tuple[Any, ...] = ()) -> Iterator[Row]:
    """Yield where *older*, an object of *kind*, has other words than *newer*.

    The two are interned, and differ in nothing else.
    """
    if older is newer or not (isinstance(older, dict) and isinstance(newer, dict)):
        return
    for key in dict.fromkeys((*older, *newer)):
        here = [*at, key]
        if key in TEXTS:
            if key not in older:
                yield {"at": here}
            elif key not in newer or older[key] is not newer[key]:
                yield {"at": here, "was": older[key]}
        elif key in older and key in newer:
            yield from _list_below(kind, key, older[key], newer[key], tuple(here))


def _list_below(kind: str, key: str, older: Any, newer: Any, at: tuple[Any, ...]) -> Iterator[Row]:
    arrangement, below = slot(kind, key)
    if arrangement is Arrangement.ONE:
        yield from list_words(below, older, newer, at)
    elif arrangement is Arrangement.MAP and isinstance(older, dict) and isinstance(newer, dict):
        for name in older:
            yield from list_words(below, older[name], newer.get(name), (*at, name))
    elif arrangement is Arrangement.LIST and isinstance(older, list) and isinstance(newer, list):
        for index, (mine, theirs) in enumerate(zip(older, newer, strict=False)):
            yield from list_words(below, mine, theirs, (*at, identify(mine) or index))


def restore_words(document: dict[str, Any], rows: Iterable[Row]) -> dict[str, Any]:
    """Return *document* with the words of *rows*, except for places that it lacks."""
    tree: dict[Any, Any] = {}
    for row in rows:
        *steps, last = map(_hashable, row["at"])
        holder = tree
        for step in steps:
            holder = holder.setdefault(step, {})
        holder[last] = [row["was"]] if "was" in row else []
    restored: dict[str, Any] = _restore(document, tree)
    return restored


def restore_contract(contract: Contract, words: Mapping[str, Iterable[Row]]) -> Contract:
    """Return *contract* with those of *words*, by version, that are its own."""
    rows = words.get(contract.version)
    if rows is None:
        return contract
    return replace(contract, document=restore_words(contract.document, rows))


def _hashable(step: Any) -> Any:
    return frozenset(step.items()) if isinstance(step, dict) else step


def _restore(node: Any, tree: dict[Any, Any]) -> Any:
    if isinstance(node, list):
        restored = list(node)
        for index, item in enumerate(node):
            below = tree.get(_hashable(identify(item))) or tree.get(index)
            if isinstance(below, dict):
                restored[index] = _restore(item, below)
        return restored
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if tree.get(key) != []}
    for key, below in tree.items():
        if isinstance(below, dict) and key in kept:
            kept[key] = _restore(kept[key], below)
        elif isinstance(below, list) and below:
            [kept[key]] = below
    return kept
