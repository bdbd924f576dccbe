"""One request and its response: the headers of the version served, limits, and errors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from typing import Final

from . import lifecycle
from .asgi import (
    REPLAYED,
    Answering,
    App,
    Headers,
    Limits,
    Message,
    Receive,
    Scope,
    Send,
    describe_error,
    field,
    list_refusal_headers,
    list_values,
    log_failure,
    respond,
)
from .errors import Fault, RequestError
from .mounting import MOST_ROOTS, add_root
from .negotiation import BLANKS, Supported
from .problems import Problem

_BLANKS: Final = BLANKS.encode()
_PRIVATE: Final = (b"cache-control", b"private, no-store")
_CLOSE: Final = (b"connection", b"close")

# The number of seconds without a byte of a refused body that show that no more of it comes.
_LINGER: Final = 2.0

_log = logging.getLogger(__name__)


async def require_left(receive: Receive) -> None:
    """Raise RuntimeError unless the caller has left: the application has sent no response."""
    with suppress(TimeoutError):
        # what the server knows now
        async with asyncio.timeout(0):
            while (await receive())["type"] == "http.request":
                await asyncio.sleep(0)
            return
    raise RuntimeError("the application returned without a response")


class Served:
    """A version, and the headers that announce it in responses."""

    def __init__(
        self, supported: Supported, version: str, end: lifecycle.End | None, root: str = ""
    ) -> None:
        self._made_of = supported, version, end
        self._below: dict[str, Served] = {root: self}
        self._has_path = end is not None and end.successor is not None
        if end is not None and end.successor is not None:
            end = replace(end, successor=add_root(end.successor, root))
        echo = [(supported.header, version)] if supported.place == "header" else []
        fields = [*echo, *(lifecycle.headers(end) if end is not None else ())]
        self.version = version
        self._fields = [(name.lower().encode("latin-1"), value.encode()) for name, value in fields]
        # caches distinguish URLs, but not what headers select
        selecting = {"header": supported.header, "media-type": "Accept"}.get(supported.place, "")
        self._header = selecting.encode("latin-1")
        self._alone = [*self._fields, *([(b"vary", self._header)] if selecting else [])]
        self._alone_private = [*self._alone, _PRIVATE]
        self._met = frozenset({name for name, _ in self._fields[: len(echo)]})
        self._met |= {b"vary", b"cache-control"}
        self._parameter = b""
        if supported.place == "media-type":
            self._parameter = f"; {supported.header}={version}".encode("latin-1")
            self._met |= {b"content-type"}

    def below(self, root: str) -> Served:
        """Return the headers that announce the version if the application is mounted at *root*."""
        if not self._has_path:
            return self
        found = self._below.get(root)
        if found is None:
            found = Served(*self._made_of, root)
            if len(self._below) <= MOST_ROOTS:
                self._below[root] = found
        return found

    def add_headers(self, headers: Iterable[tuple[bytes, bytes]], private: bool) -> Headers:
        """Return a response's headers with ours: one of each, with the values of `Vary` kept."""
        fields = [*headers]
        for name, _ in fields:
            if name.lower() in self._met:
                return self._merge(fields, private)
        fields += self._alone_private if private else self._alone
        return fields

    def _merge(self, headers: Headers, private: bool) -> Headers:
        dropped = self._met - {b"cache-control", b"content-type"}
        kept = [
            (name, value + self._parameter if name.lower() == b"content-type" else value)
            for name, value in headers
            if name.lower() not in dropped
        ]
        kept += self._fields
        if vary := self._vary(list_values(headers, b"vary")):
            kept.append((b"vary", vary))
        if private and not list_values(headers, b"cache-control"):
            kept.append(_PRIVATE)
        return kept

    def _vary(self, lines: list[bytes]) -> bytes:
        names = [name.strip(_BLANKS) for line in lines for name in line.split(b",")]
        if b"*" in names:
            return b"*"
        if self._header and self._header.lower() not in (name.lower() for name in names):
            names.append(self._header)
        return b", ".join(filter(None, names))


class _Body(Enum):
    """The progress of the body of a request."""

    COMING = "coming"
    WHOLE = "whole"
    LOST = "lost"


