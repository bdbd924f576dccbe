"""What is kept: a column for all that is filtered, sorted or scoped, JSON for what stays open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final
from uuid import UUID, uuid4

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    MetaData,
    String,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

LONGEST_EXTERNAL_ID: Final = 255
"""How many characters the external id of an autoramp has at most: an index holds no long ones."""

# Migrations change constraints by their names, so each has one.
_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Instant(TypeDecorator[datetime]):
    """A time in UTC, kept in microseconds since 1970: every database compares them alike."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, _: Dialect) -> datetime | None:
        return None if value is None else EPOCH + timedelta(microseconds=value)


class Table(DeclarativeBase):
    metadata = MetaData(naming_convention=_NAMES)

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Instant,
        dict[str, Any]: JSON,
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
    }


class Partner(Table):
    """Whom keys are issued to.

    ``deposit_rails`` are those that its deposit accounts support. ``latest`` is the time that was
    given to a record of the partner last.
    """

    __tablename__ = "partners"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str]
    deposit_rails: Mapped[list[str]]
    created_at: Mapped[datetime]
    latest: Mapped[datetime]


class SubPartner(Table):
    """Whom a partner may act for."""

    __tablename__ = "sub_partners"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    partner_id: Mapped[UUID] = mapped_column(ForeignKey("partners.id"), index=True)
    name: Mapped[str]
    created_at: Mapped[datetime]


class ApiKey(Table):
    """A secret that was issued, of which only the digest is kept."""

    __tablename__ = "api_keys"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    partner_id: Mapped[UUID] = mapped_column(ForeignKey("partners.id"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class Customer(Table):
    __tablename__ = "customers"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    partner_id: Mapped[UUID] = mapped_column(ForeignKey("partners.id"), index=True)
    sub_partner_id: Mapped[UUID | None] = mapped_column(ForeignKey("sub_partners.id"))
    customer_type: Mapped[str]
    status: Mapped[str]
    identification_status: Mapped[str | None]
    name: Mapped[str]
    email: Mapped[str]
    active_email: Mapped[str | None]
    external_id: Mapped[str | None]
    identification_ids: Mapped[list[str]]
    signing_ids: Mapped[list[str]]
    threshold_eur: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class Autoramp(Table):
    """A conversion flow. ``fields`` holds what callers gave beside the columns."""

    __tablename__ = "autoramps"
    __table_args__ = (
        UniqueConstraint("partner_id", "external_id"),
        Index(None, "partner_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    partner_id: Mapped[UUID] = mapped_column(ForeignKey("partners.id"))
    customer_id: Mapped[UUID | None] = mapped_column(ForeignKey("customers.id"))
    external_id: Mapped[str | None] = mapped_column(String(LONGEST_EXTERNAL_ID))
    ramp_type: Mapped[str | None]
    deposit_rails: Mapped[list[dict[str, Any]]]
    quotes: Mapped[list[dict[str, Any]]]
    fields: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class Transaction(Table):
    """A conversion. ``search`` is what search terms are looked for in, ``fields`` all the rest.

    Each index ends with what pages are ordered by.
    """

    __tablename__ = "transactions"
    __table_args__ = (
        Index(None, "partner_id", "created_at", "id"),
        Index(None, "partner_id", "status", "created_at", "id"),
        Index(None, "partner_id", "ramp_type", "status", "created_at", "id"),
        Index(None, "sub_partner_id", "created_at", "id"),
        Index(None, "customer_id", "created_at", "id"),
        Index(None, "autoramp_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    partner_id: Mapped[UUID] = mapped_column(ForeignKey("partners.id"))
    sub_partner_id: Mapped[UUID | None] = mapped_column(ForeignKey("sub_partners.id"))
    customer_id: Mapped[UUID | None] = mapped_column(ForeignKey("customers.id"))
    autoramp_id: Mapped[UUID] = mapped_column(ForeignKey("autoramps.id"))
    ramp_type: Mapped[str | None]
    status: Mapped[str]
    search: Mapped[str]
    fields: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class IdempotentAnswer(Table):
    """The answer to a POST with an idempotency key; while it is made, none is there yet.

    ``scope`` is a digest of what the key is unique in.
    """

    __tablename__ = "idempotent_answers"

    scope: Mapped[str] = mapped_column(String(64), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[datetime] = mapped_column(index=True)
    status: Mapped[int | None]
    media_type: Mapped[str | None]
    body: Mapped[bytes | None]
