"""`diff` applies a policy of its own to two documents, without definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import dateline
from support.policies import committed, edit, project

from dateline.rules import RULES

__all__ = ["committed", "project"]


def document(**properties: Any) -> str:
    loan = {"type": "object", "properties": properties}
    content = {"application/json": {"schema": loan}}
    answer = {"responses": {"200": {"description": "loans", "content": content}}}
    head = {"openapi": "3.1.0", "info": {"title": "Library", "version": "1"}}
    return json.dumps({**head, "paths": {"/loans": {"get": answer}}})


LOST: Final = ("[active, returned]", "[active, returned, lost]")
NEEDED: Final = (
    "      tags: [Loans]\n      parameters: [",
    "      tags: [Loans]\n      parameters: [{ name: branch, in: query, required: true, "
    "schema: { type: string } }, ",
)
RENAMED: Final = ("id: { type: string }", "code: { type: string }")

OPEN: Final = {"type": "string", "enum": ["active"]}
WIDER: Final = {"type": "string", "enum": ["active", "lost"]}


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(document(state=OPEN))
    (tmp_path / "b.json").write_text(document(state=WIDER))
    return tmp_path


def judge(*arguments: str) -> tuple[int, list[tuple[str, str]]]:
    outcome = dateline("diff", "a.json", "b.json", "--format", "json", *arguments)
    changes = json.loads(outcome.out)["changes"]
    return outcome.status, [(one["rule"], one["verdict"]) for one in changes]


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (None, "gated"),
        ("dated-contract", "gated"),
        ("github", "additive"),
        ("wire", "gated"),
        ("preset: github\n", "additive"),
        ("preset: github\nrules: { value-added: never }\n", "never"),
        ("{ preset: wire, rules: { value-added: additive }, notice-days: 30 }", "additive"),
    ],
)  # fmt: skip
def test_policy_decides_the_verdict(policy: str | None, verdict: str, foreign: Path) -> None:
    given = () if policy is None else ("--policy", policy)
    if policy is not None and ":" in policy:
        (foreign / "policy.yaml").write_text(policy)
        given = ("--policy", "policy.yaml")
    assert judge(*given) == (0, [("value-added", verdict)])
    assert judge(*given, "--exit-code")[0] == (0 if verdict == "additive" else 1)
    assert not (foreign / "schemas").exists()


@pytest.mark.parametrize(
    ("policy", "status", "said"),
    [
        (None, 2, "gihub is neither a preset nor a file; did you mean 'github'?"),
        ("preset: gihub\n", 3, "gihub:1:9: "),
        ("rules: { value-added: additive }\n", 3, "gihub:1:1: missing-key: `preset` is missing"),
        ("preset: wire\nrules: { value-add: never }\n", 3,
         "gihub:2:10: policy-rule-unknown: value-add is not a rule; did you mean 'value-added'?"),
        ("preset: wire\nrules: { value-added: maybe }\n", 3, "gihub:2:23: "),
        ("preset: wire\nrule: {}\n", 3, "gihub:2:1: unknown-key: 'rule' is not a key of policy"),
        ("- 1\n", 3, "gihub:1:1: "),
    ],
)  # fmt: skip
def test_invalid_policy_is_refused(
    policy: str | None, status: int, said: str, foreign: Path
) -> None:
    if policy is not None:
        (foreign / "gihub").write_text(policy)
    refused = dateline("diff", "a.json", "b.json", "--policy", "gihub")
    assert (refused.status, refused.out) == (status, "")
    assert said in refused.err


def test_help_addresses_callers(foreign: Path) -> None:
    assert foreign.is_dir()
    (change,) = json.loads(dateline("diff", "a.json", "b.json", "--format", "json").out)["changes"]
    assert change["help"] == RULES[change["rule"]].callers


def test_help_addresses_callers_between_versions_and_authors_on_branches(
    committed: Path,
) -> None:
    lost = "{ const: active }, { const: returned }, { const: lost, x-added: next }"
    edit(committed, ("enum: [active, returned]", f"oneOf: [{lost}]"))
    between = dateline("diff", "2024-01-15", "next", "--format", "json").out
    (change,) = json.loads(between)["changes"]
    assert "x-added" not in change["help"]
    assert change["help"] == "Be ready for the new value wherever you read the field."
    edit(committed, (f"oneOf: [{lost}]", "enum: [active, returned, lost]"))
    since = dateline("diff", "main", "2024-01-15", "--format", "json").out
    assert "The policy calls `value-added` never." in json.loads(since)["changes"][0]["help"]
    assert LOST[0] not in (committed / "schemas" / "api.yaml").read_text()


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("edits", "status", "said"),
    [
        ((LOST,), 1, "the policy allows it in no version; restore what was published"),
        ((NEEDED,), 1, "request-without-way-up: GET /loans: parameter branch is required, and new"),
        ((RENAMED,), 1, "id was not taken for renamed to code"),
        ((RENAMED, LOST), 1, "id was not taken for renamed to code"),
        (
            (("id: { type: string }, ", ""),),
            1,
            "reason-missing: `x-removed` of next gives no reason",
        ),
        ((), 0, "nothing to gate"),
    ],
)
def test_gate_exits_with_1_if_something_is_left(
    edits: tuple[tuple[str, str], ...],
    status: int,
    said: str,
    dry: tuple[str, ...],
    committed: Path,
) -> None:
    edit(committed, *edits)
    outcome = dateline("gate", *dry)
    assert outcome.status == status
    assert said in outcome.err
