"""Following the advice of a finding literally leads to a clean check."""

from __future__ import annotations

import json
import re
import shlex
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import yaml
from support.commands import dateline
from support.published_projects import MISTAKES, SOURCES, Project
from support.rule_cases import document
from support.seeds import scale
from support.sources import folder
from support.tables import cases

from dateline.bundle import Document
from dateline.check import Published, breaches, check
from dateline.check.baseline import read_tree
from dateline.edit.gate import Plan, apply, gate
from dateline.load import load
from dateline.model import Combination, Finding, Policy, Verdict
from dateline.openapi import METHODS
from dateline.project import Projector
from dateline.rules import CHANGE_RULES, Rule

_MOST: Final = 9
TODAY: Final = date(2026, 1, 1)
TABLE: Final = """\
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: One. }
  - { date: next, title: Next., draft: true }
lint: adopted
"""

BY_HAND: Final = {
    "member-without-substitute": "x-shown-as",
    "request-without-way-up": "default",
    "response-without-way-down": "x-removed",
}
"""What a new gate may need beside it, and the key for that: the help of the change names it."""

UNGATED: Final = {
    *("operation-removed", "servers-changed", "server-added", "component-renamed"),
    *("dialect-changed", "path-parameter-renamed", "path-parameters-swapped"),
}
"""What no key can keep for older versions."""

DEMANDED: Final = {"body-required"}
"""What older versions can be without, and no key stands for."""


class Edited:
    """An adopted API that is published, and was then edited."""

    def __init__(self, root: Path, where: str, before: str, after: str, policy: str = "") -> None:
        self._root, self._policy = root, policy
        self._write(document(where, yaml.safe_load(before)))
        api = load(root / "schemas")
        shown = Combination("2024-01-15", "production")
        text = json.dumps(Projector(api).contract(*shown).document)
        self._published = Published(
            label="published",
            documents={shown: Document(name="production.json", data=text.encode())},
            default="2024-01-15",
        )
        self._write(document(where, yaml.safe_load(after)))

    def _write(self, content: dict[str, Any]) -> None:
        table = TABLE + self._policy
        if "servers" in content:
            servers = json.dumps(content.pop("servers"))
            table += f"environments: {{ production: {{ servers: {servers} }} }}\n"
        for path, item in content.get("paths", {}).items():
            _complete(path, item, content)
        text = yaml.safe_dump(json.loads(json.dumps(content)), sort_keys=False)
        folder(self._root, {"versions.yaml": table, "api.yaml": text})

    def findings(self) -> list[Finding]:
        found = breaches(check(load(self._root / "schemas"), self._published, today=TODAY))
        return [one for one in found if one.rule != "version-without-change"]

    def gate(self) -> Plan:
        api = load(self._root / "schemas")
        plan = gate(api, self._published, today=TODAY)
        if plan.questions:
            plan = gate(api, self._published, today=TODAY, renames=plan.questions)
        apply(plan)
        return plan


def _complete(path: str, item: dict[str, Any], content: dict[str, Any]) -> None:
    """Add to a path of an example what it refers to."""
    for method in item.keys() & {*METHODS}:
        operation = item[method]
        operation.setdefault("responses", {"204": {"description": "done"}})
        if (method, path) == ("get", "/loans"):
            operation.setdefault("operationId", "listLoans")
        if "security" in operation:
            key = {"type": "apiKey", "in": "header", "name": "Key"}
            content.setdefault("components", {}).setdefault("securitySchemes", {})["Key"] = key
        declared = [*item.get("parameters", ()), *operation.get("parameters", ())]
        for name in re.findall(r"{(\w+)}", path):
            if name not in [one["name"] for one in declared]:
                one = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                operation.setdefault("parameters", []).append(one)


BREAKING: Final = [rule for rule in CHANGE_RULES.values() if rule.verdict is not Verdict.ADDITIVE]


@cases("rule", BREAKING, ids=lambda rule: rule.id)
def test_gate_does_what_the_help_of_a_rule_says(rule: Rule, tmp_path: Path) -> None:
    example = rule.example
    renamed = "x-was" in example.after
    edited = Edited(tmp_path, example.where, example.before, _drop_history(example.after))
    found = edited.findings()
    if renamed:
        # so far nothing declares a rename, and the help for a removal demands it
        assert {one.rule for one in found} != {rule.id}
    else:
        assert {one.rule for one in found} == {rule.id}
        assert {one.help for one in found} == {rule.help}
    plan = edited.gate()
    left = {one.rule for one in edited.findings()}
    if rule.id in UNGATED:
        assert (bool(plan.left), left) == (True, {rule.id})
        assert "next" not in rule.way_out
        return
    if rule.id in DEMANDED:
        assert (plan.incomplete, left) == (True, {"request-without-way-up"})
        return
    assert (plan.left, left - BY_HAND.keys()) == ((), set())
    assert plan.incomplete == bool(left)
    assert [key for one, key in BY_HAND.items() if one in left and key not in rule.way_out] == []


def _drop_history(text: str) -> str:
    """Return the YAML *text* without `x-was`."""
    return re.sub(r", x-was: {.*?}}", "", text)


@pytest.mark.parametrize(
    "rule", [rule for rule in BREAKING if "x-was" in rule.example.after], ids=lambda rule: rule.id
)
def test_declared_rename_has_no_finding(rule: Rule, tmp_path: Path) -> None:
    example = rule.example
    assert Edited(tmp_path, example.where, example.before, example.after).findings() == []


