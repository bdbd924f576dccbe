"""Waiving adds or replaces an entry of the file, and leaves the rest of it unchanged."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.sources import LIBRARY, folder
from support.tables import cases

from dateline.check import read_waivers
from dateline.edit.waive import WaiverError, waive
from dateline.load import load
from dateline.model import SourceError

GIVEN: dict[str, Any] = {
    "rule": "value-added",
    "pointer": "/components/schemas/LoanState/enum/1",
    "versions": ["2024-01-15", "2024-09-01"],
    "reason": "Agreed with all partners: none of them reads it.",
    "expires": "2025-12-31",
    "today": date(2025, 12, 31),
}

NEW = """\
# Breaking changes that may pass until a day. Expired and unused waivers are findings.
waivers:
  - rule: value-added
    pointer: /components/schemas/LoanState/enum/1
    versions:
      - 2024-01-15
      - 2024-09-01
    reason: 'Agreed with all partners: none of them reads it.'
    expires: 2025-12-31
"""


def test_missing_file_is_created(tmp_path: Path) -> None:
    assert waive(tmp_path, **GIVEN) == tmp_path / "waivers.yaml"
    assert (tmp_path / "waivers.yaml").read_text(encoding="utf-8") == NEW
    (waiver,) = read_waivers(tmp_path)
    reported = {key: value for key, value in GIVEN.items() if key != "today"}
    assert {key: getattr(waiver, key) for key in reported} == {
        **reported,
        "versions": tuple(GIVEN["versions"]),
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "waivers: # for a while\n"
            "- { rule: a-rule, pointer: /a, versions: [2024-01-15], reason: old, "
            "expires: 2025-01-01 } # soon\n"
            "# the end",
            "waivers: # for a while\n"
            "- { rule: a-rule, pointer: /a, versions: [2024-01-15], reason: old, "
            "expires: 2025-01-01 } # soon\n"
            "- rule: value-added\n"
            "  pointer: /components/schemas/LoanState/enum/1\n"
            "  versions: [2024-01-15, 2024-09-01]\n"
            "  reason: 'Agreed with all partners: none of them reads it.'\n"
            "  expires: 2025-12-31\n"
            "# the end",
        ),
        ("waivers: []\r\n", NEW.partition("\n")[2].replace("\n", "\r\n")),
        (
            "waivers:\n"
            "  - rule: a-rule\n"
            "    pointer: /a\n"
            "    versions: ['2024-01-15']\n"
            "    reason: >-\n"
            "      told to\n"
            "      everyone\n"
            "    expires: 2025-01-01\n",
            "waivers:\n"
            "  - rule: a-rule\n"
            "    pointer: /a\n"
            "    versions: ['2024-01-15']\n"
            "    reason: >-\n"
            "      told to\n"
            "      everyone\n"
            "    expires: 2025-01-01\n"
            "  - rule: value-added\n"
            "    pointer: /components/schemas/LoanState/enum/1\n"
            "    versions: [2024-01-15, 2024-09-01]\n"
            "    reason: 'Agreed with all partners: none of them reads it.'\n"
            "    expires: 2025-12-31\n",
        ),
    ],
)
def test_existing_entries_are_unchanged(before: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").write_bytes(before.encode())
    waive(tmp_path, **GIVEN)
    assert (tmp_path / "waivers.yaml").read_bytes() == after.encode()


@cases(
    ("other", "count"),
    [
        ({"versions": ["2024-09-01", "2024-01-15"]}, 3),
        ({"rule": "value-removed"}, 4),
        ({"pointer": "/components/schemas/LoanState/enum/2"}, 4),
        ({"versions": ["2024-01-15"]}, 4),
    ],
)
def test_waiver_of_the_same_finding_is_replaced(
    other: dict[str, Any], count: int, tmp_path: Path
) -> None:
    path = tmp_path / "waivers.yaml"
    rows = [{**GIVEN, **change} for change in ({"rule": "a-rule"}, {}, {"rule": "z-rule"})]
    for row in rows:
        waive(tmp_path, **row)
    first, last = path.read_text().split(NEW.partition("waivers:\n")[2])
    waive(tmp_path, **{**GIVEN, "reason": "Longer.", "expires": "2026-06-30", **other})
    text = path.read_text()
    assert text.startswith(first)
    assert last in text
    assert [each.reason for each in read_waivers(tmp_path)].count("Longer.") == 1
    assert len(read_waivers(tmp_path)) == count


@cases(
    ("given", "said"),
    [
        ({"rule": "Value Added"}, "'Value Added' is not the id of a rule"),
        ({"expires": "2025-2-30"}, "'2025-2-30' is not a canonical YYYY-MM-DD date"),
        ({"expires": "2025-12-30"}, "2025-12-30 has passed; name the last day"),
        ({"reason": "  "}, "`reason` has to be a text that is not blank"),
        ({"reason": "bad\x07"}, "the invisible character U+0007"),
        ({"pointer": ""}, "`pointer` has to be a text that is not blank"),
    ],
)
def test_invalid_waiver_is_refused_and_nothing_is_written(
    given: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(WaiverError) as caught:
        waive(tmp_path, **{**GIVEN, **given})
    assert str(caught.value).startswith(said)
    assert caught.value.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_unreadable_file_is_reported_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_text("waivers: none\n", encoding="utf-8")
    with pytest.raises(SourceError, match="waivers-form"):
        waive(tmp_path, **GIVEN)
    assert path.read_text(encoding="utf-8") == "waivers: none\n"


def test_waivers_file_is_no_definition(tmp_path: Path) -> None:
    schemas = folder(tmp_path, LIBRARY)
    waive(schemas, **GIVEN)
    assert load(schemas).table.default == "2024-01-15"
    assert date.fromisoformat(read_waivers(schemas)[0].expires) == date(2025, 12, 31)
