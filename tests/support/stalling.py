"""Open connections that stall in the middle of a request."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

# where a request stalls: in its head, in a body with a length, in a chunked body
_BEGUN: Final = (
    b"",
    b"Content-Length: 1000\r\n\r\n{",
    b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
)


def post(key: str, *fields: str) -> bytes:
    """Return the head of a POST without its end."""
    lines = ["POST /api/autoramps HTTP/1.1", "Host: 127.0.0.1", f"X-API-Key: {key}"]
    lines += ["Content-Type: application/json", *fields]
    return "".join(f"{line}\r\n" for line in lines).encode()


def begin_request(port: int, request: bytes) -> socket.socket:
    """Return a connection on which only *request* was sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(request)
    return connection


@contextmanager
def stall_connections(port: int, key: str, amount: int) -> Iterator[list[socket.socket]]:
    """Yield that many connections that stall in turn at each place where a request may."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                begin_request(
                    port, post(key, f"IDEMPOTENCY-KEY: {number}") + _BEGUN[number % len(_BEGUN)]
                )
            )
            for number in range(amount)
        ]
