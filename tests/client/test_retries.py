"""When and after how long calls are retried, and the handling of truncated responses."""

from __future__ import annotations

import asyncio
import gzip
import math
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from paynet import client as errors
from paynet.client import Backoff
from paynet.client.calling import Operation
from paynet.client.retrying import read_retry_after
from paynet.v2026_07_01 import AsyncClient, Client
from support.archive_api import ARCHIVE
from support.calls import Answer, Scripted, answer
from support.generated_server import Generated
from support.sources import loaded
from support.tables import cases

AT_ONCE = Backoff(initial=0.0)
KINDS = pytest.mark.parametrize("kind", ["sync", "async"])


# Retry-After


READ: list[tuple[str | None, float | None]] = [
    (None, None),
    ("0", 0.0),
    (" 120\t", 120.0),
    ("9" * 400, math.inf),
    *((text, None) for text in ("", "-5", "+5", "1.5", "1e3", "0x10", "inf", "nan", "٣", "1, 2")),
    *((text, None) for text in ("soon", "\0", "2999-01-01T00:00:00Z", "Mon, 1", "a" * 99_999)),
    ("Fri, 31 Dec 99999 23:59:59 GMT", None),
    ("Mon, 01 Jan 2024 00:00:00 +99999999999", None),
    # numbers that dates of Python can't even be asked for
    (f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT", None),
    (f"Mon, 01 Jan 2024 {'9' * 20}:00:00 GMT", None),
    (f"Mon, 01 Jan 2024 00:00:00 +{'9' * 20}", None),
    ("Mon, 01 Jan 2999 25:00:00 GMT", None),
    # the three forms of a date (RFC 9110, section 5.6.7), all in the past
    ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 0.0),
    ("Sun Nov  6 08:49:37 1994", 0.0),
]


@cases(("text", "seconds"), READ)
def test_retry_after_is_seconds_or_a_date(text: str | None, seconds: float | None) -> None:
    assert read_retry_after(text) == seconds


@cases("zone", ["GMT", "+0000", "-0000"])
def test_date_is_the_time_until_then(zone: str) -> None:
    then = datetime.now(UTC) + timedelta(days=1)
    found = read_retry_after(f"{then:%a, %d %b %Y %H:%M:%S} {zone}")
    assert found is not None
    assert 86_000 < found <= 86_400


@KINDS
@cases(("text", "seconds"), READ)
def test_any_retry_after_leads_to_a_bounded_wait_or_an_error(
    kind: str, text: str | None, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = record_waits(monkeypatch)
    # h11 restricts what a server can send; a test transport also sends the rest
    headers = [] if text is None else [(b"Retry-After", text.encode())]
    busy = httpx.Response(503, headers=headers)
    backoff = Backoff(initial=1.0, maximum=2.0, longest=60.0)
    error, requests = fail(kind, [busy], list_all, backoff=backoff)
    if seconds is not None and seconds > 60:
        assert (len(requests), waits) == (1, [])
        assert "Not sent again: the wait of" in error.__notes__[0]
        assert error.retry_after == seconds
    else:
        least = seconds or 0.0
        assert len(requests) == 3
        for wait, limit in zip(waits, (1, 2), strict=True):
            assert least <= wait <= least + limit


def record_waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("paynet.client.sending.time", SimpleNamespace(sleep=waits.append))
    monkeypatch.setattr("paynet.client.sending.asyncio", SimpleNamespace(sleep=sleep))
    return waits


def call(kind: str, made: Callable[[Any], Any], settings: dict[str, Any]) -> Any:
    """Return the result of *made* for a client of this *kind*."""
    if kind == "sync":
        return made(Client(**settings))
    return asyncio.run(wait_for(made(AsyncClient(**settings))))


async def wait_for(made: Any) -> Any:
    return await made


def fail(
    kind: str, answers: list[Any], made: Callable[[Any], Any], **settings: Any
) -> tuple[Any, list[httpx.Request]]:
    """Return the error that *made* raises, and the requests."""
    transport = Scripted(answers)
    with pytest.raises(errors.ClientError) as caught:
        call(kind, made, {"api_key": "k", "transport": transport, **settings})
    return caught.value, transport.requests


def list_all(client: Any) -> Any:
    return client.list_autoramps()


@cases(
    "settings",
    [{"initial": -0.1}, {"maximum": -1.0}, {"longest": -1.0}, {"initial": math.nan}],
)
def test_wait_is_never_negative(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(settings))} can't be"):
        Backoff(**settings)


# Requests that are retried

