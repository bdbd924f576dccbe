"""The store of answers keeps an effect and its answer together, or neither."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import httpx
from paynet.server.runtime.asgi import Receive, Scope, Send, respond
from paynet.server.runtime.idempotency import Answer, Attempt, Claim, Stored
from paynet.server.runtime.idempotency import Scope as KeyScope
from paynet.server.runtime.replaying import Idempotent
from support.sandboxes import BOTH_DATABASES

from paynet_sandbox import partners
from paynet_sandbox.database import Database
from paynet_sandbox.idempotency import DatabaseStore
from paynet_sandbox.records import find_all
from paynet_sandbox.tables import Partner

STATUSES = (500, 400, 503, 201)


async def post_retries(database: Database) -> tuple[list[int], list[str]]:
    """Return the statuses of retries, and the remaining effects of their requests."""
    coming = iter(STATUSES)

    async def effect(scope: Scope, _: Receive, send: Send) -> None:
        status = next(coming)
        async with database.writing() as session:
            await partners.add(session, f"answered with {status}")
        await respond(scope, send, Answer(status, None, b""))

    async def account(_: Scope) -> str:
        return "somebody"

    await database.migrate()
    transport = httpx.ASGITransport(Idempotent(effect, DatabaseStore(database), account))
    async with httpx.AsyncClient(transport=transport, base_url="http://served") as client:
        headers = {"IDEMPOTENCY-KEY": "key"}
        answers = [await client.post("/", headers=headers) for _ in (*STATUSES, "replayed")]
    async with database.reading() as session:
        left = [partner.name for partner in await find_all(session, Partner)]
    await database.close()
    return [answer.status_code for answer in answers], left


@BOTH_DATABASES
def test_request_that_is_not_stored_leaves_no_effect_and_the_key_free(
    new_database: Callable[[], str],
) -> None:
    statuses, left = asyncio.run(post_retries(Database(new_database())))
    assert statuses == [*STATUSES, 201]
    assert left == ["answered with 201"]


async def wait_without_time(database: Database) -> list[Stored | Claim]:
    """Return what retries without remaining time get when the first request has just ended."""
    await database.migrate()
    store = DatabaseStore(database)
    attempt = Attempt(KeyScope("somebody", "POST", "/", "key"), "fingerprint")
    assert await store.claim(attempt, 0) is Claim.TAKEN
    retries = [asyncio.create_task(store.claim(attempt, 0.3)) for _ in range(20)]
    await asyncio.sleep(0.1)
    await store.record(attempt, Answer(201, None, b""))
    # as on a busy machine
    time.sleep(0.5)
    found = await asyncio.gather(*retries)
    await database.close()
    return found


@BOTH_DATABASES
def test_finished_request_is_not_reported_as_running(
    new_database: Callable[[], str],
) -> None:
    stored = Stored("fingerprint", Answer(201, None, b""))
    assert asyncio.run(wait_without_time(Database(new_database()))) == [stored] * 20
