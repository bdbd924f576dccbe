"""Findings in, what they come to: counts, one sentence, sections in order of weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from dateline.model import Finding, Policy, Verdict
from dateline.report.context import Context

ORDER: Final = (Verdict.GATED, Verdict.NEVER, Verdict.ADDITIVE, Verdict.INFORMATION)
"""The order in which verdicts are counted out."""

_WEIGHT: Final = {
    Verdict.NEVER: 0,
    Verdict.GATED: 1,
    Verdict.ADDITIVE: 2,
    Verdict.INFORMATION: 3,
}

_NOTHING: Final = {"check": "no findings", "diff": "no changes"}


class Level(Enum):
    """How a finding stands: a breach, a remark, or a breach that a waiver covers."""

    ERROR = "error"
    NOTE = "note"
    WAIVED = "waived"


def severity(finding: Finding) -> Level:
    """Return the level of *finding*, its waiver left aside: an error or a note.

    What is additive is an error where it stands against a policy (it was held back), and a note
    where two documents were merely compared.
    """
    weighty = finding.verdict in (Verdict.GATED, Verdict.NEVER)
    held_back = finding.verdict is Verdict.ADDITIVE and finding.policy is not Policy.COMPARISON
    return Level.ERROR if weighty or held_back else Level.NOTE


def level(finding: Finding) -> Level:
    """Return how *finding* stands in the end."""
    return severity(finding) if finding.waived is None else Level.WAIVED


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many findings have each verdict, and how many are waived; together, all."""
    found = Counter(finding.verdict for finding in findings if finding.waived is None)
    waived = len(findings) - found.total()
    return {str(verdict): found[verdict] for verdict in ORDER} | {"waived": waived}


def sentence(findings: Sequence[Finding], context: Context) -> str:
    """Return the summary: ``2 gated, 1 never; 3 waived``, or that there is nothing."""
    counted = counts(findings)
    waived = counted.pop("waived")
    said = ", ".join(f"{count:,} {verdict}" for verdict, count in counted.items() if count)
    said = said or _NOTHING[context.command]
    return f"{said}; {waived:,} waived" if waived else said


class Section(NamedTuple):
    """The findings of one rule that stand alike, in the order in which they came."""

    level: Level
    verdict: Verdict
    rule: str
    findings: list[Finding]

    @property
    def shared_help(self) -> str | None:
        """The help of every finding here, or None where they differ."""
        texts = {finding.help for finding in self.findings}
        return self.findings[0].help if len(texts) == 1 else None


def sections(findings: Sequence[Finding]) -> list[Section]:
    """Return *findings* by level, verdict and rule: the weightiest first, waived ones last."""
    grouped: dict[tuple[Level, Verdict, str], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((level(finding), finding.verdict, finding.rule), []).append(finding)
    levels = list(Level)
    return sorted(
        (Section(*key, found) for key, found in grouped.items()),
        key=lambda section: (
            levels.index(section.level),
            _WEIGHT[section.verdict],
            section.rule,
        ),
    )
