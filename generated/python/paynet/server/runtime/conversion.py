"""Call converters with the context of their call, and await asynchronous ones."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeVar

T = TypeVar("T")


class ConversionContext(NamedTuple):
    """The call that a converter serves.

    ``account`` is for whom it is made, as far as that is known; ``version`` is that of the caller,
    in both directions. Outside of requests there is no ``operation`` (its id) and no ``scope`` (of
    ASGI).
    """

    environment: str
    version: str
    account: object = None
    operation: str | None = None
    scope: Mapping[str, Any] | None = None


class UncallableError(TypeError):
    """A converter can't be called as necessary here; the message says why, with a way out."""


class _Waiting:
    """The type of ``WAITING``."""


WAITING: Final = _Waiting()
"""Stands for a result that must be awaited: everything made from it is made again later."""

_MOST_PASSES: Final = 100

NOT_AWAITED: Final = (
    "it is `async def`, and nothing awaits it here: use `narrow_async`, `lift_async` or "
    "`render_async`"
)


class _Calls:
    """The calls of converters for one value; with *remembers*, some must be awaited.

    Results are identified by their inputs: equal values are converted once.
    """

    def __init__(self, context: ConversionContext, *, remembers: bool) -> None:
        self.context = context
        self.remembers = remembers
        self.waiting: dict[tuple[str, str], Awaitable[Any]] = {}
        self._known: dict[tuple[str, str], Callable[[], Any]] = {}

    def call(self, name: str, convert: Callable[[Any], Any], value: Any) -> Any:
        try:
            key = name, json.dumps(value, sort_keys=True)
        except TypeError:
            if self.waiting:
                return WAITING
            raise
        if key in self.waiting:
            return WAITING
        if key not in self._known:
            result = convert(value)
            if inspect.isawaitable(result):
                self.waiting[key] = result
                return WAITING
            self._known[key] = lambda: result
        return self._known[key]()

    async def wait(self) -> None:
        """Await what is waiting, one after the other: converters may share a connection."""
        while self.waiting:
            key = next(iter(self.waiting))
            try:
                result = await self.waiting.pop(key)
            except Exception as error:
                self._known[key] = _raising(error)
            else:
                self._known[key] = _returning(result)

    def close(self) -> None:
        """Close what is not awaited any more."""
        for each in self.waiting.values():
            if inspect.iscoroutine(each):
                each.close()


def _raising(error: Exception) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def _returning(value: Any) -> Callable[[], Any]:
    return lambda: value


_current: ContextVar[_Calls | None] = ContextVar("converters", default=None)


def convert_within(make: Callable[[], T], context: ConversionContext) -> T:
    """Return what *make* returns; the converters that it calls get *context*."""
    token = _current.set(_Calls(context, remembers=False))
    try:
        return make()
    finally:
        _current.reset(token)


async def await_converters(make: Callable[[], T], context: ConversionContext) -> T:
    """Return what *make* returns, like `convert_within`, after awaiting all converters.

    *make* is called again after each await, until nothing is left to be awaited.
    """
    calls = _Calls(context, remembers=True)
    try:
        for _ in range(_MOST_PASSES):
            token = _current.set(calls)
            try:
                result = make()
            except Exception:
                if not calls.waiting:
                    raise
            else:
                if not calls.waiting:
                    return result
            finally:
                _current.reset(token)
            await calls.wait()
    finally:
        calls.close()
    raise RecursionError("converters have to be awaited without end")


def is_waiting() -> bool:
    """Return whether the present result will be made again."""
    calls = _current.get()
    return calls is not None and bool(calls.waiting)


def find_version() -> str | None:
    """Return the version of the call that converters serve now; None outside of calls."""
    calls = _current.get()
    return None if calls is None else calls.context.version


def bind_context(name: str, convert: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return *convert*, which is called *name*, as a function of the value alone.

    It gets the context of the call if it takes a second argument. The returned function raises
    UncallableError if the result must be awaited and nothing awaits it, or if there is no call.
    """
    takes = takes_context(convert)
    awaits = is_async(convert)

    def call(value: Any) -> Any:
        calls = _current.get()
        if takes and calls is None:
            raise UncallableError("it takes the context of a call, and there is none here")
        if calls is not None and calls.remembers:
            if takes:
                context = calls.context
                return calls.call(name, lambda given: convert(given, context), value)
            return calls.call(name, convert, value)
        if awaits:
            raise UncallableError(NOT_AWAITED)
        return convert(value, calls.context) if takes and calls is not None else convert(value)

    return call


def takes_context(convert: Callable[..., Any]) -> bool:
    """Return whether *convert* takes a second positional argument without a default."""
    try:
        parameters = inspect.signature(convert).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    second = [each for each in parameters if each.kind in kinds][1:2]
    return any(each.default is each.empty for each in second)


def find_argument_error(convert: Callable[..., Any]) -> str | None:
    """Return why *convert* can't be called with a value, or with a value and a context, if so."""
    try:
        signature = inspect.signature(convert)
    except (TypeError, ValueError):
        # only calls show it
        return None
    try:
        signature.bind(*(None, None) if takes_context(convert) else (None,))
    except TypeError as error:
        return str(error)
    return None


def is_async(convert: Callable[..., Any]) -> bool:
    """Return whether *convert*, or its `__call__`, is an `async def`."""
    found = inspect.unwrap(convert)
    return inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(
        getattr(found, "__call__", None)  # noqa: B004 - not whether, but what is called
    )
