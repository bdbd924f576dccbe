"""The conversion of the messages of operations, whose bodies may have several media types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .media_types import essence, find_declared
from .shapes import list_names
from .values import Change, UnfitError, withheld


def by_media_type(content: Mapping[str, str | None], media_type: str) -> str | None:
    """Return the shape of *media_type* in *content*; parameters count only if several match.

    Raises UnfitError if *content* has no such media type.
    """
    declared = find_declared(content, media_type)
    if declared is None:
        raise UnfitError(f"the media type {media_type} is not declared by the definitions")
    return content[declared]


class OperationChanges:
    """What one version needs to convert the values of its operations in one direction."""

    def __init__(
        self,
        operations: Mapping[str, Mapping[str, Any]],
        functions: Mapping[str, Change],
        missing: Mapping[str, list[str]],
        awaits: Mapping[str, bool],
    ) -> None:
        self._operations = operations
        self._functions = functions
        self._missing = missing
        self._awaits = awaits

    def _list_missing(
        self, message: Mapping[str, Any], handled: Iterable[str] | None
    ) -> Iterator[str]:
        """Yield the missing converters without which *message*, a request or response, is lost.

        Those are the converters of the media types *handled* or, if the version has none of these,
        of all. If nothing is given as *handled*, one media type that lacks no converter is enough.
        """
        names = [*list_names({key: value for key, value in message.items() if key != "content"})]
        there = {
            media_type: shape
            for media_type, shape in message["content"].items()
            if shape is None or self._functions[shape] is not withheld
        }
        wanted = {*map(essence, there if handled is None else handled)}
        shapes = [each for name, each in there.items() if essence(name) in wanted]
        shapes = shapes or [*there.values()]
        if handled is not None or all(self._lacks(there, name) for name in there):
            names += filter(None, shapes)
        yield from (each for name in names for each in self._missing.get(name, ()))

    def _lacks(self, content: Mapping[str, str | None], media_type: str) -> bool:
        """Return whether a converter of *media_type* is missing, whatever its parameters are."""
        wanted = essence(media_type)
        return bool(self._missing) and any(
            shape in self._missing for name, shape in content.items() if essence(name) == wanted
        )

    def awaits(self, operation: str) -> bool | None:
        """Return whether *operation* needs a converter that must be awaited.

        None if it needs no converter.
        """
        names = list_names(self._operations.get(operation))
        found = [self._awaits[name] for name in names if name in self._awaits]
        return any(found) if found else None
