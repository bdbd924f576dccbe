"""A schema in, what it demands of a value out: JSON Schema 2020-12, without words."""

from __future__ import annotations

from typing import Any, Final

from dateline.model import Api
from dateline.openapi import Shape, children, slot, target
from dateline.schema.dialect import Dialect, fold_null
from dateline.schema.types import ANNOTATIONS, declared

_STATED: Final = frozenset({"format", "$defs", "definitions"})
"""What a server has to know, although it is left aside where models are made."""

# The formats of the OpenAPI format registry that bound an integer.
_BOUNDS: Final = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for bits in (8, 16, 32, 64)
    for sign in ("", "u")
}

_NUMBERS: Final = {"integer", "number", "null"}


class Demands:
    """What the schemas of one API demand; the same object for the same schema."""

    def __init__(self, api: Api) -> None:
        self._dialect = Dialect(api.document)
        # beside each its node: an id is unique only while its object lives
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, node: Any) -> Any:
        """Return what the schema *node* demands of a value."""
        if not isinstance(node, dict):
            return node
        if id(node) not in self._known:
            self._known[id(node)] = node, self._made(node)
        return self._known[id(node)][1]

    def _made(self, node: dict[str, Any]) -> dict[str, Any]:
        made = {
            key: self._below(*slot("schema", key), value)
            for key, value in self._dialect.keywords(node).items()
            if key not in ANNOTATIONS - _STATED and not key.startswith("x-")
        }
        if isinstance(made.get("required"), list):
            # of a field that is required twice, validators say what they like
            made["required"] = list(dict.fromkeys(made["required"]))
        least, most = _BOUNDS.get(str(made.get("format")), (None, None))
        if least is not None and declared(made) <= _NUMBERS:
            made["minimum"] = max(made.get("minimum", least), least)
            made["maximum"] = min(made.get("maximum", most), most)
        return fold_null(made)

    def _below(self, shape: Shape, kind: str, value: Any) -> Any:
        if kind != "schema":
            return value
        if shape is Shape.MAP and isinstance(value, dict):
            return {name: self.of(child) for name, child in value.items()}
        if shape is Shape.LIST and isinstance(value, list):
            return [self.of(child) for child in value]
        return self.of(value)


def references(schema: Any) -> set[str]:
    """Return the components that *schema* refers to."""
    if not isinstance(schema, dict):
        return set()
    found = set[str]()
    goal = target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
    if goal is not None and goal[0] == "schemas":
        found.add(goal[1])
    for _, kind, child in children("schema", schema):
        if kind == "schema":
            found |= references(child)
    return found
