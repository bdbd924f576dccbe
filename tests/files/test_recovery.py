"""A command that reads after another was killed while it wrote sees no mix of files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from support.commands import dateline, exit_with
from support.forks import FileEvents, KillAt, run_beforehand, run_forked
from support.seeds import scale
from support.sources import LIBRARY, LOANS, VERSIONS, folder

SOURCE = Path(__file__).parents[2] / "src"

PAUSED = (
    "        - { const: paused, x-added: next, x-shown-as: active, x-why: a loan can be paused }\n"
)
NEXT = "  - { date: next, title: Loans can be paused, draft: true }\n"

# There is no draft, so that a gate changes two files: it also adds the version.
FILES = {
    **LIBRARY,
    "versions.yaml": VERSIONS.replace(NEXT, ""),
    "loans.yaml": LOANS.replace(PAUSED, ""),
}
EDITED = {
    **FILES,
    "loans.yaml": FILES["loans.yaml"].replace("        note: { type: string }\n", ""),
}


def read_content(schemas: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in schemas.iterdir() if path.is_file()}


def put_back(schemas: Path, files: dict[str, str]) -> None:
    for path in sorted(schemas.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder(schemas.parent, files)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_reader_after_a_killed_gate_sees_the_old_or_the_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    schemas = folder(tmp_path, FILES)
    assert dateline("generate").status == 0
    put_back(schemas, EDITED)
    for command in ("check", "gate"):
        run_beforehand(partial(dateline, command))
    gated = read_content(schemas)
    assert {name for name in EDITED if gated[name] != EDITED[name]} == {
        "versions.yaml",
        "loans.yaml",
    }
    outcomes = []
    status, point, step = -signal.SIGKILL, 1, 4 // scale(4)
    while status:
        put_back(schemas, EDITED)
        gate = KillAt(point, FileEvents(start=".dateline-edit"), partial(exit_with, "gate"))
        status = run_forked(gate)
        assert status in (0, -signal.SIGKILL)
        checked = run_forked(partial(exit_with, "check"))
        outcomes.append((read_content(schemas), checked))
        point += step
        assert not (schemas / ".dateline-edit").exists()
    old, new = (EDITED, 1), (gated, 0)
    assert outcomes[0] == old
    assert outcomes[-1] == new
    # the switch happens once, and a kill after it is completed
    assert outcomes.count(new) > 1
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome == new)


WRITES = """\
import subprocess, sys
from pathlib import Path
from dateline.files.sources import Replacement, write

folder, event, point = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
reads = [sys.executable, "-c", sys.argv[4], folder]
reading, passed = None, 0

def hook(name, arguments):
    global reading, passed
    if name == event and ".dateline-edit" in str(arguments[0]):
        passed += 1
        if passed == point:
            reading = subprocess.Popen(reads)

sys.addaudithook(hook)
write(folder, [Replacement(name=name, before=b"old", after=b"new") for name in ("a", "b")])
sys.exit(reading.wait())
"""

READS = """\
import sys
from pathlib import Path
from dateline.files.sources import recover

folder = Path(sys.argv[1])
recover(folder)
sys.exit({(folder / name).read_bytes() for name in ("a", "b")} != {b"new"})
"""


@pytest.mark.parametrize(
    ("event", "point"), [("open", 1), ("open", 2), ("open", 3), ("os.rename", 1), ("os.rename", 2)]
)
def test_concurrent_reader_waits_for_the_new_files(tmp_path: Path, event: str, point: int) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"old")
    run = subprocess.run(
        [sys.executable, "-c", WRITES, tmp_path, event, str(point), READS],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a": b"new",
        "b": b"new",
    }
