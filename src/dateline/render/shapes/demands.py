"""A schema in, what it demands of a value out: JSON Schema 2020-12, without words."""

from __future__ import annotations

from typing import Any, Final

from dateline.model import Api
from dateline.openapi import Shape, children, slot, target
from dateline.render.models.reading import ANNOTATIONS

_STATED: Final = frozenset({"format", "$defs", "definitions"})
"""What a server has to know, although it is left aside where models are made."""

# The formats of the OpenAPI format registry that bound an integer.
_BOUNDS: Final = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for bits in (8, 16, 32, 64)
    for sign in ("", "u")
}


class Demands:
    """What the schemas of one API demand; the same object for the same schema."""

    def __init__(self, api: Api) -> None:
        self._old = str(api.document.get("openapi", "")).startswith("3.0")
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
        if self._old and "$ref" in node:
            # OpenAPI 3.0.4 section 4.7.23: what stands beside a reference is ignored
            node = {"$ref": node["$ref"]}
        made = {
            key: self._below(*slot("schema", key), value)
            for key, value in node.items()
            if key not in ANNOTATIONS - _STATED and not key.startswith("x-")
        }
        if self._old:
            made = _modern(made)
        if isinstance(made.get("required"), list):
            # of a field that is required twice, validators say what they like
            made["required"] = list(dict.fromkeys(made["required"]))
        least, most = _BOUNDS.get(str(made.get("format")), (None, None))
        if least is not None and made.get("type") in ("integer", "number"):
            made = {
                **made,
                "minimum": max(made.get("minimum", least), least),
                "maximum": min(made.get("maximum", most), most),
            }
        return made

    def _below(self, shape: Shape, kind: str, value: Any) -> Any:
        if kind != "schema":
            return value
        if shape is Shape.MAP and isinstance(value, dict):
            return {name: self.of(child) for name, child in value.items()}
        if shape is Shape.LIST and isinstance(value, list):
            return [self.of(child) for child in value]
        return self.of(value)


def _modern(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of OpenAPI 3.0 in the words of JSON Schema 2020-12."""
    made = {key: value for key, value in schema.items() if key != "nullable"}
    if schema.get("nullable") is True and isinstance(schema.get("type"), str):
        made["type"] = [schema["type"], "null"]
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        is_exclusive = made.get(exclusive)
        if isinstance(is_exclusive, bool):
            del made[exclusive]
            if is_exclusive and bound in made:
                made[exclusive] = made.pop(bound)
    return made


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
