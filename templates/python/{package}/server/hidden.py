"""The headers and methods that a version does not have, but that responses may have."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from .contracts import Contracts
from .results import STANDARD
from .runtime.asgi import App, Message, Receive, Scope, Send, remove_methods


def find_hidden_headers(
    contracts: Mapping[str, Any], data: Contracts, version: str
) -> frozenset[bytes]:
    """Return the lower-case names of headers that only other versions than *version* have.

    A response may have them without declaring them: an application may send them with every
    response.
    """
    visible: set[str] = set()
    hidden: set[str] = set()
    for operation, responses in contracts["headers"].items():
        is_there = data.at(operation, version) is not None
        statuses = data.statuses(operation, version)
        shapes = contracts["down"]["operations"].get(operation, {})
        for status, headers in responses.items():
            if not is_there or status not in statuses:
                hidden |= headers.keys()
                continue
            shape = data.shape(shapes.get(status, {}).get("headers"), version) or {}
            renamed = shape.get("names", {})
            gone = {*shape.get("left_out", ()), *renamed}
            hidden |= headers.keys() & gone
            visible |= {*(headers.keys() - gone), *renamed.values()}
    names = {name.lower() for name in hidden} - {name.lower() for name in visible} - STANDARD
    return frozenset(name.encode("latin-1") for name in names)


def hide_headers(send: Send, hidden: frozenset[bytes]) -> Send:
    """Return a function that sends everything but the headers *hidden*."""

    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "http.response.trailers"):
            kept = [each for each in message.get("headers", ()) if each[0].lower() not in hidden]
            message = {**message, "headers": kept}
        await send(message)

    return sending


def hide_methods(app: App, methods: Set[bytes]) -> App:
    """Return *app*, whose responses do not have *methods* in `Allow`."""

    async def hiding(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = remove_methods(message.get("headers", ()), methods)
                message = {**message, "headers": headers}
            await send(message)

        await app(scope, receive, sending)

    return hiding
