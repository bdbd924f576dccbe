"""One run at a time: a lock on the output, which a killed run may have left to recover."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dateline.files.beside import IGNORE, LOCK, NEW, OLD, beside_of, put
from dateline.files.disk import is_tree, remove
from dateline.files.errors import BusyError, sentence
from dateline.files.tree import scan
from dateline.fresh import STAGED


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other runs off *folder*, which a killed one may have left to recover."""
    beside = beside_of(folder)
    beside.mkdir(parents=True, exist_ok=True)
    # the lock is the system's, so that it goes with the process; its file stays for ever, as
    # deleting it would let two runs hold two files of that name
    lock = os.open(beside / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        if not _take(lock):
            holder = os.read(lock, 20).decode("ascii", "replace").strip() or "just started"
            fact = f"another dateline (process {holder}) is writing to it, wait for it to end"
            raise BusyError(sentence(folder, "output-busy", fact))
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        recover(folder)
        put(beside / IGNORE, "*\n")
        try:
            yield
        finally:
            recover(folder)
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    """Tell whether this process could lock the open file *lock*."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # past the process number, which others read
            os.lseek(lock, 1 << 20, os.SEEK_SET)
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
            os.lseek(lock, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


def recover(folder: Path) -> None:
    """Put the tree back if a run ended between moving the old one out and the new one in."""
    new, old = beside_of(folder) / NEW, beside_of(folder) / OLD
    # `new` is gone from here once the switch is done: then `old` is only rubbish
    if is_tree(old) and is_tree(new):
        if folder.exists():
            _refill(folder, old)
        else:
            old.rename(folder)
    for name in STAGED:
        remove(beside_of(folder) / name)


def _refill(folder: Path, old: Path) -> None:
    """Give *folder* every file of *old* that it lacks."""
    missing = scan(old).files.keys() - scan(folder).files.keys()
    for path in sorted(missing):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (old / path).rename(folder / path)
