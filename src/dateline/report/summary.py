"""Summarize findings: counts, one sentence, and groups in order of severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from dateline.model import Finding, Policy, Verdict
from dateline.report.context import Context

ORDER: Final = (
    Verdict.INVALID,
    Verdict.GATED,
    Verdict.NEVER,
    Verdict.ADDITIVE,
    Verdict.INFORMATION,
)
"""The order of verdicts in summaries."""

_WEIGHT: Final = {
    Verdict.INVALID: -1,
    Verdict.NEVER: 0,
    Verdict.GATED: 1,
    Verdict.ADDITIVE: 2,
    Verdict.INFORMATION: 3,
}

_NOTHING: Final = {"check": "no findings", "diff": "no changes"}


class Level(Enum):
    """The level of a finding: a violation, a remark, or a waived violation."""

    ERROR = "error"
    NOTE = "note"
    WAIVED = "waived"


def severity_of(finding: Finding) -> Level:
    """Return the level of *finding*, ignoring its waiver: an error or a note.

    An additive change is an error if a policy was checked (a version withholds it), and a note if
    two documents were just compared.
    """
    weighty = finding.verdict in (Verdict.GATED, Verdict.NEVER, Verdict.INVALID)
    held_back = finding.verdict is Verdict.ADDITIVE and finding.policy is not Policy.COMPARISON
    return Level.ERROR if weighty or held_back else Level.NOTE


def level_of(finding: Finding) -> Level:
    """Return the level of *finding*, including its waiver."""
    return severity_of(finding) if finding.waived is None else Level.WAIVED


def count_verdicts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many findings have each verdict, and how many are waived; together, all."""
    found = Counter(finding.verdict for finding in findings if finding.waived is None)
    waived = len(findings) - found.total()
    return {str(verdict): found[verdict] for verdict in ORDER} | {"waived": waived}


def summarize(findings: Sequence[Finding], context: Context) -> str:
    """Return the summary: ``2 gated, 1 never; 3 waived``, or that there are none."""
    counted = count_verdicts(findings)
    waived = counted.pop("waived")
    summary = ", ".join(f"{count:,} {verdict}" for verdict, count in counted.items() if count)
    summary = summary or _NOTHING[context.command]
    return f"{summary}; {waived:,} waived" if waived else summary


class Section(NamedTuple):
    """The findings of one rule and level, in their order."""

    level: Level
    verdict: Verdict
    rule: str
    findings: list[Finding]

    @property
    def shared_help(self) -> str | None:
        """The help of every finding here, or None if they differ."""
        texts = {finding.help for finding in self.findings}
        return self.findings[0].help if len(texts) == 1 else None


def group_by_rule(findings: Sequence[Finding]) -> list[Section]:
    """Return *findings* by level, verdict and rule: the gravest first, waived ones last."""
    grouped: dict[tuple[Level, Verdict, str], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((level_of(finding), finding.verdict, finding.rule), []).append(finding)
    levels = list(Level)
    return sorted(
        (Section(*key, found) for key, found in grouped.items()),
        key=lambda section: (
            levels.index(section.level),
            _WEIGHT[section.verdict],
            section.rule,
        ),
    )
