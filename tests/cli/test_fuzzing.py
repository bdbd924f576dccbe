"""Damaged inputs are refused with an error of dateline, never a traceback: a few of each kind.

The bench tries 10,000 of each (rows `fuzz-*`).
"""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import TARGETS, list_crashes
from support.tables import cases

COUNTS = {"templates": 6, "baseline": 10, "shortcut": 10}


@cases("target", TARGETS)
def test_damaged_input_causes_no_traceback(tmp_path: Path, target: str) -> None:
    assert list_crashes(target, tmp_path, 7, COUNTS.get(target, 20)) == []
