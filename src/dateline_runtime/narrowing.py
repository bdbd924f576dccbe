"""Compile the conversion of canonical values to those of a version."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .compiling import Compiler, Converter, Judge, MissingConverterError
from .media_types import is_json
from .operations import OperationChanges, by_media_type
from .shapes import list_names
from .statuses import list_covering
from .values import Change, UnfitError, identity, withheld

__all__ = [
    "MissingConverterError",
    "Narrowing",
    "UnfitError",
    "identity",
    "narrowings",
]


Reliance = Callable[[Sequence[str | int]], bool]
"""Returns whether a change relies on the part of a value at some steps being valid."""


class Narrowing(OperationChanges):
    """The way down at one version: a function for each body and for the headers of a response.

    If a version shows everything, the function is `identity`. Every other one returns the same
    object if nothing in it differs, never changes its argument, and raises UnfitError for a value
    that is not valid for the canonical contract. Its result shares parts with the argument and with
    the contract data, and must not be changed.
    """

    def __init__(
        self,
        operations: Mapping[str, Mapping[str, Any]],
        functions: Mapping[str, Change],
        missing: Mapping[str, list[str]],
        awaits: Mapping[str, bool],
        relying: Collection[str],
        relies: Callable[[str, Sequence[str | int]], bool],
    ) -> None:
        super().__init__(operations, functions, missing, awaits)
        self._relying = relying
        self._relies = relies

    def missing(
        self, operation: str, handled: Mapping[str, Iterable[str] | None] | None = None
    ) -> list[str]:
        """Return the missing converters without which a response of *operation* can't be sent.

        *handled* are the media types that a server sends, by the key of the response; if it is
        None, each may be withheld as long as another one is left.
        """
        return sorted(
            {
                each
                for key, response in self._operations.get(operation, {}).items()
                for each in self._list_missing(
                    response, None if handled is None else handled.get(key) or ()
                )
            }
        )

    def changes(self, operation: str) -> bool:
        """Return whether any response of *operation* differs from the canonical one."""
        shapes = list_names(self._operations.get(operation))
        return any(self._functions[shape] is not identity for shape in shapes)

    def find_reliance(self, operation: str, status: int | str, media_type: str) -> Reliance | None:
        """Return where the function from `body` is correct for valid values only.

        None if that is nowhere: it refuses what it can't read. Raises as `body` does.
        """
        response = self._response(operation, status)
        shape = None if response is None else by_media_type(response["content"], media_type)
        if shape is None or shape not in self._relying:
            return None
        return partial(self._relies, shape)

    def body(self, operation: str, status: int | str, media_type: str) -> Change:
        """Return the function for the body of *operation* that is sent with *status*.

        *status* may be the key of the response, too: of several keys for a status, a version may
        lack the first. A body whose converter is missing is refused as if the version lacked it.

        Raises UnfitError if something differs between the responses of *operation* and the
        definitions have none with that status and media type.
        """
        response = self._response(operation, status)
        if response is None or (shape := by_media_type(response["content"], media_type)) is None:
            return identity
        return withheld if self._lacks(response["content"], media_type) else self._functions[shape]

    def media_type(self, operation: str, status: int | str, preferred: str) -> str | None:
        """Return the media type of the body: *preferred*, else another that the version has.

        JSON is preferred. None if there is no body. Raises as `body` does.
        """
        response = self._response(operation, status)
        if response is None or self.body(operation, status, preferred) is not withheld:
            return preferred
        for name in sorted(response["content"], key=lambda name: not is_json(name)):
            if self.body(operation, status, name) is not withheld:
                return str(name)
        return None

    def headers(self, operation: str, status: int | str) -> Change:
        """Return the function for a mapping of header names, as defined, to plain values."""
        response = self._response(operation, status)
        shape = None if response is None else response.get("headers")
        return identity if shape is None else self._functions[shape]

    def _response(self, operation: str, status: int | str) -> Mapping[str, Any] | None:
        responses = self._operations.get(operation)
        if responses is None:
            return None
        # a key of the definitions, or the status of a response
        known = (status,) if isinstance(status, str) else list_covering(str(status))
        for key in known:
            if key in responses:
                found: Mapping[str, Any] = responses[key]
                return found
        raise UnfitError(f"the status {status} is not declared by {operation}")


def narrowings(
    contracts: Mapping[str, Any],
    environment: str,
    converters: Mapping[str, Converter],
    versions: Iterable[str] | None = None,
    *,
    judge: Judge | None = None,
    is_partial: bool = False,
) -> dict[str, Narrowing]:
    """Return the way down in *environment* to each of *versions*, by default to all.

    Versions with the same form share one, and all share what they have in common. *converters* are
    keyed by the names in the contract data; *judge* is needed if schemas decide how values are
    converted, and validates the results of converters. Raises ValueError for an unknown version or
    environment, or without a judge that is needed, MissingConverterError naming every missing
    converter, unless *is_partial*.
    """
    operations = contracts["down"]["operations"]
    compiler = Compiler(contracts, "down", environment, converters, judge, is_partial=is_partial)
    return compiler.each_version(
        versions,
        lambda version, functions: Narrowing(
            operations,
            functions,
            compiler.missing[version],
            compiler.awaits[version],
            compiler.relying[version],
            partial(compiler.relies_at, version),
        ),
    )
