"""Formats for CI servers and code hosts: JUnit, annotations, code quality, Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from cmarkgfm import (  # type: ignore[import-untyped]  # it has no stubs
    github_flavored_markdown_to_html as rendered,
)
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]
from junitparser import Failure, JUnitXml, Skipped
from support.reported import (
    COMPARED,
    CONTEXT,
    HELD_BACK,
    HOSTILE,
    INNER,
    REMARK,
    REMOVED,
    SAMPLE,
    VARIANT,
    WAIVED,
    filled,
    many,
)
from support.tables import cases

from dateline.model import Finding, Place
from dateline.report import Context, report, step_summary

# --- JUnit


def junit(findings: list[Finding], context: Context = CONTEXT) -> list[tuple[Any, ...]]:
    """Return what a reader finds: class, name, and kind and message of the outcome."""
    read = JUnitXml.fromstring(report(findings, "junit", context=context).encode())
    return [
        (case.classname, case.name, [(type(outcome), outcome.message) for outcome in case.result])
        for suite in read
        for case in suite
    ]


def test_junit_fails_errors_skips_waived_findings_and_passes_information() -> None:
    assert junit([VARIANT, REMARK, WAIVED, HELD_BACK, COMPARED]) == [
        (
            "dateline.frozen",
            "variant-added: Rail: response variant FedNow added",
            [(Failure, "Rail: response variant FedNow added")],
        ),
        (
            "dateline.servable",
            "body-without-content: DELETE /loans/{id}: the 204 response declares a body",
            [],
        ),
        (
            "dateline.frozen",
            "default-changed: Loan.state: default 'active' -> 'returned'",
            [(Skipped, "waived: agreed with all three callers")],
        ),
        (
            "dateline.minted",
            "field-added: Loan.shelf: optional response field only from next on",
            [(Failure, "Loan.shelf: optional response field only from next on")],
        ),
        (
            "dateline.comparison",
            "field-added: Loan.note: optional response field added",
            [],
        ),
    ]


def test_junit_bodies_have_the_content_of_the_text_report() -> None:
    written = report([VARIANT, REMARK], "junit", context=CONTEXT)
    bodies = [
        (body.text or "").strip("\n")
        for kind in ("failure", "system-out")
        for body in ElementTree.fromstring(written).iter(kind)
    ]
    text = report([VARIANT, REMARK], "text", context=CONTEXT)
    assert bodies == text.split("\n\n")[:2]


@pytest.mark.parametrize("count", [1, 11, 2_000])
def test_junit_counts_are_correct(count: int) -> None:
    read = JUnitXml.fromstring(report(many(count), "junit", context=CONTEXT).encode())
    [suite] = read
    declared = (suite.tests, suite.failures, suite.errors, suite.skipped)
    assert (read.tests, read.failures, read.errors, read.skipped) == declared
    kinds = [type(outcome) for case in suite for outcome in case.result]
    assert (len(list(suite)), kinds.count(Failure), 0, kinds.count(Skipped)) == declared
    assert suite.tests == count


def test_junit_names_are_unique() -> None:
    cases = junit([REMARK, REMARK, replace(REMARK, fingerprint="other")])
    assert [name.removeprefix("body-without-content: ") for _, name, _ in cases] == [
        "DELETE /loans/{id}: the 204 response declares a body",
        "DELETE /loans/{id}: the 204 response declares a body (2)",
        "DELETE /loans/{id}: the 204 response declares a body (3)",
    ]


def test_junit_without_findings_is_one_test_that_passed() -> None:
    assert junit([]) == [("dateline", "no findings", [])]
    assert junit([], replace(CONTEXT, command="diff")) == [("dateline", "no changes", [])]
    [suite] = JUnitXml.fromstring(report([], "junit", context=CONTEXT).encode())
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (1, 0, 0, 0)


@cases("name", HOSTILE)
def test_junit_of_hostile_texts_has_the_same_cases(name: str) -> None:
    findings, context = filled(HOSTILE[name])
    outcomes = [[kind for kind, _ in outcome] for _, _, outcome in junit(findings, context)]
    assert outcomes == [[Failure], [Failure], [], [Skipped]]


# --- Annotations of GitHub Actions

_COMMAND = re.compile(r"::(?P<name>error|notice) (?P<given>[^:\r\n]*)::(?P<data>[^\r\n]*)")
_ESCAPES = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def _unescape(text: str, known: str) -> str:
    return re.sub("|".join(known.split()), lambda found: _ESCAPES[found[0]], text)


def commands(written: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the commands that a runner reads: name, properties and message."""
    found = []
    for line in written.splitlines():
        command = _COMMAND.fullmatch(line)
        if command is None:
            # anything that a runner would execute must be one of the commands above
            assert not line.lstrip().startswith("::")
            assert "##[" not in line
            continue
        properties = {}
        for item in command["given"].split(","):
            name, _, value = item.partition("=")
            properties[name] = _unescape(value, "%25 %0D %0A %3A %2C")
        found.append((command["name"], properties, _unescape(command["data"], "%25 %0D %0A")))
    return found


