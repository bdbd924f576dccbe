"""Artifacts spooled to disk equal those in memory."""

from __future__ import annotations

from pathlib import Path

from support.written_trees import python

from dateline.files import find_stale, write
from dateline.files.spool import spooling
from dateline.model import Artifact

SIZES = (0, 1, 4095, 4096, 4097, 1 << 20)


def artifacts() -> list[Artifact]:
    return [
        Artifact(path=f"{number}/{size}.bin", content=bytes([number]) * size)
        for number, size in enumerate(SIZES)
    ]


def test_spooled_artifact_can_be_read_repeatedly_and_in_any_order() -> None:
    with spooling() as keep:
        kept = [*map(keep, artifacts())]
        for given, each in [*zip(artifacts(), kept, strict=True)][::-1] * 2:
            assert (each.path, each.content) == (given.path, given.content)


def test_another_path_has_the_same_bytes() -> None:
    with spooling() as keep:
        for given in artifacts():
            moved = keep(given).move("elsewhere")
            assert (moved.path, moved.content) == ("elsewhere", given.content)


def test_spooled_artifacts_are_written_unchanged(tmp_path: Path) -> None:
    for name in ("memory", "disk"):
        (tmp_path / name).mkdir()
    write(artifacts(), tmp_path / "memory" / "out")
    with spooling() as keep:
        kept = [*map(keep, artifacts())]
        write(kept, tmp_path / "disk" / "out")
        assert find_stale(kept, tmp_path / "memory" / "out") == []
    assert find_stale(artifacts(), tmp_path / "disk" / "out") == []


def test_different_spooled_artifact_is_stale(tmp_path: Path) -> None:
    write(artifacts(), tmp_path / "out")
    with spooling() as keep:
        changed = [
            keep(Artifact(path=each.path, content=each.content + b"!")) for each in artifacts()
        ]
        found = {str(each) for each in find_stale(changed, tmp_path / "out")}
    assert found >= {f"{each.path}: outdated" for each in changed}


FULL = """
import resource
from dateline.files.spool import spooling
from dateline.model import Artifact

resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
given = [Artifact(path=str(size), content=b"a" * size) for size in range(5_000, 5_020)]
with spooling() as keep:
    kept = [*map(keep, given)]
    print(*(each.content == one.content for each, one in zip(given, kept, strict=True)))
"""


def test_artifact_without_room_on_disk_stays_in_memory() -> None:
    assert python(FULL).stdout.split() == ["True"] * 20
