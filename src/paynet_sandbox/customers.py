"""The operations of the group Customer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from paynet.server import Call, models
from paynet.types import ABSENT

from .accounts import Account, find_sub_partner
from .database import Database
from .records import get_own
from .tables import Customer
from .times import next_time

_OPTIONAL = ("active_email", "external_id", "identification_status")


class Customers:
    """The operations of the group Customer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def update_customer(
        self,
        call: Call[Account],
        *,
        id: UUID,
        x_sub_partner_id: UUID | None = None,
        body: models.UpdateCustomerParams,
    ) -> None:
        """Change a customer's email, and its external id where one is given.

        A partner updates all of its customers; acting for a sub-partner, only those of that one.
        """
        async with self._database.writing() as session:
            sub_partner_id = await find_sub_partner(session, call.account, x_sub_partner_id)
            updated_at = await next_time(session, call.account.partner_id)
            wanted = [Customer.id == id]
            if sub_partner_id is not None:
                wanted.append(Customer.sub_partner_id == sub_partner_id)
            customer = await get_own(session, Customer, call.account.partner_id, *wanted)
            customer.email = body.email
            if body.external_id is not ABSENT:
                customer.external_id = body.external_id
            customer.updated_at = updated_at

    async def get_customer_spending_limit(
        self, call: Call[Account], *, id: UUID
    ) -> models.SpendingLimit:
        async with self._database.reading() as session:
            customer = await get_own(session, Customer, call.account.partner_id, Customer.id == id)
        return models.SpendingLimit(threshold_eur=customer.threshold_eur)


def show(customer: Customer) -> models.Customer:
    """Return a customer as the specification defines it."""
    given: dict[str, Any] = {
        name: value for name in _OPTIONAL if (value := getattr(customer, name)) is not None
    }
    return models.Customer(
        id=customer.id,
        customer_type=models.CustomerType(customer.customer_type),
        status=models.CustomerStatus(customer.status),
        name=customer.name,
        email=customer.email,
        partner_id=customer.partner_id,
        identification_ids=[UUID(each) for each in customer.identification_ids],
        signing_ids=[UUID(each) for each in customer.signing_ids],
        created_at=customer.created_at,
        updated_at=customer.updated_at,
        # limits depend on customer and direction: the operation for them tells
        spending_limit_euro=None,
        **given,
    )
