"""JSON output of commands, which satisfies the schemas that `dateline schema` prints."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.commands import dateline

from dateline import report
from dateline.answers import ANSWERS, schema
from dateline.presets import PRESETS
from dateline.rules import RULES

WAIVER = """\
waivers:
  - rule: value-added
    pointer: /components/schemas/LoanState/enum/3
    versions: [2025-01-15, 2025-09-01]
    reason: Nobody reads it.
    expires: 2999-12-31
    owner: "@lending"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter project with its outputs, not to be modified."""
    folder = tmp_path_factory.mktemp("starter")
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert [dateline("init").status, dateline("generate").status] == [0, 0]
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def starter(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same as the current folder, after a field of a response was deleted."""
    folder = shutil.copytree(made, tmp_path / "library")
    monkeypatch.chdir(folder)
    loans = folder / "schemas" / "loans.yaml"
    lines = loans.read_text("utf-8").splitlines(keepends=True)
    loans.write_text("".join(line for line in lines if "channel" not in line), "utf-8")
    return folder


def ask(*arguments: str, status: int = 0) -> Any:
    """Return the JSON output of the command after validating it against its schema."""
    outcome = dateline(*arguments, "--format", "json")
    assert (outcome.status, outcome.err) == (status, "")
    answer = json.loads(outcome.out)
    jsonschema_rs.validate(json.loads(dateline("schema", arguments[0]).out), answer)
    return answer


def test_schemas_are_valid_and_refer_to_themselves_only() -> None:
    for command in ANSWERS:
        described = json.loads(dateline("schema", command).out)
        assert jsonschema_rs.meta.is_valid(described)
        assert described["$id"] == f"urn:dateline:{command}:1"
        jsonschema_rs.validator_for(described)  # every reference has a target


def test_rules_and_presets_are_reported_completely() -> None:
    listed = ask("rules")["rules"]
    assert [rule["id"] for rule in listed] == list(RULES)
    assert {"kind": "rule", **listed[0]} == ask("explain", listed[0]["id"])
    for name, preset in PRESETS.items():
        assert ask("explain", name) == {
            "kind": "preset",
            "id": name,
            "purpose": preset.purpose,
            "verdicts": {rule: str(verdict) for rule, verdict in preset.verdicts.items()},
        }
    misspelt = dateline("explain", "value-aded", "--format", "json")
    assert (misspelt.status, misspelt.out) == (2, "")


def test_gate_reports_what_it_would_do_and_what_it_did(starter: Path) -> None:
    planned = ask("gate", "--dry-run")
    patch = planned.pop("patch")
    assert patch.startswith("--- a/schemas/loans.yaml\n")
    assert "x-removed: next" in patch
    assert planned == {
        "written": False,
        "edits": [
            {
                "message": "Loan.channel: field removed; it is restored with `x-removed: next`",
                "source": {"file": "schemas/loans.yaml", "line": 32, "column": 7},
            }
        ],
        "questions": [],
        "left": [],
        "converters": [],
        "remarks": [],
        "incomplete": False,
    }
    assert "channel" not in (starter / "schemas" / "loans.yaml").read_text("utf-8")
    assert ask("gate") == {**planned, "written": True, "patch": patch}
    nothing = {"written": False, "edits": [], "patch": ""}
    assert ask("gate") == {**planned, **nothing}


def test_gate_reports_what_it_could_not_gate(starter: Path) -> None:
    loans = starter / "schemas" / "loans.yaml"
    loans.write_text(loans.read_text("utf-8").replace("operationId: getLoan", "operationId: loan"))
    moved = loans.read_text("utf-8").replace("  /loans/{id}:", "  /lendings/{id}:")
    loans.write_text(moved, "utf-8")
    left = ask("gate", "--dry-run", status=1)["left"]
    assert [one["message"] for one in left] == ["GET /loans/{id}: operation removed"]


def test_cut_shows_the_version_that_it_would_make(starter: Path) -> None:
    assert dateline("gate").status == 0
    answer = ask("cut", "2026-03-01", "--title", "No channels.", "--dry-run")
    assert [change["message"] for change in answer.pop("changes")] == [
        "Loan.channel: field removed"
    ]
    assert answer.pop("patch").startswith("--- a/schemas/loans.yaml\n")
    files = [(one["file"], one["action"]) for one in answer.pop("files")]
    assert files[:2] == [("schemas/loans.yaml", "changed"), ("schemas/versions.yaml", "changed")]
    assert ("schemas/_additions/spec/sandbox/2026-03-01.json", "added") in files
    assert answer == {
        "written": False,
        "version": {"date": "2026-03-01", "title": "No channels."},
        "added": None,
        "converters": [],
        "outputs": None,
    }
    assert "next" in (starter / "schemas" / "loans.yaml").read_text("utf-8")


def test_status_is_the_same_for_people_and_programs(starter: Path) -> None:
    assert dateline("gate").status == 0
    (starter / "schemas" / "waivers.yaml").write_text(WAIVER, "utf-8")
    [state] = ask("status")["projects"]
    lines = dateline("status").out.splitlines()
    assert state["versions"][1] == {
        "date": "2025-09-01",
        "title": "Loans can be paused.",
        "default": False,
        "latest": True,
        "draft": False,
        "undisclosed": False,
    }
    assert state["environments"][1] == {
        "name": "sandbox",
        "servers": ["https://sandbox.library.example/api"],
    }
    assert [
        (one["version"], [change["message"] for change in one["changes"]])
        for one in state["pending"]
    ] == [("next", ["Loan.channel: field removed"])]
    [waiver] = state["waivers"]
    assert (waiver["state"], waiver["owner"]) == ("unused", "@lending")
    assert (
        f"  unused until 2999-12-31  {waiver['rule']} at {waiver['pointer']}: "
        + ("Nobody reads it. (owner @lending)")
        in lines
    )
    assert state["outputs"]["folder"] == "generated"
    assert state["outputs"]["stale"] != []
    for stale in state["outputs"]["stale"]:
        assert f"  generated/{stale['path']}: {stale['state']}" in lines


