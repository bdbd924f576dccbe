"""Test at length that all doors of an API answer alike, and measure the proxy.

`doors COUNT` and `proxy COUNT` are jobs of `promises.py`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from subprocess import PIPE, Popen
from typing import Any, Final
from urllib.parse import unquote

_SUPPORT: Final = Path(__file__).parents[1] / "support"
_MIB: Final = 1024 * 1024
_LARGE: Final = 100 * _MIB
_MOST_MEMORY: Final = 20
_MOST_RATIO: Final = 1.10
_ONE: Final = "/api/orders/one"
_HEAD: Final = "GET {path} HTTP/1.1\r\nHost: shop\r\nX-API-Version: {version}\r\n\r\n"

# A proxy as a process: the layer around the forwarding application, or that application alone.
_SERVE: Final = """
import sys
sys.path[:0] = {paths}
import uvicorn
from {package}.server.forwarding import Forwarding, Upstream
app = Forwarding(Upstream(url="http://127.0.0.1:{upstream}"))
if {is_versioned}:
    from support.shop import Converters
    from {package}.server import versioned
    app = versioned(app, environment="production", converters=Converters())
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)
Server(uvicorn.Config(app, port=0, log_level="error", ws="none")).run()
"""


def try_doors(count: int) -> tuple[str, list[str]]:
    """Send the same requests to every door; return what was tried as text, and broken promises."""
    from support.exchanges import PersistentCaller, request
    from support.shop import Shop, ask_at_random, find_leaks, forget_gate
    from support.shop_sources import VERSIONS

    asked = [each for each in ask_at_random(2026, count) if each.version != " "]

    async def answer(app: Any, close: Any = None) -> list[Any]:
        found = []
        for each in asked:
            fields = [*each.headers, (b"host", b"shop"), (b"accept-encoding", b"identity")]
            if each.body:
                fields.append((b"content-length", str(len(each.body)).encode()))
            scope = {**request(each.method, each.url, fields), "scheme": "http"}
            sent = scope["path"]
            caller = PersistentCaller(each.body)
            scope |= {"path": unquote(sent), "raw_path": sent.encode()}
            await app(scope, caller.receive, caller.send)
            start, *pieces = caller.sent
            caller.sent = [start, *({**piece, "more_body": False} for piece in pieces)]
            got = caller.response
            own = ("date", "connection", "keep-alive")
            headers = sorted(field for field in got.headers if field[0] not in own)
            found.append(got._replace(headers=headers))
        if close is not None:
            await close()
        return found

    def list_leaks(found: list[Any]) -> list[str]:
        return [
            f"{each} {leak}"
            for each, got in zip(asked, found, strict=True)
            if got.status < 300
            for leak in find_leaks(each.version or VERSIONS[0], "production", got.body)
        ]

    broken: list[str] = []
    noticed: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, _node("node_shop.js") as port:
        for name, edit in (("whole", None), ("forgetful", forget_gate)):
            shop = Shop(Path(folder) / name, edit)
            forwarding = shop.package.module("server.forwarding")
            behind = forwarding.Forwarding(
                forwarding.Upstream(url=f"http://127.0.0.1:{port}", idle=1)
            )

            doors = {
                "generated server": (shop.serve("production"), None),
                "around FastAPI": (shop.wrap("production"), None),
                "proxy before Node": (shop.wrap("production", behind), behind.close),
            }
            found = {door: asyncio.run(answer(*each)) for door, each in doors.items()}
            leaks = {door: list_leaks(answers) for door, answers in found.items()}
            if edit is not None:
                noticed = {door: len(each) for door, each in leaks.items()}
                broken += [f"{door} hides a lost gate" for door in noticed if not noticed[door]]
                continue
            broken += [f"{door}: {leak}" for door, each in leaks.items() for leak in each]
            first, *others = found.items()
            for door, answers in others:
                broken += [
                    f"{door}: {each} {got} and not {expected}"
                    for each, got, expected in zip(asked, answers, first[1], strict=True)
                    if got != expected
                ]
    said = f"{len(asked)} random requests at 3 doors, {len(broken)} answers differ or leak"
    return f"{said}; a gate taken away is noticed {noticed}", broken


def try_proxy(count: int) -> tuple[str, list[str]]:
    """Measure the proxy; return its cost as text, and what exceeds its limits."""
    from support.shop import Shop
    from support.shop_sources import VERSIONS

    said: list[str] = []
    broken: list[str] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        shop = Shop(Path(folder))
        node = stack.enter_context(_node("node_shop.js"))
        large = stack.enter_context(_serve_large())
        plain = stack.enter_context(_proxy(shop, node, is_versioned=False))
        layered = stack.enter_context(_proxy(shop, node, is_versioned=True))
        costs: dict[str, list[float]] = {"plain": [], "layered": []}
        stock = ("/api/stock/s1", VERSIONS[-1])
        for _ in range(5):
            for name, (process, port) in (("plain", plain), ("layered", layered)):
                before = _cpu(process.pid)
                asyncio.run(_ask(port, *stock, count=count, at_once=8))
                costs[name].append(_cpu(process.pid) - before)
        ratio = median(a / b for a, b in zip(costs["layered"], costs["plain"], strict=True))
        said.append(f"{ratio:.2f} x the proxy without versions")
        if ratio > _MOST_RATIO:
            broken.append(f"{ratio:.2f} x the proxy without versions, at most {_MOST_RATIO}")
        for path, version, what in ((*stock, "passed"), (_ONE, VERSIONS[0], "narrowed")):
            for at_once in (1, 64):
                direct, through = (
                    asyncio.run(_ask(port, path, version, count=count, at_once=at_once))
                    for port in (node, layered[1])
                )
                added = [one - other for one, other in zip(through, direct, strict=True)]
                said.append(
                    f"{what} at {at_once}: {added[0] * 1000:+.2f} ms median, "
                    f"{added[1] * 1000:+.2f} ms p99"
                )
        process, port = stack.enter_context(_proxy(shop, large, is_versioned=True))
        asyncio.run(_ask(port, *stock, count=3, at_once=1, limit=_MIB))
        before = _memory(process.pid)
        asyncio.run(_ask(port, *stock, count=1, at_once=1, limit=2 * _LARGE))
        more = _memory(process.pid) - before
        said.append(f"100 MB streamed with {more:.1f} MiB")
        if more > _MOST_MEMORY:
            broken.append(f"100 MB streamed with {more:.1f} MiB, at most {_MOST_MEMORY}")
    return "; ".join(said), broken


@contextmanager
def _node(script: str) -> Iterator[int]:
    program = shutil.which("node")
    if program is None:
        sys.exit("node runs the server behind the proxy, and is not installed")
    with Popen([program, str(_SUPPORT / script)], stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def _proxy(shop: Any, upstream: int, *, is_versioned: bool) -> Iterator[tuple[Popen[str], int]]:
    script = _SERVE.format(
        paths=[str(shop.package.folder), str(_SUPPORT.parent)],
        package=shop.package.name,
        upstream=upstream,
        is_versioned=is_versioned,
    )
    with Popen([sys.executable, "-c", script], stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def _serve_large() -> Iterator[int]:
    """Serve 100 MB at every path, except for the first requests, which get 1 MiB."""
    listening = socket.create_server(("127.0.0.1", 0))
    sizes = iter([_MIB] * 3)

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                while connection.recv(65536):
                    size = next(sizes, _LARGE)
                    head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
                    for _ in range(size // _MIB):
                        connection.sendall(b" " * _MIB)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.close()


async def _ask(
    port: int, path: str, version: str, *, count: int, at_once: int, limit: int = 65536
) -> tuple[float, float]:
    """Return the median and the 99th percentile of *count* requests, *at_once* concurrently."""
    head = _HEAD.format(path=path, version=version).encode()
    taken: list[float] = []

    async def ask(times: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(times):
            began = time.perf_counter()
            writer.write(head)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert answer.startswith(b"http/1.1 200"), answer
            left = int(answer.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            while left:
                left -= len(await reader.read(min(left, limit)))
            taken.append(time.perf_counter() - began)
        writer.close()

    await asyncio.gather(*(ask(-(-count // at_once)) for _ in range(at_once)))
    return median(taken), quantiles(taken, n=100)[98] if len(taken) > 1 else taken[0]


def _cpu(process: int) -> float:
    """Return the CPU seconds used by a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> float:
    """Return the peak memory of a process in MiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
