"""A history says since when something exists, what it was before, and why."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import jsonschema_rs
import pytest
from support import gated_apis
from support.changing import DATES, read_page_data, render_pages, replace_texts
from support.seeds import seeds
from support.sources import LIBRARY, loaded

from dateline import entry
from dateline.changes import schema
from dateline.changes.history import schema as history_schema
from dateline.changes.history import trace_history
from dateline.model import Api


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


@pytest.fixture(params=seeds(4))
def by_chance(request: pytest.FixtureRequest, tmp_path: Path) -> Api:
    return loaded(tmp_path, gated_apis.sources(request.param))


def lines(api: Api, name: str) -> list[str]:
    return list(trace_history(api, name).lines())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "Loan.author_name",
            [
                "Loan.author_name (schemas/loans.yaml:26:9)",
                "  2024-01-15  Loan.writer: there from the first version on",
                "  2025-06-01  gated [field-renamed] Loan.author_name: field renamed "
                "('writer' -> 'author_name')",
                "              schemas/loans.yaml:26:9",
            ],
        ),
        (
            "Loan.fine_cents",
            [
                "Loan.fine_cents (schemas/loans.yaml:29:9)",
                "  2024-01-15  Loan.fine_cents: there from the first version on",
                "  2025-06-01  gated [response-field-removed] Loan.fine_cents: field removed",
                "              schemas/loans.yaml:29:9",
            ],
        ),
        (
            # the target of a field is part of its history
            "Loan.state",
            [
                "Loan.state (schemas/loans.yaml:33:9)",
                "  2024-01-15  Loan.state: there from the first version on",
                "  next        gated [value-added] LoanState: value paused added",
                "              why: a loan can be paused",
                "              schemas/loans.yaml:38:11",
            ],
        ),
        (
            "LoanState.paused",
            [
                "LoanState.paused (schemas/loans.yaml:34:5)",
                "  next        gated [value-added] LoanState: value paused added",
                "              why: a loan can be paused",
                "              schemas/loans.yaml:38:11",
            ],
        ),
        (
            "LoanState.active",
            [
                "LoanState.active (schemas/loans.yaml:34:5)",
                "  2024-01-15  LoanState.active: there from the first version on",
            ],
        ),
        (
            # added with its component
            "AudioBook.minutes",
            [
                "AudioBook.minutes (schemas/loans.yaml:59:9)",
                "  2024-09-01  additive [component-added] AudioBook: component added",
                "              schemas/loans.yaml:53:5",
            ],
        ),
        (
            "expireLoan",
            [
                "POST /sandbox/loans/{id}/expire (schemas/loans.yaml:13:5)",
                "  2024-01-15  POST /sandbox/loans/{id}/expire: there from the first version on",
            ],
        ),
    ],
)
def test_history_says_since_when_what_before_and_why(
    library: Api, name: str, expected: list[str]
) -> None:
    assert lines(library, name) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Loan.writer", "Loan.author_name"),
        ("Loan.item.minutes", "AudioBook.minutes"),
        ("expireLoan", "POST /sandbox/loans/{id}/expire"),
    ],
)
def test_history_is_found_by_every_name(library: Api, one: str, other: str) -> None:
    assert trace_history(library, one) == trace_history(library, other)


def test_history_of_an_operation_contains_everything_that_callers_see(library: Api) -> None:
    seen = [event.message for event in trace_history(library, "getLoan").events]
    made = render_pages(library)
    expected = [
        change["message"]
        for older, newer in pairwise(DATES)
        for change in read_page_data(made, older, newer)["changes"]
        if "GET /loans/{id}" in change["operations"]
    ]
    assert seen == ["GET /loans/{id}: there from the first version on", *expected]


def test_every_component_has_a_history_from_its_first_version(by_chance: Api) -> None:
    shown = [name for (section, name), where in by_chance.visible.items() if where]
    # a sample, because each takes as long as all the pages between neighbours
    for name in shown[::9]:
        found = trace_history(by_chance, name)
        dates = by_chance.table.dates
        assert found.versions
        assert found.events[0].version == found.versions[0], name
        gone = dates[dates.index(found.versions[-1]) + 1 :]
        if gone:
            assert found.events[-1].version == gone[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Lon", "No component or operation is called 'Lon'; did you mean 'Loan'?"),
        ("Loan.stat", "No field or value of Loan is called 'stat'; did you mean 'state'?"),
        (
            "GET /loan/{id}",
            "No component or operation is called 'GET /loan/{id}'; did you mean 'GET /loans/{id}'?",
        ),
        (
            "LoanState.pause",
            "No field or value of LoanState is called 'pause'; did you mean 'paused'?",
        ),
    ],
)
def test_unknown_name_suggests_the_nearest_one(library: Api, name: str, said: str) -> None:
    with pytest.raises(LookupError) as caught:
        trace_history(library, name)
    assert caught.value.args == (said,)


def test_each_date_has_the_reason_of_its_gate(tmp_path: Path) -> None:
    was = "{ 2024-09-01: { name: remark }, 2025-06-01: { name: comment } }"
    why = "{ 2024-09-01: Remarks were rude., 2025-06-01: So were comments. }"
    note = f"note: {{ type: string, x-was: {was}, x-why: {why} }}"
    api = loaded(tmp_path, replace_texts(LIBRARY, ("note: { type: string }", note)))
    assert [line for line in lines(api, "Loan.note") if "why:" in line] == [
        "              why: Remarks were rude.",
        "              why: So were comments.",
    ]


def test_json_history_contains_the_changes_of_the_pages(library: Api) -> None:
    found = json.loads(trace_history(library, "LoanState.paused").text())
    source = {"file": "schemas/loans.yaml", "line": 38, "column": 11}
    assert found == {
        "name": "LoanState.paused",
        "source": {"file": "schemas/loans.yaml", "line": 34, "column": 5},
        "versions": ["next"],
        "history": [
            {
                "version": "next",
                "message": "LoanState: value paused added",
                "source": source,
                "change": read_page_data(render_pages(library), "2025-06-01", "next")["changes"][0],
            }
        ],
    }


def test_histories_have_the_published_schema(by_chance: Api) -> None:
    valid = jsonschema_rs.validator_for(json.loads(history_schema()))
    shown = [name for (_, name), versions in by_chance.visible.items() if versions]
    for name in shown[:5]:
        valid.validate(json.loads(trace_history(by_chance, name).text()))
    with pytest.raises(jsonschema_rs.ValidationError):
        valid.validate({"name": "Loan", "source": None, "versions": [], "history": []})


def test_command_line_prints_histories(
    library: Api, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(library.folder.parent)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dateline", *arguments])
        with pytest.raises(SystemExit) as stopped:
            entry.main()
        return int(stopped.value.code or 0), *capfd.readouterr()

    found = trace_history(library, "Loan.state")
    assert run("history", "Loan.state") == (0, "\n".join([*found.lines(), ""]), "")
    assert run("history", "Loan.state", "--format", "json") == (0, f"{found.text()}\n", "")
    said = "No field or value of Loan is called 'sate'; did you mean 'state'?"
    more = " See `dateline history --help`.\n"
    assert run("history", "Loan.sate") == (2, "", f"dateline: {said}{more}")
    known = "No field or value of LoanState is called 'x'; known: active, paused, returned."
    assert run("history", "LoanState.x") == (2, "", f"dateline: {known}{more}")
    assert run("schema", "changes") == (0, schema(), "")
    assert run("schema", "history") == (0, history_schema(), "")
