"""Every keyword that `x-was` may set, at every position, and in both directions.

Each is served without help, needs a converter, or is refused where it is written. The keywords are
those of the grammar: the test fails if one has no case.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from random import Random
from typing import Any, Final

import pytest
from support.histories import (
    ANNOTATIONS,
    CORE,
    KEYWORDS,
    OLD,
    POSITIONS,
    VALUES,
    VERSIONS,
    Pair,
    api,
    schema_sources,
)
from support.histories_of_kinds import CASES, UNSEEN, kind_sources
from support.narrowed import Body, Law
from support.parts import load_parts
from support.seeds import scale

from dateline.check.servable import check_servable
from dateline.contracts import contract_data
from dateline.model import Api
from dateline.openapi import NEWEST, OBJECTS, WHOLE

Json = Any

DISCRIMINATED: Final = frozenset({"discriminator", "$dynamicRef"})
"""Keywords that have tests of their own, or that no definitions here can hold."""


def test_every_schema_keyword_has_a_case() -> None:
    known = OBJECTS["schema"].keys() - DISCRIMINATED
    assert known - KEYWORDS.keys() == set()
    assert KEYWORDS.keys() - known == {"x-extensible-enum"}


def test_every_place_of_a_subschema_is_a_position() -> None:
    below = {key for key, found in OBJECTS["schema"].items() if found.slot.kind == "schema"}
    assert below - POSITIONS.keys() == set()


def test_every_keyword_of_other_objects_has_a_case() -> None:
    known = {
        (kind, key)
        for kind, slots in OBJECTS.items()
        for key in slots
        # keywords of 3.2 are tested in `tests/generate/test_openapi_3_2.py`
        if kind not in WHOLE | UNSEEN and kind != "schema" and slots[key].since != NEWEST
    }
    assert known - {(kind, key) for kind, key, _ in CASES} == set()


def read_versions(*, adopted: bool) -> str:
    """Return the table of versions, of authored or *adopted* definitions."""
    return VERSIONS + ("lint: adopted\n" if adopted else "")


def make_law(api: Api) -> Law:
    """Return the law of *api*; a refusal raises, because the contract data are computed here."""
    law = Law(api)
    assert law.contracts
    return law


@cache
def schemas(*, adopted: bool) -> tuple[Law, list[Pair], dict[str, set[str]]]:
    parts, pairs = schema_sources()
    if not adopted:
        # whether a keyword may be written does not depend on the position
        pairs = [pair for pair in pairs if pair.position in CORE]
    pairs = Random(1).sample(pairs, scale(len(pairs)))
    parts = {pair.name: parts[pair.name] for pair in pairs}
    _, law, refused, _ = load_parts(read_versions(adopted=adopted), api(), parts, make_law)
    return law, pairs, refused


def list_demanding(data: dict[str, Any], way: str) -> set[str]:
    """Return the operations and components that need converters on one *way*."""
    names = (name for name, said in data["converters"].items() if said[way])
    return {re.split(r"[.@#\[{]", name)[0] for name in names}


def breaches(law: Law, pair: Pair, way: str) -> list[str]:
    """Return how one direction fails where no converter is needed."""
    shown = law.shown[OLD, "production"]
    path = ("paths", f"/{pair.name}", "post")
    content = ("content", "application/json", "schema")
    if way == "down":
        body = Body(pair.name, "200", content[1], (*path, "responses", "200", *content))
        given, wanted = law.canonical, shown
        change = law.narrow(OLD, "production", body)
    else:
        body = Body(pair.name, "", content[1], (*path, "requestBody", *content))
        given, wanted = shown, law.received
        change = law.up["production"][OLD].body(pair.name, content[1])
    found = []
    for value in map(POSITIONS[pair.position].value, VALUES):
        if given.defect(body.schema, value) is not None:
            continue
        try:
            wrong = wanted.defect(body.schema, change(value))
        except Exception as error:
            wrong = repr(error)
        if wrong is not None:
            found.append(f"{pair} {way} {json.dumps(value)}: {wrong}")
    return found


@pytest.mark.parametrize("way", ["down", "up"])
@pytest.mark.parametrize("adopted", [False, True])
def test_history_of_a_schema_keyword_is_served_converted_or_refused(
    adopted: bool, way: str
) -> None:
    law, pairs, refused = schemas(adopted=adopted)
    needed = list_demanding(law.contracts, way)
    served = [pair for pair in pairs if pair.name not in refused and pair.name not in needed]
    assert [line for pair in served for line in breaches(law, pair, way)] == []
    # controls: much needs no converter, and adopted definitions may contain anything
    assert len(served) > (0.1 if not adopted else 0.3) * len(pairs)
    ids = set[str]().union(*refused.values())
    assert ids == {"forbidden-keyword"} if adopted else ids > {"forbidden-keyword"}


def test_annotations_need_no_converter() -> None:
    law, pairs, _ = schemas(adopted=True)
    words = {pair.name for pair in pairs if pair.keyword in ANNOTATIONS}
    assert (
        words & (list_demanding(law.contracts, "down") | list_demanding(law.contracts, "up"))
        == set()
    )


# Objects other than schemas


@cache
def kinds(*, adopted: bool) -> dict[tuple[str, str, int], str]:
    """Return the outcome of each case."""
    head, parts, names = kind_sources()
    defined, contracts, refused, part = load_parts(
        read_versions(adopted=adopted), head, parts, contract_data
    )
    findings: dict[str, set[str]] = defaultdict(set)
    for finding in check_servable(defined):
        assert finding.after_source is not None
        findings[part(finding.after_source)].add(finding.rule)
    ways = {way: list_demanding(contracts.data, way) for way in ("down", "up")}
    changed = {
        way: {name.split("/")[0] for name in contracts.data[way]["shapes"]}
        for way in ("down", "up")
    }
    made = {}
    for case, name in names.items():
        reported = [*sorted(refused.get(name, ())), *sorted(findings.get(name, ()))]
        reported += [f"converted {way}" for way in ways if name in ways[way]]
        reported += [f"served {way}" for way in ways if name in changed[way] - ways[way]]
        # adopted operations answer 501 where authored ones are refused
        made[case] = "gate-out-of-reach" if name in contracts.unserved else ", ".join(reported)
    return made


def test_history_of_other_objects_is_served_converted_or_refused() -> None:
    assert kinds(adopted=False) == {case: reported for case, (_, reported) in CASES.items()}


def test_adopted_objects_follow_the_same_rules() -> None:
    style = {"misplaced-annotation", "unknown-key", "reference-sibling", "undeclared-tag"}
    authored, adopted = kinds(adopted=False), kinds(adopted=True)
    differing = {
        case: adopted[case]
        for case, reported in authored.items()
        if adopted[case] != reported and style.isdisjoint(reported.split(", "))
    }
    # published documents may remove parameters, a body or an operation; these are skipped
    passed = {case: reported for case, reported in differing.items() if case[0] == "path-item"}
    assert passed == dict.fromkeys(passed, "")
    assert {case for case in differing if case not in passed} == {
        ("operation", "parameters", 1),
        ("operation", "requestBody", 1),
    }
    # references can't have a history in authored definitions; in adopted ones, values of their
    # targets are converted
    assert {kind: adopted[kind, "$ref", 0] for kind, key, _ in CASES if key == "$ref"} == {
        "parameter": "converted up",
        "header": "converted down",
        "response": "converted down",
        "request-body": "converted up",
        "path-item": "gate-out-of-reach",
    }
