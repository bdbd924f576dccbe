"""The simulation creates and advances transactions, in the sandbox only."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from support.facts import TRANSACTION_STATUSES
from support.sandboxes import Caller, Sandbox
from support.tables import cases

AMOUNT = {"amount": "100.50", "currency": {"code": "USDC", "type": "Crypto"}}


def deposit(caller: Caller, autoramp: dict[str, Any], body: Any = None) -> Any:
    response = caller.ask("POST", f"/sandbox/autoramps/{autoramp['id']}/deposits", body)
    assert response.status_code == 201, response.text
    return response.json()


def test_deposit_starts_a_transaction_under_review(partner: Caller) -> None:
    customer = partner.customer()
    autoramp = partner.post("/autoramps", {"customer_id": customer, "ramp_type": "Onramp"})
    started = deposit(partner, autoramp, {"amount": AMOUNT})
    ours = {name: started[name] for name in ("id", "batch_id", "created_at")}
    assert started == {
        **ours,
        "autoramp_id": autoramp["id"],
        "customer_id": customer,
        "kind": "Onramp",
        "state": "Pending",
        "status": "FundsReviewInProgress",
        "source_amount": AMOUNT,
    }
    assert partner.get("/autoramp-transactions")["items"] == [started]


def test_deposit_needs_no_body(partner: Caller) -> None:
    started = deposit(partner, partner.post("/autoramps"))
    assert started["status"] == "FundsReviewInProgress"


def test_deposit_sets_the_open_fields_of_its_transaction(partner: Caller) -> None:
    given = {
        "source": {"blockchain": "Solana", "wallet_address": "7xKX"},
        "recipient": {"provider_name": "A bank", "bank_address": None},
        "note": [1, {"open": True}],
    }
    started = deposit(partner, partner.post("/autoramps"), given)
    assert {name: started[name] for name in given} == given


def test_deposit_can_not_set_fields_of_the_server(partner: Caller) -> None:
    autoramp = partner.post("/autoramps")
    given = {"id": str(uuid4()), "status": "Completed", "created_at": "2020-01-01T00:00:00Z"}
    started = deposit(partner, autoramp, given)
    assert started["id"] != given["id"]
    assert started["status"] == "FundsReviewInProgress"
    assert started["created_at"] > autoramp["created_at"]


@cases(
    "body",
    [
        {"amount": "100"},
        {"amount": {"amount": 100}},
        {"amount": {"amount": "1e5"}},
        {"amount": {"amount": "１００"}},
        {"amount": {"amount": "NaN"}},
        {"amount": {"amount": " 1 "}},
        {"recipient": "somebody"},
        {"is_third_party": "yes"},
        {"source": {"wallet_address": 7}},
        {"payment_tracking": {"imad": None}},
    ],
)
def test_invalid_deposit_is_refused_with_a_text(partner: Caller, body: Any) -> None:
    autoramp = partner.post("/autoramps")
    response = partner.ask("POST", f"/sandbox/autoramps/{autoramp['id']}/deposits", body)
    assert (response.status_code, type(response.json())) == (400, str)
    assert partner.get("/autoramp-transactions")["items"] == []


def test_transaction_can_be_moved_to_every_status(partner: Caller) -> None:
    started = deposit(partner, partner.post("/autoramps"))
    path = f"/sandbox/autoramp-transactions/{started['id']}/advance"
    for status in TRANSACTION_STATUSES:
        assert partner.post(path, {"status": status}) == {**started, "status": status}
        assert partner.get("/autoramp-transactions", status=status)["items"][0]["status"] == status


@cases("body", [None, {}, {"status": "completed"}, {"status": "Done", "x": 1}])
def test_transaction_can_not_be_moved_to_anything_else(partner: Caller, body: Any) -> None:
    started = deposit(partner, partner.post("/autoramps"))
    path = f"/sandbox/autoramp-transactions/{started['id']}/advance"
    response = partner.ask("POST", path, body)
    assert (response.status_code, type(response.json())) == (400, str)
    assert partner.get("/autoramp-transactions")["items"][0] == started


def test_transactions_of_others_can_not_be_moved(partner: Caller, other: Caller) -> None:
    started = deposit(other, other.post("/autoramps"))
    for id in (started["id"], str(uuid4())):
        path = f"/sandbox/autoramp-transactions/{id}/advance"
        response = partner.ask("POST", path, {"status": "Completed"})
        assert (response.status_code, response.json()) == (400, "there is no such transaction")
    assert other.get("/autoramp-transactions")["items"] == [started]


def test_production_has_no_simulation(environments: dict[str, Sandbox]) -> None:
    production = environments["production"].partner()
    autoramp = production.post("/autoramps")
    deposits = f"autoramps/{autoramp['id']}/deposits"
    for path in (deposits, f"autoramp-transactions/{uuid4()}/advance"):
        response = production.ask("POST", f"/sandbox/{path}", {"status": "Completed"})
        assert response.status_code == 404
