"""The progress line: on a terminal, after a second, and removed afterwards."""

from __future__ import annotations

import io
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.commands import dateline, read_files

from dateline import progress
from dateline.progress import ProgressLine


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_in_the_first_second() -> None:
    stream = _Terminal()
    line = ProgressLine(stream, started=10.0)
    line.describe("checking")
    line.draw(10.9)
    assert stream.getvalue() == ""
    line.draw(11.0)
    line.within = "apis/lending (1 of 3): "
    line.describe("reading documents")
    line.draw(13.6)
    line.clear()
    assert stream.getvalue().split("\r\x1b[K") == [
        "",
        "checking … 1 s",
        "apis/lending (1 of 3): reading documents … 4 s",
        "",
    ]


def test_nothing_is_drawn_during_a_question() -> None:
    stream = _Terminal()
    line = ProgressLine(stream, started=0.0)
    line.describe("checking")
    line.draw(2.0)
    line.clear(paused=True)
    drawn = stream.getvalue()
    line.draw(3.0)
    assert stream.getvalue() == drawn
    line.clear()
    line.draw(4.0)
    assert stream.getvalue() == f"{drawn}\r\x1b[Kchecking … 4 s"


@pytest.mark.parametrize("case", ["a pipe", "quiet", "CI", "a terminal"])
def test_progress_is_only_written_to_a_terminal(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.001)
    monkeypatch.setenv("CI", "true") if case == "CI" else monkeypatch.delenv("CI", raising=False)
    stream = io.StringIO() if case == "a pipe" else _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.show_progress(quiet=case == "quiet"):
        progress.describe("comparing documents", 2, 6)
        for _ in range(10_000 if case == "a terminal" else 0):
            if "2 of 6" in stream.getvalue():
                break
            time.sleep(0.001)
    shown = stream.getvalue()
    assert ("comparing documents: 2 of 6 … 0 s" in shown) == (case == "a terminal")
    assert shown == "" or shown.endswith("\r\x1b[K")
    progress.describe("nobody watches")
    assert stream.getvalue() == shown


def test_interrupted_command_leaves_all_projects_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first", "second"):
        assert dateline("init", name).status == 0
    (tmp_path / "dateline.toml").write_text('projects = ["first", "second"]\n')
    command = [sys.executable, "-m", "dateline", "generate"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdout is not None
        # the first project is finished once its outputs are listed
        assert select.select([running.stdout], [], [], 60)[0]
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[1]
    if running.returncode:
        assert running.returncode == 130
        assert said == "dateline: interrupted; what was not finished is as it was before\n"
    assert (tmp_path / "first" / "generated" / "manifest.json").is_file()
    second = tmp_path / "second" / "generated"
    assert not second.exists() or (second / "manifest.json").is_file()
    assert dateline("generate").status == 0
    assert dateline("check").status == 0


class _Watched(ProgressLine):
    """A progress line that records its texts, and ends the command when it shows *awaited*."""

    def __init__(self, awaited: str = "") -> None:
        super().__init__(_Terminal(), started=0.0)
        self.said: list[str] = []
        self._awaited = awaited

    def describe(self, what: str) -> None:
        self.said.append(what)
        if self._awaited and what == self._awaited:
            raise KeyboardInterrupt


def test_generating_shows_progress_and_can_be_interrupted_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dateline("init").status == 0
    versions = tmp_path / "schemas" / "versions.yaml"
    versions.write_text(f"{versions.read_text('utf-8')}site: true\n", "utf-8")
    watched = _Watched()
    monkeypatch.setattr(progress, "_line", watched)
    assert dateline("generate").status == 0
    # two versions in two environments; models of each version and of the server
    for what, total in {
        "validating the documents": 4,
        "laying out the documents": 4,
        "writing the models": 3,
        "writing the clients": 2,
        "comparing the versions": 1,
        "laying out the site": 2,
    }.items():
        counts = {f"{what}: {number} of {total}" for number in range(1, total + 1)}
        assert counts <= {*watched.said}, what
    loans = tmp_path / "schemas" / "loans.yaml"
    field = "        channel:"
    text = loans.read_text("utf-8").replace(field, f"        note: {{ type: string }}\n{field}")
    loans.write_text(text, "utf-8")
    before = read_files(tmp_path)
    for phase in dict.fromkeys(watched.said):
        monkeypatch.setattr(progress, "_line", _Watched(phase))
        outcome = dateline("generate")
        assert outcome.err.endswith("interrupted; what was not finished is as it was before\n")
        assert (outcome.status, read_files(tmp_path)) == (130, before), phase
