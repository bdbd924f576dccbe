"""Read the content of request and response bodies: JSON, a sequence of items, a file, or text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.openapi import essence, is_json, is_sequential, preferred_media_type
from dateline.python.names import pascal
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
    response with it, if any; ``others`` are the other media types of the same body. ``suffix``
    distinguishes the names of their types.
    """

    media_type: str
    schema: Any
    component: str | None
    others: tuple[Content, ...] = ()
    suffix: str = ""

    def __iter__(self) -> Iterator[Content]:
        """Yield this, and the other media types of the same body."""
        return iter((self, *self.others))

    @property
    def is_json(self) -> bool:
        return is_json(self.media_type)

    @property
    def is_sequence(self) -> bool:
        return is_sequential(self.media_type)

    @property
    def is_typed(self) -> bool:
        """Whether handlers receive or return values of its schema."""
        return self.is_json or self.is_sequence

    @property
    def is_file(self) -> bool:
        """Whether it may be large, and has a form of its own."""
        name = essence(self.media_type)
        is_text = name.startswith("text/") or name in _TEXTS or name.endswith(("+xml", "+json"))
        return not is_text and not self.is_json and not self.is_sequence


def read_content(resolver: Resolver, sites: Sites) -> Content | None:
    """Return the content of a request body or response, preferably JSON, then a sequence."""
    content = sites[-1].get("content") if sites else None
    if not content:
        return None
    preferred = preferred_media_type(content)
    listed = sorted(
        content, key=lambda each: (each != preferred, not is_json(each), not is_sequential(each))
    )
    component = find_component(sites)
    known: list[Content] = []
    for media_type in listed:
        known.append(_name(_read(resolver, content, media_type, component), known))
    return replace(known[0], others=tuple(known[1:]))


def _read(
    resolver: Resolver, content: dict[str, Any], media_type: str, component: str | None
) -> Content:
    media = content[media_type]
    if is_sequential(media_type):
        schema = item_schema(resolver, media)
        return Content(media_type=media_type, schema=schema, component=None)
    return Content(media_type=media_type, schema=media.get("schema", {}), component=component)


def _name(content: Content, known: list[Content]) -> Content:
    """Return *content* with the suffix of that one of *known* that has the same type, or its own.

    The first type of each kind has none.
    """
    alike = [each for each in known if each.is_typed and each.is_sequence == content.is_sequence]
    for each in alike:
        if each.schema == content.schema:
            return replace(content, suffix=each.suffix, component=each.component)
    if not alike or not content.is_typed:
        return content
    suffix = pascal(essence(content.media_type).partition("/")[2])
    taken = {each.suffix for each in alike}
    while suffix in taken:
        suffix += "Also"
    return replace(content, suffix=suffix, component=None)
