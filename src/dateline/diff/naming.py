"""Name the place that a pointer leads to: the component, and the dotted path below it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from dateline.openapi import Arrangement, parts, read_slot, step_into

# How what is below a keyword is written in a path; `*` is replaced by the name.
_STEPS: Final = {
    **dict.fromkeys(("items", "contains", "prefixItems"), "[]"),
    **dict.fromkeys(("additionalProperties", "patternProperties"), "{}"),
    **dict.fromkeys(("properties", "dependentSchemas", "$defs", "definitions"), ".*"),
}


class Name(NamedTuple):
    """The component that contains a place, None for inline schemas; and the path below it."""

    schema: str | None
    field: str


def name(root: Any, pointer: str, keyword: str = "") -> Name:
    """Return the name of the place at *pointer* in the document *root*.

    A pointer to *keyword* itself names its holder. The path is dotted: `items[].price`,
    `limits{}.daily`; below an operation it begins with the parameter or header, if it is in one.
    """
    tokens = [*parts(pointer)]
    component = tokens[2] if len(tokens) > 2 and tokens[0] == "components" else None
    steps: list[str] = []
    kind, node = "document", root
    while tokens:
        key = tokens.pop(0)
        node = _below(node, key)
        arrangement, child = read_slot(kind, key)
        entry = key
        if arrangement in (Arrangement.MAP, Arrangement.LIST) and tokens:
            entry = tokens.pop(0)
            node = _below(node, entry)
        if kind == "schema":
            if key == "required" and tokens:
                steps.append(f".{_below(node, tokens[0])}")
            if tokens or entry != keyword:
                steps.append(_STEPS.get(key, "").replace("*", entry))
        elif kind != "components" and child == "header":
            steps.append(f".{entry}")
        elif kind != "components" and child == "parameter":
            # a reference that leads nowhere has no name
            steps.append(f".{_below(node, 'name') or key}")
        if arrangement is Arrangement.DATA:
            break
        kind = child
    return Name(component, "".join(steps).removeprefix("."))


def _below(node: Any, key: str) -> Any:
    step = step_into(node, key)
    return None if step is None else node[step]