@cases(
    "rule",
    [rule for rule in CHANGE_RULES.values() if rule.verdict is Verdict.ADDITIVE],
    ids=lambda rule: rule.id,
)
def test_change_that_a_policy_gates_can_be_gated(rule: Rule, tmp_path: Path) -> None:
    example = rule.example
    policy = f"policy: {{ preset: dated-contract, rules: {{ {rule.id}: gated }} }}\n"
    edited = Edited(tmp_path, example.where, example.before, example.after, policy)
    (found,) = edited.findings()
    assert (found.rule, found.verdict) == (rule.id, Verdict.GATED)
    assert found.help.startswith(f"The policy calls `{rule.id}` gated. ")
    if rule.id in UNGATED:
        assert found.help.endswith("no key keeps it for older versions.")
    else:
        assert found.help.endswith("(`dateline gate` writes it).")
        assert (edited.gate().left, edited.findings()) == ((), [])


@pytest.mark.parametrize("id", ["operation-removed"])
def test_never_change_that_a_policy_gates_can_be_gated(id: str, tmp_path: Path) -> None:
    example = CHANGE_RULES[id].example
    policy = f"policy: {{ preset: dated-contract, rules: {{ {id}: gated }} }}\n"
    edited = Edited(tmp_path, example.where, example.before, example.after, policy)
    (found,) = edited.findings()
    assert "Put it back, with `x-removed: next` (`dateline gate` writes it)." in found.help
    assert (edited.gate().left, edited.findings()) == ((), [])


@pytest.mark.parametrize("id", ["value-added", "field-required", "type-changed"])
def test_change_that_a_policy_forbids_is_reverted(id: str, tmp_path: Path) -> None:
    example = CHANGE_RULES[id].example
    policy = f"policy: {{ preset: dated-contract, rules: {{ {id}: never }} }}\n"
    edited = Edited(tmp_path, example.where, example.before, example.after, policy)
    (found,) = edited.findings()
    assert found.help == (
        f"The policy calls `{id}` never. No version may have it: write back what was published."
    )
    (left,) = edited.gate().left
    assert left.reason == "the policy allows it in no version; restore what was published"


DAYS: Final = "days: { type: integer, default: 1"
WRITTEN: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "enum member added": (("x-added: next", "x-added: next, x-shown-as: active"),),
    "union variant added": (
        ("          x-added: next\n", "          x-added: next\n"
         "          x-shown-as: { kind: Book, title: film }\n"),
    ),
    "required request field added": (("days: { type: integer", DAYS),),
    "optional request field made required": (
        ("note: { type: string", "note: { type: string, default: none"),
    ),
    "request field without a way up": (("days: { type: integer", DAYS),),
    "gated member without a substitute": (("x-added: next", "x-added: next, x-shown-as: active"),),
    "optional response field only in the new version": ((", x-added: next", ""),),
    "endpoint only in the new version": (("    x-added: next\n", ""),),
    "value of an open-ended set only in the new version": (
        (", x-was: { next: { x-extensible-enum: [desk, app] } }", ""),
    ),
    "change attached to a version that is cut": (
        ("{ const: paused, x-added: 2024-09-01", "{ const: paused, x-added: next"),
    ),
}  # fmt: skip
"""What the help of a mistake's finding says to write, once `gate` has written what it can."""

REFUSED: Final = {"operation removed"}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_following_a_finding_repairs_the_mistake(mistake: str, tmp_path: Path) -> None:
    project = Project(folder(tmp_path, SOURCES), tmp_path / "generated")
    project.publish()
    edits, said = MISTAKES[mistake]
    if not any("[" in line.partition(": ")[2][:12] for line in said):
        pytest.skip("an error of the definitions, which says what to write")
    project.edit(*edits)
    attached = mistake == "change attached to a version that is cut"
    if attached:
        (found,) = project.findings()
        assert "attaches to a version that is cut" in found.help
        assert "Date it with a version that is not cut yet, such as `next`." in found.help
        project.edit(*WRITTEN[mistake])
    plan = gate_edit(project)
    left = breaches(project.findings())
    if mistake in REFUSED:
        assert (bool(plan.left), bool(left)) == (True, True)
        return
    assert plan.left == ()
    if mistake in WRITTEN and not attached:
        assert left
        project.edit(*WRITTEN[mistake])
        # a manual edit may need a gate as well: a default
        if any("run `dateline gate`" in one.help for one in left):
            gate_edit(project)
    assert breaches(project.findings()) == []


def gate_edit(project: Project) -> Plan:
    plan = gate(load(project.schemas), read_tree(project.output), today=TODAY)
    apply(plan)
    return plan


@pytest.mark.parametrize("mistake", Random(1).sample([*MISTAKES], scale(len(MISTAKES))))
def test_printed_command_waives_a_mistake(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(folder(tmp_path, SOURCES), tmp_path / "generated")
    project.publish()
    project.edit(*MISTAKES[mistake][0])
    for _ in range(_MOST):
        outcome = dateline("check")
        command = outcome.out.partition("to let one pass: dateline ")[2].partition("\n")[0]
        if not command:
            break
        words = shlex.split(command.replace("TEXT", "Agreed.").replace("DATE", "2999-01-01"))
        waived = dateline(*words)
        assert (waived.status, waived.err) == (0, "")
    assert "to let one pass" not in outcome.out
    if outcome.status == 1:
        # a finding that can't be waived says what to write instead
        assert {one.policy for one in breaches(project.findings())} <= {Policy.TABLE}
