"""What errors say about responses and connections that failed, and bodies that are too long."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final
from uuid import UUID

import httpx
import pytest
from paynet import client as errors
from paynet.client import Backoff
from paynet.client.calling import Operation
from paynet.client.errors import describe_failure, find_code, quote_body
from paynet.v2026_07_01 import AsyncClient, Client
from support.calls import Answer, Cut, Scripted, answer
from support.tables import cases

KEY: Final = "key-that-nobody-may-see"
ID: Final = UUID("6f1f8d5a-0000-4000-8000-000000000001")
AUTORAMP: Final = {"id": str(ID), "deposit_rails": [{"type": "Iban"}]}
VERSION: Final = {"X-API-Version": "2026-07-01"}
PAGE: Final = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Log in</body></html>"

Made = Callable[[Any], Any]


def fail(answers: list[Any], made: Made, **settings: Any) -> tuple[Any, list[httpx.Request]]:
    """Return the error of a call, the same with both kinds of clients, and the requests."""
    settings = {"api_key": KEY, "backoff": Backoff(initial=0.0), **settings}
    caught: list[Any] = []
    for kind in (Client, AsyncClient):
        transport = Scripted([give(each) for each in answers])
        with pytest.raises(errors.ClientError) as found:
            call(kind(transport=transport, **settings), made)
        caught.append((found.value, transport.requests))
    (error, requests), (other, others) = caught
    assert (type(error), str(error), len(requests)) == (type(other), str(other), len(others))
    assert getattr(error, "__notes__", ()) == getattr(other, "__notes__", ())
    return error, requests


def give(made: Any) -> Any:
    # a body that is read while it arrives can be read once
    return (lambda _: made()) if callable(made) else made


def call(client: Any, made: Made) -> Any:
    found = made(client)
    return found if isinstance(client, Client) else asyncio.run(wait_for(found))


async def wait_for(made: Any) -> Any:
    return await made


def get(client: Any) -> Any:
    return client.get_autoramp(ID)


def update(client: Any) -> Any:
    return client.update_autoramp(ID, body={})


def open_events(client: Any) -> Any:
    operation = Operation[None](
        name="watch", method="GET", path="/events", stream="text/event-stream"
    )
    return client._open(operation, None)


# Texts of bodies


@cases(
    ("body", "text"),
    [
        ("plain\n text", "plain text"),
        ({"message": "broken", "code": "x"}, "broken"),
        # problem details (RFC 9457), also with members that list faults
        ({"type": "about:blank", "title": "Bad", "detail": "No such loan"}, "No such loan"),
        (
            {"title": "Bad", "errors": [{"detail": "is negative", "pointer": "#/age"}]},
            "Bad; #/age: is negative",
        ),
        ({"title": "Bad", "errors": {"Name": ["is required"]}}, "Bad; Name: is required"),
        # FastAPI
        (
            {"detail": [{"type": "t", "loc": ["body", "a", 0], "msg": "m", "input": {"p": 1}}]},
            "body.a.0: m",
        ),
        ({"detail": "Not Found"}, "Not Found"),
        # Django REST framework, Rails, NestJS, GitHub, Salesforce, Google, OAuth, JSON:API
        ({"email": ["is taken", "is short"], "age": 5}, "email: is taken; email: is short"),
        ({"errors": {"name": "is blank", "tags": ["is long"]}}, "name: is blank; tags: is long"),
        ({"statusCode": 400, "message": ["a", "b"], "error": "Bad"}, "Bad; a; b"),
        (
            {"message": "Invalid", "errors": [{"resource": "R", "field": "f", "code": "missing"}]},
            "Invalid; f: missing",
        ),
        ([{"message": "first", "errorCode": "A"}, {"message": "second"}], "first; second"),
        (
            {"error": {"code": 400, "message": "m", "details": [{"fieldViolations": [
                {"field": "f", "description": "d"}]}]}},
            "m; f: d",
        ),
        ({"error": "invalid_grant", "error_description": "expired"}, "expired"),
        (
            {"errors": [{"source": {"pointer": "/data"}, "title": "T", "detail": "D"}]},
            "/data: D",
        ),
        ({"errors": ["one", "one", "two"]}, "one; two"),
        # a resource, or nothing that is known
        ({"customer": {"email": "a@b"}}, ""),
        ({"path": "/loans", "status": 404, "error": "Not Found"}, "Not Found"),
        ({"errors": []}, ""),
        (None, ""),
        (5, ""),
        # pages of intermediaries
        (PAGE, "Log in"),
        ("<html><head><title>502 &amp; more</title></head><body></body></html>", "502 & more"),
        ("<html><style>b{c:d}</style><h1>Bad</h1><hr>nginx<!-- x --></html>", "Bad nginx"),
        ('<?xml version="1.0"?>\n<!DOCTYPE html><body>a<br/>b<script>c', "a b"),
        ("<Error><Code>AccessDenied</Code></Error>", "<Error><Code>AccessDenied</Code></Error>"),
    ],
)  # fmt: skip
def test_message_quotes_the_texts_of_a_body(body: Any, text: str) -> None:
    assert quote_body(body) == text


@cases(
    ("body", "code"),
    [
        ({"code": "a"}, "a"),
        ({"error": {"code": "a"}, "code": "b"}, "a"),
        ({"error": "a", "error_description": "b"}, "a"),
        # FastAPI's HTTPException(detail={...}), and its plain and listed details
        ({"detail": {"code": "a", "message": "b"}}, "a"),
        ({"detail": "b"}, None),
        ({"detail": [{"type": "b"}]}, None),
        ({"code": 5}, None),
        (["a"], None),
        (None, None),
    ],
)
def test_code_is_a_text_under_a_common_name(body: Any, code: str | None) -> None:
    assert find_code(body) == code


@cases(
    "body",
    [
        [{"message": "x" * 100}] * 10_000,
        {"errors": [[[[[[[["deep"]]]]]]]] * 10_000},
        {"errors": {str(number): {} for number in range(10_000)}},
        "<html>" + "<" * 200_000,
        "<html>" + "<head" * 40_000,
        "<html>" + "<!--" * 40_000,
        "<html>" + "<script></script " * 20_000,
        "<title" * 40_000,
    ],
    ids=lambda each: f"{each!r:.30}",
)
def test_message_is_short_for_any_body(body: Any) -> None:
    assert len(quote_body(body)) <= 503


# Which request


def test_message_names_the_request_without_its_query_and_secrets() -> None:
    for made in (httpx.ReadError("reset"), answer(500, {"message": "broken"}), answer(204)):
        error, _ = fail(
            [made],
            lambda client: client.list_autoramp_transactions(search_term="a@b.example"),
            base_url=f"http://user:{KEY}@api.test/v1",
        )
        begun = "list_autoramp_transactions (GET http://api.test/v1/autoramp-transactions): "
        assert str(error).startswith(begun)
        assert KEY not in str(error)
        assert "a@b.example" not in str(error)


# Bodies that can't be read


def send(
    content: bytes, headers: Mapping[str, str] = {}, status: int = 200
) -> Callable[[], Answer]:
    """Return a function that makes a response with *content*, encoded as it is."""
    sent = {**VERSION, "Content-Type": "application/json", **headers}
    return lambda: httpx.Response(status, headers=sent, stream=Cut(content, is_cut=False))


PACKED: Final = {"Content-Encoding": "gzip"}
BOMB: Final = gzip.compress(b" " * 100_000)


@cases("made", [get, update])
def test_success_with_an_undecodable_body_is_not_repeated(made: Made) -> None:
    error, requests = fail([send(b"{}", PACKED)], made)
    assert type(error) is errors.UnreadableResponseError
    assert (len(requests), error.status, error.headers["content-encoding"]) == (1, 200, "gzip")
    assert "status 200, but the body can't be read (Error -3 while decompressing" in str(error)


@cases(("content", "headers"), [(b'{"a": "12345678901234567890"}', {}), (BOMB, PACKED)])
@cases("made", [get, update])
def test_longer_body_is_not_read(made: Made, content: bytes, headers: dict[str, str]) -> None:
    error, requests = fail([send(content, headers)], made, max_response_bytes=20)
    assert type(error) is errors.UnreadableResponseError
    assert len(requests) == 1
    assert "the body can't be read (it is longer than max_response_bytes, 20)" in str(error)
    # the body of an error only explains it, also that of a stream
    for failing in (made, open_events):
        error, requests = fail([send(content, headers, 400)], failing, max_response_bytes=20)
        assert type(error) is errors.BadRequestError
        assert len(requests) == 1
        assert error.__notes__ == [
            "The body can't be read (it is longer than max_response_bytes, 20)."
        ]


def cut(status: int) -> Callable[[], Answer]:
    return lambda: httpx.Response(status, stream=Cut(b'{"message": "bro'))


@cases(
    ("made", "response", "kind", "count"),
    [
        (get, send(b"{}", PACKED, 503), errors.ServerFailedError, 3),
        (get, cut(503), errors.ServerFailedError, 3),
        (get, cut(404), errors.NotFoundError, 1),
        # it had no effect, unlike a request whose response is unknown
        (update, cut(400), errors.BadRequestError, 1),
        (open_events, cut(404), errors.NotFoundError, 1),
        (get, cut(200), errors.ConnectionFailedError, 3),
        (update, cut(200), errors.ConnectionFailedError, 1),
    ],
)
def test_status_of_an_error_counts_even_if_its_body_can_not_be_read(
    made: Made, response: Callable[[], Answer], kind: type[errors.ClientError], count: int
) -> None:
    error, requests = fail([response], made)
    assert (type(error), len(requests)) == (kind, count)
    is_explained = any("The body can't be read" in each for each in error.__notes__)
    assert is_explained is isinstance(error, errors.StatusError)


def test_limit_is_an_option_and_allows_bodies_of_its_length() -> None:
    content = httpx.Response(200, json=AUTORAMP).content
    transport = Scripted([answer(200, AUTORAMP)])
    client = Client(api_key=KEY, transport=transport, max_response_bytes=len(content) - 1)
    with pytest.raises(errors.UnreadableResponseError):
        client.get_autoramp(ID)
    for limit in (len(content), None):
        assert client.with_options(max_response_bytes=limit).get_autoramp(ID).id == ID
    with pytest.raises(ValueError, match="max_response_bytes can't be negative"):
        client.with_options(max_response_bytes=-1)


# Bodies that are something else


@cases(
    ("made", "text"),
    [
        (httpx.Response(200, html=PAGE, headers=VERSION), "its type is text/html: Log in)"),
        # which has no version either
        (httpx.Response(200, html=PAGE), "its type is text/html: Log in)"),
        (httpx.Response(200, content=b"\0\1", headers=VERSION), "its type is not declared)"),
        (answer(200), "has (no content)"),
        (answer(204), "has (no content; the definitions have the statuses 200)"),
        (answer(206, AUTORAMP), "has (the definitions have the statuses 200)"),
        # the start of data is not for logs
        (send(b'{"id": "4111"'), "Invalid JSON: EOF while parsing an object at line 1 column 13)"),
    ],
    ids=str,
)
def test_message_says_what_the_body_is(made: Any, text: str) -> None:
    error, _ = fail([made], get)
    assert type(error) is errors.UnreadableResponseError
    assert str(error).endswith(text)


# Connections


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_message_has_the_text_of_the_operating_system(kind: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    client = kind(api_key=KEY, base_url=f"http://127.0.0.1:{port}", max_retries=0)
    try:
        # another failure, which the caller is handling
        raise FileNotFoundError(2, "No such file")
    except FileNotFoundError:
        with pytest.raises(errors.ConnectionFailedError, match=r"ConnectError \[Errno 111\] Conn"):
            call(client, get)


def test_text_of_a_failure_is_never_that_of_an_unrelated_one() -> None:
    error, replaced, cause = httpx.ReadError(""), OSError(), ConnectionResetError(104, "reset")
    error.__context__ = OSError(2, "No such file")
    assert describe_failure(error) == "ReadError"
    # httpcore names no cause, but has the text of the error that it replaces
    error.__context__ = replaced
    replaced.__cause__ = ExceptionGroup("all", [cause, ValueError()])
    assert describe_failure(error) == "ReadError [Errno 104] reset"


@cases(
    ("body", "headers", "wait", "sunset"),
    [
        ({"error": "unsupported_api_version", "reason": "version_unknown"}, {}, None, None),
        (
            *({"code": "UNSUPPORTED_API_VERSION", "message": "It ends soon."},),
            *({"Retry-After": "7200", "Sunset": "Thu, 01 Jul 2027 00:00:00 GMT"}, 7200.0),
            date(2027, 7, 1),
        ),
        (
            *({"error": {"code": "unsupported-api-version"}}, {"Sunset": "1 Jul 2027 00:00:00"}),
            *(None, date(2027, 7, 1)),
        ),
        ({"code": "UnsupportedApiVersion"}, {"Sunset": "soon"}, None, None),
    ],
)
def test_refusal_of_the_version_has_its_own_error(
    body: Any, headers: dict[str, str], wait: float | None, sunset: date | None
) -> None:
    for made in (get, update):
        error, requests = fail([httpx.Response(400, headers=headers, json=body)], made)
        assert (type(error), len(requests)) == (errors.VersionRefusedError, 1)
        assert (error.retry_after, error.sunset) == (wait, sunset)
    other, _ = fail([httpx.Response(422, headers=headers, json=body)], get)
    assert type(other) is errors.UnprocessableError
