"""The objects of a document on the path to a place in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dateline.model import Trail
from dateline.openapi import WHOLE, Arrangement, follow, slot, value_at


class Object(NamedTuple):
    """An object of a document: its kind, and the path to it."""

    kind: str
    node: dict[str, Any]
    path: Trail

    @property
    def gateable(self) -> bool:
        """Whether it may have a key of ours; a reference may only have one in a schema."""
        return self.kind not in WHOLE and (self.kind == "schema" or "$ref" not in self.node)


def objects(document: dict[str, Any], path: Trail) -> list[Object]:
    """Return the objects on *path*, as far as it exists, the root first."""
    found = [Object("document", document, ())]
    done = 0
    while done < len(path):
        kind, node, _ = found[-1]
        arrangement, below = slot(kind, str(path[done]))
        value = node.get(str(path[done]))
        done += 1
        if arrangement in (Arrangement.MAP, Arrangement.LIST) and done < len(path):
            value = value_at(value, path[done : done + 1])
            done += 1
        elif arrangement is not Arrangement.ONE:
            break
        if not isinstance(value, dict):
            break
        found.append(Object(below, value, path[:done]))
    return found


class Spot(NamedTuple):
    """A place in a document, and the objects on the way there, the root first."""

    document: dict[str, Any]
    path: Trail
    way: list[Object]

    @property
    def value(self) -> Any:
        """The value at the place, or None."""
        return value_at(self.document, self.path)

    @property
    def inner(self) -> Object:
        """The object there, or the innermost one around it."""
        return self.way[-1]

    @property
    def is_object(self) -> bool:
        """Whether an object is there."""
        return self.inner.path == self.path


def find_spot(document: dict[str, Any], pointer: str) -> Spot:
    """Return the place that a JSON pointer leads to."""
    path = follow(document, pointer)
    return Spot(document, path, objects(document, path))


def find_index(known: list[Any], published: list[Any], own: Any) -> int:
    """Return the index for *own* among *known*: beside its nearest published neighbour."""
    number = published.index(own)
    for neighbour in reversed(published[:number]):
        if neighbour in known:
            return known.index(neighbour) + 1
    for neighbour in published[number + 1 :]:
        if neighbour in known:
            return known.index(neighbour)
    return len(known)


def find_keyed(spot: Spot, keyword: str) -> tuple[Object, str]:
    """Return the object that can be gated around a place, and the key that leads there.

    *keyword* is what the place is about: a reference is a key of the object at the place itself.
    """
    if keyword == "$ref" and spot.is_object:
        return spot.inner, keyword
    holder = find_gateable(one for one in spot.way if len(one.path) < len(spot.path))
    return holder, str(spot.path[len(holder.path)])


def find_gateable(way: Iterable[Object]) -> Object:
    """Return the last object of *way* that can be gated; the root if none can."""
    root, *below = way
    return next((one for one in reversed(below) if one.gateable), root)
