"""Find the operation that a request means by its method and path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, Generic, TypeVar

from .runtime.asgi import SLASH

R = TypeVar("R")
T = TypeVar("T")

_PARAMETER: Final = re.compile(r"\{([^{}]*)\}")


class PathTemplate:
    """The path of an operation, with names in braces for its parameters.

    The text of a parameter is never empty, and has no slash but those sent as `%2F`.
    """

    def __init__(self, text: str) -> None:
        pieces = _PARAMETER.split(text)
        self.text: Final = text
        self.names: Final = pieces[1::2]
        self.is_exact: Final = "{" not in text
        """whether it matches one path only, and is sorted so by `concrete_first`"""
        literals = [*map(re.escape, pieces[0::2])]
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


def concrete_first(method: str, path: str) -> tuple[tuple[bool, ...], bool]:
    """Return what sorts `/things/mine` before `/things/{id}` (OpenAPI 3.1.1, section 4.8.8.2).

    An operation HEAD comes before GET, which answers HEAD without one.
    """
    return tuple("{" in part for part in path.split("/")), method != "HEAD"


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
            for each in methods_of(method):
                found = listed.setdefault((each, path.count("/")), [])
                found.append((PathTemplate(path), row))
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
        whole = [template.text for template, _ in rows[: self._first + 1]]
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
    pairs = zip(one.text.split("/"), other.text.split("/"), strict=True)
    return all(a == b or "{" in a or "{" in b for a, b in pairs)
