"""Find the entry of a body's content that describes a media type without its own entry."""

from __future__ import annotations

from collections.abc import Mapping

from dateline.schema.references import Located

Entries = Mapping[str, Located]
"""Descriptions of bodies by media type or range of media types, in lower case."""


def find_range(media_type: str, content: Entries) -> Located | None:
    """Return the entry of the narrowest range that contains *media_type*, or None.

    A media type with a parameter is in the range of the one without (OpenAPI 3.1.1, section 4.8.14;
    RFC 9110, section 12.5.1).
    """
    essence = media_type.partition(";")[0]
    ranges = (essence, f"{essence.partition('/')[0]}/*", "*/*")
    return next((content[each] for each in ranges if each != media_type and each in content), None)
