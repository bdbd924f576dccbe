"""Send responses as handlers create them, and stop when their caller leaves."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any, Final

from starlette.concurrency import iterate_in_threadpool

from .results import Stream
from .runtime.asgi import Headers, Message, Send

_PATIENCE: Final = 1.0
"""The number of seconds that a handler has to refuse, or fail, before its response begins."""


class Streaming:
    """One stream of a handler, on its way to its caller.

    *left* returns when the caller has left. Each piece is created when the previous one is sent.
    Within a second, as long as there is no piece, an error is raised, so that another response can
    be sent.
    """

    def __init__(
        self,
        stream: Stream,
        headers: Headers,
        write: Callable[[Any], Awaitable[bytes]],
        send: Send,
        left: Callable[[], Awaitable[None]],
        *,
        is_head: bool,
    ) -> None:
        self._stream = stream
        self._headers = headers
        self._write = write
        self._send = send
        self._left = left
        self._is_head = is_head
        self._lock = asyncio.Lock()
        self.is_begun = False

    async def run(self) -> None:
        """Send the answer, until it ends or its caller leaves. Raises what the handler raises."""
        if self._is_head:
            await self._begin()
            await self._end()
            return
        making = asyncio.create_task(self._make())
        leaving = asyncio.ensure_future(self._left())
        try:
            done, _ = await asyncio.wait(
                (making, leaving), timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                await self._begin()
                await asyncio.wait((making, leaving), return_when=asyncio.FIRST_COMPLETED)
            if making.done():
                making.result()
            elif not self.is_begun:
                # nobody reads it: the server must get a response
                await self._begin()
        finally:
            for task in (making, leaving):
                task.cancel()
            await asyncio.gather(making, leaving, return_exceptions=True)

    async def _begin(self) -> None:
        async with self._lock:
            if not self.is_begun:
                self.is_begun = True
                kind = (b"content-type", self._stream.media_type.encode("latin-1"))
                start = {"status": self._stream.status, "headers": [*self._headers, kind]}
                await self._send({"type": "http.response.start", **start})

    async def _make(self) -> None:
        # all of it in one task: a generator may depend on its task
        pieces = _iterate(self._stream.pieces)
        async with aclosing(pieces):
            async for piece in pieces:
                body = await self._write(piece)
                await self._begin()
                if body:
                    message: Message = {"body": body, "more_body": True}
                    await self._send({"type": "http.response.body", **message})
        await self._begin()
        await self._end()

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})


async def _iterate(pieces: AsyncIterable[Any] | Iterator[Any]) -> AsyncGenerator[Any, None]:
    found = pieces if isinstance(pieces, AsyncIterable) else iterate_in_threadpool(pieces)
    try:
        async for piece in found:
            yield piece
    finally:
        await close(pieces)


async def close(pieces: object) -> None:
    """Close *pieces* if possible, so that a generator leaves its contexts."""
    found = getattr(pieces, "aclose", None) or getattr(pieces, "close", None)
    closed = None if found is None else found()
    if inspect.isawaitable(closed):
        await closed
