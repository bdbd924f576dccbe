"""Shell completion offers the words of the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import dateline

FIRST = ("2025-01-15", "Initial version.")
SECOND = ("2025-09-01", "Loans can be paused.")
NEXT = ("next", "Being prepared.")

CASES = {
    "retire 2025": [FIRST, SECOND],
    "retire 2025-09": [SECOND],
    "diff 2025-01-15 2025-0": [FIRST, SECOND],
    "cut 2026-01-15 --draft n": [NEXT],
    "waive value-added / --version 2025-01": [FIRST],
    "serve --environment s": [("sandbox", "")],
    "explain open-value-a": [
        ("open-value-added", "An open-ended field may get new values in all versions.")
    ],
    "waive version-without": [
        ("version-without-change", "A version has a visible change for its callers.")
    ],
    "explain nothing-like-it": [],
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert dateline("init").status == 0
    table = tmp_path / "schemas" / "versions.yaml"
    after = "title: Loans can be paused. }\n"
    draft = "  - { date: next, title: Being prepared., draft: true }\n"
    table.write_text(table.read_text().replace(after, after + draft))
    return tmp_path


def list_completions(monkeypatch: pytest.MonkeyPatch, line: str) -> list[tuple[str, str]]:
    """Return the completions in fish for the last word of *line*: each with its description."""
    monkeypatch.setenv("_DATELINE_COMPLETE", "fish_complete")
    monkeypatch.setenv("COMP_WORDS", f"dateline {line}")
    monkeypatch.setenv("COMP_CWORD", line.split()[-1])
    asked = dateline()
    assert (asked.status, asked.err) == (0, "")
    # if nothing matches, click prints an empty line
    rows = filter(None, asked.out.splitlines())
    words = [row.partition(",")[2].partition("\t") for row in rows]
    return [(word, meaning) for word, _, meaning in words]


@pytest.mark.parametrize("line", CASES)
def test_matching_words_are_completed(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    assert list_completions(monkeypatch, line) == CASES[line]


def test_versions_of_another_folder_are_completed(
    monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    (project / "schemas").rename(project / "elsewhere")
    assert list_completions(monkeypatch, "retire 2025") == []
    assert list_completions(monkeypatch, "retire --schemas elsewhere 2025") == [FIRST, SECOND]


def test_invalid_table_leads_to_no_completions_and_no_output(
    monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    (project / "schemas" / "versions.yaml").write_text("versions: [\n")
    assert list_completions(monkeypatch, "retire 2025") == []
