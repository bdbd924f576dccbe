"""Patterns that match the same texts are equal, and those that may not are different."""

from __future__ import annotations

from itertools import permutations
from typing import Final

import pytest
from support.tables import cases

from dateline.regex.normal import are_equal

EQUAL: Final = (
    (r"^\d$", "^[0-9]$", r"^[\d]$", "^[0-45-9]{1}$"),
    (r"\w", "[A-Za-z0-9_]", r"[\da-zA-Z_]"),
    (r"\-a", "-a", "[-]a", r"\x2d\u0061"),
    (r"(?<!\d)a", "(?<![0-9])a"),
)
# Without the `u` flag, the second ones are octal escapes, repetitions or two code units.
UNLIKE: Final = (
    ("1", r"[\1]"),
    ("[8]", r"\8"),
    (r"(a)\1[0]", r"(a)\10"),
    (r"\0[1]", r"\01"),
    ("a", r"\u{61}"),
    ("\U0001f600", "[\U0001f600]"),
    (r"\ud83d\ude00", r"[\ud83d\ude00]"),
    (r"\s", "[ ]"),
    (r"\D", "[0-9]"),
    ("(a)", "(?:a)"),
    ("a+", "a+?"),
)


@pytest.mark.parametrize("patterns", EQUAL, ids=str)
def test_other_spellings_of_characters_are_equal(patterns: tuple[str, ...]) -> None:
    assert all(are_equal(*pair) for pair in permutations(patterns, 2))


@cases("patterns", UNLIKE, ids=str)
def test_ambiguous_patterns_are_not_equal(patterns: tuple[str, str]) -> None:
    assert not any(are_equal(*pair) for pair in permutations(patterns))
