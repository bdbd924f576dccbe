"""A server with one POST and idempotency keys, run as a process on a shared store.

python -m support.keyed_server postgresql ADDRESS | redis SOCKET_PATH
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import psycopg
import uvicorn
from paynet.server.postgresql import PostgresStore
from paynet.server.redis import RedisStore
from paynet.server.runtime.asgi import Receive, Scope, Send, field, respond
from paynet.server.runtime.idempotency import HEADER, Answer
from paynet.server.runtime.replaying import Idempotent
from redis.asyncio import Redis


def connect_to_postgresql(address: str) -> Any:
    """Return a function that opens a connection for each claim."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        connection = await psycopg.AsyncConnection.connect(address)
        try:
            yield connection
        finally:
            await connection.close()

    return connect


def build(kind: str, address: str) -> Any:
    """Return the application; each POST that takes effect increments a counter in the store."""
    store: Any
    if kind == "postgresql":
        store = PostgresStore(connect_to_postgresql(address))
    else:
        client = Redis(unix_socket_path=address)
        store = RedisStore(client, lease=0.5)

    async def serve(scope: Scope, _: Receive, send: Send) -> None:
        key = field(scope, HEADER) or ""
        await asyncio.sleep(random.random() / 100)
        if kind == "postgresql":
            await store.connection().execute("INSERT INTO effects VALUES (%s)", (key,))
        else:
            await client.rpush("effects", key)
        await asyncio.sleep(random.random() / 100)
        await respond(scope, send, Answer(200, "text/plain", str(uuid4()).encode()))

    async def find_account(_: Scope) -> str:
        return "one"

    return Idempotent(serve, store, find_account)


if __name__ == "__main__":
    config = uvicorn.Config(build(*sys.argv[1:3]), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)

    async def run() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.005)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await serving

    asyncio.run(run())
