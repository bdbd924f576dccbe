"""The words of documents, and documents that differ only in their words."""

from __future__ import annotations

from typing import Any, Final

from dateline.model import UNPUBLISHED
from dateline.openapi import OBJECTS, Arrangement, replace_children, slot
from dateline.schema.values import written

WORDS: Final = frozenset({"description", "summary"})
"""The keys of texts for people."""

DESCRIPTIVE: Final = UNPUBLISHED | {
    *("description", "title", "summary", "example", "examples", "deprecated", "$comment"),
    *("externalDocs", "xml"),
}
"""The keys of an object that don't change which values are valid."""

WORDS_OF: Final = {
    kind: frozenset(key for key in WORDS if key in keys and not kind.startswith("server"))
    for kind, keys in OBJECTS.items()
}
"""The same by kind of object. Descriptions may be what distinguishes servers."""


def drop_words(kind: str, node: Any, *, extensions: bool = False) -> Any:
    """Return an object of a *kind* without the words in it, and without *extensions* if so."""
    if not isinstance(node, dict):
        return node
    kept = {
        key: value
        for key, value in node.items()
        if not (key in WORDS and key in OBJECTS[kind]) and not (extensions and key[:2] == "x-")
    }
    return replace_children(
        kind, kept, lambda below, child: drop_words(below, child, extensions=extensions)
    )


def differ_in_words_alone(kind: str, before: Any, after: Any) -> bool:
    """Return whether two objects of a *kind* are equal except for words and the order of keys.

    Words may be added and removed, too, but not if there is nothing else: an empty schema is
    compared as absent.
    """
    if before is after:
        return True
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return written(before) == written(after)
    words = WORDS_OF[kind]
    if any(node.keys() <= words for node in (before, after)):
        return before.keys() == after.keys() and all(
            map(_is_text, (*before.values(), *after.values()))
        )
    return all(
        _is_alike(kind, key, before[key], after[key])
        if key in before and key in after
        else key in words and _is_text(before.get(key, after.get(key)))
        for key in {**before, **after}
    )


def _is_alike(kind: str, key: str, before: Any, after: Any) -> bool:
    """Return whether two values of *key* are equal except for words."""
    if key in WORDS_OF[kind] and _is_text(before) and _is_text(after):
        return True
    arrangement, below = slot(kind, key)
    if arrangement is Arrangement.ONE:
        return differ_in_words_alone(below, before, after)
    if arrangement is Arrangement.MAP and isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(
            differ_in_words_alone(below, child, after[name]) for name, child in before.items()
        )
    if arrangement is Arrangement.LIST and isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(
            differ_in_words_alone(below, *both) for both in zip(before, after, strict=True)
        )
    return written(before) == written(after)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
