"""Transactions are found by their status, and by the type of their autoramp."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_index(
        "ix_transactions_partner_id_status_created_at_id",
        "transactions",
        ["partner_id", "status", "created_at", "id"],
    )
    op.create_index(
        "ix_transactions_partner_id_ramp_type_status_created_at_id",
        "transactions",
        ["partner_id", "ramp_type", "status", "created_at", "id"],
    )
