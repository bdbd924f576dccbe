"""Measure commands: processor time and peak memory of whole processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

_MIB = 1024  # ru_maxrss is in KiB on Linux

# With this variable set, every run would compile all of dateline anew, unlike runs of users.
_SURROUNDINGS = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}


class Case(NamedTuple):
    """A command, and another that it is compared with; both run in *folder*.

    Before every run, *cold* is deleted, a path that either command may write. The ratio is that of
    a *phase* that both commands report, or else that of the whole processes.
    """

    folder: Path
    command: list[str]
    against: list[str]
    cold: Path | None = None
    phase: str | None = None


class Cost(NamedTuple):
    """The cost of a command: CPU seconds (user and system) and peak MiB.

    A command of the bench also reports the CPU seconds by phase, and its findings.
    """

    cpu: float
    memory: float
    phases: dict[str, float]
    said: str = ""


class Pair(NamedTuple):
    """Medians of the runs; the ratio is the median of the ratios of each run."""

    cost: Cost
    against: Cost
    ratio: float


class FailedError(Exception):
    """A measured command failed; contains its output."""


def pair(case: Case, runs: int) -> Pair:
    """Run both commands alternately, once to warm up and then *runs* times.

    With 0 *runs* the warm-up is measured, which suffices where only the findings matter.

    Raises FailedError if one of them fails.
    """
    costs: list[tuple[Cost, Cost]] = []
    for _ in range(runs + 1):
        costs.append((_once(case.command, case), _once(case.against, case)))
    warm = costs[1:] or costs
    return Pair(
        _typical([first for first, _ in warm]),
        _typical([second for _, second in warm]),
        median(_spent(first, case) / _spent(second, case) for first, second in warm),
    )


def _once(command: list[str], case: Case) -> Cost:
    if case.cold is not None and case.cold.exists():
        shutil.rmtree(case.cold)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            cwd=case.folder,
            env=_SURROUNDINGS,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        # on Linux, a new process inherits the peak memory of its parent, so this one stays small
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            said = err.read().decode(errors="replace").strip()
            raise FailedError(f"{' '.join(command)}: status {process.returncode}\n{said}")
        out.seek(0)
        reported = out.read()
    own = json.loads(reported) if reported.startswith(b'{"phases": ') else {}
    return Cost(
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / _MIB,
        own.get("phases", {}),
        own.get("said", ""),
    )


def _spent(cost: Cost, case: Case) -> float:
    return cost.cpu if case.phase is None else cost.phases[case.phase]


def _typical(costs: list[Cost]) -> Cost:
    return Cost(
        median(cost.cpu for cost in costs),
        max(cost.memory for cost in costs),
        {phase: median(cost.phases[phase] for cost in costs) for phase in costs[0].phases},
        costs[0].said,
    )
