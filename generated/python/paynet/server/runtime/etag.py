"""Compute entity-tags, and evaluate the conditions of requests against them."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

CONDITIONS: Final = frozenset({b"if-match", b"if-none-match", b"if-range"})
"""The headers of requests that have entity-tags as their values."""

_WEAK = "W/"


class Tag(NamedTuple):
    """An entity-tag; ``opaque`` without its quotes."""

    opaque: str
    weak: bool


def strong(content: bytes) -> str:
    """Return the strong entity-tag of *content*, quotes included. Equal bytes have equal tags."""
    return f'"{sha256(content).hexdigest()[:32]}"'


def tag_version(etag: str, version: str) -> str:
    """Return *etag* as the tag of what callers of *version* are shown.

    Raises ValueError if it is not an entity-tag.
    """
    found = tags(etag)
    if len(found) != 1 or "," in etag.replace(found[0].opaque, ""):
        raise ValueError(f"{etag!r} is not an entity-tag")
    return f'{_WEAK if found[0].weak else ""}"{found[0].opaque};{version}"'


def strip_version(header: bytes, version: str) -> bytes:
    """Return *header* with the entity-tags of *version* as they were before `tag_version`.

    Tags of other versions stay: they belong to other representations.
    """
    return header.replace(f';{version}"'.encode(), b'"')


def select_version(header: bytes, version: str) -> bytes:
    """Return an If-None-Match with only the entity-tags of *version*, as before `tag_version`.

    Those of other versions would match as well, but belong to other representations. If all do, a
    tag that matches nothing replaces them: without one, If-Modified-Since would count.
    """
    text = header.decode("latin-1")
    if _is_any(text):
        return header
    end = f";{version}"
    own = [each for each in tags(text) if each.opaque.endswith(end)]
    listed = [f'{_WEAK if each.weak else ""}"{each.opaque.removesuffix(end)}"' for each in own]
    return ", ".join(listed or ['""']).encode("latin-1")


def none_match(header: str | None, etag: str) -> bool:
    """Return whether If-None-Match lets the document be sent (RFC 9110, section 13.1.2).

    The comparison is weak. An absent header lets it be sent, and so does one that is not a list of
    entity-tags.
    """
    if header is None:
        return True
    opaque = etag.removeprefix(_WEAK)
    return not (_is_any(header) or any(f'"{tag.opaque}"' == opaque for tag in tags(header)))


def match(header: str | None, etag: str) -> bool:
    """Return whether If-Match lets the document be sent (RFC 9110, section 13.1.1).

    The comparison is strong. An absent header lets it be sent; one that is not a list of
    entity-tags does not.
    """
    if header is None or _is_any(header):
        return True
    return any(not tag.weak and f'"{tag.opaque}"' == etag for tag in tags(header))


def tags(header: str) -> list[Tag]:
    """Return the entity-tags that a header lists; none if it is not such a list."""
    # A tag may contain commas but no quotes, so the odd pieces are the tags, the even ones what is
    # between them.
    pieces = header.split('"')
    between, opaque = pieces[0::2], pieces[1::2]
    if len(between) != len(opaque) + 1 or not all(map(_is_opaque, opaque)):
        return []
    weak = [gap.endswith(_WEAK) for gap in between]
    gaps = [gap.removesuffix(_WEAK).strip(" \t,") for gap in between]
    if any(gaps) or weak[-1] or not all("," in gap for gap in between[1:-1]):
        return []
    return [Tag(text, is_weak) for text, is_weak in zip(opaque, weak, strict=False)]


def _is_any(header: str) -> bool:
    return header.strip(" \t") == "*"


def _is_opaque(text: str) -> bool:
    return all(character > " " and character != "\x7f" for character in text)
