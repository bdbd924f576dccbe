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
    """Return the name of *path* in reports: relative to its repository, with forward slashes.

    Outside of git it is relative to the working folder, or unchanged if it is not in that folder.
    """
    if copied := _copies.get().get(path):
        return copied
    # links keep their own names
    place = Path(os.path.abspath(path))  # noqa: PTH100
    top = find_top(place)
    if top is None:
        top = Path.cwd()
        if not place.is_relative_to(top):
            return path.as_posix()
    return place.relative_to(top).as_posix()


def name_folder(folder: Path) -> str:
    """Return the name of a *folder* of definitions: as for paths, otherwise its last part."""
    name = name_path(folder)
    outside = ".." in name or name.startswith("/")
    return os.path.basename(os.path.abspath(folder)) if outside else name  # noqa: PTH100, PTH119


def name_file(folder: Path, name: str) -> str:
    """Return the name of the file *name*, a path relative to a *folder* of definitions."""
    return posixpath.normpath(f"{name_folder(folder)}/{name}")


def find_top(path: Path) -> Path | None:
    """Return the folder of the repository or submodule that holds the absolute *path*, if any."""
    # with texts, since reports ask it for every place
    folder, above = os.fspath(path), ""
    while folder != above:
        if os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            return Path(folder)
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120
    return None


@contextmanager
def call_path(path: Path, name: str) -> Iterator[None]:
    """Let *path*, a copy of something else, be named *name* in reports for the duration."""
    token = _copies.set({**_copies.get(), path: name})
    try:
        yield
    finally:
        _copies.reset(token)
