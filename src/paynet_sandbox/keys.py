"""API keys: issued, listed, revoked, looked up. Only digests are kept."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from .tables import ApiKey, Partner
from .times import now

_PREFIX: Final = "paynet_"
"""What tells a key from other text, to people and to scanners for secrets."""


async def issue(session: AsyncSession, partner_id: UUID) -> str:
    """Return a new key of the partner: the only time that it is seen."""
    key = _PREFIX + secrets.token_urlsafe(32)
    session.add(ApiKey(partner_id=partner_id, digest=_digest(key), created_at=now()))
    return key


async def revoke(session: AsyncSession, key_id: UUID) -> bool:
    """Let a key open nothing from now on; return whether it did until now."""
    valid = update(ApiKey).where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
    revoked = await session.scalars(valid.values(revoked_at=now()).returning(ApiKey.id))
    return revoked.first() is not None


async def find_partner(session: AsyncSession, key: str) -> Partner | None:
    """Return whose key it is; None for one that is unknown or revoked.

    How long the look-up takes tells of the digest at most, and no key can be made from that.
    """
    valid = select(Partner).join(ApiKey, ApiKey.partner_id == Partner.id)
    return await session.scalar(
        valid.where(ApiKey.digest == _digest(key), ApiKey.revoked_at.is_(None))
    )


def _digest(key: str) -> str:
    # of 256 random bits: there is nothing to guess, so one round without salt is enough
    return sha256(key.encode()).hexdigest()
