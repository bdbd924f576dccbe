"""A code quality report of GitLab (docs.gitlab.com, "Code Quality report format")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dateline.model import Finding, Place, Verdict
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.json_rows import format_rows
from dateline.report.summary import Level, level_of
from dateline.report.wording import number_repetitions, path_from_top, place_of

_SEVERITIES: Final = {
    Verdict.NEVER: "blocker",
    Verdict.GATED: "critical",
    Verdict.ADDITIVE: "major",
    Verdict.INFORMATION: "info",
}


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; a waived one is information: GitLab has no waivers."""
    names = number_repetitions(finding.fingerprint for finding in findings)
    issues = (_issue(*pair, context) for pair in zip(findings, names, strict=True))
    return format_rows(issues) + "\n"


def _issue(finding: Finding, fingerprint: str, context: Context) -> dict[str, Any]:
    where = place_of(finding) or Place(context.fallback, 1, 1)
    note = f" (waived: {escape_line(finding.waived)})" if finding.waived is not None else ""
    return {
        "description": f"{finding.verdict}: {escape_line(finding.message)}{note}",
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.verdict] if level_of(finding) is Level.ERROR else "info",
        "location": {
            "path": path_from_top(where.file, context),
            "lines": {"begin": max(where.line, 1)},
        },
    }
