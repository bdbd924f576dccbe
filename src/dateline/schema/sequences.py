"""The items of sequential media types: one reading of `itemSchema` and `schema`.

OpenAPI 3.2 section 4.14.4: `itemSchema` describes each item, `schema` all of them as a list. Before
3.2, and where `schema` is not a list, it describes each item; for server-sent events, it then
describes their data.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from dateline.schema.references import Located, Resolver
from dateline.schema.types import declared_types

EVENT_STREAM: Final = "text/event-stream"

_LIST: Final = {"array", "null"}

EventData = Literal["json", "text", "fields"]
"""The items of an event stream: JSON or text in the data of its events, or whole events."""


def is_list(resolver: Resolver, media: dict[str, Any]) -> bool:
    """Return whether `schema` describes all items of *media*, a media type object, as a list."""
    return "itemSchema" not in media and "array" in _types(resolver, media.get("schema")) <= _LIST


def item_schema(resolver: Resolver, media: dict[str, Any]) -> Any:
    """Return the schema of each item of *media*, a media type object; true without one."""
    if "itemSchema" in media:
        return media["itemSchema"]
    schema = media.get("schema", True)
    if not is_list(resolver, media):
        return schema
    return resolver.follow(Located(schema, "")).value.get("items", True)


def list_schema(resolver: Resolver, media: dict[str, Any]) -> Any:
    """Return the schema of *media*, a media type object, as a list of items."""
    return {"type": "array", "items": item_schema(resolver, media)}


def event_data(resolver: Resolver, media: dict[str, Any]) -> EventData:
    """Return what the items of *media*, the media type object of an event stream, are."""
    if "itemSchema" in media:
        return "fields"
    types = _types(resolver, item_schema(resolver, media))
    return "text" if "schema" not in media or types == {"string"} else "json"


def _types(resolver: Resolver, schema: Any) -> frozenset[str]:
    if not isinstance(schema, dict):
        return frozenset()
    found = resolver.follow(Located(schema, "")).value
    return declared_types(found) if isinstance(found, dict) else frozenset()
