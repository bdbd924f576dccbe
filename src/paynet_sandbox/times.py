"""The times of a partner's records: each later than all before, in the order of the commits."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import BigInteger, case, literal, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import Partner


def now() -> datetime:
    return datetime.now(UTC)


async def next_time(session: AsyncSession, partner_id: UUID) -> datetime:
    """Return now, or the microsecond after the time given last where that is later.

    Until the session ends, others who ask for the same partner wait: what has a later time is
    never seen before what has an earlier one. Whoever pages onwards misses nothing.
    """
    return (await take_turn(session, partner_id)).latest


async def take_turn(session: AsyncSession, partner_id: UUID) -> Partner:
    """Return the partner, whose latest time is the one that `next_time` returns."""
    time = literal(now(), Partner.latest.type)
    # in microseconds
    after = type_coerce(type_coerce(Partner.latest, BigInteger) + 1, Partner.latest.type)
    later = case((Partner.latest < time, time), else_=after)
    turn = update(Partner).where(Partner.id == partner_id).values(latest=later)
    return (
        await session.scalars(
            turn.returning(Partner),
            execution_options={"populate_existing": True, "synchronize_session": False},
        )
    ).one()
