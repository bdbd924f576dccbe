"""What every generated server does: read parameters and bodies, check, narrow, answer."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from support.assembled import app, fields, serving
from support.exchanges import ask, request
from support.tables import cases
from support.things import (
    ID,
    MIDDLE,
    NEW,
    OLD,
    Handlers,
    Refused,
    Thing,
    add,
    data,
    operations,
    send,
)

# Parameters


def list_given(query: str = "", **headers: str) -> dict[str, Any]:
    """Return the handler's arguments that are not omitted."""
    handlers = Handlers([])
    response = send(handlers, "GET", f"/things?{query}", **headers)
    assert (response.status, response.body) == (200, b"[]")
    [call] = handlers.calls
    del call["call"]
    return {name: value for name, value in call.items() if value is not None}


@cases(
    ("query", "headers", "expected"),
    [
        ("", {}, {"size": 5}),
        (f"id={ID}&size=9", {}, {"id": UUID(ID), "size": 9}),
        (f"id={ID.upper()}", {}, {"id": UUID(ID), "size": 5}),
        ("rate=-1.5e2&open=true", {}, {"size": 5, "rate": -150.0, "open": True}),
        (
            "since=2024-01-01T00:30:00%2B02:00&day=2024-02-29",
            {},
            {
                "size": 5,
                "since": datetime(2023, 12, 31, 22, 30, tzinfo=UTC),
                "day": date(2024, 2, 29),
            },
        ),
        (
            "since=0001-01-01T00:00:00%2B14:00",
            {},
            {"size": 5, "since": datetime(1, 1, 1, tzinfo=UTC)},
        ),
        ("tag=a&tag=b%2Cc&count=1,-2", {}, {"size": 5, "tag": ["a", "b,c"], "count": [1, -2]}),
        ("any=12", {}, {"size": 5, "any": 12}),
        ("any=012", {}, {"size": 5, "any": "012"}),
        ("has=all&of=all", {}, {"size": 5, "has": "all", "of": "all"}),
        ("has=no,ne&of=no,ne", {}, {"size": 5, "has": "no,ne", "of": "no,ne"}),
        ("has=both&of=b", {}, {"size": 5, "has": ["both"], "of": ["b"]}),
        ("has=7&has=both&of=1,2", {}, {"size": 5, "has": [7, "both"], "of": [1, 2]}),
        ("of=", {}, {"size": 5, "of": [""]}),
        ("unknown=1&Size=2", {}, {"size": 5}),
        (
            "",
            {"x_trace": "abc", "x_counts": "1, 2", "cookie": "a=b; seen=true"},
            {"size": 5, "x_trace": "abc", "x_counts": [1, 2], "seen": True},
        ),
    ],
)
def test_parameters_get_their_types(
    query: str, headers: dict[str, str], expected: dict[str, Any]
) -> None:
    assert list_given(query, **headers) == expected


