"""Find the converters of the owner of a server among the methods of an object, and call them."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from typing import Any, Protocol, TypeVar

from .runtime.compiling import MissingConverterError
from .runtime.conversion import (
    ConversionContext,
    await_converters,
    convert_within,
    find_argument_error,
)

T = TypeVar("T")


class Make(Protocol):
    """Calls a function that calls converters, which may have to be awaited."""

    def __call__(self, compute: Callable[[], T], /) -> Awaitable[T]:
        """Return what *compute* returns."""
        ...


_log = logging.getLogger(__name__)


def bind(
    converters: object, methods: Mapping[str, Mapping[str, str]], *, is_partial: bool = False
) -> dict[str, dict[str, Callable[..., Any]]]:
    """Return the methods of *converters*, by direction and by their names in the contract data.

    Raises MissingConverterError for missing methods, unless *is_partial*: these are logged.
    Raises TypeError for methods that can't be called with a value, and maybe a context.
    """
    found = find_methods(converters, methods)
    missing: dict[str, list[str]] = {}
    for way, named in methods.items():
        for name, method in named.items():
            if name not in found[way]:
                missing.setdefault(way, []).append(f"{name} (the method {method})")
    if missing:
        error = MissingConverterError(chain(*missing.values()), " or ".join(missing))
        if not is_partial:
            raise error
        _log.warning("%s; operations that need one answer 501", error)
    return found


def find_methods(
    converters: object, methods: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, Callable[..., Any]]]:
    """Return those of *methods* that *converters* has, by direction and by their names.

    Raises TypeError for those that can't be called with a value, and maybe a context.
    """
    found = {
        way: {
            name: convert
            for name, method in named.items()
            if callable(convert := getattr(converters, method, None))
        }
        for way, named in methods.items()
    }
    misfits = {
        method: f"{method}: {reason}"
        for way, named in methods.items()
        for name, method in named.items()
        if name in found[way] and (reason := _find_misuse(converters, method, found[way][name]))
    }
    if misfits:
        raise TypeError(
            "converters take a value, and optionally a ConversionContext: "
            + "; ".join(misfits.values())
        )
    return found


def _find_misuse(converters: object, method: str, convert: Callable[..., Any]) -> str | None:
    is_class = isinstance(converters, type)
    if is_class and inspect.isfunction(inspect.getattr_static(converters, method, None)):
        return "pass an instance, not the class"
    return find_argument_error(convert)


async def call(make: Callable[[], T], context: ConversionContext, *, awaits: bool) -> T:
    """Return what *make* returns, which calls converters for *context*.

    If it *awaits*, *make* is called again after each await, and may not change anything.
    """
    return await await_converters(make, context) if awaits else convert_within(make, context)
