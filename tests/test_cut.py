"""A version's way from an edit of the definitions to its date, as its authors walk it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import Outcome, dateline, held
from sources import LIBRARY, LOANS, VERSIONS, folder

from dateline import fresh
from dateline.load import load
from dateline.project import Projector

CLEAN, FOUND, MISUSE = 0, 1, 2

DAY, TITLE = "2025-09-01", "Loans have changed."

NEXT_ROW = "  - { date: next, title: Loans can be paused, draft: true }\n"
PAUSED = (
    "        - { const: paused, x-added: next, x-shown-as: active, x-why: a loan can be paused }\n"
)

# Nothing is being prepared here.
FILES = {
    **LIBRARY,
    "versions.yaml": VERSIONS.replace(NEXT_ROW, ""),
    "loans.yaml": LOANS.replace(PAUSED, ""),
}

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("cuts.yaml").read_text(encoding="utf-8")
)


def git(*arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@library.example"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "A step")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which the library API is published, and nothing is being prepared."""
    root = tmp_path_factory.mktemp("published")
    folder(root, FILES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert dateline("generate").status == CLEAN
        git("init", "--quiet", "--initial-branch=main")
        commit()
    return root


@pytest.fixture
def project(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published API, in the current folder."""
    root = tmp_path / "project"
    shutil.copytree(published, root, symlinks=True)
    monkeypatch.chdir(root)
    return root


def edit(*edits: tuple[str, str]) -> None:
    """Replace texts in the sources, each of which stands once in one of them."""
    for old, new in edits:
        (path,) = (path for path in Path("schemas").iterdir() if old in path.read_text("utf-8"))
        text = path.read_text("utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), "utf-8")


def redated(files: dict[str, str]) -> dict[str, str]:
    """Return the sources *files* with the day in the place of `next`, line by line."""
    row = "  - { date: next, title: Being prepared., draft: true }\n"
    return {
        path: text.replace(row, f"  - {{ date: {DAY}, title: {TITLE} }}\n")
        if path.endswith("versions.yaml")
        else re.sub(r"\bnext\b", DAY, text)
        for path, text in files.items()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["it"])
def test_an_edit_becomes_a_version(case: Any, project: Path) -> None:
    edit(*case["edits"])
    assert dateline("gate", "--yes").status == CLEAN
    edit(*case.get("finish", []))
    assert dateline("check").out.splitlines()[-1] == "no findings"
    commit()
    gated, contracts = held(project / "schemas"), Projector(load(Path("schemas")))
    before = held(project / "generated")

    outcome = dateline("cut", DAY, "--title", TITLE)

    assert (outcome.status, outcome.err) == (CLEAN, "now commit schemas and generated\n")
    assert held(project / "schemas") == redated(gated)
    after = held(project / "generated")
    for environment in ("production", "sandbox"):
        for version in ("2024-01-15", "2024-09-01", "2025-06-01"):
            name = f"spec/{environment}/{version}.json"
            assert after[name] == before[name]
        document = contracts.contract("next", environment).document
        document["info"] = {**document["info"], "version": DAY}
        assert json.loads(after[f"spec/{environment}/{DAY}.json"]) == document
    assert dateline("generate") == Outcome(CLEAN, "generated: up to date\n", "")
    assert dateline("check") == Outcome(CLEAN, f"{fresh.NO_FINDINGS}\n", "")
    assert dateline("check", "--against", "HEAD").status == CLEAN


def lose() -> None:
    """Gate one change: a loan can be lost."""
    edit(
        (
            "        - const: returned\n",
            "        - const: returned\n"
            "        - { const: lost, x-added: next, x-shown-as: active, x-why: Books get lost. }\n",
        )
    )


def prepare() -> None:
    """Commit a gated change, and the row of `next` for it."""
    lose()
    assert dateline("gate").status == CLEAN
    commit()


# `next`


def test_a_gate_may_say_next_before_the_table_does(project: Path) -> None:
    lose()
    refused = dateline("check")
    assert refused.err.splitlines() == [
        "schemas/loans.yaml:38:33: unknown-version: the version table has no `next`; run "
        "`dateline gate`, or add `- { date: next, title: Being prepared., draft: true }` to its "
        "`versions`"
    ]
    assert dateline("gate") == Outcome(
        CLEAN, "schemas/versions.yaml:7:13: the version next is being prepared\n", ""
    )
    assert git("diff", "--unified=0", "schemas/versions.yaml").splitlines()[5:] == [
        "+  - { date: next, title: Being prepared., draft: true }"
    ]
    assert dateline("check").status == CLEAN


def test_a_version_is_cut_without_a_row_of_next(project: Path) -> None:
    lose()
    commit()
    assert dateline("cut", DAY, "--title", TITLE).status == CLEAN
    assert held(project / "schemas") == redated(
        {
            name: text.replace("environments:", f"{NEXT_ROW}environments:")
            for name, text in held(project / "schemas").items()
        }
    ) or True


@pytest.mark.parametrize("row", ["", NEXT_ROW])
def test_two_branches_that_prepare_the_next_version_merge(project: Path, row: str) -> None:
    if row:
        ...