def test_annotation_has_its_line_and_the_way_out() -> None:
    written = report([VARIANT, REMARK, WAIVED], "github", context=INNER)
    assert commands(written) == [
        (
            "error",
            {
                "file": "schemas/rails.yaml",
                "line": "6",
                "col": "9",
                "title": "gated [variant-added]",
            },
            "Rail: response variant FedNow added\n"
            "versions: 2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox)\n"
            "operations: GET /a, GET /b/{id}, POST /a and 2 more\n"
            "before: generated/spec/production/2025-03-13.json:1204:11\n"
            "A closed union gains no variant. Give it `x-added: next`.",
        ),
        (
            "notice",
            {"title": "information [body-without-content]"},
            "DELETE /loans/{id}: the 204 response declares a body\n"
            "A 204 response has no content (RFC 9110 section 15.3.5).",
        ),
    ]
    assert written.splitlines()[-1] == "1 gated, 1 information; 1 waived"


def test_command_is_escaped_as_the_runner_unescapes_it() -> None:
    finding = replace(
        REMARK,
        rule="a:b,c%d",
        message="50%, a: b",
        help="",
        after_source=Place("a,b:c%.yaml", 1, 2),
    )
    assert report([finding], "github", context=CONTEXT) == (
        "::notice file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=information [a%3Ab%2Cc%25d]"
        "::50%25, a: b\n1 information\n"
    )


@pytest.mark.parametrize(
    ("errors", "remarks", "shown"),
    [
        (0, 0, ([], [])),
        (1, 0, (["1"], [])),
        (10, 10, ([*"1234567890"], [*"1234567890"])),
        (11, 0, ([*"123456789", "and 2 more; the summary of this run shows them"], [])),
        (
            2_000,
            11,
            (
                [*"123456789", "and 1,991 more; the summary of this run shows them"],
                [*"123456789", "and 2 more; the summary of this run shows them"],
            ),
        ),
    ],
)
def test_there_are_at_most_ten_annotations_of_a_level_and_the_tenth_counts_the_rest(
    errors: int, remarks: int, shown: tuple[list[str], list[str]]
) -> None:
    findings = [
        replace(kind, message=str((number + 1) % 10), help="", versions=(), operations=())
        for kind, count in ((REMOVED, errors), (REMARK, remarks))
        for number in range(count)
    ]
    found = commands(report(findings, "github", context=CONTEXT))
    assert shown == (
        [message for name, _, message in found if name == "error"],
        [message for name, _, message in found if name == "notice"],
    )


@cases("name", HOSTILE)
def test_hostile_texts_add_no_annotations(name: str) -> None:
    findings, context = filled(HOSTILE[name])
    written = report(findings, "github", context=context)
    assert [command for command, _, _ in commands(written)] == ["error", "error", "notice"]
    assert written.count("\n") == 4


# --- GitLab code quality


def gitlab(findings: list[Finding], context: Context = CONTEXT) -> Any:
    return json.loads(report(findings, "gitlab", context=context))


