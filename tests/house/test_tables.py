"""Tables of cases run every case, and report each failure."""

from __future__ import annotations

import inspect

import pytest
from support.tables import cases


def test_all_cases_run_and_each_failure_is_named() -> None:
    ran = []

    @cases("upper", [10, 0])
    @cases("number, text", [(1, "one"), (2, "two"), (3, "three")], ids=["I", "II", "III"])
    def check(given: list[int], number: int, text: str, upper: int) -> None:
        ran.append((upper, number))
        assert given == [4]
        if text == "two":
            pytest.fail("refused")
        assert number < upper, text

    assert [*inspect.signature(check).parameters] == ["given"]
    with pytest.raises(ExceptionGroup) as failed:
        check(given=[4])
    assert ran == [(upper, number) for upper in (10, 0) for number in (1, 2, 3)]
    assert str(failed.value).startswith("2 of 2 cases failed: 10 (1); 0 (2)")
    first, second = failed.value.exceptions
    assert (first.__notes__, second.__notes__) == (["in the case 10 (1)"], ["in the case 0 (2)"])
    assert isinstance(first, ExceptionGroup)
    assert isinstance(second, ExceptionGroup)
    assert [each.__notes__ for each in first.exceptions] == [["in the case II (2)"]]
    assert [str(each).splitlines()[0] for each in second.exceptions][1:] == ["refused", "three"]


def test_table_of_passing_cases_passes() -> None:
    ran = []
    cases("name", ("a", "b"))(lambda name: ran.append(name))()
    assert ran == ["a", "b"]


def test_table_without_cases_is_an_error() -> None:
    with pytest.raises(AssertionError, match="tests nothing"):
        cases("name", [])


def test_case_can_not_skip_itself() -> None:
    with pytest.raises(TypeError, match=r"the case 1 \(1\) of"):
        cases("number", [1])(lambda number: pytest.skip(str(number)))()
