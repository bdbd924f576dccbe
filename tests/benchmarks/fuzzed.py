"""Rows that damage inputs: none may cause a traceback, take long or need much memory."""

from __future__ import annotations

from typing import Final

from support.fuzzing import TARGETS

from benchmarks.rows import Row, promise

ROWS: Final = tuple(
    Row(
        name=f"fuzz-{target}",
        what=f"10,000 damaged {target}: all read, or refused in our own words",
        against="python -c pass",
        prepare=promise("fuzz", target, "10000"),
        cpu=300,
        memory=600,
        about="Half of the damage is in the structure, half in the bytes.",
        runs=1,
    )
    for target in TARGETS
)
