"""The rows of the table about generated servers: their cost, and their promises."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks import synthetic
from benchmarks.measure import Case
from benchmarks.rows import SCHEMAS, Row, SkippedError, promise, scaled, script

CADWYN: Final = "DATELINE_CADWYN"
"""The environment variable that names a Python interpreter which has Cadwyn."""

_NEWEST: Final = "2026-08-01"
_OLDEST: Final = "2025-03-13"
_BARE: Final = "bare FastAPI"

_BARE_READS: Final = (
    "Bare FastAPI reads the same path and key, has the same model to answer with, and knows no "
    "versions. Ours does without its dependency solver, which pays for the version, the checks "
    "and the narrowing."
)


_CADWYN_COPIES: Final = (
    "Each request passes a middleware of Starlette's, FastAPI's dependency solver twice, and a "
    "model dumped and validated again. FastAPI is held against it in the same interpreter."
)
_VERSIONS: Final = 50


def _job(*arguments: str, python: str = sys.executable) -> list[str]:
    return script("served.py", *arguments, python=python)


def _cadwyn() -> str:
    """Return an interpreter that has Cadwyn; raises SkippedError if none is configured."""
    python = os.environ.get(CADWYN)
    if python is None:
        raise SkippedError(f"not installed ({CADWYN} is not set)")
    try:
        subprocess.run([python, "-c", "import cadwyn"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise SkippedError(f"not installed where {CADWYN} points to") from None
    return python


def _requests(what: str, version: str, count: int) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        return _asked(root, "ours", sys.executable, (what, version, str(scaled(count))))

    return prepare


def _wrapped_requests(what: str, version: str, count: int) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        return _asked(root, "around", sys.executable, (what, version, str(scaled(count))))

    return prepare


def _cadwyn_requests(what: str, version: str, count: int) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        return _asked(root, "cadwyn", _cadwyn(), (what, version, str(scaled(count))))

    return prepare


def _asked(root: Path, which: str, python: str, asked: tuple[str, ...]) -> Case:
    ours, bare = (_job("requests", each, *asked, python=python) for each in (which, "bare"))
    return Case(root, ours, bare, phase="requests")


def _package(root: Path) -> str:
    """Generate the synthetic API's server below *root*; return the folder of its package."""
    resources = scaled(len(synthetic.RESOURCES))
    synthetic.write(root / "schemas", scaled(_VERSIONS), resources)
    # in a separate process, so that its peak memory doesn't count for measured ones
    schemas, output = str(root / "schemas"), str(root / "generated")
    generating = script("measured.py", "documents", schemas, output, "models")
    subprocess.run(generating, check=True, stdout=subprocess.DEVNULL)
    return str(root / "generated" / "python")


def _started(root: Path) -> Case:
    package, count = _package(root), str(scaled(_VERSIONS))
    return Case(root, _job("start", "ours", package, count), _job("start", "bare", package, count))


def _cadwyn_started(root: Path) -> Case:
    python, count = _cadwyn(), str(scaled(_VERSIONS))
    package = _package(root)
    cadwyn, plain = (
        _job("start", which, package, count, python=python) for which in ("cadwyn", "plain")
    )
    return Case(root, cadwyn, plain)


def _calls(root: Path) -> Case:
    count = str(scaled(4_000))
    ours, plain = (script("called.py", whose, count) for whose in ("ours", "plain"))
    return Case(root, ours, plain, phase="calls")


