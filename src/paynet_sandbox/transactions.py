"""The operation that lists transactions in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from paynet.server import Call, Refusal, models
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from . import search
from .accounts import Account, find_sub_partner
from .database import Database, Unindexed
from .paging import Position, Rows, TransactionPage, fetch_following, fetch_preceding
from .tables import Transaction

_SEARCHED: Final = (
    ("recipient", "recipient", "name"),
    ("recipient", "provider_name"),
    ("source", "wallet_address"),
)
"""The paths of the bank account's name, the provider and the wallet's address."""

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
        x_sub_partner_id: UUID | None = None,
    ) -> dict[str, Any]:
        """Return a page of the partner's transactions; those of a sub-partner where one is given.

        A cursor is the id of the transaction that the page begins or ends with.
        """
        if cursor is not None and prev_cursor is not None:
            raise Refusal(400, "cursor and prev_cursor exclude each other")
        filters: tuple[tuple[Any, Callable[[Any], Condition]], ...] = (
            (search_term, partial(search.contains, Transaction.search)),
            (from_date, Transaction.created_at.__ge__),
            (to_date, Transaction.created_at.__le__),
        )
        wanted = [condition(given) for given, condition in filters if given is not None]
        async with self._database.reading() as session:
            sub_partner_id = await find_sub_partner(session, call.account, x_sub_partner_id)
            scope = [
                (Transaction.sub_partner_id, sub_partner_id),
                (Transaction.partner_id, call.account.partner_id),
            ]
            owners = [
                (Transaction.autoramp_id, autoramp_id),
                (Transaction.customer_id, customer_id),
                *scope,
            ]
            found = await _fetch_page(
                session,
                [column == id for column, id in scope if id is not None],
                [kind.where(*wanted) for kind in _kinds(owners, status, ramp_type)],
                cursor=cursor,
                prev_cursor=prev_cursor,
                is_ascending=sort_order is models.SortOrder.ASC,
                size=page_size,
            )
        return _show_page(found)


def _kinds(
    owners: Sequence[tuple[InstrumentedAttribute[Any], UUID | None]],
    statuses: Sequence[models.AutorampTransactionStatus] | None,
    ramp_type: models.RampType | None,
) -> list[Select[Transaction]]:
    """Return the rows of these statuses and of this type that all *owners* have.

    Each kind is what one index holds in order: of the first owner, who has the fewest rows; of
    the partner, for each status.
    """
    (owner, id), *others = [(column, id) for column, id in owners if id is not None]
    rows = select(Transaction).where(owner == id)
    if others:
        rows = rows.where(*(Unindexed(column) == id for column, id in others))
        if ramp_type is not None:
            rows = rows.where(Unindexed(Transaction.ramp_type) == ramp_type)
        if statuses is not None:
            rows = rows.where(Unindexed(Transaction.status).in_(statuses))
        return [rows]
    if ramp_type is not None:
        rows = rows.where(Transaction.ramp_type == ramp_type)
        statuses = statuses or list(models.AutorampTransactionStatus)
    if statuses is None:
        return [rows]
    return [rows.where(Transaction.status == each) for each in dict.fromkeys(statuses)]


async def _fetch_page(
    session: AsyncSession,
    scope: list[Condition],
    rows: Rows,
    *,
    cursor: UUID | None,
    prev_cursor: UUID | None,
    is_ascending: bool,
    size: int,
) -> TransactionPage:
    if prev_cursor is not None:
        position = await _find_position(session, scope, prev_cursor, "prev_cursor")
        return await fetch_preceding(
            session, rows, position=position, is_ascending=is_ascending, size=size
        )
    start = None if cursor is None else await _find_position(session, scope, cursor, "cursor")
    return await fetch_following(
        session, rows, position=start, is_ascending=is_ascending, size=size
    )


async def _find_position(
    session: AsyncSession, scope: list[Condition], cursor: UUID, name: str
) -> Position:
    """Return the position of the transaction that the cursor names. Raises Refusal."""
    times = select(Transaction.created_at).where(Transaction.id == cursor, *scope)
    created_at = await session.scalar(times)
    if created_at is None:
        raise Refusal(400, f"{name} is not that of a page")
    return Position(created_at, cursor)


def _show_page(page: TransactionPage) -> dict[str, Any]:
    answer: dict[str, Any] = {"items": [show(row) for row in page.rows], "prev_cursor": None}
    if page.has_previous:
        answer["prev_cursor"] = page.rows[0].id
    if page.has_next:
        answer["cursor"] = page.rows[-1].id
    return answer


def show(transaction: Transaction) -> dict[str, Any]:
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


def build_search_text(id: UUID, fields: Mapping[str, Any]) -> str:
    """Return the text that search terms are looked for in: four texts of the transaction."""
    return search.join_folded([*_texts(fields), str(id)])


def _texts(fields: Mapping[str, Any]) -> Iterator[str]:
    for steps in _SEARCHED:
        value: Any = fields
        for step in steps:
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            yield value
