"""Find out whether what is done to a value relies on a part of it being valid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from .shapes import RELIES, Shape, list_parts


def relies_at(
    root: str,
    steps: Sequence[str | int],
    shapes: Mapping[str, Shape],
    list_replaced: Callable[[Mapping[str, Any]], Collection[str] | None],
) -> bool:
    """Return whether the function of *root* relies on the part of a value at *steps*.

    *shapes* are those that change anything. *list_replaced* returns the fields that the converters
    of a shape read and make, None for whole values. The part is read as each member of a union.
    """
    ahead: list[tuple[Shape, int]] = [(root, 0)]
    met = set[tuple[str, int]]()
    while ahead:
        shape, at = ahead.pop()
        if isinstance(shape, str):
            if shape in shapes and (shape, at) not in met:
                met.add((shape, at))
                ahead.append((shapes[shape], at))
            continue
        if shape is None:
            continue
        rest = steps[at:]
        if not RELIES.isdisjoint(shape):
            replaced = list_replaced(shape)
            if replaced is None or (rest and rest[0] in replaced):
                return True
        if not rest and _relies_below(shape, shapes):
            return True
        ahead += [(each, at) for each in _list_alternatives(shape)]
        ahead += [(each, at + 1) for step in rest[:1] for each in _list_children(shape, step)]
    return False


def _relies_below(root: Shape, shapes: Mapping[str, Shape]) -> bool:
    """Return whether *root* relies on anything in a value."""
    ahead = [root]
    met = set[str]()
    while ahead:
        for part in list_parts(ahead.pop()):
            if not isinstance(part, str):
                if not RELIES.isdisjoint(part):
                    return True
            elif part in shapes and part not in met:
                met.add(part)
                ahead.append(shapes[part])
    return False


def _list_alternatives(shape: Mapping[str, Any]) -> Iterator[Shape]:
    """Yield the shapes in *shape* for the same value, or for one of its alternatives."""
    yield from (shape.get(key) for key in ("then", "otherwise"))
    for key in ("members", "types"):
        yield from shape.get(key, {}).values()


def _list_children(shape: Mapping[str, Any], step: str | int) -> Iterator[Shape]:
    """Yield the shape in *shape* for the field or item at *step* of a value."""
    if isinstance(step, int):
        yield shape.get("items")
    else:
        fields = shape.get("fields", {})
        yield fields[step] if step in fields else shape.get("extras")
