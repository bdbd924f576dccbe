"""Repositories in which the library API is published, and edits of its sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from support.commands import dateline
from support.sources import LIBRARY, LOANS, VERSIONS, folder

CLEAN, FOUND, MISUSE = 0, 1, 2


DAY, TITLE = "2025-09-01", "Loans have changed."


NEXT_ROW = "  - { date: next, title: Loans can be paused, draft: true }\n"


PAUSED = (
    "        - { const: paused, x-added: next, x-shown-as: active, x-why: a loan can be paused }\n"
)


# Two versions in one environment and no draft, since tests generate all outputs of each.
FILES = {
    **LIBRARY,
    "versions.yaml": "".join(
        line
        for line in VERSIONS.splitlines(keepends=True)
        if not re.search("draft|2024-09-01|sandbox", line)
    ),
    "loans.yaml": LOANS.replace(PAUSED, "")
    .replace("    x-environments: [sandbox]\n", "")
    .replace("2024-09-01", "2025-06-01"),
}


def git(*arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@library.example"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "A step")


def repository(root: Path, files: dict[str, str]) -> Path:
    """Make *root* a repository in which the API defined by *files* is published."""
    made = _publish(tuple(files.items())).name
    return shutil.copytree(made, root, symlinks=True, dirs_exist_ok=True)


@cache
def _publish(files: tuple[tuple[str, str], ...]) -> TemporaryDirectory[str]:
    """Return the folder of such a repository, made once per process."""
    made = TemporaryDirectory()
    folder(Path(made.name), dict(files))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.name)
        assert dateline("generate").status == CLEAN
        git("init", "--quiet", "--initial-branch=main")
        commit()
        slim()
    return made


def unpack() -> None:
    """Unpack the objects of the repository in the current folder."""
    with TemporaryDirectory() as aside:
        # git doesn't unpack objects that it finds in a pack of its own
        for pack in Path(shutil.move(".git/objects/pack", aside)).glob("*.pack"):
            with pack.open("rb") as content:
                subprocess.run(["git", "unpack-objects", "-q"], stdin=content, check=True)


def slim() -> None:
    """Reduce the number of files in the repository, since each copy of it contains all of them."""
    for example in Path(".git", "hooks").iterdir():
        example.unlink()
    git("repack", "-adq")


def enter_copy(start: Path, parent: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the project *start* into *parent*, and make it the current folder."""
    root = parent / "project"
    shutil.copytree(start, root, symlinks=True)
    monkeypatch.chdir(root)
    return root


def edit(*edits: tuple[str, str]) -> None:
    """Replace texts in the sources, each of which occurs in one file."""
    for old, new in edits:
        (path,) = (path for path in Path("schemas").glob("*.*") if old in path.read_text("utf-8"))
        text = path.read_text("utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), "utf-8")


def recorded(day: str, generated: dict[str, str]) -> dict[str, str]:
    """Return the record that starts with the *generated* one, for the version of *day*."""
    name = f"spec/production/{day}.json"
    return {f"_additions/{name}": generated[name]}


LOST = (
    "        - const: returned\n",
    "        - const: returned\n"
    "        - { const: lost, x-added: next, x-shown-as: active, x-why: Books get lost. }\n",
)


def changed_lines(patch: str) -> list[str]:
    return [
        line
        for line in patch.splitlines()
        if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))
    ]
