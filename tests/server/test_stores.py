"""Stores of answers shared by processes, on real servers, while processes are killed."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import psycopg
import pytest
from paynet.server.postgresql import PostgresStore
from paynet.server.redis import LostClaimError, RedisStore
from paynet.server.runtime.idempotency import Answer, Attempt, Claim, Scope, Stored
from redis import Redis as PlainRedis
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from support.clusters import UnavailableError, cluster
from support.keyed_server import connect_to_postgresql
from support.launched import launch_folder

ANSWER = Answer(201, "application/json", b'{"id": "\xff"}')
KINDS = ["postgresql", "redis"]


def attempt(key: str = "k", print_: str = "f") -> Attempt:
    return Attempt(Scope("account", "POST", "/api/things", key), print_)


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    try:
        with cluster() as running:
            address = running.database()
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("CREATE TABLE effects (key text)")
            asyncio.run(PostgresStore(connect_to_postgresql(address)).create())
            yield address
    except UnavailableError as error:
        pytest.skip(f"PostgreSQL can't be started here: {error}")


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        command = [program, "--port", "0", "--unixsocket", path, "--save", ""]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
            try:
                client = PlainRedis(unix_socket_path=path)
                for _ in range(200):
                    try:
                        client.ping()
                        break
                    except Exception:
                        assert process.poll() is None
                        signal.sigtimedwait([], 0.02)
                client.close()
                yield path
            finally:
                process.kill()


@asynccontextmanager
async def open_store(kind: str, address: str, **said: Any) -> AsyncIterator[Any]:
    """Yield a store; two of them behave like those of two processes."""
    if kind == "postgresql":
        yield PostgresStore(connect_to_postgresql(address), **said)
    else:
        async with Redis(unix_socket_path=address) as client:
            yield RedisStore(client, **said)


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that calls another one with the stores of two processes."""
    kind = request.param
    address = request.getfixturevalue(kind)

    def run(use: Callable[[Any, Any], Awaitable[None]], **said: Any) -> None:
        async def main() -> None:
            async with (
                open_store(kind, address, **said) as one,
                open_store(kind, address, **said) as two,
            ):
                await use(one, two)

        asyncio.run(main())

    return run


def test_answer_is_replayed_by_every_process(run: Callable[..., None]) -> None:
    async def use(one: Any, two: Any) -> None:
        assert await one.claim(attempt("a"), 1) is Claim.TAKEN
        assert await two.claim(attempt("a"), 0.05) is Claim.RUNNING
        assert await one.claim(attempt("a"), 0.05) is Claim.RUNNING
        assert await two.claim(attempt("b"), 1) is Claim.TAKEN
        waiting = asyncio.create_task(two.claim(attempt("a", "other"), 5))
        await asyncio.sleep(0.05)
        await one.record(attempt("a"), ANSWER)
        assert await waiting == Stored("f", ANSWER)
        assert await one.claim(attempt("a"), 0) == Stored("f", ANSWER)
        await two.release(attempt("b"))
        assert await one.claim(attempt("b"), 1) is Claim.TAKEN
        await one.record(attempt("b"), Answer(204, None, b""))
        assert await two.claim(attempt("b"), 1) == Stored("f", Answer(204, None, b""))

    run(use)


def test_answer_is_forgotten_after_the_retention_time(run: Callable[..., None]) -> None:
    async def use(one: Any, two: Any) -> None:
        assert await one.claim(attempt("old"), 1) is Claim.TAKEN
        await one.record(attempt("old"), ANSWER)
        await asyncio.sleep(0.25)
        assert await two.claim(attempt("old", "new"), 1) is Claim.TAKEN
        await two.record(attempt("old", "new"), ANSWER)
        assert await one.claim(attempt("old"), 1) == Stored("new", ANSWER)

    run(use, retention=timedelta(seconds=0.2))


