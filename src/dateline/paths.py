"""Name files in reports by their paths from the root of their repository."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Final

_NO_COPIES: Final[Mapping[Path, str]] = MappingProxyType({})
_copies: Final = ContextVar("_copies", default=_NO_COPIES)


def name_path(path: Path) -> str:
    """Return what *path* is called: from the top of its repository, with forward slashes.

    Outside of git it is called as seen from the working folder, and as it is given where it is
    not in that.
    """
    if copied := _copies.get().get(path):
        return copied
    # links are kept as they are called
    place = Path(os.path.abspath(path))  # noqa: PTH100
    top = find_top(place)
    if top is None:
        top = Path.cwd()
        if not place.is_relative_to(top):
            return path.as_posix()
    return place.relative_to(top).as_posix()


def name_folder(folder: Path) -> str:
    """Return what a *folder* of definitions is called: as paths are, and else by its last name."""
    name = name_path(folder)
    outside = ".." in name or name.startswith("/")
    return os.path.basename(os.path.abspath(folder)) if outside else name  # noqa: PTH100, PTH119


def name_file(folder: Path, name: str) -> str:
    """Return what the file *name*, a path from a *folder* of definitions, is called."""
    return posixpath.normpath(f"{name_folder(folder)}/{name}")


def find_top(path: Path) -> Path | None:
    """Return the folder of the repository or submodule that holds the absolute *path*, if any."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


@contextmanager
def call_path(path: Path, name: str) -> Iterator[None]:
    """Let *path*, a copy of something else, be called *name* for a while."""
    token = _copies.set({**_copies.get(), path: name})
    try:
        yield
    finally:
        _copies.reset(token)
