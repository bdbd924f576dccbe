"""Every kind of row of the bench can be set up, and the baseline of each row of generating runs."""

from __future__ import annotations

import csv
import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest
from bench import ROWS
from benchmarks import generating
from benchmarks.measure import pair
from benchmarks.rows import DATA, DATELINE, PASS, REPOSITORY, SCALE, Row, SkippedError
from support.launched import launch_folder
from support.seeds import IN_CI

_RUN: Final = subprocess.run
_PAIRS: Final = (
    "github-2026-03-10",
    *("stripe-2018-11-08", "stripe-2019-10-17", "stripe-2020-08-27", "stripe-2022-11-15"),
)
_COLUMNS: Final = (
    *("id", "kind", "operation_or_schema", "field", "breaking_by_provider", "visible", "source"),
    *("base_check", "head_check", "note"),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents with the names of the real ones."""
    root = tmp_path_factory.mktemp("data")
    spec = REPOSITORY / "generated/spec/production"
    for name in _PAIRS:
        home = root / name
        home.mkdir()
        for side, date in (("base", "2025-03-13"), ("head", "2026-07-01")):
            packed = gzip.compress((spec / f"{date}.json").read_bytes())
            (home / f"{side}.json.gz").write_bytes(packed)
        with (home / "changes.tsv").open("w", encoding="utf-8") as file:
            csv.writer(file, delimiter="\t").writerow(_COLUMNS)
    return root


# Many rows are set up by one function, with other names and amounts.
_PREPARED: Final = {row.prepare.__code__: row for row in reversed(ROWS)}


@IN_CI
@pytest.mark.parametrize("row", _PREPARED.values(), ids=lambda row: row.name)
def test_each_kind_of_row_can_be_prepared(
    row: Row, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA, str(data))
    monkeypatch.setenv(SCALE, "0.000001")
    monkeypatch.setattr(subprocess, "run", _run_launched)
    # a folder like that of the bench; that of pytest is closed to the user who runs PostgreSQL
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        _require_prepared(row, Path(root))


def _run_launched(command: list[str], **options: Any) -> Any:
    name = {DATELINE: "dateline", sys.executable: "python"}.get(command[0])
    return _RUN([launch_folder() / name if name else command[0], *command[1:]], **options)


def _require_prepared(row: Row, root: Path) -> None:
    try:
        case = row.prepare(root)
    except SkippedError as reason:
        pytest.skip(str(reason))
    assert case.folder == root
    for command in (case.command, case.against):
        program, *arguments = command
        assert shutil.which(program) is not None
        assert all(Path(each).is_file() for each in arguments[:1] if each.endswith(".py"))


def test_baselines_of_generating_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCALE, "0.04")
    (row,) = (row for row in generating.ROWS if row.name == "payments")
    case = row.prepare(tmp_path)
    measured = pair(case._replace(command=PASS), 0)
    assert measured.against.phases.keys() == {"python", "imports", "load", "write"}
    written = tmp_path / "out"
    names = {path.relative_to(written) for path in written.rglob("*") if path.is_file()}
    schemas = REPOSITORY / "schemas"
    assert names == {path.relative_to(schemas) for path in schemas.rglob("*") if path.is_file()}
