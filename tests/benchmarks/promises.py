"""Test at length what versioning rules and servers promise, in processes that fail if it's broken.

`soundness COUNT`, `payments SCHEMAS`, `edits COUNT SCHEMAS`, `rewritings COUNT SCHEMAS`,
`refactorings FOLDER`, `fuzz TARGET COUNT`, `way_down COUNT SCHEMAS`, `gates COUNT SCHEMAS`,
`conformance EXAMPLES`, `events COUNT`, `caches COUNT`, `doors COUNT`, `proxy COUNT`, `existing`,
`first_minute`.

Each prints what it tried and found, in the form that the bench reads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from support.random_sources import Project

# what is tried, and how, belongs to the tests
sys.path.insert(0, str(Path(__file__).parents[1]))


# The number of random APIs whose values are narrowed as well.
_GATED: Final = 24


# For the API whose events are rendered: its versions, and the microseconds that one may take.
_VERSIONS: Final = 25
_DEAREST: Final = 20

# The number of seconds until a new user has seen the demo.
_FIRST: Final = 60


class Tried(NamedTuple):
    """What was tried, as text, and a line for each broken promise."""

    said: str
    broken: list[str]


def soundness(count: str) -> Tried:
    from support.random_documents import pairs
    from support.soundness import judge_pairs

    missed: list[str] = []
    alarms = compatible = 0
    for each in judge_pairs(pairs(seed=2026, count=int(count))):
        if each.missed():
            missed.append(str(each))
        alarms += each.false_alarm
        compatible += each.compatible
    share = 100 * alarms / int(count)
    reported = (
        f"{count} pairs, {len(missed)} misses; {alarms} false alarms by the wire "
        f"({share:.2f} % of all, {100 * alarms / compatible:.1f} % of {compatible} compatible)"
    )
    return Tried(reported, missed + ([f"false alarms: {share:.2f} %"] if share > 1 else []))


def payments(schemas: str) -> Tried:
    from support.random_documents import single
    from support.soundness import judge_pairs

    from dateline.load import load
    from dateline.project import Projector

    document = Projector(load(Path(schemas))).contract("2026-07-01", "sandbox").document
    tried = [
        (each.missed(), each.false_alarm, str(each)) for each in judge_pairs(single(document, 1))
    ]
    missed = [reported for miss, _, reported in tried if miss]
    alarms = sum(alarm for _, alarm, _ in tried)
    reported = f"{len(tried)} single edits, {len(missed)} misses, {alarms} false alarms by the wire"
    return Tried(reported, missed)


def edits(count: str, schemas: str) -> Tried:
    wanted = int(count) // 2
    let: list[str] = []
    for project in _projects(schemas):
        unlisted = (case for case in project.edits(1, 10 * wanted) if not case.listed)
        let += [str(case) for case in islice(unlisted, wanted) if not case.refused]
    return Tried(f"{2 * wanted} edits of cut versions, {2 * wanted - len(let)} refused", let)


def rewritings(count: str, schemas: str) -> Tried:
    from dateline.check import breaches

    refused: list[str] = []
    for project in _projects(schemas):
        refused += [
            str(case) for case in project.rewritings(2, int(count) // 2) if breaches(case.findings)
        ]
    return Tried(f"{count} other ways to write the same, {len(refused)} refused", refused)


def _projects(schemas: str) -> Iterator[Project]:
    """Yield a project of the library's sources and one of those in *schemas*."""
    from support.random_sources import Project, Sources
    from support.sources import LIBRARY, folder

    with tempfile.TemporaryDirectory() as root:
        yield Project(Sources.read(folder(Path(root), LIBRARY)), Path(root) / "library")
        yield Project(Sources.read(Path(schemas)), Path(root) / "payments")


def refactorings(given: str) -> Tried:
    from support.refactorings import REFACTORINGS

    from benchmarks.documents import read
    from dateline.diff import diff
    from dateline.model import Direction, Verdict
    from dateline.rules import judge

    homes = sorted(path.parent for path in Path(given).glob("*/head.*"))
    loud: list[str] = []
    for home in homes:
        head = read(home, "head")
        for refactoring in REFACTORINGS:
            for change in diff(head, refactoring(head)):
                verdict = judge(change, "dated-contract", {}).verdict
                if verdict is not Verdict.ADDITIVE and change.direction is not Direction.MODEL:
                    place = change.after_pointer or change.before_pointer
                    loud.append(f"{home.name} {refactoring.__name__}: {change.kind} {place}")
    reported = (
        f"{len(homes)} documents, {len(REFACTORINGS)} refactorings of each, {len(loud)} gated"
    )
    return Tried(f"{reported} changes in requests and responses", loud)


