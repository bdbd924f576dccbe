"""Patterns: one dialect that every engine reads, without exponential time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

from dateline.regex.dialect import find_flaw
from dateline.regex.engines import compile_portable


@cases(
    "pattern",
    [
        "",
        "^a$",
        "payTo|upi_collect",
        r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$",
        r"^-?(0|[1-9]\d*)(\.\d+)?$",
        r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
        r"^[a-z]+(-[a-z]+)*$",
        r"^(\d-?)+$",
        r"(foo|for)+",
        r"[^\]]*?",
        r"[\w.-]\b\B",
        r"[a-z-9]",
        r"\x41\u0042\t\/\.",
        '\'"""\n',
        "ä+[ß-ü]",
    ],
)
def test_pattern_that_every_engine_reads_alike_passes(pattern: str) -> None:
    assert find_flaw(pattern) is None


@cases(
    ("pattern", "message"),
    [
        ("[unclosed", "a `[` that is not closed; write `\\[` for the character"),
        ("(a", "a `(` that is not closed; write `\\(` for the character"),
        ("a)", "a `)` without its `(`; write `\\)` for the character"),
        ("a\\", "a backslash at the end; write `\\\\` for the character"),
        ("[z-a]", "a range of a class has its ends the wrong way round; swap them"),
        ("*a", "a `*` with nothing before it; write `\\*`"),
        ("a|+", "a `+` with nothing before it; write `\\+`"),
        ("a|{2}", "a `{` with nothing before it; write `\\{`"),
        (r"\u{110000}", r"'\\u{110000}' is beyond the last character, `\u{10FFFF}`"),
        ("a**", "one quantifier behind another; put the first in a group"),
        ("a++", "one quantifier behind another; put the first in a group"),
        ("a{3,1}", "'{3,1}' has its bounds the wrong way round; swap them"),
    ],
)
def test_pattern_that_no_engine_reads_is_refused(pattern: str, message: str) -> None:
    assert find_flaw(pattern) == ("pattern-invalid", message)


@cases(
    ("pattern", "message"),
    [
        (r"\p{L}", r"'\p' is not read alike everywhere; write the characters themselves"),
        (r"\cA", r"'\c' is not read alike everywhere; write the characters themselves"),
        (r"\Aa\Z", r"'\A' is not read alike everywhere; write the characters themselves"),
        (r"(a)\1", r"'\1' is not read alike everywhere; write the characters themselves"),
        (r"\0", r"'\0' is not read alike everywhere; write the characters themselves"),
        (r"[\b]", r"'\b' is not read alike everywhere; write the characters themselves"),
        ("(?<n>x)", "'(?<' is not read alike everywhere; only (...) and (?:...) are"),
        ("(?P<n>x)", "'(?P' is not read alike everywhere; only (...) and (?:...) are"),
        ("(?=a)", "'(?=' is not read alike everywhere; only (...) and (?:...) are"),
        ("(?i)a", "'(?i' is not read alike everywhere; only (...) and (?:...) are"),
        (r"[\w-.]", "a range of a class needs a character at both ends; write `\\-`"),
        ("[]", "an empty class; name its characters"),
        ("[^]", "an empty class; name its characters"),
        ("[[]", "'[' in a class has another meaning elsewhere; write `\\[`"),
        ("[a&&b]", "'&' in a class has another meaning elsewhere; write `\\&`"),
        ("[a||b]", "'|' in a class has another meaning elsewhere; write `\\|`"),
        ("^*", "a quantifier behind something that takes nothing; leave it out"),
        ("(?:)*", "a quantifier behind something that takes nothing; leave it out"),
        ("a{,3}", "a `{` that begins no quantifier; write `\\{` for the character"),
        ("{", "a `{` that begins no quantifier; write `\\{` for the character"),
        ("a{1001}", "'{1001}' repeats over 1000 times; use maxLength"),
        ("a" * 2001, "more than 2000 characters; shorten it"),
        ("(" * 41 + ")" * 41, "groups more than 40 deep; write it flatter"),
    ],
)
def test_pattern_that_engines_read_differently_is_refused(pattern: str, message: str) -> None:
    assert find_flaw(pattern) == ("pattern-dialect", message)


@cases(
    ("pattern", "part"),
    [
        ("^(a+)+$", "(a+)+"),
        ("(a*)*", "(a*)*"),
        (r"^(\w+\s?)*$", r"(\w+\s?)*"),
        ("(.*,)*x", "(.*,)*"),
        ("(a|a)*", "(a|a)*"),
        ("(a|aa)+", "(a|aa)+"),
        ("(a?a)+b", "(a?a)+"),
        ("(x+x+)+y", "(x+x+)+"),
        ("(a|b|ab)*", "(a|b|ab)*"),
        ("^(([a-z])+.)+[A-Z]$", "(([a-z])+.)+"),
        (r"([0-9]{1,9}){2,}", r"([0-9]{1,9}){2,}"),
        ("x((ä|[^a])+)*", "(ä|[^a])+"),
    ],
)
def test_pattern_that_may_take_exponential_time_is_refused(pattern: str, part: str) -> None:
    assert find_flaw(pattern) == (
        "pattern-explodes",
        f"{part!r} can read one text in many ways, and may take forever to; "
        "let what is repeated begin with something that it can't end with",
    )


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"a\-b", r"'\-' needs no backslash; write `-`, which every engine reads"),
        (r"\_", r"'\_' needs no backslash; write `_`, which every engine reads"),
        (r"\"", r"""'\"' needs no backslash; write `"`, which every engine reads"""),
        ("a}", r"a bare `}`; write `\}` for the character, which every engine reads"),
        ("]", r"a bare `]`; write `\]` for the character, which every engine reads"),
    ],
)
def test_pattern_that_only_a_strict_engine_refuses_is_a_matter_of_style(
    pattern: str, message: str
) -> None:
    assert find_flaw(pattern) == ("pattern-loose", message)


def test_matcher_follows_ecma_262() -> None:
    digits, loose, refused = (
        compile_portable(r"^\d$|^\$$"),
        compile_portable(r"\-"),
        compile_portable("(a"),
    )
    assert digits is not None
    assert [bool(digits.search(text)) for text in ("7", "٣", "7\n", "$", "$\n")] == [
        *(True, False, False, True, False)
    ]
    assert loose is not None
    assert loose.search("-")
    assert refused is None


@given(st.text(alphabet="ab-^$\\.*+?()[]{}|,019dwb:=<!P&~", max_size=12))
def test_accepted_pattern_compiles_without_a_warning(pattern: str) -> None:
    """Warnings are errors in these tests: Python warns about syntax whose meaning will change."""
    if find_flaw(pattern) is None:
        re.compile(pattern)
        assert compile_portable(pattern) is not None


@given(st.text(alphabet="ab+*?()|[]", max_size=12))
def test_accepted_pattern_takes_no_exponential_time(pattern: str) -> None:
    """Thirty letters are enough for an exponential search to time out."""
    expression = compile_portable(f"^(?:{pattern})$")
    if expression is not None:
        expression.search("ab" * 8 + "a" * 30 + "c")