def test_retiring_reports_what_it_would_do(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(made, tmp_path / "library")
    monkeypatch.chdir(folder)
    versions = folder / "schemas" / "versions.yaml"
    ends = "{ ends: 2025-01-15, from: 2026-01-01, announced: 2025-01-15 }"
    text = re.sub("^default:.*", "default: 2025-09-01", versions.read_text("utf-8"), flags=re.M)
    versions.write_text(f"{text}announcements: [{ends}]\n", "utf-8")
    shutil.rmtree(folder / "generated")
    assert dateline("generate").status == 0
    answer = ask("retire", "2025-01-15", "--dry-run")
    assert "-  - { date: 2025-01-15" in answer.pop("patch")
    assert {"file": "schemas/versions.yaml", "action": "changed"} in answer.pop("files")
    assert answer == {
        "written": False,
        "version": {"date": "2025-01-15", "title": "Initial version."},
        "outputs": None,
    }
    assert ask("retire", "2025-01-15")["outputs"]["removed"] != []


BROKEN = [
    ["status"],
    ["gate", "--dry-run"],
    ["cut", "2026-03-01", "--title", "No channels."],
    ["retire", "2025-01-15"],
    ["history", "Loan"],
]


def list_refusals(*arguments: str, status: int) -> list[tuple[str, Any]]:
    """Return the ids and places of the problems in the output of the command."""
    outcome = dateline(*arguments, "--format", "json")
    assert outcome.status == status
    answer = json.loads(outcome.out)
    jsonschema_rs.validate(json.loads(schema("problems")), answer)
    for problem in answer["problems"]:
        # the text output reports the same
        assert problem["message"].split(". ")[0] in outcome.err
    return [(one["id"], one["source"]) for one in answer["problems"]]


@pytest.mark.parametrize("command", BROKEN, ids=lambda command: command[0])
def test_problems_of_definitions_are_reported(starter: Path, command: list[str]) -> None:
    path = starter / "schemas" / "loans.yaml"
    text = path.read_text("utf-8")
    path.write_text(
        text.replace("id: { type: string, format: uuid }", "id: { type: string, format: uid }"),
        "utf-8",
    )
    source = {"file": "schemas/loans.yaml", "line": 33, "column": 37}
    assert list_refusals(*command, status=3) == [("unknown-format", source)]
    path.write_text(f"{text}[", "utf-8")
    assert [id for id, _ in list_refusals(*command, status=3)] == ["yaml-syntax"]
    # settings are read before the command starts
    path.write_text(text, "utf-8")
    (starter / "dateline.toml").write_text("nmae = 'x'\n", "utf-8")
    source = {"file": "dateline.toml", "line": 1, "column": 1}
    assert list_refusals(*command, status=3) == [("settings-invalid", source)]


def test_problems_of_several_projects_are_reported_together(starter: Path) -> None:
    for name in ("books", "cards", "loans"):
        shutil.copytree(starter / "schemas", starter / name / "schemas")
    shutil.rmtree(starter / "schemas")
    (starter / "dateline.toml").write_text('projects = ["books", "cards", "loans"]\n', "utf-8")
    for name in ("books", "loans"):
        path = starter / name / "schemas" / "loans.yaml"
        path.write_text(path.read_text("utf-8") + "[", "utf-8")
    found = list_refusals("status", status=3)
    assert [(id, source["file"]) for id, source in found] == [
        ("yaml-syntax", "books/schemas/loans.yaml"),
        ("yaml-syntax", "loans/schemas/loans.yaml"),
    ]
    people = dateline("status")
    assert people.status == 3
    assert [line for line in people.out.splitlines() if line.startswith("==")] == ["== cards"]


@pytest.mark.parametrize("command", ["check", "diff"])
def test_reports_contain_problems_of_settings(starter: Path, command: str) -> None:
    (starter / "dateline.toml").write_text("nmae = 'x'\n", "utf-8")
    names = ["2025-01-15", "2025-09-01"] if command == "diff" else []
    outcome = dateline(command, *names, "--format", "json", "--format", "github=found.txt")
    assert outcome.status == 3
    document = json.loads(outcome.out)
    jsonschema_rs.validate(json.loads(report.schema()), document)
    assert [one["id"] for one in document["problems"]] == ["settings-invalid"]
    assert (starter / "found.txt").read_text("utf-8").startswith("::error file=dateline.toml,")


@pytest.mark.usefixtures("starter")
def test_refusal_of_a_command_is_reported() -> None:
    assert list_refusals("cut", "2020-01-01", "--dry-run", status=2) == [("invalid", None)]
    assert list_refusals("retire", "2025-09-01", "--dry-run", status=2) == [("invalid", None)]
    # broken rules are named, with the place
    found = list_refusals("cut", "2026-03-01", "--title", "No.", "--undisclosed", status=1)
    assert found == [
        (
            "response-field-removed",
            {"file": "schemas/loans.yaml", "line": 32, "column": 7},
        )
    ]
