"""Sessions on a database, which is SQLite or PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import (
    URL,
    Connection,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from .running import Running

_DRIVERS: Final = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}

# What writes is a transaction. Statements that only read are each one of their own: to begin and to
# end others would treble what the database is asked.
_WRITING: Final = {
    # takes its turn at the start: a transaction that has read can't always write
    "sqlite": {"begin": "BEGIN IMMEDIATE"},
    "postgresql": {"isolation_level": "READ COMMITTED"},
}

# How long one process waits for another to end its changes of an SQLite file.
_PATIENCE: Final = 30.0

# Of all processes that start at one time, one migrates the schema.
_MIGRATION_LOCK: Final = 7_205_759_403

_joined: ContextVar[AsyncSession | None] = ContextVar("_joined", default=None)


class DatabaseAddressError(ValueError):
    """The address of a database that can't be used; the message says which can."""


class Database:
    """Sessions on one database, for one event loop.

    Raises DatabaseAddressError for an address that is neither SQLite's nor PostgreSQL's.
    """

    def __init__(self, address: str) -> None:
        self._engine = _engine(address)
        self.dialect = self._engine.dialect.name
        self._writing = self._engine.execution_options(**_WRITING[self.dialect])
        # SQLite lets one connection write at a time: those of this process take turns, first
        # come, first served, which its own waiting does not grant
        self._turn: AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if self.dialect == "sqlite" else nullcontext()
        )
        self._running = _running(self._engine.url)

    async def migrate(self) -> None:
        """Bring the schema to where this program needs it.

        Raises OperationalError where the database can't be used.
        """
        if self.dialect == "sqlite":
            _require_openable(self._engine.url)
        async with self._writing.begin() as connection:
            if self.dialect == "postgresql":
                lock = text("SELECT pg_advisory_xact_lock(:number)")
                await connection.execute(lock, {"number": _MIGRATION_LOCK})
            await connection.run_sync(_upgrade)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Yield a session that changes nothing."""
        async with AsyncSession(self._engine, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """Yield a session whose changes are committed at the end, unless there was an error.

        Within `joined`, it is the session given there, whose owner commits.
        """
        session = _joined.get()
        if session is not None:
            yield session
            await session.flush()
            return
        async with self.open_uncommitted() as session:
            yield session
            await session.commit()

    @asynccontextmanager
    async def open_uncommitted(self) -> AsyncIterator[AsyncSession]:
        """Yield a session whose changes are undone at the end, unless they were committed."""
        async with (
            self._turn,
            AsyncSession(self._writing, expire_on_commit=False) as session,
        ):
            yield session

    def running(self, digest: str) -> AbstractAsyncContextManager[Any]:
        """Return a lock for the request called *digest*, which one process at a time holds.

        PostgreSQL keeps requests apart by the rows that they change.
        """
        return nullcontext() if self._running is None else self._running.hold(digest)

    async def close(self) -> None:
        await self._engine.dispose()
        if self._running is not None:
            self._running.close()


class Unindexed(FunctionElement[Any]):
    """A column as what SQLite uses no index for.

    Without statistics, it takes whichever index has the most columns for the best. PostgreSQL
    always has some, and makes a better choice itself.
    """

    inherit_cache = True

    def __init__(self, column: InstrumentedAttribute[Any]) -> None:
        super().__init__(column)
        self.type = column.expression.type


@compiles(Unindexed)
def _column(element: Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(Unindexed, "sqlite")
def _compile_unindexed(element: Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


def join(session: AsyncSession | None) -> None:
    """Let all that this task writes from here on be part of *session*; None for its own again."""
    _joined.set(session)


def is_busy(error: OperationalError) -> bool:
    """Return whether others locked the SQLite file for as long as this process waits."""
    return getattr(error.orig, "sqlite_errorname", None) == "SQLITE_BUSY"


def _engine(address: str) -> AsyncEngine:
    try:
        url = make_url(address)
    except ArgumentError:
        raise DatabaseAddressError("the address of the database can't be read") from None
    kind = url.get_backend_name()
    if kind not in _DRIVERS:
        raise DatabaseAddressError(f"{kind} is not supported; sqlite and postgresql are")
    # errors of the database are logged: without what was asked of it
    engine = create_async_engine(
        url.set(drivername=_DRIVERS[kind]),
        hide_parameters=True,
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": _PATIENCE} if kind == "sqlite" else {},
    )
    if kind == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare)
        event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _running(address: URL) -> Running | None:
    name = address.database or ":memory:"
    is_file = address.get_backend_name() == "sqlite" and not name.startswith((":", "file:"))
    return Running(Path(name)) if is_file else None


def _require_openable(address: URL) -> None:
    """Raise OperationalError for a file that can't be opened.

    The asynchronous driver tells it, too, but its thread may do so once the loop has ended.
    """
    engine = create_engine(address.set(drivername="sqlite"))
    try:
        engine.connect().close()
    finally:
        engine.dispose()


def _prepare(connection: Any, _: Any) -> None:
    # the driver would begin transactions by itself, too late and only before changes
    connection.isolation_level = None
    cursor = connection.cursor()
    _log_ahead(cursor)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _log_ahead(cursor: Any) -> None:
    """Switch write-ahead logging on, waiting while others lock the file: SQLite does not here."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin(connection: Connection) -> None:
    begin = connection.get_execution_options().get("begin")
    if begin is not None:
        connection.exec_driver_sql(begin)


def _upgrade(connection: Connection) -> None:
    config = Config()
    folder = str(Path(__file__).parent / "migrations")
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
