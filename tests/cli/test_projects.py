"""Commands run anywhere in a repository with several projects; paths start at its top."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import dateline
from support.repositories import commit, enter_copy, git, slim

from dateline.report import FORMATS

NAMES = ("cards", "lending", "rooms")

pytestmark = pytest.mark.usefixtures("top")


@pytest.fixture(scope="module")
def published(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with three published projects."""
    root = tmp_path_factory.mktemp("published")
    for name in NAMES:
        shutil.copytree(library, root / "apis" / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        Path("dateline.toml").write_text('projects = ["apis/*"]\n', encoding="utf-8")
        Path(".gitignore").write_text(".*.dateline/\n", encoding="utf-8")
        git("init", "--quiet", "--initial-branch=main")
        commit()
        slim()
    return root


@pytest.fixture
def top(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the repository as the current folder."""
    return enter_copy(published, tmp_path, monkeypatch)


def add_value(name: str) -> None:
    """Break the published contract of the project *name*."""
    path = Path("apis", name, "schemas", "loans.yaml")
    text = path.read_text(encoding="utf-8")
    assert "- { const: lost }" not in text
    first = text.index("        - { const: paused")
    path.write_text(f"{text[:first]}        - {{ const: lost }}\n{text[first:]}", encoding="utf-8")


def test_one_report_has_the_findings_of_all_projects() -> None:
    assert dateline("check").out.startswith("no findings")
    add_value("cards")
    add_value("rooms")
    outcome = dateline("check", "--against", "main", "--format", "json")
    document = json.loads(outcome.out)
    assert outcome.status == 1
    assert [(one["rule"], one["after_source"]["file"]) for one in document["changes"]] == [
        ("value-added", "apis/cards/schemas/loans.yaml"),
        ("value-added", "apis/rooms/schemas/loans.yaml"),
    ]
    assert document["baseline"].startswith("git main (")
    only = dateline("check", "-p", "lending", "--against", "main")
    assert (only.status, only.out.splitlines()[-1]) == (0, "no findings")


@pytest.mark.parametrize("here", [".", "apis/cards/schemas"])
def test_paths_in_all_reports_start_at_the_top(monkeypatch: pytest.MonkeyPatch, here: str) -> None:
    add_value("cards")
    monkeypatch.chdir(here)
    files = [f"--format={name}=found.{name}" for name in FORMATS]
    assert dateline("check", "--against", "main", *files).status == 1
    for name in FORMATS:
        written = Path(f"found.{name}").read_text(encoding="utf-8")
        assert "apis/cards/schemas/loans.yaml" in written, name
        assert "apis/cards/apis" not in written
        assert "../" not in written


@pytest.mark.parametrize("which", [[], ["-p", "cards"]], ids=str)
def test_printed_waive_command_works_where_it_was_printed(which: list[str]) -> None:
    add_value("cards")
    outcome = dateline("check", "--against", "main", *which)
    (line,) = [one for one in outcome.out.splitlines() if one.startswith("to let one pass: ")]
    words = line.removeprefix("to let one pass: dateline ").split()
    words = ["fine" if one == "TEXT" else "2999-01-01" if one == "DATE" else one for one in words]
    assert dateline(*words) == (0, "wrote a waiver to apis/cards/schemas/waivers.yaml\n", "")
    assert dateline("check", "--against", "main").out.endswith("\nno findings; 1 waived\n")


def test_invalid_project_does_not_prevent_checks_of_others() -> None:
    add_value("rooms")
    with Path("apis/cards/schemas/loans.yaml").open("a", encoding="utf-8") as file:
        file.write("x-aded: 2024-01-15\n")
    outcome = dateline("check", "--format", "github", "--format", "sarif=found.sarif")
    assert outcome.status == 3
    commands = [one.partition("::")[2] for one in outcome.out.splitlines()[:-1]]
    assert [one.partition(",")[0] for one in commands] == [
        "error file=apis/cards/schemas/loans.yaml",
        "error file=apis/rooms/schemas/loans.yaml",
    ]
    assert outcome.err.startswith("apis/cards/schemas/loans.yaml:")
    (run,) = json.loads(Path("found.sarif").read_text(encoding="utf-8"))["runs"]
    assert len(run["results"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gate"], "there are several projects: cards, lending, rooms; name one with -p NAME"),
        (["check", "--output", "x"], "--schemas and --output are for one project; name it with -p"),
        (["check", "--against", "apis"], "apis can be compared with one project only; name it"),
        (["check", "-p", "room"], "no project 'room'; did you mean 'rooms'?"),
        (["-C", "nowhere", "check"], "nowhere: No such file or directory."),
    ],
)
def test_usage_error_says_what_to_write(arguments: list[str], said: str) -> None:
    outcome = dateline(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err


def test_command_runs_as_if_started_elsewhere(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_value("cards")
    for arguments in (["-C", "apis/cards", "check"], ["check", "-C", "apis/cards"]):
        outcome = dateline(*arguments)
        assert outcome.status == 1
        assert "apis/cards/schemas/loans.yaml" in outcome.out
        os.chdir(top)
    monkeypatch.setenv("DATELINE_DIRECTORY", "apis/lending")
    assert dateline("check").status == 0
    os.chdir(top)
    monkeypatch.setenv("DATELINE_SCHEMAS", "apis/cards/schemas")
    monkeypatch.setenv("DATELINE_OUTPUT", "apis/cards/generated")
    assert dateline("check").status == 1


def test_patch_can_be_applied_at_the_top(top: Path) -> None:
    add_value("cards")
    os.chdir("apis/cards/schemas")
    outcome = dateline("gate", "--dry-run")
    os.chdir(top)
    applied = subprocess.run(["git", "apply"], input=outcome.out, text=True, check=False)
    assert applied.returncode == 0
    assert "[value-added]" not in dateline("check", "-p", "cards").out


def test_missing_project_is_an_error_with_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["check"], ["status"], ["generate"], ["history", "Loan"]):
        outcome = dateline(*command)
        assert (outcome.status, outcome.out) == (3, "")
        assert len(outcome.err.splitlines()) == 1
        for way in ("`dateline init`", "`dateline adopt", "`-C DIR`"):
            assert way in outcome.err


def test_quiet_prints_only_problems() -> None:
    assert dateline("check", "-q") == (0, "", "")
    assert dateline("generate", "--quiet") == (0, "", "")
    assert dateline("check", "-q", "--against", "main") == (0, "", "")
    add_value("cards")
    outcome = dateline("check", "-q")
    assert outcome.out.startswith("apis/cards/schemas/loans.yaml:")
    assert "compared with" not in outcome.out


@pytest.mark.parametrize(("name", "coloured"), [("FORCE_COLOR", True), ("NO_COLOR", False)])
def test_colours_can_be_forced_in_a_file(
    monkeypatch: pytest.MonkeyPatch, name: str, coloured: bool
) -> None:
    add_value("cards")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, "1")
    assert ("\x1b[" in dateline("check", "-p", "cards").out) is coloured


def test_waiver_names_its_author() -> None:
    add_value("cards")
    words = ["value-added", "LoanState", "--reason", "fine", "--expires", "2999-01-01"]
    people = ["--owner", "@library/loans", "--approved-by", "Ada"]
    assert dateline("waive", "-p", "cards", *words, *people).status == 0
    outcome = dateline("check", "-p", "cards", "--waived")
    assert "waived: fine (owner @library/loans, approved by Ada)" in outcome.out
    # a control: an unknown key
    path = Path("apis/cards/schemas/waivers.yaml")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("approved-by", "aproved-by"), encoding="utf-8")
    assert "'aproved-by' is not a key of a waiver" in dateline("check", "-p", "cards").err
