"""Split streams into items, and write items: event streams, lines, sequences of JSON.

These are the sequential media types of OpenAPI 3.2 (section 4.14.4). An item is passed on as soon
as its end is there, in whatever pieces it arrives; one that is longer than a limit is refused.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, Protocol

from .media_types import essence

EVENT_STREAM: Final = "text/event-stream"

LINES: Final = frozenset(
    {"application/jsonl", "application/x-jsonl", "application/jsonlines"}
    | {"application/x-jsonlines", "application/ndjson", "application/x-ndjson"}
)

_RECORD: Final = b"\x1e"

# Reconnection times of more digits are ignored, like those that are no number.
_RETRY: Final = re.compile("[0-9]{1,15}")

# The end marker of some servers' streams of JSON, which is not a value of the stream.
_DONE: Final = "[DONE]"

Json = Any
Decode = Callable[[bytes], Json]
Dump = Callable[[Json], bytes]

Data = Literal["json", "text", "fields"]
"""What the items of an event stream are: JSON in the `data` of its events, its text, or the events
as objects of `data`, `event`, `id` and `retry`."""


class SequenceError(ValueError):
    """A stream that is not of its media type, or an item of it that is too long."""


class Frame(NamedTuple):
    """An item of a stream, and what replaces it: itself, another one, nothing."""

    item: Json
    write: Callable[[Sequence[Json]], bytes]


Frames = Iterator["Frame | bytes"]
"""Items of a stream, and the verbatim bytes between them."""


class Framing(Protocol):
    """How the items of a media type are separated and written."""

    def split(self, piece: bytes) -> Frames:
        """Yield what *piece*, the next one of a stream, completes. Raises SequenceError."""
        ...

    def end(self) -> Frames:
        """Yield what the end of the stream completes. Raises as `split` does."""
        ...

    def write(self, item: Json) -> bytes:
        """Return *item* as it is sent."""
        ...


def is_sequential(media_type: str) -> bool:
    """Return whether *media_type* is a sequence of items."""
    name = essence(media_type)
    return name == EVENT_STREAM or name in LINES or _is_record(name)


def _is_record(name: str) -> bool:
    return name == "application/json-seq" or name.endswith("+json-seq")


def find_framing(
    media_type: str,
    *,
    dump: Dump,
    decode: Decode = json.loads,
    most: int,
    data: Data = "json",
) -> Framing:
    """Return the framing of one stream of *media_type*, a sequential one.

    *dump* writes JSON, *decode* reads it and raises ValueError. Items of more than *most* bytes are
    refused. *data* says what the items of an event stream are.
    """
    name = essence(media_type)
    if name == EVENT_STREAM:
        return EventFraming(decode, dump, most, data)
    return _Records(decode, dump, most) if _is_record(name) else _Lines(decode, dump, most)


class _Pieces:
    """What has arrived of a stream and is not used yet, at most *most* bytes of it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = bytearray()
        self._seen = 0
        self._is_begun = False

    def add(self, piece: bytes) -> None:
        self._held += piece
        if not self._is_begun and len(self._held) >= len(codecs.BOM_UTF8):
            self._is_begun = True
            if self._held.startswith(codecs.BOM_UTF8):
                del self._held[: len(codecs.BOM_UTF8)]
                self._seen = 0

    def cut(self, ends: Callable[[bytearray, int], tuple[int, int] | None]) -> bytes | None:
        """Return what is before the next end, without it; None if it has not arrived yet.

        *ends* finds the place of an end and of what follows it, at or after an offset. Raises
        SequenceError for what is too long.
        """
        found = ends(self._held, self._seen)
        if found is None:
            self._seen = len(self._held)
            self.check(len(self._held))
            return None
        self._is_begun = True
        self.check(found[0])
        before = bytes(self._held[: found[0]])
        del self._held[: found[1]]
        self._seen = 0
        return before

    def check(self, length: int) -> None:
        """Raise SequenceError if an item may not have *length* bytes."""
        if length > self._most:
            raise SequenceError(f"an item has more than {self._most} bytes")

    def ends_with(self, end: bytes) -> bool:
        """Return whether everything that has arrived ends with *end*."""
        return self._held.endswith(end)

    def rest(self) -> bytes:
        """Return everything that is left."""
        rest = bytes(self._held)
        self._held.clear()
        self._seen = 0
        self.check(len(rest))
        return rest.removeprefix(codecs.BOM_UTF8) if not self._is_begun else rest


def _find_byte(byte: bytes) -> Callable[[bytearray, int], tuple[int, int] | None]:
    def find(buffer: bytearray, start: int) -> tuple[int, int] | None:
        at = buffer.find(byte, start)
        return None if at < 0 else (at, at + 1)

    return find


_find_line: Final = _find_byte(b"\n")
_find_record: Final = _find_byte(_RECORD)


class _JsonFraming:
    """How values are read and written, and what has arrived of the stream."""

    def __init__(self, decode: Decode, dump: Dump, most: int) -> None:
        self._decode = decode
        self._dump = dump
        self._pieces = _Pieces(most)


class _Lines(_JsonFraming):
    """A value in JSON on each line; blank lines keep a connection open and are passed on."""

    def split(self, piece: bytes) -> Frames:
        self._pieces.add(piece)
        while (line := self._pieces.cut(_find_line)) is not None:
            yield self._line(line)

    def end(self) -> Frames:
        rest = self._pieces.rest()
        if rest:
            yield self._line(rest)

    def _line(self, line: bytes) -> Frame | bytes:
        if not line.strip():
            return b"\n"
        return Frame(_decode(self._decode, line), partial(_write_all, self.write))

    def write(self, item: Json) -> bytes:
        return self._dump(item) + b"\n"


