"""Serve the payment API through an application of the newest version, wrapped or behind a proxy."""

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
    """Makes an application that serves all versions look like one that knows only the newest."""

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
def open_door(door: str, server: Any, app: App, environment: str) -> Iterator[App | int]:
    """Yield something that serves all versions on top of *app*, which is asked only for the newest.

    *server* is the generated package of the API. With the door `around`, this is an application
    that wraps *app*; with `proxy`, it is the port of a proxy in front of *app*.
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
