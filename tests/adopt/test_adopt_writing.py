"""Adopting writes a complete folder or nothing, whenever it is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.adopted_apis import Document, adopt_all, api

from dateline.adopt import UsageError, adopt

SOURCE = Path(__file__).parents[2] / "src"

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Library", "version": "1"},
    "paths": {"/loan": {"get": {"tags": ["Loans"], "responses": {"200": {"description": "ok"}}}}},
}
NAMES = [
    "_additions/spec/production/2024-01-15.json",
    "common.yaml",
    "loans.yaml",
    "versions.yaml",
]

# Kills a fork at each event of the file system in turn, and prints the content of the folder after
# each kill and after one more run.
CRASHES = """
import json, os, shutil, signal, sys
from pathlib import Path
from dateline.adopt import adopt

root, empty = Path(sys.argv[1]), sys.argv[2] == "empty"
folder = root / "schemas"
arguments = (f"2024-01-15={root / 'a.json'}",)

def run(point):
    passed = 0
    def hook(name, given):
        nonlocal passed
        # between events that only read, the state of the disk is the same
        writes = name.startswith("os.") if name != "open" else given[1] != "r"
        if point and writes and name != "os.scandir" and str(root) in str(given):
            passed += 1
            if passed == point:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    adopt(arguments, folder)

def names():
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(map(str, files)) if folder.exists() else None

# what is imported late is imported now
adopt(arguments, root / "warm")
point = 0
killed = True
while killed:
    point += 1
    shutil.rmtree(folder, ignore_errors=True)
    if empty:
        folder.mkdir()
    child = os.fork()
    if not child:
        run(point)
        os._exit(0)
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    after = names()
    if not after:
        adopt(arguments, folder)
    print(json.dumps([after, names(), [path.name for path in root.glob(".schemas*")]]))
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


@pytest.mark.parametrize("before", ["missing", "empty"])
def test_kill_at_any_moment_leaves_nothing_or_everything(document: Path, before: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CRASHES, document.parent, before],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    nothing: list[str] | None = None if before == "missing" else []
    assert len(outcomes) > 10
    assert all(after in (nothing, NAMES) for after, _, _ in outcomes)
    assert outcomes[0][0] == nothing
    assert outcomes[-1][0] == NAMES
    # the next run starts anew, and leaves nothing of the earlier one
    assert all(again == NAMES for _, again, _ in outcomes)
    assert all(left == [] for after, _, left in outcomes if after == nothing)


def test_existing_files_are_left_alone(document: Path) -> None:
    folder = document.parent / "schemas"
    folder.mkdir()
    (folder / "mine.yaml").write_text("a: 1\n")
    with pytest.raises(UsageError):
        adopt((f"2024-01-15={document}",), folder)
    assert [path.name for path in folder.iterdir()] == ["mine.yaml"]


def test_unwritable_folder_is_reported(document: Path) -> None:
    from dateline.model import DatelineError

    (document.parent / "file").write_text("")
    with pytest.raises(DatelineError) as refused:
        adopt((f"2024-01-15={document}",), document.parent / "file" / "schemas")
    assert "can't be written" in str(refused.value)


def test_long_files_are_split_and_long_lines_folded(tmp_path: Path) -> None:
    text = "What is lent, to whom and until when. " * 9
    names = [f"Loan{number}" for number in range(200)]
    properties = {f"field{number}": {"type": "string", "description": text} for number in range(9)}
    schemas = {name: {"type": "object", "properties": properties} for name in names}
    document = api(schemas=schemas)
    adopt_all(tmp_path, [document])
    files = {path.name: path.read_text() for path in (tmp_path / "schemas").glob("*.yaml")}
    lines = {name: written.count("\n") for name, written in files.items()}
    # each is named after its first component
    divided = {f"common-loan{number}.yaml" for number in range(28, 200, 28)}
    assert lines.keys() == {"common.yaml", "loan.yaml", "versions.yaml", *divided}
    assert all(lines[name] < 2100 for name in divided)
    assert max(len(line) for written in files.values() for line in written.split("\n")) <= 120


def test_overflow_of_the_common_file_is_in_the_first_file_that_uses_it(tmp_path: Path) -> None:
    fields = {f"field{number}": {"type": "string"} for number in range(500)}
    schemas = {name: {"type": "object", "properties": fields} for name in ("All", "Some", "One")}
    used = {"a": ("All",), "b": ("All", "Some"), "c": ("All", "Some", "One")}
    paths = {
        f"/{tag}": {
            "get": {"tags": [tag], "responses": {"200": {"description": "d", **refer(*names)}}}
        }
        for tag, names in used.items()
    }
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    adopt_all(tmp_path, [{**document, "components": {"schemas": schemas}}])
    written = {path.stem: path.read_text() for path in (tmp_path / "schemas").glob("*.yaml")}
    homes = {
        name: [file for file, text in written.items() if f"\n    {name}:\n" in text]
        for name in schemas
    }
    assert homes == {"All": ["common"], "Some": ["b"], "One": ["c"]}


def refer(*names: str) -> Document:
    members = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return {"content": {"application/json": {"schema": {"allOf": members}}}}


def test_keys_of_any_length_are_adopted(tmp_path: Path) -> None:
    names = ["k" * 1024, "k" * 1025, "a: " * 500]
    loan = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    examples = {"loan": {"value": dict.fromkeys([*names, "\n" * 700], 1)}}
    adopt_all(tmp_path, [api(loan=loan), api(loan={**loan, "examples": [examples]})])