SAFE = ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY")
ALL = (*SAFE, "POST", "PATCH")
FAILURES: dict[str, Any] = {
    "unsent": httpx.ConnectError("refused"),
    "unsent in time": httpx.ConnectTimeout("timed out"),
    "no connection left": httpx.PoolTimeout("timed out"),
    "reset": httpx.ReadError("reset"),
    "unwritten": httpx.WriteError("broken pipe"),
    "timed out": httpx.ReadTimeout("timed out"),
    "cut": httpx.RemoteProtocolError("closed"),
    "hopeless": httpx.LocalProtocolError("wrong"),
    **{str(status): httpx.Response(status) for status in (400, 401, 404, 408, 409, 422)},
    **{str(status): httpx.Response(status) for status in (429, 500, 501, 502, 503, 504, 505)},
}
UNSENT = ("unsent", "unsent in time", "no connection left")
REPEATED = ("reset", "unwritten", "timed out", "cut", "429", "502", "503", "504")


def send(operation: Operation[None], client: Any) -> Any:
    return client._send(operation)


@KINDS
@cases(("method", "failure"), [*product(ALL, FAILURES)])
def test_exactly_the_safe_requests_are_retried(kind: str, method: str, failure: str) -> None:
    for key in ("", "Idempotency-Key"):
        operation: Operation[None] = Operation(
            name="call", method=method, path="/", results={"204": None}, idempotency=key
        )
        may_repeat = method in SAFE or bool(key)
        again = failure in UNSENT or (failure in REPEATED and may_repeat)
        error, requests = fail(
            kind,
            [FAILURES[failure]],
            partial(send, operation),
            backoff=AT_ONCE,
            max_retries=3,
        )
        assert len(requests) == (4 if again else 1)
        assert len({each.headers.get(key or "none") for each in requests}) == 1
        assert len(error.attempts) == (3 if again else 0)
        # the reason for not retrying is given where a retry might be expected
        is_said = any("Not sent again" in each for each in getattr(error, "__notes__", ()))
        assert is_said == (failure in (*REPEATED, "hopeless") and not may_repeat)


def test_running_request_with_the_same_key_is_awaited_only_after_a_failure() -> None:
    operation: Operation[None] = Operation(
        name="call", method="POST", path="/", results={"204": None}, idempotency="Idempotency-Key"
    )
    reset, used = httpx.ReadError("reset"), httpx.Response(409)
    cases: list[tuple[list[Answer], int]] = [([used], 1), ([reset, used, answer(204)], 3)]
    for answers, sent in cases:
        transport = Scripted(answers)
        client = Client(transport=transport, backoff=AT_ONCE)
        try:
            client._send(operation)
        except errors.ConflictError:
            assert sent == 1
        assert len(transport.requests) == sent


# Responses over sockets

VERSION = b"X-API-Version: 2024-09-01\r\n"
LINES = b'{"id": 1}\n{"id": 2}\n'
EVENTS = b"data: 1\n\ndata: 22\n\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("archive")
    made = Generated(folder, loaded(folder, ARCHIVE))
    return SimpleNamespace(module=made.module("v2024_09_01"), client=made.module("client"))


