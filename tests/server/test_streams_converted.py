"""Streams whose items need a converter, through each door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
import pytest
from support.exchanges import serving
from support.generated_server import Generated
from support.sources import loaded

OLD, NEW = "2024-01-15", "2025-06-01"

_TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
environments:
  production: {{ servers: [{{ url: https://ticks.example/api }}] }}
policy: dated-contract
python: {{ package: ticks }}
"""

_API: Final = f"""\
openapi: 3.2.0
info: {{ title: Ticks, version: canonical }}
tags: [{{ name: Ticks }}]
paths:
  /events:
    get:
      operationId: listen
      tags: [Ticks]
      responses:
        '200':
          description: the data of each event is a tick
          content: {{ text/event-stream: {{ schema: {{ $ref: '#/components/schemas/Tick' }} }} }}
  /lines:
    get:
      operationId: readLines
      tags: [Ticks]
      responses:
        '200':
          description: a tick on each line
          content:
            application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Tick' }} }}
    post:
      operationId: writeLines
      tags: [Ticks]
      requestBody:
        required: true
        content:
          application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Tick' }} }}
      responses: {{ '204': {{ description: taken }} }}
components:
  schemas:
    Tick:
      type: object
      required: [count]
      properties:
        count: {{ type: integer, x-was: {{ {NEW}: {{ type: string, pattern: '^#' }} }} }}
"""

WRITTEN: Final = {"/events": ("text/event-stream", "data: ", "\n\n"),
                  "/lines": ("application/x-ndjson", "", "\n")}  # fmt: skip


def write(path: str, *counts: Any) -> bytes:
    _, before, after = WRITTEN[path]
    return "".join(f'{before}{{"count":{json.dumps(one)}}}{after}' for one in counts).encode()


class Converters:
    """Converters of one value each; the one for narrowing is asynchronous."""

    async def older_tick_count(self, value: Any, context: Any) -> Any:
        await asyncio.sleep(0)
        if value == 13:
            raise ValueError("nobody counts so")
        return f"#{value} {context.operation}"

    def newer_tick_count(self, value: Any) -> Any:
        return int(value.removeprefix("#"))


class Handlers:
    """Handlers of the generated server that send ticks, and record those they get."""

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts
        self.taken: list[int] = []

    async def _send(self) -> AsyncIterator[Any]:
        for count in self.counts:
            yield {"count": count}

    async def listen(self, _: Any) -> Any:
        return self._send()

    async def read_lines(self, _: Any) -> Any:
        return self._send()

    async def write_lines(self, _: Any, *, body: Any) -> None:
        self.taken += [item.count async for item in body]


class Backend:
    """The same as an application of the newest version."""

    def __init__(self, counts: list[int]) -> None:
        self.counts = counts
        self.taken: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        received = b""
        message = await receive()
        while message.get("more_body"):
            received += message.get("body", b"")
            message = await receive()
        received += message.get("body", b"")
        if scope["method"] == "POST":
            self.taken += [json.loads(line)["count"] for line in received.splitlines()]
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        path = scope["path"].removeprefix("/api")
        headers = [(b"content-type", WRITTEN[path][0].encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for count in self.counts:
            piece = write(path, count)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("ticks")
    return Generated(folder, loaded(folder, {"versions.yaml": _TABLE, "api.yaml": _API}))


@contextmanager
def opening(made: Generated, door: str, counts: list[int]) -> Iterator[tuple[httpx.Client, Any]]:
    """Serve all versions behind *door*; yield a caller, and the list of items received."""
    server: Any = made.module("server")
    said: dict[str, Any] = {"environment": "production", "converters": Converters()}
    there: Handlers | Backend = Handlers(counts) if door == "server" else Backend(counts)
    quiet: dict[str, Any] = {"server_header": False, "date_header": False}
    if door == "server":
        app = server.create_app(server.Handlers(ticks=there), **said)
    elif door == "around":
        app = server.versioned(there, **said)
    else:
        with serving(there, **quiet) as port:  # type: ignore[arg-type]
            forwarding: Any = made.module("server.forwarding")
            behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
            app = server.versioned(behind, **said)
            with serving(app, lifespan="on", **quiet) as number, _call(number) as client:
                yield client, there
        return
    with serving(app, **quiet) as number, _call(number) as client:
        yield client, there


def _call(port: int) -> httpx.Client:
    headers = {"x-api-version": OLD, "accept-encoding": "identity"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}/api", headers=headers)


@pytest.mark.parametrize("door", ["server", "around", "proxy"])
def test_items_are_converted_one_by_one(made: Generated, door: str) -> None:
    with opening(made, door, [1, 2]) as (client, there):
        for path, operation in (("/events", "listen"), ("/lines", "readLines")):
            older = write(path, f"#1 {operation}", f"#2 {operation}")
            assert client.get(path).content == older
            newer = client.get(path, headers={"x-api-version": NEW})
            assert newer.content == write(path, 1, 2)
        sent = {"content-type": "application/x-ndjson"}
        taken = client.post("/lines", content=write("/lines", "#3", "#4"), headers=sent)
        assert taken.status_code == 204
        assert there.taken == [3, 4]
        # a request that a converter refuses is invalid
        refused = client.post("/lines", content=write("/lines", "#3", "#x"), headers=sent)
        assert refused.status_code == 400


def read_all(client: httpx.Client) -> tuple[bytes, bool]:
    """Return the bytes received of a stream, and whether it looks complete."""
    found = b""
    try:
        with client.stream("GET", "/lines") as answer:
            for piece in answer.iter_raw():
                found += piece
    except httpx.HTTPError:
        return found, False
    return found, True


@pytest.mark.parametrize("door", ["server", "around", "proxy"])
def test_stream_breaks_off_at_an_item_that_a_converter_refuses(
    made: Generated, door: str, caplog: pytest.LogCaptureFixture
) -> None:
    with opening(made, door, [1, 13, 2]) as (client, _):
        found, is_whole = read_all(client)
    assert not is_whole
    assert found in (b"", write("/lines", "#1 readLines"))
    assert "the converter Tick.count refuses it for callers of 2024-01-15" in caplog.text
