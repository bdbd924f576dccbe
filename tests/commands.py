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


def dateline(*arguments: str) -> Outcome:
    """Run `dateline` with *arguments* in the current folder."""
    status = 0
    with (
        patch.object(sys, "argv", ["dateline", *arguments]),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        try:
            entry.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
    return Outcome(status, out.getvalue(), err.getvalue())


def held(root: Path) -> dict[str, str]:
    """Return the text of every file below *root* but git's and those that runs keep beside."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".generated.dateline"} & {*path.relative_to(root).parts}
    }
