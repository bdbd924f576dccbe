"""The rows of the table about the daily loop: an edit, a fresh clone, all outputs from nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.edited import FIELDS
from benchmarks.measure import Case, FailedError
from benchmarks.rows import (
    DATELINE,
    PASS,
    Row,
    SkippedError,
    copy_project,
    data,
    promise,
    script,
    unpack,
)

_OUTPUT: Final = "generated"
_BESIDE: Final = f".{_OUTPUT}.dateline"

# The documents from which Stripe's API is adopted, by version.
_STRIPE: Final = {
    "2019-10-17": "stripe-2019-10-17/head.*.gz",
    "2020-08-27": "stripe-2020-08-27/head.*.gz",
    "2022-11-15": "stripe-2022-11-15/head.*.gz",
}


def _run(folder: Path, command: list[str]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        raise FailedError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")


@cache
def _adopt_stripe(home: str) -> tempfile.TemporaryDirectory[str]:
    """Return a folder with the sources of Stripe's API, adopted once for all rows."""
    made = tempfile.TemporaryDirectory(prefix="bench-")
    given = {}
    for day, name in _STRIPE.items():
        found = sorted(Path(home).glob(name))
        if not found:
            raise SkippedError(f"no {name} in {home}")
        given[day] = found[0]
    _adopt(Path(made.name), given)
    return made


def _adopt(root: Path, given: dict[str, Path]) -> None:
    named = []
    for day, packed in given.items():
        plain = root / f"{day}.{'json' if '.json' in packed.name else 'yaml'}"
        unpack(packed, plain)
        named.append(f"{day}={plain.name}")
    _run(root, [DATELINE, "adopt", *named])


def _stripe(root: Path) -> str:
    """Write the sources of Stripe's API into *root*; return the largest of them."""
    shutil.copytree(Path(_adopt_stripe(data()).name, "schemas"), root / "schemas")
    sources = [*(root / "schemas").glob("*.yaml")]
    largest = max(sources, key=lambda path: (path.stat().st_size, path.name))
    return str(largest.relative_to(root))


def _klaviyo(root: Path) -> str:
    found = sorted(Path(data()).glob("chain-klaviyo/*.json.gz"))
    if not found:
        raise SkippedError(f"no chain-klaviyo in {data()}")
    _adopt(root, {path.name.partition(".")[0]: path for path in found})
    return ""


def _payments(root: Path) -> str:
    copy_project(root)
    return "schemas/customers.yaml"


def _after(options: list[str], *arguments: str) -> list[str]:
    return script("edited.py", *options, DATELINE, *arguments)


def _prepare_edit(sources: Callable[[Path], str], *arguments: str) -> Callable[[Path], Case]:
    """Return a function that sets up a command after an edit of a word; the warm-up is cold."""

    def prepare(root: Path) -> Case:
        return Case(root, _after(["--word", sources(root)], *arguments), PASS)

    return prepare


def _prepare_extension(*arguments: str) -> Callable[[Path], Case]:
    """Return a function that sets up a command after a field was added to Stripe's API."""

    def prepare(root: Path) -> Case:
        _stripe(root)
        if _is_full(root):
            _run(root, [DATELINE, "generate", "-q"])
        sources = sorted((root / "schemas").glob("*.yaml"))
        source = next(each for each in sources if re.search(FIELDS, each.read_text("utf-8")))
        return Case(root, _after(["--field", str(source)], *arguments), PASS)

    return prepare


def _cold(sources: Callable[[Path], str]) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        sources(root)
        shutil.rmtree(root / _OUTPUT, ignore_errors=True)
        return Case(root, _after(["--without", _BESIDE, "--without", _OUTPUT], "generate"), PASS)

    return prepare


def _fresh(root: Path) -> Case:
    _stripe(root)
    cold = _after(["--without", _BESIDE, "--without", _OUTPUT], "generate")
    if _is_full(root):
        _run(root, [DATELINE, "generate", "-q"])
    return Case(root, _after(["--without", _BESIDE], "generate", "--check"), cold)


