"""A folder in, what it holds out: which files are as wanted, edited, outdated, or not ours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

from dateline.files.errors import OutputError, sentence
from dateline.files.listing import Entry, digest_of, encoded, listed
from dateline.fresh import is_cache
from dateline.model import MANIFEST


class Found(NamedTuple):
    """What a folder holds: whether each file is a regular one, by path; and cache paths."""

    files: dict[str, bool]
    caches: list[str]


def scan(folder: Path) -> Found:
    """Return what *folder* holds, nothing if it is absent; links are not followed."""
    found = Found({}, [])
    pending = [""] if folder.is_dir() else []
    while pending:
        prefix = pending.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                path = prefix + entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_cache(entry.name, is_folder):
                    found.caches.append(path)
                elif is_folder:
                    pending.append(path + "/")
                else:
                    found.files[path] = entry.is_file(follow_symlinks=False)
    return found


def survey(folder: Path, wanted: dict[str, bytes]) -> tuple[Found, set[str]]:
    """Return what *folder* holds and which of it is as wanted; refuse it for foreign files."""
    found = scan(folder)
    foreign = sorted(foreign_in(folder, found, listed(folder), wanted))
    if foreign:
        others = f" (nor {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise OutputError(
            sentence(
                folder / foreign[0],
                "output-foreign",
                f"dateline did not write this file{others}, move it out of the output folder",
            )
        )
    return found, {path for path in found.files if _is_wanted(path, folder, found, wanted)}


def foreign_in(
    folder: Path, found: Found, listing: dict[str, Entry] | None, wanted: dict[str, bytes]
) -> set[str]:
    """Return the paths of *found* that dateline did not write: not listed and not as wanted."""
    unlisted = found.files.keys() - (listing or {}).keys()
    healed = {path for path in unlisted if _is_wanted(path, folder, found, wanted)}
    # a manifest that can't be read is ours only if something beside it is
    ours = {MANIFEST} if listing is not None or healed else set()
    return unlisted - healed - ours


def _is_wanted(path: str, folder: Path, found: Found, wanted: dict[str, bytes]) -> bool:
    return found.files[path] and path in wanted and (folder / path).read_bytes() == wanted[path]


def state_of(
    path: str,
    folder: Path,
    found: Found,
    listing: dict[str, Entry] | None,
    wanted: dict[str, bytes],
) -> Literal["missing", "edited", "outdated", "extra"] | None:
    """Return in what way the file at *path* is not as wanted (see ``Stale``); None if it is."""
    if path not in found.files:
        return "missing"
    if path not in wanted:
        return "extra"
    if not found.files[path]:
        return "edited"
    content = (folder / path).read_bytes()
    if content == wanted[path]:
        return None
    listing = listing or {}
    as_written = (
        content == encoded(listing)
        if path == MANIFEST
        else path in listing and listing[path].digest == digest_of(content)
    )
    return "outdated" if as_written else "edited"
