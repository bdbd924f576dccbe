"""The store of the answers to POSTs with an idempotency key, on the database of their effects.

One transaction claims the key, has the effect and records the answer: all of it happens, or
nothing. The claim is a row that others can't insert meanwhile, of whichever process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from weakref import WeakValueDictionary

from paynet.server.runtime.idempotency import RETENTION, Answer, Attempt, Claim, Scope, Stored
from sqlalchemy import Executable, Select, delete, func, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from .database import Database, is_busy, join
from .tables import IdempotentAnswer, Table
from .times import now

_Insert = Callable[[Any], sqlite.Insert | postgresql.Insert]

_EVERY: Final = 0.02
"""How many seconds pass before a claim is tried again."""

_INSERT: Final[dict[str, _Insert]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@dataclass(frozen=True)
class _Held:
    """A claim: where its row is, and all that ends with it."""

    scope: str
    session: AsyncSession
    stack: AsyncExitStack


class DatabaseStore:
    """Keeps answers for the *retention* time; handlers write in the transaction of the claim."""

    def __init__(self, database: Database, retention: timedelta = RETENTION) -> None:
        self._database = database
        self._retention = retention
        # retries that meet their first request in this process wait here, not on the database:
        # a connection for each would leave none to others
        self._gates: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._held: dict[Scope, _Held] = {}

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        scope = _digest(attempt)
        clock = asyncio.get_running_loop().time
        deadline = clock() + patience
        stored = await self._find_stored(scope)
        if stored is not None:
            return stored
        gate = self._gates.setdefault(scope, asyncio.Lock())
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout_at(deadline):
                    await stack.enter_async_context(gate)
                    await stack.enter_async_context(self._database.running(scope))
            except TimeoutError:
                # the first may have ended while others who waited for it were before this one
                return await self._find_stored(scope) or Claim.RUNNING
            while (session := await self._take(stack, scope, attempt.fingerprint)) is None:
                stored = await self._find_stored(scope)
                if stored is not None or clock() >= deadline:
                    return stored or Claim.RUNNING
                await asyncio.sleep(_EVERY)
            self._held[attempt.scope] = _Held(scope, session, stack.pop_all())
            join(session)
            return Claim.TAKEN

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        locks = self._held[attempt.scope]
        row = update(IdempotentAnswer).where(IdempotentAnswer.scope == locks.scope)
        await locks.session.execute(row.values(**answer._asdict()))
        await locks.session.commit()
        await self.release(attempt)

    async def release(self, attempt: Attempt) -> None:
        join(None)
        await self._held.pop(attempt.scope).stack.aclose()

    async def forget(self) -> None:
        """Remove what was kept for the retention time."""
        async with self._database.writing() as session:
            await session.execute(
                delete(IdempotentAnswer).where(IdempotentAnswer.expires_at <= now())
            )

    async def _take(
        self, stack: AsyncExitStack, scope: str, fingerprint: str
    ) -> AsyncSession | None:
        """Insert the row of the claim, or take over one that has expired; wait for nobody's.

        Return the session to go on with, which *stack* closes; None where the claim is another's.
        """
        async with AsyncExitStack() as own:
            session = await own.enter_async_context(self._database.open_uncommitted())
            try:
                taken = await session.scalar(self._claim(scope, fingerprint))
            except OperationalError as error:
                if not is_busy(error):
                    raise
                taken = None
            if taken is None:
                return None
            stack.push_async_exit(own.pop_all())
            return session

    def _claim(self, scope: str, fingerprint: str) -> Executable:
        given = {
            "scope": scope,
            "fingerprint": fingerprint,
            "expires_at": now() + self._retention,
        }
        claim = _INSERT[self._database.dialect](IdempotentAnswer)
        if self._database.dialect == "postgresql":
            claim = claim.from_select([*given], _unless_running(given))
        else:
            claim = claim.values(given)
        unanswered = {"status": None, "media_type": None, "body": None}
        return claim.on_conflict_do_update(
            index_elements=[IdempotentAnswer.scope],
            set_=given | unanswered,
            where=IdempotentAnswer.expires_at <= now(),
        ).returning(IdempotentAnswer.scope)

    async def _find_stored(self, scope: str) -> Stored | None:
        wanted = select(IdempotentAnswer).where(
            IdempotentAnswer.scope == scope, IdempotentAnswer.expires_at > now()
        )
        async with self._database.reading() as session:
            row = await session.scalar(wanted)
        if row is None or row.status is None or row.body is None:
            return None
        return Stored(row.fingerprint, Answer(row.status, row.media_type, row.body))


def _unless_running(given: Mapping[str, Any]) -> Select[Any]:
    """Return *given* as a row; no row while another transaction has made one of its scope."""
    # a lock, until the end of the transaction, that nobody waits for: who finds a row that is not
    # there to see yet would wait for its end, and so would the connection
    number = int(given["scope"][:16], 16) - 2**63
    free = select(func.pg_try_advisory_xact_lock(number).label("is_free")).cte("free")
    columns = Table.metadata.tables[IdempotentAnswer.__tablename__].columns
    row = (literal(value, columns[name].type) for name, value in given.items())
    return select(*row).where(free.c.is_free)


def _digest(attempt: Attempt) -> str:
    parts = (part.encode(errors="surrogatepass") for part in attempt.scope)
    return sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()
