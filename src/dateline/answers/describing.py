"""Describe rules, gates and cut versions as the data of JSON output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dateline.paths import name_file
from dateline.presets import PRESETS
from dateline.rules import RULES
from dateline.rules.explanation import find_explained

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dateline.demands import DemandedConverter
    from dateline.edit.cut import Cut
    from dateline.edit.gate import Plan
    from dateline.edit.revision import Revision
    from dateline.generate import Generated
    from dateline.model import DatelineError
    from dateline.rules.rule import Rule


def describe_rules() -> dict[str, Any]:
    """Return all rules, as `rules.schema.json` describes them."""
    return {"rules": [_describe_rule(rule) for rule in RULES.values()]}


def describe_explained(name: str) -> dict[str, Any]:
    """Return the rule or preset called *name*, as `explain.schema.json` describes it.

    Raises LookupError for any other name, with the nearest one.
    """
    if (rule := find_explained(name)) is not None:
        return {"kind": "rule", **_describe_rule(rule)}
    preset = PRESETS[name]
    verdicts = {rule: str(verdict) for rule, verdict in preset.verdicts.items()}
    return {"kind": "preset", "id": name, "purpose": preset.purpose, "verdicts": verdicts}


def _describe_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "verdict": str(rule.verdict),
        "summary": rule.summary,
        "reason": rule.reason,
        "way_out": rule.way_out,
        "callers": rule.callers or None,
        "example": rule.example._asdict() if rule.example.before else None,
        "presets": {
            name: str(preset.verdicts[rule.id])
            for name, preset in PRESETS.items()
            if rule.id in preset.verdicts
        },
    }


def describe_gates(
    plan: Plan, demands: Iterable[DemandedConverter], *, written: bool
) -> dict[str, Any]:
    """Return the result of gating, as `gate.schema.json` describes it; whether it was *written*.

    *demands* are the converters that the gates demand.
    """
    return {
        "written": written,
        "edits": [{"message": one.message, "source": one.place._asdict()} for one in plan.edits],
        "patch": plan.patch(),
        "questions": [
            {"before": one.before, "after": one.after, "versions": list(one.versions)}
            for one in plan.questions
        ],
        "left": [
            {"message": one.message, "reason": one.reason, "source": one.place._asdict()}
            for one in plan.left
        ],
        "converters": [each.describe() for each in demands],
        "remarks": list(plan.remarks),
        "incomplete": plan.incomplete,
    }


def describe_cut(
    plan: Cut, demands: Iterable[DemandedConverter], outcome: Generated | None
) -> dict[str, Any]:
    """Return the result of cutting a version, as `cut.schema.json` describes it.

    *demands* are the converters that the version demands, *outcome* is what came of the outputs;
    None where nothing was written.
    """
    closed = plan.closed
    return {
        **describe_retired(plan, outcome),
        "changes": [entry.data for entry in plan.page().entries],
        "added": {
            "since": closed.words,
            "messages": [entry.message for entry in closed.entries],
        }
        if closed
        else None,
        "converters": [each.describe() for each in demands],
    }


def describe_retired(plan: Revision, outcome: Generated | None) -> dict[str, Any]:
    """Return the result of removing a version, as `retire.schema.json` describes it.

    *outcome* is the result for the outputs; None if nothing was written.
    """
    return {
        "written": outcome is not None,
        "version": {"date": plan.version.date, "title": plan.version.title},
        "files": [
            {"file": name_file(plan.folder, one.name), "action": one.verb}
            for one in (*plan.replacements, *plan.recorded)
        ],
        "patch": plan.patch(),
        "outputs": _describe_written(outcome),
    }


def describe_problems(error: DatelineError) -> dict[str, Any]:
    """Return the reasons why a command failed, as `problems.schema.json` describes them."""
    from dateline.generate import BreachError
    from dateline.report import list_problems

    if isinstance(error, BreachError):
        rows = [
            (one.rule, f"{one.message}. {one.help}", one.after_source or one.before_source)
            for one in error.findings
        ]
    else:
        rows = [(one.id, one.message, one.place) for one in list_problems([error], fallback="")]
    return {
        "problems": [
            {"id": id, "message": message, "source": at._asdict() if at and at.file else None}
            for id, message, at in rows
        ]
    }


def _describe_written(outcome: Generated | None) -> dict[str, Any] | None:
    if outcome is None or outcome.written is None:
        return None
    written = outcome.written
    return {
        "added": list(written.added),
        "changed": list(written.changed),
        "removed": list(written.removed),
    }
