"""Customers: their update and spending limit, as specified."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from support.sandboxes import BOTH_DATABASES, Caller
from support.tables import cases


def update(caller: Caller, customer: str, body: Any, **headers: str) -> tuple[int, str]:
    response = caller.ask("PUT", f"/customers/{customer}", body, **headers)
    return response.status_code, response.text


def test_update_is_answered_without_a_body(partner: Caller) -> None:
    assert update(partner, partner.customer(), {"email": "new@example.com"}) == (204, "")


@BOTH_DATABASES
def test_email_is_updated_and_nothing_else(partner: Caller) -> None:
    customer = partner.customer(external_id="theirs")
    [before] = partner.customers()
    update(partner, customer, {"email": "new@example.com"})
    [after] = partner.customers()
    assert after == {**before, "email": "new@example.com", "updated_at": after["updated_at"]}
    assert after["updated_at"] > before["updated_at"]


def test_given_external_id_is_updated(partner: Caller) -> None:
    customer = partner.customer(external_id="theirs")
    update(partner, customer, {"email": "new@example.com", "external_id": "changed"})
    assert [each["external_id"] for each in partner.customers()] == ["changed"]


@cases(
    "body",
    [
        {},
        {"external_id": "changed"},
        {"email": None},
        {"email": 7},
        {"email": "new@example.com", "external_id": None},
        {"email": "new@example.com", "name": "not to be changed"},
        [],
        "new@example.com",
    ],
)
def test_other_bodies_are_refused_with_a_text_and_change_nothing(
    partner: Caller, body: Any
) -> None:
    customer = partner.customer(external_id="theirs")
    before = partner.customers()
    response = partner.ask("PUT", f"/customers/{customer}", body)
    assert (response.status_code, type(response.json())) == (400, str)
    assert partner.customers() == before


@cases("id", ["7", "not-a-uuid", "%7B%7D"])
def test_id_that_is_no_uuid_is_refused_with_a_text(partner: Caller, id: str) -> None:
    response = partner.ask("PUT", f"/customers/{id}", {"email": "new@example.com"})
    assert (response.status_code, type(response.json())) == (400, str)


def test_unknown_customer_is_refused_with_a_text(partner: Caller) -> None:
    expected = (400, '"there is no such customer"')
    assert update(partner, str(uuid4()), {"email": "new@example.com"}) == expected


def test_customer_of_another_partner_does_not_seem_to_exist(partner: Caller, other: Caller) -> None:
    customer = other.customer()
    before = other.customers()
    expected = (400, '"there is no such customer"')
    assert update(partner, customer, {"email": "new@example.com"}) == expected
    assert other.customers() == before


def test_update_for_a_sub_partner_reaches_its_customers(partner: Caller) -> None:
    sub = partner.sub_partner()
    customer = partner.customer(sub_partner_id=UUID(sub))
    body = {"email": "new@example.com"}
    assert update(partner, customer, body, x_sub_partner_id=sub.upper()) == (204, "")


def test_update_for_a_sub_partner_reaches_no_others(partner: Caller) -> None:
    sub, own = partner.sub_partner(), partner.customer()
    elsewhere = partner.customer(sub_partner_id=UUID(partner.sub_partner()))
    body = {"email": "new@example.com"}
    expected = (400, '"there is no such customer"')
    assert update(partner, own, body, x_sub_partner_id=sub) == expected
    assert update(partner, elsewhere, body, x_sub_partner_id=sub) == expected


def test_sub_partner_must_be_named_by_its_uuid(partner: Caller) -> None:
    said = r'"the parameter \"X-SUB-PARTNER-ID\" has to be a UUID with hyphens, not \"sub\""'
    body = {"email": "new@example.com"}
    assert update(partner, partner.customer(), body, x_sub_partner_id="sub") == (400, said)


def test_partner_acts_for_its_own_sub_partners_only(partner: Caller, other: Caller) -> None:
    expected = (400, '"X-SUB-PARTNER-ID is not that of a sub-partner of yours"')
    body = {"email": "new@example.com"}
    sub = other.sub_partner()
    assert update(partner, partner.customer(), body, x_sub_partner_id=sub) == expected


def test_customer_has_the_fields_of_the_specification(partner: Caller) -> None:
    customer = partner.customer(identification_status="Approved", active_email="to@example.com")
    assert partner.customers() == [
        {
            "id": customer,
            "customer_type": "Business",
            "identification_ids": [],
            "signing_ids": [],
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "status": "Active",
            "name": "Ångström Trading GmbH",
            "email": "first@example.com",
            "partner_id": str(partner.partner_id),
            "active_email": "to@example.com",
            "identification_status": "Approved",
            "spending_limit_euro": None,
        }
    ]


def test_spending_limit_is_reported_in_euro(partner: Caller) -> None:
    customer = partner.customer(threshold_eur="2500.00")
    limit = partner.get(f"/customers/{customer}/spending-limit")
    assert limit == {"threshold_eur": "2500.00"}


def test_spending_limit_of_another_partners_customer_is_not_reported(
    partner: Caller, other: Caller
) -> None:
    response = partner.ask("GET", f"/customers/{other.customer()}/spending-limit")
    assert (response.status_code, response.json()) == (400, "there is no such customer")
