"""Contents in, a tree beside the output out, complete and on the disk."""

from __future__ import annotations

import stat
from pathlib import Path

from dateline.files.disk import create, is_tree, link, sync


def stage(wanted: dict[str, bytes], same: set[str], folder: Path, new: Path) -> None:
    """Build the wanted tree at *new*, with links to the files that stay the *same*."""
    folders = {
        "/".join(parts[:depth])
        for parts in (path.split("/") for path in wanted)
        for depth in range(len(parts))
    }
    for name in sorted(folders):
        (new / name).mkdir()
        (new / name).chmod(_folder_mode(folder / name))
    for path, content in sorted(wanted.items()):
        if path in same:
            link(folder / path, new / path)
        else:
            create(new / path, content)
            (new / path).chmod(0o644)
    for name in folders:
        sync(new / name)
    sync(new.parent)


def _folder_mode(folder: Path) -> int:
    """Return the mode for the successor of *folder*: its own, if it is there."""
    if is_tree(folder):
        return stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU
    return 0o755
