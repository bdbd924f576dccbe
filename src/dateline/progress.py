"""Show progress on a terminal once a command takes more than a second."""

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
"""The number of seconds before progress is shown."""

_EVERY: Final = 0.2
_CLEAR: Final = "\r\x1b[K"
_MOST: Final = 70
"""The maximum length, in characters, so that it fits one line of any terminal."""


class ProgressLine:
    """A progress line on *stream*. Other threads may draw it while its text changes.

    ``within`` is a prefix of the text, such as the name of a project.
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
        """Set the text of the line, shown from the next drawing on."""
        self._what = f"{self.within}{what}"[:_MOST]

    def draw(self, now: float) -> None:
        """Draw the line at the time *now*; nothing during the first second."""
        seconds = now - self._started
        with self._lock:
            if seconds >= AFTER and self._what and not self._is_paused:
                self._stream.write(f"{_CLEAR}{self._what} … {seconds:.0f} s")
                self._stream.flush()
                self._is_drawn = True

    def clear(self, *, paused: bool = False) -> None:
        """Erase the line; if *paused*, nothing is drawn until the next call."""
        with self._lock:
            self._is_paused = paused
            if self._is_drawn:
                self._stream.write(_CLEAR)
                self._stream.flush()
            self._is_drawn = False


_line: ProgressLine | None = None


def describe(what: str, done: int | None = None, total: int | None = None) -> None:
    """Show *what* is being done and how many of *total* are *done*, if progress is shown."""
    if _line is not None:
        _line.describe(what if total is None else f"{what}: {done} of {total}")


def count(what: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yield *items*, showing *what* is being done and the progress at each."""
    for number, item in enumerate(items, 1):
        describe(what, number, len(items))
        yield item


def enter_project(name: str, number: int, total: int) -> None:
    """Show from now on which project is processed: its *name*, *number* of *total*."""
    if _line is not None:
        _line.within = f"{name} ({number} of {total}): " if total > 1 else ""


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[None]:
    """Show progress on standard error, if that is a terminal, until the block ends.

    Nothing is shown without a terminal, in CI, or if *quiet*.
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

    # a daemon, so that it can't keep the process alive
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
    """Hide the line for the duration, because the terminal asks a question."""
    if _line is not None:
        _line.clear(paused=True)
    try:
        yield
    finally:
        if _line is not None:
            _line.clear()
