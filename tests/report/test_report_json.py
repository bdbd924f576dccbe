"""The JSON format: its schema describes it completely, and no information is lost."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest
from support.reported import CONTEXT, HOSTILE, SAMPLE, VARIANT, WAIVED, filled, many
from support.tables import cases

from dateline.model import Finding, Map, Place, Problem, Seq
from dateline.report import Context, report, schema

SCHEMA = json.loads(schema())
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def write_report(findings: list[Finding], context: Context = CONTEXT) -> Any:
    return json.loads(report(findings, "json", context=context))


def test_all_details_of_a_finding_are_written() -> None:
    assert write_report([VARIANT, WAIVED], replace(CONTEXT, command="diff")) == {
        "tool": {"name": "dateline", "version": "0.1.0", "command": "diff"},
        "baseline": "git main (3f2a9c1)",
        "summary": {
            "invalid": 0,
            "gated": 1,
            "never": 0,
            "additive": 0,
            "information": 0,
            "waived": 1,
        },
        "changes": [
            {
                "rule": "variant-added",
                "verdict": "gated",
                "policy": "frozen",
                "direction": "response",
                "before_pointer": None,
                "after_pointer": "/components/schemas/Rail/oneOf/1",
                "schema": "Rail",
                "field": "",
                "operations": ["GET /a", "GET /b/{id}", "POST /a", "POST /b", "PUT /c"],
                "versions": ["2025-03-13", "2025-10-01", "2026-07-01"],
                "environments": ["production", "sandbox"],
                "before": None,
                "after": {"$ref": "#/components/schemas/FedNow"},
                "message": "Rail: response variant FedNow added",
                "help": "A closed union gains no variant. Give it `x-added: next`.",
                "fingerprint": "1a",
                "waived": None,
                "before_source": {
                    "file": "generated/spec/production/2025-03-13.json",
                    "line": 1204,
                    "column": 11,
                },
                "after_source": {"file": "schemas/rails.yaml", "line": 6, "column": 9},
            },
            {
                "rule": "default-changed",
                "verdict": "gated",
                "policy": "frozen",
                "direction": "request",
                "before_pointer": "/components/schemas/Loan/properties/state/default",
                "after_pointer": "/components/schemas/Loan/properties/state/default",
                "schema": "Loan",
                "field": "state",
                "operations": [],
                "versions": [],
                "environments": [],
                "before": "active",
                "after": "returned",
                "message": "Loan.state: default 'active' -> 'returned'",
                "help": "A default stays as it is.",
                "fingerprint": "5e",
                "waived": "agreed with all three callers",
                "before_source": None,
                "after_source": None,
            },
        ],
        "problems": [],
    }


def test_layout_has_one_change_to_a_line() -> None:
    assert report([], "json", context=CONTEXT) == (
        '{"tool": {"name": "dateline", "version": "0.1.0", "command": "check"},\n'
        '"baseline": "git main (3f2a9c1)",\n'
        '"summary": {"invalid": 0, "gated": 0, "never": 0, "additive": 0, "information": 0, '
        '"waived": 0},\n'
        '"changes": [],\n'
        '"problems": []}\n'
    )
    lines = report(many(2_000), "json", context=CONTEXT).split("\n")
    assert [line[:9] for line in lines[4:2_004]] == ['{"rule": '] * 2_000


def test_schema_is_a_valid_schema() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize("count", [0, 1, 11, 2_000])
def test_schema_describes_the_output(count: int) -> None:
    VALIDATOR.validate(write_report(many(count)))


@cases("name", HOSTILE)
def test_schema_describes_the_output_for_hostile_texts(name: str) -> None:
    findings, context = filled(HOSTILE[name])
    VALIDATOR.validate(write_report(findings, context))


def test_summary_counts_every_change_once() -> None:
    document = write_report(many(2_000))
    assert sum(document["summary"].values()) == len(document["changes"]) == 2_000


def _paths(schema: dict[str, Any], path: tuple[str | int, ...]) -> Any:
    """Yield the path of every property that *schema* requires."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    for name in schema.get("required", ()):
        yield (*path, name)
        yield from _paths(schema.get("properties", {}).get(name, {}), (*path, name))
    if "items" in schema:
        yield from _paths(schema["items"], (*path, 0))


PATHS = sorted(set(_paths(SCHEMA, ())), key=str)


def _holder(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path[:-1]:
        document = document[step]
    return document


PROBLEM = Problem(place=Place("schemas/a.yaml", 7, 3), id="unknown-key", message="no key")
UNREAD = replace(CONTEXT, problems=(PROBLEM,))


@cases("path", PATHS, ids=str)
def test_schema_refuses_a_report_with_a_missing_property(path: tuple[str | int, ...]) -> None:
    document = write_report([VARIANT], UNREAD)
    VALIDATOR.validate(document)
    del _holder(document, path)[path[-1]]
    assert not VALIDATOR.is_valid(document)


@cases("path", PATHS, ids=str)
def test_schema_refuses_a_report_with_another_type_in_a_place(
    path: tuple[str | int, ...],
) -> None:
    document = write_report([VARIANT], UNREAD)
    _holder(document, path)[path[-1]] = -0.5
    # a value may be anything
    assert VALIDATOR.is_valid(document) is (path[-1] in ("before", "after"))


@cases("path", PATHS, ids=str)
def test_schema_refuses_a_report_with_an_additional_property(
    path: tuple[str | int, ...],
) -> None:
    document = write_report([VARIANT], UNREAD)
    _holder(document, path)["more"] = 0
    assert not VALIDATOR.is_valid(document)


@cases(
    ("name", "value"),
    [
        ("verdict", "breaking"),
        ("policy", "strict"),
        ("direction", "sideways"),
        ("fingerprint", ""),
        ("operations", [None]),
        ("versions", "2025-03-13"),
        ("after_source", {"file": "a.yaml", "line": 0, "column": 1}),
        ("after_source", {"file": "a.yaml", "line": 1, "column": 0}),
    ],
)
def test_schema_refuses_meaningless_values(name: str, value: Any) -> None:
    document = write_report([VARIANT])
    document["changes"][0][name] = value
    assert not VALIDATOR.is_valid(document)


def test_pointers_are_json_pointers() -> None:
    strict = jsonschema_rs.Draft202012Validator(SCHEMA, validate_formats=True)
    document = write_report(SAMPLE)
    strict.validate(document)
    broken = deepcopy(document)
    broken["changes"][0]["after_pointer"] = "#/components/~2"
    assert not strict.is_valid(broken)


def test_values_that_json_can_not_express_stay_readable() -> None:
    mapping, items = Map(number=float("inf"), half="a\ud800"), Seq([float("nan"), 1.5, None])
    [change] = write_report([replace(VARIANT, before=mapping, after=items)])["changes"]
    assert change["before"] == {"number": "inf", "half": "a\ufffd"}
    assert change["after"] == ["nan", 1.5, None]


def test_lone_surrogate_is_replaced_since_strict_readers_refuse_it() -> None:
    [change] = write_report([replace(VARIANT, message="a\ud800b 😀", after=["\udfff"])])["changes"]
    assert (change["message"], change["after"]) == ("a\ufffdb 😀", ["\ufffd"])


def test_text_round_trips() -> None:
    text = 'a "quoted" \\ line\n::error::x ##[group] \x7f \u202e 😀 é'
    [change] = write_report([replace(VARIANT, message=text, after={text: text})])["changes"]
    assert (change["message"], change["after"]) == (text, {text: text})
