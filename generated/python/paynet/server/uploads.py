"""The body of a request, passed on as it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from .runtime.asgi import Receive


class LeftError(Exception):
    """The caller has left before the end of the request."""


class Upload:
    """The body of a request that is neither JSON nor text, such as a file, as it arrives.

    Iterate over its pieces, once, or `read` the rest of it. Both raise RequestError for a body over
    the limits of the operation; handlers let it pass, and the response has status 413 or 408.
    ``content_type`` is that of the request.
    """

    def __init__(self, receive: Receive, content_type: str) -> None:
        self._receive = receive
        self.content_type: Final = content_type
        self._first: bytes = b""
        self._more = True
        self._over = asyncio.Event()

    async def is_empty(self) -> bool:
        """Return whether there is no body, as soon as that is known; before it is read."""
        while not self._first and self._more:
            self._first = await self._next()
        return not self._first

    async def wait(self) -> None:
        """Return when the body is complete."""
        await self._over.wait()

    async def read(self) -> bytes:
        """Return what is left of the body."""
        return b"".join([piece async for piece in self])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the remaining pieces of the body, each once the previous one is processed."""
        while not await self.is_empty():
            piece, self._first = self._first, b""
            yield piece

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] != "http.request":
            raise LeftError("the caller has left")
        self._more = message.get("more_body", False)
        if not self._more:
            self._over.set()
        return bytes(message.get("body", b""))
