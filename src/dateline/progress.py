"""Show progress on a terminal, once a command takes more than a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO, TypeVar

Item = TypeVar("Item")

AFTER: Final = 1.0
"""Seconds after which there is something to see."""

_EVERY: Final = 0.2
_CLEAR: Final = "\r\x1b[K"
_MOST: Final = 70
"""So many characters at most, so that the line is one on any terminal."""


class ProgressLine:
    """The line on *stream*. Other threads may draw it while what it says changes.

    ``within`` comes before what it says, such as the name of a project.
    """

    def __init__(self, stream: TextIO, started: float) -> None:
        self._stream = stream
        self._started = started
        self._what = ""
        self.within = ""
        self._is_drawn = False
        self._is_paused = False
        self._lock = threading.Lock()

    def describe(self, what: str) -> None:
        """Let the line say *what* from the next time on that it is drawn."""
        self._what = f"{self.within}{what}"[:_MOST]

    def draw(self, now: float) -> None:
        """Draw the line as it is at the time *now*; nothing before the first second is over."""
        seconds = now - self._started
        with self._lock:
            if seconds >= AFTER and self._what and not self._is_paused:
                self._stream.write(f"{_CLEAR}{self._what} … {seconds:.0f} s")
                self._stream.flush()
                self._is_drawn = True

    def clear(self, *, paused: bool = False) -> None:
        """Take the line away; until the next call nothing is drawn where it is *paused*."""
        with self._lock:
            self._is_paused = paused
            if self._is_drawn:
                self._stream.write(_CLEAR)
                self._stream.flush()
            self._is_drawn = False


_line: ProgressLine | None = None


def describe(what: str, done: int | None = None, total: int | None = None) -> None:
    """Say *what* is being done, and how many of a *total* are *done*, where somebody watches."""
    if _line is not None:
        _line.describe(what if total is None else f"{what}: {done} of {total}")


def count(what: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yield *items*, and say at each *what* is being done and how far it is."""
    for number, item in enumerate(items, 1):
        describe(what, number, len(items))
        yield item


def enter_project(name: str, number: int, total: int) -> None:
    """Say from now on which project of several is meant: its *name*, and that it is the n-th."""
    if _line is not None:
        _line.within = f"{name} ({number} of {total}): " if total > 1 else ""


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[None]:
    """Show what is being done on the terminal that standard error is, until it is done.

    Nothing is shown without a terminal, in CI, or where it is to be *quiet*.
    """
    global _line
    stream = sys.stderr
    if quiet or os.environ.get("CI") or stream is None or not stream.isatty() or _line is not None:
        yield
        return
    line = _line = ProgressLine(stream, time.monotonic())
    is_over = threading.Event()

    def draw() -> None:
        while not is_over.wait(_EVERY):
            line.draw(time.monotonic())

    # it must not keep the process, whatever happens to it
    drawing = threading.Thread(target=draw, daemon=True)
    drawing.start()
    try:
        yield
    finally:
        is_over.set()
        drawing.join()
        line.clear()
        _line = None


@contextmanager
def pause_progress() -> Iterator[None]:
    """Keep the line away meanwhile: a question is on the terminal."""
    if _line is not None:
        _line.clear(paused=True)
    try:
        yield
    finally:
        if _line is not None:
            _line.clear()
