"""A cache of expensive results, keyed by a digest of everything that they depend on.

The contract, for rooms that keep something here and for users:

- *It decides nothing.* `Cache.get` returns what was put under the same key, or None, and then
  the caller computes it. Every command prints and writes the same bytes with a full, an empty, a
  stale or a damaged cache.
- *Keys are digests of contents.* `Cache.key` takes a kind and everything that an entry depends
  on: texts of sources and templates, settings, versions of third-party packages. The code of
  dateline and the version of Python are part of every key, so entries need no invalidation.
- *Contents are bytes in a format that can't execute code*, such as JSON; never `pickle` or
  `marshal`.
- *Entries are authenticated* with a secret of the user that is not part of the project. A
  damaged entry is a miss, and so is one that came with a checkout: nobody can contribute a cache
  that hides a finding.
- *It may be deleted at any time.* It is one SQLite file in the folder beside the outputs, which
  git ignores and which exists once outputs were generated. `open_cache` adds all entries of a
  run in one transaction at its end. If the file is in use, damaged or not writable, nothing is
  stored and no error is raised.
- *It is bounded.* Beyond `LIMIT` bytes, the least recently used entries are deleted.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b, sha256
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dateline import fresh
from dateline.model import MANIFEST
from dateline.spool import Spool

if TYPE_CHECKING:
    from sqlite3 import Connection

FILE: Final = "cache"
"""The name of the file, in the folder beside the outputs."""

LIMIT: Final = 256 << 20
"""The size limit of the stored contents, in bytes."""

OWN_LIMIT: Final = 4
"""How many files of one name `write_own` keeps, each for another release."""

_METADATA: Final = ".dist-info"
_SECRET_BYTES: Final = 32
_WAIT_SECONDS: Final = 1.0
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS entries "
    "(key BLOB PRIMARY KEY, run INTEGER, size INTEGER, seal BLOB, content BLOB)",
    # beside the entries, of which an update would write everything again
    "CREATE TABLE IF NOT EXISTS uses (key BLOB PRIMARY KEY, run INTEGER) WITHOUT ROWID",
)


class Cache:
    """The entries of one project, stored in the file at *path*; without one, nothing is stored.

    *secret* authenticates the entries, and *limit* bounds their contents, in bytes. Close it after
    use; `open_cache` does.
    """

    def __init__(self, path: Path | None, secret: bytes = b"", *, limit: int = LIMIT) -> None:
        self._path = path
        self._secret = secret
        self._limit = limit
        self._new: dict[bytes, Callable[[], bytes]] = {}
        self._spool = Spool()
        self._growing: dict[bytes, Callable[[], bytes]] = {}
        self._used: set[bytes] = set()
        self._digest_folder = lru_cache(fresh.digest)
        self._connection: Connection | None = None
        # a link may lead to a file of someone else
        self._is_damaged = path is not None and path.is_symlink()
        if path is not None and path.is_file() and not self._is_damaged:
            with self._noting_damage():
                self._connection = _connect(path)

    @property
    def is_begun(self) -> bool:
        """Whether earlier runs stored anything, which is not so in a fresh clone."""
        return self._connection is not None

    def key(self, kind: str, *parts: str | bytes) -> bytes:
        """Return the key of an entry of this *kind* that depends on *parts*, in this order."""
        digest = sha256(_digest_program())
        for part in (kind, *parts):
            content = part if isinstance(part, bytes) else part.encode(errors="surrogatepass")
            digest.update(b"%d " % len(content))
            digest.update(content)
        return digest.digest()

    def list_inputs(self, folders: Iterable[Path], packages: Iterable[str]) -> Iterator[str]:
        """Yield the inputs of a layout as parts of keys: *folders* of files, and *packages*.

        Each folder is read once, although several kinds of outputs depend on it. A package that is
        not installed, as in a light installation, has an empty version.
        """
        yield from map(self._digest_folder, folders)
        yield from map(name_release, packages)

    def get(self, key: bytes) -> bytes | None:
        """Return the content that was put under *key* in this or an earlier run, or None."""
        if key in self._new:
            return self._new[key]()
        if self._connection is None:
            return None
        rows = []
        with self._noting_damage():
            query = "SELECT seal, content FROM entries WHERE key = ?"
            rows = self._connection.execute(query, (key,)).fetchall()
        for seal, content in rows:
            are_bytes = isinstance(seal, bytes) and isinstance(content, bytes)
            if are_bytes and compare_digest(seal, self._seal(key, content)):
                self._used.add(key)
                return bytes(content)
        return None

    def put(self, key: bytes, content: bytes) -> None:
        """Store *content* for `get`, and for later runs once this cache is closed."""
        self._new[key] = self._spool.add(content)

    def put_at_end(self, key: bytes, write: Callable[[], bytes]) -> None:
        """Store what *write* returns when this cache is closed, for later runs only."""
        self._growing[key] = write

    def close(self) -> None:
        """Write what was put, and delete the least recently used entries beyond the limit.

        Nothing is written if the file has no folder.
        """
        self._disconnect()
        for key, write in self._growing.items():
            self.put(key, write())
        self._growing.clear()
        if self._path is None or not self._new:
            return
        with suppress(OSError):
            if not self._is_damaged:
                self._write(self._path)
            if self._is_damaged:
                self._path.unlink(missing_ok=True)
                self._write(self._path)

    def _write(self, path: Path) -> None:
        with self._noting_damage(), closing(_connect(path)) as connection, connection:
            self._write_entries(connection)

    def _write_entries(self, connection: Connection) -> None:
        for table in _TABLES:
            connection.execute(table)
        (run,) = connection.execute(
            "SELECT max((SELECT coalesce(max(run), 0) FROM entries), "
            "(SELECT coalesce(max(run), 0) FROM uses)) + 1"
        ).fetchone()
        connection.executemany(
            "REPLACE INTO uses VALUES (?, ?)", [(key, run) for key in self._used]
        )
        connection.executemany(
            "REPLACE INTO entries VALUES (?, ?, ?, ?, ?)",
            (
                (key, run, len(content), self._seal(key, content), content)
                for key, read in self._new.items()
                for content in (read(),)
            ),
        )
        (total,) = connection.execute("SELECT sum(size) FROM entries").fetchone()
        if total > self._limit:
            connection.execute(
                "DELETE FROM entries WHERE key IN (SELECT key FROM (SELECT key, sum(size) OVER "
                "(ORDER BY max(entries.run, coalesce(uses.run, 0)) DESC, key) AS total "
                "FROM entries LEFT JOIN uses USING (key)) WHERE total > ?)",
                (self._limit,),
            )
            connection.execute("DELETE FROM uses WHERE key NOT IN (SELECT key FROM entries)")

    def _seal(self, key: bytes, content: bytes) -> bytes:
        return blake2b(key + content, key=self._secret, digest_size=32).digest()

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        """Stop using the file once SQLite refuses it."""
        import sqlite3

        try:
            yield
        except (sqlite3.Error, UnicodeError) as error:
            # messages about damage quote it; a file in use is treated as a damaged one
            busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            self._is_damaged = self._is_damaged or not busy
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def compress(content: bytes) -> bytes:
    """Return *content* as `pack` takes it."""
    # to set up what zlib looks into by default takes longer than to compress a short text
    window, memory = (14, 6) if len(content) < 16_000 else (zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL)
    packing = zlib.compressobj(1, zlib.DEFLATED, window, memory)
    return packing.compress(content) + packing.flush()


def pack(head: Any, parts: Sequence[bytes]) -> bytes:
    """Return one content for *head*, which is JSON, and *parts*, each of them compressed."""
    return b"\n".join([json.dumps([head, [*map(len, parts)]]).encode(), b"".join(parts)])


def unpack(content: bytes) -> tuple[Any, Iterator[bytes]]:
    """Return the head in *content*, a result of `pack`, and its parts, not compressed any more."""
    end = content.index(b"\n")
    head, sizes = json.loads(content[:end])

    def read_parts() -> Iterator[bytes]:
        start = end + 1
        for size in sizes:
            yield zlib.decompress(content[start : start + size])
            start += size

    return head, read_parts()


class Recollection:
    """What earlier runs computed from definitions with the same *meaning* (see `Api.meaning`).

    Without a *cache*, or for definitions without a meaning, everything is computed.
    """

    def __init__(self, cache: Cache | None = None, meaning: bytes | None = None) -> None:
        self._cache = None if meaning is None else cache
        self._meaning = meaning or b""

    def recall(self, kind: str, compute: Callable[[], Any], *parts: str) -> Any:
        """Return what *compute* returns, or returned earlier for the same *kind* and *parts*.

        The value must be JSON, so tuples come back as lists. It may depend only on the meaning of
        the definitions and on *parts*.
        """
        if self._cache is None:
            return compute()
        key = self._cache.key(kind, self._meaning, *parts)
        if (known := self._cache.get(key)) is not None:
            return json.loads(known)
        computed = compute()
        self._cache.put(key, json.dumps(computed).encode())
        return computed


@contextmanager
def open_cache(output: Path) -> Iterator[Cache]:
    """Yield the cache of the project whose outputs are in the folder *output*, and close it.

    Nothing is stored if no outputs were generated yet, or if the user has no cache folder for the
    secret.
    """
    secret = _read_secret()
    cache = Cache(Path(fresh.name_home(output), FILE) if secret else None, secret)
    try:
        yield cache
    finally:
        if (output / MANIFEST).is_file():
            _make_ignored(Path(fresh.name_home(output)))
        cache.close()


def name_release(package: str) -> str:
    """Return the name of *package* and the version that is installed, if any is."""
    version = _list_installed().get(_normalize(package))
    if version is None:
        # slow to import, and not needed for what pip installs
        from importlib import metadata

        with suppress(metadata.PackageNotFoundError):
            version = metadata.version(package)
    return f"{package} {version}" if version else package


@lru_cache(maxsize=1)
def _list_installed() -> dict[str, str]:
    """Return the version of each installed package, as its folder of metadata is named."""
    found: dict[str, str] = {}
    for folder in reversed(sys.path):
        with suppress(OSError):
            for name in [entry.name for entry in os.scandir(folder or os.curdir)]:
                package, _, version = name.removesuffix(_METADATA).rpartition("-")
                if name.endswith(_METADATA):
                    found[_normalize(package)] = version
    return found


def _normalize(package: str) -> str:
    return package.lower().replace("-", "_").replace(".", "_")


@lru_cache(maxsize=1)
def _digest_program() -> bytes:
    """Return a digest of the code that computes the entries."""
    return f"{sys.version} {fresh.digest_code()}".encode()


def read_own(name: str, release: str) -> bytes | None:
    """Return what `write_own` stored under *name* for this *release*, or None.

    Another version of Python or other code of dateline stored it for itself.
    """
    try:
        path = _place_own(name, release)
        content = path.read_bytes()
    except (OSError, RuntimeError):
        return None
    size = _SECRET_BYTES
    sealed, secret = content[size:], _read_secret()
    is_whole = bool(secret) and compare_digest(content[:size], _seal_own(secret, path, sealed))
    return sealed if is_whole else None


def write_own(name: str, release: str, content: bytes) -> None:
    """Store *content* for the user, independent of any project, and replace what was there.

    *release* names the versions that it depends on, beside those of Python and dateline: programs
    that are used in turn have a file each, and the latest `OWN_LIMIT` files of a *name* are kept.
    They are in the folder of the secret that authenticates them: whoever can write there can run
    code as the user anyway. If the folder is not writable, nothing is stored.
    """
    secret = _read_secret()
    if not secret:
        return
    with suppress(OSError, RuntimeError):
        path = _place_own(name, release)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_bytes(_seal_own(secret, path, content) + content)
        draft.replace(path)
        others = [other for other in path.parent.glob(f"{name}-*") if other != path]
        others.sort(key=lambda other: other.stat().st_mtime_ns)
        for old in others[: max(len(others) + 1 - OWN_LIMIT, 0)]:
            old.unlink(missing_ok=True)


def _place_own(name: str, release: str) -> Path:
    digest = blake2b(_digest_program(), digest_size=8)
    digest.update(f" {release}".encode())
    return _find_home() / f"{name}-{digest.hexdigest()}"


def _seal_own(secret: bytes, path: Path, content: bytes) -> bytes:
    seal = blake2b(_digest_program(), key=secret, digest_size=_SECRET_BYTES)
    seal.update(f" {path.name} ".encode() + content)
    return seal.digest()


def _find_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "dateline")


def _read_secret() -> bytes:
    """Return the user's secret, creating it if necessary; empty if that fails."""
    try:
        path = _find_home() / "secret"
        with suppress(FileNotFoundError):
            secret = path.read_bytes()
            if len(secret) == _SECRET_BYTES:
                return secret
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(0o600, exist_ok=False)
        draft.write_bytes(os.urandom(_SECRET_BYTES))
        draft.replace(path)
        # that of another process, if it was faster
        return path.read_bytes()
    except (OSError, RuntimeError):
        return b""


def _make_ignored(folder: Path) -> None:
    """Create *folder* if it is missing, with a file that makes git ignore it."""
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        with (folder / ".gitignore").open("x") as file:
            file.write("*\n")


def _connect(path: Path) -> Connection:
    # slow to import, and not needed if there is nothing to do
    import sqlite3

    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    try:
        # what a power failure damages is computed again
        connection.execute("PRAGMA synchronous = OFF")
    except (sqlite3.Error, UnicodeError):
        connection.close()
        raise
    return connection
