"""A flattened schema in, what it calls for out: a model, an enum, a union, or a plain type."""

from __future__ import annotations

from enum import Enum
from math import inf
from typing import Any, Final

from dateline.model import EXTENSIBLE
from dateline.models.reading import Flat
from dateline.python import names
from dateline.regex.engines import matches


class Shape(Enum):
    """What a schema calls for. All but ``PLAIN`` get a name of their own."""

    MODEL = "model"
    ENUM = "enum"
    UNION = "union"
    OPEN = "open-ended text"
    PLAIN = "plain"


_OBJECT: Final = (
    *("properties", "additionalProperties", "required", "patternProperties", "propertyNames"),
    *("minProperties", "maxProperties", "dependentRequired", "unevaluatedProperties"),
)
_TYPE_OF_KEYWORD: Final = {
    **dict.fromkeys(_OBJECT, "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("minLength", "maxLength", EXTENSIBLE), "string"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"),
}


def shape(flat: Flat) -> Shape:
    """Return what *flat* calls for."""
    if flat.reference is not None or flat.never:
        return Shape.PLAIN
    if flat.values is not None:
        return Shape.ENUM if _is_enum(flat) else Shape.PLAIN
    if flat.unions and groups(flat) is None:
        return Shape.UNION
    types = json_types(flat)
    if types == ("object",) and has_fields(flat):
        return Shape.MODEL
    if types == ("string",) and known_values(flat):
        return Shape.OPEN
    return Shape.UNION if types is not None and len(types) > 1 else Shape.PLAIN


def json_types(flat: Flat) -> tuple[str, ...] | None:
    """Return the JSON types of *flat*, told from its keywords where it says none."""
    if flat.types is not None:
        return flat.types
    told = {_TYPE_OF_KEYWORD[key] for key in flat.keywords}
    if flat.patterns:
        told.add("string")
    if flat.multiples:
        told.add("number")
    if groups(flat):
        told.add("object")
    return tuple(told) if len(told) == 1 else None


def has_fields(flat: Flat) -> bool:
    """Tell whether an object has fields of its own, or may have none at all."""
    said = flat.keywords
    if said.get("properties") or said.get("required") or groups(flat):
        return True
    return not said.get("patternProperties") and False in (
        said.get("additionalProperties"),
        said.get("unevaluatedProperties"),
    )


def groups(flat: Flat) -> list[tuple[str, list[list[str]]]] | None:
    """Return the unions whose members only say what is required; None if others are there."""
    found: list[tuple[str, list[list[str]]]] = []
    for union in flat.unions:
        if not union.only_requires:
            return None
        found.append((union.keyword, [member["required"] for member in union.members]))
    return found or None


def known_values(flat: Flat) -> list[str]:
    """Return the known values of open-ended text; none where it is not open-ended."""
    return list(dict.fromkeys(flat.keywords.get(EXTENSIBLE, [])))


def _is_enum(flat: Flat) -> bool:
    """Tell whether the listed values can be an enum: texts, each under a name of its own."""
    values = possible_values(flat)
    if len(values) < 2 or not all(isinstance(item, str) for item in values):
        return False
    return len(set(map(names.member_name, values))) == len(values)


def possible_values(flat: Flat) -> list[Any]:
    """Return the distinct listed values that the type and the limits of text allow."""
    low, high = flat.keywords.get("minLength", 0), flat.keywords.get("maxLength", inf)
    possible: list[Any] = []
    for item in flat.values or []:
        if flat.types is not None and not types_of_value(item) & {*flat.types}:
            continue
        if isinstance(item, str) and not (
            low <= len(item) <= high and all(matches(each, item) for each in flat.patterns)
        ):
            continue
        if not any(type(item) is type(known) and item == known for known in possible):
            possible.append(item)
    return possible


def types_of_value(item: Any) -> set[str]:
    """Return the JSON types that *item* has."""
    if isinstance(item, bool):
        return {"boolean"}
    if isinstance(item, int) or (isinstance(item, float) and item.is_integer()):
        return {"integer", "number"}
    for kind, name in ((float, "number"), (str, "string"), (list, "array"), (dict, "object")):
        if isinstance(item, kind):
            return {name}
    return {"null"}
