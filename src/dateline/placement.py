"""Write into a published document where requests name its version, and remove that again.

Authors declare a header or a query parameter themselves. A path segment is published at the end of
the server addresses, a media type parameter at the media types of responses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dateline.openapi import is_json, replace_children

_ADDED: Final = "The version is the first segment of the path."
"""The description of a server that the author did not write."""


def show_version(document: dict[str, Any], selector: str, version: str) -> dict[str, Any]:
    """Return *document* as published if *selector* (of the table) chooses *version*."""
    place, _, name = selector.partition(" ")
    if place == "path" and name:
        servers = [
            {**server, "url": f"{server['url'].rstrip('/')}/{version}"}
            for server in document.get("servers", ())
        ]
        added = {"url": f"/{version}", "description": _ADDED}
        return {**document, "servers": servers or [added]}
    if place == "media-type" and name:
        ending = f"; {name}={version}"
        return _rename(document, lambda key: f"{key}{ending}" if is_json(key) else key)
    return document


def hide_version(document: dict[str, Any], selector: str, version: str) -> dict[str, Any]:
    """Return the published *document* without what `show_version` added to it."""
    place, _, name = selector.partition(" ")
    servers = document.get("servers")
    if place == "path" and name and isinstance(servers, list):
        if any(isinstance(each, dict) and each.get("description") == _ADDED for each in servers):
            return {key: value for key, value in document.items() if key != "servers"}
        return {**document, "servers": [_shorten(each, version) for each in servers]}
    if place == "media-type" and name:
        return _rename(document, lambda key: key.removesuffix(f"; {name}={version}"))
    return document


def _shorten(server: Any, version: str) -> Any:
    url = server.get("url") if isinstance(server, dict) else None
    if not isinstance(url, str) or not url.endswith(f"/{version}"):
        return server
    return {**server, "url": url.removesuffix(f"/{version}") or "/"}


def _rename(document: dict[str, Any], rename: Callable[[str], str]) -> dict[str, Any]:
    """Return *document* with each media type of a response renamed, except those of webhooks."""

    def replace(kind: str, node: Any) -> Any:
        if not isinstance(node, dict) or kind == "schema":
            return node
        if kind != "response":
            return replace_children(kind, node, replace)
        content = node.get("content")
        if not isinstance(content, dict):
            return node
        return {**node, "content": {rename(key): below for key, below in content.items()}}

    named: dict[str, Any] = {
        key: document[key] for key in ("paths", "components") if key in document
    }
    return {**document, **replace_children("document", named, replace)}
