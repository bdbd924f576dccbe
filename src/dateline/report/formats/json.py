"""For programs: everything that is known; `dateline schema report` prints the JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dateline.model import Finding, Place, Verdict
from dateline.report.context import Context
from dateline.report.json_rows import format_row, format_rows
from dateline.report.summary import count_verdicts


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*, one to a line."""
    changes = format_rows(
        _describe_change(finding) for finding in findings if finding.verdict is not Verdict.INVALID
    )
    problems = format_rows(
        {"id": each.id, "message": each.message, "source": _source(each.place)}
        for each in context.problems
    )
    tool = {"name": "dateline", "version": context.version, "command": context.command}
    return (
        f'{{"tool": {format_row(tool)},\n"baseline": {format_row(context.baseline)},\n'
        f'"summary": {format_row(count_verdicts(findings))},\n"changes": {changes},\n'
        f'"problems": {problems}}}\n'
    )


def _describe_change(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "verdict": str(finding.verdict),
        "policy": str(finding.policy),
        "direction": str(finding.direction) if finding.direction else None,
        "before_pointer": finding.before_pointer,
        "after_pointer": finding.after_pointer,
        "schema": finding.schema,
        "field": finding.field,
        "operations": finding.operations,
        "versions": finding.versions,
        "environments": finding.environments,
        "before": finding.before,
        "after": finding.after,
        "message": finding.message,
        "help": finding.help,
        "fingerprint": finding.fingerprint,
        "waived": finding.waived,
        "before_source": _source(finding.before_source),
        "after_source": _source(finding.after_source),
    }


def _source(place: Place | None) -> dict[str, Any] | None:
    return place._asdict() if place else None
