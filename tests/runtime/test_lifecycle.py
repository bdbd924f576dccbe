from __future__ import annotations

from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

from dateline_runtime.lifecycle import End, headers


def test_every_announcement_has_its_header() -> None:
    end = End(
        deprecated=date(2026, 1, 1),
        sunset=date(2026, 12, 31),
        deprecation="https://docs.paynet.example/versions/2025-03-13",
        policy="/versioning?x=1#ends",
        successor="/spec/2026-07-01",
    )
    assert headers(end) == [
        ("Deprecation", "@1767225600"),
        ("Sunset", "Thu, 31 Dec 2026 00:00:00 GMT"),
        (
            "Link",
            '<https://docs.paynet.example/versions/2025-03-13>; rel="deprecation", '
            '</versioning?x=1#ends>; rel="sunset", </spec/2026-07-01>; rel="successor-version"',
        ),
    ]


@cases(
    ("end", "reported"),
    [
        (End(), []),
        (End(deprecated=date(1970, 1, 1)), [("Deprecation", "@0")]),
        (End(deprecated=date(1969, 12, 31)), [("Deprecation", "@-86400")]),
        (End(sunset=date(2026, 8, 1)), [("Sunset", "Sat, 01 Aug 2026 00:00:00 GMT")]),
        (End(policy="/ends"), [("Link", '</ends>; rel="sunset"')]),
        (
            End(deprecated=date(2026, 8, 1), sunset=date(2026, 8, 1)),
            [("Deprecation", "@1785542400"), ("Sunset", "Sat, 01 Aug 2026 00:00:00 GMT")],
        ),
    ],
)
def test_nothing_is_reported_without_an_announcement(
    end: End, reported: list[tuple[str, str]]
) -> None:
    assert headers(end) == reported


@given(st.dates(min_value=date(1900, 1, 1)))
def test_both_headers_name_the_same_instant(day: date) -> None:
    (_, deprecated), (_, sunset) = headers(End(deprecated=day, sunset=day))
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert deprecated == f"@{int(midnight.timestamp())}"
    assert parsedate_to_datetime(sunset) == midnight


def test_sunset_is_not_before_deprecation() -> None:
    with pytest.raises(ValueError, match="the sunset 2026-01-01 is before 2026-01-02"):
        End(deprecated=date(2026, 1, 2), sunset=date(2026, 1, 1))


@cases("link", ["", "a b", "/a>", '/"', "/\r\nX-A: b", "/é", "/%zz", "/a\n"])
def test_link_can_not_inject_headers(link: str) -> None:
    for relation in ("deprecation", "policy", "successor"):
        with pytest.raises(ValueError, match="is not a URI reference"):
            End(**{relation: link})  # type: ignore[arg-type]
