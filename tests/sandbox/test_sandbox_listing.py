"""The listing of transactions: each parameter of the specification, alone and combined."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from support.facts import RAMP_TYPES, TRANSACTION_STATUSES
from support.sandboxes import BOTH_DATABASES, START, Caller, Sandbox
from support.tables import cases


def minutes(amount: int) -> list[dict[str, Any]]:
    """Return that many rows, one for each minute from the start."""
    return [{"created_at": START + timedelta(minutes=each)} for each in range(amount)]


def list_ids(caller: Caller, **query: Any) -> list[str]:
    """Return the ids on the page for the query."""
    return [item["id"] for item in caller.get("/autoramp-transactions", **query)["items"]]


def is_refused(caller: Caller, **query: Any) -> bool:
    """Return whether the request is refused with a text."""
    response = caller.ask("GET", "/autoramp-transactions", query=query)
    return (response.status_code, type(response.json())) == (400, str)


def test_page_without_transactions_is_empty(partner: Caller) -> None:
    page = partner.get("/autoramp-transactions")
    assert page == {"items": [], "prev_cursor": None}


def test_page_has_ten_items_newest_first_by_default(partner: Caller) -> None:
    ids = partner.transactions(minutes(12))
    assert list_ids(partner) == ids[:1:-1]


def test_page_has_the_requested_size(partner: Caller) -> None:
    ids = partner.transactions(minutes(101))
    for size in (0, 1, 100):
        assert list_ids(partner, page_size=size, sort_order="asc") == ids[:size]


@cases("size", ["101", "-1", "+10", "1_0", "010", "10.0", " 10", "1e1", "", "ten"])
def test_other_sizes_are_refused(partner: Caller, size: str) -> None:
    assert is_refused(partner, page_size=size)


@BOTH_DATABASES
def test_page_names_the_cursors_of_its_neighbours(partner: Caller) -> None:
    ids = partner.transactions(minutes(5))
    ask = {"page_size": 2, "sort_order": "asc"}
    first = partner.get("/autoramp-transactions", **ask)
    middle = partner.get("/autoramp-transactions", **ask, cursor=first["cursor"])
    last = partner.get("/autoramp-transactions", **ask, cursor=middle["cursor"])
    pages = [[item["id"] for item in page["items"]] for page in (first, middle, last)]
    assert pages == [ids[:2], ids[2:4], ids[4:]]
    assert (first["prev_cursor"], "cursor" in last) == (None, False)
    back = partner.get("/autoramp-transactions", **ask, prev_cursor=last["prev_cursor"])
    assert back == middle
    assert partner.get("/autoramp-transactions", **ask, prev_cursor=back["prev_cursor"]) == first


@BOTH_DATABASES
@cases("name", ["cursor", "prev_cursor"])
def test_cursors_of_others_are_refused(partner: Caller, other: Caller, name: str) -> None:
    partner.transactions(minutes(1))
    [theirs] = other.transactions(minutes(1))
    for cursor in (theirs, str(uuid4()), "", "x", f"urn:uuid:{theirs}", theirs.replace("-", "")):
        assert is_refused(partner, **{name: cursor})


def test_cursors_in_both_directions_are_refused(partner: Caller) -> None:
    [id] = partner.transactions(minutes(1))
    assert is_refused(partner, cursor=id, prev_cursor=id)


def test_cursors_may_be_in_upper_case(partner: Caller) -> None:
    ids = partner.transactions(minutes(3))
    assert list_ids(partner, cursor=ids[2].upper()) == [ids[1], ids[0]]


def test_transactions_are_sorted_by_time(partner: Caller) -> None:
    ids = partner.transactions(minutes(5))
    assert list_ids(partner, sort_order="asc") == ids
    assert list_ids(partner, sort_order="desc") == ids[::-1]


@cases("order", ["ASC", "ascending", ""])
def test_other_orders_are_refused(partner: Caller, order: str) -> None:
    assert is_refused(partner, sort_order=order)


def test_transactions_of_one_autoramp_can_be_listed(partner: Caller) -> None:
    partner.transactions(minutes(2))
    wanted = partner.transactions(minutes(2))
    items = partner.get("/autoramp-transactions", page_size=2)["items"]
    autoramps = {item["autoramp_id"] for item in partner.get("/autoramp-transactions")["items"]}
    assert len(autoramps) == 2
    found = [list_ids(partner, autoramp_id=autoramp, sort_order="asc") for autoramp in autoramps]
    assert wanted in found
    assert len(items) == 2


def test_transactions_of_one_customer_can_be_listed(partner: Caller) -> None:
    customer = partner.customer()
    rows = [{"customer_id": each} for each in (UUID(customer), None, UUID(partner.customer()))]
    ids = partner.transactions(rows)
    assert list_ids(partner, customer_id=customer) == ids[:1]


@cases("name", ["autoramp_id", "customer_id"])
def test_invalid_ids_are_refused_and_unknown_ones_match_nothing(partner: Caller, name: str) -> None:
    partner.transactions(minutes(1))
    assert is_refused(partner, **{name: "x"})
    assert list_ids(partner, **{name: str(uuid4())}) == []


def test_transactions_of_one_ramp_type_can_be_listed(partner: Caller) -> None:
    ids = partner.transactions([{"ramp_type": each} for each in RAMP_TYPES])
    assert [list_ids(partner, ramp_type=each) for each in RAMP_TYPES] == [[id] for id in ids]


@BOTH_DATABASES
def test_transactions_in_some_statuses_can_be_listed(partner: Caller) -> None:
    ids = partner.transactions([{"status": each} for each in TRANSACTION_STATUSES])
    known = dict(zip(TRANSACTION_STATUSES, ids, strict=True))
    for wanted in (*([each] for each in TRANSACTION_STATUSES), ["Failed", "Completed"]):
        found = list_ids(partner, status=",".join(wanted))
        assert sorted(found) == sorted(known[each] for each in wanted)


@cases(
    ("name", "value"),
    [
        ("ramp_type", "onramp"),
        ("ramp_type", ""),
        ("status", "Done"),
        ("status", "Completed,"),
        ("status", ""),
    ],
)
def test_unknown_values_are_refused(partner: Caller, name: str, value: str) -> None:
    assert is_refused(partner, **{name: value})


def test_duplicate_parameters_are_refused(partner: Caller) -> None:
    assert is_refused(partner, page_size=["1", "1"])


def test_unknown_parameters_are_ignored(partner: Caller) -> None:
    ids = partner.transactions(minutes(1))
    assert list_ids(partner, unknown="x") == ids


@BOTH_DATABASES
def test_time_bounds_are_inclusive(partner: Caller) -> None:
    ids = partner.transactions(minutes(4))

    def at(minute: int) -> str:
        return (START + timedelta(minutes=minute)).isoformat()

    ask = {"sort_order": "asc"}
    assert list_ids(partner, **ask, from_date=at(1)) == ids[1:]
    assert list_ids(partner, **ask, to_date=at(2)) == ids[:3]
    assert list_ids(partner, **ask, from_date=at(1), to_date=at(2)) == ids[1:3]
    assert list_ids(partner, **ask, from_date=at(2), to_date=at(1)) == []


@BOTH_DATABASES
def test_time_bounds_have_microseconds_and_any_zone(partner: Caller) -> None:
    moment = datetime.fromisoformat("2026-03-01T12:00:00.000001+00:00")
    ids = partner.transactions(
        [{"created_at": moment + timedelta(microseconds=each)} for each in (-1, 0, 1)]
    )
    bound = "2026-03-01T14:00:00.000001+02:00"
    assert list_ids(partner, sort_order="asc", from_date=bound) == ids[1:]
    assert list_ids(partner, sort_order="asc", to_date=bound) == ids[:2]


@BOTH_DATABASES
def test_extreme_time_bounds_are_accepted(partner: Caller) -> None:
    ids = partner.transactions(minutes(1))
    for bound in ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999-23:59"):
        assert list_ids(partner, from_date=bound) + list_ids(partner, to_date=bound) == ids


@cases("name", ["from_date", "to_date"])
@cases(
    "value", ["2026-01-01", "2026-01-01T00:00:00", "1767225600", "2026-01-01T24:00:00Z", "now", ""]
)
def test_invalid_times_are_refused(partner: Caller, name: str, value: str) -> None:
    assert is_refused(partner, **{name: value})


def test_partner_sees_its_own_transactions_only(partner: Caller, other: Caller) -> None:
    ids = partner.transactions(minutes(1))
    other.transactions(minutes(1))
    assert list_ids(partner) == ids


def test_listing_for_a_sub_partner_shows_its_transactions_only(partner: Caller) -> None:
    sub = partner.sub_partner()
    ids = partner.transactions([{"sub_partner_id": each} for each in (UUID(sub), None)])
    response = partner.ask("GET", "/autoramp-transactions", x_sub_partner_id=sub)
    assert [item["id"] for item in response.json()["items"]] == ids[:1]
    assert sorted(list_ids(partner)) == sorted(ids)


def test_cursor_outside_of_the_sub_partner_is_refused(partner: Caller) -> None:
    sub = partner.sub_partner()
    [outside] = partner.transactions(minutes(1))
    response = partner.ask(
        "GET", "/autoramp-transactions", query={"cursor": outside}, x_sub_partner_id=sub
    )
    assert response.status_code == 400


def test_sub_partners_of_others_are_refused(partner: Caller, other: Caller) -> None:
    for sub in (other.sub_partner(), str(uuid4()), "sub"):
        response = partner.ask("GET", "/autoramp-transactions", x_sub_partner_id=sub)
        assert (response.status_code, type(response.json())) == (400, str)


@BOTH_DATABASES
def test_all_conditions_apply_together(partner: Caller) -> None:
    customer = UUID(partner.customer())
    row = {
        "customer_id": customer,
        "ramp_type": "Onramp",
        "status": "Completed",
        "created_at": START,
        "fields": {"source": {"wallet_address": "7xKX"}},
    }
    others = [
        {**row, "customer_id": None},
        {**row, "ramp_type": "Swap"},
        {**row, "status": "Failed"},
        {**row, "created_at": START - timedelta(seconds=1)},
        {**row, "created_at": START + timedelta(seconds=2)},
        {**row, "fields": {}},
    ]
    ids = partner.transactions([row, *others])
    autoramp = partner.get("/autoramp-transactions")["items"][0]["autoramp_id"]
    ask = {
        "autoramp_id": autoramp,
        "customer_id": str(customer),
        "ramp_type": "Onramp",
        "status": "Completed",
        "from_date": START.isoformat(),
        "to_date": (START + timedelta(seconds=1)).isoformat(),
        "search_term": "7XKX",
        "page_size": 1,
        "sort_order": "asc",
    }
    assert partner.get("/autoramp-transactions", **ask) == {
        "items": [
            {
                "id": ids[0],
                "autoramp_id": autoramp,
                "customer_id": str(customer),
                "created_at": "2026-01-01T00:00:00Z",
                "status": "Completed",
                "source": {"wallet_address": "7xKX"},
            }
        ],
        "prev_cursor": None,
    }


def test_production_lists_transactions_too(environments: dict[str, Sandbox]) -> None:
    production = environments["production"].partner()
    ids = production.transactions(minutes(2))
    assert list_ids(production) == ids[::-1]
