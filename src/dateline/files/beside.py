"""The folder beside the output, `.<name>.dateline`: where it stands and what it may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Final

LOCK: Final = "lock"
IGNORE: Final = ".gitignore"
NEW: Final = "new"  # the tree being staged; after an exchange, the one it replaced
OLD: Final = "old"  # the tree moved out of the way where two can't be exchanged
COPY: Final = "copy"  # an `old` in the making, where a tree can't be moved
DRAFT: Final = "draft"  # a small file in the making


def beside_of(folder: Path) -> Path:
    """Return where runs keep their lock, their record and what they stage for *folder*."""
    # on the same file system, hence not in the system's folder for temporary files
    return folder.parent / f".{folder.name}.dateline"


def put(path: Path, text: str) -> None:
    """Make *path* a file that holds *text*, at once; leave it alone if it is."""
    content = text.encode()
    if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
        return
    draft = path.with_name(DRAFT)
    with draft.open("xb") as file:
        file.write(content)
    draft.replace(path)
