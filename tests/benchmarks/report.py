"""Render outcomes as a table: aligned text for people, JSON for programs."""

from __future__ import annotations

import json
import platform
from textwrap import wrap
from typing import NamedTuple

from benchmarks.measure import Pair
from benchmarks.rows import Row


class Outcome(NamedTuple):
    """The outcome of a row: a pair of costs, why it was skipped, or neither if it failed."""

    row: Row
    pair: Pair | None
    skipped: str = ""

    @property
    def verdict(self) -> str:
        """`met`, `missed`, `-` (no target), `skipped` or `failed`."""
        if self.pair is None:
            return "skipped" if self.skipped else "failed"
        targets = _targets(self.row, self.pair)
        if not targets:
            return "-"
        return "missed" if any(got > limit for _, got, limit in targets) else "met"


def _targets(row: Row, pair: Pair) -> list[tuple[str, float, float]]:
    """Return (text, measured, limit) for each target of *row*."""
    known = (
        ("{:g} s", pair.cost.cpu, row.cpu),
        ("{:g} MiB", pair.cost.memory, row.memory),
        ("{:g} x", pair.ratio, row.ratio),
        ("{:g} s more", pair.cost.cpu - pair.against.cpu, row.more_cpu),
        ("{:g} MiB more", pair.cost.memory - pair.against.memory, row.more_memory),
    )
    return [(words.format(limit), got, limit) for words, got, limit in known if limit is not None]


_HEAD = ("name", "CPU s", "peak MiB", "ratio", "to", "its CPU s", "its MiB", "target", "")
_RIGHT = frozenset({1, 2, 3, 5, 6})


def text(outcomes: list[Outcome]) -> str:
    """Return the table, followed by a description of each row and of what dominates its cost."""
    rows = [_HEAD, *map(_cells, outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if index in _RIGHT else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    for outcome in outcomes:
        lines += ["", f"{outcome.row.name}: {outcome.row.what}"]
        for said in (_shares(outcome), *_describe_findings(outcome), outcome.row.about):
            lines += wrap(said, 96, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def _cells(outcome: Outcome) -> tuple[str, ...]:
    row, pair = outcome.row, outcome.pair
    if pair is None:
        return row.name, "", "", "", "", "", "", outcome.skipped, outcome.verdict
    return (
        row.name,
        f"{pair.cost.cpu:.3f}",
        f"{pair.cost.memory:.0f}",
        f"{pair.ratio:.2f}",
        row.against,
        f"{pair.against.cpu:.3f}",
        f"{pair.against.memory:.0f}",
        ", ".join(target for target, _, _ in _targets(row, pair)),
        outcome.verdict,
    )


def _shares(outcome: Outcome) -> str:
    """Return the cost of each phase as text: `load 120 ms, render 80 ms`."""
    phases = outcome.pair.cost.phases if outcome.pair else {}
    return ", ".join(f"{phase} {seconds * 1000:.0f} ms" for phase, seconds in phases.items())


def _describe_findings(outcome: Outcome) -> list[str]:
    """Return the findings of the two commands."""
    if outcome.pair is None or not outcome.pair.cost.said:
        return []
    first, second = outcome.pair.cost.said, outcome.pair.against.said
    return [first, f"{outcome.row.against}: {second}"]


def as_json(outcomes: list[Outcome]) -> str:
    """Return the same as JSON."""
    rows = [
        {
            "name": outcome.row.name,
            "what": outcome.row.what,
            "against": outcome.row.against,
            "measured": outcome.pair
            and {
                "cost": outcome.pair.cost._asdict(),
                "against": outcome.pair.against._asdict(),
                "ratio": outcome.pair.ratio,
            },
            "targets": {
                key: limit
                for key in ("cpu", "memory", "ratio", "more_cpu", "more_memory")
                if (limit := getattr(outcome.row, key)) is not None
            },
            "verdict": outcome.verdict,
            "skipped": outcome.skipped or None,
            "about": outcome.row.about,
        }
        for outcome in outcomes
    ]
    machine = {"python": platform.python_version(), "system": platform.platform()}
    return json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n"
