"""The generated server of the payment API satisfies its specification."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from support.payments import (
    ENVIRONMENTS,
    ID,
    MIDDLE,
    NEWEST,
    OLDEST,
    RAILS,
    VERSIONS,
    Client,
)
from support.tables import cases

OPERATIONS = [
    ("POST", "/api/addresses/fiat/f/retry-auth", None, 204),
    ("GET", "/api/autoramps", None, 200),
    ("POST", "/api/autoramps", b"{}", 200),
    ("GET", f"/api/autoramps/{ID}", None, 404),
    ("PATCH", f"/api/autoramps/{ID}", b"{}", 404),
    ("GET", "/api/autoramps/e/external", None, 404),
    ("POST", f"/api/autoramps/{ID}/quotes", b"{}", 404),
    ("GET", "/api/autoramp-transactions", None, 200),
    ("PUT", f"/api/customers/{ID}", b'{"email": "a@b.c"}', 204),
    ("GET", f"/api/customers/{ID}/spending-limit", None, 200),
]
SIMULATIONS = [
    ("POST", f"/api/sandbox/autoramps/{ID}/deposits", b"{}", 201),
    (
        "POST",
        f"/api/sandbox/autoramp-transactions/{ID}/advance",
        b'{"status": "Completed"}',
        200,
    ),
]
EVERY = [*OPERATIONS, *SIMULATIONS]


# Versions


@cases("as_models", [False, True])
@cases("version", [None, "", *VERSIONS])
@cases(("method", "path", "body", "status"), EVERY)
def test_every_operation_answers_and_names_the_version_served(
    method: str, path: str, body: bytes | None, status: int, version: str | None, as_models: bool
) -> None:
    response = Client(as_models=as_models).ask(method, path, body, version=version)
    assert response.status == status
    assert response.header("x-api-version") == [version or OLDEST]
    assert response.header("vary") == ["X-API-Version"]
    assert response.header("cache-control") == ["private, no-store"]
    if status == 204:
        assert (response.body, response.header("content-type")) == (b"", [])
    else:
        assert response.header("content-type") == ["application/json; charset=utf-8"]


def list_shown_rails(client: Client, version: str) -> dict[str, list[str]]:
    """Return the types of the rails of an autoramp wherever one is shown."""
    made = client.ask("POST", "/api/autoramps", b"{}", version=version).json
    path = f"/api/autoramps/{made['id']}"
    external = made["external_id"]
    found = {
        "created": made,
        "listed": client.ask("GET", "/api/autoramps", version=version).json["items"][0],
        "got": client.ask("GET", path, version=version).json,
        "updated": client.ask("PATCH", path, b"{}", version=version).json,
        "by its external id": client.ask(
            "GET", f"/api/autoramps/{external}/external", version=version
        ).json,
        "quoted": client.ask("POST", f"{path}/quotes", b"{}", version=version).json,
    }
    return {
        place: [rail["type"] for rail in autoramp["deposit_rails"]]
        for place, autoramp in found.items()
    }


@pytest.mark.parametrize("as_models", [False, True])
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_callers_of_the_oldest_version_never_see_fednow(environment: str, as_models: bool) -> None:
    older = [rail for rail in RAILS if rail != "FedNow"]
    for version, rails in ((OLDEST, older), (MIDDLE, [*RAILS]), (NEWEST, [*RAILS])):
        for place, types in list_shown_rails(
            Client(environment, as_models=as_models), version
        ).items():
            assert (version, place, types) == (version, place, rails)


# Environments and documents


# Keys


@cases(
    "keys",
    [
        [],
        [b""],
        [b"  "],
        [b"unknown"],
        [b"key-1", b"key-1"],
        [b"unknown", b"key-1"],
        [b"k\xe9y-1"],
        [b"key-\xff"],
        [b"key-\0"],
        [b"x" * 10_000],
    ],
)
@cases(("method", "path", "body", "status"), EVERY)
def test_callers_without_a_valid_key_get_the_same_answer(
    method: str, path: str, body: bytes | None, status: int, keys: list[bytes]
) -> None:
    client = Client()
    headers = [(b"x-api-key", key) for key in keys]
    response = client.ask(method, path, body, key=None, headers=headers, version=MIDDLE)
    if keys == [b"key-1", b"key-1"]:
        # two lines are one value with a comma: the key only starts like a known one
        assert response.status == status
        return
    assert (response.status, response.json) == (401, "unauthorized")
    assert response.header("x-api-version") == [MIDDLE]
    assert client.payments.calls == []


def test_request_is_not_read_before_its_key_is_verified() -> None:
    assert Client().ask("POST", "/api/autoramps/x/quotes", b"[", key=None).status == 401


def test_accounts_do_not_see_each_others_data() -> None:
    client = Client()
    made = client.ask("POST", "/api/autoramps", b"{}", key="key-1").json["id"]
    sub = [(b"x-sub-partner-id", b"sub")]
    for key, headers in (("key-2", []), ("key-1", sub)):
        assert client.ask("GET", "/api/autoramps", key=key, headers=headers).json == {"items": []}
        for method, path in (("GET", ""), ("PATCH", ""), ("POST", "/quotes")):
            response = client.ask(
                method, f"/api/autoramps/{made}{path}", b"{}", key=key, headers=headers
            )
            assert (response.status, response.json) == (404, "no such autoramp")
    assert [each["id"] for each in client.ask("GET", "/api/autoramps").json["items"]] == [made]


# Idempotency


# Internal errors


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("rails", "said"),
    [
        ("a secret", "/deposit_rails has to be a list"),
        ([{"type": "a secret"}], "/deposit_rails/0 fits none of the alternatives"),
        ([{"secret": 1}], "/deposit_rails/0 fits none of the alternatives"),
    ],
)
def test_value_that_no_version_has_is_an_internal_error(
    rails: Any, said: str, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client()
    made = client.ask("POST", "/api/autoramps", b"{}").json["id"]
    [autoramp] = client.payments.autoramps.values()
    autoramp["deposit_rails"] = rails
    with caplog.at_level(logging.ERROR):
        response = client.ask("GET", f"/api/autoramps/{made}", version=version)
    trace_id = response.json["trace_id"]
    assert (response.status, response.json) == (
        500,
        {"message": "internal server error", "trace_id": trace_id},
    )
    assert response.header("x-api-version") == [version]
    [record] = caplog.records
    assert trace_id in record.getMessage()
    assert said in str(record.exc_info)


def test_listing_has_its_defaults() -> None:
    client = Client()
    client.ask("GET", "/api/autoramp-transactions")
    [(_, given)] = client.payments.calls
    assert {name: value for name, value in given.items() if value is not None} == {
        "page_size": 10,
        "sort_order": "desc",
    }
