"""Autoramps: the fields of the specification, and open fields that are kept."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

from support.sandboxes import BOTH_DATABASES, Caller
from support.tables import cases

OLD_RAILS = [{"type": "Iban"}, {"type": "AchWire"}, {"type": "Swift"}]
RAILS = [*OLD_RAILS, {"type": "FedNow"}]

NO_AUTORAMP = (400, "there is no such autoramp")


def answers(caller: Caller, version: str) -> list[dict[str, Any]]:
    """Return the autoramp as answered by each of the six operations."""
    external_id = f"theirs {uuid4()}"
    headers = {"x_api_version": version}
    created = caller.post("/autoramps", {"external_id": external_id}, **headers)
    id = created["id"]
    return [
        created,
        caller.ask("GET", "/autoramps", **headers).json()["items"][0],
        caller.ask("GET", f"/autoramps/{id}", **headers).json(),
        caller.ask("PATCH", f"/autoramps/{id}", {}, **headers).json(),
        caller.ask("GET", f"/autoramps/{external_id}/external", **headers).json(),
        caller.post(f"/autoramps/{id}/quotes", {}, **headers),
    ]


@cases("version", ["2026-07-01", "2026-08-01"])
def test_every_answer_has_the_deposit_rails(partner: Caller, version: str) -> None:
    assert [each["deposit_rails"] for each in answers(partner, version)] == [RAILS] * 6


@cases("version", ["", "2025-03-13"])
def test_callers_of_the_first_version_never_see_fednow(partner: Caller, version: str) -> None:
    assert [each["deposit_rails"] for each in answers(partner, version)] == [OLD_RAILS] * 6


def test_fednow_is_absent_if_the_account_does_not_support_it(partner: Caller) -> None:
    without = partner.sandbox.partner(["Iban", "AchWire", "Swift"])
    assert [each["deposit_rails"] for each in answers(without, "2026-08-01")] == [OLD_RAILS] * 6


def test_autoramp_has_the_given_fields_and_those_of_the_server(partner: Caller) -> None:
    customer = partner.customer()
    given = {
        "customer_id": customer,
        "external_id": "theirs",
        "ramp_type": "Offramp",
        "note": {"open": [1, 1.5, None, "ä", 12345678901234567890]},
    }
    created = partner.post("/autoramps", given)
    assert UUID(created["id"]).version == 4
    assert created["created_at"] == created["updated_at"]
    assert created["created_at"].endswith("Z")
    ours = {name: created[name] for name in ("id", "created_at", "updated_at")}
    assert created == {**given, **ours, "deposit_rails": OLD_RAILS}
    assert partner.get(f"/autoramps/{created['id']}") == created


def test_autoramp_can_be_created_without_a_body(partner: Caller) -> None:
    created = partner.post("/autoramps")
    assert created.keys() == {"id", "deposit_rails", "created_at", "updated_at"}


def test_fields_of_the_server_can_be_sent_back_without_effect(partner: Caller) -> None:
    first = partner.post("/autoramps", {"note": "mine"})
    second = partner.post("/autoramps", first)
    assert second["id"] != first["id"]
    assert (second["note"], second["deposit_rails"]) == ("mine", OLD_RAILS)


@cases(
    "body",
    [
        {"customer_id": "not-a-uuid"},
        {"customer_id": None},
        {"customer_id": "6f9619ff-8b86-d011-b42d-00cf4fc964ff"},
        {"external_id": 7},
        {"external_id": None},
        {"external_id": "x" * 256},
        {"ramp_type": "onramp"},
        {"ramp_type": None},
        [],
    ],
)
@cases("method", ["POST", "PATCH"])
def test_invalid_fields_are_refused_with_a_text(partner: Caller, method: str, body: Any) -> None:
    created = partner.post("/autoramps", {"external_id": str(uuid4())})
    before = partner.get("/autoramps")
    path = "/autoramps" if method == "POST" else f"/autoramps/{created['id']}"
    response = partner.ask(method, path, body)
    assert (response.status_code, type(response.json())) == (400, str)
    assert partner.get("/autoramps") == before


def test_customers_of_others_can_not_be_named(partner: Caller, other: Caller) -> None:
    response = partner.ask("POST", "/autoramps", {"customer_id": other.customer()})
    expected = (400, "customer_id is not that of a customer of yours")
    assert (response.status_code, response.json()) == expected


def test_autoramps_are_listed_newest_first(partner: Caller, other: Caller) -> None:
    created = [partner.post("/autoramps", {"number": number}) for number in range(3)]
    other.post("/autoramps", {})
    assert partner.get("/autoramps") == {"items": created[::-1]}


def test_list_without_autoramps_is_empty(partner: Caller) -> None:
    assert partner.get("/autoramps") == {"items": []}


def test_autoramp_is_found_by_its_external_id(partner: Caller) -> None:
    created = partner.post("/autoramps", {"external_id": "ä ö?"})
    assert partner.get("/autoramps/%C3%A4%20%C3%B6%3F/external") == created


def test_external_id_may_contain_slashes(partner: Caller) -> None:
    ids = ("a/b", "/", "a/b/external", "../x", "%2F", "a%2Fb/", "/é")
    created = {each: partner.post("/autoramps", {"external_id": each}) for each in ids}
    assert {
        each: partner.get(f"/autoramps/{quote(each, safe='')}/external") for each in ids
    } == created


@BOTH_DATABASES
def test_external_ids_are_unique_for_each_partner(partner: Caller, other: Caller) -> None:
    theirs = other.post("/autoramps", {"external_id": "same"})
    mine = partner.post("/autoramps", {"external_id": "same"})
    response = partner.ask("POST", "/autoramps", {"external_id": "same"})
    expected = (400, "external_id is that of another autoramp of yours")
    assert (response.status_code, response.json()) == expected
    assert partner.get("/autoramps/same/external") == mine
    assert other.get("/autoramps/same/external") == theirs


@BOTH_DATABASES
def test_update_sets_the_given_fields_only(partner: Caller) -> None:
    created = partner.post("/autoramps", {"external_id": "theirs", "a": 1, "b": {"c": 2}})
    body: dict[str, Any] = {"external_id": "theirs", "b": None, "ramp_type": "Swap", "d": []}
    changed = partner.ask("PATCH", f"/autoramps/{created['id']}", body).json()
    assert changed == {**created, **body, "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > created["updated_at"]
    assert partner.get(f"/autoramps/{created['id']}") == changed


def test_quotes_are_stored_as_given(partner: Caller) -> None:
    created = partner.post("/autoramps")
    path = f"/autoramps/{created['id']}/quotes"
    partner.post(path, {"rate": "0.92"})
    quoted = partner.post(path, {"rate": "0.93", "for": ["EUR"]})
    quotes = [{"rate": "0.92"}, {"rate": "0.93", "for": ["EUR"]}]
    assert quoted == {**created, "quotes": quotes, "updated_at": quoted["updated_at"]}
    assert partner.get(f"/autoramps/{created['id']}") == quoted


@cases(
    ("method", "path"),
    [
        ("GET", "/autoramps/{id}"),
        ("PATCH", "/autoramps/{id}"),
        ("GET", "/autoramps/{external_id}/external"),
        ("POST", "/autoramps/{id}/quotes"),
        ("POST", "/sandbox/autoramps/{id}/deposits"),
    ],
)
def test_autoramps_of_others_do_not_seem_to_exist(
    partner: Caller, other: Caller, method: str, path: str
) -> None:
    theirs = other.post("/autoramps", {"external_id": str(uuid4())})
    missing = {"id": str(uuid4()), "external_id": "missing"}
    for autoramp in (theirs, missing):
        response = partner.ask(method, path.format_map(autoramp))
        assert (response.status_code, response.json()) == NO_AUTORAMP
    assert other.get("/autoramps")["items"][0] == theirs
