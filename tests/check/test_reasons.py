"""A version table may require a reason for each gate that is not cut yet."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from support.changing import replace_texts
from support.sources import LIBRARY, VERSIONS, loaded
from support.tables import cases

from dateline.check import Published, check
from dateline.check.waived_values import name_value


def list_missing_reasons(root: Path, *edits: tuple[str, str]) -> list[str]:
    """Return the findings if the version table requires reasons."""
    files = replace_texts(
        LIBRARY, ("policy: dated-contract", "policy: dated-contract\nrequire-why: true")
    )
    found = check(
        loaded(root, replace_texts(files, *edits)),
        Published(label="nothing"),
        today=date(2026, 1, 1),
    )
    return [
        f"{finding.after_source}: {finding.message}"
        for finding in found
        if finding.rule == "reason-missing"
    ]


def test_gate_without_a_reason_is_found_if_required(tmp_path: Path) -> None:
    assert list_missing_reasons(tmp_path / "given") == []
    assert list_missing_reasons(tmp_path / "left out", (", x-why: a loan can be paused", "")) == [
        "schemas/loans.yaml:38:28: `x-added` of next gives no reason"
    ]
    was = "{ 2024-09-01: { maxLength: 9 }, next: { maxLength: 7 } }"
    note = f"note: {{ type: string, x-was: {was}, x-why: {{ 2024-09-01: Notes were short. }} }}"
    edits = ("note: { type: string }", note)
    assert list_missing_reasons(tmp_path / "another", edits) == [
        "schemas/loans.yaml:31:31: `x-was` of next gives no reason"
    ]
    edits = ("note: { type: string }", "note: { type: string, x-was: { next: { type: integer } } }")
    assert list_missing_reasons(tmp_path / "was", edits) == [
        "schemas/loans.yaml:31:31: `x-was` of next gives no reason"
    ]


def test_reasons_are_optional_by_default(tmp_path: Path) -> None:
    api = loaded(tmp_path, replace_texts(LIBRARY, (", x-why: a loan can be paused", "")))
    found = check(api, Published(label="nothing"), today=date(2026, 1, 1))
    assert [finding.rule for finding in found] == []


@cases(
    ("members", "value"),
    [
        ("{ const: lost, x-added: next, x-shown-as: active }", "lost"),
        ("{ const: 'null', x-added: next, x-shown-as: active }", "null"),
    ],
)
def test_waiver_of_a_member_in_a_list_names_it(members: str, value: str, tmp_path: Path) -> None:
    states = "  schemas:\n    Shelf:\n      type: string\n      oneOf:\n        - const: active\n"
    text = (
        "openapi: 3.1.0\ninfo: { title: Shelves, version: canonical }\n"
        "tags: [{ name: Shelves }]\npaths:\n  /shelves:\n    get:\n      operationId: getShelf\n"
        "      tags: [Shelves]\n      parameters:\n"
        "        - { name: page, in: query, x-added: next, schema: { type: integer } }\n"
        "        - $ref: '#/components/parameters/ApiVersion'\n"
        "      responses:\n        '200':\n          description: a shelf\n"
        "          content:\n"
        "            application/json: { schema: { $ref: '#/components/schemas/Shelf' } }\n"
        "components:\n  parameters:\n"
        "    ApiVersion: { name: X-API-Version, in: header, schema: { type: string } }\n"
        f"{states}        - {members}\n"
    )
    table = VERSIONS + "require-why: true\n"
    found = check(
        loaded(tmp_path, {"versions.yaml": table, "api.yaml": text}),
        Published(label="nothing"),
        today=date(2026, 1, 1),
    )
    named = {one.after_pointer: name_value(one) for one in found if one.rule == "reason-missing"}
    assert named == {
        "/components/schemas/Shelf/oneOf/1": value,
        "/paths/~1shelves/get/parameters/0": "query page",
    }
