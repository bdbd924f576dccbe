"""Findings in, a GitLab code quality report out (docs.gitlab.com, "Code Quality report format")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dateline.model import Finding, Place, Verdict
from dateline.report.context import Context
from dateline.report.rows import rows
from dateline.report.summary import Level, level
from dateline.report.wording import path, place, plain, unique

_SEVERITIES: Final = {
    Verdict.NEVER: "blocker",
    Verdict.GATED: "critical",
    Verdict.ADDITIVE: "major",
    Verdict.INFORMATION: "info",
}


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; a waived one is information, for GitLab knows no waivers."""
    named = zip(findings, unique(finding.fingerprint for finding in findings), strict=True)
    return rows(_issue(finding, name, context) for finding, name in named) + "\n"


def _issue(finding: Finding, fingerprint: str, context: Context) -> dict[str, Any]:
    stands = place(finding) or Place(context.fallback, 1, 1)
    note = f" (waived: {plain(finding.waived)})" if finding.waived is not None else ""
    return {
        "description": f"{finding.verdict}: {plain(finding.message)}{note}",
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.verdict] if level(finding) is Level.ERROR else "info",
        "location": {
            "path": path(stands.file, context),
            "lines": {"begin": max(stands.line, 1)},
        },
    }
