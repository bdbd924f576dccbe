"""Create the application: the generated server with the handlers of this package."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final, Literal, cast

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from paynet.server import Handlers, Settings, create_app
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from . import logs
from .accounts import Account, Accounts
from .addresses import Addresses
from .autoramps import Autoramps
from .customers import Customers
from .database import Database
from .idempotency import DatabaseStore
from .sandbox import Sandbox
from .transactions import Transactions

Environment = Literal["production", "sandbox"]

ADDRESS: Final = "DATABASE_URL"
"""The variable of the process that says where the database is."""

ENVIRONMENT: Final = "PAYNET_ENVIRONMENT"
"""The variable of the process that says which environment is served."""

_log = logging.getLogger(__name__)

_HOUR: Final = timedelta(hours=1).total_seconds()


class _Autoramp(Autoramps, Transactions):
    """The group Autoramp: autoramps and what they produce."""


def create(address: str, environment: Environment, settings: Settings | None = None) -> FastAPI:
    """Return the application that serves one environment over the database at *address*.

    Raises ValueError for an unknown environment, DatabaseAddressError for an address that is none.
    """
    database = Database(address)
    store = DatabaseStore(database)
    handlers: Handlers[Account] = Handlers(
        addresses=Addresses(),
        autoramp=_Autoramp(database),
        customer=Customers(database),
        sandbox=Sandbox(database),
    )
    app = create_app(
        handlers,
        environment=environment,
        authenticate=Accounts(database).authenticate,
        idempotency=store,
        settings=settings,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await database.migrate()
        ending = asyncio.Event()
        forgetting = asyncio.create_task(_forget(store, ending))
        yield
        # not cancelled: a statement that is broken off outlives the loop in its driver's thread
        ending.set()
        await forgetting
        await database.close()

    @app.get("/health")
    async def health() -> JSONResponse:
        """Return whether requests can be served."""
        try:
            async with database.reading() as session:
                await session.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return JSONResponse({"status": "the database does not answer"}, 503)
        return JSONResponse({"status": "ok"})

    app.router.lifespan_context = lifespan
    app.add_middleware(logs.Requests)
    return app


def from_environment() -> FastAPI:
    """Return the application that the variables of the process ask for, with pages for people.

    Raises as `create`.
    """
    logs.configure()
    environment = cast(Environment, os.environ[ENVIRONMENT])
    return create(os.environ[ADDRESS], environment, Settings(docs=True))


async def _forget(store: DatabaseStore, ending: asyncio.Event) -> None:
    """Remove what is kept no longer, once an hour until the end."""
    while not ending.is_set():
        try:
            await store.forget()
        except SQLAlchemyError:
            _log.exception("what is kept no longer could not be removed")
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), _HOUR)
