"""Simulation: what starts transactions and moves them on, in the sandbox only."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid4

from paynet.server import Call, Refusal, models
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from .accounts import Account
from .database import Database
from .records import get_own
from .tables import Autoramp, Customer, Transaction
from .times import next_time
from .transactions import build_search_text, show

_OURS: Final = frozenset({"id", "autoramp_id", "customer_id", "created_at", "status"})
"""Fields of a transaction that a deposit does not decide: they are passed over."""


class Sandbox:
    """The operations of the group Sandbox."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def simulate_deposit(
        self,
        call: Call[Account],
        *,
        autoramp_id: UUID,
        body: models.SimulateDepositParams | None = None,
    ) -> dict[str, Any]:
        """Start a transaction of the autoramp, under review.

        Its source amount is what is deposited. Other fields of the body are fields of the
        transaction: what a real deposit would tell of the recipient, of the fees and so on.
        """
        given = {} if body is None else body.model_dump(mode="json")
        async with self._database.writing() as session:
            created_at = await next_time(session, call.account.partner_id)
            autoramp = await get_own(
                session, Autoramp, call.account.partner_id, Autoramp.id == autoramp_id
            )
            fields = _fields(autoramp, given)
            id = uuid4()
            transaction = Transaction(
                id=id,
                partner_id=autoramp.partner_id,
                sub_partner_id=await _sub_partner_id(session, autoramp),
                customer_id=autoramp.customer_id,
                autoramp_id=autoramp.id,
                ramp_type=autoramp.ramp_type,
                status=models.AutorampTransactionStatus.FUNDS_REVIEW_IN_PROGRESS.value,
                search=build_search_text(id, fields),
                fields=fields,
                created_at=created_at,
            )
            session.add(transaction)
            return show(transaction)

    async def advance_transaction(
        self, call: Call[Account], *, id: UUID, body: models.AdvanceTransactionParams
    ) -> dict[str, Any]:
        """Move a transaction on to any status: which transitions there are is not shown."""
        async with self._database.writing() as session:
            await next_time(session, call.account.partner_id)
            transaction = await get_own(
                session, Transaction, call.account.partner_id, Transaction.id == id
            )
            transaction.status = body.status.value
            return show(transaction)


def _fields(autoramp: Autoramp, given: dict[str, Any]) -> dict[str, Any]:
    """Return the open fields of the transaction that a deposit starts. Raises Refusal."""
    fields = {"batch_id": str(uuid4()), "state": "Pending"}
    if autoramp.ramp_type is not None:
        fields["kind"] = autoramp.ramp_type
    for name, value in given.items():
        if name not in _OURS:
            fields["source_amount" if name == "amount" else name] = value
    try:
        models.AutorampTransaction.model_validate(fields)
    except ValidationError as error:
        misfit = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = "".join(f"/{step}" for step in misfit["loc"])
        raise Refusal(400, f"the body at {place}: {misfit['msg']}") from None
    return fields


async def _sub_partner_id(session: AsyncSession, autoramp: Autoramp) -> UUID | None:
    if autoramp.customer_id is None:
        return None
    return (await session.get_one(Customer, autoramp.customer_id)).sub_partner_id
