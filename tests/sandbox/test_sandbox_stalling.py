"""Stalled requests delay nobody else."""

from __future__ import annotations

import select

from support.sandboxes import Caller, Sandbox
from support.stalling import stall_connections


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
