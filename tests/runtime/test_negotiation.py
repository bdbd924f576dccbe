from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.header_cases import CASES, MALFORMED, MIDDLE, NEWEST, OLDEST, SUPPORTED, UNKNOWN, Case
from support.tables import cases

from dateline_runtime.negotiation import Rejection, Supported, negotiate


def value(case: Case) -> str | None:
    return b", ".join(case.lines).decode("latin-1") if case.lines else None


def test_there_are_at_least_sixty_distinct_cases() -> None:
    assert len({case.title for case in CASES}) == len(CASES) >= 60


@cases(
    "case",
    # only code that sees the separate lines can strip each of them
    [case for case in CASES if case.title != "blanks around two lines"],
    ids=lambda case: case.title,
)
def test_version_header_is_served_or_rejected(case: Case) -> None:
    if case.requested is None:
        assert negotiate(value(case), SUPPORTED) == case.answer
    else:
        expected = (case.answer, case.requested, SUPPORTED.versions)
        rejection = negotiate(value(case), SUPPORTED)
        assert isinstance(rejection, Rejection)
        assert (rejection.reason, rejection.requested, rejection.supported) == expected


def test_rejection_has_the_fields_of_the_body_in_specified_order() -> None:
    rejection = negotiate("2026-7-1", SUPPORTED)
    assert isinstance(rejection, Rejection)
    assert list(rejection.members.items()) == [
        ("error", "unsupported_api_version"),
        ("reason", "version_malformed"),
        ("requested", "2026-7-1"),
        ("supported", (OLDEST, MIDDLE, NEWEST)),
    ]


@given(st.dates())
def test_date_is_served_only_if_it_is_supported(day: object) -> None:
    answer = negotiate(str(day), SUPPORTED)
    if str(day) in SUPPORTED.versions:
        assert answer == str(day)
    else:
        assert answer == Rejection(UNKNOWN, str(day), SUPPORTED.versions)  # type: ignore[arg-type]


@given(st.text().filter(lambda text: text.strip(" \t")))
def test_other_text_is_never_served_as_another_version(text: str) -> None:
    answer = negotiate(text, SUPPORTED)
    assert (
        answer == text.strip(" \t")
        if isinstance(answer, str)
        else answer.reason
        in (
            UNKNOWN,
            MALFORMED,
        )
    )


@pytest.mark.parametrize(
    ("default", "versions", "said"),
    [
        ("2025-03-13", ("2025-3-13",), "'2025-3-13' is not a canonical YYYY-MM-DD date"),
        ("2025-03-13", ("2026-07-01", "2025-03-13"), "oldest first, each once"),
        ("2025-03-13", ("2025-03-13", "2025-03-13"), "oldest first, each once"),
        ("2025-03-14", ("2025-03-13",), "'2025-03-14' is not a supported version"),
        ("2025-03-13", (), "'2025-03-13' is not a supported version"),
    ],
)
def test_table_that_can_not_be_served_is_refused(
    default: str, versions: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Supported(default, versions)
