from __future__ import annotations

import uuid as uuids
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

from dateline_runtime.errors import Fault, RequestError
from dateline_runtime.query import (
    Parameter,
    boolean,
    instant,
    integer,
    pairs,
    read,
    text,
    uuid,
)

ID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

LISTING = {
    "page_size": Parameter(integer),
    "cursor": Parameter(uuid),
    "from_date": Parameter(instant),
    "search_term": Parameter(text),
    "status": Parameter(text),
    "tag": Parameter(text, is_repeated=True),
    "deep": Parameter(boolean),
}

REFUSED = [
    (b"page_size=", 'the parameter "page_size" has to be an integer in plain decimal digits'),
    (b"page_size", 'the parameter "page_size" has to be an integer in plain decimal digits'),
    (b"page_size=10&page_size=10", 'the parameter "page_size" is given more than once'),
    (b"page_size=10&page%5Fsize=11", 'the parameter "page_size" is given more than once'),
    (b"cursor=6ba7b810", 'the parameter "cursor" has to be a UUID with hyphens'),
    (b"status=A&status=B", 'the parameter "status" is given more than once'),
    (b"deep=1", 'the parameter "deep" has to be true or false'),
    (
        b"from_date=2026-07-01T00:00:00+02:00",
        'the parameter "from_date" has to be a date-time with seconds and an offset; '
        "write the + of its offset as %2B",
    ),
    (b"search_term=%ff", "the query string is not UTF-8"),
    (b"search_term=%ED%A0%80", "the query string is not UTF-8"),
    (b"search_term=\xff", "the query string is not UTF-8"),
    (b"search_term=%C0%80", "the query string is not UTF-8"),
    (b"search_term=a%00b", "the query string contains NUL"),
    (b"search_term=a\0b", "the query string contains NUL"),
    (b"search_term=%", "the query string has a % without two hexadecimal digits"),
    (b"search_term=%4", "the query string has a % without two hexadecimal digits"),
    (b"search_term=%zz", "the query string has a % without two hexadecimal digits"),
    (b"search_term=%+4", "the query string has a % without two hexadecimal digits"),
    (b"unknown=%ff", "the query string is not UTF-8"),
    (b"%ff=unknown", "the query string is not UTF-8"),
]

READ: list[tuple[bytes, dict[str, Any]]] = [
    (b"", {}),
    (b"&&", {}),
    (b"unknown=1&unknown=2&Page_size=x&=3", {}),
    (b"page_size=10", {"page_size": 10}),
    (b"&page_size=10&", {"page_size": 10}),
    (b"page%5fsize=%31%30", {"page_size": 10}),
    (b"search_term=", {"search_term": ""}),
    (b"search_term", {"search_term": ""}),
    (b"search_term=a=b", {"search_term": "a=b"}),
    (b"search_term=a+b%20c%2Bd", {"search_term": "a b c+d"}),
    (b"search_term=%25_%5C'", {"search_term": "%_\\'"}),
    (b"search_term=%C3%A9\xc3\xa9", {"search_term": "éé"}),
    (b"search_term=" + b"a%25" * 30_000, {"search_term": "a%" * 30_000}),
    (b"search_term=a;b", {"search_term": "a;b"}),
    (b"tag=A", {"tag": ["A"]}),
    (b"tag=A&page_size=1&tag=B,C", {"tag": ["A", "B,C"], "page_size": 1}),
    (b"deep=true", {"deep": True}),
    (b"deep=false", {"deep": False}),
    (f"cursor={ID.upper()}".encode(), {"cursor": uuids.UUID(ID)}),
    (
        b"from_date=2026-07-01T00:00:00%2B02:00",
        {"from_date": datetime(2026, 6, 30, 22, tzinfo=UTC)},
    ),
]


@cases(("query", "said"), REFUSED)
def test_malicious_query_is_refused_with_its_reason(query: bytes, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        read(query, LISTING)
    assert (str(refused.value), refused.value.fault) == (said, Fault.MALFORMED)


@cases(("query", "values"), READ)
def test_unusual_query_is_read(query: bytes, values: dict[str, Any]) -> None:
    assert read(query, LISTING) == values


@given(st.lists(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]))] * 2)))
def test_encoded_query_is_decoded(sent: list[tuple[str, str]]) -> None:
    sent = [(name, value) for name, value in sent if "\0" not in name + value]
    assert list(pairs(urlencode(sent).encode())) == sent


@given(st.binary() | st.text("%0fF+&=a").map(str.encode))
def test_any_bytes_are_read_or_refused(query: bytes) -> None:
    try:
        found = list(pairs(query))
    except RequestError:
        return
    # fit to be stored and forwarded
    assert not any("\0" in name + value for name, value in found)
    "".join(name + value for name, value in found).encode()


