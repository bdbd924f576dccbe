"""Artifacts in, a folder that holds exactly them: switched at once, never half written.

``write`` goes through the modules in this order: ``contents`` (what is wanted), ``place`` (where it
may stand), ``alone`` (one run at a time, recovery first), ``tree`` (what is there), ``staging``
(the new tree, beside the output) and ``switching`` (into its place).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dateline.files.alone import alone
from dateline.files.beside import NEW, OLD, beside_of, put
from dateline.files.contents import contents
from dateline.files.errors import ArtifactError, BusyError, OutputError, explained
from dateline.files.listing import listed
from dateline.files.place import kind_faults, place_faults, refuse
from dateline.files.staging import stage
from dateline.files.switching import retire, switch
from dateline.files.tree import foreign_in, scan, state_of, survey
from dateline.fresh import RECORD, STAGED, record
from dateline.model import MANIFEST, Artifact, printable


@dataclass(frozen=True)
class Written:
    """What ``write`` did: sorted relative paths, the manifest's among them, and a count."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


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
    kept: Mapping[str, str] | None = None,
) -> Written:
    """Make *folder* hold exactly *artifacts* and their manifest, all at once.

    Files that stay the same are not touched; edited ones are restored; when nothing differs,
    nothing is switched. Caches that tools leave beside imports are carried over. A *key* is
    remembered (see ``remember``) before another run can get at the folder; so are the texts
    *kept* for later runs, by name (see ``read_kept``).

    Raises ``ArtifactError`` for paths that can't be held; ``OutputError`` for a *folder* that is
    misused (none may hold, be or lie in a *protected* one), can't be written, or holds a file
    that dateline did not write; ``BusyError`` while another run is at it. The tree is then as it
    was before.
    """
    wanted = contents(artifacts)
    with explained(folder):
        refuse(folder, kind_faults(folder))
        refuse(folder, place_faults(folder, protected))
        if not beside_of(folder).exists():
            # nothing to recover from: find foreign files before anything is created
            survey(folder, wanted)
        with alone(folder):
            found, same = survey(folder, wanted)
            written = Written(
                added=tuple(sorted(wanted.keys() - found.files.keys())),
                changed=tuple(sorted((wanted.keys() & found.files.keys()) - same)),
                removed=tuple(sorted(found.files.keys() - wanted.keys())),
                unchanged=len(same),
            )
            if written.added or written.changed or written.removed:
                new = beside_of(folder) / NEW
                stage(wanted, same, folder, new)
                replaced = switch(new, folder)
                retire(replaced, folder, found, same)
            if key is not None:
                _record(folder, key)
            for name, text in (kept or {}).items():
                put(beside_of(folder) / name, text)
    return written


def stale(artifacts: Iterable[Artifact], folder: Path) -> list[Stale]:
    """Return what ``write`` would change, sorted by path; empty if *folder* is up to date.

    Writes nothing, but puts a tree back that a killed run left out of its place.
    Raises ``ArtifactError`` and ``OutputError`` as ``write`` does.
    """
    wanted = contents(artifacts)
    settle(folder)
    with explained(folder):
        found = scan(folder)
        listing = listed(folder)
        foreign = foreign_in(folder, found, listing, wanted)
        paths = sorted(wanted.keys() | found.files.keys())
        states = ((path, state_of(path, folder, found, listing, wanted)) for path in paths)
        return [
            Stale(path, "extra" if path in foreign else state) for path, state in states if state
        ]


def settle(folder: Path) -> None:
    """Put a tree back that a killed run left out of its place, and clear away what it staged.

    Does nothing where there is neither, nor where only a run that is still writing stages.
    Raises ``OutputError`` for a *folder* that can't be used, ``BusyError`` as ``write`` does.
    """
    with explained(folder):
        refuse(folder, kind_faults(folder))
        home = beside_of(folder)
        if (home / OLD).exists():
            with alone(folder):
                pass
        elif any(map(os.path.lexists, (home / name for name in STAGED))):
            # whoever only reads may not be allowed to
            with suppress(BusyError, OSError), alone(folder):
                pass


def manifest(artifacts: Iterable[Artifact]) -> bytes:
    """Return the manifest that ``write`` puts beside *artifacts*: no other tree has the same.

    Raises ``ArtifactError`` as ``write`` does.
    """
    return contents(artifacts)[MANIFEST]


def remember(folder: Path, key: str) -> None:
    """Keep *key*, a digest of what the tree was made from, together with the tree's state.

    Raises ``OutputError`` where there is no written tree, ``BusyError`` as ``write`` does.
    """
    with explained(folder), alone(folder):
        # without a tree there is nothing to remember
        (folder / MANIFEST).stat()
        _record(folder, key)


def read_kept(folder: Path, name: str) -> str:
    """Return the text that an earlier run kept under *name*; an empty one where none is legible."""
    try:
        return (beside_of(folder) / name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _record(folder: Path, key: str) -> None:
    put(beside_of(folder) / RECORD, record(folder, key))


__all__ = [
    "ArtifactError",
    "BusyError",
    "OutputError",
    "Stale",
    "Written",
    "manifest",
    "read_kept",
    "remember",
    "settle",
    "stale",
    "write",
]
