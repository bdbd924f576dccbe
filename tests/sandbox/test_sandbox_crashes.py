"""A killed server: retries neither double nor lose an effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.processes import migrate_database, new_partner, server
from support.retries import crashes
from support.sandboxes import BOTH_DATABASES
from support.seeds import scale


@BOTH_DATABASES
def test_no_effect_is_doubled_or_lost(new_database: Callable[[], str], tmp_path: Path) -> None:
    address = new_database()
    with migrate_database(address) as door:
        _, key = new_partner(door)
    with server(address, tmp_path / "log") as running:
        assert crashes(running, key, posts=scale(96), kills=scale(4)).broken == []
