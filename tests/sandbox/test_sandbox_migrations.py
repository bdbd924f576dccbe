"""Migrations create the schema that the tables declare, even when they run concurrently."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncSession
from support.sandboxes import BOTH_DATABASES, open_database

from paynet_sandbox.tables import Table


def differences(connection: Connection) -> list[Any]:
    found: list[Any] = compare_metadata(MigrationContext.configure(connection), Table.metadata)
    return found


async def compare_schemas(session: AsyncSession) -> list[Any]:
    return await (await session.connection()).run_sync(differences)


def migrate(address: str) -> None:
    with open_database(address) as door:
        door.migrate()


@BOTH_DATABASES
def test_migrations_create_the_declared_tables(new_database: Callable[[], str]) -> None:
    with open_database(new_database()) as door:
        assert door.run(compare_schemas) != []
        door.migrate()
        assert door.run(compare_schemas) == []


@BOTH_DATABASES
def test_concurrent_migrations_succeed(new_database: Callable[[], str]) -> None:
    address = new_database()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate, [address] * 4))
    with open_database(address) as door:
        assert door.run(compare_schemas) == []
