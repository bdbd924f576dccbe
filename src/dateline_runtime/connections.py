"""What uvicorn's protocol classes lack: a time limit for heads, and headers without trailers."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar


class HeadTimeout:
    """Limits how long the head of a request may take, which uvicorn's protocol classes do not.

    Put it before one of them among the bases of a class, and give that to uvicorn as `http`::

        class Protocol(HeadTimeout, AutoHTTPProtocol): ...

        uvicorn.run(app, http=Protocol)

    A connection is closed ``head_seconds`` after it was opened or after the first bytes that
    follow a response, unless the whole head of a request has arrived by then.
    """

    head_seconds: ClassVar[float] = 10.0

    transport: Any
    loop: asyncio.AbstractEventLoop
    cycle: Any
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)  # type: ignore[misc]
        if self._head_timer is None:
            if self._is_idle:
                self._wait_for_head()
        elif not self._is_idle:
            self._forget_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)  # type: ignore[misc]

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self._close)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close(self) -> None:
        self._head_timer = None
        # a WebSocket has a protocol of its own
        protocol: object = self.transport.get_protocol()
        if self._is_idle and protocol is self:
            self.transport.close()


class TrailersDropped:
    """Drops the trailers of requests, which uvicorn's class for httptools adds to the headers.

    Servers in front remove or check headers, not trailers: a trailer must not become one (RFC 9110,
    section 6.5.1). It is used as ``HeadTimeout`` is, together with it if need be.
    """

    _is_in_head = True

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()  # type: ignore[misc]

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:
            super().on_header(name, value)  # type: ignore[misc]

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        super().on_headers_complete()  # type: ignore[misc]
