"""Two processes on one database: concurrent retries have one effect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from paynet.server.runtime.idempotency import Answer, Attempt, Claim, Scope
from support import processes
from support.processes import Server, migrate_database, new_partner, server, servers
from support.retries import Tried, storm
from support.sandboxes import BOTH_DATABASES
from support.seeds import scale

from paynet_sandbox.database import Database
from paynet_sandbox.idempotency import DatabaseStore


def storm_both(address: str, folder: Path, *, careless: bool = False) -> Tried:
    with migrate_database(address) as door:
        key, other = new_partner(door)[1], new_partner(door)[1]
    with servers(address, folder, 2, is_careless=careless) as running:
        ports = [each.port for each in running]
        return storm(ports, key, other, posts=scale(160), keys=scale(16))


@BOTH_DATABASES
def test_each_key_has_one_effect_and_one_answer(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    assert storm_both(new_database(), tmp_path).broken == []


def test_store_that_checks_first_and_records_later_is_detected(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    broken = storm_both(new_database(), tmp_path, careless=True).broken
    assert [each for each in broken if each.endswith(" effects")]


@asynccontextmanager
async def running(address: str, scope: Scope) -> AsyncIterator[None]:
    """Occupy this process with the first request, which is answered in the end."""
    database = Database(address)
    store = DatabaseStore(database)
    attempt = Attempt(scope, "fingerprint")
    assert await store.claim(attempt, 2) is Claim.TAKEN
    yield
    await store.record(attempt, Answer(200, None, b""))
    await database.close()


async def list_statuses(asked: Server, address: str, scope: Scope, key: str) -> list[int]:
    """Return the statuses of a retry and of another request, during the first and afterwards."""

    async def posted(name: str) -> int:
        headers = {"X-API-Key": key, "IDEMPOTENCY-KEY": name}
        return (await processes.ask(asked.port, "POST", "/autoramps", headers, {})).status

    async with running(address, scope):
        other = asyncio.create_task(posted("another"))
        # much shorter than the wait for SQLite's file lock
        meeting = await asyncio.wait_for(posted(scope.key), 15)
    return [meeting, await other, await posted(scope.key)]


@BOTH_DATABASES
def test_retry_during_a_request_of_another_process_is_told_so(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    address = new_database()
    with migrate_database(address) as door, server(address, tmp_path / "log") as asked:
        partner, key = new_partner(door)
        scope = Scope(f"{partner} ", "POST", "/api/autoramps", "key")
        # afterwards it is another request to the store, because its fingerprint is made up
        assert asyncio.run(list_statuses(asked, address, scope, key)) == [409, 200, 422]