def way_down(count: str, schemas: str) -> Tried:
    """Half of the values are those of *schemas*, the others of APIs with every kind of gate."""
    from support import gated_apis
    from support.narrowed import Law, find_detours
    from support.sources import LIBRARY, loaded

    from dateline.load import load

    wanted = int(count)
    broken: list[str] = []
    with tempfile.TemporaryDirectory() as root:
        files = [LIBRARY, *(gated_apis.sources(seed) for seed in range(_GATED - 1))]
        gated = [Law(loaded(Path(root, str(at)), each)) for at, each in enumerate(files)]
        ours = Law(load(Path(schemas)))
        broken += ours.breaches(wanted - wanted // 2 // _GATED * _GATED, seed=wanted)
        for law in gated:
            broken += law.breaches(wanted // 2 // _GATED, seed=wanted)
        shown = sum(law.times_shown for law in (ours, *gated))
        breaches = len(broken)
        # parts removed at a version can't be shown by way of it
        kept = [gated_apis.sources(seed, removing=False) for seed in range(_GATED)]
        additive = [Law(loaded(Path(root, f"k{at}"), each)) for at, each in enumerate(kept)]
        tables = [Path(schemas, "versions.yaml").read_text("utf-8"), *[gated_apis.table()] * _GATED]
        for at, (law, table) in enumerate(zip((ours, *additive), tables, strict=True)):
            broken += find_detours(
                law, table, Path(root, f"by-way-{at}"), wanted // 500, seed=wanted
            )
    reported = (
        f"{wanted} values of {_GATED + 1} APIs, shown {shown} times, {breaches} breaches; "
        f"{wanted // 500} values of {_GATED + 1} APIs by way of each newer version, "
        f"{len(broken) - breaches} shown otherwise"
    )
    return Tried(reported, broken)


def events(count: str) -> Tried:
    """Render events with the module of a generated package, as its user does."""
    from support.events import list_sources
    from support.generated_server import Generated
    from support.narrowed_components import ComponentLaw
    from support.sources import loaded

    spent: list[int] = []
    sizes: list[int] = []
    with tempfile.TemporaryDirectory() as root:
        api = loaded(Path(root), list_sources(_VERSIONS))
        module = Generated(Path(root), api).module("events")

        def render(environment: str, name: str, event: object, version: str) -> object:
            sizes.append(len(json.dumps(event)))
            start = time.thread_time_ns()
            try:
                return module.render(name, event, version, environment=environment)
            finally:
                spent.append(time.thread_time_ns() - start)

        law = ComponentLaw(api)
        broken = list(law.event_breaches(int(count), 2026, render))
    cost = median(spent) / 1000
    reported = (
        f"{count} events over {_VERSIONS} versions, {law.times_shown} in a version that has them: "
        f"{len(broken)} leaks; {cost:.1f} microseconds each of {median(sizes):.0f} bytes (medians)"
    )
    return Tried(
        reported, broken + ([f"more than {_DEAREST} microseconds"] if cost > _DEAREST else [])
    )


def caches(count: str) -> Tried:
    from support.cached_commands import COMMANDS, try_edits

    with tempfile.TemporaryDirectory() as root:
        found = try_edits(Path(root), int(count), seed=2026)
    reported = (
        f"{count} edits, {len(COMMANDS)} commands each, {len(found.differing)} differ by cache"
    )
    return Tried(reported, found.differing)


def gates(count: str, schemas: str) -> Tried:
    from support.narrowed import Law, drop_each_gate

    from dateline.load import load

    law = Law(load(Path(schemas)))
    without = [(gate, law.having(data)) for gate, data in drop_each_gate(law.contracts, "down")]
    unnoticed = [gate for gate, other in without if next(other.breaches(int(count)), None) is None]
    reported = (
        f"{len(without)} gates, each left out of the data in turn, {len(unnoticed)} not missed"
    )
    return Tried(reported, unnoticed)


def conformance(examples: str) -> Tried:
    from support.conforming import PHASES, Found, create_mock, run_schemathesis

    from dateline.load import load

    found = Found()
    combinations = 0
    table = load(Path(__file__).parents[2] / "schemas").table
    for environment in table.environments:
        app = create_mock(environment.name)
        for version in table.supported:
            found.add(run_schemathesis(app, version.date, PHASES, int(examples)))
            combinations += 1
    reported = (
        f"{combinations} versions and environments, {found.requests} requests, "
        f"{found.checks.total()} checks of {len(found.checks)} kinds, "
        f"{len(found.failures)} failures; owed to the specification: "
        + ", ".join(f"{times} ({why})" for why, times in sorted(found.expected.items()))
    )
    return Tried(reported, found.failures)


def fuzz(target: str, count: str) -> Tried:
    from support.fuzzing import list_crashes

    with tempfile.TemporaryDirectory() as root:
        found = list_crashes(target, Path(root), 2026, int(count))
    return Tried(f"{count} mutants of {target}, {len(found)} ended in a traceback", found)


def doors(count: str) -> Tried:
    from benchmarks.proxied import try_doors

    return Tried(*try_doors(int(count)))


def proxy(count: str) -> Tried:
    from benchmarks.proxied import try_proxy

    return Tried(*try_proxy(int(count)))


def existing() -> Tried:
    from benchmarks.existing import try_existing

    return Tried(*try_existing())


def first_minute() -> Tried:
    """Install dateline in an empty folder, as a new user does, and run the demo."""
    with tempfile.TemporaryDirectory() as root:
        empty = Path(root, "empty")
        empty.mkdir()
        begin = time.perf_counter()
        home = Path(root, "environment")
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        wanted = f"{Path(__file__).parents[2]}[serve]"
        subprocess.run([str(home / "bin/pip"), "install", "--quiet", wanted], check=True)
        installed = time.perf_counter()
        demo = [str(home / "bin/dateline"), "demo"]
        subprocess.run(demo, cwd=empty, check=True, capture_output=True)
        end = time.perf_counter()
        left = [f"left behind: {path.name}" for path in empty.iterdir()]
    reported = f"installed in {installed - begin:.0f} s, demo in {end - installed:.0f} s"
    slow = [f"more than {_FIRST} seconds"] if end - begin > _FIRST else []
    return Tried(reported, left + slow)


_JOBS: Final = (
    *(soundness, payments, edits, rewritings, refactorings),
    *(way_down, gates, conformance, fuzz, events, caches, doors, proxy),
    *(existing, first_minute),
)
JOBS: Final[dict[str, Callable[..., Tried]]] = {job.__name__: job for job in _JOBS}


def main() -> None:
    name, *given = sys.argv[1:]
    tried = JOBS[name](*given)
    print(json.dumps({"phases": {name: time.process_time()}, "said": tried.said}))
    if tried.broken:
        sys.exit("\n".join([tried.said, *tried.broken[:20]]))


if __name__ == "__main__":
    main()
