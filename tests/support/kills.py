"""Kill a command at each of its file events, and observe the result of the next command.

Run as a script in the folder of a project: `python -m support.kills WAY EVERY [COMMAND...]`. A kill
leaves the state of the disk before an event: the command runs once, and before each event the
folder is copied and the next command runs in the copy, where no process has a lock. Events are
those of `sys.addaudithook`, and each fsync.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from support.launched import TESTS, launch_folder

STEPS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.link"})

# Commands that read a project, from most to least; they take turns after the kills.
READERS = [["check"], ["history", "LoanState"], ["status"], ["diff", "2025-06-01", "2025-06-01"]]
CHEAP = ["schema", "versions"]

State = dict[str, bytes | None]
"""What a folder holds, by path; None for a folder."""

LASTING = frozenset({".gitignore", "cache", "lock", "record", "written"})


class Kill(NamedTuple):
    """The outcome of a kill: the project that the next command saw, and the files left over."""

    killed: bool
    half_done: bool
    command: list[str]
    status: int
    project: str
    left: list[str]


class Kills(NamedTuple):
    """The outcomes for a command, and for a command that recovers from a kill of the first."""

    first: list[Kill]
    again: list[Kill]
    new: dict[str, str]


def kill_everywhere(prepared: Path, root: Path, way: str, *command: str, every: int = 1) -> Kills:
    """Kill *command* in a copy of *prepared* at *root*, switching trees in the way *way*.

    It is killed at every event, or at each event whose number is a multiple of *every*.
    """
    shutil.copytree(prepared, root / "project")
    run = subprocess.run(
        [launch_folder() / "python", "-m", "support.kills", way, str(every), *command],
        cwd=root / "project",
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    first, again, new = json.loads(run.stdout)
    return Kills([Kill(*one) for one in first], [Kill(*one) for one in again], new)


def require_old_or_new(observe_kills: Kills) -> None:
    """Assert that each command after a kill saw the old or the new project; no file is left."""
    for observed in (observe_kills.first, observe_kills.again):
        assert [one.killed for one in observed] == [True] * (len(observed) - 1) + [False]
        assert {one.project for one in observed} <= {"old", "new"}
        assert [one for one in observed if one.left or one.status not in (0, 1)] == []
        # the switch from old to new happens once
        projects = [one.project for one in observed]
        assert projects == sorted(projects, key=("old", "new").index)
    assert {one.project for one in observe_kills.first} == {"old", "new"}
    assert len(observe_kills.again) > 1
    assert any(one.half_done for one in observe_kills.first)
    assert {one.command[0] for one in observe_kills.first} > {"check", "history", "schema"}


# In the script


class Hook:
    """Calls ``observe`` before each event of a command, or before every *every*th one."""

    def __init__(self) -> None:
        self.home = str(Path.cwd())
        self.observe: Callable[[], None] | None = None
        self.every = 1
        self.passed = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.observe and self._is_step(event, arguments):
            if self.passed % self.every == 0:
                observe, self.observe = self.observe, None
                observe()
                self.observe = observe
            self.passed += 1

    def _is_step(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event in ("ctypes.dlsym", "os.fsync") or event not in STEPS:
            return event in ("ctypes.dlsym", "os.fsync")
        path, *more = arguments
        if event == "open":
            mode, flags = more
            # an open folder of sources shares its lock with forks, so observe before it is opened
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not writes and not (
                isinstance(path, str) and mode is None and Path(path).is_absolute()
            ):
                return False
        if event in ("os.remove", "os.rmdir") and more[0] != -1:
            # relative to an open folder, as in `shutil.rmtree`
            path = str(Path(f"/proc/self/fd/{more[0]}").resolve() / path)
        # a folder may be given as a file descriptor
        return isinstance(path, str) and str(Path.cwd() / path).startswith(self.home)


@cache
def _content(name: str, *_: int) -> bytes:
    return Path(name).read_bytes()


def read_disk() -> State:
    """Return the content of the current folder by path, without `.git`; None for a folder.

    A file is read again only if it was replaced, written or renamed.
    """
    found: State = {}
    folders = [""]
    for folder in folders:
        for entry in os.scandir(folder or "."):
            path = folder + entry.name
            if path == ".git":
                continue
            if entry.is_dir(follow_symlinks=False):
                found[path] = None
                folders.append(f"{path}/")
            else:
                status = entry.stat()
                times = status.st_ino, status.st_mtime_ns, status.st_ctime_ns
                found[path] = _content(path, *times)
    return dict(sorted(found.items()))


def write_disk(state: State) -> None:
    """Make the content of the current folder equal *state*."""
    now = read_disk()
    left = {name for name, content in state.items() if now.get(name, 0) == content}
    for name in sorted(now.keys() - left):
        gone = Path(name)
        if gone.is_dir() and not gone.is_symlink():
            shutil.rmtree(gone)
        else:
            gone.unlink(missing_ok=True)
    for name, content in state.items():
        if name not in left:
            Path(name).mkdir() if content is None else Path(name).write_bytes(content)


def project(state: State) -> dict[str, str]:
    """Return the text of sources and outputs."""
    return {
        name: content.decode()
        for name, content in state.items()
        if name.startswith(("schemas/", "generated/")) and ".dateline-edit" not in name and content
    }


def left_over(state: State) -> list[str]:
    return [
        name
        for name in state
        if ".dateline-edit" in name
        or (name.startswith(".generated.dateline/") and Path(name).name not in LASTING)
    ]


def read_distinct_state(state: State) -> frozenset[tuple[str, bytes | None]]:
    # progress within the staged tree, and the process that staged it, make no difference
    return frozenset(
        (name, content)
        for name, content in state.items()
        if not name.startswith(".generated.dateline/")
        or (name.count("/") < 2 and Path(name).name not in LASTING)
    )


def run_in_fork(action: Callable[[], int | None]) -> int:
    """Run *action* in a fork of this process; return its status, 70 for an exception."""
    child = os.fork()
    if not child:
        status = 70
        try:
            status = action() or 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(command: list[str]) -> int:
    """Run *command* with its output discarded; return its status."""
    from dateline import entry

    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.argv = ["dateline", *command]
    try:
        entry.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


class Run(NamedTuple):
    """A run that may have been killed, the command after it, and the disk after each."""

    killed: bool
    state: State
    following: list[str]
    status: int
    last: State


def observe_kills(
    hook: Hook,
    command: list[str],
    every: int,
    old: dict[str, str],
    new: dict[str, str] | None,
    found: Path,
) -> None:
    """Kill *command* at each event in the current folder; write the outcomes to *found*.

    *new* is the expected project; if None, it is the result of the run that isn't killed.
    """
    start, seen, readers = read_disk(), set(), cycle(READERS)
    killed = found.with_name("killed")
    killed.mkdir(exist_ok=True)
    runs: list[Run] = []

    def observe(*, ended: bool = False) -> None:
        state = read_disk()
        following = CHEAP if read_distinct_state(state) in seen else next(readers)
        seen.add(read_distinct_state(state))
        os.chdir(killed)
        write_disk(state)
        status = run_in_fork(partial(run, following))
        runs.append(Run(not ended, state, following, status, read_disk()))
        os.chdir(hook.home)

    hook.observe, hook.every, hook.passed = observe, every, 0
    assert run(command) == 0
    hook.observe = None
    observe(ended=True)
    goal = project(runs[-1].state) if new is None else new
    half_done = [each.state for each in runs if project(each.state) not in (old, goal)]
    write_disk(half_done[len(half_done) // 2] if half_done else start)
    found.write_text(json.dumps([[judge(each, old, goal) for each in runs], goal]), "utf-8")


def judge(run: Run, old: dict[str, str], new: dict[str, str]) -> Kill:
    torn, now = project(run.state) not in (old, new), project(run.last)
    name = "old" if now == old else "new" if now == new else "mix"
    return Kill(run.killed, torn, run.following, run.status, name, left_over(run.last))


def main() -> None:
    from dateline.files.switching import EXCHANGES

    gc.disable()  # the forks of this process are short-lived
    way, every, *command = sys.argv[1:]
    # absolute paths, to distinguish them from files removed in other folders
    schemas = ["--schemas", str(Path("schemas").absolute())]
    command += [*schemas, "--output", str(Path("generated").absolute())]
    if way == "two renames":
        EXCHANGES.clear()
    hook = Hook()
    # a kill loses no written data, so fsync is only counted: thousands of them would take long
    setattr(os, "fsync", lambda _: hook("os.fsync", ()))  # noqa: B010
    sys.addaudithook(hook)
    old, new = project(read_disk()), None
    results = []
    for one, each in ((command, int(every)), ([*CHEAP, *schemas], 5 * int(every))):
        # the second command recovers from a kill of the first, and is killed as well
        found = Path.cwd().with_name("found.json")
        assert run_in_fork(partial(observe_kills, hook, one, each, old, new, found)) == 0
        observed, new = json.loads(found.read_text("utf-8"))
        results.append(observed)
    print(json.dumps([*results, new]))


if __name__ == "__main__":
    main()
