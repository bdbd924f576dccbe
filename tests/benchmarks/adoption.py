"""The rows of the table about adopting."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.measure import Case
from benchmarks.rows import CORPUS, DATA, PASS, Row, SkippedError, data, scaled, script


def _documents(
    job: str, *patterns: str, but: str = "", by: str = "adopting.py"
) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        homes = sorted(
            str(path.parent)
            for pattern in patterns
            for path in Path(data()).glob(f"{pattern}/head.*.gz")
            if path.parent.name != but
        )
        if not homes:
            raise SkippedError(f"no documents in {DATA}")
        return Case(root, script(by, job, *homes), PASS)

    return prepare


def _random(by: str) -> Callable[[Path], Case]:
    return lambda root: Case(root, script(by, "random", str(scaled(500))), PASS)


def _corpus(root: Path) -> Case:
    folder = os.environ.get(CORPUS)
    if folder is None:
        raise SkippedError(f"{CORPUS} is not set")
    return Case(root, script("corpus.py", folder, "--json"), PASS)


_GITHUB: Final = "github-2026-03-10"

ROWS: Final = (
    Row(
        name="corpus",
        what="any documents: read, adopted, given back equal, served",
        against="python -c pass",
        prepare=_corpus,
        about="`python tests/benchmarks/corpus.py FOLDER` prints a line for each document: how far "
        "it comes, why no further, CPU seconds and MiB.",
        runs=1,
    ),
    Row(
        name="adopt-github",
        what="GitHub's API of 2022-11-28 and 2026-03-10 adopted as two versions",
        against="python -c pass",
        prepare=_documents("pair", _GITHUB),
        cpu=60,
        memory=1024,
        about="To write and read again ten megabytes of YAML, and to check them, three times over: "
        "the documents, what was merged, what was written. Merging looks at what differs alone.",
        runs=1,
    ),
    Row(
        name="adopt-stripe-chain",
        what="Stripe's API of four dates adopted as four versions",
        against="python -c pass",
        prepare=_documents("chain", "stripe-*"),
        about="The same; each version differs from the one before in thousands of places.",
        runs=1,
    ),
    Row(
        name="adopt-pairs",
        what="all other pairs of real documents adopted",
        against="python -c pass",
        prepare=_documents("pair", "*", but=_GITHUB),
        about="The same.",
        runs=1,
    ),
    Row(
        name="adopt-random",
        what="500 random chains of five versions adopted",
        against="python -c pass",
        prepare=_random("adopting.py"),
        about="Half of it is to make them: each edit is kept only if it leaves a sound document.",
        runs=1,
    ),
    Row(
        name="shown-random",
        what="500 random chains of five versions: what is shown fits at every version",
        against="python -c pass",
        prepare=_random("mocked.py"),
        about="The same, and to make values up.",
        runs=1,
    ),
    *(
        Row(
            name=f"mock-{name}",
            what=f"the mock of {what}, adopted: every GET at every version",
            against="python -c pass",
            prepare=_documents(job, pattern, by="mocked.py"),
            about="To generate the server, most of it the models; then to make values up.",
            runs=1,
        )
        for name, what, job, pattern in (
            ("github", "GitHub's API", "pair", _GITHUB),
            ("stripe-2018", "Stripe's API of 2018-11-08", "pair", "stripe-2018-11-08"),
            ("stripe-2019", "Stripe's API of 2019-10-17", "pair", "stripe-2019-10-17"),
            ("stripe-2020", "Stripe's API of 2020-08-27", "pair", "stripe-2020-08-27"),
            ("stripe-2022", "Stripe's API of 2022-11-15", "pair", "stripe-2022-11-15"),
            ("stripe-chain", "Stripe's API of four dates", "chain", "stripe-*"),
        )
    ),
)
