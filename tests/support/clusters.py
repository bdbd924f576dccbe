"""PostgreSQL for tests: a cluster in a temporary folder, on a Unix socket in the same folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg

_INSTALLED: Final = Path("/usr/lib/postgresql")
_USERS: Final = ("postgres", "nobody")
_START: Final = 60.0

# Settings that give up durability, which tests don't need.
_FAST: Final = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_SETTINGS: Final = ("listen_addresses=", "max_connections=200", *_FAST)


class UnavailableError(Exception):
    """No server can be started on this machine; the message says why."""


class Cluster:
    """A running server; its databases are removed with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def address(self, name: str = "postgres") -> str:
        return f"postgresql://postgres@/{name}?host={self._folder}"

    def database(self) -> str:
        """Create an empty database and return its address."""
        name = f"test_{uuid4().hex}"
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)

    def drop(self, address: str) -> None:
        """Drop the database at *address*, even while it is in use."""
        name = urlsplit(address).path.removeprefix("/")
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def cluster(kept: Path | None = None) -> Iterator[Cluster]:
    """Yield a running cluster with its data in the folder *kept*, or in a temporary folder.

    Raises UnavailableError.
    """
    programs = _programs()
    user = _user()
    # not in pytest's folders: only their owner may enter them, and socket paths have to be short
    folder = Path(tempfile.mkdtemp(prefix="paynet")) if kept is None else kept
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        # only data that are kept are worth the checkpoint of an orderly shutdown
        with _running(programs, folder, user, signal.SIGQUIT if kept is None else signal.SIGINT):
            yield Cluster(folder)
    finally:
        if kept is None:
            shutil.rmtree(folder)


@contextmanager
def _running(
    programs: Path, folder: Path, user: pwd.struct_passwd | None, ending: signal.Signals
) -> Iterator[None]:
    uid, gid = (None, None) if user is None else (user.pw_uid, user.pw_gid)
    data = folder / "data"
    if not data.exists():
        _initialize(programs, data, uid, gid)
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", folder, *settings],
            cwd=folder,
            stdout=log,
            stderr=log,
            user=uid,
            group=gid,
        )
    try:
        _await(server, folder)
        yield
    finally:
        # fast shutdown: ends open sessions
        server.send_signal(ending)
        server.wait(_START)


def _initialize(programs: Path, data: Path, uid: int | None, gid: int | None) -> None:
    initdb: list[str | Path] = [programs / "initdb", "--pgdata", data, "--username=postgres"]
    ran = subprocess.run(
        [*initdb, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
        cwd=data.parent,
        capture_output=True,
        text=True,
        check=False,
        user=uid,
        group=gid,
    )
    if ran.returncode:
        raise UnavailableError(f"initdb: {ran.stderr.strip()}")


def _await(server: subprocess.Popen[bytes], folder: Path) -> None:
    address = Cluster(folder).address()
    for _ in range(int(_START * 20)):
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if server.poll() is not None:
                break
            time.sleep(0.05)
        else:
            return
    raise UnavailableError(f"postgres: {(folder / 'log').read_text().strip()}")


def _programs() -> Path:
    """Return the folder of the programs of the newest PostgreSQL installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(_INSTALLED.glob("*/bin"), key=lambda folder: -float(folder.parent.name))
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    raise UnavailableError(f"neither the path nor {_INSTALLED} has initdb and postgres")


def _user() -> pwd.struct_passwd | None:
    """Return the user to run the server as, None for the current one. It refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in _USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise UnavailableError(f"root may not run postgres, and there is none of {', '.join(_USERS)}")
