"""Steps on the disk: lock, create, replace, link, remove, sync."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path


def is_tree(path: Path) -> bool:
    """Return whether *path* is a folder itself, not a link to one."""
    # a link made by others must not lead deletions or moves out of here
    return path.is_dir() and not path.is_symlink()


def read_or_none(path: Path) -> bytes | None:
    """Return the content of the file at *path*, None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def lock(descriptor: int, *, wait: bool) -> bool:
    """Lock the open file *descriptor* until it is closed; return whether that succeeded.

    The lock belongs to the operating system, so that it ends with the process. If another process
    holds it, wait for that, or return False.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            # after the process number, which others read
            os.lseek(descriptor, 1 << 20, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


def create(path: Path, content: bytes) -> None:
    """Create the file *path*, on the disk when this returns; raises FileExistsError."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        # a rename that survives a power failure must not lead to an empty file
        os.fsync(file.fileno())


def replace(path: Path, content: bytes, draft: Path) -> None:
    """Replace the file at *path* atomically through *draft*, unless it is equal."""
    if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
        return
    create(draft, content)
    draft.replace(path)


def link(source: Path, target: Path) -> None:
    """Make *target* a hard link to *source*, or a copy if links are impossible."""
    try:
        target.hardlink_to(source)
    except OSError:
        from shutil import copy2

        copy2(source, target)
        sync(target)


def remove(path: Path) -> None:
    """Delete the file, link or folder at *path*, if there is one; links are not followed."""
    if is_tree(path):
        from shutil import rmtree

        # what can't be deleted now is tried again by the next run
        rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Flush the file or folder at *path* to the disk, if the system can."""
    # without it, the switch is still atomic for everyone who looks
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
