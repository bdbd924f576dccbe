"""Connections that stall in the middle of a request."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

# where a request stops: in its head, in a body of a known length, in one that comes in chunks
_BEGUN: Final = (
    b"",
    b"Content-Length: 1000\r\n\r\n{",
    b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
)


def post(key: str, *fields: str) -> bytes:
    """Return the head of a POST, its end left out."""
    lines = ["POST /api/autoramps HTTP/1.1", "Host: 127.0.0.1", f"X-API-Key: {key}"]
    lines += ["Content-Type: application/json", *fields]
    return "".join(f"{line}\r\n" for line in lines).encode()


def begun(port: int, request: bytes) -> socket.socket:
    """Return a connection on which no more than *request* is sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(request)
    return connection


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """Return the status and the body of the response, behind which the server has to close."""
    received = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), body


@contextmanager
def stalled(port: int, key: str, amount: int) -> Iterator[list[socket.socket]]:
    """Yield so many connections that have stalled, by turns wherever a request may."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                begun(port, post(key, f"IDEMPOTENCY-KEY: {number}") + _BEGUN[number % len(_BEGUN)])
            )
            for number in range(amount)
        ]
