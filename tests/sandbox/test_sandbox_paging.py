"""Paging during concurrent writes misses no existing row, and repeats none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import httpx
import pytest
from support.facts import TRANSACTION_STATUSES
from support.sandboxes import BOTH_DATABASES, START, Caller

WRITERS = 4
TIES = 15


@contextmanager
def writing(caller: Caller, amount: int) -> Iterator[list[str]]:
    """Let several tasks write *amount* transactions each; yield the ids as they are created."""
    autoramp = caller.post("/autoramps")["id"]
    path = f"/api/sandbox/autoramps/{autoramp}/deposits"
    written: list[str] = []

    def write() -> None:
        host = caller.sandbox.client.base_url
        headers = {"X-API-Key": caller.key}
        with httpx.Client(base_url=host, headers=headers, timeout=30) as client:
            for _ in range(amount):
                written.append(client.post(path).json()["id"])

    writers = [threading.Thread(target=write) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        yield written
    finally:
        for writer in writers:
            writer.join()


def pages(caller: Caller, link: str, ask: dict[str, Any], start: str | None) -> Iterator[Any]:
    """Yield the pages from *start* on, following the *link* of each page."""
    while True:
        page = caller.get("/autoramp-transactions", **ask, **({link: start} if start else {}))
        yield page
        start = page.get(link)
        if start is None:
            return


def ids(page: Any) -> list[str]:
    return [item["id"] for item in page["items"]]


def fill(caller: Caller) -> list[str]:
    """Add 24 transactions, many of them concurrently; return their ids in order."""
    times = [START + timedelta(seconds=number // TIES) for number in range(24)]
    added = caller.transactions({"created_at": time} for time in times)
    return [id for _, id in sorted(zip(times, added, strict=True))]


@BOTH_DATABASES
@pytest.mark.parametrize(("size", "order"), [(2, "desc"), (15, "asc"), (100, "desc")])
def test_existing_rows_are_seen_once_in_both_directions(
    partner: Caller, size: int, order: str
) -> None:
    expected = fill(partner)[:: 1 if order == "asc" else -1]
    ask = {"page_size": size, "sort_order": order}
    # writers stop at some point, so that paging ends
    with writing(partner, amount=3):
        forwards = [ids(page) for page in pages(partner, "cursor", ask, None)]
        # backwards from beyond the last row: everything again in reverse
        last = forwards[-1][-1]
        backwards = [ids(page) for page in pages(partner, "prev_cursor", ask, last)]
    known = set(expected)
    seen = [id for page in forwards for id in page if id in known]
    back = [id for page in reversed(backwards) for id in page if id in known]
    assert seen == expected
    assert [*back, *([last] if last in known else [])] == expected
    assert all(len(page) == size for page in forwards[:-1])


@BOTH_DATABASES
def test_paging_to_the_growing_end_misses_nothing(partner: Caller) -> None:
    seen: dict[str, None] = {}
    cursor: dict[str, str] = {}
    with writing(partner, amount=8) as written:
        while len(seen) < 8 * WRITERS:
            ask = {"sort_order": "asc", "page_size": 30, **cursor}
            page = partner.get("/autoramp-transactions", **ask)
            seen |= dict.fromkeys(ids(page))
            if "cursor" in page:
                cursor = {"cursor": page["cursor"]}
    [all_at_once] = pages(partner, "cursor", {"sort_order": "asc", "page_size": 100}, None)
    assert list(seen) == ids(all_at_once)
    assert sorted(seen) == sorted(written)


@BOTH_DATABASES
def test_times_increase_in_the_order_of_the_listing(partner: Caller) -> None:
    with writing(partner, amount=5):
        pass
    items = partner.get("/autoramp-transactions", sort_order="asc", page_size=100)["items"]
    times = [item["created_at"] for item in items]
    assert times == sorted(set(times))


SOUGHT: list[dict[str, list[str]]] = [
    {"status": ["ConversionInProgress", "RejectedAml", "Failed"]},
    {"status": [*TRANSACTION_STATUSES, *TRANSACTION_STATUSES]},
    {"ramp_type": ["Swap"]},
    {"ramp_type": ["Onramp"], "status": ["ConversionInProgress", "Failed"]},
    {"ramp_type": ["Mint"]},
]


@BOTH_DATABASES
def test_rows_of_several_kinds_are_paged_in_one_order(partner: Caller) -> None:
    customer, sub = partner.customer(), partner.sub_partner()
    rows: list[dict[str, Any]] = [
        {
            "created_at": START + timedelta(seconds=number // TIES),
            "status": TRANSACTION_STATUSES[number * number % 5],
            "ramp_type": ("Onramp", "Swap", None)[number % 3],
            "customer_id": UUID(customer) if number % 2 else None,
            "sub_partner_id": UUID(sub) if number % 5 else None,
        }
        for number in range(36)
    ]
    added = dict(zip(partner.transactions(rows), rows, strict=True))
    order = sorted(added, key=lambda id: (added[id]["created_at"], id))
    acting = replace(partner, headers={"x_sub_partner_id": sub})
    every = [*product((partner, acting), ({}, {"customer_id": customer}))]
    # each filter with two of the four kinds of rows, each kind with three filters
    for number, sought in enumerate(SOUGHT):
        for caller, owners in every[number % 2 :: 2]:
            wanted: dict[str, list[Any]] = {
                **sought,
                **{name: [UUID(id)] for name, id in owners.items()},
                **({"sub_partner_id": [UUID(sub)]} if caller is acting else {}),
            }
            expected = [
                id
                for id in order
                if all(added[id][name] in among for name, among in wanted.items())
            ]
            query = {name: ",".join(among) for name, among in sought.items()} | owners
            ask = {"page_size": 4, "sort_order": "asc", **query}
            read = list(pages(caller, "cursor", ask, None))
            assert [id for page in read for id in ids(page)] == expected
            if expected:
                back = pages(caller, "prev_cursor", ask, expected[-1])
                assert [id for page in back for id in ids(page)[::-1]] == expected[-2::-1]
