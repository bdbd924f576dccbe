"""The objects of a document on the way to a place in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dateline.openapi import WHOLE, Shape, pointer, slot

Steps = tuple[str | int, ...]


class Object(NamedTuple):
    """An object of a document: what it is, and the path to it."""

    kind: str
    node: dict[str, Any]
    path: Steps

    @property
    def gateable(self) -> bool:
        """Whether a key of ours may stand on it; on a reference only in a schema."""
        return self.kind not in WHOLE and (self.kind == "schema" or "$ref" not in self.node)

    @property
    def pointer(self) -> str:
        return pointer(self.path)


def objects(document: dict[str, Any], path: Steps) -> list[Object]:
    """Return the objects that *path* leads through, as far as it does, the root first."""
    found = [Object("document", document, ())]
    done = 0
    while done < len(path):
        kind, node, _ = found[-1]
        shape, below = slot(kind, str(path[done]))
        value = node.get(str(path[done]))
        done += 1
        if shape in (Shape.MAP, Shape.LIST) and done < len(path):
            value = child(value, path[done])
            done += 1
        elif shape is not Shape.ONE:
            break
        if not isinstance(value, dict):
            break
        found.append(Object(below, value, path[:done]))
    return found


def child(node: Any, step: str | int) -> Any:
    """Return what *node* holds at *step*, None where it holds nothing there."""
    if isinstance(node, dict):
        return node.get(str(step))
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        return node[step]
    return None


def at(document: Any, path: Steps) -> Any:
    """Return what stands at *path*, None where nothing does."""
    for step in path:
        document = child(document, step)
    return document


def find_index(known: list[Any], published: list[Any], own: Any) -> int:
    """Return the number that *own* gets among *known*: beside its nearest published neighbour."""
    number = published.index(own)
    for neighbour in reversed(published[:number]):
        if neighbour in known:
            return known.index(neighbour) + 1
    for neighbour in published[number + 1 :]:
        if neighbour in known:
            return known.index(neighbour)
    return len(known)


def find_keyed(document: dict[str, Any], path: Steps, keyword: str) -> tuple[Object, str]:
    """Return the object that can be gated around *path*, and its key on the way there.

    *keyword* is what the place is about: a reference is a key of what stands at *path* itself.
    """
    way = objects(document, path)
    if keyword == "$ref" and way[-1].path == path:
        return way[-1], keyword
    holder = _innermost(one for one in way if len(one.path) < len(path))
    return holder, str(path[len(holder.path)])


def holder(document: dict[str, Any], path: Steps) -> Object:
    """Return the object that can be gated at *path*, or around it."""
    return _innermost(objects(document, path))


def _innermost(way: Iterable[Object]) -> Object:
    """Return the last object that can be gated; the root if none can."""
    root, *below = way
    return next((one for one in reversed(below) if one.gateable), root)
