"""Stalled and oversized requests delay nobody else, and are not read."""

from __future__ import annotations

import select
from collections.abc import Callable

import pytest
from paynet.server import Settings
from paynet.server.runtime.asgi import Limits
from support.sandboxes import Caller, Sandbox, sandbox
from support.stalling import begin_request, post, read_response, stall_connections


def port(of: Sandbox) -> int:
    number = of.client.base_url.port
    assert number is not None
    return number


def test_others_are_answered_while_100_requests_stall(partner: Caller, other: Caller) -> None:
    with stall_connections(port(partner.sandbox), partner.key, 100) as waiting:
        for _ in range(10):
            made = [each.post("/autoramps", idempotency_key="1") for each in (partner, other)]
            assert [partner.get("/autoramps")["items"], other.get("/autoramps")["items"]] == [
                made[:1],
                made[1:],
            ]
        assert select.select(waiting, [], [], 0) == ([], [], [])


@pytest.mark.parametrize(
    "begin",
    [b"Content-Length: 1000\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
    ids=["with a length", "chunked"],
)
def test_stalled_body_is_refused(new_database: Callable[[], str], begin: bytes) -> None:
    settings = Settings(limits=Limits(seconds=0.2))
    with sandbox(new_database(), settings=settings) as impatient:
        caller = impatient.partner()
        head = post(caller.key, "IDEMPOTENCY-KEY: key")
        with begin_request(port(impatient), head + begin) as connection:
            assert read_response(connection) == (408, b'"the body did not arrive in time"')
        # the key is free, because nothing was stored
        made = caller.post("/autoramps", {}, idempotency_key="key")
        assert caller.get("/autoramps")["items"] == [made]


def test_body_with_a_length_over_the_limit_is_not_read(partner: Caller) -> None:
    head = post(partner.key, f"Content-Length: {1024 * 1024 + 1}")
    with begin_request(port(partner.sandbox), head + b"\r\n") as connection:
        assert read_response(connection) == (413, b'"the body has to be at most 1048576 bytes"')
    assert partner.get("/autoramps")["items"] == []


def test_body_that_grows_over_the_limit_is_read_no_further(partner: Caller) -> None:
    head = post(partner.key, "Transfer-Encoding: chunked")
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with begin_request(
        port(partner.sandbox), head + b"\r\n" + 16 * chunk + b"1\r\n \r\n"
    ) as connection:
        assert read_response(connection) == (413, b'"the body has to be at most 1048576 bytes"')


def test_body_of_one_mebibyte_is_read(partner: Caller) -> None:
    note = "x" * (1024 * 1024 - len('{"note":""}'))
    content = f'{{"note":"{note}"}}'.encode()
    assert len(content) == 1024 * 1024
    headers = {"X-API-Key": partner.key, "Content-Type": "application/json"}
    response = partner.sandbox.client.post("/api/autoramps", content=content, headers=headers)
    assert response.json()["note"] == note