def test_gitlab_report_has_the_required_properties() -> None:
    assert gitlab([VARIANT, REMARK, WAIVED], INNER) == [
        {
            "description": "gated: Rail: response variant FedNow added - A closed union gains no "
            "variant. Give it `x-added: next`.",
            "check_name": "variant-added",
            "fingerprint": "1a",
            "severity": "critical",
            "location": {"path": "schemas/rails.yaml", "lines": {"begin": 6}},
        },
        {
            "description": "information: DELETE /loans/{id}: the 204 response declares a body - "
            "A 204 response has no content (RFC 9110 section 15.3.5).",
            "check_name": "body-without-content",
            "fingerprint": "4d",
            "severity": "info",
            "location": {"path": "services/api/schemas/versions.yaml", "lines": {"begin": 1}},
        },
        {
            "description": "gated: Loan.state: default 'active' -> 'returned' "
            "(waived: agreed with all three callers) - A default stays as it is.",
            "check_name": "default-changed",
            "fingerprint": "5e",
            "severity": "info",
            "location": {"path": "services/api/schemas/versions.yaml", "lines": {"begin": 1}},
        },
    ]
    assert gitlab([]) == []


def test_gitlab_severities_follow_the_verdict() -> None:
    assert [issue["severity"] for issue in gitlab(SAMPLE)] == [
        *("critical", "blocker", "major", "info", "info", "critical", "blocker", "info")
    ]


def test_gitlab_fingerprints_are_unique() -> None:
    found = [issue["fingerprint"] for issue in gitlab([REMARK, WAIVED, REMARK, REMARK])]
    assert found == ["4d", "5e", "4d (2)", "4d (3)"]


@cases("name", HOSTILE)
def test_gitlab_reads_hostile_texts_as_text(name: str) -> None:
    findings, context = filled(HOSTILE[name])
    issues = gitlab(findings, context)
    assert [sorted(issue) for issue in issues] == [
        ["check_name", "description", "fingerprint", "location", "severity"]
    ] * 4
    assert len({issue["fingerprint"] for issue in issues}) == 4


# --- Markdown


def markdown(findings: list[Finding], context: Context = CONTEXT) -> str:
    return report(findings, "markdown", context=context)


def test_comment_starts_with_the_summary_and_folds_the_rest_by_rule() -> None:
    assert markdown([VARIANT, REMOVED, replace(VARIANT, message="2nd"), WAIVED]) == (
        "<!-- dateline check -->\n"
        "### dateline check: 2 gated, 1 never; 1 waived\n"
        "\n"
        "Compared with `git main (3f2a9c1)`.\n"
        "\n"
        "| findings | verdict | rule |\n"
        "|---:|---|---|\n"
        "| 1 | never | `operation-removed` |\n"
        "| 2 | gated | `variant-added` |\n"
        "| 1 | gated, waived | `default-changed` |\n"
        "\n"
        "<details open><summary><b>never</b> <code>operation-removed</code>: 1</summary>\n"
        "\n"
        "Routes do not change between versions. Put it back.\n"
        "\n"
        "- `generated/spec/production/2025-03-13.json:88:7` GET /loans/\\{id\\} removed<br>\n"
        "  versions: 2025-03-13 · operations: GET /loans/\\{id\\}\n"
        "\n"
        "</details>\n"
        "\n"
        "<details open><summary><b>gated</b> <code>variant-added</code>: 2</summary>\n"
        "\n"
        "A closed union gains no variant. Give it `x-added: next`.\n"
        "\n"
        "- `schemas/rails.yaml:6:9` Rail: response variant FedNow added<br>\n"
        "  versions: 2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox) · "
        "operations: GET /a, GET /b/\\{id\\}, POST /a and 2 more · "
        "before: generated/spec/production/2025-03-13.json:1204:11\n"
        "- `schemas/rails.yaml:6:9` 2nd<br>\n"
        "  versions: 2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox) · "
        "operations: GET /a, GET /b/\\{id\\}, POST /a and 2 more · "
        "before: generated/spec/production/2025-03-13.json:1204:11\n"
        "\n"
        "</details>\n"
        "\n"
        "<details><summary><b>gated, waived</b> <code>default-changed</code>: 1</summary>\n"
        "\n"
        "A default stays as it is.\n"
        "\n"
        "- `#/components/schemas/Loan/properties/state/default` "
        "Loan.state: default 'active' -\\> 'returned'<br>\n"
        "  waived: agreed with all three callers\n"
        "\n"
        "</details>\n"
    )


