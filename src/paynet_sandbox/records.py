"""Queries that every group of operations makes: a partner's own record, and all records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

from paynet.server import Refusal
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import ApiKey, Autoramp, Customer, Partner, SubPartner, Transaction

Own = TypeVar("Own", Autoramp, Customer, SubPartner, Transaction)
Listed = TypeVar("Listed", ApiKey, Customer, Partner, SubPartner)


async def find_own(
    session: AsyncSession, table: type[Own], partner_id: UUID, *wanted: ColumnElement[bool]
) -> Own | None:
    """Return the partner's record in *table* for which *wanted* holds, None without one."""
    return await session.scalar(select(table).where(table.partner_id == partner_id, *wanted))


async def get_own(
    session: AsyncSession, table: type[Own], partner_id: UUID, *wanted: ColumnElement[bool]
) -> Own:
    """Return what `find_own` does. Raises Refusal if there is none."""
    found = await find_own(session, table, partner_id, *wanted)
    if found is None:
        raise Refusal(400, f"there is no such {table.__name__.lower()}")
    return found


async def find_all(session: AsyncSession, table: type[Listed]) -> Sequence[Listed]:
    """Return all records of all partners, oldest first."""
    return (await session.scalars(select(table).order_by(table.created_at, table.id))).all()
