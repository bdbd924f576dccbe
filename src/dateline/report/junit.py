"""Findings in, JUnit XML out, as CI servers read it: a test case for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from xml.etree import ElementTree

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, level, sentence
from dateline.report.text import block
from dateline.report.wording import plain, unique

_NAME_LIMIT: Final = 200
_WIDTH: Final = 100


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*: errors failed, waived ones skipped, remarks passed.

    Without findings there is one test that passed: servers take an empty report for a mistake.
    """
    levels = [level(finding) for finding in findings]
    totals = {
        "name": f"dateline {context.command}",
        "tests": str(len(findings) or 1),
        "failures": str(levels.count(Level.ERROR)),
        "errors": "0",
        "skipped": str(levels.count(Level.WAIVED)),
    }
    root = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(root, "testsuite", totals)
    # the file is the same whatever terminal it was written from
    settled = replace(context, colour=False, width=_WIDTH)
    excerpts = Excerpts(settled.source, settled.width)
    # GitLab keeps only one of two test cases of one name
    names = unique(
        f"{plain(finding.rule, _NAME_LIMIT)}: {plain(finding.message, _NAME_LIMIT)}"
        for finding in findings
    )
    for finding, name in zip(findings, names, strict=True):
        classname = f"dateline.{finding.policy}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": classname, "name": name})
        outcome = _outcome(case, finding)
        outcome.text = "\n".join(["", *block(finding, settled, excerpts), ""])
    if not findings:
        name = sentence(findings, context)
        ElementTree.SubElement(suite, "testcase", {"classname": "dateline", "name": name})
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _outcome(case: ElementTree.Element, finding: Finding) -> ElementTree.Element:
    """Return the new element under *case* that tells how *finding* stands."""
    if level(finding) is Level.NOTE:
        return ElementTree.SubElement(case, "system-out")
    if finding.waived is not None:
        skipped = {"message": f"waived: {plain(finding.waived)}"}
        return ElementTree.SubElement(case, "skipped", skipped)
    failed = {"message": plain(finding.message), "type": str(finding.verdict)}
    return ElementTree.SubElement(case, "failure", failed)
