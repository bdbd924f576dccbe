"""The rows of the table about generated servers: what they cost, and what they promise."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks import synthetic
from benchmarks.measure import Case
from benchmarks.rows import REPOSITORY, Row, promise

_NEWEST: Final = "2026-08-01"
_OLDEST: Final = "2025-03-13"
_SCRIPT: Final = str(Path(__file__).with_name("served.py"))
_MEASURED: Final = str(Path(__file__).with_name("measured.py"))
_BARE: Final = "bare FastAPI"
_SCHEMAS: Final = str(REPOSITORY / "schemas")

_BARE_READS: Final = (
    "Bare FastAPI reads the same path and key, has the same model to answer with, and knows no "
    "versions. Ours does without its dependency solver, which pays for the version, the checks "
    "and the narrowing."
)


def _job(*arguments: str) -> list[str]:
    return [sys.executable, _SCRIPT, *arguments]


def _requests(what: str, version: str, count: int) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        return Case(
            root,
            _job("requests", "ours", what, version, str(count)),
            _job("requests", "bare", what, version, str(count)),
            phase="requests",
        )

    return prepare


def _started(root: Path) -> Case:
    synthetic.write(root / "schemas", 50)
    # in a process of its own: its peak memory would count for those that are measured
    generating = [sys.executable, _MEASURED, "documents", str(root / "schemas")]
    subprocess.run(
        [*generating, str(root / "generated"), "models"], check=True, stdout=subprocess.DEVNULL
    )
    package = str(root / "generated" / "python")
    return Case(root, _job("start", "ours", package), _job("start", "bare", package))


ROWS: Final = (
    Row(
        name="serve-newest",
        what="one autoramp at the newest version, requests alone",
        against=_BARE,
        prepare=_requests("single", _NEWEST, 500),
        ratio=1.10,
        about=_BARE_READS,
    ),
    Row(
        name="serve-oldest",
        what="the same at the oldest version, narrowed",
        against=_BARE,
        prepare=_requests("single", _OLDEST, 500),
        ratio=1.35,
        about="The narrowing itself is the least of it.",
    ),
    Row(
        name="serve-page",
        what="a page of 100 autoramps at the oldest version, narrowed",
        against=_BARE,
        prepare=_requests("page", _OLDEST, 40),
        ratio=1.40,
        about="Models become plain values, which are held to the contract, narrowed and written; "
        "bare FastAPI writes its models in one go, and checks nothing.",
    ),
    Row(
        name="serve-start",
        what="the start of 200 operations and 50 versions, imports and a first request included",
        against="bare FastAPI with the same models",
        prepare=_started,
        more_cpu=1.0,
        more_memory=100,
        about="To import the models of all versions, which both do. What differs between versions "
        "is compiled once; validators are made when a request needs them.",
    ),
    Row(
        name="way-down",
        what="100,000 sampled values, shown to callers of every version and environment",
        against="each gate left out of the contract data in turn",
        prepare=promise(
            *("way_down", "100000", _SCHEMAS),
            then=("gates", "1500", _SCHEMAS),
        ),
        about="Each is held to the document of its version by jsonschema-rs, is the value itself "
        "where nothing differs, and is searched for the name of anything newer.",
        runs=1,
    ),
    Row(
        name="conformance",
        what="schemathesis over the payment API, 3 versions x 2 environments, all checks",
        against="python -c pass",
        prepare=promise("conformance", "50"),
        about="It reads the documents that are served. What the specification itself brings about "
        "is told beside, with its reason.",
        runs=1,
    ),
)
