"""Every report contains the problems of unreadable or invalid input, with their places."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from support.reported import CONTEXT, VARIANT
from support.tables import cases

from dateline.check.baseline import BaselineError
from dateline.model import Place, Problem, SourceError
from dateline.report import FORMATS, list_problems, report

PROBLEM = Problem(
    place=Place("apis/a/schemas/loans.yaml", 7, 3),
    id="unknown-key",
    message="'propertes' is no keyword; did you mean 'properties'?",
)
UNREAD = replace(CONTEXT, baseline="", problems=(PROBLEM,))


@cases("format", FORMATS)
def test_every_format_has_the_problem_and_its_place(format: str) -> None:
    written = report([], format, context=UNREAD)
    plain = written.replace("\\", "").replace("&#39;", "'")
    for said in ("unknown-key", "apis/a/schemas/loans.yaml", "is no keyword", "7"):
        assert said in plain
    # a control: without the problem, its text doesn't occur
    assert "unknown-key" not in report([], format, context=CONTEXT)


def test_text_has_problems_before_findings_and_counts_them() -> None:
    lines = report([VARIANT], "text", context=UNREAD).splitlines()
    assert lines[0] == f"{PROBLEM.place}: invalid [unknown-key] {PROBLEM.message}"
    assert lines[-1] == "1 invalid, 1 gated"


def test_json_separates_problems_from_changes() -> None:
    document = json.loads(report([VARIANT], "json", context=UNREAD))
    place = {"file": "apis/a/schemas/loans.yaml", "line": 7, "column": 3}
    problem = {"id": "unknown-key", "message": PROBLEM.message, "source": place}
    assert document["problems"] == [problem]
    assert [change["rule"] for change in document["changes"]] == ["variant-added"]


def test_sarif_was_not_successful_and_links_rules_but_no_problems() -> None:
    context = replace(UNREAD, rule_pages="https://docs.example/rules/{rule}.html")
    (run,) = json.loads(report([VARIANT], "sarif", context=context))["runs"]
    assert [one["executionSuccessful"] for one in run["invocations"]] == [False]
    assert [(rule["id"], rule.get("helpUri")) for rule in run["tool"]["driver"]["rules"]] == [
        ("unknown-key", None),
        ("variant-added", "https://docs.example/rules/variant-added.html"),
    ]
    assert [one["level"] for one in run["results"]] == ["error", "error"]


def test_junit_reports_a_problem_as_an_error() -> None:
    suites = ElementTree.fromstring(report([VARIANT], "junit", context=UNREAD))
    assert [suites.get(name) for name in ("tests", "errors", "failures")] == ["2", "1", "1"]
    assert [case[0].tag for case in suites.iter("testcase")] == ["error", "failure"]


@pytest.mark.parametrize(
    ("said", "place", "id", "message"),
    [
        ("a/b.json:3:4: baseline-edited: restore it", ("a/b.json", 3, 4), "baseline-edited", None),
        ("generated: baseline-empty: run it", ("versions.yaml", 1, 1), "baseline-empty", ""),
        ("what can't be said", ("versions.yaml", 1, 1), "invalid", ""),
    ],
)
def test_errors_of_other_rooms_are_problems_too(
    said: str, place: tuple[str, int, int], id: str, message: str | None
) -> None:
    (problem,) = list_problems([BaselineError(said)], "versions.yaml")
    assert (problem.place, problem.id) == (Place(*place), id)
    assert problem.message == ("restore it" if message is None else said)
    assert list(list_problems([SourceError([PROBLEM])], "versions.yaml")) == [PROBLEM]
