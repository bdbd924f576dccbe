"""Find the canonical definition of what is at a pointer into a contract, and the reverse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from dateline.gates import Timeline
from dateline.model import WAS, Api, Trail
from dateline.openapi import Arrangement, slot
from dateline.project.publishing import is_published_as_enum


def find_similar_path(paths: Iterable[str], gone: str) -> tuple[str, ...]:
    """Return the one of *paths* with the longest common beginning with *gone*; () if none has."""
    segments = {path: path.split("/") for path in paths}
    return _find_longest_match(segments, gone.split("/"), least=2)


def find_similar_name(names: Iterable[str], gone: str) -> tuple[str, ...]:
    """Return the one of *names* with the longest common beginning with *gone*; () if none has."""
    return _find_longest_match({name: name for name in names}, gone, least=3)


def _find_longest_match(
    known: Mapping[str, Sequence[str]], gone: Sequence[str], *, least: int
) -> tuple[str, ...]:
    def common(name: str) -> int:
        pairs = zip(known[name], gone, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    nearest = max(known, key=common, default="")
    return (nearest,) if nearest and common(nearest) >= least else ()


_Position = tuple[str, Any, Trail]
"""The kind of an object, the object in the definitions, and where a contract has it."""


class ContractPaths:
    """Finds where the contracts of *api* have the objects of its definitions.

    What leads to an object is followed once for all objects in it.
    """

    def __init__(self, api: Api, timeline: Timeline) -> None:
        self._api = api
        self._timeline = timeline
        self._known: dict[tuple[int, Trail], _Position | None] = {}

    def find(self, path: Trail, at: int) -> Trail | None:
        """Return where the contract of the combination *at* has the object at *path*.

        None if the contract lacks it, because it or something around it is hidden there, or had
        another value.
        """
        position = self._find(path, at)
        return None if position is None else position[2]

    def _find(self, path: Trail, at: int) -> _Position | None:
        if (at, path) in self._known:
            return self._known[at, path]
        start: Trail = ()
        position: _Position | None = ("document", self._api.document, ())
        for around in (path[:-1], path[:-2]):
            if (at, around) in self._known:
                start, position = around, self._known[at, around]
                break
        while position is not None and len(start) < len(path):
            arrangement, _ = slot(position[0], str(path[len(start)]))
            size = 1 if arrangement is Arrangement.ONE else 2
            steps = path[len(start) : len(start) + size]
            if len(steps) < size:
                return None  # a map or list, not an object
            position = self._find_child(position, steps, at)
            start += steps
            self._known[at, start] = position
        if position is None:
            self._known[at, path] = None
        return position

    def _find_child(self, position: _Position, steps: Trail, at: int) -> _Position | None:
        """Return the position of the object to which *steps* lead from *position*."""
        kind, node, found = position
        key = str(steps[0])
        arrangement, below = slot(kind, key)
        child, held = node[key], self._timeline.era(kind, node, at).get(key)
        is_enum = key == "oneOf" and is_published_as_enum(node, self._api, self._timeline)
        found += ("enum" if is_enum else key,)
        step: str | int = key
        if arrangement is not Arrangement.ONE:
            step = steps[1]
            child = child[step]
            name = _find_step(self._timeline, below, held, (step, child), at)
            if name is None:
                return None
            found += (name,)
        elif held is not child:
            return None
        is_component = kind == "components" and len(found) == 3
        shown = (
            self._api.visible[key, str(step)]
            if is_component
            else self._timeline.find_shown(below, child)
        )
        return (below, child, found) if shown >> at & 1 else None


def _find_step(
    timeline: Timeline, kind: str, held: Any, entry: tuple[str | int, Any], at: int
) -> str | int | None:
    """Return the key or index that an *entry* of what is *held* has in a contract.

    None if nothing is held, or it lacks the entry.
    """
    step, child = entry
    if isinstance(held, dict) and held.get(step) is child:
        return timeline.name(kind, str(step), child, at)
    items = held if isinstance(held, list) else []
    for number, item in enumerate(items):
        if item is child:
            return sum(timeline.find_shown(kind, one) >> at & 1 for one in items[:number])
    return None


class Origin:
    """Follows a pointer into a contract through the canonical definitions it came from."""

    def __init__(self, timeline: Timeline, at: int) -> None:
        self._timeline = timeline
        self._at = at

    def path(self, document: dict[str, Any], steps: tuple[str, ...]) -> Trail:
        path: Trail = ()
        kind, node, rest = "document", document, list(steps)
        while rest and isinstance(node, dict):
            now = self._timeline.era(kind, node, self._at)
            key = rest.pop(0)
            if kind == "schema" and key == "enum" and "enum" not in now and "oneOf" in now:
                key = "oneOf"  # an annotated enumeration, published as a plain one
            if key not in now:
                return path
            is_same = key in node and now[key] is node[key]
            if not is_same and not self._is_kept(node, now, key, rest):
                return (*path, WAS)
            path = (*path, key)
            arrangement, below = slot(kind, key)
            step: str | int | None = None
            node = now[key]
            if arrangement in (Arrangement.MAP, Arrangement.LIST) and rest:
                step = self.find_step(arrangement, below, node, rest.pop(0))
                if step is None:
                    return path
                path, node = (*path, step), node[step]
            elif arrangement is Arrangement.DATA:
                return path + _within(node, rest)
            kind = below
        return path

    def _is_kept(
        self, node: dict[str, Any], now: dict[str, Any], key: str, rest: Sequence[str]
    ) -> bool:
        """Return whether *node* itself has a property, where others were replaced."""
        own = node.get(key)
        if key != "properties" or not rest or not isinstance(own, dict):
            return False
        name = self.find_step(Arrangement.MAP, "schema", now[key], rest[0])
        return name in own and own[name] is now[key][name]

    def find_step(
        self, arrangement: Arrangement, kind: str, node: Any, step: str
    ) -> str | int | None:
        """Return the canonical key or index of the *step* in a contract."""
        if arrangement is Arrangement.MAP and isinstance(node, dict):
            # most things have their current name
            names: list[str] = [step, *node] if step in node else list(node)
            return next((name for name in names if self._is(kind, name, node[name], step)), None)
        if not isinstance(node, list) or not step.isdecimal():
            return None
        shown = [i for i, child in enumerate(node) if self._timeline.of(child) >> self._at & 1]
        return shown[int(step)] if int(step) < len(shown) else None

    def _is(self, kind: str, name: str, child: Any, step: str) -> bool:
        """Return whether *child*, with the canonical *name*, is published as *step*."""
        shown = self._timeline.of(child)
        called = self._timeline.names(kind, name, child)
        return any((mask & shown) >> self._at & 1 and step == text for mask, text in called)


def _within(value: Any, steps: list[str]) -> Trail:
    """Return the longest beginning of *steps* that leads into *value*, which is data."""
    path: list[str | int] = []
    for text in steps:
        step: str | int = int(text) if isinstance(value, list) and text.isdecimal() else text
        inside = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not inside and not (isinstance(value, dict) and step in value):
            break
        path.append(step)
        value = value[step]
    return tuple(path)
