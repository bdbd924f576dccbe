from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.seeds import scale
from support.tables import cases

from dateline_runtime.bodies import read
from dateline_runtime.errors import Fault, RequestError
from dateline_runtime.media_types import check_charset

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('aä\\"\n'), inner),
)

REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the body is not JSON: line 1, column 1: Expecting value"),
    "only blanks": (b" \n", "the body is not JSON: line 2, column 1: Expecting value"),
    "half an object": (
        b'{"a":',
        "the body is not JSON: line 1, column 6: Expecting value",
    ),
    "two values": (b"{} {}", "the body is not JSON: line 1, column 4: Extra data"),
    "single quotes": (
        b"{'a': 1}",
        "the body is not JSON: line 1, column 2: Expecting property name enclosed in double quotes",
    ),
    "a comment": (b"1 // a", "the body is not JSON: line 1, column 3: Extra data"),
    "a raw line break in a string": (
        b'"a\nb"',
        "the body is not JSON: line 1, column 3: Invalid control character at",
    ),
    "a leading zero": (b"01", "the body is not JSON: line 1, column 2: Extra data"),
    "full-width digits": (
        "１".encode(),
        "the body is not JSON: line 1, column 1: Expecting value",
    ),
    "a no-break space": (
        "\u00a01".encode(),
        "the body is not JSON: line 1, column 1: Expecting value",
    ),
    "NaN": (b"NaN", "the body is not JSON: NaN is not a number"),
    "Infinity": (b"[Infinity]", "the body is not JSON: Infinity is not a number"),
    "-Infinity": (b'{"a": -Infinity}', "the body is not JSON: -Infinity is not a number"),
    "1e400": (b"1e400", "a number in the body is too large"),
    "-1e400": (b"[-1e400]", "a number in the body is too large"),
    "309 digits": (b"9" * 309, "a number in the body is too large"),
    "5,000 digits": (b"1" * 5000, "a number in the body is too large"),
    "5,000 digits and a fraction": (b"1" * 5000 + b".5", "a number in the body is too large"),
    "a member twice": (b'{"a": 1, "a": 1}', 'an object in the body has the member "a" twice'),
    "a member twice, escaped": (
        b'{"a": {"b": 1, "c": 2, "\\u0062": 3}}',
        'an object in the body has the member "b" twice',
    ),
    "a long member twice": (
        b'{"%b": 1, "%b": 2}' % (b"x" * 50, b"x" * 50),
        f'an object in the body has the member "{"x" * 40}..." twice',
    ),
    "half a pair": (b'"\\ud800"', "the body contains half of a surrogate pair in a string"),
    "the other half": (b'"\\uDFFF"', "the body contains half of a surrogate pair in a string"),
    "a pair the wrong way": (
        b'["\\udc00\\ud800"]',
        "the body contains half of a surrogate pair in a string",
    ),
    "half a pair as a name": (
        b'{"\\ud800": 1}',
        "the body contains half of a surrogate pair in a string",
    ),
    "an escaped NUL": (b'{"a": ["\\u0000"]}', "the body contains NUL in a string"),
    "NUL": (b'"\0"', "the body contains NUL, or is not UTF-8"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "the body begins with a byte order mark"),
    "UTF-16": ("{}".encode("utf-16"), "the body is not UTF-8: byte 0"),
    "UTF-16 without a mark": ("{}".encode("utf-16-le"), "the body contains NUL, or is not UTF-8"),
    "UTF-32": ("{}".encode("utf-32-be"), "the body contains NUL, or is not UTF-8"),
    "Latin-1": (b'"\xe9"', "the body is not UTF-8: byte 1"),
    "an encoded surrogate": (b'"\xed\xa0\x80"', "the body is not UTF-8: byte 1"),
    "too long an encoding": (b'"\xc0\x80"', "the body is not UTF-8: byte 1"),
    "65 arrays": (b"[" * 65 + b"]" * 65, "the body is nested more than 64 levels deep"),
    "100,000 arrays": (b"[" * 100_000, "the body is nested more than 64 levels deep"),
    "50,000 objects": (b'{"a":' * 50_000, "the body is nested more than 64 levels deep"),
    "arrays after a string": (
        b'["\\"]", ' + b"[" * 64 + b"]" * 65,
        "the body is nested more than 64 levels deep",
    ),
}

