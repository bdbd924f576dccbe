"""Findings as SARIF 2.1.0, validated against the names and requirements of the standard."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import attr
import pytest
import sarif_om  # type: ignore[import-untyped]  # it has no stubs
from support.reported import (
    CONTEXT,
    HOSTILE,
    INNER,
    REMARK,
    SAMPLE,
    VARIANT,
    WAIVED,
    filled,
    many,
)
from support.tables import cases

from dateline.model import Finding, Place
from dateline.report import Context, report

# --- SARIF 2.1.0


def sarif(findings: list[Finding], context: Context = CONTEXT) -> Any:
    return json.loads(report(findings, "sarif", context=context))


# The object that each property contains, one or a list; a star marks a mapping of objects. Names
# and required properties are read from sarif_om.
_HELD = {
    "SarifLog": {"runs": "Run"},
    "Run": {
        "tool": "Tool",
        "results": "Result",
        "invocations": "Invocation",
        "originalUriBaseIds": "*ArtifactLocation",
    },
    "Tool": {"driver": "ToolComponent"},
    "ToolComponent": {"rules": "ReportingDescriptor"},
    "ReportingDescriptor": {
        "shortDescription": "MultiformatMessageString",
        "fullDescription": "MultiformatMessageString",
        "help": "MultiformatMessageString",
        "defaultConfiguration": "ReportingConfiguration",
    },
    "Result": {
        "message": "Message",
        "locations": "Location",
        "relatedLocations": "Location",
        "suppressions": "Suppression",
    },
    "ArtifactLocation": {"description": "Message"},
    "Location": {
        "message": "Message",
        "physicalLocation": "PhysicalLocation",
        "logicalLocations": "LogicalLocation",
    },
    "PhysicalLocation": {"artifactLocation": "ArtifactLocation", "region": "Region"},
}


_FREE = frozenset(["properties", "partialFingerprints"])


def faults(node: Any, kind: str = "SarifLog", path: str = "") -> list[str]:
    """Return where *node* is not a valid *kind*: unknown or missing properties."""
    if isinstance(node, list):
        return [fault for item in node for fault in faults(item, kind, f"{path}[]")]
    fields = {
        field.metadata["schema_property_name"]: field.default is attr.NOTHING
        for field in attr.fields(getattr(sarif_om, kind))
    }
    held = _HELD.get(kind, {})
    found = [f"{path}.{name} is missing" for name in fields if fields[name] and name not in node]
    for name, value in node.items():
        inner = held.get(name, "")
        if name not in fields:
            found.append(f"{path}.{name} is unknown")
        elif inner.startswith("*"):
            for item in value.values():
                found += faults(item, inner[1:], f"{path}.{name}.*")
        elif inner:
            found += faults(value, inner, f"{path}.{name}")
        elif isinstance(value, dict | list) and name not in _FREE:
            found.append(f"{path}.{name} holds something unknown")
    return found


def result(finding: Finding, context: Context = CONTEXT) -> Any:
    [found] = sarif([finding], context)["runs"][0]["results"]
    return found


def test_sarif_of_a_finding_has_message_place_and_old_value() -> None:
    assert sarif([VARIANT], INNER) == {
        "$schema": (
            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
            "sarif-schema-2.1.0.json"
        ),
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dateline",
                        "version": "0.1.0",
                        "rules": [
                            {
                                "id": "variant-added",
                                "shortDescription": {"text": "A closed union gains no variant."},
                                "fullDescription": {"text": VARIANT.help},
                                "help": {"text": VARIANT.help},
                                "defaultConfiguration": {"level": "error"},
                            }
                        ],
                    }
                },
                "originalUriBaseIds": {
                    "%SRCROOT%": {"description": {"text": "The top of the repository."}}
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "properties": {"command": "check", "baseline": "git main (3f2a9c1)"},
                    }
                ],
                "results": [
                    {
                        "ruleId": "variant-added",
                        "ruleIndex": 0,
                        "level": "error",
                        "message": {
                            "text": "Rail: response variant FedNow added\n"
                            "A closed union gains no variant. Give it `x-added: next`.\n"
                            "versions: 2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox)\n"
                            "operations: GET /a, GET /b/{id}, POST /a and 2 more\n"
                            "before: generated/spec/production/2025-03-13.json:1204:11"
                        },
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {
                                        "uri": "schemas/rails.yaml",
                                        "uriBaseId": "%SRCROOT%",
                                    },
                                    "region": {"startLine": 6, "startColumn": 9},
                                },
                                "logicalLocations": [{"fullyQualifiedName": "Rail"}],
                            }
                        ],
                        "partialFingerprints": {"dateline/v1": "1a"},
                        "suppressions": [],
                        "properties": {
                            "verdict": "gated",
                            "policy": "frozen",
                            "versions": ["2025-03-13", "2025-10-01", "2026-07-01"],
                            "environments": ["production", "sandbox"],
                            "beforePointer": None,
                            "afterPointer": "/components/schemas/Rail/oneOf/1",
                        },
                        "relatedLocations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {
                                        "uri": ("generated/spec/production/2025-03-13.json"),
                                        "uriBaseId": "%SRCROOT%",
                                    },
                                    "region": {"startLine": 1204, "startColumn": 11},
                                },
                                "message": {"text": "before"},
                            }
                        ],
                    }
                ],
            }
        ],
    }


@pytest.mark.parametrize("count", [0, 1, 11, 2_000])
def test_sarif_follows_the_standard(count: int) -> None:
    log = sarif(many(count), INNER)
    assert faults(log) == []
    assert len(log["runs"][0]["results"]) == count


def test_invalid_sarif_would_be_detected() -> None:
    log = sarif([VARIANT])
    del log["runs"][0]["tool"]["driver"]["name"]
    log["runs"][0]["results"][0]["ruleIndx"] = 0
    log["runs"][0]["results"][0]["locations"][0]["message"] = {"texts": {}}
    assert faults(log) == [
        ".runs[].tool.driver.name is missing",
        ".runs[].results[].locations[].message.texts is unknown",
        ".runs[].results[].ruleIndx is unknown",
    ]


@cases("name", HOSTILE)
def test_sarif_of_hostile_texts_is_valid(name: str) -> None:
    findings, context = filled(HOSTILE[name])
    log = sarif(findings, context)
    assert faults(log) == []
    for found in log["runs"][0]["results"]:
        [stands] = found["locations"]
        uri = stands["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})*", uri)


def test_sarif_lists_each_rule_once_and_every_result_refers_to_its_own() -> None:
    [run] = sarif(many(200))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(dict.fromkeys(finding.rule for finding in SAMPLE))
    assert all(rules[found["ruleIndex"]] == found["ruleId"] for found in run["results"])


def test_sarif_suppresses_exactly_the_waived_findings() -> None:
    assert result(WAIVED)["suppressions"] == [
        {"kind": "external", "justification": "agreed with all three callers"}
    ]
    others = [result(finding)["suppressions"] for finding in SAMPLE if finding is not WAIVED]
    assert others == [[]] * (len(SAMPLE) - 1)


def test_sarif_errors_are_the_findings_that_fail_a_check() -> None:
    assert [(finding.rule, result(finding)["level"]) for finding in SAMPLE] == [
        ("variant-added", "error"),
        ("operation-removed", "error"),
        ("field-added", "error"),
        ("body-without-content", "note"),
        ("default-changed", "error"),
        ("waiver-expired", "error"),
        ("default-moved", "error"),
        # two documents were compared, so no finding fails
        ("field-added", "note"),
    ]


@pytest.mark.parametrize(
    ("file", "artifact"),
    [
        ("schemas/a.yaml", {"uri": "schemas/a.yaml", "uriBaseId": "%SRCROOT%"}),
        ("a b:c#d?é.yaml", {"uri": "a%20b%3Ac%23d%3F%C3%A9.yaml", "uriBaseId": "%SRCROOT%"}),
        ("/tmp/a b.yaml", {"uri": "file:///tmp/a%20b.yaml"}),
    ],
)
def test_sarif_paths_are_relative_to_the_repository(file: str, artifact: dict[str, str]) -> None:
    finding = replace(REMARK, after_source=Place(file, 1, 1))
    found = result(finding, CONTEXT)
    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == artifact


def test_sarif_gives_a_finding_without_a_place_the_fallback() -> None:
    assert result(REMARK, INNER)["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {
                    "uri": "services/api/schemas/versions.yaml",
                    "uriBaseId": "%SRCROOT%",
                },
                "region": {"startLine": 1, "startColumn": 1},
            }
        }
    ]


def test_sarif_escapes_embedded_links() -> None:
    finding = replace(REMARK, message=r"see [a](0), \ and [b]", help="")
    assert result(finding)["message"] == {"text": r"see \[a\](0), \\ and \[b\]"}
    plain = replace(REMARK, message=r"items[] and \d", help="")
    assert result(plain)["message"] == {"text": r"items[] and \d"}