@cases(
    ("query", "headers", "said"),
    [
        ("id=zz", {}, 'the parameter "id" has to be a UUID with hyphens, not "zz"'),
        ("size=10", {}, 'the parameter "size" has to be at most 9, not 10'),
        ("size=+1", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("size=1.0", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("size=1&size=1", {}, 'the parameter "size" is given more than once'),
        ("size=", {}, 'the parameter "size" has to be an integer in plain decimal digits'),
        ("rate=1e400", {}, 'the parameter "rate" has to be a number that a double has room for'),
        ("rate=.5", {}, 'the parameter "rate" has to be a number'),
        ("open=yes", {}, 'the parameter "open" has to be true or false'),
        (
            "day=2024-02-30",
            {},
            'the parameter "day" has to be a date (YYYY-MM-DD), not "2024-02-30"',
        ),
        ("tag=", {}, 'the parameter "tag" at /0 has to have at least 1 characters, not ""'),
        ("count=1,,2", {}, 'the parameter "count" has to be an integer in plain decimal digits'),
        ("tag=%ff", {}, "the query string is not UTF-8"),
        ("tag=%00", {}, "the query string contains NUL"),
        ("%zz=1", {}, "the query string has a % without two hexadecimal digits"),
        (
            "since=2024-01-01",
            {},
            'the parameter "since" has to be a date-time with seconds and an offset, '
            'not "2024-01-01"',
        ),
        (
            "",
            {"x_trace": "abcdef"},
            'the parameter "X-Trace" has to have at most 5 characters, not "abcdef"',
        ),
        (
            "",
            {"x_counts": "1, x"},
            'the parameter "X-Counts" has to be an integer in plain decimal digits',
        ),
        (
            "has=all&has=all",
            {},
            'the parameter "has" at /0 has to be one of "both", not "all"',
        ),
        ("has=some", {}, 'the parameter "has" at /0 has to be one of "both", not "some"'),
        (
            "of=1,abcd",
            {},
            'the parameter "of" at /1 has to have at most 3 characters, not "abcd"',
        ),
        ("of=a&of=b", {}, 'the parameter "of" is given more than once'),
        ("", {"cookie": "seen=1"}, 'the parameter "seen" has to be true or false'),
        ("", {"cookie": "seen=true; seen=true"}, 'the parameter "seen" is given more than once'),
    ],
)
def test_invalid_parameters_are_refused_with_a_message(
    query: str, headers: dict[str, str], said: str
) -> None:
    handlers = Handlers([])
    response = send(handlers, "GET", f"/things?{query}", **headers)
    assert (response.status, response.json, handlers.calls) == (400, {"reason": said}, [])


@cases(
    ("version", "query", "size"),
    [
        (NEW, "", 10),
        (NEW, "page_size=7", 7),
        (NEW, "size=7", 10),
        (OLD, "", 3),
        (OLD, "size=7", 7),
        (OLD, "page_size=7", 3),
    ],
)
def test_parameter_has_the_name_and_default_of_the_callers_version(
    version: str, query: str, size: int
) -> None:
    handlers = Handlers({"total": 1})
    body = b'{"total": 1}' if version == NEW else b'{"sum": 1}'
    said = {"content_type": "application/json", "x_api_version": version}
    response = send(handlers, "POST", f"/things?{query}", body, **said)
    assert (response.status, handlers.calls[0]["page_size"]) == (201, size)


@pytest.mark.parametrize(
    ("path", "raw", "said"),
    [
        ("/api/things/\ufffd", b"/api/things/%ff", "the path is not UTF-8"),
        ("/api/things/\udcff", b"", "the path is not UTF-8"),
        ("/api/things/a\0", b"/api/things/a%00", "the path contains NUL"),
    ],
)
def test_paths_that_are_no_text_are_refused(path: str, raw: bytes, said: str) -> None:
    scope = {**request("GET", path, fields(x_api_version=NEW)), "raw_path": raw}
    handlers = Handlers({"total": 1})
    response = ask(app(data(), operations(), handlers), scope)
    assert (response.status, response.json, handlers.calls) == (400, {"reason": said}, [])


@cases("name", ["a", "a b", "é", "..", "a{b", "%2F", "x" * 2000])
def test_path_parameters_may_be_any_segment(name: str) -> None:
    handlers = Handlers({"total": 1})
    response = send(handlers, "GET", f"/things/{name}", x_api_version=NEW)
    assert (response.status, handlers.calls[0]["thing_id"]) == (200, name)


# Bodies


@cases(
    ("body", "said"),
    [
        ("", "a body is required"),
        ("[]", "the body has to be an object"),
        ("null", "the body has to be an object, not null"),
        ("{}", 'the body lacks the field "total"'),
        ('{"total": "1"}', 'the body at /total has to be an integer, not "1"'),
        ('{"total": true}', "the body at /total has to be an integer, not true"),
        ('{"total": 1.5}', "the body at /total has to be an integer, not 1.5"),
        (
            '{"total": 2147483648}',
            "the body at /total has to be at most 2147483647, not 2147483648",
        ),
        ('{"total": 1, "x": 2}', 'the body has a field that is not known, "x"'),
        ('{"total": 1, "sum": 2}', 'the body has a field that is not known, "sum"'),
        ('{"total": 1, "kind": "c"}', 'the body at /kind has to be one of "a", "b", not "c"'),
        ('{"total": 1, "code": "A1"}', 'the body at /code has to match ^[a-z]+$, not "A1"'),
        ('{"total": 1, "parts": [1]}', "the body at /parts/0 fits none of the alternatives, not 1"),
        (
            '{"total": 1, "parts": ["x", {"kind": "A"}]}',
            'the body at /parts/1 lacks the field "amount"',
        ),
        (
            '{"total": 1, "parts": [{"kind": "B", "due": "x"}]}',
            'the body at /parts/0/due has to be a date (YYYY-MM-DD), not "x"',
        ),
        (
            '{"total": 1, "parts": [{"kind": "c"}]}',
            "the body at /parts/0 fits none of the alternatives",
        ),
        ('{"total": 1, "total": 2}', 'an object in the body has the member "total" twice'),
        ('{"total": NaN}', "the body is not JSON: NaN is not a number"),
    ],
)
def test_invalid_bodies_are_refused_with_a_message(body: str, said: str) -> None:
    response, calls = add(body)
    assert (response.status, response.json, calls) == (400, {"reason": said}, [])


def test_at_most_forty_characters_of_a_callers_text_are_quoted() -> None:
    response, _ = add('{"total": "' + "é" * 1000 + '"}')
    assert response.json["reason"] == (
        'the body at /total has to be an integer, not "' + "\\u00e9" * 40 + '..."'
    )
    response, _ = add('{"' + "k" * 1000 + '": 1, "total": 1}')
    said = 'the body has a field that is not known, "' + "k" * 40 + '..."'
    assert response.json == {"reason": said}


def test_body_is_checked_at_the_callers_version_and_lifted() -> None:
    response, calls = add('{"sum": 3}', version=OLD)
    assert (response.status, calls) == (201, [Thing(total=3)])
    assert response.json == {"sum": 1}
    response, calls = add('{"total": 3}', version=OLD)
    assert (response.status, calls) == (400, [])
    response, calls = add('{"sum": 3, "note": "x"}', version=OLD)
    said = 'the body has a field that is not known, "note"'
    assert (response.json, calls) == ({"reason": said}, [])


def test_body_that_is_not_json_is_passed_unchanged() -> None:
    handlers = Handlers({"total": 1})
    said = {"content_type": "text/plain", "x_api_version": NEW}
    assert send(handlers, "POST", "/things", b"{", b"\xff", **said).status == 201
    assert handlers.calls[0]["body"] == b"{\xff"


# Results


@pytest.mark.parametrize(
    ("result", "version", "body"),
    [
        (Thing(total=1, note="x"), NEW, {"total": 1, "note": "x"}),
        (Thing(total=1, note="x"), OLD, {"sum": 1}),
        ({"total": 1, "note": "x"}, NEW, {"total": 1, "note": "x"}),
        ({"total": 1, "note": "x"}, OLD, {"sum": 1}),
    ],
)
def test_models_and_plain_values_are_narrowed(
    result: Any, version: str, body: dict[str, Any]
) -> None:
    response, _ = add('{"total": 1}' if version == NEW else '{"sum": 1}', result, version)
    assert (response.status, response.json) == (201, body)


def test_reply_has_its_status_and_headers() -> None:
    reply = serving().Reply
    response, _ = add('{"total": 1}', reply({"total": 1}, headers={"X-Count": 3}))
    assert (response.status, response.header("x-count")) == (201, ["3"])
    response, _ = add('{"sum": 1}', reply({"total": 1}, headers={"X-Count": 3}), OLD)
    assert (response.status, response.header("x-count")) == (201, [])
    response, _ = add('{"total": 1}', reply(status=202))
    assert (response.status, response.body, response.header("content-type")) == (202, b"", [])


@pytest.mark.parametrize(
    ("refusal", "body"),
    [
        ((404, "no such thing"), "no such thing"),
        ((409, {"reason": "there is one"}), {"reason": "there is one"}),
        ((418, "a teapot"), "a teapot"),
    ],
)
def test_refusal_is_answered_as_it_says(refusal: tuple[int, Any], body: Any) -> None:
    response, _ = add('{"total": 1}', serving().Refusal(*refusal))
    assert (response.status, response.json) == (refusal[0], body)
    assert response.header("x-api-version") == [NEW]


def misfits() -> Iterable[tuple[str, Any]]:
    reply, refusal = serving().Reply, serving().Refusal
    yield "a field of another type", {"total": "secret"}
    yield "a field that is not defined", {"total": 1, "secret": 1}
    yield "nothing", {}
    yield "another type", "secret"
    yield "another model", Refused(reason="secret")
    yield "a model that was never validated", Thing.model_construct(total="secret")
    yield "a status that is not defined", reply({"total": 1}, status=299)
    yield "half of a surrogate pair", {"total": 1, "code": "secret\ud800"}
    yield "a status that is no answer", reply({"total": 1}, status=100)
    yield "a header of two lines", reply({"total": 1}, headers={"X-Note": "1\r\nSecret: 1"})
    yield "a header called by two lines", reply({"total": 1}, headers={"A: 1\r\nSecret": "1"})
    yield "a header without a name", refusal(404, "secret", {"": "1"})
    yield "a length of its own", refusal(404, "secret", {"Content-Length": "2"})
    yield "a type of its own", refusal(404, "secret", {"content-type": "text/html"})
    yield "a refusal that is a success", refusal(202, "secret")
    yield "a refusal that is no answer", refusal(1000, "secret")
    yield "a refusal that is defined otherwise", refusal(409, ["secret"])
    yield "an error", RuntimeError("secret")
    yield "no JSON value", refusal(404, {"secret"})


@pytest.mark.parametrize("version", [NEW, OLD])
@pytest.mark.parametrize("index", range(len(list(misfits()))))
def test_invalid_result_is_a_server_error_without_details(
    index: int, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, result = list(misfits())[index]
    with caplog.at_level(logging.ERROR):
        response, _ = add('{"total": 1}' if version == NEW else '{"sum": 1}', result, version)
    assert response.status == 500
    [record] = caplog.records
    trace_id = record.getMessage()[:32]
    assert response.json == {"reason": f"internal server error (trace id {trace_id})"}
    assert response.header("x-api-version") == [version]


def test_result_that_is_not_json_is_sent_unchanged() -> None:
    response = send(Handlers("täxt"), "GET", "/things/mine")
    assert (response.header("content-type"), response.body) == (["text/plain"], "täxt".encode())
    assert send(Handlers({"a": 1}), "GET", "/things/mine").status == 500


# Routes


def test_concrete_paths_take_precedence_over_templates() -> None:
    response = send(Handlers("mine"), "GET", "/things/mine", x_api_version=NEW)
    assert response.body == b"mine"


@cases(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/nothing", 404, []),
        ("GET", "/things/", 404, []),
        ("GET", "/things/a/b", 404, []),
        ("PUT", "/things", 405, ["GET, HEAD, POST"]),
        ("OPTIONS", "/things", 405, ["GET, HEAD, POST"]),
        ("POST", "/things/mine", 405, ["GET, HEAD"]),
    ],
)
def test_unknown_path_is_reported_as_text(
    method: str, path: str, status: int, allow: list[str]
) -> None:
    response = send(Handlers(), method, path, x_api_version=MIDDLE)
    assert (response.status, response.header("allow")) == (status, allow)
    assert response.header("x-api-version") == [MIDDLE]
    assert response.header("content-type") == ["application/json"]
    assert list(response.json) == ["reason"]


def test_operation_does_not_exist_before_its_version() -> None:
    handlers = Handlers({"total": 1})
    assert send(handlers, "GET", "/things/a", x_api_version=OLD).status == 404
    assert handlers.calls == []
    assert send(handlers, "GET", "/things/a", x_api_version=MIDDLE).json == {"sum": 1}


def test_operation_is_served_below_a_mounted_application() -> None:
    served = app(data(), operations(), Handlers({"total": 1}))
    headers = fields(x_api_version=MIDDLE)
    response = ask(served, {**request("GET", "/pay/api/things/a", headers), "root_path": "/pay"})
    assert (response.status, response.json) == (200, {"sum": 1})
    assert response.header("x-api-version") == [MIDDLE]
