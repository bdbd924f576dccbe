"""A waiver covers the value that it was given for, and no other one of the same place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.commands import dateline
from support.published_projects import LOANS, SOURCES, Project
from support.sources import folder
from support.tables import cases

from dateline.check import read_waivers

NOTE: Final = "note: { type: string }"
BASE: Final = LOANS.replace(NOTE, NOTE + "\n        more: { type: string }")
MORE: Final = "more: { type: string }"
TAKEN: Final = "parameters:\n        - {{ name: {}, in: query, required: true, schema: {{}} }}"
OTHERS: Final = "more: {{ type: string }}\n      additionalProperties: {{ type: {} }}"
PATTERN: Final = "more: {{ type: string, pattern: '{}' }}"
FINE: Final = "        fine_cents: { type: integer }\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("waived")
    published = Project(folder(root, {**SOURCES, "loans.yaml": BASE}), root / "generated")
    published.publish()
    return published


@cases(
    ("rule", "published", "waived", "value", "other"),
    [
        ("request-narrowed", "maxLength: 20", "maxLength: 5", "20 -> 5", "maxLength: 7"),
        ("request-narrowed", "20 }", "20, minLength: 1 }", "absent -> 1", "20, minLength: 2 }"),
        ("default-changed", ", default: 10", "", "10 -> absent", ", default: 9"),
        ("default-changed", "default: 10", "default: 20", "10 -> 20", "default: 11"),
        ("format-changed", "format: uuid", "format: date", '"uuid" -> "date"', "format: time"),
        ("operation-id-changed", "makeLoan", "lend", '"makeLoan" -> "lend"', "borrow"),
        # another field or parameter at the same index
        ("field-required", "[book]", "[note, book]", "note", "[more, book]"),
        (
            "required-parameter-added",
            "parameters:",
            TAKEN.format("a"),
            "query a",
            TAKEN.format("b"),
        ),
        # a schema, and what is longer than anybody reads
        (
            *("request-narrowed", MORE, OTHERS.format("string")),
            *('absent -> {"type": "string"}', OTHERS.format("integer")),
        ),
        (
            *("request-narrowed", MORE, PATTERN.format("a" * 99)),
            f'absent -> "{"a" * 59}… d4232aae7a5aa632',
            PATTERN.format("a" * 98 + "b"),
        ),
        # the place alone says what is gone
        ("response-field-removed", FINE, "", None, None),
    ],
)
def test_waiver_covers_no_other_change_of_its_place(
    made: Project, rule: str, published: str, waived: str, value: str | None, other: str | None
) -> None:
    source, waivers = made.schemas / "loans.yaml", made.schemas / "waivers.yaml"
    waivers.unlink(missing_ok=True)
    source.write_text(BASE.replace(published, waived, 1))
    [found] = [one for one in made.findings() if one.rule == rule]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.schemas.parent)
        given = ("--reason", "Agreed.", "--expires", "2999-01-01")
        assert dateline("waive", rule, found.fingerprint, *given).status == 0
    [waiver] = read_waivers(made.schemas)
    assert (waiver.details.get("value"), list_unwaived(made)) == (value, [])
    if other is not None:
        source.write_text(BASE.replace(published, other, 1))
        again = {one.rule: one.help for one in made.findings() if one.waived is None}
        assert sorted(again) == [rule, "waiver-unused"]
        assert f"The waiver at {waiver.place} is about {value}, and not about " in again[rule]
        # those of former releases have no value, and cover any
        waivers.write_text(re.sub(r"(?s)\n *value:.*", "\n", waivers.read_text()))
        assert list_unwaived(made) == []


def test_waiver_of_several_values_names_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = BASE.replace("maxLength: 20", "maxLength: 20, x-was: { 2024-09-01: { maxLength: 30 } }")
    made = Project(folder(tmp_path, {**SOURCES, "loans.yaml": was}), tmp_path / "generated")
    made.publish()
    monkeypatch.chdir(tmp_path)
    source = made.schemas / "loans.yaml"
    source.write_text(BASE.replace("maxLength: 20", "maxLength: 5"))
    given = (
        "request-narrowed",
        "LoanParams.book",
        "--reason",
        "Agreed.",
        "--expires",
        "2999-01-01",
    )
    assert dateline("waive", *given).status == 0
    [waiver] = read_waivers(made.schemas)
    assert (waiver.details["value"], list_unwaived(made)) == (["20 -> 5", "30 -> 5"], [])
    source.write_text(BASE.replace("maxLength: 20", "maxLength: 6"))
    assert list_unwaived(made) == ["request-narrowed", "request-narrowed", "waiver-unused"]


def list_unwaived(made: Project) -> list[str]:
    return sorted(one.rule for one in made.findings() if one.waived is None)
