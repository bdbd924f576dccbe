"""Why a folder may not be an output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from dateline.files.errors import OutputError, sentence
from dateline.files.switching import home_of


def refuse(folder: Path, faults: Iterator[str]) -> None:
    """Raise ``OutputError`` with the first of *faults*; do nothing if there are none."""
    for fault in faults:
        raise OutputError(sentence(folder, "output-path", fault))


def kind_faults(folder: Path) -> Iterator[str]:
    """Yield why what is at *folder*, or beside it, can't be replaced."""
    beside = home_of(folder)
    if folder.is_symlink():
        yield "is a symbolic link, name the folder it points to"
    if folder.exists() and not folder.is_dir():
        yield "is not a folder, name another output"
    # its content is deleted, so it must not lead elsewhere
    if beside.is_symlink() or (beside.exists() and not beside.is_dir()):
        yield f"needs {beside.name} beside it as a folder, move away what is there"


def place_faults(folder: Path, protected: Iterable[Path]) -> Iterator[str]:
    """Yield why replacing *folder* would affect more; it must not touch a *protected* one."""
    place = folder.resolve()
    own = "give the output a folder of its own"
    if place == place.parent:
        yield f"is the root of the file system, {own}"
    kept = [("the current directory", Path.cwd())]
    with suppress(RuntimeError):  # the home folder is unknown
        kept.append(("the home directory", Path.home()))
    sources = [(str(source), source) for source in protected]
    for name, path in kept + sources:
        if place == path.resolve():
            yield f"is {name}, {own}"
        if place in path.resolve().parents:
            yield f"contains {name}, {own}"
    for name, path in sources:
        if path.resolve() in place.parents:
            yield f"lies in {name}, {own}"
    if folder.name == "..":
        yield "ends in '..', name the folder itself"
    if folder.is_mount():
        yield "is a mount point and can't be switched, name a folder in it"
