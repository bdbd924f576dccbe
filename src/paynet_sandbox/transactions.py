"""Transactions: listed in pages, and made from what is known of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from paynet.server import Call, Refusal, models
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from . import search
from .accounts import Account, sub_partner
from .database import Database
from .paging import Page, Place, following, preceding
from .tables import Transaction

_SEARCHED: Final = (
    ("recipient", "recipient", "name"),
    ("recipient", "provider_name"),
    ("source", "wallet_address"),
)
"""Where the bank account's name, the provider and the wallet's address stand."""

Condition = ColumnElement[bool]


class Transactions:
    """The operation of the group Autoramp on transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_autoramp_transactions(
        self,
        call: Call[Account],
        *,
        autoramp_id: UUID | None = None,
        customer_id: UUID | None = None,
        cursor: UUID | None = None,
        prev_cursor: UUID | None = None,
        page_size: int = 10,
        search_term: str | None = None,
        ramp_type: models.RampType | None = None,
        from_date: datetime | None = None,
        to_date: datetime | None = None,
        status: list[models.AutorampTransactionStatus] | None = None,
        sort_order: models.SortOrder = models.SortOrder.DESC,
        x_sub_partner_id: str | None = None,
    ) -> dict[str, Any]:
        """Return a page of the partner's transactions; those of a sub-partner where one is given.

        A cursor is the id of the transaction that the page begins or ends with.
        """
        if cursor is not None and prev_cursor is not None:
            raise Refusal(400, "cursor and prev_cursor exclude each other")
        filters: tuple[tuple[Any, Callable[[Any], Condition]], ...] = (
            (autoramp_id, Transaction.autoramp_id.__eq__),
            (customer_id, Transaction.customer_id.__eq__),
            (search_term, partial(search.holds, Transaction.search)),
            (ramp_type, Transaction.ramp_type.__eq__),
            (from_date, Transaction.created_at.__ge__),
            (to_date, Transaction.created_at.__le__),
            (status, Transaction.status.in_),
        )
        async with self._database.reading() as session:
            scope = [Transaction.partner_id == call.account.partner_id]
            sub_partner_id = await sub_partner(session, call.account, x_sub_partner_id)
            if sub_partner_id is not None:
                scope.append(Transaction.sub_partner_id == sub_partner_id)
            found = await _page(
                session,
                scope,
                [condition(given) for given, condition in filters if given is not None],
                cursor=cursor,
                prev_cursor=prev_cursor,
                is_ascending=sort_order is models.SortOrder.ASC,
                size=page_size,
            )
        return _listed(found)


async def _page(
    session: AsyncSession,
    scope: list[Condition],
    filters: list[Condition],
    *,
    cursor: UUID | None,
    prev_cursor: UUID | None,
    is_ascending: bool,
    size: int,
) -> Page:
    rows = select(Transaction).where(*scope, *filters)
    if prev_cursor is not None:
        place = await _place(session, scope, prev_cursor, "prev_cursor")
        return await preceding(session, rows, place=place, is_ascending=is_ascending, size=size)
    behind = None if cursor is None else await _place(session, scope, cursor, "cursor")
    return await following(session, rows, place=behind, is_ascending=is_ascending, size=size)


async def _place(session: AsyncSession, scope: list[Condition], cursor: UUID, name: str) -> Place:
    """Return where the transaction stands that the cursor names. Raises Refusal."""
    times = select(Transaction.created_at).where(Transaction.id == cursor, *scope)
    created_at = await session.scalar(times)
    if created_at is None:
        raise Refusal(400, f"{name} is not that of a page")
    return Place(created_at, cursor)


def _listed(page: Page) -> dict[str, Any]:
    answer: dict[str, Any] = {"items": [shown(row) for row in page.rows], "prev_cursor": None}
    if page.has_previous:
        answer["prev_cursor"] = page.rows[0].id
    if page.has_next:
        answer["cursor"] = page.rows[-1].id
    return answer


def shown(transaction: Transaction) -> dict[str, Any]:
    """Return a transaction as callers see it."""
    known = {
        "id": transaction.id,
        "autoramp_id": transaction.autoramp_id,
        "customer_id": transaction.customer_id,
        "created_at": transaction.created_at,
        "status": transaction.status,
    }
    present = {name: value for name, value in known.items() if value is not None}
    return present | transaction.fields


def searched(id: UUID, fields: Mapping[str, Any]) -> str:
    """Return what search terms are looked for in: four texts of the transaction."""
    return search.searched([*_texts(fields), str(id)])


def _texts(fields: Mapping[str, Any]) -> Iterator[str]:
    for steps in _SEARCHED:
        value: Any = fields
        for step in steps:
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            yield value
