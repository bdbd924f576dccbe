"""JUnit XML, for the test reports of CI servers: a test case for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from xml.etree import ElementTree

from dateline.model import Finding, Verdict
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.excerpt import Excerpts
from dateline.report.formats.text import list_lines
from dateline.report.summary import Level, level_of, summarize
from dateline.report.wording import number_repetitions

_NAME_LIMIT: Final = 200
_WIDTH: Final = 100


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*: errors failed, waived ones skipped, remarks passed.

    Without findings there is one test that passed: servers treat an empty report as an error.
    """
    levels = [level_of(finding) for finding in findings]
    invalid = sum(finding.verdict is Verdict.INVALID for finding in findings)
    totals = {
        "name": f"dateline {context.command}",
        "tests": str(len(findings) or 1),
        "failures": str(levels.count(Level.ERROR) - invalid),
        "errors": str(invalid),
        "skipped": str(levels.count(Level.WAIVED)),
    }
    root = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(root, "testsuite", totals)
    # the file doesn't depend on the terminal
    settled = replace(context, colour=False, width=_WIDTH)
    excerpts = Excerpts(settled.source, settled.width)
    # GitLab keeps only one of two test cases of one name
    names = number_repetitions(
        f"{escape_line(finding.rule, _NAME_LIMIT)}: {escape_line(finding.message, _NAME_LIMIT)}"
        for finding in findings
    )
    for finding, name in zip(findings, names, strict=True):
        classname = f"dateline.{finding.policy}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": classname, "name": name})
        outcome = _add_outcome(case, finding)
        outcome.text = "\n".join(["", *list_lines(finding, settled, excerpts), ""])
    if not findings:
        name = summarize(findings, context)
        ElementTree.SubElement(suite, "testcase", {"classname": "dateline", "name": name})
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_outcome(case: ElementTree.Element, finding: Finding) -> ElementTree.Element:
    """Return the new element under *case* for the outcome of *finding*."""
    if level_of(finding) is Level.NOTE:
        return ElementTree.SubElement(case, "system-out")
    if finding.waived is not None:
        skipped = {"message": f"waived: {escape_line(finding.waived)}"}
        return ElementTree.SubElement(case, "skipped", skipped)
    failed = {"message": escape_line(finding.message), "type": str(finding.verdict)}
    # what could not be run is an error, a violation is a failure
    outcome = "error" if finding.verdict is Verdict.INVALID else "failure"
    return ElementTree.SubElement(case, outcome, failed)
