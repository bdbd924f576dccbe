"""Adopt documents of real APIs or random ones; report whether each round-trips, and the cost.

`adopting.py pair HOME...` adopts the two documents of each folder, `adopting.py chain HOME...` the
newer ones of all as versions of one API, `adopting.py random COUNT` that many random chains.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

# when run as a script, modules beside it are found from the folder of the tests
sys.path.insert(0, str(Path(__file__).parents[1]))


class Adopted(NamedTuple):
    """The result for one set of documents."""

    name: str
    equal: bool
    gates: int
    fallbacks: int
    seconds: float

    def __str__(self) -> str:
        word = "equal" if self.equal else "UNEQUAL"
        reported = f"{self.gates} gates, {self.fallbacks} restated, {self.seconds:.1f} s"
        return f"{self.name} {word} ({reported})"


def adopted(name: str, documents: dict[str, tuple[str, bytes]]) -> Adopted:
    """Adopt *documents*, suffix and content by date; compare them with what is projected again."""
    from support.random_chains import plain

    from dateline.adopt import adopt
    from dateline.load import load
    from dateline.model import DatelineError
    from dateline.project import Projector
    from dateline.source.reader import read

    begun = time.process_time()
    with tempfile.TemporaryDirectory() as root:
        schemas = Path(root, "schemas")
        paths: dict[str, Path] = {}
        for date, (suffix, content) in documents.items():
            paths[date] = Path(root, f"{date}{suffix}")
            paths[date].write_bytes(content)
        try:
            adoption = adopt(tuple(f"{date}={path}" for date, path in paths.items()), schemas)
        except DatelineError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return Adopted(name, False, 0, 0, time.process_time() - begun)
        spent = time.process_time() - begun
        projector = Projector(load(schemas))
        equal = all(
            plain(projector.contract(date, "production").document)
            == plain(dict(read(path, path.name, adopted=True, problems=[]) or {}))
            for date, path in paths.items()
        )
    restated = sum(reason.times for reason in adoption.restated)
    return Adopted(name, equal, sum(adoption.gates.values()), restated, spent)


def packed(home: Path, side: str) -> tuple[str, bytes]:
    """Return the suffix and the content of the document in *home* on one *side*."""
    path = next(iter(sorted(home.glob(f"{side}.*.gz"))))
    return f".{path.name.split('.')[1]}", gzip.decompress(path.read_bytes())


def pair(*homes: str) -> Iterator[Adopted]:
    for home in map(Path, homes):
        documents = {"2024-01-01": packed(home, "base"), "2025-01-01": packed(home, "head")}
        yield adopted(home.name, documents)


def chain(*homes: str) -> Iterator[Adopted]:
    documents = {Path(home).name[-10:]: packed(Path(home), "head") for home in sorted(homes)}
    yield adopted(f"{len(homes)} versions", documents)


def random(count: str) -> Iterator[Adopted]:
    from support.random_chains import DATES, chains

    for number, made in enumerate(chains(1, int(count))):
        documents = {
            date: (".json", json.dumps(document).encode())
            for date, document in zip(DATES, made, strict=True)
        }
        yield adopted(f"chain {number}", documents)


JOBS: Final[dict[str, Callable[..., Iterator[Adopted]]]] = {
    job.__name__: job for job in (pair, chain, random)
}


def main() -> None:
    name, *given = sys.argv[1:]
    found = list(JOBS[name](*given))
    unequal = [one for one in found if not one.equal]
    if len(found) > 20:
        gates, restated = sum(one.gates for one in found), sum(one.fallbacks for one in found)
        said = f"{len(found) - len(unequal)} equal, {len(unequal)} unequal; "
        said += f"{gates} gates, {restated} restated"
    else:
        said = "; ".join(map(str, found))
    print(json.dumps({"phases": {"adopting": sum(one.seconds for one in found)}, "said": said}))
    if unequal:
        sys.exit("\n".join(map(str, unequal[:20])))


if __name__ == "__main__":
    main()
