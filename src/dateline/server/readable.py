"""Find the parameters that a server can't read from requests."""

from __future__ import annotations

from typing import Any, Final

from dateline.schema.parts import PartReader
from dateline.schema.references import Located
from dateline.schema.types import EVERY_TYPE, UNIONS, choices, declared_types, type_of

STYLES: Final = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
"""The style of parameters without one, and the only one but `deepObject` that is read."""

_DEEP: Final = "deepObject"
_NESTED: Final = frozenset({"array", "object"})

# Unions in unions are followed this far.
_DEEPEST: Final = 8


def explain_unreadable(reader: PartReader, parameter: dict[str, Any]) -> str | None:
    """Return why *parameter* of the document of *reader* can't be read; None if it can."""
    place, schema = parameter["in"], parameter.get("schema", True)
    in_query = place == "query"
    style = "content" if "content" in parameter else parameter.get("style", STYLES[place])
    if in_query and style == _DEEP:
        has_bracket = "[" in parameter["name"]
        return "no [ in a name can be told from those of the style" if has_bracket else None
    if style != STYLES[place]:
        known = f"{STYLES[place]} and {_DEEP}" if in_query else STYLES[place]
        return f"the style {style} is not supported, only {known}"
    types = _list_types(reader, schema)
    if types == EVERY_TYPE or types.isdisjoint(_NESTED):
        return None
    end = f" without the style {_DEEP}" if in_query else ""
    if "object" in types or (not in_query and types - {"array", "null"}):
        return f"only texts, numbers, booleans and lists of these can be read{end}"
    if place == "cookie":
        return "a list can't be read from a cookie"
    items = _list_item_types(reader, schema)
    if items != EVERY_TYPE and not items.isdisjoint(_NESTED):
        return f"only texts, numbers and booleans can be read in a list{end}"
    return None


def _list_types(reader: PartReader, schema: Any, depth: int = 0) -> frozenset[str]:
    """Return the JSON types that values of *schema* may have."""
    types = EVERY_TYPE if depth <= _DEEPEST and schema is not False else frozenset[str]()
    for part in reader.parts([Located(schema, "")]):
        own = declared_types(part.node)
        values = choices(part.node)
        if values is not None:
            listed = frozenset(map(type_of, values))
            own &= listed | {"number"} if "integer" in listed else listed
        for key in UNIONS:
            if isinstance(members := part.get(key), list) and depth <= _DEEPEST:
                found = (_list_types(reader, member, depth + 1) for member in members)
                own &= frozenset[str]().union(*found)
        types &= own | {"null"} if part.null else own
    return types


def _list_item_types(reader: PartReader, schema: Any, depth: int = 0) -> frozenset[str]:
    """Return the JSON types that items of a list of *schema* may have."""
    types = EVERY_TYPE
    for part in reader.parts([Located(schema, "")]):
        types &= _list_types(reader, part.get("items", True))
        for key in UNIONS:
            if isinstance(members := part.get(key), list) and depth <= _DEEPEST:
                lists = [each for each in members if "array" in _list_types(reader, each)]
                if lists:
                    found = (_list_item_types(reader, each, depth + 1) for each in lists)
                    types &= frozenset[str]().union(*found)
    return types