def test_one_of_many_concurrent_attempts_gets_the_claim(run: Callable[..., None]) -> None:
    async def use(one: Any, two: Any) -> None:
        async def try_it(store: Any) -> Any:
            found = await store.claim(attempt("many"), 5)
            if found is Claim.TAKEN:
                await asyncio.sleep(0.05)
                await store.record(attempt("many"), ANSWER)
            return found

        found = await asyncio.gather(*(try_it(store) for store in (one, two) * 10))
        assert Counter(map(str, found)) == {
            "Claim.TAKEN": 1,
            str(Stored("f", ANSWER)): 19,
        }

    run(use)


def test_effects_are_in_the_transaction_of_the_answer(postgresql: str) -> None:
    async def count(store: PostgresStore) -> int:
        async with store._connect() as connection:
            cursor = await connection.execute("SELECT count(*) FROM effects WHERE key = 'in'")
            [number] = await cursor.fetchone() or (None,)
            return int(number or 0)

    async def main() -> None:
        store = PostgresStore(connect_to_postgresql(postgresql))
        with pytest.raises(LookupError):
            store.connection()
        for ends in (store.release, lambda each: store.record(each, ANSWER)):
            assert await store.claim(attempt("in"), 1) is Claim.TAKEN
            await store.connection().execute("INSERT INTO effects VALUES ('in')")
            assert await count(store) == 0
            await ends(attempt("in"))
        assert await count(store) == 1
        await store.forget()
        assert await store.claim(attempt("in"), 1) == Stored("f", ANSWER)

    asyncio.run(main())


def test_request_keeps_its_claim_from_others_of_its_process(run: Callable[..., None]) -> None:
    async def use(one: Any, two: Any) -> None:
        assert await one.claim(attempt("lost"), 1) is Claim.TAKEN
        held = one._held[attempt("lost").scope]
        if isinstance(one, RedisStore):
            await one._client.delete(held.key)
        else:
            await held.connection.close()
        assert await one.claim(attempt("lost"), 0.05) is Claim.RUNNING
        assert await two.claim(attempt("lost"), 1) is Claim.TAKEN
        with pytest.raises((LostClaimError, psycopg.OperationalError)):
            await one.record(attempt("lost"), ANSWER)
        await one.release(attempt("lost"))
        await two.record(attempt("lost", "second"), ANSWER)
        assert await one.claim(attempt("lost"), 1) == Stored("second", ANSWER)

    run(use)


def test_only_an_error_follows_a_statement_that_failed(postgresql: str) -> None:
    async def main() -> None:
        store = PostgresStore(connect_to_postgresql(postgresql))
        for answer in (ANSWER, Answer(409, None, b"")):
            assert await store.claim(attempt("failed"), 1) is Claim.TAKEN
            with pytest.raises(psycopg.DataError):
                await store.connection().execute("SELECT 1 / 0")
            if answer is ANSWER:
                with pytest.raises(psycopg.errors.InFailedSqlTransaction):
                    await store.record(attempt("failed"), answer)
                await store.release(attempt("failed"))
            else:
                await store.record(attempt("failed"), answer)
        assert await store.claim(attempt("failed"), 1) is Claim.TAKEN
        await store.release(attempt("failed"))

    asyncio.run(main())


def test_full_redis_refuses_claims_before_their_effect(redis: str) -> None:
    async def main() -> None:
        async with open_store("redis", redis) as store:
            assert await store.claim(attempt("running"), 1) is Claim.TAKEN
            await store._client.config_set("maxmemory", "1")
            try:
                with pytest.raises(ResponseError, match="maxmemory"):
                    await store.claim(attempt("new"), 1)
                await store.record(attempt("running"), ANSWER)
            finally:
                await store._client.config_set("maxmemory", "0")
            assert await store.claim(attempt("running"), 1) == Stored("f", ANSWER)

    asyncio.run(main())


class Repeating(Redis):
    """A client that sends each command again, as after a reply that was lost."""

    async def execute_command(self, *given: Any, **options: Any) -> Any:
        send: Any = super().execute_command
        await send(*given, **options)
        return await send(*given, **options)


def test_commands_that_a_client_repeats_take_effect_once(redis: str) -> None:
    async def main() -> None:
        async with Repeating(unix_socket_path=redis) as client:
            store = RedisStore(client)
            assert await store.claim(attempt("repeated"), 1) is Claim.TAKEN
            await store.record(attempt("repeated"), ANSWER)
            assert await store.claim(attempt("repeated"), 1) == Stored("f", ANSWER)

    asyncio.run(main())


