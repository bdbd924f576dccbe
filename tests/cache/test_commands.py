"""Commands print and write the same, whatever is in the cache."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pytest
from support.commands import Outcome, dateline, read_files
from support.random_documents import edited
from support.random_sources import Sources
from support.sources import LIBRARY, folder

from dateline.cache import FILE
from dateline.load import load
from dateline.model import SourceError

CACHE: Final = Path(".generated.dateline", FILE)
EDITS: Final = 3

COMMANDS: Final = (
    ["check"],
    ["check", "--format", "json", "--against", "generated"],
    ["status"],
    ["generate"],
)


def damage(content: bytes) -> None:
    """Write *content* with every hundredth byte changed."""
    spoilt = bytearray(content)
    for offset in range(0, len(spoilt), 100):
        spoilt[offset] ^= 0xFF
    CACHE.write_bytes(spoilt)


# What becomes of the cache that an earlier run left, before a command.
STATES: Final[dict[str, Callable[[bytes], object]]] = {
    "stale": CACHE.write_bytes,
    "damaged": damage,
    "deleted": lambda _: CACHE.unlink(missing_ok=True),
}


def write_edit(random: Random, sources: Sources) -> None:
    """Write other definitions, which can be read."""
    path = Path("schemas/api.json")
    before = path.read_text()
    while True:
        document = sources.copied().document
        edited(random, document)
        path.write_text(json.dumps(document))
        try:
            load(Path("schemas"))
        except SourceError:
            path.write_text(before)
        else:
            return


def test_commands_are_the_same_with_any_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    sources = Sources.read(folder(tmp_path, LIBRARY, "origin"))
    folder(tmp_path, {"versions.yaml": sources.table, "api.json": json.dumps(sources.document)})
    assert dateline("generate").status == 0
    left = CACHE.read_bytes()
    random = Random(1)
    statuses: dict[str, set[int]] = {}
    for _ in range(EDITS):
        write_edit(random, sources)
        for name in ("schemas", "generated", ".generated.dateline"):
            shutil.rmtree(tmp_path / "start" / name, ignore_errors=True)
            shutil.copytree(name, tmp_path / "start" / name)

        def run_all(command: list[str]) -> tuple[Outcome, dict[str, str]]:
            for name in ("schemas", "generated"):
                shutil.rmtree(name)
                shutil.copytree(tmp_path / "start" / name, name)
            Path(".generated.dateline/record").unlink(missing_ok=True)
            outcome = dateline(*command)
            return outcome, read_files(tmp_path / "schemas") | read_files(tmp_path / "generated")

        for command in COMMANDS:
            found = {}
            for state, spoil in STATES.items():
                spoil(left)
                found[state] = run_all(command)
            # and with all that the run before has put there
            found["full"] = run_all(command)
            assert {
                state: made == found["deleted"] for state, made in found.items()
            } == dict.fromkeys(found, True)
            left = CACHE.read_bytes() if CACHE.exists() else left
            statuses.setdefault(command[0], set()).add(found["deleted"][0].status)
    # some edits break a contract, others do not
    assert statuses == {"check": {0, 1}, "status": {0}, "generate": {0, 1}}
