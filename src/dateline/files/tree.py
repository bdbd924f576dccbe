"""The files in a folder: which are as wanted, edited, outdated, or not ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from dateline.files.errors import OutputError, sentence
from dateline.files.history import find_written
from dateline.fresh import is_cache
from dateline.manifest import digest_of, format_manifest, read_manifest
from dateline.model import MANIFEST


class TreeListing(NamedTuple):
    """The content of a folder: whether each file is a regular one, by path; and cache paths."""

    files: dict[str, bool]
    caches: list[str]


def scan(folder: Path) -> TreeListing:
    """Return the content of *folder*, empty if it is absent; links are not followed."""
    found = TreeListing({}, [])
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


class TreeSurvey:
    """Compares *folder* with the *wanted* content of every file by path.

    *log* is that of earlier runs (see ``history``).
    """

    def __init__(self, folder: Path, wanted: Mapping[str, bytes], log: Path) -> None:
        self._log = log
        self.found = scan(folder)
        self._folder = folder
        self._wanted = wanted
        self._listing = read_manifest(folder)

    @cached_property
    def same(self) -> set[str]:
        """The files with the wanted content."""
        return {path for path in self.found.files if self._is_wanted(path)}

    @cached_property
    def foreign(self) -> set[str]:
        """The files that dateline did not write: not listed, not as wanted, nor written earlier."""
        unlisted = self.found.files.keys() - (self._listing or {}).keys()
        healed = {path for path in unlisted if self._is_wanted(path)}
        # an unreadable manifest belongs to dateline only if something beside it does
        ours = {MANIFEST} if self._listing is not None or healed else set()
        unknown = unlisted - healed - ours
        return unknown - find_written(self._folder, self._log, unknown)

    def require_ours(self) -> None:
        """Raise OutputError where there is a foreign file."""
        for path in sorted(self.foreign)[:1]:
            others = f" (nor {len(self.foreign) - 1} more)" if len(self.foreign) > 1 else ""
            fact = f"dateline did not write this file{others}, move it out of the output folder"
            raise OutputError(sentence(self._folder / path, "output-foreign", fact))

    def state(self, path: str) -> Literal["missing", "edited", "outdated", "extra"] | None:
        """Return how the file at *path* differs from the wanted one (see ``Stale``), or None."""
        if path not in self.found.files:
            return "missing"
        if path not in self._wanted or path in self.foreign:
            return "extra"
        if not self.found.files[path]:
            return "edited"
        content = (self._folder / path).read_bytes()
        if content == self._wanted[path]:
            return None
        listing = self._listing or {}
        as_written = (
            content == format_manifest(listing)
            if path == MANIFEST
            else path in listing and listing[path].digest == digest_of(content)
        )
        return "outdated" if as_written else "edited"

    def _is_wanted(self, path: str) -> bool:
        wanted = self._wanted.get(path)
        is_regular = self.found.files[path]
        return wanted is not None and is_regular and (self._folder / path).read_bytes() == wanted
