"""Run actions in forks of a small process, which may be killed at any file event.

To fork the process that runs the tests would take longer than most actions, since the page tables
of all its memory have to be copied.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

TESTS: Final = Path(__file__).parents[1]


@dataclass
class FileEvents:
    """Selects audit events: those called *name*, or all that concern files.

    With *start*, events count from the first `os.mkdir` of a path with that ending.
    """

    name: str = ""
    start: str = ""

    def __call__(self, event: str, arguments: Sequence[Any]) -> bool:
        if event == "os.mkdir" and str(arguments[0]).endswith(self.start):
            self.start = ""
        if self.start:
            return False
        return event == self.name or (
            not self.name and (event == "open" or event.startswith("os."))
        )


@dataclass
class KillAt:
    """Runs *action* and kills the process at event number *point* of those that *counts*."""

    point: int
    counts: FileEvents
    action: Callable[[], object]

    def __call__(self) -> None:
        passed = 0

        def hook(event: str, arguments: Sequence[Any]) -> None:
            nonlocal passed
            if self.counts(event, arguments):
                passed += 1
                if passed == self.point:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        self.action()


def run_forked(action: Callable[[], object]) -> int:
    """Run *action*, which is picklable, in a fork of the helper process; return its status.

    It runs in the current folder.
    """
    return _send(action, is_forked=True)


def run_beforehand(action: Callable[[], object]) -> None:
    """Run *action* in the helper process itself, so that each fork has its imports."""
    assert _send(action, is_forked=False) == 0


def _send(action: Callable[[], object], *, is_forked: bool) -> int:
    process = _start()
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump((str(Path.cwd()), action, is_forked), process.stdin)
    process.stdin.flush()
    return int(process.stdout.readline())


@cache
def _start() -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "support.forks"],
        env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'src'}{os.pathsep}{TESTS}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    atexit.register(process.communicate)
    return process


# In the helper process


def _run(action: Callable[[], object]) -> int:
    """Run *action*; return its exit status, 70 for an exception."""
    try:
        action()
    except SystemExit as ended:
        return int(ended.code or 0)
    except BaseException:
        return 70
    return 0


def _run_copied(action: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        os._exit(_run(action))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(requests: IO[bytes]) -> None:
    """Read *requests* for actions, and answer with the exit status of each."""
    answers = os.fdopen(os.dup(1), "w")
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    # data written by a killed process survive; only a power cut would lose them
    os.fsync = lambda fd: None  # noqa: ARG005
    with suppress(EOFError):
        while True:
            folder, action, is_forked = pickle.load(requests)
            os.chdir(folder)
            print(_run_copied(action) if is_forked else _run(action), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.stdin.buffer)
