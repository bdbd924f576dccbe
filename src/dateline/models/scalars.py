"""Write the types of scalars and of listed values."""

from __future__ import annotations

from math import ceil, floor
from typing import Any, Final

from dateline.models.constructs import TYPE_OF_KEYWORD, has_type, known_values, possible_values
from dateline.models.definitions import Where
from dateline.models.flat import Flat
from dateline.models.ledger import Ledger
from dateline.models.reading import FORMATS
from dateline.python.code import Node, Pair, Text, call, either, subscript, value
from dateline.python.types import Type
from dateline.regex.engines import UntranslatableError, translate
from dateline.schema.constraints import DECIMAL
from dateline.schema.types import type_of

JSON: Final = "t.JsonValue"
_CLASSES: Final = dict(
    zip(FORMATS, ("t.DateTime", "t.Date", "t.Uuid", "t.Decimal", "t.File"), strict=True)
)
# the name of a number, and where it has limits: Python's type and the mark of JSON's
_NUMBERS: Final = {
    "number": ("t.Number", "float", "t.Real"),
    "integer": ("t.Integer", "int", "t.Integral"),
}
_BOUNDS: Final = (
    ("ge", "minimum", ceil),
    ("gt", "exclusiveMinimum", floor),
    ("le", "maximum", floor),
    ("lt", "exclusiveMaximum", ceil),
)


_LONGEST: Final = (1 << 63) - 1
"""The longest text, list or object that pydantic's engine can count."""


def string_type(flat: Flat, where: Where, ledger: Ledger) -> Type:
    """Return the type of text; a pattern that can't be written is noted."""
    limits = limits_of(flat, ("min_length", "minLength"), ("max_length", "maxLength"))
    marks: list[Node] = []
    known = known_values(flat)
    is_decimal = flat.formats == ["decimal"] and DECIMAL in flat.patterns
    for pattern in flat.patterns:
        if is_decimal and not known and pattern == DECIMAL:
            continue
        try:
            native, text = translate(pattern)
        except UntranslatableError as error:
            ledger.note_ignored(where, f"the `pattern` {pattern!r}, which {error}")
            continue
        if native and not any(pair.key == "pattern" for pair in limits):
            limits += (Pair("pattern", Text(text)),)
        else:
            marks.append(call("t.Pattern", Text(text)))
    if len(flat.formats) == 1 and not (known or limits or marks):
        return Type(node=_CLASSES[flat.formats[0]])
    if is_decimal and not known:
        written = Type(node="str", limits=limits, marks=tuple(marks)).narrowed
        return Type(node=_CLASSES["decimal"], marks=(call("t.Written", written),))
    # constraints beside a format are about the text, so it stays text; decimals have a pattern
    marks += [call("t.Spelled", Text(each)) for each in flat.formats if each != "decimal"]
    if known:
        listed = either([subscript("Literal", *map(Text, known)), "t.Unrecognized"])
        node = subscript("Annotated", listed, "t.OpenEnded")
        return Type(node=node, limits=limits, marks=tuple(marks))
    return Type(node="str", limits=limits, marks=tuple(marks))


def number_type(kind: str, flat: Flat) -> Type:
    """Return the type of a number; *kind* is `number` or `integer`."""
    limits: list[Pair] = []
    for key, keyword, rounded in _BOUNDS:
        bound = flat.keywords.get(keyword)
        if bound is not None:
            limits.append(Pair(key, repr(rounded(bound) if kind == "integer" else bound)))
    marks: list[Node] = []
    for unit in flat.multiples:
        if kind == "integer" and isinstance(unit, int) and not marks:
            limits.append(Pair("multiple_of", repr(unit)))
        else:
            marks.append(call("t.MultipleOf", repr(unit)))
    whole, bare, mark = _NUMBERS[kind]
    if not limits:
        return Type(node=whole, marks=tuple(marks))
    # the limits are those of Python's number, so they come before what JSON adds
    return Type(node=bare, limits=tuple(limits), marks=(mark, *marks))


def listed_type(flat: Flat, where: Where, ledger: Ledger) -> Type:
    """Return the type of one of several values that are not an enum."""
    listed = possible_values_of(flat, where, ledger)
    if not listed:
        return Type(node="None") if flat.nullable else no_type(where, ledger)
    if all(isinstance(item, str | bool) for item in listed):
        # in Python, 1 equals True
        is_flag = any(isinstance(item, bool) for item in listed)
        marks = ("t.NoNumber",) if is_flag else ()
        return Type(node=subscript("Literal", *map(value, listed)), marks=marks)
    if all(isinstance(item, int) and not isinstance(item, bool) for item in listed):
        return Type(node=subscript("Literal", *map(value, listed)), marks=("t.Integral",))
    are_numbers = all(has_type(item, ("number",)) for item in listed)
    node = _NUMBERS["number"][0] if are_numbers else JSON
    return Type(node=node, marks=(call("t.OneOf", *map(value, listed)),))


def possible_values_of(flat: Flat, where: Where, ledger: Ledger) -> list[Any]:
    """Return the listed values that the types allow; other constraints are noted."""
    values = possible_values(flat)
    left = {*map(type_of, values)} & {"array", "object"}
    beside = [
        key for key in flat.constraints if TYPE_OF_KEYWORD.get(key, "union") in {*left, "union"}
    ]
    ledger.note_keywords(flat, where, beside, "beside the listed values")
    return values


def no_type(where: Where, ledger: Ledger) -> Type:
    """Return the type of a schema for which no value is valid, and note it."""
    ledger.note(where, "no value is valid")
    return Type(node="t.Never")


def limits_of(flat: Flat, *pairs: tuple[str, str]) -> tuple[Pair, ...]:
    """Return the limits of a type; each pair is an argument and its keyword."""
    return tuple(
        # what is longer than memory allows is as good as unlimited
        Pair(key, repr(int(min(flat.keywords[keyword], _LONGEST))))
        for key, keyword in pairs
        if keyword in flat.keywords
    )
