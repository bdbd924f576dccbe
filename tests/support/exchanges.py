"""Requests to an ASGI application, in process or as bytes over a socket, and the responses."""

from __future__ import annotations

import asyncio
import atexit
import json
import socket
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

from dateline_runtime.asgi import App, Message, Scope

T = TypeVar("T")

Fields = list[tuple[bytes, bytes]]


class Response(NamedTuple):
    """A response; ``headers`` as sent, in order, with names in lower case."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]


def request(
    method: str = "GET", path: str = "/api/things", headers: Iterable[tuple[bytes, bytes]] = ()
) -> Scope:
    """Return the ASGI scope of a request, as a server makes it."""
    path, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": list(headers),
        "state": {},
    }


class Caller:
    """The server's side of one exchange: provides the body in pieces, and keeps what is sent.

    A caller that stalls leaves when it has the response.
    """

    def __init__(self, *pieces: bytes, leaves: bool = False, stalls: bool = False) -> None:
        last = len(pieces) - 1
        more = leaves or stalls
        self.messages: list[Message] = [
            {"type": "http.request", "body": piece, "more_body": more or index < last}
            for index, piece in enumerate(pieces or (b"",))
        ]
        self.stalls = stalls
        self.answered = asyncio.Event()
        self.sent: list[Message] = []
        self.asked = 0

    async def receive(self) -> Message:
        self.asked += 1
        if self.messages:
            return self.messages.pop(0)
        if self.stalls:
            await self.answered.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body":
            self.answered.set()

    @property
    def response(self) -> Response:
        start, *pieces = self.sent
        assert start["type"] == "http.response.start"
        assert [piece["type"] for piece in pieces] == ["http.response.body"] * len(pieces)
        assert [piece.get("more_body", False) for piece in pieces][-1:] == [False]
        headers = [
            (str(name, "latin-1"), str(value, "latin-1")) for name, value in start["headers"]
        ]
        return Response(
            start["status"], headers, b"".join(piece.get("body", b"") for piece in pieces)
        )


class PersistentCaller(Caller):
    """A caller that doesn't disconnect, as with servers that keep connections alive."""

    async def receive(self) -> Message:
        if not self.messages:
            await asyncio.Event().wait()
        return await super().receive()


async def exchange(app: App, scope: Scope, *pieces: bytes) -> Response:
    """Return the application's response to a request whose body arrives in *pieces*."""
    caller = Caller(*pieces)
    await app(scope, caller.receive, caller.send)
    return caller.response


def ask(app: App, scope: Scope, *pieces: bytes) -> Response:
    """Run `exchange`."""
    return run(exchange(app, scope, *pieces))


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what `asyncio.run` would, in the same event loop each time.

    To create a loop takes as long as a request.
    """
    loop = _start_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
            loop.run_until_complete(asyncio.wait([task]))


@cache
def _start_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return loop


@contextmanager
def serving(
    app: App, http: Literal["h11", "httptools"] | type = "httptools", **said: Any
) -> Iterator[int]:
    """Serve the application with uvicorn on a free local port; yield the port.

    *said* are additional settings of uvicorn.
    """
    import uvicorn

    settings = {
        "ws": "none",
        "lifespan": "off",
        "port": 0,
        "log_level": "critical",
        # h11 itself refuses anything longer than 64 KiB by default
        "h11_max_incomplete_event_size": 4 * 1024 * 1024,
    }
    server = uvicorn.Server(uvicorn.Config(app, http=http, **{**settings, **said}))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server ended before it had started"
            time.sleep(0.005)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def talk(port: int, head: bytes, body: bytes = b"") -> Response:
    """Send the bytes of a request, `Connection: close` included; return the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head + b"\r\n\r\n" + body)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    start, _, rest = received.partition(b"\r\n\r\n")
    status, *lines = start.decode("latin-1").split("\r\n")
    fields = [line.split(": ", 1) for line in lines]
    added = ("date", "server", "connection")
    headers = [(name.lower(), value) for name, value in fields if name.lower() not in added]
    return Response(int(status.split()[1]), headers, rest)
