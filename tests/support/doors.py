"""The payment API behind doors: around an application of the newest version, and in a proxy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from dateline_runtime.asgi import REPLAYED, App, Message, Receive, Scope, Send
from support.exchanges import serving
from support.payments import NEWEST

DOORS: Final = ("around", "proxy")

_OURS: Final = frozenset({b"x-api-version", b"vary"})


class Newest:
    """An application that serves all versions, in place of one that speaks the newest alone."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = [each for each in scope["headers"] if each[0] not in _OURS]
        outer = scope.setdefault("state", {})
        state = {**outer}

        async def sending(message: Message) -> None:
            if REPLAYED in state:
                outer[REPLAYED] = state[REPLAYED]
            if message["type"] == "http.response.start":
                kept = [each for each in message["headers"] if each[0] not in _OURS]
                message = {**message, "headers": kept}
            await send(message)

        headers.append((b"x-api-version", NEWEST.encode()))
        await self._app({**scope, "headers": headers, "state": state}, receive, sending)


@contextmanager
def opening(door: str, server: Any, app: App, environment: str) -> Iterator[App | int]:
    """Give what serves all versions by asking *app*, which does so itself, for the newest only.

    *server* is the generated package of the API. Around an application, that is an application; a
    proxy is the number of a port, and asks *app* over a socket.
    """
    if door == "around":
        yield server.versioned(Newest(app), environment=environment, strict=True)
        return
    forwarding = import_module(f"{server.__name__}.forwarding")
    quiet: dict[str, Any] = {"server_header": False, "date_header": False}
    with serving(Newest(app), "h11", **quiet) as port:
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
        front = server.versioned(behind, environment=environment, strict=True)
        with serving(front, "h11", lifespan="on", **quiet) as number:
            yield number
