"""Decide which Python construct represents a flattened schema, and which values it lists."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from math import inf
from typing import Any, Final

from dateline.model import EXTENSIBLE
from dateline.models.flat import Flat
from dateline.python import names
from dateline.regex.engines import matches
from dateline.sample.document import has_format
from dateline.schema.types import IMPLIED, type_of
from dateline.schema.values import text


class Construct(Enum):
    """The constructs for a schema. All but ``PLAIN`` have a name."""

    MODEL = "model"
    ENUM = "enum"
    UNION = "union"
    OPEN = "open-ended text"
    PLAIN = "plain"


TYPE_OF_KEYWORD: Final = {
    **{keyword: kind for kind, keywords in IMPLIED.items() for keyword in keywords},
    **{"maxProperties": "object", "maxItems": "array", EXTENSIBLE: "string"},
}
"""The type whose values a keyword constrains."""


def construct_of(flat: Flat) -> Construct:
    """Return the construct for *flat*."""
    if flat.reference is not None or flat.never:
        return Construct.PLAIN
    if flat.values is not None:
        return Construct.ENUM if _is_enum(flat) else Construct.PLAIN
    if flat.unions and groups(flat) is None:
        return Construct.UNION
    types = json_types(flat)
    if types == ("object",) and has_fields(flat):
        return Construct.MODEL
    if types == ("string",) and known_values(flat):
        return Construct.OPEN
    return Construct.UNION if types is not None and len(types) > 1 else Construct.PLAIN


def json_types(flat: Flat) -> tuple[str, ...] | None:
    """Return the JSON types of *flat*; without any, the one that its keywords are about."""
    if flat.types is not None:
        return flat.types
    found = {TYPE_OF_KEYWORD[key] for key in flat.constraints if key in TYPE_OF_KEYWORD}
    found |= {"object"} if groups(flat) else set()
    return tuple(found) if len(found) == 1 else None


def has_fields(flat: Flat) -> bool:
    """Return whether an object has fields of its own, or may have none at all."""
    keywords = flat.keywords
    if keywords.get("properties") or keywords.get("required") or groups(flat):
        return True
    return not keywords.get("patternProperties") and False in (
        keywords.get("additionalProperties"),
        keywords.get("unevaluatedProperties"),
    )


def groups(flat: Flat) -> list[tuple[str, list[list[str]]]] | None:
    """Return the unions whose members only list required fields; None if there are others."""
    found: list[tuple[str, list[list[str]]]] = []
    for union in flat.unions:
        if not union.only_requires:
            return None
        found.append((union.keyword, [member["required"] for member in union.members]))
    return found or None


def known_values(flat: Flat) -> list[str]:
    """Return the known values of open-ended text; none for any other."""
    return list(dict.fromkeys(flat.keywords.get(EXTENSIBLE, [])))


def _is_enum(flat: Flat) -> bool:
    """Return whether the listed values can be an enum: texts with distinct Python names."""
    values = possible_values(flat)
    if len(values) < 2 or not all(isinstance(item, str) for item in values):
        return False
    return len(set(map(names.member_name, values))) == len(values)


def possible_values(flat: Flat) -> list[Any]:
    """Return the distinct listed values that the types and the limits of scalars allow."""
    listed = {text(item): item for item in reversed(flat.values or [])}
    return [
        item
        for item in reversed(listed.values())
        if (flat.types is None or has_type(item, flat.types)) and _is_within(item, flat)
    ]


def _is_within(item: Any, flat: Flat) -> bool:
    """Return whether *item* is within the limits of *flat* for a scalar of its type."""
    keywords = flat.keywords
    if isinstance(item, str):
        is_short = keywords.get("minLength", 0) <= len(item) <= keywords.get("maxLength", inf)
        if not (is_short and all(matches(each, item) for each in flat.patterns)):
            return False
        return all(has_format(item, each) for each in flat.formats)
    if not has_type(item, ("number",)):
        return True
    return (
        keywords.get("minimum", -inf) <= item <= keywords.get("maximum", inf)
        and keywords.get("exclusiveMinimum", -inf) < item < keywords.get("exclusiveMaximum", inf)
        and not any(Fraction(repr(item)) % Fraction(repr(unit)) for unit in flat.multiples)
    )


def has_type(item: Any, types: tuple[str, ...]) -> bool:
    """Return whether *item* has one of the JSON *types*."""
    found = type_of(item)
    return found in types or (found == "integer" and "number" in types)
