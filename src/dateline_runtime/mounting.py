"""Prefix references with the path at which an application is mounted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Final
from urllib.parse import quote, unquote, urlsplit

Headers = list[tuple[bytes, bytes]]

MOST_ROOTS: Final = 16
"""The number of mount points of an application for which links are cached."""

_REFERENCES: Final = frozenset({b"location", b"content-location"})

# The target of a link (RFC 8288, section 3); URIs contain no `<` and `>`.
_TARGET: Final = re.compile(r'("(?:[^"\\]|\\.)*")|<\s*([^<>]*?)\s*>')

# Scheme, authority, and the rest of a reference that names a host (RFC 3986, section 4.2).
_ABSOLUTE: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?//([^/?#]*)(.*)", re.DOTALL)

# A reference with another scheme, or within a document.
_ELSEWHERE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|#|\Z")

# A path that begins like the name of a host (RFC 3986, section 4.2), and as browsers read it (URL
# standard, section 4.4): they read `\` as a slash, and leave out tabs and line breaks.
_AMBIGUOUS: Final = re.compile(r"/[\t\n\r]*[/\\]")

# What may end the path of a reference, and what may separate its segments; some browsers remove the
# others.
_BEHIND: Final = re.compile(r"[?#]")
_SEPARATOR: Final = re.compile(r"[/\\]")
_LEFT_OUT: Final = re.compile(r"[\t\n\r]")
_DOT: Final = re.compile("%2e", re.IGNORECASE)

_PORTS: Final = {"http": 80, "https": 443}


def add_root(reference: str, root: str) -> str:
    """Return the URI *reference*, prefixed with the mount point *root* if it is an absolute path.

    An absolute path begins with one slash (RFC 3986, section 4.2). *root* is decoded, as in the
    scopes of ASGI.
    """
    is_path = reference.startswith("/") and not reference.startswith("//")
    return quote(root) + reference if is_path else reference


def add_root_to_headers(
    headers: Iterable[tuple[bytes, bytes]], root: str, prefixes: Collection[str]
) -> Headers:
    """Return *headers* with *root*, the mount point of an application, before its own paths.

    These are the absolute paths in `Location`, `Content-Location` and `Link` to one of *prefixes*
    or below, or all if one of *prefixes* is empty. Other paths lead elsewhere on the host.
    """

    def add_root_to_own(reference: str) -> str:
        path = _remove_dots(reference)
        is_own = any(cut_prefix(path, prefix) is not None for prefix in prefixes)
        return add_root(path, root) if is_own else reference

    return change_references(headers, add_root_to_own)


def change_references(
    headers: Iterable[tuple[bytes, bytes]], change: Callable[[str], str]
) -> Headers:
    """Return *headers* with *change* applied to the URIs in `Location` and `Content-Location`.

    In `Link`, it is applied to the targets.
    """

    def change_target(found: re.Match[str]) -> str:
        target = found[2]
        changed = target if found[1] else change(target)
        return found[0] if changed == target else f"<{changed}>"

    result = []
    for name, value in headers:
        key = name.lower()
        if key in _REFERENCES:
            value = change(value.decode("latin-1").strip(" \t")).encode("latin-1")
        elif key == b"link":
            value = _TARGET.sub(change_target, value.decode("latin-1")).encode("latin-1")
        result.append((name, value))
    return result


def find_path_at(reference: str, address: str) -> str | None:
    """Return the URI *reference* as an absolute path, if it leads to *address* or below; or None.

    *address* is that of a server, with the path at which it begins and no slash at its end. The
    result is the path below that one, with query and fragment.
    """
    found, at = _ABSOLUTE.fullmatch(reference), _ABSOLUTE.fullmatch(address)
    if found is None or at is None:
        return None
    scheme = at[1].lower()
    if _find_origin(found[1] or scheme, found[2]) != _find_origin(scheme, at[2]):
        return None
    path = cut_prefix(_remove_dots(found[3]), at[3])
    if path is None:
        return None
    return write_path(path if path.startswith("/") else f"/{path}")


def cut_prefix(reference: str, prefix: str) -> str | None:
    """Return what follows the path *prefix* in *reference*, an absolute path; None if nothing can.

    Both may have escapes, also of characters that need none. The result begins with the end of a
    segment, or is empty.
    """
    behind = _BEHIND.search(reference)
    path = reference if behind is None else reference[: behind.start()]
    begin = "/".join(path.split("/")[: prefix.count("/") + 1])
    return reference[len(begin) :] if unquote(begin) == unquote(prefix) else None


def write_path(path: str) -> str:
    """Return a URI reference to *path*, an absolute one, that doesn't begin like a host's name."""
    return f"/.{path}" if _AMBIGUOUS.match(path) else path


def join_path(base: str, reference: str) -> str:
    """Return the absolute path of a relative *reference* without a scheme or a host.

    It is resolved against *base*, a path, as in RFC 3986, section 5.2, and keeps its query and
    its fragment. It may begin like the name of a host, and so may *base*.
    """
    if reference.startswith("?"):
        reference = base + reference
    elif not reference.startswith("/"):
        reference = f"{base.rpartition('/')[0]}/{reference}"
    return _remove_dots(reference)


def split_reference(
    reference: str, hosts: Collection[str], base: str
) -> tuple[str, str, str] | None:
    """Return the beginning, the target and the end of a URI *reference* to one of *hosts*.

    The beginning is a scheme and a host, or empty; the target is a path and a query, the end a
    fragment. A relative reference is resolved against *base*, a path. None for other references,
    and for those to a part of the response itself.
    """
    found = _ABSOLUTE.fullmatch(reference)
    if found is not None:
        scheme = found[1] or "http"
        origin = _find_origin(scheme, found[2])
        if origin is None or origin not in {_find_origin(scheme, host) for host in hosts}:
            return None
        begin, target = reference[: found.start(3)], _remove_dots(found[3])
    elif _ELSEWHERE.match(reference):
        return None
    else:
        begin, target = "", join_path(base, reference)
    target, mark, fragment = target.partition("#")
    return begin, target, mark + fragment


def _find_origin(scheme: str, authority: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(f"{scheme.lower()}://{authority}")
        port = _PORTS.get(parts.scheme) if parts.port is None else parts.port
        return parts.scheme, parts.hostname, port
    except ValueError:
        return None


def _remove_dots(reference: str) -> str:
    """Return *reference*, an absolute path, without its dot segments.

    These are the ones that browsers see (URL standard, section 4.4), including encoded ones. What
    is left is still a path, and not the name of a host.
    """
    behind = _BEHIND.search(reference)
    end = len(reference) if behind is None else behind.start()
    first, *segments = _SEPARATOR.split(_LEFT_OUT.sub("", reference[:end]))
    read = [_DOT.sub(".", segment) for segment in segments]
    if first or {".", ".."}.isdisjoint(read):
        return reference
    kept: list[str] = []
    for segment, dots in zip(segments, read, strict=True):
        if dots == "..":
            del kept[-1:]
        elif dots != ".":
            kept.append(segment)
    if read[-1] in (".", ".."):
        kept.append("")
    return write_path(f"/{'/'.join(kept)}{reference[end:]}")
