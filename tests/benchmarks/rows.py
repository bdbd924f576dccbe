"""Rows of the table, and helpers to set them up: scripts, documents, copies."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.measure import Case

REPOSITORY: Final = Path(__file__).parents[2]
SCHEMAS: Final = str(REPOSITORY / "schemas")
DATA: Final = "DATELINE_DATA"
"""The environment variable that names a folder of real specifications, `NAME/head.json.gz`."""

CORPUS: Final = "DATELINE_CORPUS"
"""The environment variable that names a folder of any documents, of which each is tried."""

SCALE: Final = "DATELINE_BENCH_SCALE"
"""The environment variable with the part of the full amounts that rows are measured with."""

DATELINE: Final = str(Path(sys.executable).with_name("dateline"))
PASS: Final = [sys.executable, "-c", "pass"]
"""What starts and ends: the floor for every other program in Python."""


class SkippedError(Exception):
    """A row can't be measured here; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measurement.

    ``prepare`` sets a case up in an empty folder. ``cpu`` (seconds), ``memory`` (MiB) and ``ratio``
    are the targets, ``more_cpu`` and ``more_memory`` those for the difference to the command that
    it is compared with; a row without targets is information. ``about`` says what dominates and
    what was done about it. There are at most ``runs`` runs.
    """

    name: str
    what: str
    against: str
    prepare: Callable[[Path], Case]
    about: str
    cpu: float | None = None
    memory: float | None = None
    ratio: float | None = None
    more_cpu: float | None = None
    more_memory: float | None = None
    runs: int = 100


def data() -> str:
    """Return the folder of real specifications; raises SkippedError if none is configured."""
    folder = os.environ.get(DATA)
    if folder is None:
        raise SkippedError(f"{DATA} is not set")
    return folder


def scaled(amount: int) -> int:
    """Return the part of *amount* that is measured, at least one: all of it by default."""
    return max(1, round(amount * float(os.environ.get(SCALE, "1"))))


def script(name: str, *arguments: str, python: str = sys.executable) -> list[str]:
    """Return the command that runs the script *name* of this folder."""
    return [python, str(Path(__file__).with_name(name)), *arguments]


def promise(*first: str | int, then: tuple[str | int, ...] = ()) -> Callable[[Path], Case]:
    """Return a function that sets up a job of `promises.py`, compared with another one or none.

    Numbers are amounts, and scaled.
    """

    def job(words: tuple[str | int, ...]) -> list[str]:
        texts = [word if isinstance(word, str) else str(scaled(word)) for word in words]
        return script("promises.py", *texts)

    def prepare(root: Path) -> Case:
        return Case(root, job(first), job(then) if then else PASS)

    return prepare


def unpack(packed: Path, plain: Path) -> None:
    """Unpack the gzip file *packed* to *plain*."""
    with gzip.open(packed) as source, plain.open("wb") as goal:
        shutil.copyfileobj(source, goal)


def copy_project(root: Path) -> None:
    """Copy the sources and outputs of this repository into *root*."""
    for name in ("schemas", "generated"):
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, root / name)
