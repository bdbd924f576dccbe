from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

from dateline_runtime import etag
from dateline_runtime.etag import Tag, match, none_match, strong, tags


@given(st.binary(), st.binary())
def test_only_equal_documents_share_a_tag(one: bytes, other: bytes) -> None:
    assert (strong(one) == strong(other)) == (one == other)


def test_tag_is_strong_and_quoted() -> None:
    assert strong(b"") == '"e3b0c44298fc1c149afbf4c8996fb924"'


@cases(
    ("header", "listed"),
    [
        ('"a"', [Tag("a", False)]),
        ('W/"a"', [Tag("a", True)]),
        ('""', [Tag("", False)]),
        ('"a", "b"', [Tag("a", False), Tag("b", False)]),
        ('"a",W/"b" ,\t"c"', [Tag("a", False), Tag("b", True), Tag("c", False)]),
        (', ,"a", ,', [Tag("a", False)]),
        ('"a,b", "W/"', [Tag("a,b", False), Tag("W/", False)]),
        ('"\xe9"', [Tag("\xe9", False)]),
        ("", []),
        ("a", []),
        ('"a', []),
        ('"a" "b"', []),
        ('"a"x', []),
        ('w/"a"', []),
        ('W/ "a"', []),
        ('"a"W/', []),
        ('"a b"', []),
        ('"a\x7f"', []),
        ("*", []),
        ('*, "a"', []),
    ],
)
def test_tags_are_parsed_from_a_list(header: str, listed: list[Tag]) -> None:
    assert tags(header) == listed


@cases(
    ("header", "none", "some"),
    [
        (None, True, True),
        ("*", False, True),
        (" * ", False, True),
        ('"a"', False, True),
        ('W/"a"', False, False),
        ('"b", "a"', False, True),
        ('"b"', True, False),
        ("a", True, False),
        ("", True, False),
    ],
)
def test_conditions_are_compared_as_http_defines(
    header: str | None, none: bool, some: bool
) -> None:
    assert (none_match(header, '"a"'), match(header, '"a"')) == (none, some)


@cases("piece", ['"', '"a",', 'W/"', " ", ",", "W/"])
def test_long_header_is_parsed_in_linear_time(piece: str) -> None:
    # quadratic time would be minutes
    assert none_match(piece * 300_000, '"b"') is True


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('"a"', '"a;2026-07-01"'),
        ('W/"a"', 'W/"a;2026-07-01"'),
        ('""', '";2026-07-01"'),
        ('"a,b"', '"a,b;2026-07-01"'),
    ],
)
def test_tag_is_converted_to_that_of_a_version_and_back(tag: str, expected: str) -> None:
    made = etag.tag_version(tag, "2026-07-01")
    assert made == expected
    assert etag.strip_version(f'{made}, "x"'.encode(), "2026-07-01") == f'{tag}, "x"'.encode()
    assert etag.strip_version(made.encode(), "2025-03-13") == made.encode()


@cases("text", ["a", "*", "", '"a', '"a", "b"', '"a",', '"a b"', "W/a"])
def test_invalid_tag_belongs_to_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="is not an entity-tag"):
        etag.tag_version(text, "2026-07-01")


def test_weak_tag_is_compared_weakly() -> None:
    assert not etag.none_match('"a"', 'W/"a"')
    assert not etag.none_match('W/"a"', 'W/"a"')
    assert etag.none_match('"b"', 'W/"a"')