@contextmanager
def serve(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Answer each connection with the next of *answers*, repeating the last one, and close it.

    Yields the address, and the requests received.
    """
    seen: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    seen.append(connection.recv(65536))
                    connection.sendall(answers[min(len(seen), len(answers)) - 1])

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", seen
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


def whole(content: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


def list_cuts(content: bytes) -> dict[str, bytes]:
    """Return truncated responses."""
    packed = gzip.compress(content * 200, mtime=0)
    deflated = zlib.compress(content * 200)
    return {
        "length": b"Content-Length: 100\r\n\r\n" + content,
        "between chunks": CHUNKED + chunk(content),
        "within a chunk": CHUNKED + b"ff\r\n" + content,
        "last chunk": CHUNKED + chunk(content) + b"0\r\n",
        "gzip": b"Content-Encoding: gzip\r\n" + whole(packed[:-10]),
        "half of gzip": b"Content-Encoding: gzip\r\n" + whole(packed[: len(packed) // 2]),
        "deflate": b"Content-Encoding: deflate\r\n" + whole(deflated[:-5]),
        "gzip in chunks": b"Content-Encoding: gzip\r\n" + CHUNKED + chunk(packed[:40]) + chunk(b""),
        "gzip until the end": b"Content-Encoding: gzip\r\n\r\n" + packed[:-9],
    }


CUTS = [*list_cuts(b"")]


def read(archive: Any, kind: str, name: str, arguments: tuple[Any, ...], address: str) -> Any:
    """Return the items of a stream, or the result of a call."""
    settings = {"key": "k", "base_url": address, "backoff": archive.client.Backoff(0.0, 0.0)}
    if kind == "sync":
        with archive.module.Client(**settings) as client:
            found = getattr(client, name)(*arguments)
            return list(found) if isinstance(found, archive.client.Stream) else found

    async def run() -> Any:
        async with archive.module.AsyncClient(**settings) as client:
            found = await getattr(client, name)(*arguments)
            if isinstance(found, archive.client.AsyncStream):
                return [each async for each in found]
            return found

    return asyncio.run(run())


STREAMS: list[tuple[str, tuple[str, ...], bytes, bytes]] = [
    ("stream_export_records", (), b"application/x-ndjson", LINES),
    ("watch_records", (), b"text/event-stream", EVENTS),
    ("stream_get_scan", ("a",), b"image/png", LINES),
]


def head(media_type: bytes) -> bytes:
    # each request uses a new connection, and none that is being closed
    begun = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
    return b"%bContent-Type: %b\r\n%b" % (begun, media_type, VERSION)


@KINDS
@cases("cut", CUTS)
@cases(("name", "arguments", "media_type", "content"), STREAMS)
def test_truncated_stream_is_never_complete(
    archive: Any,
    kind: str,
    cut: str,
    name: str,
    arguments: tuple[str, ...],
    media_type: bytes,
    content: bytes,
) -> None:
    with (
        serve(head(media_type) + list_cuts(content)[cut]) as (address, seen),
        pytest.raises(archive.client.StreamCutError),
    ):
        read(archive, kind, name, arguments, address)
    assert len(seen) == 1


@KINDS
def test_event_truncated_by_the_end_of_the_connection_is_reported(archive: Any, kind: str) -> None:
    begun = head(b"text/event-stream") + b"\r\n" + EVENTS
    for rest in (b"data: 3", b"data: 3\n"):
        with (
            serve(begun + rest) as (address, _),
            pytest.raises(archive.client.StreamCutError, match="within an item"),
        ):
            read(archive, kind, "watch_records", (), address)
    # a sender that declares the end of the body may end it within an event
    for framed in (
        begun,
        head(b"text/event-stream") + whole(EVENTS + b"data: 3"),
        head(b"text/event-stream") + CHUNKED + chunk(EVENTS + b"data: 3\n") + chunk(b""),
    ):
        with serve(framed) as (address, _):
            found = read(archive, kind, "watch_records", (), address)
        assert [each.data for each in found] == ["1", "22"]


@KINDS
@cases("cut", CUTS)
@cases(
    ("name", "arguments", "media_type", "content"),
    [("export_records", (), b"application/json", b'[{"id": 1}]'), STREAMS[2]],
)
def test_truncated_response_is_requested_again(
    archive: Any,
    kind: str,
    cut: str,
    name: str,
    arguments: tuple[str, ...],
    media_type: bytes,
    content: bytes,
) -> None:
    name = name.removeprefix("stream_")
    begun = head(media_type)
    with serve(begun + list_cuts(content)[cut], begun + whole(content)) as (address, seen):
        found = read(archive, kind, name, arguments, address)
    assert len(seen) == 2
    assert found == content if isinstance(found, bytes) else [each.id for each in found] == [1]
    with (
        serve(begun + list_cuts(content)[cut]) as (address, seen),
        pytest.raises(archive.client.ConnectionFailedError) as caught,
    ):
        read(archive, kind, name, arguments, address)
    assert (len(seen), len(caught.value.attempts)) == (3, 2)


@KINDS
def test_complete_compressed_responses_are_read(archive: Any, kind: str) -> None:
    for coding, content in (
        (b"gzip", gzip.compress(LINES)),
        (b"deflate", zlib.compress(LINES)),
        (b"identity", LINES),
        # an empty body is not compressed
        (b"gzip", b""),
    ):
        begun = head(b"image/png") + b"Content-Encoding: " + coding + b"\r\n"
        for framed in (whole(content), b"\r\n" + content):
            with serve(begun + framed) as (address, _):
                assert read(archive, kind, "get_scan", ("a",), address) == (content and LINES)
                made = read(archive, kind, "stream_get_scan", ("a",), address)
                assert b"".join(made) == (content and LINES)


@KINDS
def test_server_without_an_answer_is_a_timeout(kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        settings: Any = {"api_key": "k", "base_url": address, "timeout": 0.05, "backoff": AT_ONCE}
        with pytest.raises(errors.TimedOutError) as caught:
            call(kind, list_all, settings)
    assert len(caught.value.attempts) == 2
    assert all("ReadTimeout" in each for each in caught.value.attempts)
