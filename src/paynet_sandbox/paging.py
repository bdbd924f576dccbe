"""Fetch one page of rows by keys, so that the last page costs no more than the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, literal, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import Transaction


class Position(NamedTuple):
    """Where a row is in the order; no two rows have the same position."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, kw_only=True)
class TransactionPage:
    """Rows in their order, and whether there are others before and after them."""

    rows: list[Transaction]
    has_previous: bool
    has_next: bool


Rows = Sequence[Select[Transaction]]
"""Disjoint sets of rows; for each there is an index that has them in their order."""


async def fetch_following(
    session: AsyncSession, rows: Rows, *, position: Position | None, is_ascending: bool, size: int
) -> TransactionPage:
    """Return the first *size* rows behind *position*; without one, the first of all."""
    found, has_more = await _fetch_nearest(session, rows, position, is_ascending, size)
    has_previous = (
        position is not None
        and bool(found)
        and await _has_any(session, rows, _position(found[0]), not is_ascending)
    )
    return TransactionPage(rows=found, has_previous=has_previous, has_next=has_more)


async def fetch_preceding(
    session: AsyncSession, rows: Rows, *, position: Position, is_ascending: bool, size: int
) -> TransactionPage:
    """Return the last *size* rows before *position*."""
    found, has_more = await _fetch_nearest(session, rows, position, not is_ascending, size)
    found.reverse()
    has_next = bool(found) and await _has_any(session, rows, _position(found[-1]), is_ascending)
    return TransactionPage(rows=found, has_previous=has_more, has_next=has_next)


async def _fetch_nearest(
    session: AsyncSession, rows: Rows, position: Position | None, is_ascending: bool, size: int
) -> tuple[list[Transaction], bool]:
    """Return the nearest rows beyond *position*, and whether there are more than these."""
    if size == 0:
        return [], False
    keys = (Transaction.created_at, Transaction.id)
    order = [key.asc() if is_ascending else key.desc() for key in keys]
    beyond = [] if position is None else [_beyond(position, is_ascending)]
    nearest = [kind.where(*beyond).order_by(*order).limit(size + 1) for kind in rows]
    found = list(await session.scalars(_union(nearest).order_by(*order).limit(size + 1)))
    return found[:size], len(found) > size


def _union(kinds: Sequence[Select[Transaction]]) -> Select[Transaction]:
    """Return the rows of all kinds. Each is limited: together they are few."""
    if len(kinds) == 1:
        return kinds[0].order_by(None)
    ids = (kind.with_only_columns(Transaction.id).subquery() for kind in kinds)
    return select(Transaction).where(Transaction.id.in_(union_all(*map(select, ids))))


async def _has_any(
    session: AsyncSession, rows: Rows, position: Position, is_ascending: bool
) -> bool:
    found, _ = await _fetch_nearest(session, rows, position, is_ascending, 1)
    return bool(found)


def _position(row: Transaction) -> Position:
    return Position(row.created_at, row.id)


def _beyond(position: Position, is_ascending: bool) -> ColumnElement[bool]:
    row = tuple_(Transaction.created_at, Transaction.id)
    other = tuple_(
        literal(position.created_at, Transaction.created_at.type),
        literal(position.id, Transaction.id.type),
    )
    return row > other if is_ascending else row < other
