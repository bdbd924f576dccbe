"""The tree of outputs: staged in the folder beside it, and switched into its place atomically.

That folder, `.<name>.dateline`, has the lock of the writing run, what it stages, and the record of
what the outputs were made from. What a killed run left there is used for recovery.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dateline.files.disk import create, is_tree, link, lock, remove, replace, sync
from dateline.files.errors import BusyError, sentence
from dateline.files.tree import TreeListing, scan
from dateline.fresh import STAGED

NEW, OLD, COPY, DRAFT = STAGED
"""The tree being staged, or after an exchange the one that it replaced; the tree moved out of the
way where two can't be exchanged; an `OLD` in the making, where a tree can't be moved; a small file
in the making."""

_LOCK: Final = "lock"
_IGNORE: Final = ".gitignore"


def home_of(folder: Path) -> Path:
    """Return the folder beside the output *folder*."""
    # on the same file system, hence not in the system's folder for temporary files
    return folder.parent / f".{folder.name}.dateline"


def put(folder: Path, name: str, text: str) -> None:
    """Write *text* to the file *name* beside the output *folder*."""
    home = home_of(folder)
    replace(home / name, text.encode(), home / DRAFT)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock *folder* against other runs, after recovering from a killed one.

    Raises BusyError where another run is at it.
    """
    home = home_of(folder)
    home.mkdir(parents=True, exist_ok=True)
    # its file is never deleted, because then two runs could lock two files of that name
    descriptor = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        if not lock(descriptor, wait=False):
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip() or "just started"
            fact = f"another dateline (process {holder}) is writing to it, wait for it to end"
            raise BusyError(sentence(folder, "output-busy", fact))
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        _recover(folder)
        put(folder, _IGNORE, "*\n")
        try:
            yield
        finally:
            _recover(folder)
    finally:
        os.close(descriptor)


def _recover(folder: Path) -> None:
    """Restore the tree if a run ended between moving the old one out and the new one in."""
    home = home_of(folder)
    new, old = home / NEW, home / OLD
    # `new` disappears from here with the switch: then `old` is only rubbish
    if is_tree(old) and is_tree(new):
        if folder.exists():
            # partly removed from a lower layer: restore every missing file
            for path in sorted(scan(old).files.keys() - scan(folder).files.keys()):
                _move(path, old, folder)
        else:
            old.rename(folder)
    for name in STAGED:
        remove(home / name)


def stage(wanted: Mapping[str, bytes], same: set[str], folder: Path) -> None:
    """Build the *wanted* tree beside *folder*, with links to the files that are the *same*."""
    new = home_of(folder) / NEW
    folders = {
        "/".join(parts[:depth])
        for parts in (path.split("/") for path in wanted)
        for depth in range(len(parts))
    }
    for name in sorted(folders):
        (new / name).mkdir()
        before = folder / name
        kept = stat.S_IMODE(before.stat().st_mode) | stat.S_IRWXU if is_tree(before) else 0o755
        (new / name).chmod(kept)
    for path in sorted(wanted):
        if path in same:
            link(folder / path, new / path)
        else:
            create(new / path, wanted[path])
            (new / path).chmod(0o644)
    for name in folders:
        sync(new / name)
    sync(new.parent)


def switch(folder: Path) -> Path | None:
    """Switch the staged tree into the place of *folder*; return the path of the replaced tree."""
    new, old = home_of(folder) / NEW, home_of(folder) / OLD
    replaced = None
    if not folder.exists():
        new.rename(folder)
    elif _exchange(new, folder):
        replaced = new
    else:
        replaced = old
        _move_out(folder, old)
        # the one moment without a tree: the next run would restore `old`
        new.rename(folder)
    sync(folder.parent)
    return replaced


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; return whether the system can do that."""
    # the reason is irrelevant: two renames come next, and they report real problems
    on_this_platform = EXCHANGES.get(sys.platform)
    return on_this_platform is not None and on_this_platform(one, other)


def _exchange_linux(one: Path, other: Path) -> bool:
    """renameat2(2) with RENAME_EXCHANGE, relative to AT_FDCWD."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and rename(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0


def _exchange_macos(one: Path, other: Path) -> bool:
    """renamex_np(2) with RENAME_SWAP."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renamex_np", None)
    return rename is not None and rename(os.fsencode(one), os.fsencode(other), 2) == 0


EXCHANGES: Final[dict[str, Callable[[Path, Path], bool]]] = {
    "linux": _exchange_linux,
    "darwin": _exchange_macos,
}
"""How two folders change places in one step, by platform; False where they did not."""


def _move_out(folder: Path, old: Path) -> None:
    try:
        folder.rename(old)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # a folder of a lower layer of an overlay (a container image) can't be renamed
        from shutil import copytree, rmtree

        copy = old.with_name(COPY)
        copytree(folder, copy, symlinks=True, copy_function=_link_to)
        copy.rename(old)
        rmtree(folder)


def _link_to(source: str, target: str) -> str:
    link(Path(source), Path(target))
    return target


def clear(replaced: Path | None, folder: Path, found: TreeListing, same: set[str]) -> None:
    """Carry over foreign files from the *replaced* tree, and delete the rest."""
    if replaced is None:
        return
    for path in found.caches:
        with suppress(OSError):  # a cache without its folder is dropped
            _drop_compiled(replaced, path, same)
            (replaced / path).rename(folder / path)
    # files that someone saved there while the new tree was staged
    for path in sorted(scan(replaced).files.keys() - found.files.keys()):
        if not (folder / path).exists():
            _move(path, replaced, folder)
    remove(replaced)


def _move(path: str, before: Path, after: Path) -> None:
    (after / path).parent.mkdir(parents=True, exist_ok=True)
    (before / path).rename(after / path)


def _drop_compiled(tree: Path, cache: str, same: set[str]) -> None:
    """Delete byte code in *cache* unless its source is the *same*.

    Python identifies outdated byte code by the time, in seconds, and the size of its source, and
    imports it even without one: a tree that is made twice within a second would run its former
    code.
    """
    home, _, name = cache.rpartition("/")
    if name == "__pycache__":
        compiled = [f"{cache}/{file.name}" for file in (tree / cache).iterdir()]
    else:
        compiled = [cache] if name.endswith(".pyc") else []
    for path in compiled:
        module = path.rpartition("/")[2].partition(".")[0]
        if f"{home}/{module}.py".lstrip("/") not in same:
            (tree / path).unlink()
