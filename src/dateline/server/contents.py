"""Read the content of request and response bodies: JSON, a sequence of items, a file, or text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.openapi import essence, is_json, is_sequential, preferred_media_type
from dateline.python.parts import Sites, find_component
from dateline.schema.references import Resolver
from dateline.schema.sequences import item_schema

# The media types of text whose names do not say so.
_TEXTS: Final = frozenset(
    {"application/x-www-form-urlencoded", "application/xml", "application/yaml"}
    | {"application/javascript", "application/graphql"}
)


@dataclass(frozen=True, kw_only=True)
class Content:
    """The content of a request or response: a media type, and the schema if that is JSON.

    The schema of a sequence is that of its items. ``component`` is the name of the shared body or
    response with it, if any; ``stream`` is a sequence that handlers may return in place of JSON;
    ``others`` are the media types that are not served.
    """

    media_type: str
    schema: Any
    component: str | None
    stream: Content | None = None
    others: tuple[str, ...] = ()

    @property
    def is_json(self) -> bool:
        return is_json(self.media_type)

    @property
    def is_sequence(self) -> bool:
        return is_sequential(self.media_type)

    @property
    def is_file(self) -> bool:
        """Whether it may be large, and has a form of its own."""
        name = essence(self.media_type)
        is_text = name.startswith("text/") or name in _TEXTS or name.endswith(("+xml", "+json"))
        return not is_text and not self.is_json and not self.is_sequence


def read_content(resolver: Resolver, sites: Sites, *, is_answer: bool = False) -> Content | None:
    """Return the content of a request body or response, preferably JSON.

    A response may also be a sequence.
    """
    content = sites[-1].get("content") if sites else None
    if not content:
        return None
    media_type = preferred_media_type(content)
    stream = next(filter(is_sequential, content), None) if is_answer else None
    if stream == media_type or not is_json(media_type):
        stream = None
    others = tuple(each for each in content if each not in (media_type, stream))
    if is_sequential(media_type):
        return replace(_sequence(resolver, content, media_type), others=others)
    return Content(
        media_type=media_type,
        schema=content[media_type].get("schema", {}),
        component=find_component(sites),
        stream=None if stream is None else _sequence(resolver, content, stream),
        others=others,
    )


def _sequence(resolver: Resolver, content: dict[str, Any], media_type: str) -> Content:
    schema = item_schema(resolver, content[media_type])
    return Content(media_type=media_type, schema=schema, component=None)
