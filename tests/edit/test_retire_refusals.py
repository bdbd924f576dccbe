"""The default and a moving version are not retired; the refusals name the announced days."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from support.commands import Outcome, dateline
from support.sources import LIBRARY, VERSIONS, folder
from support.tables import cases

from dateline.edit.retire import RetireError, retire

MISUSE = 2
ENDS = "{ ends: 2024-01-15, from: 2025-12-01, announced: 2025-01-01 }"
UNANNOUNCED = (
    "2024-01-15 is the default; announce a move of it, and write another `default` from its day on"
)


def moves(version: str, day: str) -> str:
    return f"{{ default: {version}, from: {day}, announced: 2025-01-01 }}"


@cases(
    ("day", "announced", "said"),
    [
        ("2026-01-01", [ENDS], UNANNOUNCED),
        # the announced move is that to the default itself, or an older one
        ("2026-01-01", [ENDS, moves("2024-01-15", "2025-10-01")], UNANNOUNCED),
        (
            "2026-01-01",
            [ENDS, moves("2024-01-15", "2025-10-01"), moves("2024-09-01", "2025-09-01")],
            UNANNOUNCED,
        ),
        # it ends later
        (
            "2025-11-30",
            [ENDS, moves("2025-06-01", "2025-11-01")],
            "2024-01-15 ends on 2025-12-01; retire it from that day on",
        ),
        (
            "2025-12-01",
            [moves("2025-06-01", "2025-11-01")],
            "no end of 2024-01-15 is announced; announce it: "
            "`announcements: [{ ends: 2024-01-15, from: DATE, announced: DATE }]`",
        ),
        # the table is not changed yet; the earliest move is next
        (
            "2025-12-01",
            [ENDS, moves("2025-06-01", "2025-11-20"), moves("2024-09-01", "2025-11-01")],
            "2024-01-15 is the default; write `default: 2024-09-01`, as announced, from "
            "2025-11-01 on",
        ),
    ],
)
def test_default_is_not_retired(day: str, announced: list[str], said: str, tmp_path: Path) -> None:
    table = f"{VERSIONS}announcements: [{', '.join(announced)}]\n"
    schemas = folder(tmp_path, {**LIBRARY, "versions.yaml": table})
    with pytest.raises(RetireError) as refused:
        retire(schemas, "2024-01-15", date.fromisoformat(day))
    assert (str(refused.value), refused.value.exit_code) == (said, MISUSE)


@pytest.mark.parametrize(
    "ends", ["", "announcements: [{ ends: unstable, from: 2025-12-01, announced: 2025-01-01 }]\n"]
)
def test_moving_version_is_not_retired(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving = "  - { date: unstable, title: Work, moving: true }\nenvironments:\n"
    table = VERSIONS.replace("environments:\n", moving) + ends
    folder(tmp_path, {**LIBRARY, "versions.yaml": table})
    monkeypatch.chdir(tmp_path)
    assert dateline("retire", "unstable", "--dry-run") == Outcome(
        MISUSE,
        "",
        "unstable is a moving version, which promises nothing and is not retired; take its row "
        "out of versions.yaml, and its gates out of the definitions\n",
    )