class Exchange:
    """One request and its response, between the server and the application.

    Most requests change none of the attributes of the class. `receive` and `send` return the
    server's own awaitables where they can, since one more coroutine would slow down each request.
    """

    early: Problem | None = None
    """what is answered without asking the application"""
    early_headers: Iterable[tuple[bytes, bytes]] = ()

    _limits = Limits()
    _body = _Body.COMING
    _size = 0
    _deadline: float | None = None
    _refused: RequestError | None = None
    _is_started = False
    _is_replaced = False
    _closes = False

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        served: Served,
        private: bool,
        limits: Limits | None,
        answer: Answering,
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._served = served
        self._private = private
        self._answered = answer
        if limits is not None:
            self._limits = limits

    def refuse_body(self) -> None:
        """Refuse the announced body, without reading any of it."""
        self.early = describe_error(self._break_off(self._too_large(), Fault.TOO_LARGE))

    async def run(self, app: App) -> None:
        """Let the application respond; respond in its place if it fails to."""
        if self.early is not None:
            await self._answer(self.early, self.early_headers)
            return
        try:
            await app(self._scope, self.receive, self.send)
            if not self._is_started and self._body is not _Body.LOST:
                await require_left(self._receive)
        except Exception as error:
            if self._is_replaced:
                return
            if self._is_started:
                # too late for a response: the server closes the connection
                raise
            await self.fail(error)

    async def fail(self, error: Exception) -> None:
        """Respond in place of the application, which raised *error*."""
        if self._body is _Body.LOST:
            method, path = self._scope["method"], self._scope["path"]
            _log.info("%s %r: the caller has left", method, path, exc_info=error)
        elif isinstance(error, RequestError):
            await self._answer(describe_error(error), list_refusal_headers(error))
        else:
            await self._answer(log_failure(self._scope, error))

    def receive(self) -> Awaitable[Message]:
        """Return the next message of the server; raise RequestError if the body is refused."""
        return self._next() if self._body is _Body.COMING else self._receive()

    async def _next(self) -> Message:
        if self._refused is not None:
            raise self._refused
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise self._break_off("the body did not arrive in time", Fault.STALLED) from None
        if message["type"] != "http.request":
            self._body = _Body.LOST
            return message
        self._size += len(message.get("body", b""))
        if self._size > self._limits.body:
            raise self._break_off(self._too_large(), Fault.TOO_LARGE)
        if not message.get("more_body", False):
            self._body = _Body.WHOLE
        return message

    def _too_large(self) -> str:
        return f"the body has to be at most {self._limits.body} bytes"

    def _break_off(self, reason: str, fault: Fault) -> RequestError:
        """Refuse the body and close the connection: the rest of it stays unread."""
        self._closes = True
        self._refused = RequestError(reason, fault)
        return self._refused

    def send(self, message: Message) -> Awaitable[None]:
        """Send a message of the application, or the refusal once its body was refused."""
        if self._refused is None:
            return self._forward(message)
        return self._instead(self._refused, message)

    async def _instead(self, error: RequestError, message: Message) -> None:
        if not self._is_started:
            self._is_replaced = True
            await self._answer(describe_error(error))
        elif not self._is_replaced:
            await self._forward(message)

    async def _answer(self, problem: Problem, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Send a response of our own. It ends the connection if a body is left unread."""
        answer = self._answered(self._scope, problem)
        has_connections = self._scope.get("http_version", "1.1").startswith("1")
        if self._closes and has_connections:
            await respond(self._scope, self._send_last, answer, [*headers, _CLOSE])
        else:
            await respond(self._scope, self._forward, answer, headers)

    async def _send_last(self, message: Message) -> None:
        """Send a message of the last response of a connection, and end it late.

        Closing a connection with unread data resets it, and the response is lost on its way (RFC
        9112, section 9.6), so what the caller still sends is read before.
        """
        if message["type"] == "http.response.body":
            await self._forward({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body", "body": b""}
        await self._forward(message)

    async def _drain(self) -> None:
        """Read the rest of the body, as long as it comes and there is time for a body."""
        if self._deadline is None and field(self._scope, "expect") is not None:
            # the caller sends it only after an interim response (RFC 9110, section 10.1.1)
            return
        is_late = self._refused is not None and self._refused.fault is Fault.STALLED
        more = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER if is_late else self._limits.seconds):
                while more:
                    async with asyncio.timeout(_LINGER):
                        message = await self._receive()
                    more = message["type"] == "http.request" and message.get("more_body", False)

    def _forward(self, message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            self._is_started = True
            if REPLAYED not in self._scope["state"]:
                headers = self._served.add_headers(message.get("headers", ()), self._private)
                message = {**message, "headers": headers}
        return self._send(message)
