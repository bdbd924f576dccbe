"""Types that pydantic-core validates itself agree with JSON Schema, and are written as read."""

from __future__ import annotations

import json
import math
import pickle
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError
from support.modelling import generate_single
from support.tables import cases

SCHEMAS: Final[dict[str, Any]] = {
    "Moment": {"type": "string", "format": "date-time"},
    "Day": {"type": "string", "format": "date"},
    "Amount": {"type": "string", "format": "decimal"},
    "Cents": {"type": "string", "format": "decimal", "pattern": "[.][0-9]{2}$", "maxLength": 9},
    "Key": {"type": "string", "format": "uuid"},
    "Whole": {"type": "integer"},
    "Page": {"type": "integer", "minimum": 1, "maximum": 100, "multipleOf": 3},
    "Real": {"type": "number"},
    "Rate": {"type": "number", "minimum": 0, "exclusiveMaximum": 1e6},
    "Kind": {"type": "string", "x-extensible-enum": ["Onramp", "Swap"]},
    "Flag": {"type": "boolean"},
}


@cache
def _adapters() -> dict[str, TypeAdapter[Any]]:
    with TemporaryDirectory() as folder:
        module = generate_single(Path(folder), SCHEMAS)
        return {name: TypeAdapter(getattr(module, name)) for name in SCHEMAS}


@cache
def _judge(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        SCHEMAS[name], validate_formats=True, formats={"decimal": _is_fixed_point}
    )


def _is_fixed_point(text: str) -> bool:
    whole, _, fraction = text.removeprefix("-" if text.startswith("-") else "+").partition(".")
    return (whole + fraction).isdecimal() and (whole + fraction).isascii()


def _agrees(name: str, value: Any) -> bool:
    """Check both ways to read *value*; return whether it was valid."""
    adapter, is_valid = _adapters()[name], _judge(name).is_valid(value)
    # RFC 3339 has a year 0; Python's dates start with year 1
    is_valid = is_valid and not (name in ("Day", "Moment") and value.startswith("0000"))
    text = json.dumps(value)
    for read, given_ in ((adapter.validate_python, value), (adapter.validate_json, text)):
        try:
            found = read(given_)
        except ValidationError as error:
            locations = [each["loc"] for each in error.errors()]
        else:
            locations = []
        assert locations == ([] if is_valid else [()]), (name, value)
        if not is_valid:
            continue
        written = json.loads(adapter.dump_json(found))
        assert (written, type(written) is bool) == (value, type(value) is bool)
        assert adapter.dump_python(found, mode="json") == value
        assert type(adapter.dump_python(found)) is type(found)
        assert adapter.validate_python(found) == found
        assert adapter.dump_json(pickle.loads(pickle.dumps(found))) == adapter.dump_json(found)
    return is_valid


def _number(width: int, *edges: int) -> st.SearchStrategy[str]:
    numbers = st.one_of(st.sampled_from(edges), st.integers(0, 10**width - 1))
    return numbers.map(lambda number: f"{number:0{width}}")


DATES: Final = st.builds(
    "{}-{}-{}".format, _number(4, 0, 1, 1900, 2024), _number(2, 0, 2, 12, 13), _number(2, 0, 29, 31)
)
TIMES: Final = st.builds(
    "{}:{}:{}{}".format,
    _number(2, 0, 23, 24),
    _number(2, 0, 59, 60),
    _number(2, 0, 59, 60),
    st.one_of(
        st.just(""), st.from_regex(r"\A\.[0-9]{1,9}\Z"), st.sampled_from([".", ".000000", ",5"])
    ),
)
OFFSETS: Final = st.one_of(
    st.sampled_from(["Z", "z", "", "+00:00", "-00:00", "+0000", "+01", " Z", "Z\n"]),
    st.builds("{}{}:{}".format, st.sampled_from("+-"), _number(2, 0, 14, 24), _number(2, 0, 59)),
)
MOMENTS: Final = st.builds("{}{}{}{}".format, DATES, st.sampled_from("TTTt _"), TIMES, OFFSETS)
KEYS: Final = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda key: str(key).upper()),
    st.uuids().map(lambda key: key.hex),
    st.uuids().map(lambda key: key.urn),
    st.uuids().map(lambda key: f"{{{key}}}"),
    st.uuids().map(lambda key: f"{key}\n"),
    st.from_regex(r"\A[0-9a-fA-F]{8}(-[0-9a-fG]{4}){3}-[0-9a-f]{12}\Z"),
)
AMOUNTS: Final = st.one_of(
    st.decimals().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map("{:f}".format),
    st.from_regex(r"\A[-+]?[0-9_]{0,3}[.,e]?[0-9_]{0,3}\s?\Z"),
)
NUMBERS: Final = st.one_of(
    st.integers(), st.integers(-3, 120), st.floats(allow_nan=False, allow_infinity=False)
)
ODD: Final[st.SearchStrategy[Any]] = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, "1", "true", "", "1e3", 10**30, [], {}, "٢٠٢٤-٠١-٠١"]
)


@given(st.one_of(MOMENTS, st.datetimes(timezones=st.timezones()).map(str), ODD))
def test_date_times_agree(value: Any) -> None:
    _agrees("Moment", value)


@given(st.one_of(DATES, MOMENTS, st.dates().map(str), st.integers().map(str), ODD))
def test_dates_agree(value: Any) -> None:
    _agrees("Day", value)


@given(st.one_of(KEYS, ODD))
def test_uuids_agree(value: Any) -> None:
    _agrees("Key", value)


@given(st.sampled_from(["Amount", "Cents"]), st.one_of(AMOUNTS, ODD))
def test_decimals_agree(name: str, value: Any) -> None:
    _agrees(name, value)


@given(st.decimals())
def test_decimals_of_python_are_written_without_an_exponent(value: Decimal) -> None:
    adapter = _adapters()["Amount"]
    if not value.is_finite():
        with pytest.raises(ValidationError):
            adapter.validate_python(value)
        with pytest.raises(PydanticSerializationError):
            adapter.dump_json(value)
        return
    text = json.loads(adapter.dump_json(adapter.validate_python(value)))
    assert _is_fixed_point(text)
    assert Decimal(text) == value


@given(st.sampled_from(["Whole", "Page", "Real", "Rate", "Flag"]), st.one_of(NUMBERS, ODD))
def test_numbers_agree(name: str, value: Any) -> None:
    _agrees(name, value)


@given(st.one_of(st.text(), st.sampled_from(["Onramp", "Swap", "onramp"]), ODD))
def test_open_ended_text_agrees(value: Any) -> None:
    _agrees("Kind", value)


EXAMPLES: Final[list[tuple[str, Any, bool]]] = [
    ("Moment", "2026-07-01T12:34:56.123456Z", True),
    ("Moment", "2026-07-01T12:34:56", False),
    ("Day", "2024-02-29", True),
    ("Day", "2023-02-29", False),
    ("Amount", "-00.50", True),
    ("Amount", "1e3", False),
    ("Cents", "12.50", True),
    ("Cents", "12.5", False),
    ("Key", "7F3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a01", True),
    ("Key", "7f3c1b8e2f4a4e0c9a550c2d8c5b1a01", False),
    ("Whole", 3.0, True),
    ("Whole", math.pi, False),
    ("Page", 99, True),
    ("Page", 98, False),
    ("Kind", "Later", True),
    ("Kind", 1, False),
]


@cases(("name", "value", "is_valid"), EXAMPLES)
def test_each_type_accepts_some_values_and_refuses_others(
    name: str, value: Any, is_valid: bool
) -> None:
    assert _agrees(name, value) is is_valid
