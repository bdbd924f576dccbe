"""Fill in data that look real: the same data for the same amounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any, Final
from uuid import UUID

from paynet.server import models
from sqlalchemy import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession

from . import partners, sampled
from .tables import Autoramp, Customer, Partner, SubPartner, Table, Transaction
from .transactions import build_search_text

_START: Final = datetime(2025, 3, 13, 8, tzinfo=UTC)
_SPAN: Final = timedelta(days=480)

_BATCH: Final = 5000
"""How many transactions are inserted at once."""

_SUB_PARTNERS: Final = ("Nordwind Payments", "Café del Mar Remesas")

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """How much of everything there is."""

    customers: int = 200
    autoramps: int = 300
    transactions: int = 5000


async def fill(session: AsyncSession, amounts: Amounts) -> bool:
    """Fill in the data of the first partner; return whether there were none before."""
    partner = await partners.ensure_first(session)
    subs = list(_sub_partners(partner))
    if await session.get(SubPartner, subs[0]["id"]) is not None:
        return False
    customers = list(_customers(partner, subs, amounts.customers))
    autoramps = list(_autoramps(partner, customers, amounts.autoramps))
    for table, rows in ((SubPartner, subs), (Customer, customers), (Autoramp, autoramps)):
        await session.execute(_insert(table), rows)
    transactions = _transactions(autoramps, customers, amounts.transactions)
    while batch := list(islice(transactions, _BATCH)):
        await session.execute(_insert(Transaction), batch)
    # whatever comes from now on is later
    partner.latest = max(partner.latest, _START + _SPAN)
    return True


def _insert(table: type[Table]) -> Insert:
    # into the table, not as objects: those with and those without nulls would go one by one
    return insert(Table.metadata.tables[table.__tablename__])


def _sub_partners(partner: Partner) -> Iterator[Row]:
    random = Random("sub-partners")
    for name in _SUB_PARTNERS:
        yield {
            "id": sampled.uuid(random),
            "partner_id": partner.id,
            "name": name,
            "created_at": _START,
        }


def _customers(partner: Partner, subs: Sequence[Row], amount: int) -> Iterator[Row]:
    random = Random("customers")
    for number in range(amount):
        kind = random.choice(list(models.CustomerType))
        name = sampled.name(random, is_business=kind is models.CustomerType.BUSINESS)
        created_at = _START + timedelta(minutes=number)
        yield {
            "id": sampled.uuid(random),
            "partner_id": partner.id,
            "sub_partner_id": random.choice([None, None, *(sub["id"] for sub in subs)]),
            "customer_type": kind.value,
            "status": _mostly(random, models.CustomerStatus.ACTIVE, list(models.CustomerStatus)),
            "identification_status": _mostly(
                random, models.IdentificationStatus.APPROVED, list(models.IdentificationStatus)
            ),
            "name": name,
            "email": f"customer{number}@example.com",
            "active_email": None,
            "external_id": f"customer-{number}",
            "identification_ids": [str(sampled.uuid(random))],
            "signing_ids": [str(sampled.uuid(random))],
            "threshold_eur": f"{random.randrange(1, 200) * 500}.00",
            "created_at": created_at,
            "updated_at": created_at,
        }


def _autoramps(partner: Partner, customers: Sequence[Row], amount: int) -> Iterator[Row]:
    random = Random("autoramps")
    for number in range(amount):
        created_at = _START + timedelta(hours=3, minutes=number)
        yield {
            "id": sampled.uuid(random),
            "partner_id": partner.id,
            "customer_id": random.choice(customers)["id"],
            "external_id": f"autoramp-{number}",
            "ramp_type": random.choice(list(models.RampType)).value,
            "deposit_rails": [{"type": name} for name in partner.deposit_rails],
            "quotes": [],
            "fields": {},
            "created_at": created_at,
            "updated_at": created_at,
        }


def _transactions(autoramps: Sequence[Row], customers: Sequence[Row], amount: int) -> Iterator[Row]:
    random = Random("transactions")
    owners = {customer["id"]: customer for customer in customers}
    start = _START + timedelta(days=1)
    step = (_SPAN - timedelta(days=2)) / max(amount, 1)
    statuses = list(models.AutorampTransactionStatus)
    for number in range(amount):
        autoramp = random.choice(autoramps)
        customer = owners[autoramp["customer_id"]]
        id: UUID = sampled.uuid(random)
        fields = sampled.transaction(
            random,
            kind=autoramp["ramp_type"],
            name=customer["name"],
            email=customer["email"],
            is_business=customer["customer_type"] == models.CustomerType.BUSINESS.value,
        )
        yield {
            "id": id,
            "partner_id": autoramp["partner_id"],
            "sub_partner_id": customer["sub_partner_id"],
            "customer_id": customer["id"],
            "autoramp_id": autoramp["id"],
            "ramp_type": autoramp["ramp_type"],
            "status": _mostly(random, models.AutorampTransactionStatus.COMPLETED, statuses),
            "search": build_search_text(id, fields),
            "fields": fields,
            # every fifth shares its time with the one before
            "created_at": start + step * (number - (number % 5 == 4)),
        }


def _mostly(random: Random, usual: Any, others: Sequence[Any]) -> str:
    value: str = (usual if random.random() < 0.8 else random.choice(others)).value
    return value
