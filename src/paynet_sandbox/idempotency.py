"""The store of the answers to POSTs with an idempotency key, on the database of their effects.

One transaction claims the key, has the effect and records the answer: all of it happens, or
nothing. The claim is a row that others can't insert meanwhile, of whichever process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from weakref import WeakValueDictionary

from paynet.server.runtime.idempotency import RETENTION, Answer, Attempt, Claim, Scope, Stored
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from .database import Database, is_lock_timeout, join
from .tables import IdempotentAnswer
from .times import now

_Insert = Callable[[Any], sqlite.Insert | postgresql.Insert]

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
        async with self._database.reading() as session:
            stored = await _stored(session, scope)
        if stored is not None:
            return stored
        deadline = asyncio.get_running_loop().time() + patience
        gate = self._gates.setdefault(scope, asyncio.Lock())
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout_at(deadline):
                    await stack.enter_async_context(gate)
                    await stack.enter_async_context(self._database.running(scope))
            except TimeoutError:
                return Claim.RUNNING
            session = await stack.enter_async_context(self._database.uncommitted())
            try:
                is_taken = await self._take(session, scope, attempt.fingerprint, deadline)
            except OperationalError as error:
                if is_lock_timeout(error):
                    return Claim.RUNNING
                raise
            if not is_taken:
                return await _stored(session, scope) or Claim.RUNNING
            self._held[attempt.scope] = _Held(scope, session, stack.pop_all())
            join(session)
            return Claim.TAKEN

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        held = self._held[attempt.scope]
        row = update(IdempotentAnswer).where(IdempotentAnswer.scope == held.scope)
        await held.session.execute(row.values(**answer._asdict()))
        await held.session.commit()
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
        self, session: AsyncSession, scope: str, fingerprint: str, deadline: float
    ) -> bool:
        """Insert the row of the claim, or take over one that has expired; tell whether."""
        if self._database.dialect == "postgresql":
            left = max(1, int(1000 * (deadline - asyncio.get_running_loop().time())))
            await session.execute(select(func.set_config("lock_timeout", f"{left}ms", True)))
        unanswered = {
            "fingerprint": fingerprint,
            "expires_at": now() + self._retention,
            "status": None,
            "media_type": None,
            "body": None,
        }
        insert = _INSERT[self._database.dialect](IdempotentAnswer)
        claim = insert.values(scope=scope, **unanswered).on_conflict_do_update(
            index_elements=[IdempotentAnswer.scope],
            set_=unanswered,
            where=IdempotentAnswer.expires_at <= now(),
        )
        taken = await session.scalar(claim.returning(IdempotentAnswer.scope))
        if self._database.dialect == "postgresql":
            await session.execute(select(func.set_config("lock_timeout", "0", True)))
        return taken is not None


async def _stored(session: AsyncSession, scope: str) -> Stored | None:
    row = await session.scalar(
        select(IdempotentAnswer).where(
            IdempotentAnswer.scope == scope, IdempotentAnswer.expires_at > now()
        )
    )
    if row is None or row.status is None or row.body is None:
        return None
    return Stored(row.fingerprint, Answer(row.status, row.media_type, row.body))


def _digest(attempt: Attempt) -> str:
    parts = (part.encode(errors="surrogatepass") for part in attempt.scope)
    return sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()
