"""Baselines of a new project in a repository with other published projects."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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


@pytest.mark.parametrize("bring", [shutil.move, shutil.copytree, None])
def test_outputs_in_another_folder_belong_to_the_same_project(
    repository: Path, bring: Callable[[Path, Path], object] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository / "books"
    add(repository, "new")
    shutil.copy(repository / "new" / "schemas" / "api.yaml", root / "schemas" / "api.yaml")
    shutil.rmtree(repository / "new")
    if bring:
        bring(root / "generated", root / "public")
    (root / "dateline.toml").write_text('output = "public"\n', "utf-8")
    monkeypatch.chdir(root)
    assert GONE in list_unwaived("--against", "main")
    found = dateline("generate")
    assert (found.status, GONE[-1] in found.err) == (1, True)


def test_moved_project_keeps_its_baseline(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(repository, "tools")
    shutil.rmtree(repository / "books")
    monkeypatch.chdir(repository / "tools")
    assert GONE in list_unwaived("--against", "main")


def test_definitions_whose_outputs_are_never_committed_are_refused(repository: Path) -> None:
    (repository / ".gitignore").write_text("generated\n", "utf-8")
    git("rm", "-r", "--quiet", "--cached", "books/generated")
    commit(repository)
    outcome = dateline("-C", "books", "check", "--against", "main")
    assert (outcome.status, outcome.out) == (3, "")
    assert "generated: baseline-empty: main has the definitions without outputs" in outcome.err


def test_member_that_lost_its_version_table_is_not_left_out(repository: Path) -> None:
    copy_generated(repository / "films")
    (repository / "dateline.toml").write_text('projects = ["*"]\n', "utf-8")
    (repository / "films/schemas/versions.yaml").unlink()
    outcome = dateline("check")
    assert (outcome.status, outcome.err.split(": ")[:2]) == (
        3,
        ["films/schemas/versions.yaml:1:1", "no-definitions"],
    )


@pytest.mark.parametrize("where", ["copy", "copy/spec", "copy/spec/production"])
def test_copy_of_outputs_has_a_document_of_each_version(repository: Path, where: str) -> None:
    shutil.move(repository / "books" / "generated", repository / "copy")
    command = ("-C", str(repository / "books"), "check", "--against", str(repository / where))
    assert dateline(*command).status == 0
    (repository / "copy/spec/production/2024-01-15.json").unlink()
    outcome = dateline(*command)
    assert (outcome.status, outcome.out) == (3, "")
    assert "copy/spec/production/2024-01-15.json:1:1: baseline-edited: " in outcome.err


@pytest.mark.parametrize(
    ("listed", "target", "refused"),
    [
        ("*", "", True),
        ("films", "", False),
        ("[c-z]*", "", False),
        ("*", "tools", False),
        ("*", "films/tools", True),
    ],
)
def test_project_of_a_pattern_does_not_disappear(
    repository: Path, listed: str, target: str, refused: bool
) -> None:
    copy_generated(repository / "films")
    commit(repository)
    if target:
        shutil.move(repository / "books", repository / target)
    else:
        shutil.rmtree(repository / "books")
    (repository / "dateline.toml").write_text(f'projects = ["{listed}"]\n', "utf-8")
    outcome = dateline("check", "--against", "main")
    expected = ["books/generated: project-gone"] if refused else []
    assert [": ".join(line.split(": ")[:2]) for line in outcome.err.splitlines()] == expected
    assert outcome.status == (3 if refused else 0)


def test_unreadable_settings_claim_no_outputs(repository: Path) -> None:
    (repository / "books" / "dateline.toml").write_text("output = 1\n", "utf-8")
    add(repository, "tools")
    assert check_new("tools")
