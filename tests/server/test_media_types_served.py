"""Handlers read and return each media type that a body has, as `Content-Type` and `Accept` say."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

from dateline_runtime.media_types import rank_accepted

OLD, NEW = DATES[:2]
JSON, MERGE, OTHER = "application/json", "application/merge-patch+json", "application/vnd.x+json"
XML, FORM = "application/xml", "application/x-www-form-urlencoded"
FILE, LINES = "application/octet-stream", "application/x-ndjson"


def _document(at: int) -> dict[str, Any]:
    later = {"due": {"type": "string"}} if at else {}
    text: dict[str, Any] = {"type": "string"}

    def refer(name: str) -> dict[str, Any]:
        return {"schema": {"$ref": f"#/components/schemas/{name}"}}

    inline = {"schema": {"type": "object", "required": ["x"], "properties": {"x": text}}}
    lines = {"schema": {"type": "array", "items": refer("Loan")["schema"]}}
    beside = {XML: {"schema": text}, FILE: {}, LINES: lines, JSON: refer("Loan"), OTHER: inline}
    operation = {
        "operationId": "changeLoan",
        "tags": ["loans"],
        "requestBody": {"content": {**beside, FORM: refer("Patch"), MERGE: refer("Patch")}},
        "responses": {"200": {"description": "it", "content": {**beside, MERGE: refer("Loan")}}},
    }
    loan = {"type": "object", "required": ["id", *later], "properties": {"id": text, **later}}
    patch = {"type": "object", "properties": {"id": {"type": ["string", "null"]}, **later}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "1"},
        "paths": {"/loan": {"post": operation}},
        "components": {"schemas": {"Loan": loan, "Patch": patch}},
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


class Loans:
    """Records what it is given, and returns `result`; by default a loan."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.result: Any = {"id": "a", "due": "d"}

    async def change_loan(self, call: Any, *, body: Any) -> Any:
        if hasattr(body, "read"):
            body = await body.read()
        elif hasattr(body, "__aiter__"):
            body = [each.model_dump() async for each in body]
        elif hasattr(body, "model_dump"):
            body = type(body).__name__, body.model_dump(exclude_unset=True)
        self.given.append((call.media_type, call.wanted, body))
        return self.result


def post(result: Any = None, version: str = NEW, content: bytes = b"", **headers: str) -> Any:
    """Return the answer, and what the handler was given."""
    server: Any = made().module("server")
    loans = Loans()
    loans.result = loans.result if result is None else result
    app = server.create_app(server.Handlers(loans=loans), environment="production")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named["X-API-Version"] = version
    return ask(app, "POST", "/loan", headers=named, content=content), loans.given


OTHER_SENT: Final = ("ChangeLoanBodyVndXJson", {"x": "y"})

SENT: Final[dict[str, tuple[bytes, Any, Any]]] = {
    JSON: (
        b'{"id":"a","due":"x"}',
        ("LoanSent", {"id": "a"}),
        ("LoanSent", {"id": "a", "due": "x"}),
    ),
    MERGE: (
        b'{"id":null,"due":"x"}',
        ("Patch", {"id": None}),
        ("Patch", {"id": None, "due": "x"}),
    ),
    OTHER: (b'{"x":"y"}', OTHER_SENT, OTHER_SENT),
    XML: (b"<a/>", b"<a/>", b"<a/>"),
    FORM: (b"id=a&due=x", b"id=a", b"id=a&due=x"),
    FILE: (b"\x00\xff", b"\x00\xff", b"\x00\xff"),
    LINES: (b'{"id":"a","due":"x"}\n', [{"id": "a"}], [{"id": "a", "due": "x"}]),
}
"""A body of each media type, and what handlers get from callers of each version"""


@cases("version", [OLD, NEW])
@cases("media_type", SENT)
def test_request_is_read_in_each_declared_media_type(media_type: str, version: str) -> None:
    sent, *read = SENT[media_type]
    answer, given = post(
        version=version, content=sent, content_type=f"{media_type.upper()}; charset=utf-8"
    )
    assert answer.status_code == 200
    assert given == [(media_type, JSON, read[version == NEW])]


def test_request_without_a_body_has_no_media_type() -> None:
    assert post(content_type=XML)[1] == [(None, JSON, None)]
    refused, given = post(content=b"x", content_type="text/csv")
    assert (refused.status_code, given) == (415, [])


