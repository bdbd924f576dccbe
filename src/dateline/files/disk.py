"""Small steps on the disk, each of which does one thing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def is_tree(path: Path) -> bool:
    """Tell whether *path* is a folder itself, not a link to one."""
    # someone else's link must not lead what is moved or deleted out of here
    return path.is_dir() and not path.is_symlink()


def remove(path: Path) -> None:
    """Delete the file, link or folder at *path*, if there is one; links are not followed."""
    if is_tree(path):
        from shutil import rmtree

        # what can't be deleted now is tried again by the next run
        rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def create(path: Path, content: bytes) -> None:
    """Make a new file at *path*, on the disk when this returns."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        # a rename that outlives a power cut must not find an empty file behind it
        os.fsync(file.fileno())


def link(source: Path, target: Path) -> None:
    """Let *target* be the same file as *source*; a copy of it where links can't be made."""
    try:
        target.hardlink_to(source)
    except OSError:
        from shutil import copy2

        copy2(source, target)
        sync(target)


def sync(path: Path) -> None:
    """Have the system bring the file or folder at *path* to the disk, if it can."""
    # where the system can't, the switch is still atomic for everyone who looks
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
