"""The command line run in this process, as a user would run it."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from dateline import entry


class Outcome(NamedTuple):
    """What a command said, and the status that it ended with."""

    status: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A stream that keeps what is written; as to a terminal's, bytes may be written, too."""

    def __init__(self) -> None:
        self._kept = io.BytesIO()
        super().__init__(self._kept, encoding="utf-8", newline="", write_through=True)

    def text(self) -> str:
        return self._kept.getvalue().decode()


def dateline(*arguments: str) -> Outcome:
    """Run `dateline` with *arguments* in the current folder."""
    status = 0
    with (
        patch.object(sys, "argv", ["dateline", *arguments]),
        redirect_stdout(_Stream()) as out,
        redirect_stderr(_Stream()) as err,
    ):
        try:
            entry.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
    return Outcome(status, out.text(), err.text())


def read_files(root: Path) -> dict[str, str]:
    """Return the text of every file below *root* but git's and those that runs keep beside."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".generated.dateline"} & {*path.relative_to(root).parts}
    }
