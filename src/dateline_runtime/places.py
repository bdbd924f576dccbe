"""Find the version that a request names in its query, path or `Accept` header."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, MutableMapping
from typing import Any, Final
from urllib.parse import quote, unquote, unquote_plus

Scope = MutableMapping[str, Any]

Find = Callable[[Scope], tuple[str | None, Scope]]
"""Returns the version that a request names, None without one, and the request's scope without it.

What is named more than once is joined by a comma and a blank, as field lines of a header are.
"""

# The beginning of a date, by whether dates have hyphens: the first segment of a path is read as a
# version, known or not, only if it looks like one.
_LIKE_A_DATE: Final = {
    True: re.compile("[0-9]{4}-.*"),
    False: re.compile("[0-9]{6,8}(?:[.-].*)?"),
}


# What the path of a server may contain besides letters, digits and `_.-~` (RFC 3986, section 3.3).
_ESCAPED: Final = "/%:@!$&'()*+,;="


def find_version(
    place: str, name: str, prefixes: Collection[str], form: str, known: Collection[str]
) -> Find:
    """Return what finds the version at *place*: `query`, `path` or `media-type`.

    *name* is that of the parameter. In a path it is the first segment below one of *prefixes*, if
    that is one of the *known* versions, or looks like a version of *form*.
    """
    if place == "query":
        return lambda scope: _find_in_query(scope, name)
    if place == "media-type":
        return lambda scope: _find_in_accept(scope, name)
    like = _LIKE_A_DATE["-" in form.removesuffix("-suffix")]

    def find(scope: Scope) -> tuple[str | None, Scope]:
        found = (find_below(scope, prefix) for prefix in prefixes)
        return next((each for each in found if each[1] is not scope), (None, scope))

    def find_below(scope: Scope, prefix: str) -> tuple[str | None, Scope]:
        path: str = scope["path"]
        root = scope.get("root_path") or ""
        before = unquote(prefix)
        root = root if path.startswith(f"{root}{before}/") else ""
        before = root + before
        if not path.startswith(f"{before}/"):
            return None, scope
        segment = path[len(before) + 1 :].partition("/")[0]
        if segment not in known and like.fullmatch(segment) is None:
            return None, scope
        shorter = {**scope, "path": before + path[len(before) + 1 + len(segment) :]}
        raw = scope.get("raw_path") or b""
        sent = (quote(root) + quote(prefix, safe=_ESCAPED)).encode()
        if raw.startswith(sent + f"/{segment}".encode()):
            shorter["raw_path"] = sent + raw[len(sent) + 1 + len(segment) :]
        else:
            shorter.pop("raw_path", None)
        return segment, shorter

    return find


def _find_in_query(scope: Scope, name: str) -> tuple[str | None, Scope]:
    found, others = [], []
    for pair in scope.get("query_string", b"").split(b"&"):
        key, _, value = pair.decode("latin-1").partition("=")
        if unquote_plus(key) == name:
            found.append(unquote_plus(value))
        else:
            others.append(pair)
    if not found:
        return None, scope
    return ", ".join(found), {**scope, "query_string": b"&".join(others)}


def _find_in_accept(scope: Scope, name: str) -> tuple[str | None, Scope]:
    found: dict[str, None] = {}
    for key, line in scope["headers"]:
        if key.lower() != b"accept":
            continue
        for accepted in line.decode("latin-1").split(","):
            for parameter in accepted.split(";")[1:]:
                called, _, value = parameter.partition("=")
                if called.strip().casefold() == name.casefold():
                    found[value.strip().strip('"')] = None
    return (", ".join(found) if found else None), scope
