"""The generated clients call the reference server: every operation of every version."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from support.called_apis import read_called
from support.processes import migrate_database, new_partner, server
from support.retries import call_while_killed
from support.sandboxes import BOTH_DATABASES, Caller, Sandbox
from support.seeds import scale

from dateline.load import load

SCHEMAS = Path(__file__).parents[2] / "schemas"
VERSIONS = ("2025-03-13", "2026-07-01", "2026-08-01")


class Either:
    """A synchronous or asynchronous client with the same interface; records the methods called."""

    def __init__(self, runner: asyncio.Runner, client: Any, *, is_awaited: bool) -> None:
        self._runner = runner
        self._client = client
        self._is_awaited = is_awaited
        self.called: set[str] = set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        self.called.add(name)
        method = getattr(self._client, name)
        if not self._is_awaited:
            return lambda *values, **named: _listed(method(*values, **named))

        async def call(*values: Any, **named: Any) -> Any:
            found = method(*values, **named)
            return [each async for each in found] if name.startswith("iter_") else await found

        return lambda *values, **named: self._runner.run(call(*values, **named))


def _listed(found: Any) -> Any:
    return list(found) if hasattr(found, "__next__") else found


@pytest.mark.parametrize(
    ("version", "kind"), [*zip(VERSIONS, ("Client", "AsyncClient", "Client"), strict=True)]
)
def test_every_operation_returns_its_model(
    version: str, kind: str, partner: Caller, environments: dict[str, Sandbox]
) -> None:
    api = importlib.import_module(f"paynet.v{version.replace('-', '_')}")
    errors = importlib.import_module("paynet.client")
    host = str(environments["sandbox"].client.base_url).rstrip("/")
    make = getattr(api, kind)
    with asyncio.Runner() as runner:
        client = make(api_key=partner.key, environment="sandbox", base_url=f"{host}/api")
        either = Either(runner, client, is_awaited=kind == "AsyncClient")
        rails = ["Iban", "AchWire", "Swift", *(["FedNow"] if version > "2026" else [])]
        made = either.create_autoramp(body={"external_id": "mine"}, idempotency_key="key")
        assert isinstance(made, api.Autoramp)
        assert [each.type for each in made.deposit_rails] == rails
        assert either.create_autoramp(body={"external_id": "mine"}, idempotency_key="key") == made
        assert either.get_autoramp(made.id) == made
        assert either.get_autoramp_by_external_id("mine") == made
        assert either.list_autoramps() == api.AutorampList(items=[made])
        assert isinstance(either.create_autoramp_quote(made.id), api.Autoramp)
        assert isinstance(either.update_autoramp(made.id, body={}), api.Autoramp)
        customer = UUID(partner.customer(email="old@a.example"))
        new = api.UpdateCustomerParams(email="new@a.example")
        assert either.update_customer(customer, body=new) is None
        assert [each["email"] for each in partner.customers()] == ["new@a.example"]
        limit = either.get_customer_spending_limit(customer)
        assert limit == api.SpendingLimit(threshold_eur="15000.00")
        deposits = [
            either.simulate_deposit(made.id, body=api.SimulateDepositParams()) for _ in range(3)
        ]
        params = api.AdvanceTransactionParams(status="Completed")
        done = either.advance_transaction(deposits[0].id, body=params)
        assert done.status is api.AutorampTransactionStatus.COMPLETED
        page = either.list_autoramp_transactions(page_size=2)
        assert isinstance(page, api.AutorampTransactionPage)
        listed = either.iter_autoramp_transactions(page_size=2)
        assert [each.id for each in listed] == [each.id for each in reversed(deposits)]
        assert listed[:2] == page.items
        with pytest.raises(errors.BadRequestError) as caught:
            either.retry_fiat_address_auth("a")
        assert "not implemented" in caught.value.body
        assert either.list_versions().latest == VERSIONS[-1]
        assert either.get_version_document(version)["info"]["version"] == version
        assert either.get_latest_document()["info"]["version"] == VERSIONS[-1]
        either.close()
    known = {each.method_name for each in read_called(load(SCHEMAS), version, "sandbox")}
    assert known - either.called == set()


@BOTH_DATABASES
def test_each_effect_happens_once_while_the_server_is_killed(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    address = new_database()
    with migrate_database(address) as door:
        _, key = new_partner(door)
    with server(address, tmp_path / "log") as running:
        assert call_while_killed(running, key, calls=scale(80), kills=scale(4)).broken == []
