"""Commands that are killed before each step that they take on the disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

# Every moment at which a cut can be killed


KILLS = """
import json, os, shutil, sys
from contextlib import redirect_stdout
from pathlib import Path
from support.commands import dateline, held
from dateline.files.sources import recover
from dateline.files.exchange import EXCHANGES

way, *command = sys.argv[1:]
if way == "two renames":
    EXCHANGES.clear()
home = Path.cwd()
watched, seen = False, []

def disk():
    return {
        str(path): path.read_text("utf-8") if path.is_file() else None
        for path in sorted(Path().rglob("*"))
        if ".git" not in path.parts
    }

def hook(event, arguments):
    # what a kill leaves is what is there before the next step
    global watched
    if watched and is_step(event, arguments):
        watched = False
        seen.append(disk())
        watched = True

STEPS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.link", "ctypes.dlsym"}

def is_step(event, arguments):
    if event == "open":
        return arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and is_ours(arguments[0])
    return event in STEPS and (event == "ctypes.dlsym" or is_ours(arguments[0]))

def is_ours(path):
    return isinstance(path, (str, os.PathLike)) and str(home) in os.path.abspath(path)

def watch(action):
    global watched, seen
    seen, watched = [], True
    action()
    watched = False
    return list({told_apart(state): state for state in [*seen, disk()]}.values())

def told_apart(state):
    # how far the new tree is staged makes no difference
    parts = [(name, text) for name, text in state.items() if name.count("/") < 2 or name[0] != "."]
    return json.dumps(parts)

def put(state):
    os.chdir(home)
    shutil.rmtree("run", ignore_errors=True)
    os.mkdir("run")
    os.chdir("run")
    for name, text in state.items():
        Path(name).mkdir() if text is None else Path(name).write_text(text, "utf-8")

def now():
    return {
        name: text
        for name, text in held(Path()).items()
        if name.startswith(FOLDERS) and ".dateline-edit" not in name
    }

def act():
    assert dateline(*command).status == 0

FOLDERS = ("schemas/", "generated/")
start = disk()
sys.addaudithook(hook)
put(start)
old = now()
states = watch(act)
new = now()
named = lambda: next(name for name, tree in {"old": old, "new": new}.items() if tree == now())
first, again, checked = [], [], []
for state in states:
    put(state)
    mixed = now() not in (old, new)
    recoveries = watch(lambda: recover(Path("schemas")))
    first.append(named())
    if mixed:
        for recovery in recoveries:
            put(recovery)
            recover(Path("schemas"))
            again.append(named() == first[-1])
        put(state)
        checked.append([dateline("check").status, named()])
print(json.dumps([first, again, checked, new]))
"""


def killed(prepared: Path, root: Path, way: str, seed: str, *command: str) -> Any:
    """Return which tree each kill of *command* leaves for the next one, and the new tree."""
    shutil.copytree(prepared, root)
    tests = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", KILLS, way, *command],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": f"{tests.parent / 'src'}{os.pathsep}{tests}",
            "PYTHONHASHSEED": seed,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    return json.loads(run.stdout)
