"""The reference server under load, as a separate process: `JOB DATABASE ARGUMENTS...`.

DATABASE is `sqlite` or `postgresql`; its data stay in the folder in which a job runs. Prints the
cost of a request, and observations as text; fails if a promise was broken.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

# what is observed of each promise belongs to the tests
sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from sandbox.test_sandbox_paging import (
    WRITERS,
    ids,
    pages,
    test_paging_to_the_growing_end_misses_nothing,
)
from sandbox.test_sandbox_paging import fill as fill_ties
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from support import retries
from support.clusters import cluster
from support.processes import ask, migrate_database, new_partner, server, servers
from support.sandboxes import Caller
from support.sandboxes import sandbox as served
from support.stalling import stall_connections

from paynet_sandbox import keys, partners, seed
from paynet_sandbox.tables import Table, Transaction

_SEEDED: Final = 5000
_PAGE: Final = 100
_CALLERS: Final = 8

_LISTING: Final = "/autoramp-transactions"
_RARE: Final = "RejectedFraud"
_NEW_ID: Final = {
    "sqlite": "lower(hex(randomblob(16)))",
    "postgresql": "gen_random_uuid()",
}


class Measured(NamedTuple):
    """The observations: seconds for each phase, text, and broken promises."""

    phases: dict[str, float]
    said: str
    broken: list[str] = []  # noqa: RUF012


@contextmanager
def database(kind: str) -> Iterator[str]:
    """Yield the address of the database whose data are in this folder."""
    folder = Path.cwd() / kind
    folder.mkdir(exist_ok=True)
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'data.sqlite'}"
        return
    # the server runs as a user without access to our folders
    Path.cwd().chmod(0o711)
    with cluster(folder) as running:
        yield running.address()


def fill(kind: str, amount: str) -> Measured:
    """Fill in that many transactions: as many as are seeded, and copies of them at later times."""
    start = time.perf_counter()
    seeded = min(int(amount), _SEEDED)

    async def filled(session: AsyncSession) -> None:
        await seed.fill(session, seed.Amounts(transactions=seeded))
        if kind == "sqlite":
            await session.execute(text("PRAGMA cache_size = -1000000"))
        if int(amount) > seeded:
            await _copy(session, kind, int(amount) // seeded - 1)

    with database(kind) as address, migrate_database(address) as door:
        door.run(filled)
        door.run(lambda session: session.execute(text("ANALYZE")))
    took = time.perf_counter() - start
    return Measured({"fill": took}, f"{amount} transactions in {took:.0f} s")


async def _copy(session: AsyncSession, kind: str, times: int) -> None:
    """Copy all transactions that many times; each copy has new ids and is a minute later."""
    columns = [column.name for column in Transaction.__table__.columns]
    values = dict(zip(columns, columns, strict=True)) | {
        "id": _NEW_ID[kind],
        "created_at": "created_at + number * 60000000",
    }
    await session.execute(text("CREATE TEMPORARY TABLE seeded AS SELECT * FROM transactions"))
    # created again at the end, all at once: row by row it would take much longer
    connection = await session.connection()
    indexes = list(Table.metadata.tables[Transaction.__tablename__].indexes)
    for index in indexes:
        await connection.run_sync(index.drop)
    copied = text(
        "WITH RECURSIVE numbers(number) AS (SELECT CAST(1 AS BIGINT)"
        " UNION ALL SELECT number + 1 FROM numbers WHERE number < :times)"
        f" INSERT INTO transactions ({', '.join(columns)})"
        f" SELECT {', '.join(values.values())} FROM numbers, seeded"
    )
    await session.execute(copied, {"times": times})
    for index in indexes:
        await connection.run_sync(index.create)


def listing(kind: str, page: str, processes: str = "1") -> Measured:
    """Request the `first` or the `last` page of 100, sequentially and then concurrently.

    The page `rare` is that of a status that only one transaction has, the oldest one.
    """
    with (
        database(kind) as address,
        migrate_database(address) as door,
        TemporaryDirectory() as logs,
        servers(address, Path(logs), int(processes)) as running,
    ):
        key, last = door.run(_reader)
        if page == "rare":
            door.run(_leave_one)
        narrowed = {"last": f"&cursor={last}", "rare": f"&status={_RARE}"}.get(page, "")
        path = f"{_LISTING}?page_size={_PAGE}{narrowed}"
        ports = [each.port for each in running]
        # the first requests warm up the server
        asyncio.run(_time_requests(ports, key, path, callers=len(ports), amount=20))
        alone = asyncio.run(_time_requests(ports, key, path, callers=1, amount=200))
        start = time.perf_counter()
        together = asyncio.run(_time_requests(ports, key, path, callers=_CALLERS, amount=400))
        each = (time.perf_counter() - start) / len(together)
        answer = asyncio.run(ask(ports[0], "GET", path, {"X-API-Key": key}))
    shown = json.loads(answer.body)
    broken = []
    items, is_last = (1 if page == "rare" else _PAGE), page != "first"
    if len(shown["items"]) != items or ("cursor" in shown) == is_last:
        broken.append(f"not the {page} page: {answer.body[:200]!r}")
    said = f"{page} page, {processes} process(es): {_in_words(alone)} alone; {1 / each:.0f}/s"
    said += f" and {_in_words(together)} for {_CALLERS} callers"
    # the fastest tenth, which other processes on this machine disturb least
    return Measured({"request": quantiles(alone, n=10)[0], "of many": each}, said, broken)


def stalling(kind: str, amount: str) -> Measured:
    """Request pages of 10 while that many other requests stall."""
    with (
        database(kind) as address,
        migrate_database(address) as door,
        TemporaryDirectory() as logs,
        server(address, Path(logs) / "log") as running,
    ):
        key, _ = door.run(_reader)
        with stall_connections(running.port, key, int(amount)):
            asyncio.run(_time_requests([running.port], key, _LISTING, callers=1, amount=20))
            times = asyncio.run(
                _time_requests([running.port], key, _LISTING, callers=2, amount=500)
            )
    p50, p99 = _percentiles(times)
    return Measured({"p99": p99, "p50": p50}, f"{amount} stalled: {_in_words(times)}")


async def _leave_one(session: AsyncSession) -> None:
    """Leave the rare status to the oldest transaction alone."""
    rare = update(Transaction).where(Transaction.status == _RARE)
    await session.execute(rare.values(status="Completed"))
    oldest = select(Transaction.id).order_by(Transaction.created_at, Transaction.id).limit(1)
    found = await session.scalar(oldest)
    await session.execute(update(Transaction).where(Transaction.id == found).values(status=_RARE))


async def _reader(session: AsyncSession) -> tuple[str, str]:
    """Return a key of the partner, and the cursor of the last page, newest first."""
    oldest = select(Transaction.id).order_by(Transaction.created_at, Transaction.id)
    last = await session.scalar(oldest.offset(_PAGE).limit(1))
    return await keys.issue(session, partners.FIRST), str(last)


async def _time_requests(
    ports: list[int], key: str, path: str, *, callers: int, amount: int
) -> list[float]:
    """Return the seconds of each request."""
    times: list[float] = []
    numbers = iter(range(amount))

    async def call(port: int) -> None:
        for _ in numbers:
            start = time.perf_counter()
            answer = await ask(port, "GET", path, {"X-API-Key": key})
            times.append(time.perf_counter() - start)
            if answer.status != 200:
                raise SystemExit(f"{path}: {answer}")

    await asyncio.gather(*(call(ports[number % len(ports)]) for number in range(callers)))
    return times


def _percentiles(times: list[float]) -> tuple[float, float]:
    """Return the 50th and the 99th percentile."""
    cuts = quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]


def _in_words(times: list[float]) -> str:
    p50, p99 = _percentiles(times)
    return f"p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms"


def storm(kind: str, posts: str, over: str) -> Measured:
    """Retry at two processes, all at once."""
    # as many connections as requests, in each process
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(10_000, most), most))
    with _fresh(kind) as (address, logs), migrate_database(address) as door:
        key, other = new_partner(door)[1], new_partner(door)[1]
        with servers(address, logs, 2) as running:
            ports = [each.port for each in running]
            tried = retries.storm(ports, key, other, posts=int(posts), keys=int(over))
    return Measured({}, tried.said, tried.broken)


def crashes(kind: str, posts: str, kills: str) -> Measured:
    """Kill the server during POST requests."""
    with _fresh(kind) as (address, logs), migrate_database(address) as door:
        _, key = new_partner(door)
        with server(address, logs / "log") as running:
            tried = retries.crashes(running, key, posts=int(posts), kills=int(kills))
    return Measured({}, tried.said, tried.broken)


def calls(kind: str, amount: str, kills: str) -> Measured:
    """Kill the server while the generated client calls it."""
    with _fresh(kind) as (address, logs), migrate_database(address) as door:
        _, key = new_partner(door)
        with server(address, logs / "log") as running:
            tried = retries.call_while_killed(running, key, calls=int(amount), kills=int(kills))
    return Measured({}, tried.said, tried.broken)


@contextmanager
def _fresh(kind: str) -> Iterator[tuple[str, Path]]:
    """Yield the address of an empty database, and a folder; both are removed at the end."""
    with TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/data.sqlite", Path(folder)
        else:
            with cluster() as running:
                yield running.database(), Path(folder)


def paging(kind: str) -> Measured:
    """Read 60 transactions in pages of every size, in both directions, while four tasks write."""
    broken: list[str] = []
    amount = 0
    with _fresh(kind) as (address, _), served(address) as running:
        for size in range(1, _PAGE + 1):
            # a separate partner: a reader that starts at the newest row reads everything written
            # before
            caller = running.partner()
            oldest_first = fill_ties(caller)
            with _writing(caller) as written:
                for order, step in (("asc", 1), ("desc", -1)):
                    broken += _read_otherwise(caller, size, order, oldest_first[::step])
            amount += len(written)
        # raises AssertionError if something is missed
        test_paging_to_the_growing_end_misses_nothing(running.partner())
    said = f"{2 * _PAGE} times 60 rows both ways, {amount} written meanwhile, {len(broken)} misses"
    return Measured({}, f"{said}; nothing missed at the end", broken)


@contextmanager
def _writing(caller: Caller) -> Iterator[list[str]]:
    """Let four tasks write until the end; yield the ids as they are created."""
    path = f"/api/sandbox/autoramps/{caller.post('/autoramps')['id']}/deposits"
    written: list[str] = []
    is_over = threading.Event()

    def write() -> None:
        host, headers = caller.sandbox.client.base_url, {"X-API-Key": caller.key}
        with httpx.Client(base_url=host, headers=headers, timeout=30, verify=False) as client:
            while not is_over.is_set():
                written.append(client.post(path).json()["id"])

    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write) for _ in range(WRITERS)]
        try:
            yield written
        finally:
            is_over.set()
    for writer in writers:
        writer.result()


def _read_otherwise(caller: Caller, size: int, order: str, expected: list[str]) -> Iterator[str]:
    """Yield as text where rows are not seen exactly once and in order."""
    asked = {"page_size": size, "sort_order": order}
    beyond = _list_seen(pages(caller, "cursor", asked, None), expected)
    if beyond != expected:
        yield f"forwards, {order}, pages of {size}: {beyond}"
    back = _list_seen(
        pages(caller, "prev_cursor", asked, expected[-1]), expected[-2::-1], back=True
    )
    if back != expected[-2::-1]:
        yield f"backwards, {order}, pages of {size}: {back}"


def _list_seen(read: Iterator[Any], expected: list[str], *, back: bool = False) -> list[str]:
    """Return those of the rows *expected* that are read, up to a page after the last of them."""
    known = set(expected)
    seen: list[str] = []
    for page in read:
        found = ids(page)[::-1] if back else ids(page)
        is_over = expected[-1] in seen
        seen += [id for id in found if id in known]
        if is_over:
            break
    return seen


_JOBS: Final = (fill, listing, stalling, storm, crashes, calls, paging)
JOBS: Final[dict[str, Callable[..., Measured]]] = {job.__name__: job for job in _JOBS}


def main() -> None:
    name, *given = sys.argv[1:]
    start = time.perf_counter()
    measured = JOBS[name](*given)
    phases = measured.phases or {"all": time.perf_counter() - start}
    print(json.dumps({"phases": phases, "said": measured.said}))
    if measured.broken:
        sys.exit("\n".join([measured.said, *measured.broken[:20]]))


if __name__ == "__main__":
    main()
