"""The rules: each speaks and keeps silent where its cases say so; what no rule knows is gated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from dateline.diff import diff
from dateline.load.table import PRESETS as WRITABLE_PRESETS
from dateline.model import Change, Direction, Kind, Verdict
from dateline.rules import PRESETS, RULES, Example, Rule, explain, judge, said

FOLDER = Path(__file__).parent / "rules"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem} {case['it']}")
    for path in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]
FILES = {path.stem for path in FOLDER.glob("*.yaml")}
SPOKEN = [str(verdict) for verdict in (Verdict.ADDITIVE, Verdict.GATED, Verdict.NEVER)]


def document(where: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return a document that holds *content*: schemas, the first of them in use; or more."""
    whole: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "Library", "version": "1"}}
    if where == "document":
        return whole | content
    if where == "operation":
        operation = {key: value for key, value in content.items() if key != "components"}
        components = content.get("components", {})
        return whole | {"paths": {"/loans": {"get": operation}}, "components": components}
    schema = {"$ref": f"#/components/schemas/{next(iter(content))}"}
    body = {"content": {"application/json": {"schema": schema}}}
    operation = {"responses": {"204": {"description": "done"}}}
    if "request" in where:
        operation["requestBody"] = body
    if "response" in where:
        operation["responses"] = {"200": {"description": "done", **body}}
    if where == "parameter":
        operation["parameters"] = [{"name": "choice", "in": "query", "schema": schema}]
    paths = {} if where == "model" else {"/loans": {"put": operation}}
    return whole | {"paths": paths, "components": {"schemas": content}}


def renames(node: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Take every `x-was` out of *node*, and yield where it stood and the name it gives."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return
    for was in node.pop("x-was", {}).values():
        yield pointer, was["name"]
    for key, value in node.items():
        yield from renames(value, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")


def changes(where: str, before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    newer = document(where, after)
    names = dict(renames(newer))
    return diff(document(where, before), newer, renames=names)


def heard(
    changed: list[Change],
    preset: str = "dated-contract",
    rules: dict[str, Rule] | None = None,
) -> dict[str, list[str]]:
    """Return what is said of *changed*, by verdict."""
    found: dict[str, list[str]] = {}
    for change in changed:
        rule, verdict = judge(change, preset, {}, rules=rules or RULES)
        found.setdefault(str(verdict), []).append(f"{said(change)} [{rule}]")
    return found


def changed_in(case: dict[str, Any]) -> list[Change]:
    return changes(case.get("in", "response"), case["before"], case["after"])


def expected(case: dict[str, Any]) -> dict[str, list[str]]:
    return {verdict: case[verdict] for verdict in SPOKEN if verdict in case}


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_a_case_hears_what_it_expects(rule: str, case: dict[str, Any]) -> None:
    assert rule in RULES
    assert heard(changed_in(case), case.get("preset", "dated-contract")) == expected(case)


def example_changes(example: Example) -> list[Change]:
    return changes(example.where, yaml.safe_load(example.before), yaml.safe_load(example.after))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_example_of_a_rule_is_a_change_that_it_speaks_of(rule: Rule) -> None:
    assert [judge(change, "dated-contract", {}) for change in example_changes(rule.example)] == [
        (rule.id, rule.verdict)
    ]
