"""Two processes on one database: concurrent retries have one effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.processes import migrate_database, new_partner, servers
from support.retries import Tried, storm
from support.sandboxes import BOTH_DATABASES
from support.seeds import scale


def storm_both(address: str, folder: Path, *, careless: bool = False) -> Tried:
    with migrate_database(address) as door:
        key, other = new_partner(door)[1], new_partner(door)[1]
    with servers(address, folder, 2, is_careless=careless) as running:
        ports = [each.port for each in running]
        return storm(ports, key, other, posts=scale(160), keys=scale(16))


@BOTH_DATABASES
def test_each_key_has_one_effect_and_one_answer(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    assert storm_both(new_database(), tmp_path).broken == []


def test_store_that_checks_first_and_records_later_is_detected(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    broken = storm_both(new_database(), tmp_path, careless=True).broken
    assert [each for each in broken if each.endswith(" effects")]
