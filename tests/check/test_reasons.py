"""A version table may require a reason for each gate that is not cut yet."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from support.changing import replace_texts
from support.sources import LIBRARY, loaded

from dateline.check import Published, check


def list_missing_reasons(root: Path, *edits: tuple[str, str]) -> list[str]:
    """Return the findings if the version table requires reasons."""
    files = replace_texts(
        LIBRARY, ("policy: dated-contract", "policy: dated-contract\nrequire-why: true")
    )
    found = check(
        loaded(root, replace_texts(files, *edits)),
        Published(label="nothing"),
        today=date(2026, 1, 1),
    )
    return [
        f"{finding.after_source}: {finding.message}"
        for finding in found
        if finding.rule == "reason-missing"
    ]


def test_gate_without_a_reason_is_found_if_required(tmp_path: Path) -> None:
    assert list_missing_reasons(tmp_path / "given") == []
    assert list_missing_reasons(tmp_path / "left out", (", x-why: a loan can be paused", "")) == [
        "schemas/loans.yaml:38:28: `x-added` of next gives no reason"
    ]
    was = "{ 2024-09-01: { maxLength: 9 }, next: { maxLength: 7 } }"
    note = f"note: {{ type: string, x-was: {was}, x-why: {{ 2024-09-01: Notes were short. }} }}"
    edits = ("note: { type: string }", note)
    assert list_missing_reasons(tmp_path / "another", edits) == [
        "schemas/loans.yaml:31:31: `x-was` of next gives no reason"
    ]
    edits = ("note: { type: string }", "note: { type: string, x-was: { next: { type: integer } } }")
    assert list_missing_reasons(tmp_path / "was", edits) == [
        "schemas/loans.yaml:31:31: `x-was` of next gives no reason"
    ]


def test_reasons_are_optional_by_default(tmp_path: Path) -> None:
    api = loaded(tmp_path, replace_texts(LIBRARY, (", x-why: a loan can be paused", "")))
    found = check(api, Published(label="nothing"), today=date(2026, 1, 1))
    assert [finding.rule for finding in found] == []
