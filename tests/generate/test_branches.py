"""Outputs of other branches, and merged definitions, in real repositories."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import Outcome, dateline
from support.repositories import FILES, LOST, NEXT_ROW, commit, edit, enter_copy, git, repository

from dateline.fresh import NO_FINDINGS, is_same_commit, is_up_to_date

CLEAN, FOUND, MISUSE, INVALID = 0, 1, 2, 3

STOLEN = (
    "        - const: returned\n",
    "        - { const: stolen, x-added: next, x-shown-as: active, x-why: Books get stolen. }\n"
    "        - const: returned\n",
)
DRAFT = ("environments:\n", f"{NEXT_ROW}environments:\n")
FIRST, SECOND = "2025-09-01", "2025-10-01"


def prepare(branch: str, change: tuple[str, str]) -> None:
    git("checkout", "--quiet", "-b", branch, "main")
    edit(change, DRAFT)
    assert dateline("generate").status == CLEAN
    commit()


def cut(day: str) -> None:
    assert dateline("cut", day, "--title", f"Cut on {day}.").status == CLEAN


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with `main`, gates on `lost` and `stolen`, and cuts of these on `cut-*`."""
    root = repository(tmp_path_factory.mktemp("origin"), FILES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for name, change, day in (("lost", LOST, FIRST), ("stolen", STOLEN, SECOND)):
            prepare(name, change)
            git("checkout", "--quiet", "-b", f"cut-{name}")
            cut(day)
            commit()
        git("checkout", "--quiet", "lost")
        assert dateline("generate").status == CLEAN
    return root


@pytest.fixture
def project(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same repository on the branch `lost`, as the current folder."""
    return enter_copy(origin, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def origin_of_cuts(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository on the branch `lost`, with a cut that is not committed."""
    with pytest.MonkeyPatch.context() as patch:
        root = enter_copy(origin, tmp_path_factory.mktemp("cut"), patch)
        cut(FIRST)
    return root


@pytest.fixture
def cut_project(origin_of_cuts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository with a cut that is not committed, as the current folder."""
    return enter_copy(origin_of_cuts, tmp_path, monkeypatch)


def list_left_over() -> list[str]:
    """Return the files that are untracked or modified."""
    return git("status", "--porcelain", "--untracked-files=all").splitlines()


def finish_merge_of_sources() -> None:
    """Resolve the definitions with the lines of both sides, the versions in order."""
    for path in Path("schemas").glob("*.yaml"):
        merged = path.read_text("utf-8")
        text = re.sub(r"^(<{7} .*|={7}|>{7} .*)\n", "", merged, flags=re.M)
        rows = re.findall(r"^  - \{ date: .*\n", text, re.M)
        if rows:
            text = text.replace("".join(rows), "".join(sorted(rows)))
        # git takes a file that was written since for an edited one, and keeps it
        if text != merged:
            path.write_text(text, "utf-8")


def merge(*arguments: str) -> None:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@library.example", *arguments]
    subprocess.run(command, capture_output=True, check=False)


# Leftovers of git


def test_outputs_of_a_reverted_cut_are_removed(cut_project: Path) -> None:
    git("checkout", ".")
    assert any(FIRST in line for line in list_left_over())
    outcome = dateline("generate")
    assert outcome.status == CLEAN
    assert f"removed generated/spec/production/{FIRST}.json" in outcome.out.splitlines()
    assert [line for line in list_left_over() if "generated/" in line] == []
    assert dateline("check").status == CLEAN
    assert cut_project.is_dir()


def test_outputs_that_another_clone_committed_are_removed(project: Path) -> None:
    shutil.rmtree(".generated.dateline")
    git("checkout", "cut-lost", "--", "generated/spec")
    git("reset", "--quiet")
    git("checkout", "--", "generated")
    assert len(list_left_over()) > 1
    assert dateline("generate").status == CLEAN
    assert list_left_over() == []
    assert project.is_dir()


@pytest.mark.parametrize("what", ["a note of somebody", "an output that was edited"])
def test_foreign_files_are_kept_and_named(cut_project: Path, what: str) -> None:
    git("checkout", ".")
    path = Path("generated/spec/production/notes.txt")
    if "edited" in what:
        path = path.with_name(f"{FIRST}.json")
    path.write_text(what)
    before = list_left_over()
    assert dateline("generate") == Outcome(
        MISUSE,
        "",
        f"{path}: output-foreign: dateline did not write this file, move it out of the output "
        "folder\n",
    )
    assert list_left_over() == before
    assert cut_project.is_dir()


# Another commit under the same files


def test_unchanged_outputs_are_compared_with_another_commit(project: Path) -> None:
    """As after `git reset --soft`, with which branches are squashed."""
    git("reset", "--quiet", "--soft", "cut-lost")
    for command in ("check", "generate"):
        outcome = dateline(command)
        assert outcome.status == FOUND
        assert f"[version-withdrawn] {FIRST}" in outcome.out + outcome.err
    git("reset", "--quiet", "--soft", "ORIG_HEAD")
    assert dateline("check").out == f"{NO_FINDINGS}\n"
    assert project.is_dir()


def test_commit_of_unchanged_outputs_needs_no_comparison(project: Path) -> None:
    Path("notes.txt").touch()
    commit()
    assert not is_same_commit("generated")
    assert dateline("check").out == f"{NO_FINDINGS}\n"
    assert is_up_to_date("schemas", "generated")
    assert project.is_dir()


# Merged definitions


def test_two_cuts_are_explained_and_the_later_one_can_be_reverted(project: Path) -> None:
    git("checkout", "--quiet", "cut-lost")
    merge("merge", "cut-stolen")
    unread = dateline("check")
    assert (unread.status, unread.out) == (INVALID, "")
    assert "schemas/versions.yaml:" in unread.err or "merge-conflict" in unread.err
    finish_merge_of_sources()
    outputs = dateline("check")
    assert outputs.status == INVALID
    assert {line.split(": ")[1] for line in outputs.err.splitlines()} == {"merge-conflict"}
    assert "then run `dateline generate`" in outputs.err
    found = dateline("generate")
    assert found.status == FOUND
    assert "gated [value-added] LoanState: value lost added" in found.err
    help = " ".join(found.err.split())
    assert f"{FIRST} is published with it (`x-added: {FIRST}`), and {SECOND} without it" in help
    # the way out that the finding and docs/versions.md describe
    assert "revert the cut that no caller has seen (`git revert COMMIT`, on its branch)" in help
    assert "merge, and cut it again on a later day" in help
    git("merge", "--abort")
    git("checkout", "--quiet", "cut-stolen")
    git("revert", "--no-edit", "HEAD")
    merge("merge", "cut-lost")
    finish_merge_of_sources()
    assert dateline("generate").status == CLEAN
    assert dateline("check", "--against", "cut-lost").status == CLEAN
    commit()
    cut(SECOND)
    assert dateline("check", "--against", "cut-lost").status == CLEAN
    assert project.is_dir()


def test_fields_that_either_branch_added_survive_a_merge(project: Path) -> None:
    loans = Path("schemas/loans.yaml")
    lines = loans.read_text("utf-8").partition("        state:")

    def write(*names: str) -> None:
        fields = "".join(f"        {name}: {{ type: string }}\n" for name in names)
        loans.write_text(lines[0] + fields + "".join(lines[1:]), "utf-8")

    def publish(*names: str) -> None:
        write(*names)
        assert dateline("generate").status == CLEAN
        commit()

    publish("shelf")
    git("checkout", "--quiet", "-b", "theirs")
    git("revert", "--no-edit", "HEAD")
    publish("reader")
    git("checkout", "--quiet", "lost")
    publish("shelf", "desk")
    merge("merge", "theirs")
    git("checkout", "HEAD", "--", ".")
    lost = {}
    for kept in ("desk reader", "desk reader shelf", "desk", "reader", ""):
        write(*kept.split())
        found = dateline("check").out
        lost[kept] = re.findall(r"\[response-field-removed\] Loan\.(\w+)", found)
    # the other branch took `shelf` back
    assert lost == {
        "desk reader": [],
        "desk reader shelf": [],
        "desk": ["reader"],
        "reader": ["desk"],
        "": ["desk", "reader"],
    }
    assert project.is_dir()


def test_branch_with_an_older_cut_gets_the_same_advice(project: Path) -> None:
    """The advice of a pipeline after the other branch was merged leads to a clean check."""
    git("checkout", "--quiet", "cut-lost")
    behind = dateline("check", "--against", "cut-stolen")
    assert behind.status == FOUND
    help = " ".join(behind.out.split())
    assert f"never [version-backdated] {FIRST} is new, and {SECOND} is cut already" in help
    assert "take that cut back there (`git revert COMMIT`), merge, and cut it again" in help
    git("revert", "--no-edit", "HEAD")
    merge("merge", "cut-stolen")
    finish_merge_of_sources()
    assert dateline("generate").status == CLEAN
    commit()
    cut("2025-11-01")
    assert dateline("check", "--against", "cut-stolen").status == CLEAN
    assert project.is_dir()


def test_gate_that_a_newer_version_lost_is_explained(project: Path) -> None:
    """Both versions have one history, and what removed the value was deleted."""
    git("checkout", "--quiet", "cut-lost")
    edit(("x-added: 2025-09-01, x-shown-as", "x-added: 2025-09-01, x-removed: next, x-shown-as"))
    edit(DRAFT)
    commit()
    cut(SECOND)
    commit()
    edit((f"x-removed: {SECOND}, ", ""))
    outcome = dateline("check")
    assert outcome.status == FOUND
    assert f"if not, write back what {SECOND} said." in " ".join(outcome.out.split())
    assert project.is_dir()


def test_two_cuts_on_one_day_are_explained(project: Path) -> None:
    git("checkout", "--quiet", "stolen")
    cut(FIRST)
    commit()
    merge("merge", "cut-lost")
    finish_merge_of_sources()
    outcome = dateline("check")
    assert outcome.status == INVALID
    assert "version-twice" in outcome.err or "merge-conflict" in outcome.err
    assert project.is_dir()


def test_gate_is_rebased_over_a_cut(project: Path) -> None:
    git("checkout", "--quiet", "stolen")
    merge("rebase", "cut-lost")
    assert "merge-conflict" in dateline("check").err
    finish_merge_of_sources()
    assert dateline("check").status == CLEAN
    assert dateline("generate").status == CLEAN
    git("add", "--all")
    merge("-c", "core.editor=true", "rebase", "--continue")
    assert dateline("check", "--against", "cut-lost").status == CLEAN
    assert list_left_over() == []
    assert project.is_dir()


def test_gate_is_cherry_picked_where_there_is_no_draft(project: Path) -> None:
    git("checkout", "--quiet", "cut-stolen")
    merge("cherry-pick", "lost")
    finish_merge_of_sources()
    versions = Path("schemas/versions.yaml")
    versions.write_text(versions.read_text("utf-8").replace(NEXT_ROW, ""), "utf-8")
    outcome = dateline("check")
    assert outcome.status == INVALID
    assert "unknown-version: the version table has no `next`; run `dateline gate`" in outcome.err
    assert dateline("gate").status == CLEAN
    assert dateline("generate").status == CLEAN
    assert dateline("check", "--against", "cut-stolen").status == CLEAN
    assert project.is_dir()
