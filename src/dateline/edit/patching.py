"""Replacements of files as a unified diff."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from dateline.files.sources import Replacement


def patch(folder: Path, replacements: Iterable[Replacement]) -> str:
    """Return *replacements* in *folder* as a unified diff, as ``git apply`` takes it.

    It is empty if there is none.
    """
    folder = folder.resolve()
    around = Path.cwd() if folder.is_relative_to(Path.cwd()) else folder.parent
    return "".join(
        _patch((folder / one.name).relative_to(around), one.before or b"", one.after or b"")
        for one in replacements
    )


def _patch(path: Path, before: bytes, after: bytes) -> str:
    name = path.as_posix()
    # bytes are parted at line ends only, text at other characters too
    then, now = (
        [line.decode() for line in content.splitlines(keepends=True)] for content in (before, after)
    )
    lines = unified_diff(then, now, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
