"""Let references lead below the place at which an application is mounted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import quote

Headers = list[tuple[bytes, bytes]]

_REFERENCES: Final = frozenset({b"location", b"content-location"})

# The target of a link (RFC 8288, section 3); `<` and `>` are in no URI.
_TARGET: Final = re.compile(r'("(?:[^"\\]|\\.)*")|<\s*([^<>]*?)\s*>')


def lead_below(reference: str, root: str) -> str:
    """Return the URI *reference* as callers of an application mounted at *root* need it.

    It changes if it is an absolute path (RFC 3986, section 4.2). *root* is decoded, as in the
    scopes of ASGI.
    """
    is_path = reference.startswith("/") and not reference.startswith("//")
    return quote(root) + reference if is_path else reference


def lead_headers_below(
    headers: Iterable[tuple[bytes, bytes]], root: str, prefixes: Collection[str]
) -> Headers:
    """Return *headers* as callers of an application mounted at *root* need them.

    Absolute paths in `Location`, `Content-Location` and `Link` to one of *prefixes* or below, or
    all if one is empty, are taken for the application's own; others lead elsewhere on its host.
    """

    def lead_own(reference: str) -> str:
        is_own = any(_is_below(reference, prefix) for prefix in prefixes)
        return lead_below(reference, root) if is_own else reference

    def lead(found: re.Match[str]) -> str:
        return found[1] or f"<{lead_own(found[2])}>"

    made = []
    for name, value in headers:
        key = name.lower()
        if key in _REFERENCES:
            value = lead_own(value.decode("latin-1").strip(" \t")).encode("latin-1")
        elif key == b"link":
            value = _TARGET.sub(lead, value.decode("latin-1")).encode("latin-1")
        made.append((name, value))
    return made


def _is_below(reference: str, prefix: str) -> bool:
    return reference.startswith(prefix) and reference[len(prefix) :][:1] in ("", "/", "?", "#")
