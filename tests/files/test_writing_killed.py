"""A run killed at any point leaves the old tree or the new one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.written_trees import NEW, OLD, decoded, python, text

# Every point at which a run can be killed


CRASHES = """
import ctypes, itertools, json, os, shutil, signal, sys
from pathlib import Path
from dateline import files
from dateline.files.switching import EXCHANGES
from dateline.fresh import is_unchanged_since
from dateline.model import Artifact

before, after, way = json.loads(sys.argv[1])
given = [Artifact(path=path, content=content.encode()) for path, content in after.items()]
folder = Path("generated")
# what a killed process wrote is not lost: that takes a power cut
os.fsync = lambda _: None
if way == "two renames":
    EXCHANGES.clear()

def tree():
    if not folder.exists():
        return None
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}

def kill_at(point):
    # between events that only read, the state of the disk is the same
    passed = itertools.count(1)
    def hook(event, arguments):
        writes = event == "open" and arguments[1] != "r"
        if writes or event.startswith(("os.", "ctypes.", "fcntl.")) and event != "os.scandir":
            if next(passed) == point:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

def crashes():
    # for each point: the tree after the kill, what is stale then, and what the next run makes
    for point in itertools.count(1):
        shutil.rmtree("run", ignore_errors=True)
        shutil.copytree("start", "run", symlinks=True)
        os.chdir("run")
        child = os.fork()
        if not child:
            kill_at(point)
            files.write(given, folder, key="after")
            os._exit(0)
        killed = os.waitpid(child, 0)[1] != 0
        crash = {"killed": killed, "tree": tree(), "done": is_unchanged_since(folder, "after")}
        if crash["tree"] is None:
            shutil.rmtree("../torn", ignore_errors=True)
            shutil.copytree(".", "../torn", symlinks=True)
            crash["stale"] = [str(file) for file in files.find_stale(given, folder)]
            crash["recovered"] = tree()
        files.write(given, folder)
        crash["next"] = tree()
        crash["beside"] = sorted({*os.listdir(".generated.dateline")} - {"record"})
        os.chdir("..")
        yield crash
        if not killed:
            return

os.mkdir("start")
if before is not None:
    os.chdir("start")
    files.write([Artifact(path=p, content=c.encode()) for p, c in before.items()], folder)
    os.chdir("..")
first = list(crashes())
again = []
if Path("torn").exists():
    shutil.rmtree("start")
    os.rename("torn", "start")
    again = list(crashes())
print(json.dumps([first, again]))
"""


def crashes(
    folder: Path, before: dict[str, bytes] | None, way: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Kill a run that writes NEW over *before* at each point, and then one that recovers."""
    start = None if before is None else decoded(before)
    run = python(CRASHES, json.dumps([start, decoded(NEW), way]), cwd=folder.parent)
    assert run.stderr == ""
    first, again = json.loads(run.stdout)
    for crash in first + again:
        assert crash["next"] == text(NEW)
        assert crash["beside"] == [".gitignore", "lock", "written"]
        assert not crash["done"] or crash["tree"] == text(NEW)
    assert [crash["killed"] for crash in first] == [True] * (len(first) - 1) + [False]
    assert first[-1]["tree"] == text(NEW)
    assert first[-1]["done"]
    return first, again


def names(observed: list[dict[str, Any]], **trees: dict[str, str] | None) -> list[str]:
    """Return which of *trees* each kill left, without repetitions."""
    found = [next(n for n, t in trees.items() if t == crash["tree"]) for crash in observed]
    return [name for at, name in enumerate(found) if at == 0 or found[at - 1] != name]


def test_kill_leaves_no_tree_or_the_first_one(folder: Path) -> None:
    first, again = crashes(folder, None, "exchange")
    assert names(first, nothing=None, new=text(NEW)) == ["nothing", "new"]
    # the run that cleans up may be killed as well
    assert names(again, nothing=None, new=text(NEW)) == ["nothing", "new"]


def test_kill_leaves_the_old_tree_or_the_new_one(folder: Path) -> None:
    first, again = crashes(folder, OLD, "exchange")
    assert names(first, old=text(OLD), new=text(NEW)) == ["old", "new"]
    assert again == []


def test_kill_between_two_renames_is_recovered_from(folder: Path) -> None:
    first, again = crashes(folder, OLD, "two renames")
    old, new = text(OLD), text(NEW)
    assert names(first, nothing=None, old=old, new=new) == ["old", "nothing", "new"]
    torn = [(crash["stale"], crash["recovered"]) for crash in first if crash["tree"] is None]
    states = ["come/e.txt: missing", "deep/er/b.txt: outdated", "gone/d.txt: extra"]
    assert torn == [([*states, "manifest.json: outdated"], old)]
    # the run that recovers may be killed as well
    assert names(again, nothing=None, old=old, new=new) == ["nothing", "old", "nothing", "new"]
