"""WebSockets and raw responses of a server behind the proxy, as callers receive them."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from typing import Any

import pytest
from support.exchanges import Response, serving, talk
from support.shop import Shop
from support.shop_sources import VERSIONS
from support.tables import cases

pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
websockets = pytest.importorskip("websockets", reason="uvicorn serves WebSockets with it")

SERVING: dict[str, Any] = {
    "ws": "auto",
    "lifespan": "on",
    "proxy_headers": False,
    "server_header": False,
    "date_header": False,
}
OWN = {"x-own", "set-cookie", "location", "www-authenticate"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


async def repeat(scope: Any, receive: Any, send: Any) -> None:
    """Serve WebSockets that echo messages, close as requested, or are refused."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    await receive()
    own = [(b"x-own", b"1"), (b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]
    if scope["path"].startswith("/refused"):
        status = int(scope["path"].removeprefix("/refused"))
        headers = [*own, (b"location", b"http://other.example/"), (b"www-authenticate", b"Basic")]
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b"not here"})
        return
    protocols = scope["subprotocols"] or [None]
    await send({"type": "websocket.accept", "subprotocol": protocols[-1], "headers": own})
    while (message := await receive())["type"] != "websocket.disconnect":
        text = message.get("text")
        if text is not None and text.startswith("close:"):
            _, code, reason = text.split(":", 2)
            await send({"type": "websocket.close", "code": int(code), "reason": reason})
            return
        key = "bytes" if text is None else "text"
        await send({"type": "websocket.send", key: message[key]})


@pytest.fixture(scope="module")
def ports(shop: Shop) -> Iterator[dict[str, int]]:
    forwarding = shop.package.module("server.forwarding")
    with serving(repeat, "h11", **SERVING) as direct:
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{direct}"))
        with (
            serving(shop.wrap("production", repeat), "h11", **SERVING) as around,
            serving(shop.wrap("production", behind), "httptools", **SERVING) as proxy,
        ):
            yield {"direct": direct, "around": around, "proxy": proxy}


def write_message(lots: random.Random) -> str | bytes:
    length = lots.choice([0, 1, 125, 126, 65535, 65536, 200_000])
    if lots.random() < 0.5:
        return lots.randbytes(length)
    return "".join(lots.choices("a\xe9\u2603\U0001f600\0\n", k=min(length, 60_000)))


CLOSINGS = [(1000, ""), (1001, "bye"), (1008, "\xe9" * 20), (3000, ""), (4999, "own")]
TOLD = ["close:1000:", "close:1001:going", "close:1011:x", "close:4000:own \u2603", "close:1013:"]


def plan(lots: random.Random) -> dict[str, Any]:
    """Return the steps of one WebSocket."""
    steps: list[tuple[str, Any]] = []
    for _ in range(lots.randrange(1, 7)):
        kind = lots.choice(["send", "send", "send", "burst", "pieces", "ping", "close", "told"])
        given: Any = None
        if kind in ("send", "pieces", "burst"):
            given = [write_message(lots) for _ in range(1 if kind == "send" else 4)]
        if kind == "pieces":
            given = [each for each in given if type(each) is type(given[0])]
        if kind in ("close", "told"):
            given = lots.choice(CLOSINGS if kind == "close" else TOLD)
        steps.append((kind, given))
    protocols = lots.choice([[], ["a"], ["a", "b"]])
    path = lots.choice(["/ws", "/api/orders/one", "/a%2Fb?x=%20", "/refused401", "/refused307"])
    return {
        "path": path,
        "steps": steps,
        "subprotocols": protocols or None,
        "compression": lots.choice([None, "deflate"]),
    }


