"""Read one document: from a file, a file of a git revision, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from dateline.bundle import Document, Readings, open_document
from dateline.check.folders import CommittedFolder
from dateline.check.git import GitError, Repository
from dateline.paths import name_path

STANDARD_INPUT: Final = "-"


def read_document(reference: str, readings: Readings) -> tuple[str, Document] | None:
    """Return what *reference* names, for people, and the document; None for another name.

    It is a path to anything but a folder, `REVISION:PATH` as for `git show`, or `-` for standard
    input, whose document can't refer to other files. Raises SourceError if a file can't be read,
    GitError for an unknown revision, or a file that it lacks.
    """
    path = Path(reference)
    if path.exists() or path.is_symlink():
        return reference, open_document(path, name_path(path), readings)
    if reference == STANDARD_INPUT:
        data = sys.stdin.buffer.read()
        return "standard input", Document(name="<stdin>", data=data, readings=readings)
    revision, sign, name = reference.partition(":")
    return _read_committed(revision, name, readings) if sign and revision and name else None


def _read_committed(revision: str, name: str, readings: Readings) -> tuple[str, Document]:
    """Return the document in the file *name* of a git revision.

    It is named from the top of the repository or, with `./` or `../`, from the current folder.
    """
    if name.startswith("//"):
        raise GitError(
            f"{revision}:{name}: url-refused: nothing is read from the network; download the file, "
            f"and name it or pipe it to `{STANDARD_INPUT}`"
        )
    repository = Repository(Path())
    commit = repository.commit(revision)
    within = repository.relative(Path(name)) if name.startswith(("./", "../")) else name
    files = {blob.name: blob for blob in repository.files(commit)}
    called = f"{revision}:{within}"
    if within not in files:
        raise GitError(
            f"{called}: unreadable-file: the commit has no such file; name one from the top of the "
            "repository, or with ./ from the current folder"
        )
    (data,) = repository.contents([files[within]])
    tree = CommittedFolder(repository, files, "", {})
    document = Document(name=called, data=data, files=tree, path=within, readings=readings)
    return f"git {called} ({commit[:7]})", document
