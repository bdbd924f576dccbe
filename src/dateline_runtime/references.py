"""Rewrite references in responses if callers use other paths than the application."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, unquote

from .asgi import Message, Scope, Send, list_values
from .mounting import change_references, cut_prefix, join_path, split_reference, write_path

Move = Callable[[str], str | None]
"""Takes a path below the mount point, with its query, as written; returns the path for callers.

It returns None for a path that is the same for them.
"""

METHODS: Final = "GET HEAD PUT PATCH DELETE POST OPTIONS TRACE QUERY"
"""The methods that a reference may be meant for, the likely ones first."""

_HOSTS: Final = (b"host", b"x-forwarded-host")

# A host in the header `Forwarded` (RFC 7239, section 4).
_FORWARDED: Final = re.compile(r'[;,]\s*host=(?:"([^"\\]*)"|([^";,\s]+))', re.IGNORECASE)


def rewrite_references(send: Send, sent: Scope, seen: Scope, move: Move) -> Send:
    """Return a function that sends the response to *seen*, in which the path of *sent* is replaced.

    *move* is applied to references in headers that lead to the host of the request: URLs, paths,
    and references that are relative to the path of *seen*.
    """
    root = quote(sent.get("root_path") or "")

    def rewrite(reference: str) -> str:
        found = split_reference(reference, _list_hosts(sent), _find_written(seen))
        if found is None:
            return reference
        begin, target, end = found
        below = cut_prefix(target, root)
        moved = move(below) if below is not None and below.startswith("/") else None
        if moved is None:
            return reference
        led = root + moved + end
        is_relative = not begin and not reference.startswith("/")
        if is_relative and join_path(_find_written(sent), reference) == led:
            return reference
        return begin + led if begin else write_path(led)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = change_references(message.get("headers", ()), rewrite)
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _list_hosts(scope: Scope) -> list[str]:
    """Return the hosts that a request was sent to, also those before proxies."""
    lines = [value for name in _HOSTS for value in list_values(scope["headers"], name)]
    hosts = [each.strip(" \t") for line in lines for each in line.decode("latin-1").split(",")]
    forwarded = list_values(scope["headers"], b"forwarded")
    found = _FORWARDED.findall("".join(f",{line.decode('latin-1')}" for line in forwarded))
    return [*hosts, *(quoted or plain for quoted, plain in found)]


def _find_written(scope: Scope) -> str:
    """Return the path of a request as it was sent."""
    path: str = scope["path"]
    raw = (scope.get("raw_path") or b"").partition(b"?")[0].decode("latin-1")
    return raw if unquote(raw) == path else quote(path)
