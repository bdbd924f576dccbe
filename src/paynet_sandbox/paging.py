"""Rows, an order and a place in it in, one page out: by keys, so that the last costs no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, literal, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import Transaction


class Place(NamedTuple):
    """Where a row stands in the order. No two rows stand at the same place."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, kw_only=True)
class Page:
    """Rows in their order, and whether there are others before and after them."""

    rows: list[Transaction]
    has_previous: bool
    has_next: bool


Rows = Sequence[Select[Transaction]]
"""Rows of several kinds, of which no row is of two: an index holds those of each in their order."""


async def following(
    session: AsyncSession, rows: Rows, *, place: Place | None, is_ascending: bool, size: int
) -> Page:
    """Return the first *size* rows behind *place*; without one, the first of all."""
    found, has_more = await _nearest(session, rows, place, is_ascending, size)
    has_previous = (
        place is not None
        and bool(found)
        and await _is_any(session, rows, _place(found[0]), not is_ascending)
    )
    return Page(rows=found, has_previous=has_previous, has_next=has_more)


async def preceding(
    session: AsyncSession, rows: Rows, *, place: Place, is_ascending: bool, size: int
) -> Page:
    """Return the last *size* rows before *place*."""
    found, has_more = await _nearest(session, rows, place, not is_ascending, size)
    found.reverse()
    has_next = bool(found) and await _is_any(session, rows, _place(found[-1]), is_ascending)
    return Page(rows=found, has_previous=has_more, has_next=has_next)


async def _nearest(
    session: AsyncSession, rows: Rows, place: Place | None, is_ascending: bool, size: int
) -> tuple[list[Transaction], bool]:
    """Return the nearest rows beyond *place*, and whether there are more than these."""
    if size == 0:
        return [], False
    keys = (Transaction.created_at, Transaction.id)
    order = [key.asc() if is_ascending else key.desc() for key in keys]
    beyond = [] if place is None else [_beyond(place, is_ascending)]
    nearest = [kind.where(*beyond).order_by(*order).limit(size + 1) for kind in rows]
    found = list(await session.scalars(_merged(nearest).order_by(*order).limit(size + 1)))
    return found[:size], len(found) > size


def _merged(kinds: Sequence[Select[Transaction]]) -> Select[Transaction]:
    """Return the rows of all kinds. Each is limited: together they are few."""
    if len(kinds) == 1:
        return kinds[0].order_by(None)
    ids = (kind.with_only_columns(Transaction.id).subquery() for kind in kinds)
    return select(Transaction).where(Transaction.id.in_(union_all(*map(select, ids))))


async def _is_any(session: AsyncSession, rows: Rows, place: Place, is_ascending: bool) -> bool:
    found, _ = await _nearest(session, rows, place, is_ascending, 1)
    return bool(found)


def _place(row: Transaction) -> Place:
    return Place(row.created_at, row.id)


def _beyond(place: Place, is_ascending: bool) -> ColumnElement[bool]:
    row = tuple_(Transaction.created_at, Transaction.id)
    other = tuple_(
        literal(place.created_at, Transaction.created_at.type),
        literal(place.id, Transaction.id.type),
    )
    return row > other if is_ascending else row < other
