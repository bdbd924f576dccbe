"""Why files can't be written, in a sentence for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dateline.model import DatelineError, printable


class OutputError(DatelineError):
    """The output folder can't be used, or contains foreign files."""

    exit_code = 2


class ArtifactError(DatelineError):
    """Artifacts have paths that not every file system can represent side by side."""


class BusyError(DatelineError):
    """Another run is writing to the same folder."""


class EditError(DatelineError):
    """Sources can't be written, or have changed since the edits were planned."""


def sentence(path: Path | str, id: str, fact: str) -> str:
    """Return a message line: `generated: output-busy: another dateline is …`."""
    return printable(f"{path}: {id}: {fact}")


@contextmanager
def explain_output(folder: Path) -> Iterator[None]:
    """Turn an OSError into an OutputError about *folder*."""
    try:
        yield
    except OSError as error:
        at = f" at {error.filename}" if error.filename else ""
        fact = (
            f"{error.strerror or error}{at}, nothing was changed; fix that or name another output"
        )
        raise OutputError(sentence(folder, "output-unusable", fact)) from error


@contextmanager
def explain_edit(folder: Path) -> Iterator[None]:
    """Turn an OSError into an EditError about a file in *folder*."""
    try:
        yield
    except OSError as error:
        fact = f"{error.strerror or error}; fix that and run again"
        raise EditError(sentence(error.filename or folder, "edit-impossible", fact)) from error
