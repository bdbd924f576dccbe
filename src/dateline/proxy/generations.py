"""Replace the running layer after a new generation, without dropping requests."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from dateline.serve.package import forget, import_server

HEALTHY: Final = "/-/healthy"
READY: Final = "/-/ready"

# The interval of checks of the folder. It is read once two checks in a row find the same.
_SECONDS: Final = 1.0

_log = logging.getLogger("dateline.proxy")

Build = Callable[[Any], tuple[Any, Any]]
"""Takes the module `server` of a package; returns an application, and what it forwards to."""


class Generation:
    """What was generated at one time, as long as requests need it."""

    def __init__(self, folder: Path, build: Build) -> None:
        self._server = import_server(folder)
        self.name: str = self._server.__name__
        try:
            self._app, self._forwarding = build(self._server)
        except BaseException:
            forget(self.name)
            raise
        self._running = 0
        self._is_over = False

    async def serve(self, scope: Any, receive: Any, send: Any) -> None:
        self._running += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1
            await self._close_if_over()

    async def is_ready(self) -> bool:
        """Return whether the upstream server accepts connections."""
        return bool(await self._forwarding.is_reachable())

    async def end(self) -> None:
        """Complete the requests in progress, and close all connections then."""
        self._is_over = True
        await self._close_if_over()

    async def _close_if_over(self) -> None:
        if self._is_over and not self._running:
            await self._forwarding.close()
            forget(self.name)


class Generations:
    """An ASGI application that serves requests with the content of *folder* when they arrive.

    The folder is read again when its files have changed, and on SIGHUP; if that fails, the previous
    content stays in use. It answers `/-/healthy` and `/-/ready` itself. With *logs_requests*, a
    line for each request has its method, its path and its status, and no secret.
    """

    def __init__(self, folder: Path, build: Build, *, logs_requests: bool) -> None:
        self._folder = folder
        self._build = build
        self._logs_requests = logs_requests
        self._stamp = _read_stamp(folder)
        self.current = Generation(folder, build)
        self._changed = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["path"] in (HEALTHY, READY):
            is_well = scope["path"] == HEALTHY or await self.current.is_ready()
            await _respond(send, is_well)
        elif scope["type"] == "http" and self._logs_requests:
            await self._serve_and_log(scope, receive, send)
        else:
            await self.current.serve(scope, receive, send)

    async def _serve_and_log(self, scope: Any, receive: Any, send: Any) -> None:
        status = 0
        start = time.perf_counter()

        def watch(message: Any) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            sent: Awaitable[None] = send(message)
            return sent

        try:
            await self.current.serve(scope, receive, watch)
        finally:
            took = (time.perf_counter() - start) * 1000
            # %r: a decoded path may contain line breaks
            _log.info("%s %r %s %.1f ms", scope["method"], scope["path"], status or "-", took)

    async def _live(self, receive: Any, send: Any) -> None:
        """Watch the folder until the server is shut down."""
        await receive()
        watch = asyncio.create_task(self._watch())
        with suppress(NotImplementedError, AttributeError):  # Windows has no such signal
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._changed.set)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.cancel()
        await self.current.end()
        await send({"type": "lifespan.shutdown.complete"})

    async def _watch(self) -> None:
        seen = self._stamp
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _SECONDS)
            stamp = await asyncio.to_thread(_read_stamp, self._folder)
            is_asked = self._changed.is_set()
            self._changed.clear()
            if is_asked or (stamp == seen and stamp != self._stamp):
                await self._exchange(stamp)
            seen = stamp

    async def _exchange(self, stamp: object) -> None:
        self._stamp = stamp
        try:
            new = await asyncio.to_thread(Generation, self._folder, self._build)
        except Exception as error:
            # a half-written folder may cause any error
            _log.error(
                "%s can't be served, so the previous generation still is: %s", self._folder, error
            )
            return
        old, self.current = self.current, new
        _log.warning("%s was generated anew and is served now", self._folder)
        await old.end()


def _read_stamp(folder: Path) -> object:
    """Return a stamp that changes with the files in *folder*."""
    with suppress(OSError):
        return [
            (str(path), (found := path.stat()).st_mtime_ns, found.st_size, found.st_ino)
            for path in sorted(folder.rglob("*"))
            if path.suffix in (".py", ".json")
        ]
    # it is being replaced
    return None


async def _respond(send: Any, is_well: bool) -> None:
    body = json.dumps(
        {"status": "ok" if is_well else "the upstream server can't be reached"}
    ).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
    ]
    await send(
        {"type": "http.response.start", "status": 200 if is_well else 503, "headers": headers}
    )
    await send({"type": "http.response.body", "body": body})
