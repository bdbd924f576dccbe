"""Two processes on one database: retries that meet each other have one effect all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .processes import migrated, new_partner, servers
from .retries import Tried, storm


def stormed(address: str, folder: Path, *, careless: bool = False) -> Tried:
    with migrated(address) as door:
        key, other = new_partner(door)[1], new_partner(door)[1]
    with servers(address, folder, 2, careless=careless) as running:
        return storm([each.port for each in running], key, other, posts=400, keys=20)


def test_each_key_has_one_effect_and_one_answer(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    assert stormed(new_database(), tmp_path).broken == []


def test_a_store_that_checks_first_and_records_later_is_noticed(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    broken = stormed(new_database(), tmp_path, careless=True).broken
    assert [each for each in broken if each.endswith(" effects")]
