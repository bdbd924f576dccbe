"""Run the reference server as separate processes, on ports that the system chooses."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from paynet_sandbox import cli, keys, partners

from .careless import main as serve_carelessly
from .sandboxes import Door, open_database

HOST: Final = "127.0.0.1"

_START: Final = 60.0
_END: Final = 15.0

_ADDRESS: Final = re.compile(rb"http://127\.0\.0\.1:(\d+)")
_LENGTH: Final = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n")


class Answer(NamedTuple):
    """The parts of a response that callers read."""

    status: int
    body: bytes


class Server:
    """A process that serves the database at *address*; its output is appended to *log*."""

    def __init__(
        self,
        address: str,
        log: Path,
        *,
        port: int = 0,
        workers: int = 1,
        is_careless: bool = False,
    ) -> None:
        self._arguments = ["--database", address, "serve"]
        self._arguments += ["--port", str(port), "--workers", str(workers)]
        self._careless = address if is_careless else None
        self._log = log
        self.start()

    def start(self) -> None:
        """Start the process and wait until it accepts connections."""
        said = self._log.stat().st_size if self._log.exists() else 0
        self._process = _start_forks().Process(
            target=_serve,
            args=(self._log, dict(os.environ), self._arguments, self._careless),
        )
        self._process.start()
        try:
            self._await(said)
        except BaseException:
            self.kill()
            raise

    def _await(self, said: int) -> None:
        """Set the port when the server prints it, after the first *said* bytes of the log."""
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline and self._process.is_alive():
            found = _ADDRESS.search(self._log.read_bytes(), said) if self._log.exists() else None
            if found is not None:
                self.port = int(found[1])
                with socket.socket() as tried:
                    if tried.connect_ex((HOST, self.port)) == 0:
                        return
            time.sleep(0.02)
        self._process.join(0)
        status = self._process.exitcode
        raise RuntimeError(f"the server does not start ({status}): {self._log.read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill the process, as in a crash."""
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """Terminate the process."""
        self._process.terminate()
        self._process.join(_END)
        if self._process.is_alive():
            self.kill()
            raise TimeoutError(f"the server does not end: {self._log.read_text()[-2000:]}")


def _serve(
    log: Path, environment: dict[str, str], arguments: list[str], careless_address: str | None
) -> None:
    """Serve until the process is terminated, with all output in *log*."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.environ |= environment
    if careless_address is not None:
        serve_carelessly(careless_address)
    else:
        cli.main(arguments)


@cache
def _start_forks() -> ForkServerContext:
    """Return a context that forks processes with the program already imported.

    Importing it takes longer than most of what servers are started for.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", "paynet_sandbox.app", __name__])
    with pytest.MonkeyPatch.context() as patch:
        # before Python 3.13, the fork server ignores `sys.path`
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        forkserver.ensure_running()
    return context


@contextmanager
def server(address: str, log: Path, **options: Any) -> Iterator[Server]:
    """Yield a running server of the sandbox on the database at *address*."""
    running = Server(address, log, **options)
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def servers(address: str, folder: Path, amount: int, **options: Any) -> Iterator[list[Server]]:
    """Yield that many servers on one database, each a process with its own port."""
    with ExitStack() as stack:
        logs = [folder / f"server-{number}.log" for number in range(amount)]
        yield [stack.enter_context(server(address, log, **options)) for log in logs]


@contextmanager
def migrate_database(address: str) -> Iterator[Door]:
    """Yield a door to the database at *address*, with its schema up to date."""
    with open_database(address) as door:
        door.migrate()
        yield door


def new_partner(door: Door) -> tuple[UUID, str]:
    """Return the id and the key of a new partner."""

    async def added(session: AsyncSession) -> tuple[UUID, str]:
        partner = await partners.add(session, "A partner")
        return partner.id, await keys.issue(session, partner.id)

    return door.run(added)


async def ask(
    port: int, method: str, path: str, headers: dict[str, str], body: Any = None
) -> Answer:
    """Send a request on a new connection, and return the response.

    Raises OSError or EOFError if the server dies before the whole response has arrived.
    """
    content = b"" if body is None else json.dumps(body).encode()
    sent = {"Host": HOST, "Connection": "close", **headers}
    if body is not None:
        sent |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
    lines = [f"{method} /api{path} HTTP/1.1", *(f"{name}: {sent[name]}" for name in sent), "", ""]
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write("\r\n".join(lines).encode() + content)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        body_sent = await reader.readexactly(int(length[1]) if length else 0)
        return Answer(int(head.split(b" ", 2)[1]), body_sent)
    finally:
        writer.close()
