"""Write files all or nothing, whenever the run is killed.

``write`` makes a folder of outputs hold exactly the artifacts it is given, switched at once;
``sources.write`` replaces files among others, together with a folder of outputs if need be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dateline.files.artifacts import collect_contents
from dateline.files.errors import (
    ArtifactError,
    BusyError,
    EditError,
    OutputError,
    explain_output,
)
from dateline.files.history import LOG, extend_log
from dateline.files.places import kind_faults, place_faults, refuse
from dateline.files.switching import OLD, clear, home_of, locked, put, stage, switch
from dateline.files.tree import TreeSurvey
from dateline.fresh import RECORD, STAGED, format_record
from dateline.model import MANIFEST, Artifact, printable


@dataclass(frozen=True)
class WriteResult:
    """The result of ``write``: sorted relative paths, including the manifest's."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]


@dataclass(frozen=True)
class Stale:
    """A file that ``write`` would bring up to date, by its relative path.

    ``missing``: not on disk. ``edited``: not what the manifest says was written. ``outdated``:
    as written, but the artifact differs by now. ``extra``: no artifact.
    """

    path: str
    state: Literal["missing", "edited", "outdated", "extra"]

    def __str__(self) -> str:
        return f"{printable(self.path)}: {self.state}"


def write(
    artifacts: Iterable[Artifact],
    folder: Path,
    *,
    protected: Iterable[Path] = (),
    key: str | None = None,
    remarks: int = 0,
) -> WriteResult:
    """Make *folder* hold exactly *artifacts* and their manifest, all at once.

    Files that stay the same are not touched; edited ones are restored; when nothing differs,
    nothing is switched. Caches that tools leave beside imports are carried over. A *key* is
    remembered with *remarks* (see ``remember``) before another run can get at the folder.

    Raises ``ArtifactError`` for paths that can't be written; ``OutputError`` for a *folder* that is
    misused (none may hold, be or lie in a *protected* one), can't be written, or holds a file
    that dateline never wrote; ``BusyError`` while another run is at it. The tree is then as it
    was before.
    """
    wanted = collect_contents(artifacts)
    with explain_output(folder):
        refuse(folder, kind_faults(folder))
        refuse(folder, place_faults(folder, protected))
        if not home_of(folder).exists():
            # nothing to recover from: find foreign files before anything is created
            TreeSurvey(folder, wanted, home_of(folder) / LOG).require_ours()
        with locked(folder):
            there = TreeSurvey(folder, wanted, home_of(folder) / LOG)
            there.require_ours()
            files = there.found.files.keys()
            written = WriteResult(
                added=tuple(sorted(wanted.keys() - files)),
                changed=tuple(sorted((wanted.keys() & files) - there.same)),
                removed=tuple(sorted(files - wanted.keys())),
                unchanged=tuple(sorted(there.same)),
            )
            if written.added or written.changed or written.removed:
                stage(wanted, there.same, folder)
                # before the switch: what is not in the log might be taken for a foreign file
                log = home_of(folder) / LOG
                put(folder, LOG, extend_log(log, wanted[MANIFEST]))
                clear(switch(folder), folder, there.found, there.same)
            if key is not None:
                put(folder, RECORD, format_record(folder, key, remarks, wanted.digests))
    return written


def find_stale(artifacts: Iterable[Artifact], folder: Path) -> list[Stale]:
    """Return what ``write`` would change, sorted by path; empty if *folder* is up to date.

    Writes nothing, but puts a tree back that a killed run left out of its place.
    Raises ``ArtifactError`` and ``OutputError`` as ``write`` does.
    """
    wanted = collect_contents(artifacts)
    settle(folder)
    with explain_output(folder):
        there = TreeSurvey(folder, wanted, home_of(folder) / LOG)
        paths = sorted(wanted.keys() | there.found.files.keys())
        return [Stale(path, state) for path in paths if (state := there.state(path))]


def settle(folder: Path) -> None:
    """Restore a tree that a killed run left out of place, and delete what it staged.

    Does nothing if there is neither, or if only a run that is still writing stages. Raises
    ``OutputError`` for a *folder* that can't be used, ``BusyError`` as ``write`` does.
    """
    with explain_output(folder):
        refuse(folder, kind_faults(folder))
        home = home_of(folder)
        if (home / OLD).exists():
            with locked(folder):
                pass
        elif any(map(os.path.lexists, (home / name for name in STAGED))):
            # a process that only reads may have no permission
            with suppress(BusyError, OSError), locked(folder):
                pass


def remember(folder: Path, key: str, remarks: int = 0) -> None:
    """Record *key*, a digest of what the tree was made from, with the tree's state.

    *remarks* is how many findings of the check are information.
    Raises ``OutputError`` if there is no written tree, ``BusyError`` as ``write`` does.
    """
    with explain_output(folder), locked(folder):
        # without a tree there is nothing to record
        (folder / MANIFEST).stat()
        put(folder, RECORD, format_record(folder, key, remarks))


__all__ = [
    "ArtifactError",
    "BusyError",
    "EditError",
    "OutputError",
    "Stale",
    "WriteResult",
    "find_stale",
    "remember",
    "settle",
    "write",
]
