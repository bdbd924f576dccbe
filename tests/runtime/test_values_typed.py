"""Members that apply to a value by its JSON type, and values of another type."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import pytest
from support.tables import cases

from dateline_runtime.converting import apply_all, call_converter, require_fit
from dateline_runtime.values import (
    ConversionError,
    UnfitError,
    choose_by_type,
    omit,
    replace_values,
    require_value,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", "a"), (1, "integer"), (1.0, "integer"), (1.5, "number"), (None, "null")],
)
def test_member_of_the_values_type_applies(value: Any, expected: Any) -> None:
    members: dict[str | None, Any] = {"string": None}
    for name in ("integer", "number", "null"):
        members[name] = _naming(name)
    assert choose_by_type(members)(value) == expected


def _naming(name: str) -> Any:
    return lambda _: name


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "a boolean where a string or null belongs"),
        (1, "a number where a string or null belongs"),
        ([], "a list where a string or null belongs"),
        ({}, "an object where a string or null belongs"),
    ],
)
def test_value_of_another_type_is_refused(value: Any, said: str) -> None:
    with pytest.raises(UnfitError) as caught:
        choose_by_type({"string": None, "null": None})(value)
    assert str(caught.value) == f"the value itself: {said}"


def test_value_outside_of_a_container_can_not_be_left_out() -> None:
    with pytest.raises(UnfitError) as caught:
        require_value(omit)("a")
    assert str(caught.value) == ("the value itself: nothing of it may be shown at this version")


@pytest.mark.parametrize("value", [b"", {1, 2}, object()])
def test_non_json_value_equals_no_listed_value(value: Any) -> None:
    with pytest.raises(UnfitError) as caught:
        replace_values([(1, 2), ("a", "b")])(value)
    assert str(caught.value) == "the value itself: it is not a JSON value"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            ["Loan.due"],
            "what the converter Loan.due makes of it for callers of 2024-01-15 does not fit",
        ),
        (
            ["Loan.due", "Day"],
            "what the converters Loan.due, Day make of it for callers of 2024-01-15 does not fit",
        ),
    ],
)
def test_results_of_converters_must_fit(names: list[str], said: str) -> None:
    change = apply_all([_appending(name) for name in names])
    held = require_fit(names, change, lambda value: value == "".join(names), "2024-01-15")
    assert held("") == "".join(names)
    with pytest.raises(UnfitError) as caught:
        held("x")
    assert str(caught.value) == f"the value itself: {said}"


def _appending(text: str) -> Any:
    return lambda value: value + text


def test_result_of_a_converter_for_callers_must_fit() -> None:
    any_value = call_converter("Loan.due", lambda value: f"{value}2024")
    assert any_value("due ") == "due 2024"
    held = require_fit(["Loan.due"], any_value, "2024".__eq__, "2024")
    assert held("") == "2024"
    with pytest.raises(UnfitError) as caught:
        held("x")
    assert str(caught.value) == (
        "the value itself: what the converter Loan.due makes of it for callers of 2024 does not fit"
    )


@pytest.mark.parametrize("fits", [lambda _: False, b"not JSON".index])
def test_result_of_a_converter_for_handlers_must_fit(fits: Any) -> None:
    with pytest.raises(ConversionError) as caught:
        require_fit(["Loan.due"], lambda _: b"x", fits)("x")
    assert str(caught.value) == (
        "the value itself: what the converter Loan.due makes of it does not fit"
    )


@cases(
    ("given", "received"),
    [
        (1.0, 1),
        (-0.0, 0),
        (1e20, 10**20),
        (1.5, 1.5),
        (True, True),
        ("1.0", "1.0"),
        ({"a": [1.0, {"b": 2.0}], "c": None}, {"a": [1, {"b": 2}], "c": None}),
    ],
)
def test_converters_get_numbers_without_a_fraction_as_integers(given: Any, received: Any) -> None:
    seen: list[Any] = []
    call_converter("Loan.days", seen.append)(given)
    assert repr(seen) == repr([received])


@cases(
    "result, place, kind",
    [
        (Decimal(3), "the value itself", "Decimal"),
        ({"a": [1, {"b/c": date(2024, 1, 15)}]}, "/a/1/b~1c", "date"),
        ([None, b"x"], "/1", "bytes"),
        ({"a": {1}}, "/a", "set"),
    ],
)
def test_results_of_converters_are_json(result: Any, place: str, kind: str) -> None:
    with pytest.raises(ConversionError) as caught:
        call_converter("Loan.due", lambda _: result)(1)
    assert str(caught.value) == (
        f"{place}: the converter Loan.due makes a value of the type {kind}, "
        "which JSON does not have"
    )


@cases("result", [None, True, 1.5, "a", HTTPStatus.OK, {"a": [1, {"b": ("c",)}]}])
def test_json_results_of_converters_stay_the_same(result: Any) -> None:
    assert call_converter("Loan.due", lambda _: result)(1) is result
