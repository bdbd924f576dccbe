"""The operations on autoramps. Unknown fields that callers send are stored as they are."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from paynet.server import Call, Refusal, models
from paynet.types import JsonValue
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from .accounts import Account, read_uuid
from .database import Database
from .records import find_own, get_own
from .tables import LONGEST_EXTERNAL_ID, Autoramp, Customer
from .times import next_time, take_turn

_OURS: Final = frozenset({"id", "deposit_rails", "quotes", "created_at", "updated_at"})
"""Fields that callers don't decide. They are passed over: what was read can be sent back."""

_RAMP_TYPES: Final = tuple(each.value for each in models.RampType)


class Autoramps:
    """The operations of the group Autoramp on autoramps."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_autoramps(self, call: Call[Account]) -> dict[str, Any]:
        """Return all autoramps of the partner, newest first."""
        newest = select(Autoramp).where(Autoramp.partner_id == call.account.partner_id)
        newest = newest.order_by(Autoramp.created_at.desc(), Autoramp.id.desc())
        async with self._database.reading() as session:
            return {"items": [_show(each) for each in await session.scalars(newest)]}

    async def create_autoramp(
        self, call: Call[Account], *, body: dict[str, JsonValue] | None = None
    ) -> dict[str, Any]:
        """Create an autoramp with the deposit rails that the partner's accounts support."""
        async with self._database.writing() as session:
            partner = await take_turn(session, call.account.partner_id)
            autoramp = Autoramp(
                partner_id=partner.id,
                deposit_rails=[{"type": name} for name in partner.deposit_rails],
                quotes=[],
                fields={},
                created_at=partner.latest,
                updated_at=partner.latest,
            )
            await _change(session, autoramp, body or {})
            session.add(autoramp)
            await session.flush()
            return _show(autoramp)

    async def get_autoramp(self, call: Call[Account], *, autoramp_id: UUID) -> dict[str, Any]:
        return await self._find(call.account, Autoramp.id == autoramp_id)

    async def get_autoramp_by_external_id(
        self, call: Call[Account], *, external_id: str
    ) -> dict[str, Any]:
        return await self._find(call.account, Autoramp.external_id == external_id)

    async def _find(self, account: Account, wanted: ColumnElement[bool]) -> dict[str, Any]:
        async with self._database.reading() as session:
            return _show(await get_own(session, Autoramp, account.partner_id, wanted))

    async def update_autoramp(
        self,
        call: Call[Account],
        *,
        autoramp_id: UUID,
        body: dict[str, JsonValue] | None = None,
    ) -> dict[str, Any]:
        """Set the fields that are given; all others stay as they were."""
        async with self._database.writing() as session:
            autoramp = await _to_change(session, call.account, autoramp_id)
            await _change(session, autoramp, body or {})
            return _show(autoramp)

    async def create_autoramp_quote(
        self,
        call: Call[Account],
        *,
        autoramp_id: UUID,
        body: dict[str, JsonValue] | None = None,
    ) -> dict[str, Any]:
        """Attach a quote, just as it is given, behind those that the autoramp has."""
        async with self._database.writing() as session:
            autoramp = await _to_change(session, call.account, autoramp_id)
            autoramp.quotes = [*autoramp.quotes, body or {}]
            return _show(autoramp)


async def _to_change(session: AsyncSession, account: Account, id: UUID) -> Autoramp:
    """Return an autoramp that is changed now. Raises Refusal."""
    # first of all: what others are changing is read when they have done so
    now = await next_time(session, account.partner_id)
    autoramp = await get_own(session, Autoramp, account.partner_id, Autoramp.id == id)
    autoramp.updated_at = now
    return autoramp


async def _change(session: AsyncSession, autoramp: Autoramp, given: dict[str, JsonValue]) -> None:
    """Set the fields of an autoramp. Raises Refusal for those that can't be what is given."""
    fields = {name: value for name, value in given.items() if name not in _OURS}
    if "customer_id" in fields:
        customer_id = await _customer_id(session, autoramp.partner_id, fields.pop("customer_id"))
        autoramp.customer_id = customer_id
    if "external_id" in fields:
        external_id = fields.pop("external_id")
        autoramp.external_id = await _external_id(session, autoramp, external_id)
    if "ramp_type" in fields:
        autoramp.ramp_type = _ramp_type(fields.pop("ramp_type"))
    autoramp.fields = {**autoramp.fields, **fields}


async def _customer_id(session: AsyncSession, partner_id: UUID, given: JsonValue) -> UUID:
    id = read_uuid(given) if isinstance(given, str) else None
    if id is None:
        raise Refusal(400, "customer_id has to be a UUID")
    if await find_own(session, Customer, partner_id, Customer.id == id) is None:
        raise Refusal(400, "customer_id is not that of a customer of yours")
    return id


async def _external_id(session: AsyncSession, autoramp: Autoramp, given: JsonValue) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_EXTERNAL_ID:
        raise Refusal(
            400, f"external_id has to be a string of at most {LONGEST_EXTERNAL_ID} characters"
        )
    with session.no_autoflush:
        wanted = Autoramp.external_id == given
        owner = await find_own(session, Autoramp, autoramp.partner_id, wanted)
    if owner not in (None, autoramp):
        raise Refusal(400, "external_id is that of another autoramp of yours")
    return given


def _ramp_type(given: JsonValue) -> str:
    if not isinstance(given, str) or given not in _RAMP_TYPES:
        raise Refusal(400, f"ramp_type has to be one of {', '.join(_RAMP_TYPES)}")
    return given


def _show(autoramp: Autoramp) -> dict[str, Any]:
    known = {
        "id": autoramp.id,
        "customer_id": autoramp.customer_id,
        "external_id": autoramp.external_id,
        "ramp_type": autoramp.ramp_type,
        "deposit_rails": autoramp.deposit_rails,
        "quotes": autoramp.quotes or None,
        "created_at": autoramp.created_at,
        "updated_at": autoramp.updated_at,
    }
    present = {name: value for name, value in known.items() if value is not None}
    return present | autoramp.fields
