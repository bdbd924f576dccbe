"""A plain API key is never stored after it was issued."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncSession
from support.processes import ask, migrate_database, new_partner, server
from support.sandboxes import BOTH_DATABASES

# concurrently
_CALLERS = 20


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: Any = None


def requests(key: str) -> Iterator[Request]:
    """Yield successful and failing requests endlessly, with the key where callers put it."""
    own = {"X-API-Key": key}
    yield from cycle(
        [
            Request("GET", "/autoramp-transactions", own),
            Request("POST", "/autoramps", own, {"ramp_type": "Onramp"}),
            Request("POST", "/autoramps", {**own, "IDEMPOTENCY-KEY": "key"}, {"ramp_type": "Swap"}),
            Request("POST", "/autoramps", {**own, "IDEMPOTENCY-KEY": "key"}, {"ramp_type": "Mint"}),
            Request("POST", "/autoramps", own, {"ramp_type": "unknown"}),
            Request("GET", "/nothing", own),
            Request("DELETE", "/autoramps", own),
            Request("GET", "/autoramps", {**own, "X-API-Version": "2026-7-1"}),
            Request("GET", "/autoramps", {"X-API-Key": f"{key}x"}),
            Request("GET", "/autoramps", {"Authorization": f"Bearer {key}"}),
            Request("GET", f"/autoramps?api_key={key}", {"Cookie": f"key={key}"}),
            Request("GET", "/autoramps", {**own, "X-API-Version": key}),
            Request("GET", "/autoramp-transactions", {**own, "X-SUB-PARTNER-ID": key}),
        ]
    )


async def count_statuses(port: int, wanted: Iterator[Request]) -> Counter[int]:
    """Return how often each status was answered."""
    statuses: Counter[int] = Counter()

    async def call() -> None:
        for request in wanted:
            statuses[(await ask(port, *request)).status] += 1

    await asyncio.gather(*(call() for _ in range(_CALLERS)))
    return statuses


def folder(address: str) -> Path:
    """Return the folder in which the database keeps all its files, logs included."""
    url = make_url(address)
    host = url.query.get("host")
    if isinstance(host, str):
        return Path(host)
    assert url.database is not None
    return Path(url.database).parent


def holding(secret: str, *folders: Path) -> list[Path]:
    """Return the files that contain the text."""
    files = [path for each in folders for path in each.rglob("*") if path.is_file()]
    return [path for path in files if secret.encode() in path.read_bytes()]


@BOTH_DATABASES
def test_key_is_in_no_file_and_no_log_after_all_kinds_of_requests(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    address, log = new_database(), tmp_path / "log"

    async def break_it(session: AsyncSession) -> None:
        await session.execute(text("ALTER TABLE transactions RENAME TO broken"))

    with migrate_database(address) as door:
        _, key = new_partner(door)
        secret = key.removeprefix("paynet_")
        with server(address, log) as running:
            wanted = requests(key)
            statuses = asyncio.run(count_statuses(running.port, islice(wanted, 39)))
            door.run(break_it)
            statuses += asyncio.run(count_statuses(running.port, islice(wanted, 26)))
            assert holding(secret, folder(address), tmp_path) == []
        assert holding(secret, folder(address), tmp_path) == []
        # the search covers the files that are written to
        assert holding(sha256(key.encode()).hexdigest(), folder(address))
    assert statuses.total() == 65
    # when all requests wait for long, a retry may be told to come back
    assert set(statuses) - {409} == {200, 400, 401, 404, 405, 422, 500}
    logged = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert any("traceback" in line for line in logged)
