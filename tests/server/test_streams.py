"""Streams through each door: every item is in the form of the caller's version, without delay."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import httpx
import pytest
from starlette.middleware.errors import ServerErrorMiddleware
from support.exchanges import PersistentCaller, Response, request, serving
from support.feeds import EXTRA, MIDDLE, NEW, OLD, Feeds, make_plain_tick
from support.tables import cases


def ask(app: Any, scope: Any, *pieces: bytes) -> Response:
    """Return the answer to a request whose body comes in *pieces*."""
    caller = PersistentCaller(*pieces)
    asyncio.run(app(scope, caller.receive, caller.send))
    *whole, last = caller.sent
    assert not last.get("more_body", False)
    caller.sent = [{**each, "more_body": False} for each in whole] + [last]
    return caller.response


SEEN = {
    OLD: [{"kind": "plain", "number": 1}, {"kind": "plain", "number": 2}],
    MIDDLE: [{"kind": "plain", "count": 1}, {"kind": "plain", "count": 2}],
    NEW: [make_plain_tick(1), EXTRA, make_plain_tick(2)],
}
"""The ticks 1, extra, 2 at each version: an item that it lacks is left out, as of a list."""


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> Feeds:
    return Feeds(tmp_path_factory.mktemp("feeds"))


def at(version: str) -> list[tuple[bytes, bytes]]:
    return [(b"x-api-version", version.encode())]


def sse(*items: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in items)


def lines(*items: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in items)


def records(*items: Any) -> bytes:
    return b"".join(b"\x1e" + json.dumps(each).encode() + b"\n" for each in items)


def compact(content: bytes) -> bytes:
    """Return *content* without the optional blanks of JSON."""
    return content.replace(b'": ', b'":').replace(b", ", b",")


WRITTEN: dict[str, tuple[str, Callable[..., bytes]]] = {
    "/events": ("text/event-stream", sse),
    "/lines": ("application/x-ndjson", lines),
    "/records": ("application/json-seq", records),
}


class Backend:
    """An application of the newest version that sends *pieces* with one media type."""

    def __init__(self, media_type: str, *pieces: bytes, coding: str = "") -> None:
        self.pieces = pieces
        self.headers = [(b"content-type", media_type.encode()), (b"content-length", b"9")]
        self.headers += [(b"content-encoding", coding.encode())] if coding else []
        self.received: list[bytes] = []
        self.is_lenient = False

    async def __call__(self, _: Any, receive: Any, send: Any) -> None:
        message = await receive()
        self.received.append(message.get("body", b""))
        while message.get("more_body"):
            message = await receive()
            self.received.append(message.get("body", b""))
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        for piece in self.pieces:
            try:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            except Exception:
                if not self.is_lenient:
                    raise
        await send({"type": "http.response.body", "body": b""})


class Handlers:
    """Handlers of the generated server that send the ticks in ``items``."""

    def __init__(self, *items: Any) -> None:
        self.items = items
        self.is_closed = False

    async def _send(self) -> AsyncIterator[Any]:
        try:
            for item in self.items:
                yield item
        finally:
            self.is_closed = True

    async def listen_to_events(self, _: Any) -> Any:
        return self._send()

    def read_lines(self, _: Any) -> Iterator[Any]:
        yield from self.items

    async def read_records(self, _: Any) -> AsyncIterator[Any]:
        for item in self.items:
            yield item


@pytest.mark.parametrize("version", [OLD, MIDDLE, NEW])
@pytest.mark.parametrize("path", WRITTEN)
def test_items_have_the_form_of_the_callers_version(feeds: Feeds, path: str, version: str) -> None:
    media_type, write = WRITTEN[path]
    content = write(make_plain_tick(1), EXTRA, make_plain_tick(2))
    expected = compact(write(*SEEN[version]))
    wrapped = feeds.wrap(Backend(media_type, content))
    served = feeds.serve(Handlers(make_plain_tick(1), EXTRA, make_plain_tick(2)))
    for app in (wrapped, served):
        response = ask(app, request(path=f"/api{path}", headers=at(version)))
        assert compact(response.body) == expected
        assert response.header("content-type") == [media_type]
        assert response.header("x-api-version") == [version]


@cases("version", [OLD, MIDDLE])
@cases("path", WRITTEN)
@cases("method", ["GET", "HEAD"])
def test_head_has_no_items(feeds: Feeds, path: str, version: str, method: str) -> None:
    media_type, write = WRITTEN[path]
    app = feeds.wrap(
        Backend(media_type, write(make_plain_tick(1)), write(EXTRA, make_plain_tick(2)))
    )
    response = ask(app, request(method, f"/api{path}", at(version)))
    assert (response.status, response.body == b"") == (200, method == "HEAD")
    assert response.header("content-length") == []


@cases("path", WRITTEN)
@cases("ending", [b"\n", b"\r\n", b"\r"])
def test_items_may_be_cut_anywhere(feeds: Feeds, path: str, ending: bytes) -> None:
    media_type, write = WRITTEN[path]
    content = write(make_plain_tick(1), EXTRA, make_plain_tick(2))
    if path != "/events" and ending == b"\r":
        return  # a line of JSON ends with a line feed
    content = b"\xef\xbb\xbf" + content.replace(b"\n", ending)
    expected = compact(write(*SEEN[OLD]))
    for size in (1, 2, 3, 7, len(content)):
        pieces = [content[start : start + size] for start in range(0, len(content), size)]
        app = feeds.wrap(Backend(media_type, *pieces))
        response = ask(app, request(path=f"/api{path}", headers=at(OLD)))
        assert compact(response.body) == expected, size


EVENTS = {
    "comments": (b": hi\n\n: ho\ndata: {P1}\n\n", b": hi\n\n: ho\ndata: {O1}\n\n"),
    "fields": (
        b"id: 7\nevent: tick\nretry: 10\ndata: {P1}\nother: x\n\n",
        b"id: 7\nevent: tick\nretry: 10\ndata: {O1}\n\n",
    ),
    "data on several lines": (
        b'data: {"kind": "plain",\ndata:"count": 1}\n\n',
        b"data: {O1}\n\n",
    ),
    "an item that is left out keeps its id": (b"id: 8\ndata: {E}\n\n", b"id: 8\n\n"),
    "an event without data": (b"id: 9\nevent: x\n\n", b"id: 9\n\n"),
    "the end that some servers send": (b"data: [DONE]\n\n", b"data: [DONE]\n\n"),
    "an event that is not ended": (b"data: {P1}\n\ndata: {P1}\n", b"data: {O1}\n\n"),
}


@cases("case", EVENTS)
def test_event_keeps_its_other_fields(feeds: Feeds, case: str) -> None:
    def fill(text: bytes) -> bytes:
        values = {b"{P1}": make_plain_tick(1), b"{O1}": SEEN[OLD][0], b"{E}": EXTRA}
        for name, value in values.items():
            text = text.replace(name, json.dumps(value).encode())
        return text

    sent, seen = map(fill, EVENTS[case])
    app = feeds.wrap(Backend("text/event-stream; charset=utf-8", sent))
    response = ask(app, request(path="/api/events", headers=at(OLD)))
    assert compact(response.body) == compact(seen)


def test_events_with_fields_are_narrowed_as_a_whole(feeds: Feeds) -> None:
    app = feeds.wrap(Backend("text/event-stream", b"event: new\ndata: x\ndata: y\n\n"))
    response = ask(app, request(path="/api/envelopes", headers=at(OLD)))
    assert response.body == b"event: old\ndata: x\ndata: y\n\n"

    class Sending:
        async def listen_to_envelopes(self, _: Any) -> AsyncIterator[Any]:
            yield {"event": "new", "data": "x\ny"}

        async def listen_to_texts(self, _: Any) -> AsyncIterator[Any]:
            yield "7"
            yield feeds.server.ServerSentEvent(data="a\nb", event="note", id="1", retry=5)

    served = feeds.serve(Sending())
    response = ask(served, request(path="/api/envelopes", headers=at(OLD)))
    assert response.body == b"event: old\ndata: x\ndata: y\n\n"
    response = ask(served, request(path="/api/texts", headers=at(OLD)))
    assert response.body == b"data: 7\n\nevent: note\nid: 1\nretry: 5\ndata: a\ndata: b\n\n"


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_stream_may_be_encoded(feeds: Feeds, coding: str) -> None:
    content = sse(make_plain_tick(1), EXTRA, make_plain_tick(2))
    encoded = gzip.compress(content) if coding == "gzip" else content
    app = feeds.wrap(Backend("text/event-stream", encoded[:20], encoded[20:], coding=coding))
    response = ask(app, request(path="/api/events", headers=at(OLD)))
    assert compact(response.body) == compact(sse(*SEEN[OLD]))
    assert response.header("content-encoding") == []


def test_stream_may_be_encoded_piece_by_piece(feeds: Feeds) -> None:
    # each item is a member of its own, as if every item was compressed and sent at once
    members = [gzip.compress(sse(each)) for each in (make_plain_tick(1), EXTRA, make_plain_tick(2))]
    content = b"".join(members)
    for size in (1, 7, len(content)):
        pieces = [content[at : at + size] for at in range(0, len(content), size)]
        app = feeds.wrap(Backend("text/event-stream", *pieces, coding="gzip"))
        response = ask(app, request(path="/api/events", headers=at(OLD)))
        assert compact(response.body) == compact(sse(*SEEN[OLD]))


@pytest.mark.parametrize(
    "content",
    [gzip.compress(sse(make_plain_tick(1)))[:-1], b"\x1f\x8b", b"data: 1\n\n"],
    # compressed data contain the time, and would differ between test processes
    ids=["without the last byte", "only the first bytes", "not encoded"],
)
def test_truncated_encoded_stream_does_not_end_as_if_complete(feeds: Feeds, content: bytes) -> None:
    app = feeds.wrap(Backend("text/event-stream", content, coding="gzip"))
    caller = PersistentCaller()
    with pytest.raises(feeds.package.module("server.items").StreamError):
        asyncio.run(app(request(path="/api/events", headers=at(OLD)), caller.receive, caller.send))
    assert all(each.get("more_body", True) for each in caller.sent)


WRONG = {
    "an item of another shape": b'data: {"kind": "plain", "count": "many", "newest": 1}\n\n',
    "an unknown variant": b'data: {"kind": "other", "newest": 1}\n\n',
    "no JSON": b"data: newest\n\n",
    "no UTF-8": b'data: {"kind": "\xff newest"}\n\n',
    "too long": b'data: {"kind": "plain", "count": 1, "newest": "' + b"x" * 400 + b'"}\n\n',
    "too long, in many lines": b"data: \n" * 80 + b"data: newest\n\n",
}


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("case", WRONG)
def test_stream_ends_at_an_invalid_item(
    feeds: Feeds, case: str, lenient: bool, caplog: pytest.LogCaptureFixture
) -> None:
    limits = feeds.server.Limits(item=400)
    backend = Backend(
        "text/event-stream", sse(make_plain_tick(1)), WRONG[case], sse(make_plain_tick(2))
    )
    backend.is_lenient = lenient
    app = feeds.wrap(backend, limits_of={"listenToEvents": limits})
    caller = PersistentCaller()
    items = feeds.package.module("server.items")
    with caplog.at_level(logging.ERROR), pytest.raises(items.StreamError):
        asyncio.run(app(request(path="/api/events", headers=at(OLD)), caller.receive, caller.send))
    sent = b"".join(each.get("body", b"") for each in caller.sent)
    assert compact(sent) == compact(sse(SEEN[OLD][0]))
    assert all(each.get("more_body", True) for each in caller.sent), "it is not ended as if whole"
    assert "GET '/api/events'" in caplog.text


def test_invalid_item_of_a_handler_ends_its_stream(
    feeds: Feeds, caplog: pytest.LogCaptureFixture
) -> None:
    handlers = Handlers(make_plain_tick(1), {"kind": "plain", "count": "many"}, make_plain_tick(2))
    caller = PersistentCaller()
    items = feeds.package.module("server.items")
    with pytest.raises(items.StreamError):
        asyncio.run(
            feeds.serve(handlers)(
                request(path="/api/events", headers=at(OLD)), caller.receive, caller.send
            )
        )
    sent = b"".join(each.get("body", b"") for each in caller.sent)
    assert compact(sent) == compact(sse(SEEN[OLD][0]))
    assert "/count" in caplog.text
    assert handlers.is_closed


def test_stream_that_fails_before_its_first_item_is_an_ordinary_error(
    feeds: Feeds,
) -> None:
    class Refusing:
        async def listen_to_events(self, _: Any) -> AsyncIterator[Any]:
            raise feeds.server.Refusal(404, {"message": "no such feed"})
            yield

        async def read_lines(self, _: Any) -> AsyncIterator[Any]:
            yield {"kind": "none"}

    app = feeds.serve(Refusing())
    response = ask(app, request(path="/api/events", headers=at(OLD)))
    assert (response.status, response.json) == (404, {"message": "no such feed"})
    assert ask(app, request(path="/api/lines", headers=at(OLD))).status == 500


def test_answer_with_all_items_may_be_json(feeds: Feeds) -> None:
    class Either:
        async def read_records(self, _: Any) -> Any:
            return [make_plain_tick(1), EXTRA, make_plain_tick(2)]

        async def read_lines(self, _: Any) -> Any:
            return feeds.server.Reply([make_plain_tick(1)])

    app = feeds.serve(Either())
    response = ask(app, request(path="/api/records", headers=at(OLD)))
    assert (response.header("content-type"), response.json) == (["application/json"], SEEN[OLD])
    response = ask(app, request(path="/api/lines", headers=at(OLD)))
    assert compact(response.body) == compact(lines(SEEN[OLD][0]))


# Requests


DRAFTS = lines({"name": "a"}, {"name": "b"})


def test_items_of_a_request_are_lifted_as_they_come(feeds: Feeds) -> None:
    seen: list[Any] = []

    class Reading:
        async def write_lines(self, _: Any, *, body: AsyncIterator[Any]) -> Any:
            async for draft in body:
                seen.append(draft)
            return seen

    fields = [*at(OLD), (b"content-type", b"application/x-ndjson")]
    pieces = [DRAFTS[:5], DRAFTS[5:20], DRAFTS[20:]]

    def post(app: Any) -> Any:
        return ask(app, request("POST", "/api/lines", fields), *pieces)

    backend = Backend("application/json", b"[]")
    post(feeds.wrap(backend))
    assert b"".join(backend.received) == compact(lines({"title": "a"}, {"title": "b"}))
    assert len(backend.received) == 3
    response = post(feeds.serve(Reading()))
    assert response.json == [{"name": "a"}, {"name": "b"}]
    assert [each.title for each in seen] == ["a", "b"]


@pytest.mark.parametrize("content", [b'{"name": "a"}\n{"name": 1}\n', b"{}\n", b"x\n", b""])
def test_invalid_item_of_a_request_is_refused(feeds: Feeds, content: bytes) -> None:
    class Reading:
        async def write_lines(self, _: Any, *, body: AsyncIterator[Any]) -> Any:
            return [each async for each in body]

    fields = [*at(OLD), (b"content-type", b"application/x-ndjson")]
    backend = Backend("application/json", b"[]")
    # Starlette also raises an error that it has answered
    for app in (
        feeds.wrap(backend),
        feeds.wrap(ServerErrorMiddleware(backend)),
        feeds.serve(Reading()),
    ):
        response = ask(app, request("POST", "/api/lines", fields), content)
        assert response.status == 400
        assert "body" in response.json["message"]
        assert "/0" not in response.json["message"]


def test_file_is_streamed_in_and_out(feeds: Feeds) -> None:
    class Files:
        async def write_file(self, _: Any, *, body: Any) -> int:
            assert body.content_type == "application/octet-stream"
            return sum([len(piece) async for piece in body])

        async def read_file(self, _: Any) -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b"piece"

    limits = {"writeFile": feeds.server.Limits(body=3000)}
    app = feeds.serve(Files(), limits_of=limits)
    fields = [*at(OLD), (b"content-type", b"application/octet-stream")]
    assert ask(app, request("POST", "/api/files", fields), *[b"x" * 1000] * 3).json == 3000
    assert ask(app, request("POST", "/api/files", fields), *[b"x" * 1000] * 4).status == 413
    assert ask(app, request("POST", "/api/files", fields)).status == 400
    response = ask(app, request(path="/api/files", headers=at(OLD)))
    assert (response.body, response.header("content-length")) == (b"piecepiecepiece", [])


# Over sockets: nothing waits for the end of a stream, and a disconnect ends it


class Endless:
    """Handlers, and an application, that send a tick whenever a test says so."""

    def __init__(self, size: int = 0) -> None:
        self.pad = "x" * size
        self.sent = 0
        self.is_closed = False

    async def _send(self) -> AsyncIterator[Any]:
        try:
            while True:
                self.sent += 1
                yield {**make_plain_tick(self.sent), "pad": self.pad}
                await asyncio.sleep(0.002)
        finally:
            self.is_closed = True

    async def listen_to_events(self, _: Any) -> Any:
        return self._send()

    def build(self) -> Any:
        """Return a FastAPI application that sends the same."""
        from fastapi import FastAPI
        from fastapi.responses import StreamingResponse

        app = FastAPI()

        async def write() -> AsyncIterator[bytes]:
            async for tick in self._send():
                yield sse(tick)

        @app.get("/api/events")
        async def listen() -> Any:
            return StreamingResponse(write(), media_type="text/event-stream")

        return app


@contextmanager
def open_door(feeds: Feeds, door: str, endless: Endless) -> Iterator[int]:
    """Serve *endless* through a *door*; yield the port."""
    if door == "server":
        with serving(feeds.serve(endless)) as port:
            yield port
    elif door == "around":
        with serving(feeds.wrap(endless.build())) as port:
            yield port
    else:
        pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
        forwarding = feeds.package.module("server.forwarding")
        with serving(endless.build()) as behind:
            upstream = forwarding.Upstream(url=f"http://127.0.0.1:{behind}")
            app = feeds.wrap(forwarding.Forwarding(upstream))
            with serving(app, lifespan="on") as port:
                yield port


@pytest.mark.parametrize("door", ["server", "around", "proxy"])
def test_endless_stream_is_passed_on_and_ends_with_a_disconnect(feeds: Feeds, door: str) -> None:
    endless = Endless()
    with open_door(feeds, door, endless) as port:
        url = f"http://127.0.0.1:{port}/api/events"
        headers = {"X-API-Version": OLD}
        with httpx.stream("GET", url, headers=headers, timeout=10) as response:
            seen = [line for line in islice(response.iter_lines(), 6) if line]
        assert [sorted(json.loads(line[6:])) for line in seen] == [["kind", "number", "pad"]] * 3
        deadline = time.monotonic() + 10
        while not endless.is_closed and time.monotonic() < deadline:
            time.sleep(0.01)
        assert endless.is_closed


@pytest.mark.parametrize("door", ["server", "around", "proxy"])
def test_stream_waits_for_a_slow_reader(feeds: Feeds, door: str) -> None:
    endless = Endless(size=500_000)
    with open_door(feeds, door, endless) as port:
        with socket.create_connection(("127.0.0.1", port)) as caller:
            head = f"GET /api/events HTTP/1.1\r\nHost: x\r\nX-API-Version: {OLD}\r\n\r\n"
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            caller.sendall(head.encode())
            caller.recv(100)
            before, same = -1, 0
            deadline = time.monotonic() + 20
            while same < 10 and time.monotonic() < deadline:
                time.sleep(0.02)
                same = same + 1 if endless.sent == before else 0
                before = endless.sent
            assert same == 10, "it goes on sending to a caller that does not read"
        deadline = time.monotonic() + 10
        while not endless.is_closed and time.monotonic() < deadline:
            time.sleep(0.01)
        assert endless.is_closed
