"""The process of a command exits at once, with its complete output and its status."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, folder

from dateline.collector import collection_off, collection_on, cycles_freed


def run(root: Path, program: list[str]) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *program], cwd=root, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [["rules"], ["check"], ["chekc"]], ids=" ".join)
def test_output_of_a_command_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    folder(tmp_path, LIBRARY)
    monkeypatch.chdir(tmp_path)
    assert run(tmp_path, ["-m", "dateline", *arguments]) == dateline(*arguments)


def test_output_may_be_closed(tmp_path: Path) -> None:
    program = (
        "import sys; from dateline.entry import command\n"
        "sys.stdout, sys.argv = None, ['dateline', '--version']; command()"
    )
    assert run(tmp_path, ["-c", program]) == (0, "", "")


def test_running_threads_are_awaited(tmp_path: Path) -> None:
    program = (
        "import sys, threading, time; from dateline.entry import command\n"
        "def work(): time.sleep(0.2); print('done')\n"
        "threading.Thread(target=work).start()\n"
        "sys.argv = ['dateline', '--help']; command()"
    )
    status, out, _ = run(tmp_path, ["-c", program])
    assert (status, out.splitlines()[-1]) == (0, "done")


def test_garbage_collector_runs_in_long_commands() -> None:
    states = [gc.isenabled()]
    with collection_off():
        states.append(gc.isenabled())
        with collection_on():
            states.append(gc.isenabled())
        states.append(gc.isenabled())
    with collection_on():
        states.append(gc.isenabled())
    assert [*states, gc.isenabled()] == [True, False, True, False, True, True]


def test_objects_from_before_are_not_scanned_within_or_after_an_inner_part() -> None:
    frozen = []
    with cycles_freed():
        frozen.append(gc.get_freeze_count() > 0)
        with cycles_freed():
            inner = type("Inner", (), {})
            kept = weakref.ref(inner)
            del inner
        frozen.append(gc.get_freeze_count() > 0)
        assert kept() is None
    assert [*frozen, gc.get_freeze_count() > 0] == [True, True, False]
