"""The store of answers: an effect and its answer are kept together, or neither is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
from paynet.server.runtime.asgi import Idempotent, Receive, Scope, Send, respond
from paynet.server.runtime.idempotency import Answer

from paynet_sandbox import partners
from paynet_sandbox.database import Database
from paynet_sandbox.idempotency import DatabaseStore

STATUSES = (500, 400, 503, 201)


async def posted(database: Database) -> tuple[list[int], list[str]]:
    """Return the statuses of retries, and the effects that are left of their requests."""
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
        left = [partner.name for partner in await partners.every(session)]
    await database.close()
    return [answer.status_code for answer in answers], left


def test_what_is_not_stored_leaves_no_effect_and_the_key_free(
    new_database: Callable[[], str],
) -> None:
    statuses, left = asyncio.run(posted(Database(new_database())))
    assert statuses == [*STATUSES, 201]
    assert left == ["answered with 201"]
