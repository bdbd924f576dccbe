"""Keep the answers to POSTs with an idempotency key in PostgreSQL: one store for many processes.

The transaction of a claim is that of its effects: what handlers write with `connection()` is stored
together with the answer, or not at all. Needs the extra `postgresql`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from contextvars import ContextVar
from datetime import timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection, Error
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Composed, Identifier

from .runtime.idempotency import RETENTION, Answer, Attempt, Claim, Scope, Stored

Connect = Callable[[], AbstractAsyncContextManager[AsyncConnection[Any]]]

_SHORTEST_WAIT: Final = 0.01
_LONGEST_WAIT: Final = 0.1
# The number of additional seconds that the database may take.
_GRACE: Final = 5.0

_CREATE: Final = """
CREATE TABLE IF NOT EXISTS {table} (
    scope text PRIMARY KEY,
    fingerprint text NOT NULL,
    status integer NOT NULL,
    media_type text,
    body bytea NOT NULL,
    expires_at timestamptz NOT NULL
)
"""
_FIND: Final = (
    "SELECT fingerprint, status, media_type, body FROM {table} "
    "WHERE scope = %s AND expires_at > now()"
)
_RECORD: Final = """
INSERT INTO {table} (scope, fingerprint, status, media_type, body, expires_at)
VALUES (%s, %s, %s, %s, %s, now() + %s)
ON CONFLICT (scope) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status,
    media_type = excluded.media_type, body = excluded.body, expires_at = excluded.expires_at
"""

_current: ContextVar[AsyncConnection[Any] | None] = ContextVar("connection", default=None)


class _Held(NamedTuple):
    """A claim: its connection, and what closes it."""

    connection: AsyncConnection[Any]
    stack: AsyncExitStack


class PostgresStore:
    """A store in PostgreSQL 12 or newer, for any number of processes and machines.

    *connect* returns a context manager of a psycopg connection that nothing else uses meanwhile:
    for example ``AsyncConnectionPool.connection`` of psycopg_pool. A claim occupies a connection as
    long as its request runs, so that it ends with its process. Answers are kept for the *retention*
    time, in *table*, which `create` creates.
    """

    def __init__(
        self,
        connect: Connect,
        *,
        retention: timedelta = RETENTION,
        table: str = "idempotent_answers",
    ) -> None:
        self._connect = connect
        self._retention = retention
        self._table = Identifier(*table.split("."))
        self._held: dict[Scope, _Held] = {}

    async def create(self) -> None:
        """Create the table unless it is there."""
        async with self._connect() as connection:
            await connection.execute(self._sql(_CREATE))
            await connection.commit()

    async def forget(self) -> None:
        """Delete answers older than the retention time: call it every hour, say."""
        async with self._connect() as connection:
            await connection.execute(self._sql("DELETE FROM {table} WHERE expires_at <= now()"))
            await connection.commit()

    def connection(self) -> AsyncConnection[Any]:
        """Return the connection in whose transaction the answer to this request is stored.

        Handlers must neither commit nor roll it back. A statement that may fail belongs into
        ``async with connection.transaction()``: otherwise its failure undoes everything, and only
        an error can follow, which is not stored. Raises LookupError in a request whose answer is
        not stored: one without an idempotency key, or of an unknown caller.
        """
        found = _current.get()
        if found is None:
            raise LookupError("this request has no idempotency key, or its caller has no account")
        return found

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        key = _digest(attempt.scope)
        clock = asyncio.get_running_loop().time
        deadline = clock() + patience
        wait = _SHORTEST_WAIT
        found: Stored | Claim | None = None
        try:
            # for as long as there is no connection, too
            async with asyncio.timeout_at(deadline + _GRACE) as timer:
                while True:
                    found = await self._try(attempt.scope, key, timer)
                    if found is not Claim.RUNNING or clock() >= deadline:
                        return found
                    await asyncio.sleep(min(wait, deadline - clock()))
                    wait = min(wait * 2, _LONGEST_WAIT)
        except TimeoutError:
            if found is None:
                raise
            return Claim.RUNNING

    async def _try(self, scope: Scope, key: str, timer: asyncio.Timeout) -> Stored | Claim:
        """Take the claim if nobody has it.

        A request of this process has it until its end, even if its connection is lost before.
        """
        if scope in self._held:
            return Claim.RUNNING
        async with AsyncExitStack() as stack:
            connection = await stack.enter_async_context(self._connect())
            if connection.autocommit:
                await connection.set_autocommit(False)
                stack.push_async_callback(connection.set_autocommit, True)
            stack.push_async_callback(connection.rollback)
            # a snapshot for each statement: what another one has committed is visible
            await connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            cursor = connection.cursor(row_factory=tuple_row)
            number = int.from_bytes(bytes.fromhex(key[:16]), signed=True)
            await cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", (number,))
            is_free = await cursor.fetchone()
            await cursor.execute(self._sql(_FIND), (key,))
            row = await cursor.fetchone()
            if row is not None:
                fingerprint, status, media_type, body = row
                return Stored(fingerprint, Answer(status, media_type, bytes(body)))
            if is_free != (True,) or timer.expired() or scope in self._held:
                return Claim.RUNNING
            # the claim is taken: it is not given up any more because of the time
            timer.reschedule(None)
            self._held[scope] = _Held(connection, stack.pop_all())
            _current.set(connection)
            return Claim.TAKEN

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        connection, _ = self._held[attempt.scope]
        is_undone = connection.info.transaction_status is TransactionStatus.INERROR
        if is_undone and answer.status >= HTTPStatus.BAD_REQUEST:
            # a refusal without an effect: it can't be stored either
            await self.release(attempt)
            return
        given = (_digest(attempt.scope), attempt.fingerprint, *answer, self._retention)
        await connection.execute(self._sql(_RECORD), given)
        await connection.commit()
        await self.release(attempt)

    async def release(self, attempt: Attempt) -> None:
        _current.set(None)
        # a claim ends with its connection, too
        with suppress(Error):
            await self._held.pop(attempt.scope).stack.aclose()

    def _sql(self, text: str) -> Composed:
        return SQL(text).format(table=self._table)  # type: ignore[arg-type,unused-ignore]


def _digest(scope: Scope) -> str:
    return sha256(json.dumps(scope).encode()).hexdigest()
