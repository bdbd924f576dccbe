"""Why the output folder can't be written, in a sentence for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dateline.model import DatelineError, printable


class OutputError(DatelineError):
    """The output folder can't be used, or holds files that are not ours."""

    exit_code = 2


class ArtifactError(DatelineError):
    """Artifacts have paths that not every file system can hold side by side."""


class BusyError(DatelineError):
    """Another run is writing to the same folder."""


def sentence(path: Path, id: str, fact: str) -> str:
    """Return the line that a person reads: `generated: output-busy: another dateline is …`."""
    return printable(f"{path}: {id}: {fact}")


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence."""
    try:
        yield
    except OSError as error:
        at = f" at {error.filename}" if error.filename else ""
        fact = f"{error.strerror or error}{at}, nothing was changed; mend it or name another output"
        raise OutputError(sentence(folder, "output-unusable", fact)) from error