def _status(root: Path) -> Case:
    source = _stripe(root)
    if _is_full(root):
        _run(root, [DATELINE, "generate", "-q"])
    edit = ["--word", source]
    return Case(root, _after(edit, "status"), _after(edit, "check"))


def _is_full(root: Path) -> bool:
    """Return whether the sources are those of real documents, not the small ones of a test."""
    return sum(path.stat().st_size for path in (root / "schemas").glob("*.yaml")) > 1 << 20


ROWS: Final = (
    Row(
        name="edit-payments",
        what="dateline generate, payment API, one word edited: all outputs, site too",
        against="python -c pass",
        prepare=_prepare_edit(_payments, "generate"),
        cpu=0.25,
        about="More than half is imports. The documents, the package and the site come from the "
        "cache, with the edited word filled in.",
    ),
    Row(
        name="cold-payments",
        what="dateline generate, payment API, from nothing: all outputs, site too",
        against="python -c pass",
        prepare=_cold(_payments),
        cpu=0.8,
        about="The judge and datamodel-code-generator, their imports above all.",
    ),
    Row(
        name="edit-stripe",
        what="dateline generate, Stripe's API of three versions, one word edited",
        against="python -c pass",
        prepare=_prepare_edit(_stripe, "generate"),
        cpu=3.0,
        about="What is published is read and compared. The readings of the definitions that did "
        "not change come from the cache, and so do change pages, unless they quote the "
        "word, and the documents and the package, into which it is filled in.",
        runs=3,
    ),
    Row(
        name="field-stripe",
        what="the same, one optional field added to a component",
        against="python -c pass",
        prepare=_prepare_extension("generate"),
        cpu=3.0,
        about="A check, and all outputs as from nothing: their caches depend on the whole meaning "
        "of the definitions.",
        runs=2,
    ),
    Row(
        name="check-field-stripe",
        what="the same, check after it",
        against="python -c pass",
        prepare=_prepare_extension("check"),
        cpu=1.0,
        about="A third is the search for values that can't be sent to older callers, a third the "
        "comparison with what is published and of the versions with each other.",
        runs=2,
    ),
    Row(
        name="cold-stripe",
        what="the same from nothing",
        against="python -c pass",
        prepare=_cold(_stripe),
        cpu=8,
        memory=300,
        about="Models and contract data take half of the time; change pages and their samples "
        "come next. Each output goes to a temporary file as soon as it is laid out, and "
        "what one stage has read is freed before the next, as are the cycles of "
        "comparisons and contract data, so memory is that of the largest stage.",
        runs=2,
    ),
    Row(
        name="fresh-stripe",
        what="the same, generate --check without a cache, as in a fresh clone",
        against="generate from nothing",
        prepare=_fresh,
        ratio=0.5,
        about="Files in a commit can't vouch for themselves, so all outputs are rendered and "
        "compared. The check of the contract, the validation of documents and writing are "
        "left out. Only readings of the definitions are kept in the cache.",
        runs=1,
    ),
    Row(
        name="status-stripe",
        what="the same, status after an edit",
        against="check after an edit",
        prepare=_status,
        ratio=1,
        about="Imports and reading the definitions are most of both commands. The documents, "
        "with the edited word filled in, the places of what is reported and the additions come "
        "from the cache. What was added is compared again after an edit of a word, unless "
        "nothing but words differs from the record.",
        runs=3,
    ),
    Row(
        name="cold-klaviyo",
        what="dateline generate, a chain of Klaviyo's versions, from nothing",
        against="python -c pass",
        prepare=_cold(_klaviyo),
        cpu=30,
        memory=400,
        about="Change pages of every two versions, then contract data.",
        runs=1,
    ),
    Row(
        name="caches",
        what="1,000 random edits: commands with a full, an empty, a stale and a damaged cache",
        against="python -c pass",
        prepare=promise("caches", 1000),
        about="Each of five commands, four times; what it prints and writes is compared.",
        runs=0,
    ),
)
