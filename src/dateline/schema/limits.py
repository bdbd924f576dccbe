"""The limits and the default of a value, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from dateline.schema.parts import Parts

Keywords: TypeAlias = Mapping[str, Any]
"""The keywords of a schema by name."""

_BOUNDS: Final = (
    ("minLength", "maxLength", " character"),
    ("minItems", "maxItems", " item"),
    ("minProperties", "maxProperties", " member"),
    ("minimum", "maximum", ""),
)

FLAGS: Final = {
    "nullable": ("null allowed", "null not allowed"),
    "required": ("required", "optional"),
    "deprecated": ("deprecated", "not deprecated"),
    "readOnly": ("only in responses", "in requests, too"),
    "writeOnly": ("only in requests", "in responses, too"),
    "uniqueItems": ("no duplicates", "duplicates allowed"),
    "additionalProperties": ("other members allowed", "no other members"),
}
"""What a keyword says if it is true, and if it is false."""

_BY_DEFAULT: Final = frozenset({"additionalProperties"})
"""Keywords that are true where they are absent."""

_LIMITING_FLAGS: Final = ("uniqueItems", "readOnly", "writeOnly")

_LIMITING: Final = frozenset(
    {keyword for least, most, _ in _BOUNDS for keyword in (least, most)}
    | {"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "default"}
    | {"additionalProperties", *_LIMITING_FLAGS}
)


def merge_keywords(parts: Parts) -> Keywords:
    """Return the keywords of all *parts*; the first part that has one decides."""
    merged: dict[str, Any] = {}
    for part in reversed(parts):
        merged.update(part.node)
    return merged


def describe_limits(keywords: Keywords) -> Iterator[str]:
    """Yield each limit that *keywords* set for a value, and its default, as a few words."""
    if keywords.keys().isdisjoint(_LIMITING):
        return
    for least, most, unit in _BOUNDS:
        if words := _word_bounds(keywords, least, most):
            is_one = re.search(r"(exactly|at least|at most) 1$", words)
            yield f"{words}{unit}{'s' if unit and not is_one else ''}"
    for keyword, sign in (("exclusiveMinimum", "more than"), ("exclusiveMaximum", "less than")):
        if isinstance(bound := keywords.get(keyword), int | float) and not isinstance(bound, bool):
            yield f"{sign} {bound}"
    if keywords.get("multipleOf") is not None:
        yield f"a multiple of {keywords.get('multipleOf')}"
    if keywords.get("pattern") is not None:
        yield f"matches `{keywords.get('pattern')}`"
    if keywords.get("default") is not None:
        yield f"default `{json.dumps(keywords.get('default'), ensure_ascii=False)}`"
    if keywords.get("additionalProperties") is False:
        yield "no other members"
    for keyword in _LIMITING_FLAGS:
        if keywords.get(keyword) is True:
            yield FLAGS[keyword][0]


def describe_flag(keyword: str, value: bool | None) -> str:
    """Return what one of ``FLAGS`` says with *value*, None where it is absent."""
    is_true = keyword in _BY_DEFAULT if value is None else value
    return FLAGS[keyword][0 if is_true else 1]


def _word_bounds(keywords: Keywords, least: str, most: str) -> str:
    low, high = keywords.get(least), keywords.get(most)
    if low is not None and high is not None:
        return f"exactly {low}" if low == high else f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return f"at most {high}" if high is not None else ""
