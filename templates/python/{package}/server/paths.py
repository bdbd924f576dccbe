"""Find the operation that a request means by its method and path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, Generic, TypeVar
from urllib.parse import parse_qsl, unquote

from .runtime.asgi import SLASH

R = TypeVar("R")
T = TypeVar("T")

_PARAMETER: Final = re.compile(r"\{([^{}]*)\}")
# A query or a fragment begins with a sign, or as an expression of RFC 6570.
_BEHIND: Final = re.compile(r"\{(?![?&#])[^{}]*\}|(?P<behind>\{[?&#]|[?#])")


class PathTemplate:
    """The path of an operation, with names in braces for its parameters.

    The text of a parameter is never empty, and has no slash but those sent as `%2F`. Of several
    in one segment, an earlier one takes as much as it can: the last of the texts that may separate
    two does so. Escapes stand for what they encode, in the template as in requests.

    Published documents have paths with a query or a fragment, which no request has as its path.
    """

    def __init__(self, text: str) -> None:
        path, query, self.is_path = _split(text)
        pieces = _PARAMETER.split(path)
        self.text: Final = text
        self.names: Final = pieces[1::2]
        self.segments: Final = _read_segments(path)
        """its segments, with `{}` for each parameter"""
        self.is_exact: Final = not any("{}" in segment for segment in self.segments)
        """whether it matches one path only, and is sorted so by `concrete_first`"""
        self.is_clear: Final = "}{" not in path and {"?", "#"}.isdisjoint(text)
        """whether a request says that it means this one, and which texts its parameters have"""
        self._query = query
        literals = [re.escape(_decode(piece)) for piece in pieces[0::2]]
        self._pattern = re.compile("([^/]+)".join(literals))
        self.pattern: Final = "[^/]+".join(literals)
        """the expression for the paths that it matches, without groups"""

    def match(self, path: str) -> dict[str, str] | None:
        """Return the texts of the parameters in *path* by their names; None for another path."""
        found = self._pattern.fullmatch(path)
        if found is None:
            return None
        texts = (text.replace(SLASH, "/") for text in found.groups())
        return dict(zip(self.names, texts, strict=True))

    def has_query(self, sent: bytes) -> bool:
        """Return whether the query string *sent* has all that the template has in a query."""
        if not self._query:
            return True
        pairs = parse_qsl(sent.decode("latin-1"), keep_blank_values=True)
        return all(
            any(name == key and value in ("", text) for key, text in pairs)
            for name, value in self._query
        )


def _split(text: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Return a path, the pairs of the query behind it, and whether nothing is behind it.

    A value with a parameter in it is any value, which is written as an empty one.
    """
    found = next((each for each in _BEHIND.finditer(text) if each["behind"]), None)
    if found is None:
        return text, [], True
    query = text[found.end() :].partition("#")[0] if found["behind"] == "?" else ""
    pairs = parse_qsl(query, keep_blank_values=True)
    named = [(name, "" if "{" in value else value) for name, value in pairs if "{" not in name]
    return text[: found.start()], named, False


def _decode(path: str) -> str:
    """Return *path* as `route` has those of requests."""
    return "/".join(unquote(segment).replace("/", SLASH) for segment in path.split("/"))


def _read_segments(path: str) -> list[str]:
    """Return the segments of *path*, with `{}` for each parameter."""
    return "{}".join(map(_decode, _PARAMETER.split(path)[0::2])).split("/")


def concrete_first(method: str, text: str) -> tuple[list[tuple[bool, int]], int, bool]:
    """Return what sorts `/things/mine` before `/things/{id}` (OpenAPI 3.1.1, section 4.8.8.2).

    Of segments with parameters, the one with more text beside them comes first: `{id}.json` before
    `{id}`. A path with a query comes before the same without; one that the request does not say,
    with a fragment, after it. An operation HEAD comes before GET, which answers HEAD without one.
    """
    path, query, is_path = _split(text)
    parts = [
        (True, -len(segment.replace("{}", ""))) if "{}" in segment else (False, 0)
        for segment in _read_segments(path)
    ]
    return parts, -len(query) if query or is_path else 1, method != "HEAD"


def methods_of(method: str) -> frozenset[str]:
    """Return the methods that an operation with *method* answers."""
    return frozenset({"GET", "HEAD"} if method == "GET" else {method})


class Paths(Generic[T, R]):
    """What is found by method and path; of several that match, the most concrete first.

    Of what is found there, *make* makes what is returned, once.
    """

    def __init__(
        self, rows: Iterable[tuple[str, str, T]], make: Callable[[tuple[T, ...]], R]
    ) -> None:
        listed: dict[tuple[str, int], list[tuple[PathTemplate, T]]] = {}
        for method, path, row in sorted(rows, key=lambda row: concrete_first(row[0], row[1])):
            template = PathTemplate(path)
            for each in methods_of(method):
                found = listed.setdefault((each, len(template.segments) - 1), [])
                found.append((template, row))
        self._alternatives = {key: _Alternatives(each, make) for key, each in listed.items()}

    def find(self, method: str, path: str) -> R | None:
        """Return what is made of all that *method* at *path* may mean; None for nothing."""
        listed = self._alternatives.get((method, path.count("/")))
        if listed is None:
            return None
        number = listed.exact.get(path)
        if number is None:
            found = listed.match(path)
            if found is None:
                return None
            # the group says which row it was
            number = found.lastindex
        made = listed.alone.get(number)
        return listed.make(path, number) if made is None else made


class _Alternatives(Generic[T, R]):
    """What is found by paths with the same number of slashes: one expression matches them all.

    Rows have numbers: from 1 for those with parameters, below for the others, which come first.
    """

    def __init__(
        self, rows: list[tuple[PathTemplate, T]], make: Callable[[tuple[T, ...]], R]
    ) -> None:
        self._rows = rows
        self._make = cache(make)
        self._others: dict[int, list[tuple[PathTemplate, T]]] = {}
        self._first = sum(template.is_exact for template, _ in rows) - 1
        """the place of the row before number 1"""
        whole = ["/".join(template.segments) for template, _ in rows[: self._first + 1]]
        self.exact: Final = {text: at - self._first for at, text in reversed([*enumerate(whole)])}
        """the numbers of rows without parameters, by path"""
        patterns = (f"({each.pattern})" for each, _ in rows[self._first + 1 :])
        self.match: Final = re.compile("|".join(patterns) or "(?!)").fullmatch
        self.alone: Final[dict[int | None, R]] = {}
        """what was made of rows of which the path says all, by their number"""

    def make(self, path: str, number: int | None) -> R:
        """Return what is made of all that *path* matches; *number* is that of the first."""
        at = self._first + (1 if number is None else number)
        template, row = self._rows[at]
        if at not in self._others:
            behind = self._rows[at + 1 :]
            self._others[at] = [each for each in behind if _may_both_match(template, each[0])]
        others = [each for other, each in self._others[at] if other.match(path) is not None]
        made = self._make((row, *others))
        if template.is_exact or not self._others[at]:
            self.alone[number] = made
        return made


def _may_both_match(one: PathTemplate, other: PathTemplate) -> bool:
    """Return whether a path may match both, which have the same number of slashes."""
    pairs = zip(one.segments, other.segments, strict=True)
    return all(a == b or "{}" in a or "{}" in b for a, b in pairs)