async def follow(port: int, plan: dict[str, Any]) -> list[Any]:
    """Return what a caller receives who takes the steps of *plan*."""
    seen: list[Any] = []
    options = {key: plan[key] for key in ("subprotocols", "compression")}
    address = f"ws://127.0.0.1:{port}{plan['path']}"
    try:
        async with websockets.connect(address, max_size=None, **options) as ws:
            seen += [ws.subprotocol, list_own(ws.response)]
            for kind, given in plan["steps"]:
                if kind == "ping":
                    await (await ws.ping())
                elif kind == "close":
                    await ws.close(*given)
                elif kind == "pieces":
                    await ws.send(given)
                    seen.append(await ws.recv() == type(given[0])().join(given))
                elif kind == "told":
                    await ws.send(given)
                    await ws.recv()
                else:
                    for each in given:
                        await ws.send(each)
                    seen.append([await ws.recv() for _ in given] == given)
    except websockets.ConnectionClosed:
        seen.append((ws.close_code, ws.close_reason))
    except websockets.InvalidStatus as error:
        seen += [error.response.status_code, list_own(error.response), error.response.body]
    except websockets.InvalidURI as error:
        seen.append(str(error))
    return seen


def list_own(response: Any) -> list[tuple[str, str]]:
    found = ((name.lower(), value) for name, value in response.headers.raw_items())
    return sorted(each for each in found if each[0] in OWN)


def test_each_door_passes_websockets_through(ports: dict[str, int]) -> None:
    lots = random.Random(14)
    plans = [plan(lots) for _ in range(24)]

    async def follow_all(door: str) -> list[list[Any]]:
        return [await asyncio.wait_for(follow(ports[door], each), 20) for each in plans]

    expected = asyncio.run(follow_all("direct"))
    for door in ("around", "proxy"):
        found = asyncio.run(follow_all(door))
        pairs = zip(plans, expected, found, strict=True)
        assert [(each["path"], one, other) for each, one, other in pairs if one != other] == []
    flat = [item for each in expected for item in each]
    assert False not in flat
    assert len([each for each in flat if isinstance(each, tuple)]) > 2


def test_oversized_message_closes_a_websocket_with_the_reason(
    ports: dict[str, int],
) -> None:
    async def send_much(port: int) -> int:
        async with websockets.connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as ws:
            await ws.send(b"x" * (16 * 1024 * 1024 - 1))
            assert len(await ws.recv()) == 16 * 1024 * 1024 - 1
            await ws.send(b"x" * (17 * 1024 * 1024))
            with pytest.raises(websockets.ConnectionClosed):
                await ws.recv()
            return int(ws.close_code)

    assert asyncio.run(send_much(ports["proxy"])) == 1009


