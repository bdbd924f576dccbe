"""Accounts are isolated: each request is answered as if its account were alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exchanges import Response, exchange, request
from support.payments import VERSIONS, Client, Payments
from support.seeds import scale

ACCOUNTS = ("key-1", "key-2", "key-1 for a sub-partner")


class Asked(NamedTuple):
    """A request of an account, whose path may contain its ``which``th autoramp."""

    account: str
    method: str
    path: str
    which: int
    idempotency: str
    body: bytes
    version: str


class Slow(Payments):
    """Yields to other requests first; autoramps have the next id of their account."""

    def _note(self, name: str, call: Any, **arguments: Any) -> str:
        who = super()._note(name, call, **arguments)
        self.calls[-1] = (who, arguments)
        return who

    async def create_autoramp(self, call: Any, *, body: Any) -> Any:
        who = self._note("create_autoramp", call, body=body)
        await asyncio.sleep(0)
        number = sum(owner == who for owner, _ in self.autoramps)
        made = autoramp(who, number)
        self.autoramps[who, made] = {
            "id": str(made),
            "external_id": f"external {number}",
            "deposit_rails": [{"type": "Iban"}, {"type": "FedNow"}],
        }
        await asyncio.sleep(0)
        return self._autoramp(who, made)


def autoramp(identity: str, number: int) -> UUID:
    return uuid5(NAMESPACE_URL, f"{identity} {number}")


def identity(account: str) -> str:
    key, _, sub = account.partition(" for a ")
    return f"{key} {sub or None}"


kinds = st.sampled_from(
    # creations with a key are the easiest to mix up
    [("POST", "/autoramps")] * 3
    + [("GET", "/autoramps"), ("GET", "/autoramps/{theirs}"), ("PATCH", "/autoramps/{mine}")]
    + [("POST", "/autoramps/{theirs}/quotes")]
)
requests = st.builds(
    lambda kind, **said: Asked(method=kind[0], path=kind[1], **said),
    kinds,
    account=st.sampled_from(ACCOUNTS),
    which=st.integers(0, 1),
    idempotency=st.sampled_from(["a", "b", ""]),
    body=st.sampled_from([b"{}", b'{"a": 1}', b"["]),
    version=st.sampled_from(VERSIONS),
)


async def ask_in_turn(client: Client, asked: Iterable[Asked]) -> list[Response]:
    """Return the answers to *asked*, one after the other."""
    found = []
    for each in asked:
        other = ACCOUNTS[ACCOUNTS.index(each.account) - 1]
        path = each.path.format(
            mine=autoramp(identity(each.account), each.which),
            theirs=autoramp(identity(other), each.which),
        )
        key, _, sub = each.account.partition(" for a ")
        headers = [
            (b"x-api-key", key.encode()),
            (b"x-api-version", each.version.encode()),
            (b"content-type", b"application/json"),
            *([(b"x-sub-partner-id", sub.encode())] if sub else []),
            *([(b"idempotency-key", each.idempotency.encode())] if each.idempotency else []),
        ]
        scope = request(each.method, f"/api{path}", headers)
        found.append(await exchange(client.app, scope, each.body))
        await asyncio.sleep(0)
    return found


def alone(asked: list[Asked], account: str) -> list[Response]:
    client = Client(payments=Slow())
    return asyncio.run(ask_in_turn(client, [each for each in asked if each.account == account]))


@settings(max_examples=scale(40))
@given(asked=st.lists(requests, min_size=5, max_size=25))
def test_each_account_is_answered_as_if_it_were_alone(asked: list[Asked]) -> None:
    async def together() -> list[list[Response]]:
        client = Client(payments=Slow())
        return await asyncio.gather(
            *(
                ask_in_turn(client, [each for each in asked if each.account == account])
                for account in ACCOUNTS
            )
        )

    assert asyncio.run(together()) == [alone(asked, account) for account in ACCOUNTS]


def test_requests_above_run_concurrently() -> None:
    create = Asked("key-1", "POST", "/autoramps", 0, "a", b"{}", VERSIONS[0])
    theirs = create._replace(account="key-2", method="GET", path="/autoramps/{theirs}")
    client = Client(payments=Slow())
    found = asyncio.run(ask_in_turn(client, [create, create._replace(account="key-2"), theirs]))
    assert [each.status for each in found] == [200, 200, 404]
    assert found[0].json["id"] != found[1].json["id"]
    assert {who for who, _ in client.payments.calls} == {"key-1 None", "key-2 None"}


@pytest.mark.parametrize("account", ACCOUNTS)
def test_handler_gets_its_callers_account(account: str) -> None:
    client = Client(payments=Slow())
    asked = Asked(account, "GET", "/autoramps", 0, "", b"", VERSIONS[0])
    asyncio.run(ask_in_turn(client, [asked]))
    assert [who for who, _ in client.payments.calls] == [identity(account)]