WANTED: Final = [
    (None, JSON),
    ("*/*", JSON),
    ("text/html", JSON),
    (XML, XML),
    ("APPLICATION/XML ;q=0.9 , text/*", XML),
    (f"{JSON};q=0.5, {MERGE}", MERGE),
    (f"{JSON};q=0, application/*", OTHER),
    (f"*/*;q=0.1, {LINES};q=0.2", LINES),
    (f"{XML}, */*;q=0.9, {JSON};q=0.95", XML),
    ("application/*;q=0.5, */*;q=0.9", JSON),
    (f"{XML};q=x, {JSON};q=0.5", XML),
    (f"{FILE};q=0.001", FILE),
    (f"{XML};a=b, */*;q=0.5", XML),
    (f"{JSON};q=0, {JSON};a=b, */*;q=0.5", OTHER),
    (f'{XML};a=",{FILE}"', XML),
    ("", JSON),
    (",;q=,", JSON),
]


@cases("accept, wanted", WANTED)
def test_handler_knows_what_the_caller_prefers(accept: str | None, wanted: str) -> None:
    answer, given = post() if accept is None else post(accept=accept)
    assert given == [(None, wanted, None)]
    assert answer.headers["vary"] == "Accept, X-API-Version"
    # a loan is neither XML, a file, nor of the other schema
    sent = wanted if wanted in (JSON, MERGE) else MERGE if ";q=0," in (accept or "") else JSON
    assert answer.headers["content-type"] == sent


def test_parameters_distinguish_media_types() -> None:
    one, two = "application/json; v=1", "application/json;v=2"
    for accept, expected in (
        (None, [one, two]),
        ("application/json;V=2", [two, one]),
        ("application/json ; v=2;q=0.2, application/json;q=0.1", [two, one]),
        ("application/json;v=1;q=0, application/json", [two, one]),
        ("application/*;q=0, application/json; v=2;q=0.1", [two, one]),
        ("application/json;v=3", [one, two]),
    ):
        assert rank_accepted([one, two], accept) == expected


LOAN: Final[dict[str, dict[str, str]]] = {OLD: {"id": "a"}, NEW: {"id": "a", "due": "d"}}


@cases("version", [OLD, NEW])
def test_result_is_sent_in_a_media_type_that_it_has(version: str) -> None:
    canonical = LOAN[NEW]
    for result, accept, media_type, body in (
        (canonical, XML, JSON, LOAN[version]),
        (canonical, MERGE, MERGE, LOAN[version]),
        (canonical, f"{OTHER}, */*;q=0.5", JSON, LOAN[version]),
        ({"x": "y"}, "*/*", OTHER, {"x": "y"}),
        ({"x": "y"}, JSON, OTHER, {"x": "y"}),
        (b"<a/>", JSON, XML, b"<a/>"),
        (b"<a/>", FILE, FILE, b"<a/>"),
        (iter([canonical]), XML, LINES, LOAN[version]),
        (iter([canonical]), FILE, LINES, LOAN[version]),
    ):
        answer, _ = post(result, version, accept=accept)
        found = answer.content if isinstance(body, bytes) else answer.json()
        seen = answer.status_code, answer.headers["content-type"], found
        assert seen == (200, media_type, body)
        assert answer.headers["vary"] == "Accept, X-API-Version"


@cases("version", [OLD, NEW])
def test_reply_may_name_its_media_type(version: str) -> None:
    reply: Any = made().module("server").Reply
    for body, media_type, sent in (
        (LOAN[NEW], MERGE, LOAN[version]),
        (b"<a/>", f"{XML}; charset=utf-8", b"<a/>"),
        ("<a/>", FILE, b"<a/>"),
        ([LOAN[NEW]], LINES, LOAN[version]),
        (iter([b"a", b"b"]), FILE, b"ab"),
    ):
        answer, _ = post(reply(body, media_type=media_type), version, accept=JSON)
        found = answer.content if isinstance(sent, bytes) else answer.json()
        assert (answer.status_code, found) == (200, sent)
        assert answer.headers["content-type"] == media_type.partition(";")[0]


@pytest.mark.parametrize(
    ("body", "media_type"), [({"id": 1}, JSON), ({"id": "a"}, "text/csv"), ({"id": "a"}, XML)]
)
def test_reply_in_another_media_type_is_not_sent(body: Any, media_type: str) -> None:
    reply: Any = made().module("server").Reply
    answer, _ = post(reply(body, media_type=media_type))
    assert answer.status_code == 500


def test_types_of_handlers_allow_each_media_type() -> None:
    text = made().text("server/handlers.py")
    [_, body] = text.split("body: (")
    assert [each.strip(" |") for each in body.split(")")[0].split("\n") if each.strip()] == [
        "models.LoanSent",
        "models.ChangeLoanBodyVndXJson",
        "models.Patch",
        "AsyncIterator[models.LoanSent]",
        "bytes",
        "Upload",
        "None",
    ]
    assert "Result[models.Loan | models.ChangeLoanResponseVndXJson]" in text
