"""The times of a partner's records: each later than all before, in the order of the commits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import Partner


def now() -> datetime:
    return datetime.now(UTC)


async def next_time(session: AsyncSession, partner_id: UUID) -> datetime:
    """Return now, or the microsecond after the time given last where that is later.

    Until the session ends, others who ask for the same partner wait: what has a later time is
    never seen before what has an earlier one. Whoever pages onwards misses nothing.
    """
    locked = select(Partner.latest).where(Partner.id == partner_id).with_for_update(key_share=True)
    latest = (await session.execute(locked)).scalar_one()
    time = max(now(), latest + timedelta(microseconds=1))
    await session.execute(update(Partner).where(Partner.id == partner_id).values(latest=time))
    return time
