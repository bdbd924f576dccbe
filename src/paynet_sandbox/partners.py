"""Partners and sub-partners: added and listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from .tables import Partner, SubPartner
from .times import now

RAILS: Final = ("Iban", "AchWire", "Swift", "FedNow")
"""The deposit rails that an account may support."""

FIRST: Final = UUID("0198c7a2-0000-7000-8000-000000000001")
"""The partner that is there from the first start on."""


async def add(
    session: AsyncSession, name: str, rails: Iterable[str] = RAILS, id: UUID | None = None
) -> Partner:
    """Add a partner whose deposit accounts support *rails*."""
    time = now()
    partner = Partner(name=name, deposit_rails=list(rails), created_at=time, latest=time)
    if id is not None:
        partner.id = id
    session.add(partner)
    await session.flush()
    return partner


async def ensure_first(session: AsyncSession) -> Partner:
    """Return the first partner, and add it before if it does not exist."""
    found = await session.get(Partner, FIRST)
    return await add(session, "First partner", id=FIRST) if found is None else found


async def add_sub_partner(session: AsyncSession, partner: Partner, name: str) -> SubPartner:
    """Add a sub-partner that *partner* may act for."""
    sub_partner = SubPartner(partner_id=partner.id, name=name, created_at=now())
    session.add(sub_partner)
    await session.flush()
    return sub_partner
