"""Run the command line in this process, as a user would."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from dateline import entry


class Outcome(NamedTuple):
    """The output of a command, and its exit status."""

    status: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A stream that keeps what is written; like that of a terminal, it accepts bytes as well."""

    def __init__(self) -> None:
        self._kept = io.BytesIO()
        super().__init__(self._kept, encoding="utf-8", newline="", write_through=True)

    def text(self) -> str:
        return self._kept.getvalue().decode()


def dateline(*arguments: str) -> Outcome:
    """Run `dateline` with *arguments* in the current folder."""
    out, err = _Stream(), _Stream()
    return Outcome(_run(arguments, out, err), out.text(), err.text())


def exit_with(*arguments: str) -> None:
    """Exit this process with the status of `dateline` with *arguments*."""
    sys.exit(dateline(*arguments).status)


def print_dateline(*arguments: str) -> str:
    """Return all that `dateline` with *arguments* prints, in order, with notes and errors."""
    both = _Stream()
    _run(arguments, both, both)
    return both.text()


def _run(arguments: tuple[str, ...], out: _Stream, err: _Stream) -> int:
    with (
        patch.object(sys, "argv", ["dateline", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            entry.main()
        except SystemExit as stopped:
            return int(stopped.code or 0)
    return 0


def read_files(root: Path) -> dict[str, str]:
    """Return the text of every file below *root*, except those of git and of the caches."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".generated.dateline"} & {*path.relative_to(root).parts}
    }