@cases(
    ("reader", "value"),
    [
        *[
            (integer, value)
            for value in (
                *("+10", " 10", "10 ", "1_0", "010", "10.0", "1e1", "-0", "--1", "0x1", "", "-"),
                *("１０", "١", "1,000", "ten", "10\n", "1" * 309, "1" * 5000),
            )
        ],
        *[
            (uuid, value)
            for value in (
                *("", f"urn:uuid:{ID}", f"{{{ID}}}", ID.replace("-", ""), f" {ID}", f"{ID}\n"),
                *(ID[:-1], ID + "0", ID.replace("-", "_"), "６" + ID[1:], ID[:-1] + "g"),
                "6ba7b8109-dad-11d1-80b4-00c04fd430c8",
            )
        ],
        *[
            (instant, value)
            for value in (
                *("", "1700000000", "0.5", "2026-07-01", "2026-07-01T00:00:00", "now"),
                *("2026-07-01T00:00Z", "2026-07-01T24:00:00Z", "2026-07-01T23:60:00Z"),
                *("2026-07-01T00:00:61Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z"),
                *("2026-07-01T00:00:00+24:00", "2026-07-01T00:00:00+00:60"),
                *("2026-07-01T00:00:00+2:00", "2026-07-01T00:00:00+0200"),
                *("2026-07-01T00:00:00.Z", "2026-07-01T00:00:00,5Z", "20260701T000000Z"),
                *("2026-W27-3T00:00:00Z", "2026-07-01 00:00:00Z", "2026-07-01T00:00:00 Z"),
                *("+2026-07-01T00:00:00Z", "12026-07-01T00:00:00Z", "２026-07-01T00:00:00Z"),
                *("2026-07-01T00:00:00Z\n", " 2026-07-01T00:00:00Z", "2026-07-01T00:00:00Zulu"),
                *("2026-07-15T23:59:60Z", "2026-06-30T22:59:60Z", "2026-06-30T23:59:60+01:00"),
                *("0000-02-30T00:00:00Z", "2026-00-01T00:00:00Z", "2026-07-00T00:00:00Z"),
            )
        ],
        *[(boolean, value) for value in ("", "True", "TRUE", "1", "0", "yes", "true ", "null")],
    ],
)
def test_other_spellings_are_refused(reader: Callable[[str], Any], value: str) -> None:
    with pytest.raises(RequestError, match=r"^has (to be )?(a|true)"):
        reader(value)


@given(st.integers(-(10**307), 10**308 - 1))
def test_every_integer_has_one_spelling(number: int) -> None:
    assert integer(str(number)) == number


@given(st.uuids())
def test_uuid_is_read_in_either_case(one: uuids.UUID) -> None:
    assert (uuid(str(one)), uuid(str(one).upper())) == (one, one)


OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30, 23), timezones=OFFSETS), st.booleans()
)
def test_every_instant_is_read(moment: datetime, small: bool) -> None:
    written = moment.isoformat()
    found = instant(written.lower() if small else written)
    assert (found, found.tzinfo) == (moment, UTC)


@cases(
    ("written", "moment"),
    [
        ("2026-07-01T00:00:00Z", datetime(2026, 7, 1, tzinfo=UTC)),
        ("2026-07-01t00:00:00z", datetime(2026, 7, 1, tzinfo=UTC)),
        ("2026-07-01T00:00:00-00:00", datetime(2026, 7, 1, tzinfo=UTC)),
        ("2026-07-01T00:00:00.5Z", datetime(2026, 7, 1, 0, 0, 0, 500_000, UTC)),
        ("2026-07-01T00:00:00.0000019Z", datetime(2026, 7, 1, 0, 0, 0, 1, UTC)),
        ("2026-07-01T00:00:00." + "9" * 5000 + "Z", datetime(2026, 7, 1, 0, 0, 0, 999_999, UTC)),
        ("2024-02-29T12:00:00+23:59", datetime(2024, 2, 28, 12, 1, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2016-12-31T23:59:60.9Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("1990-12-31T15:59:60-08:00", datetime(1991, 1, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)),
        # out of the range of datetime
        ("0001-01-01T00:00:00+00:01", datetime(1, 1, 1, tzinfo=UTC)),
        ("0000-02-29T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("0000-12-31T23:59:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59-00:01", datetime.max.replace(tzinfo=UTC)),
        ("9999-12-31T23:59:60Z", datetime.max.replace(tzinfo=UTC)),
        # in range, although written in the year 0
        ("0000-12-31T23:59:00-00:02", datetime(1, 1, 1, 0, 1, tzinfo=UTC)),
        ("0000-12-31T23:58:60-00:01", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_instant_at_the_edge_of_the_range_is_read(written: str, moment: datetime) -> None:
    assert instant(written) == moment