@contextmanager
def answering(*pieces: bytes | Callable[[bytes], list[bytes]]) -> Iterator[int]:
    """Respond to each request with *pieces*, then close the connection; yield the port.

    Pieces can be a function of the request's head.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def write(piece: bytes | Callable[[bytes], list[bytes]], head: bytes) -> list[bytes]:
        return [piece] if isinstance(piece, bytes) else piece(head)

    def answer() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                head = b""
                while b"\r\n\r\n" not in head and (piece := connection.recv(65536)):
                    head += piece
                listed = [each for piece in pieces for each in write(piece, head)]
                with suppress(OSError):
                    for at, each in enumerate(listed):
                        time.sleep(0.05 if at else 0)
                        connection.sendall(each)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_websocket_cut_off_by_the_server_is_not_closed_cleanly(shop: Shop) -> None:
    forwarding = shop.package.module("server.forwarding")
    opened = threading.Event()

    async def leave(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await repeat(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "a"})
        opened.set()
        raise RuntimeError

    async def listen(port: int) -> int:
        async with websockets.connect(f"ws://127.0.0.1:{port}/ws") as ws:
            assert await ws.recv() == "a"
            with pytest.raises(websockets.ConnectionClosed):
                await ws.recv()
            return int(ws.close_code)

    with serving(leave, "h11", **SERVING) as direct:
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{direct}"))
        with serving(behind, "h11", **SERVING) as port:
            assert asyncio.run(listen(port)) == 1011
    assert opened.is_set()


def accept(*frames: bytes) -> Callable[[bytes], list[bytes]]:
    """Return the bytes that accept a WebSocket for a request with this head, and *frames*."""

    def answer(head: bytes) -> list[bytes]:
        found = re.search(rb"(?i)sec-websocket-key: *(\S+)", head)
        assert found is not None
        key = found[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        lines = [
            b"HTTP/1.1 101 Switching Protocols",
            b"Upgrade: websocket",
            b"Connection: Upgrade",
            b"Sec-WebSocket-Accept: " + base64.b64encode(hashlib.sha1(key).digest()),
            b"",
            b"",
        ]
        return [b"\r\n".join(lines), *frames]

    return answer


def close(code: int | None, reason: bytes = b"") -> bytes:
    content = b"" if code is None else code.to_bytes(2) + reason
    return bytes([0x88, len(content)]) + content


async def listen(port: int) -> Any:
    """Return how a WebSocket closes, or the status and body of its refusal."""
    try:
        async with websockets.connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as ws:
            with pytest.raises(websockets.ConnectionClosed):
                await ws.recv()
            return ws.close_code, ws.close_reason
    except websockets.InvalidStatus as error:
        return error.response.status_code, bytes(error.response.body or b"")


def listen_behind(shop: Shop, *pieces: Any) -> Any:
    forwarding = shop.package.module("server.forwarding")
    with answering(*pieces) as upstream:
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{upstream}"))
        with serving(behind, "h11", **SERVING) as port:
            return asyncio.run(asyncio.wait_for(listen(port), 20))


@cases(
    ("code", "expected"),
    [
        (None, 1000),
        *((code, code) for code in (1000, 1001, 1002, 1003, 1007, 1008, 1011, 1014, 3000, 4999)),
        # these codes must not be sent, so the server has violated the protocol
        *((code, 1002) for code in (0, 999, 1004, 1005, 1015, 1016, 2999)),
        *((code, 1011) for code in (1006, 5000, 65535)),
    ],
)
def test_every_close_code_of_the_server_becomes_a_valid_one(
    shop: Shop, code: int | None, expected: int
) -> None:
    found = listen_behind(shop, accept(close(code, b"why")))
    assert found[0] == expected
    assert found[1] in (["why"] if code == expected else ["why", ""])


LARGE = b"a" * 200_000
REFUSED: dict[str, tuple[list[bytes], int, bytes]] = {
    "pieces": (
        [b"HTTP/1.1 401 No\r\nContent-Length: 10\r\n\r\n", b"01234", b"56789"],
        401,
        b"0123456789",
    ),
    "chunks": (
        [
            b"HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n",
            b"5\r\n56789\r\n0\r\n\r\n",
        ],
        401,
        b"0123456789",
    ),
    "much": ([b"HTTP/1.1 401 No\r\nContent-Length: 200000\r\n\r\n", LARGE], 401, LARGE),
    "too much": (
        [b"HTTP/1.1 401 No\r\nContent-Length: 20000000\r\n\r\n", b"a" * 20_000_000],
        502,
        b"",
    ),
    "cut off": ([b"HTTP/1.1 401 No\r\nContent-Length: 10\r\n\r\n01234"], 502, b""),
    "not modified": ([b"HTTP/1.1 304 No\r\n\r\n"], 304, b""),
    "an own status": ([b"HTTP/1.1 499 No\r\nContent-Length: 0\r\n\r\n"], 499, b""),
    "no status": ([b"HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n"], 502, b""),
    "a coding of the transfer": (
        [b"HTTP/1.1 401 No\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"],
        502,
        b"",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_of_a_websocket_is_complete(shop: Shop, case: str) -> None:
    pieces, status, body = REFUSED[case]
    assert listen_behind(shop, *pieces) == (status, body)


CATEGORY = b'{"label":"a","badge":"new"}'


def write_response(
    *lines: bytes, body: bytes = CATEGORY, status: bytes = b"HTTP/1.1 200 OK"
) -> bytes:
    return b"\r\n".join([status, b"Content-Type: application/json", *lines, b"", body])


def write_chunks(*pieces: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces) + end


LENGTH = b"Content-Length: %d" % len(CATEGORY)
CHUNKED = b"Transfer-Encoding: chunked"
RAW: dict[str, tuple[list[bytes], int]] = {
    "a length": ([write_response(LENGTH)], 200),
    "no length": ([write_response()], 200),
    "HTTP/1.0": ([write_response(status=b"HTTP/1.0 200 OK")], 200),
    "chunks": ([write_response(CHUNKED, body=write_chunks(CATEGORY[:5], CATEGORY[5:]))], 200),
    "trailers": (
        [write_response(CHUNKED, body=write_chunks(CATEGORY, end=b"0\r\nx-badge: 1\r\n\r\n"))],
        200,
    ),
    "early hints": (
        [b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", write_response(LENGTH)],
        200,
    ),
    "100": ([b"HTTP/1.1 100 Continue\r\n\r\n", write_response(LENGTH)], 200),
    "a long header": ([write_response(LENGTH, b"X-Long: " + b"a" * 60_000)], 200),
    "a header that is too long": ([write_response(LENGTH, b"X-Long: " + b"a" * 70_000)], 502),
    "a coding of the transfer": (
        [
            write_response(
                b"Transfer-Encoding: gzip, chunked", body=write_chunks(gzip.compress(CATEGORY))
            )
        ],
        502,
    ),
    "a coding on its own line": (
        [
            write_response(
                b"Transfer-Encoding: gzip", CHUNKED, body=write_chunks(gzip.compress(CATEGORY))
            )
        ],
        502,
    ),
    "a length and chunks": ([write_response(CHUNKED, LENGTH, body=write_chunks(CATEGORY))], 502),
    "lengths": ([write_response(LENGTH, b"Content-Length: 3")], 502),
    "too much": ([write_response(b"Content-Length: 5")], 502),
    "a blank in a name": ([write_response(LENGTH, b"X-Own : 1")], 502),
    "another protocol": ([b"SSH-2.0-x\r\n"], 502),
    "HTTP/2": ([b"\0\0\0\4\0\0\0\0\0"], 502),
    "nothing": ([], 502),
    "an upgrade": ([b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nraw"], 502),
    "a status": ([write_response(LENGTH, status=b"HTTP/1.1 600 Own")], 502),
}
CUT: dict[str, list[bytes]] = {
    "a length": [write_response(b"Content-Length: 100")],
    "chunks": [write_response(CHUNKED, body=write_chunks(CATEGORY, end=b""))],
}


def get(shop: Shop, pieces: list[bytes], version: str, protocol: str, path: str) -> Response:
    forwarding = shop.package.module("server.forwarding")
    lines = [f"GET {path} HTTP/{protocol}", "Host: a", f"X-API-Version: {version}"]
    head = "\r\n".join([*lines, "Connection: close"]).encode()
    with answering(*pieces) as upstream:
        url = f"http://127.0.0.1:{upstream}"
        behind = forwarding.Forwarding(forwarding.Upstream(url=url, read=5.0))
        app = shop.wrap("production", behind, strict=False)
        with serving(app, "h11" if protocol == "1.1" else "httptools", **SERVING) as port:
            return talk(port, head)


@pytest.mark.parametrize(
    ("case", "protocol"), [*product(RAW, ["1.1"]), *product([*RAW][::4], ["1.0"])]
)
def test_response_of_any_framing_is_narrowed_or_refused(
    shop: Shop, case: str, protocol: str
) -> None:
    pieces, status = RAW[case]
    response = get(shop, pieces, VERSIONS[0], protocol, "/api/categories/one")
    assert response.status == status
    assert response.header("content-length") == [str(len(response.body))]
    if status == 200:
        assert response.json == {"title": "a"}
    newest = get(shop, pieces, VERSIONS[-1], protocol, "/api/categories/one")
    assert newest.status == status
    assert (CATEGORY in newest.body) == (status == 200)


@pytest.mark.parametrize("case", CUT)
def test_truncated_response_is_not_passed_to_older_callers(shop: Shop, case: str) -> None:
    response = get(shop, CUT[case], VERSIONS[0], "1.1", "/api/categories/one")
    assert (response.status, b"badge" in response.body) == (502, False)


def test_not_modified_has_no_length_or_digest_of_the_newest_body(shop: Shop) -> None:
    lines = [LENGTH, b'ETag: "a"', b"Content-Digest: sha-256=:x:", b"Signature: a=:x:"]
    pieces = [write_response(*lines, body=b"", status=b"HTTP/1.1 304 Not Modified")]
    response = get(shop, pieces, VERSIONS[0], "1.1", "/api/categories/one")
    assert (response.status, response.header("etag")) == (304, [f'"a;{VERSIONS[0]}"'])
    names = ("content-length", "content-digest", "signature")
    assert [response.header(name) for name in names] == [[], [], []]
