"""A server that has to fail the tests of retries: its store checks first and records later."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256

import uvicorn
from paynet.server import Handlers, create_app
from paynet.server.runtime.idempotency import RETENTION, Answer, Attempt, Claim, Store, Stored
from sqlalchemy.exc import IntegrityError

from paynet_sandbox.accounts import Accounts
from paynet_sandbox.addresses import Addresses
from paynet_sandbox.autoramps import Autoramps
from paynet_sandbox.customers import Customers
from paynet_sandbox.database import Database
from paynet_sandbox.sandbox import Sandbox
from paynet_sandbox.tables import IdempotentAnswer
from paynet_sandbox.times import now
from paynet_sandbox.transactions import Transactions


class CarelessStore(Store):
    """A store without claims: concurrent requests with the same key all take effect."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, attempt: Attempt, _: float) -> Stored | Claim:
        async with self._database.reading() as session:
            row = await session.get(IdempotentAnswer, _digest(attempt))
        if row is None or row.status is None or row.body is None:
            return Claim.TAKEN
        return Stored(row.fingerprint, Answer(row.status, row.media_type, row.body))

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        row = IdempotentAnswer(
            scope=_digest(attempt),
            fingerprint=attempt.fingerprint,
            expires_at=now() + RETENTION,
            **answer._asdict(),
        )
        with suppress(IntegrityError):
            async with self._database.writing() as session:
                session.add(row)

    async def release(self, attempt: Attempt) -> None:
        """Do nothing: this store keeps no claims."""


class _Autoramp(Autoramps, Transactions):
    """The handlers of the group Autoramp."""


def _digest(attempt: Attempt) -> str:
    return sha256(repr(attempt.scope).encode()).hexdigest()


def main(address: str) -> None:
    database = Database(address)
    handlers = Handlers(
        addresses=Addresses(),
        autoramp=_Autoramp(database),
        customer=Customers(database),
        sandbox=Sandbox(database),
    )
    app = create_app(
        handlers,
        environment="sandbox",
        authenticate=Accounts(database).authenticate,
        idempotency=CarelessStore(database),
    )
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False)
    listener = config.bind_socket()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])
