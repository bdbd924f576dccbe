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
