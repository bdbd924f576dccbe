"""Translation of ECMA-262 patterns for the engines that the models use."""

from __future__ import annotations

import jsonschema_rs
import pytest
from support.tables import cases

from dateline.regex.engines import UntranslatableError, matches, translate

_TEXTS = (
    *(
        "",
        "a",
        "A",
        "ab",
        "abc",
        "é",
        "١",
        "1",
        "12",
        "-",
        "_",
        " ",
        "\u00a0",
        "\ufeff",
        "\n",
        "\r",
    ),
    *("a\n", "\u2028", "\x85", "a-b", "a.b", "{", "}", "[", "]", "\\", "^", "$", "x{2", "aa", "&&"),
    *("😀", "no", "yes", "a\u2029b", "\x01", "\x08", "\x00", "~", "--", "AB1", "/", "b", "ab ab"),
)


_CLASSES = (r"^\d+$", r"^\D$", r"^\w$", r"^\W$", r"^\s$", r"^\S$", r"[\s\S]", r"^[^\s]$", r"^[\D]$")
_PLAIN = (
    r"a$",
    r"^$",
    r"[A-Z]{2}\d",
    r"^(?:a|b)+$",
    r"^a{1,2}$",
    r"^x\{2$",
    "^😀$",
    "^é$",
    r"^\p{L}$",
)
_ESCAPES = (r"^\cA$", r"^\x41$", r"^\u0041$", r"^\/$", r"^\-$", r"^(?<name>a)b$", r"\bab\b")
_SETS = (r"^[a-]$", r"^[\w.-]$", r"^[&~]+$", r"^[[]$", r"^[\]]$", r"^[a^]$", r"^[^-]$", r"^[--a]$")
_LOOKING = (r"^(?!no)[a-z]+$", r"(?=b)b", r"(?<=a)b", r"^(a)\1$")


@cases("pattern", [*_CLASSES, *_PLAIN, *_ESCAPES, *_SETS, *_LOOKING])
def test_pattern_matches_what_the_document_says(pattern: str) -> None:
    judge = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    assert [text for text in _TEXTS if matches(pattern, text)] == [
        text for text in _TEXTS if judge.is_valid(text)
    ]


@cases(
    ("pattern", "expected"),
    [
        # ECMA-262 section 22.2.2.7: a dot matches no line terminator
        ("^.$", [text for text in _TEXTS if len(text) == 1 and text not in "\n\r\u2028\u2029"]),
        (r"^[\b]$", ["\x08"]),
        (r"^\0$", ["\x00"]),
        (r"^\ud83d\ude00$", ["😀"]),
        ("[]", []),
        ("^[^]$", [text for text in _TEXTS if len(text) == 1]),
    ],
)
def test_pattern_matches_like_in_ecma_262(pattern: str, expected: list[str]) -> None:
    assert [text for text in _TEXTS if matches(pattern, text)] == expected


def test_plain_patterns_are_unchanged() -> None:
    plain = "^-?[0-9]+(\\.[0-9]+)?$"
    assert translate(plain) == (True, plain)


def test_linear_time_engine_is_used_where_possible() -> None:
    assert not matches("^(a+)+$", "a" * 10_000 + "b")
    patterns = ("^(a+)+$", "^(?!b)a$", r"^(a)\1$")
    assert [translate(pattern)[0] for pattern in patterns] == [True, False, False]


@cases("pattern", ["[a", "(", "\\", "(?i)a", "(?=a)\\p{L}", "a(?P<n>b)", "\\k"])
def test_pattern_that_no_engine_supports_is_refused(pattern: str) -> None:
    with pytest.raises(UntranslatableError):
        translate(pattern)
