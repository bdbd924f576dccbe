"""The rows of the table about generated models: reading, writing, importing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.measure import Case
from benchmarks.rows import PASS, REPOSITORY, Row, scaled, script

_THEIRS: Final = "models of datamodel-code-generator that keep unknown fields"
_COUNT: Final = 20_000
_IMPORT: Final = (
    f"import sys; sys.path.insert(0, {str(REPOSITORY / 'generated/python')!r}); "
    "import paynet.v2026_07_01"
)


def _transactions(phase: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        ours, theirs = (
            script("validated.py", whose, str(scaled(_COUNT))) for whose in ("ours", "theirs")
        )
        return Case(root, ours, theirs, phase=phase)

    return prepare


def _import(root: Path) -> Case:
    return Case(root, [sys.executable, "-c", _IMPORT], PASS)


ROWS: Final = (
    Row(
        name="models-read",
        what="20,000 transactions read from plain values",
        against=_THEIRS,
        prepare=_transactions("read"),
        ratio=1.1,
        about="pydantic-core reads formats, open-ended values and numbers itself where it agrees "
        "with JSON Schema; Python decides about the rest.",
        runs=3,
    ),
    Row(
        name="models-read-text",
        what="20,000 transactions read from JSON",
        against=_THEIRS,
        prepare=_transactions("read text"),
        ratio=1.1,
        about="The same from JSON.",
        runs=3,
    ),
    Row(
        name="models-write",
        what="20,000 transactions written as plain values",
        against=_THEIRS,
        prepare=_transactions("write"),
        ratio=1.1,
        about="For each field that may be left out, pydantic-core calls a function that decides; "
        "the call costs the same with any function, also with one in C (`callable`). Theirs "
        "writes null for what is left out, and takes longer than ours where it does not "
        "(`exclude_unset`). pydantic's sentinel `MISSING` needs no call (1.02), but is true where "
        "`ABSENT` is false.",
        runs=3,
    ),
    Row(
        name="models-write-text",
        what="20,000 transactions written as JSON",
        against=_THEIRS,
        prepare=_transactions("write text"),
        ratio=1.1,
        about="The same to JSON.",
        runs=3,
    ),
    Row(
        name="models-import",
        what="importing the models of one version of the payment API",
        against="an interpreter that starts and ends",
        prepare=_import,
        cpu=0.25,
        about="To import pydantic. Schemas are built at the first use of a model, and modules "
        "have what the same versions have.",
    ),
)
