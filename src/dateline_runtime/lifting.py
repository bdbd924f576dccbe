"""Compile the conversion of requests of a version to canonical values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .compiling import Compiler, Converter, Judge, MissingConverterError
from .operations import OperationChanges, by_media_type
from .values import Change, ConversionError, UnfitError, identity

__all__ = [
    "ConversionError",
    "Lifting",
    "MissingConverterError",
    "UnfitError",
    "identity",
    "liftings",
]


class Lifting(OperationChanges):
    """The way up from one version: a function for each body and for the parameters of a request.

    Values must be valid for the contract of the caller's version. Renamed fields get their
    canonical names and converters are applied; fields that newer versions removed stay. A field
    that the caller's version does not have is left out, whatever its value, and nothing is filled
    in. The promises of the functions of `Narrowing` hold for these. A converter that raises
    anything but ValueError makes them raise ConversionError, a kind of UnfitError.
    """

    def __init__(
        self,
        names: Mapping[str, Mapping[str, str]],
        left_out: Mapping[str, Collection[str]],
        *shared: Any,
    ) -> None:
        super().__init__(*shared)
        self._names = names
        self._left_out = left_out

    def body(self, operation: str, media_type: str) -> Change:
        """Return the function for the body of a request of *operation*.

        Raises UnfitError if something differs in the requests of *operation* and the definitions
        have none with that media type.
        """
        shape = self._body(operation, media_type)
        return identity if shape is None else self._functions[shape]

    def missing(self, operation: str, handled: Iterable[str] | None = None) -> list[str]:
        """Return the missing converters without which no request of *operation* can be served.

        *handled* are the media types that a server reads; if it is None, each may be refused as
        long as another one is left (see `lacks`).
        """
        request = self._operations.get(operation)
        return sorted({*self._list_missing(request, handled)}) if request is not None else []

    def lacks(self, operation: str, media_type: str) -> bool:
        """Return whether the body of *media_type* needs a converter that is missing."""
        request = self._operations.get(operation)
        return request is not None and self._lacks(request["content"], media_type)

    def left_out(self, operation: str, media_type: str) -> Collection[str]:
        """Return the fields that the function of `body` leaves out of an object.

        It raises what `body` does. Forms are converted by nothing else.
        """
        shape = self._body(operation, media_type)
        return () if shape is None else self._left_out[shape]

    def parameters(self, operation: str, place: str) -> Change:
        """Return the function for the parameters in *place*: path, query, header or cookie.

        It takes a mapping from the names at the caller's version to plain values.
        """
        shape = self._parameters(operation, place)
        return identity if shape is None else self._functions[shape]

    def names(self, operation: str, place: str) -> Mapping[str, str]:
        """Return the canonical names of the parameters in *place* that were renamed.

        The keys are the names at the caller's version.
        """
        shape = self._parameters(operation, place)
        return {} if shape is None else self._names[shape]

    def _body(self, operation: str, media_type: str) -> str | None:
        request = self._operations.get(operation)
        return None if request is None else by_media_type(request["content"], media_type)

    def _parameters(self, operation: str, place: str) -> str | None:
        found: str | None = self._operations.get(operation, {}).get("parameters", {}).get(place)
        return found


def liftings(
    contracts: Mapping[str, Any],
    environment: str,
    converters: Mapping[str, Converter],
    versions: Iterable[str] | None = None,
    *,
    judge: Judge | None = None,
    is_partial: bool = False,
) -> dict[str, Lifting]:
    """Return the way up in *environment* from each of *versions*, by default from all.

    Versions with the same requests share one, and all share what they have in common. Takes and
    raises what `narrowings` does.
    """
    operations = contracts["up"]["operations"]
    compiler = Compiler(contracts, "up", environment, converters, judge, is_partial=is_partial)

    def lifting(version: str, functions: Mapping[str, Change]) -> Lifting:
        names = {shape: compiler.names(shape, version) for shape in functions}
        left_out = {shape: compiler.left_out(shape, version) for shape in functions}
        missing, awaits = compiler.missing[version], compiler.awaits[version]
        return Lifting(names, left_out, operations, functions, missing, awaits)

    return compiler.each_version(versions, lifting)
