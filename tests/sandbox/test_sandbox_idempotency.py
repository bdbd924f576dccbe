"""Retries with an idempotency key have one effect and one answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from typing import Any
from uuid import uuid4

import httpx
import psycopg
from paynet.server import Settings
from sqlalchemy import make_url, update
from support.sandboxes import BOTH_DATABASES, Caller, sandbox

from paynet_sandbox.tables import EPOCH, IdempotentAnswer


def create(caller: Caller, key: str, body: Any = None, **headers: str) -> httpx.Response:
    return caller.ask("POST", "/autoramps", body or {}, idempotency_key=key, **headers)


def list_effects(caller: Caller) -> list[Any]:
    """Return all effects."""
    items: list[Any] = caller.get("/autoramps")["items"]
    return items


@BOTH_DATABASES
def test_retry_has_one_effect_and_the_same_answer(partner: Caller) -> None:
    first = create(partner, "key", {"note": "ä"})
    second = create(partner, "key", {"note": "ä"})
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert list_effects(partner) == [first.json()]


def test_replay_is_the_stored_answer_whichever_version_is_requested(partner: Caller) -> None:
    first = create(partner, "key", x_api_version="2026-07-01")
    assert "FedNow" in first.text
    assert create(partner, "key", x_api_version="2025-03-13").content == first.content


def test_every_request_without_a_key_has_its_effect(partner: Caller) -> None:
    answers = [partner.post("/autoramps") for _ in range(2)]
    assert list_effects(partner) == answers[::-1]


def test_same_key_with_another_body_is_refused(partner: Caller) -> None:
    first = create(partner, "key", {"note": 1})
    second = create(partner, "key", {"note": 2})
    assert (second.status_code, type(second.json())) == (422, str)
    assert list_effects(partner) == [first.json()]


def test_keys_of_accounts_are_separate(partner: Caller, other: Caller) -> None:
    first, second = create(partner, "key"), create(other, "key", {"note": "other body"})
    assert (list_effects(partner), list_effects(other)) == ([first.json()], [second.json()])


def test_header_that_the_operation_ignores_makes_no_other_key(partner: Caller) -> None:
    first = create(partner, "key")
    for sub in (partner.sub_partner(), str(uuid4()), "no UUID"):
        assert create(partner, "key", x_sub_partner_id=sub).json() == first.json()
    assert list_effects(partner) == [first.json()]


@BOTH_DATABASES
def test_refusal_is_not_stored(partner: Caller) -> None:
    body = {"external_id": "theirs"}
    blocking = partner.post("/autoramps", body)
    assert create(partner, "key", body).status_code == 400
    partner.ask("PATCH", f"/autoramps/{blocking['id']}", {"external_id": "other"})
    assert create(partner, "key", body).status_code == 200


@BOTH_DATABASES
def test_answer_is_forgotten_after_the_retention_time(partner: Caller) -> None:
    first = create(partner, "key")

    async def expire(session: Any) -> None:
        await session.execute(update(IdempotentAnswer).values(expires_at=EPOCH))

    partner.sandbox.door.run(expire)
    second = create(partner, "key", {"note": "other body"})
    assert list_effects(partner) == [second.json(), first.json()]
    assert create(partner, "key", {"note": "other body"}).content == second.content


@BOTH_DATABASES
def test_one_of_forty_concurrent_requests_has_its_effect(new_database: Any) -> None:
    # on a busy machine, the first request may outlast the default wait of retries
    with sandbox(new_database(), settings=Settings(patience=30)) as patient:
        partner = patient.partner()
        with ThreadPoolExecutor(40) as pool:
            answers = list(pool.map(lambda _: create(partner, "key", {"note": "x"}), range(40)))
        [effect] = list_effects(partner)
    assert {(each.status_code, each.text) for each in answers} == {(200, answers[0].text)}
    assert answers[0].json() == effect


@contextmanager
def held_back(caller: Caller, address: str) -> Iterator[None]:
    """Delay the commits of the caller."""
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        assert url.database is not None
        with closing(sqlite3.connect(url.database, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
    else:
        with psycopg.connect(address) as connection:
            wanted = "SELECT FROM partners WHERE id = %s FOR UPDATE"
            connection.execute(wanted, [caller.partner_id])
            yield


@BOTH_DATABASES
def test_retry_during_the_first_request_is_told_so(new_database: Any) -> None:
    address = new_database()
    with sandbox(address, settings=Settings(patience=0.1)) as impatient:
        caller = impatient.partner()
        with ThreadPoolExecutor(2) as pool:
            with held_back(caller, address):
                both = [pool.submit(create, caller, "key") for _ in range(2)]
                [reported], [running] = wait(both, return_when=FIRST_COMPLETED)
            effect = running.result()
        assert (reported.result().status_code, type(reported.result().json())) == (409, str)
        assert list_effects(caller) == [effect.json()]
        assert create(caller, "key").content == effect.content
