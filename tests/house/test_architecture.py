"""ARCHITECTURE.md lists the existing rooms in the order of their imports."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

from support.launched import launch_folder

TOP = Path(__file__).parents[2]
ROOMS = runpy.run_path(str(Path(__file__).with_name("test_rooms.py")))["ROOMS"]
TEXT = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_listed_rooms_are_the_existing_ones() -> None:
    table = TEXT.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(ROOMS)


def test_flow_can_be_traced() -> None:
    script = TOP / "tests" / "support" / "flow.py"
    run = subprocess.run(
        [launch_folder() / "python", str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=TOP,
    )
    assert run.stderr == ""
    steps = re.findall(r"^(\w+): \d+ modules, \d+ functions$", run.stdout, re.MULTILINE)
    assert steps == ["load", "project", "diff", "render", "edit"]
    assert "gated [value-added] LoanState: value lost added" in run.stdout
