"""Run the reference server in a thread of the test, and call it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from paynet.server import Settings
from sqlalchemy.ext.asyncio import AsyncSession

from paynet_sandbox import app, customers, keys, partners
from paynet_sandbox.database import Database
from paynet_sandbox.records import find_all
from paynet_sandbox.tables import Customer, Partner, Table, Transaction
from paynet_sandbox.transactions import build_search_text

T = TypeVar("T")

START: Final = datetime(2026, 1, 1, tzinfo=UTC)

BOTH_DATABASES: Final = pytest.mark.parametrize(
    "new_database", ["sqlite", "postgresql"], indirect=True, scope="session"
)
"""Marks tests of what databases do themselves: order, comparisons, transactions and locks"""


class Door:
    """Access to the database of the server, for one thread."""

    def __init__(self, address: str, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._database = Database(address)

    def run(self, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """Return the result of *work* on the database after committing its changes."""

        async def run() -> T:
            async with self._database.writing() as session:
                return await work(session)

        return self._runner.run(run())

    def migrate(self) -> None:
        self._runner.run(self._database.migrate())

    def close(self) -> None:
        self._runner.run(self._database.close())


@contextmanager
def open_database(address: str) -> Iterator[Door]:
    """Yield a door to the database at *address*."""
    with asyncio.Runner() as runner:
        door = Door(address, runner)
        yield door
        door.close()


@contextmanager
def serve_application(application: FastAPI) -> Iterator[str]:
    """Serve *application*, and yield its address."""
    config = uvicorn.Config(
        application, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    [listener] = server.servers
    yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@dataclass
class Sandbox:
    """A server of one environment on one database."""

    door: Door
    client: httpx.Client

    def partner(self, rails: Iterable[str] = partners.RAILS) -> Caller:
        """Return a new partner with a key."""

        async def added(session: AsyncSession) -> tuple[UUID, str]:
            partner = await partners.add(session, "A partner", rails)
            return partner.id, await keys.issue(session, partner.id)

        return Caller(self, *self.door.run(added))


@contextmanager
def sandbox(
    address: str, environment: app.Environment = "sandbox", settings: Settings | None = None
) -> Iterator[Sandbox]:
    """Yield a running server of *environment* on the database at *address*."""
    with (
        serve_application(app.create(address, environment, settings)) as host,
        # without TLS; loading all certificates takes longer than several requests
        httpx.Client(base_url=host, timeout=30) as client,
        open_database(address) as door,
    ):
        yield Sandbox(door, client)


@dataclass
class Caller:
    """A partner that calls the API with its key."""

    sandbox: Sandbox
    partner_id: UUID
    key: str
    headers: dict[str, str] = field(default_factory=dict)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Any = None,
        **headers: str,
    ) -> httpx.Response:
        """Return the response to a request; ``x_api_version=`` sets a header, and so on."""
        sent = {"x_api_key": self.key, **self.headers, **headers}
        return self.sandbox.client.request(
            method,
            f"/api{path}",
            params=query,
            headers={name.replace("_", "-"): value for name, value in sent.items()},
            **({} if body is None else {"json": body}),
        )

    def get(self, path: str, **query: Any) -> Any:
        """Return the body of a successful response."""
        response = self.ask("GET", path, query=query)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Return the body of a successful response."""
        response = self.ask("POST", path, body, **headers)
        assert response.is_success, response.text
        return response.json()

    def sub_partner(self) -> str:
        """Return the id of a new sub-partner."""

        async def added(session: AsyncSession) -> str:
            partner = await session.get_one(Partner, self.partner_id)
            return str((await partners.add_sub_partner(session, partner, "A sub-partner")).id)

        return self.sandbox.door.run(added)

    def customer(self, **columns: Any) -> str:
        """Return the id of a new customer."""
        id = uuid4()
        known: dict[str, Any] = {
            "customer_type": "Business",
            "status": "Active",
            "name": "Ångström Trading GmbH",
            "email": "first@example.com",
            "identification_ids": [],
            "signing_ids": [],
            "threshold_eur": "15000.00",
            "created_at": START,
            "updated_at": START,
        }
        self._add([Customer(**{"id": id, "partner_id": self.partner_id, **known, **columns})])
        return str(id)

    def customers(self) -> list[dict[str, Any]]:
        """Return the customers of the partner, as the API shows them."""
        every = self.sandbox.door.run(lambda session: find_all(session, Customer))
        own = [each for each in every if each.partner_id == self.partner_id]
        return [customers.show(each).model_dump(mode="json") for each in own]

    def transactions(self, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Add transactions, all of one new autoramp by default; return their ids."""
        autoramp = UUID(self.post("/autoramps", {})["id"])
        added = []
        for row in rows:
            id = row.get("id", uuid4())
            fields = row.get("fields", {})
            known = {
                "id": id,
                "partner_id": self.partner_id,
                "autoramp_id": autoramp,
                "status": "Completed",
                "search": build_search_text(id, fields),
                "fields": fields,
                "created_at": START,
            }
            added.append(Transaction(**known | row))
        self._add(added)
        return [str(each.id) for each in added]

    def _add(self, rows: Iterable[Table]) -> None:
        rows = list(rows)

        async def add(session: AsyncSession) -> None:
            session.add_all(rows)
            await session.flush()

        self.sandbox.door.run(add)
