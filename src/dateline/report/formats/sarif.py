"""SARIF 2.1.0 (OASIS), for code scanning and editors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from dateline.model import Finding, Place, Verdict
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.json_rows import format_row, format_rows
from dateline.report.summary import Level, severity_of
from dateline.report.wording import list_facts, place_of, split_paragraphs

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT: Final = "%SRCROOT%"
_LEVELS: Final = {Level.ERROR: "error", Level.NOTE: "note"}

# What a reader would interpret as an embedded link (section 3.11.6).
_LINK: Final = re.compile(r"\]\(")
_FIRST_SENTENCE: Final = re.compile(r".*?[.](?=\s|$)")


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; a waived one carries its waiver as a suppression."""
    rules: dict[str, Finding] = {}
    for finding in findings:
        rules.setdefault(finding.rule, finding)
    indices = {rule: index for index, rule in enumerate(rules)}
    head = {
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The top of the repository."}}},
        # places count characters, not the UTF-16 code units that are the default
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not context.problems,
                "properties": {"command": context.command, "baseline": context.baseline},
            }
        ],
    }
    driver = format_row({"name": "dateline", "version": context.version})[:-1]
    descriptors = format_rows(_describe_rule(finding, context) for finding in rules.values())
    results = format_rows(
        _describe_result(finding, indices[finding.rule], context) for finding in findings
    )
    return (
        f'{{"$schema": {format_row(_SCHEMA)}, "version": "2.1.0", "runs": [{{\n'
        f'"tool": {{"driver": {driver}, "rules": {descriptors}}}}},\n'
        f'{format_row(head)[1:-1]},\n"results": {results}}}]}}\n'
    )


def _describe_rule(finding: Finding, context: Context) -> dict[str, Any]:
    """Return the rule of *finding*, from its first violation."""
    help_text = " ".join(split_paragraphs(finding.help)) or finding.rule
    law = _FIRST_SENTENCE.match(help_text)
    known = finding.verdict is not Verdict.INVALID and context.rule_pages
    page = {"helpUri": context.rule_pages.replace("{rule}", quote(finding.rule))} if known else {}
    return {
        "id": finding.rule,
        "shortDescription": _message(law[0] if law else help_text),
        "fullDescription": _message(help_text),
        "help": _message(help_text),
        **page,
        "defaultConfiguration": {"level": _LEVELS[severity_of(finding)]},
    }


def _describe_result(finding: Finding, rule: int, context: Context) -> dict[str, Any]:
    lines = [finding.message, *split_paragraphs(finding.help)]
    lines += [f"{fact.name}: {fact.text}" for fact in list_facts(finding)]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[severity_of(finding)],
        "message": _message(*lines),
        # GitHub refuses a result without a place
        "locations": [_location(place_of(finding) or Place(context.fallback, 1, 1))],
        "partialFingerprints": {"dateline/v1": finding.fingerprint},
        # present for each result, since it may be present for one (section 3.27.23)
        "suppressions": [],
        "properties": {
            "verdict": str(finding.verdict),
            "policy": str(finding.policy),
            "versions": finding.versions,
            "environments": finding.environments,
            "beforePointer": finding.before_pointer,
            "afterPointer": finding.after_pointer,
        },
    }
    name = ".".join(part for part in (finding.schema, finding.field) if part)
    if name:
        result["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": name}]
    if finding.after_source and finding.before_source:
        before = _location(finding.before_source)
        result["relatedLocations"] = [{**before, "message": {"text": "before"}}]
    if finding.waived is not None:
        # accepted, since it has no status (section 3.27.23)
        result["suppressions"] = [{"kind": "external", "justification": finding.waived}]
    return result


def _location(where: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(where.file),
            "region": {
                "startLine": max(where.line, 1),
                "startColumn": max(where.column, 1),
            },
        }
    }


def _artifact(file: str) -> dict[str, str]:
    uri = quote(file, errors="surrogatepass")
    return {"uri": f"file://{uri}"} if file.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}


def _message(*lines: str) -> dict[str, str]:
    text = "\n".join(map(escape_line, lines))
    if _LINK.search(text):
        text = re.sub(r"[\\\[\]]", r"\\\g<0>", text)
    return {"text": text}
