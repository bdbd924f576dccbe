"""Changes that the rules call additive break no caller, according to an independent oracle."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Final

import pytest
from support.containment import flows
from support.counterexamples import covers, find_uncovered
from support.mutations import EDITS
from support.random_documents import once_each, pairs, refactor_pairs, single
from support.seeds import scale
from support.soundness import Judged, judge_pairs, replace_predicate
from support.surrounding_edits import REFACTORINGS
from support.tables import cases

from dateline.load import load
from dateline.model import Change, Direction, Kind, Verdict
from dateline.project import Projector
from dateline.rules import CHANGE_RULES
from dateline.rules.predicates import (
    CONSTRAINTS,
    KEYWORD,
    ONLY_READ,
    Extent,
    extent,
    in_parameters_only,
    is_required,
)

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"


PAIRS: Final = scale(1_200)


@cache
def judged() -> list[Judged]:
    return list(judge_pairs(pairs(seed=1, count=PAIRS)))


def test_random_changes_that_need_no_version_break_nobody() -> None:
    assert [str(each) for each in judged() if each.missed()] == []


def test_wire_preset_rarely_asks_for_an_unnecessary_version() -> None:
    alarms = [str(each) for each in judged() if each.false_alarm]
    # only the oracle knows what overlapping members of a `oneOf` and impossible objects accept
    assert len(alarms) <= PAIRS * 0.015, "\n".join(alarms)


def test_single_edits_of_the_payment_api_that_need_no_version_break_nobody() -> None:
    projector = Projector(load(SCHEMAS))
    document = projector.contract("2026-07-01", "sandbox").document
    some = islice(single(document, seed=1), 0, None, 120)
    assert [str(each) for each in judge_pairs(some) if each.missed()] == []


WORDLESS: Final = {
    "open value added",
    "open value removed",
    "optional field added that is read only",
    "optional field added that is write only",
}
"""Edits that the wire does not show, or not in every direction."""


@pytest.mark.parametrize("name", [each.name for each in REFACTORINGS])
def test_refactorings_are_no_change_for_callers(name: str) -> None:
    tried = list(judge_pairs(refactor_pairs(11, name, scale(24))))
    assert [str(each) for each in tried if each.contradictions or each.loud] == []


# For each condition of an additive rule: the rule without it, and the edits that show the
# difference.
GUARDS: Final[dict[str, tuple[str, Callable[[Change], bool], tuple[str, ...]]]] = {
    "callers are called": (
        "operation-added",
        lambda change: change.kind is Kind.OPERATION_ADDED,
        ("webhook added", "callback added"),
    ),
    "callers write the field": (
        "response-field-added",
        lambda change: change.kind is Kind.FIELD_ADDED and not is_required(change),
        ("optional field added",),
    ),
    "the field is required": (
        "response-field-added",
        lambda change: change.kind is Kind.FIELD_ADDED and change.direction in ONLY_READ,
        ("required field added",),
    ),
    "another keyword is added": (
        "open-value-added",
        lambda change: change.kind in (Kind.OPEN_VALUE_ADDED, Kind.KEYWORD_ADDED),
        ("bound made", "enumeration made"),
    ),
    "the parameter is required": (
        "optional-parameter-added",
        lambda change: change.kind is Kind.PARAMETER_ADDED and change.carriers != ("path",),
        ("required parameter added",),
    ),
    "the path shows the parameter": (
        "optional-parameter-added",
        lambda change: change.kind is Kind.PARAMETER_ADDED and not is_required(change),
        ("path parameter declared",),
    ),
    "the constraint is tightened": (
        "parameter-loosened",
        lambda change: _constrains(change) and in_parameters_only(change),
        ("bound tightened", "bound made", "format made or changed", "items made unique"),
    ),
    "the keyword is more than a constraint": (
        "parameter-loosened",
        lambda change: extent(change) is Extent.WIDER and in_parameters_only(change),
        ("enumeration dropped",),
    ),
    "a body holds it, too": (
        "parameter-loosened",
        lambda change: (
            _constrains(change)
            and extent(change) is Extent.WIDER
            and change.direction is Direction.REQUEST
        ),
        ("bound loosened", "field made optional"),
    ),
    "callers read it": (
        "parameter-loosened",
        lambda change: _constrains(change) and extent(change) is Extent.WIDER,
        ("bound loosened", "field made optional"),
    ),
    "the status is a success": (
        "error-response-added",
        lambda change: change.kind is Kind.RESPONSE_ADDED,
        ("success response added",),
    ),
    "callers send the header": (
        "response-header-added",
        lambda change: change.kind is Kind.HEADER_ADDED,
        ("answer header added",),
    ),
    "the keyword is no word": (
        "documentation-changed",
        lambda change: change.kind is Kind.DOCUMENTATION_CHANGED or change.kind in KEYWORD,
        ("format dropped", "default changed"),
    ),
}
UNCONDITIONAL: Final = {"component-added", "extension-changed", "server-added"}
"""The additive rules about the kind of a change and nothing else, or about no message."""


def _constrains(change: Change) -> bool:
    return change.keyword in CONSTRAINTS or change.kind is Kind.FIELD_OPTIONAL


@cases("guard", GUARDS)
def test_additive_rule_without_one_of_its_conditions_is_caught(guard: str) -> None:
    rule, applies, edits = GUARDS[guard]
    without = replace_predicate(rule, applies)
    tried = chain.from_iterable(once_each(7, edit, 25) for edit in edits)
    assert any(each.missed(without) and not each.missed() for each in judge_pairs(tried))


def test_every_condition_of_an_additive_rule_is_tested() -> None:
    additive = {rule.id for rule in CHANGE_RULES.values() if rule.verdict is Verdict.ADDITIVE}
    assert {rule for rule, _, _ in GUARDS.values()} | UNCONDITIONAL == additive


# The kinds of changes that each rule with conditions applies to.
KINDS: Final = {
    "operation-added": {Kind.OPERATION_ADDED},
    "response-field-added": {Kind.FIELD_ADDED},
    "open-value-added": {Kind.OPEN_VALUE_ADDED, Kind.KEYWORD_ADDED},
    "optional-parameter-added": {Kind.PARAMETER_ADDED},
    "parameter-loosened": {*KEYWORD, Kind.FIELD_OPTIONAL, Kind.TYPE_ADDED},
    "error-response-added": {Kind.RESPONSE_ADDED},
    "response-header-added": {Kind.HEADER_ADDED},
    "documentation-changed": {*KEYWORD, Kind.DOCUMENTATION_CHANGED},
}


@cases("rule", KINDS)
def test_rule_that_checks_only_kinds_is_caught(rule: str) -> None:
    without = replace_predicate(rule, lambda change: change.kind in KINDS[rule])
    edits = chain.from_iterable(edits for name, _, edits in GUARDS.values() if name == rule)
    tried = chain.from_iterable(once_each(8, edit, 25) for edit in dict.fromkeys(edits))
    assert any(each.missed(without) for each in judge_pairs(tried))


def test_differ_that_finds_nothing_is_caught() -> None:
    names = {edit.name for edit in EDITS}
    caught = {
        name
        for name in names
        if any(each.missed() for each in judge_pairs(once_each(9, name, 3), lambda *_: []))
    }
    assert caught | WORDLESS == names


# The oracle itself


def test_no_instance_contradicts_a_proof() -> None:
    random = Random(1)
    disproved = []
    for pair in pairs(seed=4, count=scale(140)):
        older, newer = flows(pair.before), flows(pair.after)
        for name in older.keys() & newer.keys():
            sent, read = newer[name].sent, older[name].read
            if covers(json.dumps(read), json.dumps(sent)) == "yes":
                disproved.append(find_uncovered(sent, read, random))
    assert set(disproved) == {None}


def test_instances_are_found_if_there_are_any() -> None:
    random = Random(2)
    found = []
    for pair in once_each(5, "bound loosened", 60):
        older, newer = flows(pair.before), flows(pair.after)
        for name in sorted(older.keys() & newer.keys()):
            sent, read = newer[name].sent, older[name].read
            if covers(json.dumps(read), json.dumps(sent)) == "no":
                found.append(find_uncovered(sent, read, random) is not None)
    assert sum(found) > 0.8 * len(found)


def test_pairs_include_heirs_of_discriminated_schemas() -> None:
    family = [each for each in judged() if "Noun" in each.pair.before["components"]["schemas"]]
    related = {"child added", "child gone", "tags exchanged"}
    done = {edit for each in family for edit in each.pair.edits}
    assert related <= done
    assert any(each.contradictions for each in family if "child added" in each.pair.edits)