def test_claim_lasts_exactly_as_long_as_its_request(redis: str) -> None:
    async def main() -> None:
        async with open_store("redis", redis, lease=0.2) as one, open_store("redis", redis) as two:
            assert await one.claim(attempt("long"), 1) is Claim.TAKEN
            assert await two.claim(attempt("long"), 0.5) is Claim.RUNNING
            # as if its process had ended
            one._held[attempt("long").scope].task.cancel()
            assert await two.claim(attempt("long"), 2) is Claim.TAKEN
            with pytest.raises(LostClaimError):
                await one.record(attempt("long"), ANSWER)
            await two.record(attempt("long"), ANSWER)

    asyncio.run(main())


class Unreachable(Redis):
    """A client whose first scripts fail, as while Redis restarts."""

    failures = 2

    async def execute_command(self, *given: Any, **options: Any) -> Any:
        if given[0] == "EVAL" and self.failures:
            self.failures -= 1
            raise ConnectionError
        send: Any = super().execute_command
        return await send(*given, **options)


def test_claim_survives_a_restart_shorter_than_its_lease(redis: str) -> None:
    async def main() -> None:
        async with Unreachable(unix_socket_path=redis) as client:
            store = RedisStore(client, lease=0.6)
            assert await store.claim(attempt("restart"), 1) is Claim.TAKEN
            async with open_store("redis", redis) as two:
                assert await two.claim(attempt("restart"), 0.7) is Claim.RUNNING
                await store.record(attempt("restart"), ANSWER)
                assert client.failures == 0
                assert await two.claim(attempt("restart"), 1) == Stored("f", ANSWER)

    asyncio.run(main())


class Server:
    """A process that serves on the shared store, and is killed and restarted."""

    def __init__(self, kind: str, address: str) -> None:
        self._command = [
            str(launch_folder() / "python"),
            "-m",
            "support.keyed_server",
            kind,
            address,
        ]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.mark.parametrize("kind", KINDS)
def test_retries_get_one_answer_while_processes_are_killed(
    kind: str, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue(kind)
    servers = [Server(kind, address), Server(kind, address)]
    keys = [f"key-{at}" for at in range(30)]
    kills = 1
    answers: dict[str, set[str]] = {key: set() for key in keys}
    cut = 0

    async def main() -> None:
        nonlocal cut
        async with httpx.AsyncClient(timeout=10) as client:

            async def post(key: str, at: int) -> None:
                nonlocal cut
                while True:
                    try:
                        url = f"http://127.0.0.1:{servers[at].port}/api/effects"
                        found = await client.post(url, headers={"Idempotency-Key": key})
                    except httpx.TransportError:
                        cut += 1
                        await asyncio.sleep(0.02)
                        continue
                    if found.status_code == 200:
                        answers[key].add(found.text)
                        return
                    assert found.status_code == 409

            async def call(part: list[str]) -> None:
                for key in part:
                    await asyncio.gather(post(key, 0), post(key, 1))

            async def kill() -> None:
                for number in range(kills):
                    await asyncio.sleep(0.1)
                    server = servers[number % 2]
                    server.kill()
                    await asyncio.to_thread(server.start)

            await asyncio.gather(kill(), *(call(keys[at::6]) for at in range(6)))

    try:
        asyncio.run(main())
    finally:
        for server in servers:
            server.kill()
    assert [key for key, found in answers.items() if len(found) != 1] == []
    assert cut > 0
    if kind == "postgresql":
        with psycopg.connect(address) as connection:
            rows = connection.execute("SELECT key FROM effects WHERE key LIKE 'key-%'").fetchall()
        assert Counter(key for [key] in rows) == dict.fromkeys(keys, 1)
    else:
        client = PlainRedis(unix_socket_path=address, decode_responses=True)
        effects = Counter(client.lrange("effects", 0, -1))
        client.close()
        # a request that was killed between its effect and its answer is repeated
        assert set(effects) == set(keys)
        assert effects.total() - len(keys) <= 6 * 2 * kills
