"""A connection to a server that fails as planned, before or after the server gets the request."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_RESET: Final = struct.pack("ii", 1, 0)


class DroppedError(Exception):
    """Raised to reset the connection to the client."""


Forward = Callable[[], bytes]
Fault = Callable[[socket.socket, Forward], None]


def _answer(status: int, *headers: str, body: bytes = b"") -> Fault:
    """Return a fault that answers in place of the server."""
    lines = [f"HTTP/1.1 {status} -", "Connection: close", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()
    return lambda client, _: client.sendall(head + body)


def _served_and(fault: Fault) -> Fault:
    """Return *fault*, after the server gets the request."""

    def fail(client: socket.socket, forward: Forward) -> None:
        response = forward()
        fault(client, lambda: response)

    return fail


def _drop(_client: socket.socket, _forward: Forward) -> None:
    raise DroppedError


def _close(_client: socket.socket, _forward: Forward) -> None:
    pass


def _pass_on(client: socket.socket, forward: Forward) -> None:
    client.sendall(forward())


def _cut(client: socket.socket, forward: Forward) -> None:
    client.sendall(forward()[:-1])


def _cut_headers(client: socket.socket, forward: Forward) -> None:
    client.sendall(forward()[:30])
    raise DroppedError


def _stall(client: socket.socket, forward: Forward) -> None:
    client.sendall(forward()[:-1])
    # until the client closes the connection
    client.recv(1)


FAULTS: Final[dict[str, Fault]] = {
    "none": _pass_on,
    "reset": _drop,
    "reset after": _served_and(_drop),
    "closed": _close,
    "closed after": _served_and(_close),
    "no HTTP": lambda client, _: client.sendall(b"SSH-2.0-x\r\n\r\n"),
    "cut": _cut,
    "cut in headers": _cut_headers,
    "stalled": _stall,
    "429": _answer(429),
    "429 at once": _answer(429, "Retry-After: 0"),
    "429 for long": _answer(429, "Retry-After: 9999"),
    "500": _answer(500),
    "500 after": _served_and(_answer(500)),
    "502 after": _served_and(_answer(502)),
    "503": _answer(503, body=b"<html><title>Maintenance</title></html>"),
    "a page": _answer(200, "Content-Type: text/html", body=b"<html><title>Welcome</title></html>"),
}


class Unreliable:
    """Forwards requests to *port*; each connection has the next of the ``planned`` faults."""

    def __init__(self, port: int, listener: socket.socket) -> None:
        self._port = port
        self._listener = listener
        self.planned: list[str] = []
        self.requests: list[bytes] = []

    def run(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            request = _receive(client)
            self.requests.append(request)
            try:
                FAULTS[self.planned.pop(0)](client, lambda: self._forward(request))
            except DroppedError:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    def _forward(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            first, _, rest = request.partition(b"\r\n")
            server.sendall(first + b"\r\nConnection: close\r\n" + rest)
            return b"".join(iter(lambda: server.recv(65536), b""))


def _receive(client: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(lines.get(b"content-length", 0)):
        body += client.recv(65536)
    # the client keeps no connection open, and neither does the server
    kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join(kept) + b"\r\n\r\n" + body


@contextmanager
def unreliable(port: int) -> Iterator[tuple[str, Unreliable]]:
    """Yield the address of an unreliable connection to *port*, and the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Unreliable(port, listener)
        thread = threading.Thread(target=made.run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", made
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)
