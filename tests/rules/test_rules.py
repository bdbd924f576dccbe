"""Each rule applies in the cases that say so and in no others; changes without a rule are gated."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.rule_cases import changes
from support.tables import cases

from dateline.model import EXTENSIBLE, Change, Direction, Kind, Verdict
from dateline.openapi import OBJECTS
from dateline.rules import (
    CHANGE_RULES,
    PRESETS,
    RULES,
    Example,
    Rule,
    describe,
    describe_way_out,
    judge,
)
from dateline.rules.explanation import explain, find_rule
from dateline.rules.rule import about_definitions, additive

FOLDER = Path(__file__).parent
CASES: list[tuple[str, dict[str, Any]]] = [
    (path.stem, case)
    for path in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
]
FILES = {path.stem for path in FOLDER.glob("*.yaml")}
SPOKEN = [str(verdict) for verdict in (Verdict.ADDITIVE, Verdict.GATED, Verdict.NEVER)]


_GRAVITY = (Verdict.ADDITIVE, Verdict.GATED, Verdict.NEVER)


def group_by_verdict(
    changed: list[Change],
    preset: str = "dated-contract",
    rules: dict[str, Rule] | None = None,
) -> dict[str, list[str]]:
    """Return the messages about *changed* by verdict."""
    found: dict[str, list[str]] = {}
    for change in changed:
        rule, verdict = judge(change, preset, {}, rules=rules or CHANGE_RULES)
        found.setdefault(str(verdict), []).append(f"{describe(change)} [{rule}]")
    return found


_CHANGES: dict[int, list[Change]] = {}


def list_changes_in(case: dict[str, Any]) -> list[Change]:
    """Return the changes in one of CASES, computed once."""
    if id(case) not in _CHANGES:
        found = changes(case.get("in", "response"), case["before"], case["after"])
        _CHANGES[id(case)] = found
    return _CHANGES[id(case)]


def expected(case: dict[str, Any]) -> dict[str, list[str]]:
    return {verdict: case[verdict] for verdict in SPOKEN if verdict in case}


@cases(("rule", "case"), CASES, ids=[f"{rule} {case['it']}" for rule, case in CASES])
def test_case_has_the_expected_verdicts(rule: str, case: dict[str, Any]) -> None:
    assert rule in CHANGE_RULES
    assert group_by_verdict(
        list_changes_in(case), case.get("preset", "dated-contract")
    ) == expected(case)


def example_changes(example: Example) -> list[Change]:
    return changes(example.where, yaml.safe_load(example.before), yaml.safe_load(example.after))


@cases(
    ("id", "advice"),
    [
        ("path-parameters-swapped", "Write back what was published: no key keeps it"),
        ("operation-removed", "Put it back, with `x-removed: next` (`dateline gate`"),
        ("documentation-changed", "Keep the old value for older versions: `x-was: {next: {descr"),
    ],
)
def test_advice_for_a_rule_that_a_policy_gates_fits_its_change(id: str, advice: str) -> None:
    (change,) = example_changes(CHANGE_RULES[id].example)
    way_out = describe_way_out(CHANGE_RULES[id], Verdict.GATED, change)
    assert way_out.startswith(f"The policy calls `{id}` gated. {advice}")


@cases("rule", CHANGE_RULES.values(), ids=CHANGE_RULES)
def test_rule_applies_to_its_example(rule: Rule) -> None:
    assert [judge(change, "dated-contract", {}) for change in example_changes(rule.example)] == [
        (rule.id, rule.verdict)
    ]


@cases("rule", CHANGE_RULES)
def test_every_rule_has_cases_in_which_it_applies_and_in_which_it_does_not(rule: str) -> None:
    said_of = [
        [line for lines in expected(case).values() for line in lines]
        for name, case in CASES
        if name == rule
    ]
    spoken = {any(line.endswith(f"[{rule}]") for line in lines) for lines in said_of}
    assert spoken == {True, False}


def test_every_case_file_belongs_to_a_rule() -> None:
    assert sorted(FILES) == sorted(CHANGE_RULES)


GUARDS = [rule.id for rule in CHANGE_RULES.values() if rule.verdict is Verdict.ADDITIVE]


@cases("guard", GUARDS)
def test_disabled_additive_condition_fails_a_case(guard: str) -> None:
    others = {id: rule for id, rule in CHANGE_RULES.items() if id != guard}
    cases = [case for rule, case in CASES if rule == guard]
    assert any(
        set(group_by_verdict(list_changes_in(case), rules=others)) - set(expected(case))
        == {"gated"}
        for case in cases
    )


# The law


def change(kind: Kind, direction: Direction, **reported: Any) -> Change:
    """Return a change of an operation, with the fields in *told*."""
    usual: dict[str, Any] = {
        "before_pointer": None,
        "after_pointer": "/x",
        "schema": None,
        "field": "",
        "operations": ("GET /loans",),
    }
    return Change(kind=kind, direction=direction, **usual | reported)


EVERY = tuple(Direction)
READ = (Direction.RESPONSE, Direction.MODEL)


def test_change_that_no_rule_calls_additive_is_gated() -> None:
    additive = {
        Kind.OPERATION_ADDED: EVERY,
        Kind.FIELD_ADDED: READ,
        Kind.OPEN_VALUE_ADDED: EVERY,
        Kind.HEADER_ADDED: (Direction.RESPONSE,),
        Kind.COMPONENT_ADDED: EVERY,
        Kind.DOCUMENTATION_CHANGED: EVERY,
        Kind.EXTENSION_CHANGED: EVERY,
    }
    verdicts = {
        (kind, direction): judge(change(kind, direction), "dated-contract", {}).verdict
        for kind, direction in product(Kind, Direction)
    }
    assert verdicts == {
        (kind, direction): Verdict.NEVER
        if kind in (Kind.OPERATION_REMOVED, Kind.PARAMETER_MOVED)
        else Verdict.ADDITIVE
        if direction in additive.get(kind, ())
        else Verdict.GATED
        for kind, direction in product(Kind, Direction)
    }


def test_every_change_is_gated_without_other_rules() -> None:
    last = {"unjudged-change": RULES["unjudged-change"]}
    assert {
        judge(change(kind, direction), "dated-contract", {}, rules=last)
        for kind, direction in product(Kind, Direction)
    } == {("unjudged-change", Verdict.GATED)}


@pytest.mark.parametrize("preset", PRESETS)
def test_schema_that_callers_read_and_write_must_satisfy_both_laws(preset: str) -> None:
    def verdict(seen: Change, direction: Direction) -> Verdict:
        inner = tuple(replace(each, direction=direction) for each in seen.within)
        return judge(replace(seen, direction=direction, within=inner), preset, {}).verdict

    broken = [
        describe(seen)
        for _, case in CASES
        for seen in list_changes_in(case)
        if verdict(seen, Direction.BOTH) is Verdict.ADDITIVE
        and {verdict(seen, Direction.REQUEST), verdict(seen, Direction.RESPONSE)}
        != {Verdict.ADDITIVE}
    ]
    assert broken == []


KEYWORDS = sorted({*OBJECTS["schema"], *OBJECTS["parameter"], *OBJECTS["operation"], "brandNew"})
WORDS = {"deprecated", "tags", EXTENSIBLE}


@cases("direction", Direction)
@cases("kind", [Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED, Kind.KEYWORD_CHANGED])
def test_keyword_of_a_body_is_gated_whatever_changes(kind: Kind, direction: Direction) -> None:
    for keyword in KEYWORDS:
        if keyword not in WORDS:
            seen = change(kind, direction, keyword=keyword, carriers=("body",), before=1, after=2)
            assert judge(seen, "dated-contract", {}).verdict is Verdict.GATED


@cases(
    ("keyword", "before", "after"),
    [
        ("maximum", 1, True),
        ("maximum", True, 2),
        ("maximum", 1, "2"),
        ("maximum", None, 2),
        ("maximum", 1, float("nan")),
        ("minimum", "2", 1),
        ("minimum", 2, None),
        ("maximum", 2, -(10**400)),
        ("multipleOf", 1, 0),
        ("multipleOf", 10**400, 10**400 - 1),
        ("multipleOf", 1, -1),
        ("multipleOf", 1, float("inf")),
        ("multipleOf", 0.1, "0.1"),
        ("format", ["int32"], ["int64"]),
        ("type", "string", ["string", "integer"]),
        ("additionalProperties", False, {}),
    ],
)
def test_incomparable_constraint_of_a_parameter_is_gated(
    keyword: str, before: Any, after: Any
) -> None:
    seen = change(
        Kind.KEYWORD_CHANGED,
        Direction.REQUEST,
        keyword=keyword,
        before=before,
        after=after,
        carriers=("query",),
    )
    assert judge(seen, "dated-contract", {}).verdict is Verdict.GATED


@pytest.mark.parametrize("keyword", sorted(WORDS))
def test_unknown_keyword_is_gated(keyword: str) -> None:
    seen = change(Kind.OTHER, Direction.RESPONSE, keyword=keyword)
    assert judge(seen, "dated-contract", {}) == ("unjudged-change", Verdict.GATED)


def test_parameter_in_an_unknown_place_is_gated() -> None:
    seen = change(Kind.PARAMETER_ADDED, Direction.REQUEST, field="page", carriers=())
    assert judge(seen, "dated-contract", {}) == ("required-parameter-added", Verdict.GATED)


# Policies


def test_policy_may_override_a_verdict_by_rule_id() -> None:
    seen = change(Kind.VARIANT_ADDED, Direction.RESPONSE, after="FedNow")
    overrides = {"variant-added": Verdict.ADDITIVE}
    assert judge(seen, "dated-contract", {}) == ("variant-added", Verdict.GATED)
    assert judge(seen, "dated-contract", overrides) == ("variant-added", Verdict.ADDITIVE)


def test_override_takes_precedence_over_a_preset() -> None:
    seen = change(Kind.VALUE_ADDED, Direction.RESPONSE, after="paused")
    assert judge(seen, "github", {}) == ("value-added", Verdict.ADDITIVE)
    assert judge(seen, "github", {"value-added": Verdict.NEVER}) == ("value-added", Verdict.NEVER)


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_names_only_rules_whose_verdict_it_changes(preset: str) -> None:
    verdicts = PRESETS[preset].verdicts
    assert [rule for rule in verdicts if CHANGE_RULES[rule].verdict is verdicts[rule]] == []


# Documentation


@cases("rule", RULES.values(), ids=RULES)
def test_rule_documents_its_law_reason_and_way_out(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id)
    assert re.fullmatch(r"[A-Z][^\n]{10,100}\.", rule.summary) or rule.id == "body-without-content"
    assert re.fullmatch(r"[A-Z][^\n]{10,300}\.", rule.reason)
    assert re.fullmatch(r"[A-Z][^\n]{5,300}\.", rule.way_out)
    assert rule.help == f"{rule.summary} {rule.way_out}"


@cases("rule", CHANGE_RULES.values(), ids=CHANGE_RULES)
def test_rule_about_changes_addresses_callers_without_dateline_keys(
    rule: Rule,
) -> None:
    assert re.fullmatch(r"[A-Z][^\n]{10,150}\.", rule.callers)
    assert "x-" not in rule.callers
    for breaks in {rule.breaks_readers, rule.breaks_senders} - {""}:
        assert re.fullmatch(r"(code|tools) (that|for) [^\n]{10,90}\.", breaks)
    is_broken = bool(rule.breaks_readers or rule.breaks_senders)
    assert is_broken is not rule.callers.startswith("Nothing has to be done.")


def test_rule_with_an_incomplete_docstring_is_refused_at_import() -> None:
    def loan_added(_: Change) -> bool:
        """A new loan goes to all versions.

        No caller knows it.

        Write it.

        In a response, before:
            Loan: {}
        After:
            Loan: {type: object}
        """
        return True

    def undocumented(_: Change) -> bool:
        return True

    def table_kept() -> None:
        """The table stays."""

    needed = "needs these paragraphs: summary, reason, way out"
    with pytest.raises(TypeError, match=f"the rule loan-added {needed}, callers, example"):
        additive(loan_added)
    with pytest.raises(TypeError, match=f"the rule undocumented {needed}, callers, example"):
        additive(undocumented)
    with pytest.raises(TypeError, match=f"the rule table-kept {needed};"):
        about_definitions(Verdict.GATED)(table_kept)


def test_rules_have_distinct_documentation() -> None:
    summaries = [rule.summary for rule in RULES.values()]
    assert sorted(set(summaries)) == sorted(summaries)


def test_explanation_of_a_rule_has_reason_example_way_out_and_callers() -> None:
    assert explain("value-removed") == (
        "value-removed (gated)\n"
        "\n"
        "An enum that callers write keeps its values.\n"
        "Callers send the removed one, and would be refused.\n"
        "\n"
        "Before (request):\n"
        "  State: {type: string, enum: [active, paused, returned]}\n"
        "After:\n"
        "  State: {type: string, enum: [active, returned]}\n"
        "\n"
        "Put it back, with `x-removed: next`, and `x-shown-as` if a response can't leave it out.\n"
        "\n"
        "Callers: Stop sending the value: it is no longer accepted.\n"
        "\n"
        "Breaks code that sends the value."
    )


def test_explanation_of_a_preset_lists_its_verdicts() -> None:
    head, purpose, verdicts, choice = explain("github").split("\n\n")
    assert (head, choice) == (
        "github (preset)",
        "Choose it with `policy: github` in versions.yaml.",
    )
    assert purpose.startswith("The promises of GitHub's REST API: ")
    assert "  operation-removed: gated instead of never" in verdicts.splitlines()
    assert "`dateline rules`" in explain("dated-contract")


def test_explanation_mentions_presets_with_another_verdict() -> None:
    assert explain("value-added").splitlines()[-1] == "Under the preset `github`: additive."


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("varient-added", "No rule or preset 'varient-added'. Did you mean 'variant-added'?"),
        ("unheard of", "No rule or preset 'unheard of'. `dateline rules` lists the rules."),
    ],
)
def test_unknown_rule_is_answered_with_the_nearest(asked: str, hint: str) -> None:
    with pytest.raises(LookupError, match=f"^{re.escape(hint)}$"):
        explain(asked)


def test_preset_is_not_suggested_for_a_rule_name() -> None:
    with pytest.raises(LookupError, match=r"^No rule 'wire'\. `dateline rules` lists the rules\.$"):
        find_rule("wire")


def test_rules_work_without_their_documentation() -> None:
    code = (
        "from dateline.rules import *; from dateline.model import *;"
        "print(judge(Change(kind=Kind.VALUE_ADDED, direction=Direction.BOTH, before_pointer=None,"
        "after_pointer='/x', schema='State', field='', operations=()), 'github', {}).rule)"
    )
    run = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("value-added\n", "")


# Messages


@cases(
    ("seen", "line"),
    [
        (
            change(Kind.FIELD_REMOVED, Direction.RESPONSE, schema="Customer", field="email"),
            "Customer.email: field removed",
        ),
        (
            change(
                Kind.PARAMETER_REMOVED,
                Direction.REQUEST,
                field="page",
                operations=("GET /a", "GET /b", "GET /c"),
            ),
            "GET /a and 2 more: parameter page removed",
        ),
        (
            change(Kind.VARIANT_ADDED, Direction.RESPONSE, schema="Rail", after="FedNow"),
            "Rail: variant FedNow added",
        ),
        (
            change(
                Kind.KEYWORD_CHANGED,
                Direction.RESPONSE,
                schema="Loan",
                field="id",
                keyword="format",
                before="uuid",
                after="string",
                before_pointer="/x",
            ),
            "Loan.id: format changed ('uuid' -> 'string')",
        ),
        (
            change(
                Kind.KEYWORD_ADDED,
                Direction.RESPONSE,
                schema="Loans",
                field="[]{}.a",
                keyword="default",
            ),
            "Loans[]{}.a: default added (null)",
        ),
        (
            change(Kind.TYPE_ADDED, Direction.RESPONSE, field="due", after="null"),
            "GET /loans, due: type null added",
        ),
        (
            change(Kind.VALUE_ADDED, Direction.RESPONSE, schema="State", after="a\u202e\n'b"),
            'State: value "a\\u202e\\n\'b" added',
        ),
        (
            change(Kind.EXTENSION_CHANGED, Direction.MODEL, operations=(), keyword="x-a", after=1),
            "the document: x-a added (1)",
        ),
        (
            change(Kind.OTHER, Direction.BOTH, before="a" * 90, after=[], before_pointer="/x"),
            "GET /loans: content changed ('" + "a" * 58 + "… -> [])",
        ),
    ],
)
def test_message_starts_with_the_subject(seen: Change, line: str) -> None:
    assert describe(seen) == line


def test_every_kind_of_change_has_a_message_of_one_line() -> None:
    lines = [
        describe(change(kind, direction, keyword=keyword, before={"a": "\n"}, after=after))
        for kind, direction in product(Kind, Direction)
        for keyword in ("", "required", "items")
        for after in (None, "b\n", {1: {2, 3}})
    ]
    assert [line for line in lines if not line.isprintable() or ": " not in line] == []


@pytest.mark.parametrize(
    ("preset", "eased"),
    [
        ("dated-contract", {}),
        (
            "github",
            {
                "operation-removed": "gated",
                "parameter-value-added": "additive",
                "request-field-added": "additive",
                "request-loosened": "additive",
                "required-response-field-added": "additive",
                "value-added": "additive",
            },
        ),
        (
            "wire",
            {
                "component-removed": "additive",
                "component-renamed": "additive",
                "dialect-changed": "additive",
                "open-value-removed": "additive",
                "operation-id-changed": "additive",
                "parameter-value-added": "additive",
                "path-parameter-renamed": "additive",
                "request-field-added": "additive",
                "request-loosened": "additive",
                "required-response-field-added": "additive",
                "response-narrowed": "additive",
            },
        ),
    ],
)
def test_changes_that_each_preset_relaxes(preset: str, eased: dict[str, str]) -> None:
    found: dict[str, str] = {}
    for _, case in CASES:
        for change in list_changes_in(case):
            rule, verdict = judge(change, preset, {})
            own = judge(change, "dated-contract", {})
            if verdict is not own.verdict and _GRAVITY.index(verdict) < _GRAVITY.index(own.verdict):
                found[rule] = str(verdict)
    assert found == eased
