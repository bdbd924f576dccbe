"""The bench measures what its table says: the synthetic API, and the table itself."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import published, synthetic
from benchmarks.measure import Case, Cost, Pair, pair
from benchmarks.report import Outcome, text
from benchmarks.rows import Row

from dateline.load import load
from dateline.openapi import METHODS
from dateline.project import Projector


def test_synthetic_api_has_its_size_and_each_version_edits_five_types(tmp_path: Path) -> None:
    synthetic.write(tmp_path / "schemas", 4)
    api = load(tmp_path / "schemas")
    operations = [
        method for item in api.document["paths"].values() for method in item if method in METHODS
    ]
    models = api.document["components"]["schemas"]
    assert (len(operations), len(models)) == (synthetic.OPERATIONS, synthetic.MODELS)
    projector = Projector(api)
    contracts = [projector.contract(date, "production") for date in api.table.dates]
    shown = [contract.document["components"]["schemas"] for contract in contracts]
    edited = [
        [name for name, schema in older.items() if newer[name] != schema]
        for older, newer in pairwise(shown)
    ]
    assert [len(names) for names in edited] == [5, 5, 5]


def row(name: str, cpu: float | None = None, ratio: float | None = None) -> Row:
    return Row(
        name=name,
        what=f"the {name} thing",
        against="pass",
        prepare=lambda root: Case(root, [], []),
        about="The start dominates.",
        cpu=cpu,
        ratio=ratio,
    )


def test_table_compares_measurements_with_their_targets() -> None:
    cost = Cost(0.5, 40.4, {"load": 0.2, "write": 0.1})
    measured = Pair(cost, Cost(0.25, 9, {}), 2.0)
    outcomes = [
        Outcome(row("quick", cpu=0.5, ratio=3), measured),
        Outcome(row("slow", ratio=1.5), measured),
        Outcome(row("mere"), measured),
        Outcome(row("absent", cpu=1), None, "no data"),
        Outcome(row("broken"), None),
    ]
    about = "    load 200 ms, write 100 ms\n    The start dominates.\n"
    assert text(outcomes) == (
        "name    CPU s  peak MiB  ratio  to    its CPU s  its MiB  target\n"
        "-----------------------------------------------------------------------------\n"
        "quick   0.500        40   2.00  pass      0.250        9  0.5 s, 3 x  met\n"
        "slow    0.500        40   2.00  pass      0.250        9  1.5 x       missed\n"
        "mere    0.500        40   2.00  pass      0.250        9              -\n"
        "absent                                                    no data     skipped\n"
        "broken                                                                failed\n"
        f"\nquick: the quick thing\n{about}"
        f"\nslow: the slow thing\n{about}"
        f"\nmere: the mere thing\n{about}"
        "\nabsent: the absent thing\n    The start dominates.\n"
        "\nbroken: the broken thing\n    The start dominates.\n"
    )


def test_both_commands_start_without_their_earlier_output(tmp_path: Path) -> None:
    cold = tmp_path / "cold"
    command = [sys.executable, "-c", f"import os; os.mkdir({str(cold)!r})"]
    measured = pair(Case(tmp_path, command, command, cold=cold), 1)
    assert min(measured.cost.cpu, measured.cost.memory, measured.ratio) > 0


def test_published_change_is_found_at_its_place_and_by_its_kind() -> None:
    def document(properties: dict[str, Any]) -> dict[str, Any]:
        return {
            "openapi": "3.1.0",
            "info": {"title": "Library", "version": "1"},
            "paths": {},
            "components": {"schemas": {"Loan": {"type": "object", "properties": properties}}},
        }

    def outcome(kind: str, before: dict[str, Any], after: dict[str, Any]) -> published.Outcome:
        checks = ("schema:Loan.due", "!schema:Loan.due")
        row = published.Row("1", kind, "y", True, checks, "")
        return published.Found(document(before), document(after)).outcome(row)

    due = {"due": {"type": "string"}}
    found = outcome("response-field-removed", due, {})
    assert [str(change.kind) for change in found.reported] == ["field-removed"]
    described = {"due": {"type": "string", "description": "Until when."}}
    missed = outcome("response-field-removed", due, described)
    assert (missed.reported, missed.within) == ([], [])
    assert [str(change.kind) for change in missed.otherwise] == ["documentation-changed"]
    other = outcome("type-changed", due, {"due": {"type": "integer"}})
    assert other.reported != []
    assert outcome("type-changed", due, {}).reported == []
