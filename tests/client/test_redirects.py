"""Redirects are followed if a client is configured to, without secrets for another origin."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from client.test_calling import AUTORAMP, ID, KEY, call, failing, kinds
from paynet import client as errors
from paynet.v2026_07_01 import Client, UpdateCustomerParams
from support.calls import Scripted, answer
from support.tables import cases

HOME = f"https://api.paynet.example/api/autoramps/{ID}"
FOLLOWING: dict[str, Any] = {"follow_redirects": True, "headers": {"X-Extra": "theirs"}}


def redirect(status: int, to: str) -> httpx.Response:
    return answer(status, {"message": "elsewhere"}, location=to)


def get(client: Any) -> Any:
    return client.get_autoramp(ID)


def put(client: Any) -> Any:
    return client.update_customer(ID, body=UpdateCustomerParams(email="a@b.example"))


@kinds
@cases("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed_by_default(kind: str, status: int) -> None:
    error, requests = failing(kind, [redirect(status, "/elsewhere")], get)
    assert (type(error), error.status, len(requests)) == (errors.StatusError, status, 1)
    assert error.headers["location"] == "/elsewhere"
    assert error.__notes__ == [
        "It is a redirect, which clients with follow_redirects=True follow.",
    ]


@kinds
@cases("status", [301, 302, 303, 307, 308])
@cases("to", ["/new?a=b", "https://api.paynet.example:443/new?a=b"])
def test_same_origin_gets_everything_of_the_first_request(kind: str, status: int, to: str) -> None:
    found, [_, request] = call(
        kind, [redirect(status, to), answer(200, AUTORAMP)], get, **FOLLOWING
    )
    assert str(found.id) == str(ID)
    assert (request.method, str(request.url)) == ("GET", "https://api.paynet.example/new?a=b")
    sent = [request.headers[name] for name in ("X-API-Key", "X-API-Version", "X-Extra")]
    assert sent == [KEY, "2026-07-01", "theirs"]


@kinds
@pytest.mark.parametrize(
    "to",
    [
        "https://blobs.example/a?signed=1",
        "https://api.paynet.example:8443/a",
        "//user:word@api.other.example/a",
    ],
)
def test_another_origin_gets_no_secret_and_names_no_version(kind: str, to: str) -> None:
    answers = [redirect(302, to), answer(200, AUTORAMP, version=None)]
    found, [_, request] = call(kind, answers, get, **FOLLOWING)
    assert str(found.id) == str(ID)
    assert request.url.host == httpx.URL(HOME).join(to).host
    assert {"x-api-key", "x-api-version", "x-extra", "cookie"}.isdisjoint(request.headers)


@pytest.mark.parametrize("to", ["https://blobs.example/a", "/a"])
def test_headers_of_the_http_client_go_to_its_own_origin_only(to: str) -> None:
    transport = Scripted([redirect(302, to), answer(200, AUTORAMP)])
    own = httpx.Client(
        auth=("ann", "word"), headers={"X-Own": "1"}, cookies={"c": "1"}, transport=transport
    )
    with Client(http_client=own, **FOLLOWING) as client:
        client.get_autoramp(ID)
    first, second = transport.requests
    added = {"authorization", "x-own", "cookie"}
    assert added <= first.headers.keys()
    assert added & second.headers.keys() == (added if to == "/a" else set())


@kinds
def test_secrets_do_not_return_through_another_origin(kind: str) -> None:
    answers = [redirect(302, "https://evil.example/a"), redirect(302, HOME), answer(200, AUTORAMP)]
    _, requests = call(kind, answers, get, **FOLLOWING)
    assert ["x-api-key" in request.headers for request in requests] == [True, False, False]


@kinds
@pytest.mark.parametrize("status", [307, 308])
def test_method_and_body_are_preserved(kind: str, status: int) -> None:
    _, [first, second] = call(kind, [redirect(status, "/new"), answer(204)], put, **FOLLOWING)
    assert (second.method, second.url.path) == ("PUT", "/new")
    assert second.content == first.content != b""
    assert second.headers["content-type"] == first.headers["content-type"]


@kinds
def test_see_other_is_a_get_without_the_body(kind: str) -> None:
    _, [_, second] = call(kind, [redirect(303, "/done"), answer(204)], put, **FOLLOWING)
    assert (second.method, second.url.path, second.content) == ("GET", "/done", b"")
    assert "content-type" not in second.headers


@kinds
@cases(
    ("made", "status", "to", "said"),
    [
        (put, 301, "/new", "Not followed: PUT may have to be sent there, or GET."),
        (put, 302, "/new", "Not followed: PUT may have to be sent there, or GET."),
        (put, 307, "https://blobs.example/a", "Not followed: PUT goes to no other origin."),
        (get, 302, "http://api.paynet.example/a", "Not followed: it leads to http."),
        (get, 302, "ftp://blobs.example/a", "Not followed: it leads to ftp."),
        (get, 302, "/again", "Not followed: it is the redirect after 10 others."),
    ],
)
def test_unclear_or_unsafe_redirect_is_raised(
    kind: str, made: Any, status: int, to: str, said: str
) -> None:
    error, requests = failing(kind, [redirect(status, to)], made, **FOLLOWING)
    assert (error.status, error.__notes__) == (status, [said])
    assert len(requests) == (11 if to == "/again" else 1)


@kinds
def test_retry_starts_at_the_first_address(kind: str) -> None:
    away = redirect(302, "https://blobs.example/a?signed=1")
    answers = [away, answer(503), away, answer(200, AUTORAMP)]
    _, requests = call(kind, answers, get, **FOLLOWING)
    assert [request.url.host for request in requests] == [
        *("api.paynet.example", "blobs.example", "api.paynet.example", "blobs.example"),
    ]
    assert requests[2].headers["X-API-Key"] == KEY


def test_options_enable_redirects_for_some_calls() -> None:
    transport = Scripted([redirect(302, "/a"), answer(200, AUTORAMP), redirect(302, "/a")])
    with Client(api_key=KEY, transport=transport) as client:
        assert str(client.with_options(follow_redirects=True).get_autoramp(ID).id) == str(ID)
        with pytest.raises(errors.StatusError):
            client.get_autoramp(ID)
