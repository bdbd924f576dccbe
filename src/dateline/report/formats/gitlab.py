"""A code quality report of GitLab (docs.gitlab.com, "Code Quality report format")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dateline.model import Finding, Place, Verdict
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.json_rows import format_rows
from dateline.report.summary import Level, level_of
from dateline.report.wording import number_repetitions, place_of, split_paragraphs

_SEVERITIES: Final = {
    Verdict.INVALID: "blocker",
    Verdict.NEVER: "blocker",
    Verdict.GATED: "critical",
    Verdict.ADDITIVE: "major",
    Verdict.INFORMATION: "info",
}


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; a waived one is information: GitLab has no waivers."""
    names = number_repetitions(finding.fingerprint for finding in findings)
    issues = (_describe_issue(*pair, context) for pair in zip(findings, names, strict=True))
    return format_rows(issues) + "\n"


def _way_out(finding: Finding) -> str:
    """Return the rule and the way out: GitLab shows a description, and nothing else of an issue."""
    text = " ".join(split_paragraphs(finding.help))
    return f" - {escape_line(text)}" if text else ""


def _describe_issue(finding: Finding, fingerprint: str, context: Context) -> dict[str, Any]:
    where = place_of(finding) or Place(context.fallback, 1, 1)
    verdict = finding.verdict
    note = f" (waived: {escape_line(finding.waived)})" if finding.waived is not None else ""
    return {
        "description": f"{verdict}: {escape_line(finding.message)}{note}{_way_out(finding)}",
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[verdict] if level_of(finding) is Level.ERROR else "info",
        "location": {
            "path": where.file,
            "lines": {"begin": max(where.line, 1)},
        },
    }
