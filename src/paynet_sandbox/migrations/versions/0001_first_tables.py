"""All that the first version keeps."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "idempotent_answers",
        sa.Column("scope", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("media_type", sa.String()),
        sa.Column("body", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("scope", name="pk_idempotent_answers"),
    )
    op.create_index("ix_idempotent_answers_expires_at", "idempotent_answers", ["expires_at"])
    op.create_table(
        "partners",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("deposit_rails", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("latest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_partners"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("partner_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_api_keys_partner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("digest", name="uq_api_keys_digest"),
    )
    op.create_index("ix_api_keys_partner_id", "api_keys", ["partner_id"])
    op.create_table(
        "sub_partners",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("partner_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_sub_partners_partner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sub_partners"),
    )
    op.create_index("ix_sub_partners_partner_id", "sub_partners", ["partner_id"])
    op.create_table(
        "customers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("partner_id", sa.Uuid(), nullable=False),
        sa.Column("sub_partner_id", sa.Uuid()),
        sa.Column("customer_type", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("identification_status", sa.String()),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("active_email", sa.String()),
        sa.Column("external_id", sa.String()),
        sa.Column("identification_ids", sa.JSON(), nullable=False),
        sa.Column("signing_ids", sa.JSON(), nullable=False),
        sa.Column("threshold_eur", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_customers_partner_id"),
        sa.ForeignKeyConstraint(
            ["sub_partner_id"], ["sub_partners.id"], name="fk_customers_sub_partner_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_customers"),
    )
    op.create_index("ix_customers_partner_id", "customers", ["partner_id"])
    op.create_table(
        "autoramps",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("partner_id", sa.Uuid(), nullable=False),
        sa.Column("customer_id", sa.Uuid()),
        sa.Column("external_id", sa.String(length=255)),
        sa.Column("ramp_type", sa.String()),
        sa.Column("deposit_rails", sa.JSON(), nullable=False),
        sa.Column("quotes", sa.JSON(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_autoramps_customer_id"),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_autoramps_partner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_autoramps"),
        sa.UniqueConstraint(
            "partner_id", "external_id", name="uq_autoramps_partner_id_external_id"
        ),
    )
    op.create_index(
        "ix_autoramps_partner_id_created_at_id", "autoramps", ["partner_id", "created_at", "id"]
    )
    op.create_table(
        "transactions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("partner_id", sa.Uuid(), nullable=False),
        sa.Column("sub_partner_id", sa.Uuid()),
        sa.Column("customer_id", sa.Uuid()),
        sa.Column("autoramp_id", sa.Uuid(), nullable=False),
        sa.Column("ramp_type", sa.String()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("search", sa.String(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["autoramp_id"], ["autoramps.id"], name="fk_transactions_autoramp_id"
        ),
        sa.ForeignKeyConstraint(
            ["customer_id"], ["customers.id"], name="fk_transactions_customer_id"
        ),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_transactions_partner_id"),
        sa.ForeignKeyConstraint(
            ["sub_partner_id"], ["sub_partners.id"], name="fk_transactions_sub_partner_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_transactions"),
    )
    op.create_index(
        "ix_transactions_autoramp_id_created_at_id",
        "transactions",
        ["autoramp_id", "created_at", "id"],
    )
    op.create_index(
        "ix_transactions_customer_id_created_at_id",
        "transactions",
        ["customer_id", "created_at", "id"],
    )
    op.create_index(
        "ix_transactions_partner_id_created_at_id",
        "transactions",
        ["partner_id", "created_at", "id"],
    )
    op.create_index(
        "ix_transactions_sub_partner_id_created_at_id",
        "transactions",
        ["sub_partner_id", "created_at", "id"],
    )
