"""Streams in all spellings of servers: narrowing only removes newer parts."""

from __future__ import annotations

import asyncio
import json
import random
import re
from typing import Any, NamedTuple

import pytest
from support.exchanges import PersistentCaller, request
from support.feeds import EXTRA, OLD, Feeds, make_plain_tick
from support.seeds import seeds
from support.tables import cases

BOM = b"\xef\xbb\xbf"


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> Feeds:
    return Feeds(tmp_path_factory.mktemp("feeds"))


class Event(NamedTuple):
    """A server-sent event: the value of the data, the type, and the last event id."""

    data: Any
    kind: str
    id: str


def read_events(content: bytes) -> list[Event]:
    """Return the events of a stream, parsed as a whole as in the HTML standard (section 9.2.6)."""
    text = content.decode().removeprefix("\ufeff")
    found: list[Event] = []
    data: list[str] = []
    kind = last = ""
    # text after the last line end is no line
    for line in re.split("\r\n|\r|\n", text)[:-1]:
        if not line:
            if data:
                found.append(Event(json.loads("\n".join(data)), kind, last))
            data, kind = [], ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last = value
    return found


def narrow(item: Any) -> list[Any]:
    """Return *item* as callers of the oldest version see it."""
    return [] if item is EXTRA else [{"kind": "plain", "number": item["count"]}]


def spell_events(lots: random.Random) -> bytes:
    # LF after CR would be the end of the same line
    ends = lots.choice([[b"\n"], [b"\r\n", b"\n"], [b"\r", b"\r\n"]])

    def end() -> bytes:
        return lots.choice(ends)

    made = lots.choice([b"", BOM])
    for number in range(lots.randrange(1, 7)):
        item = lots.choice([make_plain_tick(number), EXTRA])
        pieces = json.dumps(item).encode().split(b" ")
        lines = [b"data:" + lots.choice([b"", b" "]) + pieces[0]]
        for piece in pieces[1:]:
            if lots.random() < 0.3:
                lines.append(lots.choice([b"data:", b"data: ", b"data:  "]) + piece)
            else:
                lines[-1] += b" " + piece
        others = [b"id: %d" % number, b"id", b"id: a\0b", b"event: tick", b"event", b"retry: 10"]
        others += [b": comment", b":", b"retry: x", b"other: newest", b"dataset: 1", b"event: a"]
        for other in lots.sample(others, lots.choice([0, 0, 1, 2, 3])):
            lines.insert(lots.randrange(len(lines) + 1), other)
        made += b"".join(line + end() for line in lines)
        made += end() * lots.choice([1, 1, 2])
    # an event without a blank line after it is not dispatched
    return made + lots.choice([b"", b"", b'data: {"kind": "plain", "count": 9}\n'])


def spell_lines(lots: random.Random) -> tuple[bytes, list[Any]]:
    items = [lots.choice([make_plain_tick(number), EXTRA]) for number in range(lots.randrange(7))]
    made = lots.choice([b"", BOM])
    for item in items:
        made += lots.choice([b"", b"", b"\n", b" \t\r\n"]) + lots.choice([b"", b" "])
        made += json.dumps(item).encode() + lots.choice([b"\n", b"\r\n", b" \n"])
    # the last line may lack its end
    return (made.rstrip() if lots.random() < 0.3 else made), items


def spell_records(lots: random.Random) -> tuple[bytes, list[Any]]:
    items = [lots.choice([make_plain_tick(number), EXTRA]) for number in range(lots.randrange(7))]
    made = b""
    for item in items:
        made += lots.choice([b"\x1e", b"\x1e", b"\x1e\x1e", b"\x1e\n\x1e"])
        made += json.dumps(item, indent=lots.choice([None, 1])).encode()
        made += lots.choice([b"\n", b"\n", b"", b"\r\n", b" "])
    return made, items


def answer(feeds: Feeds, lots: random.Random, path: str, media_type: str, content: bytes) -> bytes:
    """Return what a caller of the oldest version gets for *content*, which comes in pieces."""
    size = lots.choice([1, 2, 7, len(content) + 1])
    pieces = [content[at : at + size] for at in range(0, len(content), size)]

    async def backend(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", media_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    caller = PersistentCaller()
    scope = request(path=path, headers=[(b"x-api-version", OLD.encode())])
    asyncio.run(feeds.wrap(backend)(scope, caller.receive, caller.send))
    assert caller.sent[0]["status"] == 200
    return b"".join(each.get("body", b"") for each in caller.sent)


@cases("seed", seeds(80))
def test_narrowed_events_keep_their_meaning(feeds: Feeds, seed: int) -> None:
    lots = random.Random(seed)
    content = spell_events(lots)
    seen = answer(feeds, lots, "/api/events", "text/event-stream", content)
    expected = [
        each._replace(data=item)
        for each in read_events(content)
        for item in ([] if each.data == EXTRA else narrow(each.data))
    ]
    assert read_events(seen) == expected, content


def read_items(content: bytes) -> list[Any]:
    """Return the values of a stream of JSON texts."""
    text = content.decode().replace("\x1e", " ").strip()
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


@cases("seed", seeds(60))
@cases("kind", ["lines", "records"])
def test_narrowed_items_keep_their_meaning(feeds: Feeds, seed: int, kind: str) -> None:
    lots = random.Random(seed)
    content, items = (spell_lines if kind == "lines" else spell_records)(lots)
    media_type = "application/x-ndjson" if kind == "lines" else "application/json-seq"
    seen = answer(feeds, lots, f"/api/{kind}", media_type, content)
    assert read_items(seen) == [after for each in items for after in narrow(each)], content
    assert b"secret" not in seen