ROWS: Final = (
    Row(
        name="client",
        what="4,000 calls of the generated client at a service that answers at once",
        against="httpx and the JSON that it reads",
        prepare=_calls,
        ratio=1.3,
        about="httpx itself: a call of the client has a model validated, its version verified and "
        "its address built beside that.",
        runs=3,
    ),
    Row(
        name="serve-newest",
        what="one autoramp at the newest version, requests alone",
        against=_BARE,
        prepare=_requests("single", _NEWEST, 500),
        ratio=1.10,
        about=_BARE_READS,
    ),
    Row(
        name="cadwyn-newest",
        what="one autoramp at the newest version on Cadwyn, requests alone",
        against=_BARE,
        prepare=_cadwyn_requests("single", _NEWEST, 500),
        about=_CADWYN_COPIES,
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
        name="cadwyn-oldest",
        what="the same at the oldest version, where a converter takes FedNow away",
        against=_BARE,
        prepare=_cadwyn_requests("single", _OLDEST, 500),
        about=_CADWYN_COPIES,
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
        name="cadwyn-page",
        what="a page of 100 autoramps at the oldest version on Cadwyn",
        against=_BARE,
        prepare=_cadwyn_requests("page", _OLDEST, 40),
        about="The models are dumped and validated again, a hundred times as many as before.",
    ),
    Row(
        name="around-plain",
        what="one autoramp at the newest version around FastAPI, passed through",
        against="that FastAPI alone",
        prepare=_wrapped_requests("single", _NEWEST, 500),
        ratio=1.05,
        about="To find the operation and its version, and to name the version in the answer.",
    ),
    Row(
        name="around-single",
        what="the same at the oldest version, narrowed",
        against="that FastAPI alone",
        prepare=_wrapped_requests("single", _OLDEST, 500),
        ratio=1.25,
        about="What FastAPI has written is read again, validated, narrowed and written.",
    ),
    Row(
        name="around-page",
        what="a page of 100 autoramps at the oldest version, narrowed around FastAPI",
        against="that FastAPI alone",
        prepare=_wrapped_requests("page", _OLDEST, 40),
        ratio=1.35,
        about="To read, to validate and to write take about the same time; to narrow, the least.",
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
        name="cadwyn-start",
        what="the start of 200 operations and 50 versions on Cadwyn, edits as version changes",
        against="bare FastAPI with the same models",
        prepare=_cadwyn_started,
        about="Each version has its own routes and its own copy of every model that they reach. "
        "Both have models as they are written by hand, which spares Cadwyn more than half.",
        runs=1,
    ),
    Row(
        name="way-down",
        what="100,000 sampled values, shown to callers of every version and environment",
        against="each gate left out of the contract data in turn",
        prepare=promise(
            *("way_down", 100_000, SCHEMAS),
            then=("gates", 1500, SCHEMAS),
        ),
        about="Each is held to the document of its version by jsonschema-rs, is the value itself "
        "where nothing differs, and is searched for the name of anything newer.",
        runs=1,
    ),
    Row(
        name="events",
        what="100,000 random events, rendered for subscribers of 25 versions",
        against="python -c pass",
        prepare=promise("events", 100_000),
        about="Each is rendered by the generated module, held to the document of its version by "
        "jsonschema-rs, and searched for the name of anything newer. It fails with a leak, and "
        "where rendering takes more than 20 microseconds (median).",
        runs=1,
    ),
    Row(
        name="doors",
        what="10,000 random requests to a shop of six versions at three doors",
        against="python -c pass",
        prepare=promise("doors", 10_000),
        about="The generated server, the layer around FastAPI, and the proxy before Node have to "
        "answer alike, and nothing newer than the caller; a gate taken out of the contract data "
        "has to be noticed at each.",
        runs=1,
    ),
    Row(
        name="proxy",
        what="requests through the proxy, the same without versions, and 100 MB",
        against="python -c pass",
        prepare=promise("proxy", 1500),
        about="Printed is what the proxy adds to the server behind it, asked directly. It fails "
        "over 1.10 x the same proxy without versions, and over 20 MiB for 100 MB.",
        runs=1,
    ),
    Row(
        name="existing",
        what="an application of 95 operations from the package index, wrapped as it is",
        against="python -c pass",
        prepare=promise("existing"),
        about="It is installed, adopted from its code as the newer of two versions with five "
        "gates, checked and cut. Answers to the newest callers have to be its own, and older "
        "callers get theirs.",
        runs=1,
    ),
    Row(
        name="conformance",
        what="schemathesis over the payment API, 3 versions x 2 environments, all checks",
        against="python -c pass",
        prepare=promise("conformance", 50),
        about="It reads the documents that are served. What the specification itself brings about "
        "is told beside, with its reason.",
        runs=1,
    ),
)
