"""Find the parameters that a server can't read from requests."""

from __future__ import annotations

from typing import Any, Final

from dateline.openapi import QUERYSTRING, is_json
from dateline.schema.parts import PartReader
from dateline.schema.types import EVERY_TYPE, UNIONS, choices, declared_types, type_of

CONTENT: Final = "content"
"""In place of a style: the parameter is JSON."""

_FORM: Final = "application/x-www-form-urlencoded"
"""The media type of a whole query that is read as an object, each field a parameter."""

_STYLES: Final[dict[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form", "cookie"),
}
"""The supported styles, the default one first (OpenAPI 3.1.1, 4.8.12.6)."""

_DEEP: Final = "deepObject"
_NESTED: Final = frozenset({"array", "object"})

# Nested unions are followed this far.
_DEEPEST: Final = 8


def find_style(parameter: dict[str, Any]) -> str:
    """Return the style of *parameter*; `content` for one that is JSON."""
    if "content" not in parameter:
        return str(parameter.get("style", _STYLES[parameter["in"]][0]))
    return "form" if _is_form(parameter) else CONTENT


def is_exploded(parameter: dict[str, Any]) -> bool:
    """Return whether items and fields of *parameter* are written one by one."""
    return bool(parameter.get("explode", find_style(parameter) in ("form", "cookie")))


def explain_unreadable(reader: PartReader, parameter: dict[str, Any]) -> str | None:
    """Return why *parameter* of the document of *reader* can't be read; None if it can."""
    place, style = parameter["in"], find_style(parameter)
    if "content" in parameter:
        media_type = next(iter(parameter["content"]), "")
        is_read = is_json(media_type) or _is_form(parameter)
        return None if is_read else f"{media_type or 'no content'} is not read, only JSON"
    if place == "query" and style == _DEEP:
        has_bracket = "[" in parameter["name"]
        return f"a name with [ is ambiguous in the style {_DEEP}" if has_bracket else None
    if style not in _STYLES[place]:
        return f"the style {style} is not read, only {', '.join(_STYLES[place])}"
    schema = parameter.get("schema", True)
    types = _list_types(reader, schema)
    if types == EVERY_TYPE or types.isdisjoint(_NESTED):
        return None
    otherwise = f" without the style {_DEEP}" if place == "query" else ""
    items = _list_item_types(reader, schema) if "array" in types else EVERY_TYPE
    if items != EVERY_TYPE and not items.isdisjoint(_NESTED):
        return f"only texts, numbers and booleans can be read in a list{otherwise}"
    if types <= {"object", "null"}:
        parts = reader.parts_of(schema)
        for name in (name for part in parts for name in part.get("required", ())):
            if _list_field_types(reader, schema, name) <= {"object"}:
                return f"an object can't be read in the field {name!r}{otherwise}"
    return None


def _is_form(parameter: dict[str, Any]) -> bool:
    return parameter["in"] == QUERYSTRING and _FORM in parameter["content"]


def _list_field_types(reader: PartReader, schema: Any, name: str) -> frozenset[str]:
    """Return the possible JSON types of the field *name* of an object of *schema*."""
    types = EVERY_TYPE
    for part in reader.parts_of(schema):
        types &= _list_types(reader, part.get("properties", {}).get(name, True))
    return types


def _list_types(reader: PartReader, schema: Any, depth: int = 0) -> frozenset[str]:
    """Return the possible JSON types of values of *schema*."""
    types = EVERY_TYPE if depth <= _DEEPEST and schema is not False else frozenset[str]()
    for part in reader.parts_of(schema):
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
    """Return the possible JSON types of items of a list of *schema*."""
    types = EVERY_TYPE
    for part in reader.parts_of(schema):
        types &= _list_types(reader, part.get("items", True))
        for key in UNIONS:
            if isinstance(members := part.get(key), list) and depth <= _DEEPEST:
                lists = [each for each in members if "array" in _list_types(reader, each)]
                if lists:
                    found = (_list_item_types(reader, each, depth + 1) for each in lists)
                    types &= frozenset[str]().union(*found)
    return types
