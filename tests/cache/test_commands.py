"""Commands print and write the same, whatever is in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.cached_commands import try_edits

# the bench tries a thousand
EDITS: Final = 3


def test_commands_are_the_same_with_any_cache(tmp_path: Path) -> None:
    tried = try_edits(tmp_path, EDITS)
    assert tried.differing == []
    # some edits break a contract, others do not
    assert tried.statuses == {
        "check": {0, 1},
        "check --format json --against generated": {0, 1},
        "status": {0},
        "generate --check": {4},
        "generate": {0, 1},
    }
