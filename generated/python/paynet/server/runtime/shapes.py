"""Read the shapes of the contract data: what each changes, refers to and needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Shape = Mapping[str, Any] | str | None

ACTS: Final = frozenset({"absent", "convert", "defaults", "left_out", "names", "retag", "values"})
"""The keys with which a shape changes something, whatever it refers to."""

DATED: Final = {"down": frozenset({"demand", "fits"}), "up": frozenset({"demand", "tried"})}
"""The keys of a shape that depend on schemas of the version, by direction."""

RELIES: Final = frozenset({"convert", "demand", "fits", "tried"})
"""The keys with which what a shape does is right for valid values only.

All others change what is what they expect, and refuse the rest.
"""


@dataclass(frozen=True)
class DatedShape:
    """A shape from a version on, and what it needs itself."""

    since: int
    shape: Shape
    acts: bool
    references: frozenset[str]
    converters: frozenset[str]
    is_dated: bool
    relies: bool


def list_names(tree: Any) -> Iterator[str]:
    """Yield the names in *tree*, mappings of mappings of names."""
    if isinstance(tree, str):
        yield tree
    elif tree is not None:
        for below in tree.values():
            yield from list_names(below)


def read_entry(since: int, shape: Shape, dated: frozenset[str]) -> DatedShape:
    """Return the entry of *shape*; *dated* are the keys that depend on schemas of the version."""
    parts = list(list_parts(shape))
    inline = [part for part in parts if not isinstance(part, str)]
    return DatedShape(
        since,
        shape,
        any(not ACTS.isdisjoint(part) for part in inline),
        frozenset(part for part in parts if isinstance(part, str)),
        frozenset(name for part in inline for name in _list_converters(part)),
        any(not dated.isdisjoint(part) for part in inline),
        any(not RELIES.isdisjoint(part) for part in inline),
    )


def _list_converters(part: Mapping[str, Any]) -> Iterator[str]:
    yield from part.get("convert", ())
    if "demand" in part:
        yield part["demand"]


def list_parts(shape: Shape) -> Iterator[Mapping[str, Any] | str]:
    """Yield *shape* and every shape in it, in no defined order, without following references."""
    pending = [shape]
    while pending:
        part = pending.pop()
        if part is None:
            continue
        yield part
        if not isinstance(part, str):
            pending += _below(part)


def _below(shape: Mapping[str, Any]) -> Iterator[Shape]:
    yield from (shape.get(key) for key in ("then", "items", "extras", "otherwise"))
    for key in ("fields", "members", "types"):
        yield from shape.get(key, {}).values()
    yield from (each["then"] for each in shape.get("tried", ()))
    yield from shape.get("where", ())


def find_entry(entries: list[DatedShape], version: int) -> DatedShape:
    """Return the one of *entries* that applies to *version*."""
    return next(entry for entry in reversed(entries) if entry.since <= version)
