"""Baselines of a new project in a repository with other published projects."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
from support.commands import dateline
from support.policies import copy_generated, git, list_unwaived

GONE: Final = ("operation-removed", "never", "GET /fines: operation removed")
NOTHING: Final = "nothing was compared"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the published project `books`."""
    copy_generated(tmp_path / "books")
    git("-C", str(tmp_path), "init", "-q", "-b", "main")
    commit(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commit(root: Path) -> None:
    git("-C", str(root), "add", "-A")
    git("-C", str(root), "commit", "-q", "--allow-empty", "-m", "published")


def add(root: Path, name: str) -> None:
    """Add a project that lacks a component of the published one."""
    copy_generated(root / name)
    shutil.rmtree(root / name / "generated")
    path = root / name / "schemas" / "api.yaml"
    text = path.read_text("utf-8")
    start, end = text.index("  /fines:"), text.index("  /prices:")
    path.write_text(text[:start] + text[end:], "utf-8")


def check_new(name: str) -> bool:
    """Check the project in the folder *name*; return whether there was a baseline."""
    outcome = dateline("-C", name, "check", "--against", "main")
    assert (outcome.status == 0) == (NOTHING in outcome.err)
    return NOTHING not in outcome.err


@pytest.mark.parametrize("others", [[], ["films"]])
def test_new_project_has_no_baseline(repository: Path, others: list[str]) -> None:
    for name in others:
        copy_generated(repository / name)
    commit(repository)
    add(repository, "tools")
    assert not check_new("tools")


def test_project_with_outputs_elsewhere_has_no_baseline(repository: Path) -> None:
    (repository / "books" / "generated").rename(repository / "books" / "public")
    (repository / "books" / "dateline.toml").write_text('output = "public"\n', "utf-8")
    commit(repository)
    add(repository, "tools")
    assert not check_new("tools")


@pytest.mark.parametrize(("listed", "compared"), [("books", False), ("to*", True)])
def test_only_listed_projects_are_compared(repository: Path, listed: str, compared: bool) -> None:
    add(repository, "tools")
    settings = f'projects = ["tools", "{listed}"]\n'
    (repository / "dateline.toml").write_text(settings, "utf-8")
    assert check_new("tools") == compared


@pytest.mark.parametrize("kept", [False, True], ids=["moved", "copied"])
def test_outputs_in_another_folder_belong_to_the_same_project(
    repository: Path, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository / "books"
    add(repository, "new")
    shutil.copy(repository / "new" / "schemas" / "api.yaml", root / "schemas" / "api.yaml")
    shutil.rmtree(repository / "new")
    (shutil.copytree if kept else shutil.move)(root / "generated", root / "public")
    (root / "dateline.toml").write_text('output = "public"\n', "utf-8")
    monkeypatch.chdir(root)
    assert GONE in list_unwaived("--against", "main")


def test_moved_project_keeps_its_baseline(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(repository, "tools")
    shutil.rmtree(repository / "books")
    monkeypatch.chdir(repository / "tools")
    assert GONE in list_unwaived("--against", "main")


def test_unreadable_settings_claim_no_outputs(repository: Path) -> None:
    (repository / "books" / "dateline.toml").write_text("output = 1\n", "utf-8")
    add(repository, "tools")
    assert check_new("tools")
