"""The values that older callers get in place of a field or member are part of what is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from support import policies
from support.commands import dateline
from support.policies import edit, list_unwaived

TABLE: Final = (
    policies.TABLE.replace(
        "  - { date: next",
        "  - { date: 2024-03-01, title: Loans can be paused. }\n"
        "  - { date: 2024-06-01, title: Loans can be lost. }\n"
        "  - { date: next",
    )
    .replace(f"{policies.POLICY}\n", "")
    .replace("require-why: true\n", "")
)

API: Final = (
    policies.API[: policies.API.index("      properties:")]
    + """\
      properties:
        state: { $ref: '#/components/schemas/State' }
        item: { $ref: '#/components/schemas/Item' }
    State:
      type: string
      oneOf:
        - const: active
        - const: returned
        - { const: paused, x-added: 2024-03-01 }
        - const: lost
          x-added: 2024-06-01
          x-shown-as: { 2024-03-01: active, 2024-06-01: paused }
        - { const: sold, x-added: next, x-shown-as: returned }
    Item:
      discriminator:
        propertyName: kind
        mapping: { book: '#/components/schemas/Book', tape: '#/components/schemas/Tape' }
      oneOf:
        - $ref: '#/components/schemas/Book'
        - { $ref: '#/components/schemas/Tape', x-added: 2024-06-01, x-shown-as: { kind: book } }
    Book: { type: object, required: [kind], properties: { kind: { const: book } } }
    Tape: { type: object, required: [kind], properties: { kind: { const: tape } } }
"""
)

LOST: Final = "{ 2024-03-01: active, 2024-06-01: paused }"
TAPE: Final = ", x-shown-as: { kind: book }"
SAID: Final = "is shown to older callers as another value"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    policies.copy_generated(tmp_path, TABLE, API)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_record_contains_counterparts_of_cut_versions(project: Path) -> None:
    record = json.loads((project / "generated" / "policy.json").read_text())
    tape = ["#/components/schemas/Tape", {"kind": "book"}]
    assert record["counterparts"] == {
        "production/2024-06-01": {
            "/components/schemas/Item": {
                "2024-01-15": {"shown-as": [tape]},
                "2024-03-01": {"shown-as": [tape]},
            },
            "/components/schemas/State": {
                "2024-01-15": {"shown-as": [["lost", "active"]]},
                "2024-03-01": {"shown-as": [["lost", "paused"]]},
            },
        }
    }


CHANGED: Final = {
    "another value": ((LOST, "returned"), f"lost {SAID} ('active' -> 'returned')"),
    "another value at one date": (
        ("2024-06-01: paused", "2024-06-01: returned"),
        f"lost {SAID} ('paused' -> 'returned')",
    ),
    "one value in place of two": ((LOST, "active"), f"lost {SAID} ('paused' -> 'active')"),
    "none": ((f"\n          x-shown-as: {LOST}", ""), f"lost {SAID} ('active' -> left out)"),
    "removed, of a union": ((TAPE, ""), f'Tape {SAID} ({{"kind": "book"}} -> left out)'),
    "added": (
        (
            "const: paused, x-added: 2024-03-01",
            "const: paused, x-added: 2024-03-01, x-shown-as: active",
        ),
        f"paused {SAID} (left out -> 'active')",
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_changed_counterpart_is_found_and_not_overwritten(project: Path, case: str) -> None:
    change, said = CHANGED[case]
    edit(project, change)
    assert list_unwaived() == [("shown-as-changed", "gated", said)]
    gated = dateline("gate", "--dry-run")
    assert (gated.status, gated.out) == (1, "")
    assert said in gated.err
    kept = (project / "generated" / "policy.json").read_bytes()
    assert dateline("generate").status == 1
    assert (project / "generated" / "policy.json").read_bytes() == kept


RENAMED: Final = ("State", "LoanState")


def test_moved_counterpart_is_the_same_until_it_changes(project: Path) -> None:
    edit(
        project,
        ("#/components/schemas/State", "#/components/schemas/LoanState"),
        ("    State:\n", "    LoanState:\n"),
        ("        - const: active\n        - const: returned\n", ""),
        (
            "        - { const: sold",
            "        - const: active\n        - const: returned\n        - { const: sold",
        ),
    )
    moved = list_unwaived()
    assert "shown-as-changed" not in {rule for rule, *_ in moved}
    edit(project, (LOST, "returned"))
    added = ("shown-as-changed", "gated", f"lost {SAID} ('active' -> 'returned')")
    assert sorted(list_unwaived()) == sorted([*moved, added])


def test_counterpart_of_a_draft_may_change(project: Path) -> None:
    edit(project, ("x-shown-as: returned", "x-shown-as: active"))
    assert list_unwaived() == []
    assert dateline("generate").status == 0
    cut = dateline("cut", "2024-09-01", "--title", "Loans can be sold.")
    assert cut.status == 0, cut.err
    assert list_unwaived() == []
    edit(
        project,
        ("x-added: 2024-09-01, x-shown-as: active", "x-added: 2024-09-01, x-shown-as: lost"),
    )
    assert [rule for rule, *_ in list_unwaived()] == ["shown-as-changed"]


def test_record_without_counterparts_has_no_findings(project: Path) -> None:
    path = project / "generated" / "policy.json"
    record = json.loads(path.read_text())
    del record["counterparts"]
    path.write_text(json.dumps(record))
    edit(project, (LOST, "returned"))
    assert list_unwaived() == []
