"""Authenticate callers by their API keys and the header that names a sub-partner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from paynet.server import Credentials, Refusal
from sqlalchemy.ext.asyncio import AsyncSession

from . import keys
from .database import Database
from .records import find_own
from .tables import SubPartner

HEADER: Final = "X-SUB-PARTNER-ID"

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True)
class Account:
    """A partner, and the sub-partner that it acts for, if one was named."""

    partner_id: UUID
    sub_partner_id: UUID | None

    @property
    def identity(self) -> str:
        return f"{self.partner_id} {self.sub_partner_id or ''}"


class Accounts:
    """Looks up callers by their API keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def authenticate(self, credentials: Credentials) -> Account | None:
        """Return the account that the key opens; None for no valid key.

        Its sub-partner is set if the operation accepts the header and the partner has it;
        `find_sub_partner` refuses any other header.
        """
        async with self._database.reading() as session:
            partner = await keys.find_partner(session, credentials.values["ApiKey"])
            if partner is None:
                return None
            given = read_uuid(credentials.parameter(HEADER) or "")
            is_own = given is not None and await _is_own(session, partner.id, given)
        return Account(partner.id, given if is_own else None)


async def find_sub_partner(
    session: AsyncSession, account: Account, given: UUID | None
) -> UUID | None:
    """Return *given*, the id of the sub-partner that a request is done for; None for none.

    Raises Refusal for a sub-partner that is not the account's.
    """
    if given is not None and not await _is_own(session, account.partner_id, given):
        raise Refusal(400, f"{HEADER} is not that of a sub-partner of yours")
    return given


async def _is_own(session: AsyncSession, partner_id: UUID, id: UUID) -> bool:
    return await find_own(session, SubPartner, partner_id, SubPartner.id == id) is not None


def read_uuid(text: str) -> UUID | None:
    """Return the UUID that *text* spells with its hyphens; None for any other text."""
    return UUID(text) if _UUID.fullmatch(text) else None
