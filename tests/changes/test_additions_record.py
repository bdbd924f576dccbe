"""Projects without a record of additions, and with a damaged one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from support.additions import (
    CLEAN,
    INVALID,
    LATER,
    added_pages,
    index,
)
from support.commands import Outcome, dateline, read_files
from support.repositories import (
    DAY,
    commit,
    edit,
)

# --- Without a record, and with a damaged one


def test_project_without_a_record_has_no_pages_of_additions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["init"], ["generate"]):
        assert dateline(*command).status == CLEAN
    assert not Path("schemas/_additions").exists()
    edit(("        borrower:\n", "        pages: { type: integer }\n        borrower:\n"))
    assert dateline("generate").status == CLEAN
    assert added_pages() == []
    assert "Added to all versions" not in index()


WAY_OUT: Final = (
    "; `dateline cut` writes this folder and nobody else: restore it from version control, or "
    "delete it, and the next cut begins it anew\n"
)


def without(key: str) -> Callable[[str], str]:
    def edited(text: str) -> str:
        content = json.loads(text)
        del content["changes"][0][key]
        return json.dumps(content)

    return edited


def swap(before: str, after: str) -> Callable[[str], str]:
    def edited(text: str) -> str:
        assert before in text
        return text.replace(before, after, 1)

    return edited


DAMAGE: Final[list[tuple[str, Callable[[str], str], str | None]]] = [
    ("{day}.json", lambda _: "", "{day}.json:1:1: record-damaged: this file has no content"),
    (
        "{day}.json",
        lambda text: text[:40],
        "{day}.json:3:12: record-damaged: '\"2' can't be here",
    ),
    (
        "{day}.json",
        swap('"additive"', '"gated"'),
        "{day}.json:10:18: record-damaged: `verdict` can't be this",
    ),
    ("{day}.json", without("rule"), "{day}.json:1:92: record-damaged: `rule` is missing"),
    (
        "{day}.json",
        swap('"why": null', '"because": null, "why": null'),
        "{day}.json:28:18: record-damaged: 'because' has no meaning here",
    ),
    (
        "{day}.json",
        swap('"effect": "Loan.pages is new in responses."', '"effect": 1'),
        "{day}.json:30:17: record-damaged: `effect` can't be this",
    ),
    (
        "{day}.json",
        swap('"lines": [', '"lines": [1, '),
        "{day}.json:31:16: record-damaged: `lines` can't be this",
    ),
    (
        "{day}.json",
        swap('"since": "2025', '"since": "2024'),
        "{day}.json:2:12: record-damaged: `since` is not what the file is called",
    ),
    (
        "{day}.json",
        swap('"until": "2026', '"until": "2024'),
        "{day}.json:3:12: record-damaged: `until` is not a later version",
    ),
    (
        "{day}.json",
        swap('"until": "2026', '"until": "2027'),
        "{day}.json:1:1: record-damaged: it ends with 2027-01-15, but the documents are those "
        "of 2026-01-15",
    ),
    (
        "{day}.json",
        lambda _: "[]",
        "{day}.json:1:1: record-damaged: the file must contain an object",
    ),
    (
        "{day}.json",
        lambda _: '{"since": 1, "until": [], "environments": {}, "changes": [1]}',
        None,
    ),
    (
        "spec/production/{later}.json",
        lambda text: text[:-3],
        None,
    ),
    (
        "spec/production/{later}.json",
        swap('"schemas": {', '"schemas": 1, "x-other": {'),
        None,
    ),
    ("spec/production/{later}.json", lambda _: "{}", None),
    (
        "spec/production/2026-02-01.json",
        lambda _: '{"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "paths": {}}',
        None,
    ),
    (
        "notes.txt",
        lambda _: "mine",
        "notes.txt:1:1: record-damaged: the record has no such file",
    ),
]  # fmt: skip
"""A file of the record, what happens to it, and the whole message if it is known."""


def find_commands_that_pass(said: str | None, *commands: list[str]) -> list[list[str]]:
    """Return the *commands* that do not report *said*, or damage of the record if it is None."""
    expected = said and f"schemas/_additions/{said.format(day=DAY, later=LATER)}{WAY_OUT}"
    passed = []
    for command in commands:
        outcome = dateline(*command)
        lines = outcome.err.splitlines(keepends=True)
        if (
            outcome.status != INVALID
            or not lines
            or not all(line.startswith("schemas/_additions/") for line in lines)
            or not all(line.endswith(WAY_OUT) for line in lines)
            or expected not in (None, outcome.err)
        ):
            passed.append(command)
    return passed


def test_damaged_record_is_reported_with_a_way_out(closed: Path) -> None:
    before = read_files(closed / "generated")
    tried = set()
    for name, damage, said in DAMAGE:
        path = closed / "schemas/_additions" / name.format(day=DAY, later=LATER)
        text = path.read_text() if path.exists() else None
        path.write_text(damage(text or ""))
        assert find_commands_that_pass(said, ["generate"]) == [], said
        # all commands read the record in the same way
        if name not in tried:
            tried.add(name)
            commands = (["generate", "--check"], ["status"])
            assert find_commands_that_pass(said, *commands) == [], said
            commit()
            assert dateline("cut", "2026-03-01", "--title", "A", "--undisclosed").status == INVALID
        path.unlink() if text is None else path.write_text(text)
    assert read_files(closed / "generated") == before
    assert dateline("generate", "--check").status == CLEAN


def test_documents_of_a_record_are_found(closed: Path) -> None:
    shutil.rmtree(closed / "schemas/_additions/spec")
    assert dateline("generate") == Outcome(
        INVALID,
        "",
        f"schemas/_additions/{DAY}.json:1:1: record-damaged: the documents that go with it are "
        f"missing{WAY_OUT}",
    )
    # following the advice works
    shutil.rmtree(closed / "schemas/_additions")
    assert dateline("generate").status == CLEAN


def test_editor_files_beside_the_record_are_left_alone(project: Path) -> None:
    for name in (".DS_Store", "2025-09-01.json~"):
        (project / "schemas/_additions" / name).write_text("a")
    assert dateline("generate").status == CLEAN