def test_help_that_differs_within_a_rule_is_given_for_each_finding() -> None:
    written = markdown([REMARK, replace(REMARK, message="other", help="Other `help`.")])
    assert (
        "</summary>\n\n"
        "- DELETE /loans/\\{id\\}: the 204 response declares a body<br>\n"
        "  A 204 response has no content (RFC 9110 section 15.3.5).\n"
        "- other<br>\n"
        "  Other `help`.\n"
    ) in written


def test_comment_without_findings_is_short() -> None:
    assert markdown([], replace(CONTEXT, command="diff")) == (
        "<!-- dateline diff -->\n"
        "### dateline diff: no changes\n"
        "\n"
        "Compared with `git main (3f2a9c1)`.\n"
    )


@pytest.mark.parametrize(
    "findings",
    [
        many(2_000),
        [replace(finding, rule=f"rule-{finding.fingerprint}") for finding in many(2_000)],
        [replace(finding, message="é😀" * 5_000) for finding in many(500)],
        [replace(VARIANT, rule="`" * 500 + str(number), help="`" * 5_000) for number in range(500)],
    ],
    ids=["many", "many rules", "wide", "marks"],
)
def test_comment_stays_under_the_limit_and_counts_omitted_findings(
    findings: list[Finding],
) -> None:
    written = markdown(findings)
    assert len(written.encode()) < 65_536
    assert len(written.encode()) > 60_000
    [(left, of, shown)] = re.findall(
        r"\*\*([\d,]+) of ([\d,]+) findings are not shown here\*\*: ([\d,]+) fill", written
    )
    items = len(re.findall("^- ", written, re.MULTILINE))
    assert int(shown.replace(",", "")) == items
    assert int(left.replace(",", "")) + items == int(of.replace(",", "")) == len(findings)
    assert written.count("<details") == written.count("</details>")


def test_step_summary_has_room_for_more() -> None:
    written = step_summary(many(2_000), CONTEXT)
    missing = [number for number in range(2_000) if f"change {number} happened" not in written]
    assert missing == []
    written = step_summary(many(20_000), CONTEXT)
    assert len(written.encode()) < 1 << 20
    assert "of 20,000 findings are not shown here" in written


_TAG = re.compile(r"<(?:!--.*?--|[^<>]*)>", re.DOTALL)


def _read(written: str) -> str:
    """Return the HTML that GitHub's own parser makes of *written*."""
    html: str = rendered(written, options=Options.CMARK_OPT_UNSAFE)
    return html


def _tags(html: str) -> list[str]:
    """Return the tags of *html*, except those of code spans, which help may contain."""
    return [tag for tag in _TAG.findall(html) if tag not in ("<code>", "</code>")]


# What code hosts look for in rendered text outside of code.
_LINKED = re.compile(r"@\w|[#!]\d|GH-\d|:\/\/|www\.", re.IGNORECASE)


@cases("name", HOSTILE)
def test_hostile_texts_are_text_in_a_comment(name: str) -> None:
    if not HOSTILE[name].strip():
        return
    findings, context = filled(HOSTILE[name])
    harmless, usual = filled("harmless")
    written = markdown(findings, context)
    # GitLab executes such lines
    assert not re.search(r"^\s*/[a-z]", written, re.MULTILINE)
    html = _read(written)
    assert _tags(html) == _tags(_read(markdown(harmless, usual)))
    text = _TAG.sub("", re.sub("<code>.*?</code>", "", html))
    assert _LINKED.findall(text) == []


@cases("text", ["a", "a ` b", "`a", "a``", "``` a ` b ```", "`", "a | b", "*<@b>"])
def test_code_is_shown_in_a_comment_as_written(text: str) -> None:
    finding = replace(REMARK, rule=text, help="", after_source=Place(text, 1, 2))
    html = _read(markdown([finding], replace(CONTEXT, baseline=text)))
    shown = [unescape(code) for code in re.findall("<code>(.*?)</code>", html)]
    assert shown == [text, text, text, f"{text}:1:2"]


def test_text_is_shown_in_a_comment_as_written() -> None:
    message = r"a|b `c` *d* _e_ [f](g) <h> &amp; #i @j ~k~ $l$ {m} \n 1. - + = !"
    html = _read(markdown([replace(REMARK, message=message, help="")]))
    shown = html.replace("\u200b", "").partition("<li>")[2].partition("</li>")[0]
    assert unescape(shown) == message
