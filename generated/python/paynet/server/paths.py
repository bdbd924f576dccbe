"""Find the operation that a request means by its method and path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

from .runtime.asgi import SLASH

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
        self.is_concrete: Final = not self.names
        literals = map(re.escape, pieces[0::2])
        self._pattern = re.compile("([^/]+)".join(literals))

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


class Paths(Generic[T]):
    """What is found by method and path; of several that match, each, the most concrete first."""

    def __init__(self, rows: Iterable[tuple[str, str, T]]) -> None:
        self._concrete: dict[tuple[str, str], list[tuple[PathTemplate, T]]] = {}
        self._others: dict[tuple[str, int], list[tuple[PathTemplate, T]]] = {}
        for method, path, row in sorted(rows, key=lambda row: concrete_first(row[0], row[1])):
            template = PathTemplate(path)
            for each in methods_of(method):
                found = template, row
                if template.is_concrete:
                    self._concrete.setdefault((each, path), []).append(found)
                else:
                    self._others.setdefault((each, path.count("/")), []).append(found)

    def find(self, method: str, path: str) -> Iterator[tuple[T, dict[str, str]]]:
        """Yield what *method* at *path* may mean, with the texts of the parameters."""
        for _, row in self._concrete.get((method, path), ()):
            yield row, {}
        for template, row in self._others.get((method, path.count("/")), ()):
            texts = template.match(path)
            if texts is not None:
                yield row, texts
