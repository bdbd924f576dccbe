"""Copy the documentation of a newer document into an older one."""

from __future__ import annotations

from typing import Any

from dateline.changes.words import TEXTS, identify
from dateline.edit.history import ABSENT
from dateline.model import Trail
from dateline.openapi import Arrangement, slot


class Rewording:
    """Takes words from a new document, except where those of the definitions were edited by hand.

    ``places`` are those of words that both changed: there the definitions keep theirs if
    *keeps_own*.
    """

    def __init__(self, *, keeps_own: bool) -> None:
        self._keeps_own = keeps_own
        self.places: list[Trail] = []

    def merge(self, kind: str, new: Any, sides: tuple[Any, Any], path: Trail = ()) -> Any:
        """Return *new*, an object of *kind*, with the words that were edited by hand.

        *sides* are that object in the definitions, and what it was before the edits.
        """
        if not all(isinstance(each, dict) for each in (new, *sides)):
            return new
        merged = {}
        for key in dict.fromkeys((*new, *(key for key in sides[0] if key in TEXTS))):
            if key not in TEXTS:
                merged[key] = self._merge_below(kind, key, new[key], sides, path)
                continue
            own, base = (each.get(key, ABSENT) for each in sides)
            text = self._choose(new.get(key, ABSENT), own, base, (*path, key))
            merged |= {} if text is ABSENT else {key: text}
        return merged

    def _choose(self, new: Any, own: Any, base: Any, path: Trail, /) -> Any:
        if own in (base, new):
            return new
        if new == base:
            return own
        self.places.append(path)
        return own if self._keeps_own else new

    def _merge_below(
        self, kind: str, key: str, new: Any, sides: tuple[Any, Any], path: Trail
    ) -> Any:
        arrangement, below = slot(kind, key)
        own, base = (side.get(key) for side in sides)
        path = (*path, key)
        if arrangement is Arrangement.ONE:
            return self.merge(below, new, (own, base), path)
        if arrangement is Arrangement.MAP and isinstance(new, dict):
            own, base = (each if isinstance(each, dict) else {} for each in (own, base))
            return {
                name: self.merge(below, child, (own.get(name), base.get(name)), (*path, name))
                for name, child in new.items()
            }
        if arrangement is Arrangement.LIST and isinstance(new, list):
            alike = zip(_find_alike(new, own), _find_alike(new, base), strict=True)
            return [
                self.merge(below, child, each, (*path, number))
                for number, (child, each) in enumerate(zip(new, alike, strict=True))
            ]
        return new


class _Copying(Rewording):
    def _choose(self, _new: Any, own: Any, _base: Any, _path: Trail, /) -> Any:
        return own


def reword(kind: str, older: Any, newer: Any) -> Any:
    """Return *older*, an object of *kind*, with the documentation that *newer* has there.

    Nothing else changes: what only one of the two has stays as it is.
    """
    return _Copying(keeps_own=True).merge(kind, older, (newer, newer))


def _find_alike(items: list[Any], others: Any) -> list[Any]:
    """Return what each of *items* is in the list *others*; None if nothing is."""
    others = others if isinstance(others, list) else []
    known = {str(identify(child)): child for child in reversed(others) if identify(child)}
    alike = others if len(items) == len(others) else [None] * len(items)
    return [
        known.get(str(identify(child))) if identify(child) else other
        for child, other in zip(items, alike, strict=True)
    ]
