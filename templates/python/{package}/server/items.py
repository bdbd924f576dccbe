"""The items of streams: each is validated, and narrowed to the version of the caller."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from pydantic_core import to_jsonable_python

from .codings import Decoder
from .contracts import MisfitError, Validator
from .converters import Make
from .nouns import ServerSentEvent
from .plain import read_json, write_json
from .runtime import sequences
from .runtime.narrowing import UnfitError
from .runtime.sequences import Frame, Framing
from .runtime.values import pointer

Change = Callable[[Any], Any]


class StreamError(Exception):
    """A stream that can't continue: it is cut off, so that callers see that it is incomplete."""


class Items:
    """The items of one kind of response, for callers of one version.

    *change* narrows a list of items, *validator* validates one, if its constraints are known.
    *most* is the maximum size of an item in bytes.
    """

    def __init__(
        self,
        media_type: str,
        change: Change,
        validator: Validator | None,
        *,
        data: sequences.Data,
        most: int,
    ) -> None:
        self._change = change
        self._validator = validator
        self._data = data
        self.frame: Final = partial(
            sequences.find_framing,
            media_type,
            dump=write_json,
            decode=read_json,
            most=most,
            data=data,
        )
        self._framing: Framing = self.frame()

    def take(self, item: Any) -> tuple[Any, ...]:
        """Return *item* as callers see it: itself, another one, or nothing. Raises MisfitError."""
        listed = [item]
        if self._validator is not None:
            found = self._validator.find_misfit(listed)
            if found is not None:
                [_, *place], reason = found if found[0] else ([0], found[1])
                raise MisfitError(f"an item of the stream: {pointer(place) or 'itself'} {reason}")
        try:
            after = self._change(listed)
        except UnfitError as error:
            raise MisfitError(f"an item of the stream: {error}") from error
        return (item,) if after is listed else tuple(after)

    def write(self, item: Any) -> bytes:
        """Return *item*, a plain value or an event with one, in the form for callers."""
        try:
            if isinstance(item, ServerSentEvent):
                return self._write_event(item)
            return b"".join(map(self._framing.write, self.take(_plain(item))))
        except ValueError as error:
            # a SequenceError is one
            raise MisfitError(str(error)) from error

    def _write_event(self, event: ServerSentEvent[Any]) -> bytes:
        if self._data == "fields" or not isinstance(self._framing, sequences.EventFraming):
            raise MisfitError("a ServerSentEvent where its fields, or another item, belong")
        lines = {"event": event.event, "id": event.id, "retry": event.retry}
        fields = {name: str(value) for name, value in lines.items() if value is not None}
        taken = self.take(_plain(event.data))
        return b"".join(self._framing.write_with(fields, each) for each in taken)


def _plain(item: Any) -> Any:
    return to_jsonable_python(item, inf_nan_mode="null")


class NarrowedStream:
    """One stream of an application, on its way to callers of a version.

    *make* calls functions that call converters.
    """

    def __init__(self, items: Items, coding: str, make: Make) -> None:
        self._take = items.take
        self._framing = items.frame()
        self._decoder = Decoder(coding)
        self._make = make

    async def change(self, piece: bytes, *, is_last: bool) -> bytes:
        """Return what is sent to callers for *piece*. Raises MisfitError."""
        written = bytearray()
        try:
            for each in self._decoder.decode(piece):
                for frame in self._framing.split(each):
                    written += await self._write(frame)
            if is_last:
                self._decoder.end()
            for frame in self._framing.end() if is_last else ():
                written += await self._write(frame)
        except ValueError as error:
            # a SequenceError is one
            raise MisfitError(str(error)) from error
        return bytes(written)

    async def _write(self, frame: Frame | bytes) -> bytes:
        if isinstance(frame, bytes):
            return frame
        return frame.write(await self._make(partial(self._take, frame.item)))
