"""A staged tree goes into the output's place at once; the one that it replaced is cleared away."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from dateline.files.beside import COPY, OLD
from dateline.files.disk import link, remove, sync
from dateline.files.exchange import exchange
from dateline.files.tree import Found, scan


def switch(new: Path, folder: Path) -> Path | None:
    """Put *new* in the place of *folder*; return where the tree is that it replaced."""
    replaced = None
    if not folder.exists():
        new.rename(folder)
    elif exchange(new, folder):
        replaced = new
    else:
        replaced = new.with_name(OLD)
        _move_out(folder, replaced)
        # the one moment without a tree: whoever comes next puts `old` back
        new.rename(folder)
    sync(folder.parent)
    return replaced


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


def retire(replaced: Path | None, folder: Path, found: Found, same: set[str]) -> None:
    """Carry over what is not ours from the tree that was *replaced*, and delete the rest."""
    if replaced is None:
        return
    for path in found.caches:
        with suppress(OSError):  # a cache without a place any more is dropped
            _drop_compiled(replaced, path, same)
            (replaced / path).rename(folder / path)
    # files that someone saved there while the new tree was staged
    for path in sorted(scan(replaced).files.keys() - found.files.keys()):
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (replaced / path).rename(folder / path)
    remove(replaced)


def _drop_compiled(tree: Path, cache: str, same: set[str]) -> None:
    """Delete byte code in *cache* whose source did not stay the *same*.

    Python tells old byte code by the second and the size of its source, and imports it even
    without one: a tree that is made twice within a second would run what it was before.
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
