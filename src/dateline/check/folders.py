"""The folders that published documents are read from: on disk, or in a commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from dateline.bundle import Files, FolderFiles
from dateline.check.git import Blob, GitError, Repository
from dateline.source.reader import ADOPTED, UnreadableFileError, file_content


@dataclass(frozen=True)
class OutputFolder:
    """An output folder on disk; *known* caches what was read of it."""

    root: Path
    known: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    def content(self, name: str) -> bytes:
        if name not in self.known:
            self.known[name] = file_content(self.root / name, ADOPTED.size)
        return self.known[name]

    def digest(self, name: str) -> str:
        """Return the digest of the file *name*; that of nothing if it can't be read."""
        try:
            return sha256(self.content(name)).hexdigest()
        except UnreadableFileError:
            return ""

    @property
    def around(self) -> Files:
        """The files that a document in the folder may refer to; links don't lead out of it."""
        return FolderFiles(self.root)


@dataclass(frozen=True)
class CommittedFolder:
    """A folder in a commit; *known* caches what was read of it."""

    repository: Repository
    files: Mapping[str, Blob]
    prefix: str
    known: Mapping[Blob, bytes]

    def content(self, name: str) -> bytes:
        blob = self.files.get(self.prefix + name)
        if blob is None:
            raise UnreadableFileError("unreadable-file", "the commit has no such file; commit it")
        if blob in self.known:
            return self.known[blob]
        try:
            return self.repository.contents([blob])[0]
        except GitError as error:
            raise UnreadableFileError("unreadable-file", str(error)) from error

    @property
    def around(self) -> Files:
        """The files that a document in the folder may refer to."""
        return self
