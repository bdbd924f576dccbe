"""Actions in a copy of this process, which may be killed at any event of the file system."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any


def run_forked(action: Callable[[], object]) -> int:
    """Run *action* in a copy of this process; return the status it ended with."""
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            # what a killed process wrote is not lost: that takes a power cut
            os.fsync = lambda fd: None  # noqa: ARG005
            action()
            os._exit(0)
        except SystemExit as ended:
            os._exit(int(ended.code or 0))
        finally:
            os._exit(70)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at(
    point: int, counts: Callable[[str, Sequence[Any]], bool], action: Callable[[], object]
) -> Callable[[], object]:
    """Return *action* with a kill at the audit event number *point* of those that it *counts*."""
    passed = 0

    def hook(event: str, arguments: Sequence[Any]) -> None:
        nonlocal passed
        if counts(event, arguments):
            passed += 1
            if passed == point:
                os.kill(os.getpid(), signal.SIGKILL)

    def run() -> None:
        sys.addaudithook(hook)
        action()

    return run