class _Records(_JsonFraming):
    """A value in JSON after each record separator (RFC 7464)."""

    def split(self, piece: bytes) -> Frames:
        self._pieces.add(piece)
        while (record := self._pieces.cut(_find_record)) is not None:
            yield from self._record(record)
        # a text ends with a line feed, and need not wait for the one after it
        if self._pieces.ends_with(b"\n"):
            rest = self._pieces.rest()
            try:
                value = self._decode(rest)
            except ValueError:
                self._pieces.add(rest)
            else:
                yield Frame(value, partial(_write_all, self.write))

    def end(self) -> Frames:
        yield from self._record(self._pieces.rest())

    def _record(self, record: bytes) -> Frames:
        if record.strip():
            yield Frame(_decode(self._decode, record), partial(_write_all, self.write))

    def write(self, item: Json) -> bytes:
        return _RECORD + self._dump(item) + b"\n"


class EventFraming(_JsonFraming):
    """Server-sent events (WHATWG HTML, section 9.2.6); comments are passed on at once."""

    def __init__(self, decode: Decode, dump: Dump, most: int, data: Data) -> None:
        super().__init__(decode, dump, most)
        self._data = data
        self._lines: list[bytes] = []
        self._size = 0
        self._is_after_return = False

    def split(self, piece: bytes) -> Frames:
        self._pieces.add(piece)
        while (line := self._pieces.cut(self._find_end)) is not None:
            yield from self._line(line)

    def end(self) -> Frames:
        # an event without the blank line that ends it is not an event
        self._pieces.rest()
        yield from ()

    def _find_end(self, buffer: bytearray, start: int) -> tuple[int, int] | None:
        """Return where a line ends: at CR, LF, or both, which may arrive in two pieces."""
        if self._is_after_return and buffer:
            self._is_after_return = False
            if buffer[0] == 0x0A:
                del buffer[0]
                start = 0
        feed, turn = buffer.find(b"\n", start), buffer.find(b"\r", start)
        if turn < 0 or 0 <= feed < turn:
            return None if feed < 0 else (feed, feed + 1)
        self._is_after_return = True
        return turn, turn + 1

    def _line(self, line: bytes) -> Frames:
        if line.startswith(b":"):
            yield line + b"\n"
        elif line:
            self._lines.append(line)
            self._size += len(line)
            self._pieces.check(self._size)
        elif not self._lines:
            yield b"\n"
        else:
            lines, self._lines, self._size = self._lines, [], 0
            yield self._event(_read_fields(lines))

    def _event(self, fields: dict[str, str]) -> Frame | bytes:
        if "data" not in fields:
            # nothing is dispatched: it may set the id or the reconnection time
            return _write_event({name: fields[name] for name in fields if name != "event"})
        if fields["data"] == _DONE and self._data == "json":
            return _write_event(fields)
        item = self._read(fields)
        return Frame(item, partial(self._write_taken, fields))

    def _write_taken(self, fields: dict[str, str], taken: Sequence[Json]) -> bytes:
        if not taken:
            # a reconnecting client continues after it
            return _write_event({name: fields[name] for name in ("id", "retry") if name in fields})
        [item] = taken
        lines = self._fields(item)
        return _write_event(lines if self._data == "fields" else {**fields, **lines})

    def _read(self, fields: dict[str, str]) -> Json:
        if self._data == "json":
            return _decode(self._decode, fields["data"].encode())
        if self._data == "text":
            return fields["data"]
        return {**fields, "retry": int(fields["retry"])} if "retry" in fields else fields

    def _fields(self, item: Json) -> dict[str, str]:
        """Return the fields of the event that *item* is, or is the data of."""
        if self._data == "fields":
            return {name: self._text(value) for name, value in item.items()}
        is_text = self._data == "text" and isinstance(item, str)
        return {"data": item if is_text else self._dump(item).decode()}

    def _text(self, value: Json) -> str:
        return value if isinstance(value, str) else self._dump(value).decode()

    def write(self, item: Json) -> bytes:
        return self.write_with({}, item)

    def write_with(self, fields: dict[str, str], item: Json) -> bytes:
        """Return the event that *item* is, or is the data of, with *fields* beside that.

        Raises SequenceError for a field of several lines.
        """
        return _write_event({**fields, **self._fields(item)})


def _write_all(write: Callable[[Json], bytes], items: Sequence[Json]) -> bytes:
    """Return *items* written anew: one in which a member is named twice has been read as one."""
    return b"".join(map(write, items))


def _decode(decode: Decode, content: bytes) -> Json:
    try:
        return decode(content)
    except ValueError as error:
        raise SequenceError(f"an item is not JSON: {error}") from None


def _read_fields(lines: list[bytes]) -> dict[str, str]:
    """Return the fields of an event: the lines of its data joined, of all others the last."""
    fields: dict[str, str] = {}
    for line in lines:
        key, _, rest = line.partition(b":")
        try:
            name, value = key.decode(), rest.removeprefix(b" ").decode()
        except UnicodeDecodeError:
            raise SequenceError("an event is not UTF-8") from None
        if name == "data":
            fields[name] = f"{fields[name]}\n{value}" if name in fields else value
        elif (
            name == "event"
            or (name == "id" and "\0" not in value)
            or (name == "retry" and _RETRY.fullmatch(value))
        ):
            fields[name] = value
    return fields


def _write_event(fields: dict[str, str]) -> bytes:
    """Return the event of *fields*; empty if there are none."""
    lines = [f"{name}: {line}\n" for name, value in fields.items() for line in _split(name, value)]
    return "".join([*lines, "\n"]).encode() if lines else b""


def _split(name: str, value: str) -> Iterator[str]:
    lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if name != "data" and len(lines) > 1:
        raise SequenceError(f"the field {name} of an event has more than one line")
    yield from lines