READ: dict[str, tuple[bytes, Any]] = {
    "an object": (b' {"a" : [1, 2.5, "x", null, true]}\r\n', {"a": [1, 2.5, "x", None, True]}),
    "an array at the top": (b"[]", []),
    "a string": (b'"a"', "a"),
    "a large integer": (b"-" + b"9" * 308, -(10**308 - 1)),
    "a very small number": (b"1e-400", 0.0),
    "a pair of surrogates": (b'"\\ud83d\\ude00"', "\U0001f600"),
    "an escaped backslash": (b'"\\\\ud800 \\\\u0000"', "\\ud800 \\u0000"),
    "64 levels": (b"[" * 64 + b"]" * 64, None),
    "many arrays side by side": (b"[" + b"[]," * 999 + b"[]]", [[]] * 1000),
    "brackets in a string": (b'["' + b"[" * 99 + b'"]', ["[" * 99]),
    "brackets after a quote in a string": (b'["\\"' + b"[" * 99 + b'"]', ['"' + "[" * 99]),
    "names that differ in case": (b'{"a": 1, "A": 2}', {"a": 1, "A": 2}),
}


@cases("title", REFUSED)
def test_malicious_body_is_refused_with_its_reason(title: str) -> None:
    body, said = REFUSED[title]
    with pytest.raises(RequestError) as refused:
        read(body)
    assert (str(refused.value), refused.value.fault) == (said, Fault.MALFORMED)


@cases("title", READ)
def test_unusual_body_is_read(title: str) -> None:
    body, value = READ[title]
    if title == "64 levels":
        value = []
        for _ in range(63):
            value = [value]
    assert read(body) == value


@settings(max_examples=scale(80))
@given(VALUES)
def test_json_values_round_trip(value: Any) -> None:
    assert read(json.dumps(value).encode()) == value
    assert read(json.dumps(value, ensure_ascii=False, indent=1).encode()) == value


@given(st.binary() | st.text('[]{}"\\:,u0dD8 19.eE+-\n').map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        value = read(body)
    except RequestError:
        return
    # as another parser would read it, and fit to be forwarded
    assert value == json.loads(body)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def test_integers_stay_integers_and_fractions_stay_fractions() -> None:
    assert list(map(type, read(b"[1, 1.0, 1e0, -0, -0.0]"))) == [int, float, float, int, float]
    assert math.copysign(1, read(b"-0.0")) == -1


@cases(
    "piece", [b'"', b'"\\"', b"\\", b'\\"', b'"[', b"[]", b'{"a":1}', b"\\ud800", b"9", b" ", b"-"]
)
def test_long_body_is_read_in_linear_time(piece: bytes) -> None:
    # quadratic time would be minutes
    repeated = piece * (512 * 1024 // len(piece))
    # the brackets make the parser check the depth
    for body in (repeated, b'"' + repeated, b"[]" * 65 + repeated, b'"' + repeated + b"[]" * 65):
        with pytest.raises(RequestError):
            read(body)


@cases(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'APPLICATION/JSON ; Charset="utf-8"',
        " application/json; charset=utf8 ",
        "application/json; profile=x",
        "application/json;",
        "application/vnd.api+json;charset=utf-8",
        None,
    ],
)
def test_json_in_utf_8_is_accepted(content_type: str | None) -> None:
    check_charset(content_type)


@cases(
    ("content_type", "said"),
    [
        ("text/json; charset=latin-1", 'the body has to be in utf-8, not "latin-1"'),
        ("application/json; charset=", 'the body has to be in utf-8, not ""'),
        ("application/json; charset", 'the body has to be in utf-8, not ""'),
        (
            "application/json; charset=utf-8; charset=utf-16",
            'the body has to be in utf-8, not "utf-16"',
        ),
        ("application/json; charset=" + "x" * 99, f'not "{"x" * 40}..."'),
    ],
)
def test_other_charsets_are_refused(content_type: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        check_charset(content_type)
    assert refused.value.fault is Fault.UNSUPPORTED_MEDIA
    assert str(refused.value).endswith(said)
