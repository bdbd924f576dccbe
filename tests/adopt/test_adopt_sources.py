"""Adopted sources may contain histories that authored ones may not: of everything in documents."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from support.checked import check_document
from support.tables import cases

from dateline.check import Published, breaches, check
from dateline.load import load
from dateline.model import Api, SourceError
from dateline.project import Projector

TABLE = """
versions:
  - { date: 2024-01-15, title: One }
  - { date: 2024-09-01, title: Two }
  - { date: 2025-06-01, title: Three }
environments:
  production: { servers: [{ url: https://library.example }] }
"""

ROOT = """
openapi: 3.1.0
info: { title: Library, version: '3' }
"""


def loaded(folder: Path, text: str, *, adopted: bool = True) -> Api:
    (folder / "versions.yaml").write_text(TABLE + ("lint: adopted\n" if adopted else ""))
    (folder / "api.yaml").write_text(text)
    return load(folder)


def show_at(folder: Path, text: str, *path: str) -> list[Any]:
    """Return the value at *path* in each version, None where there is none."""
    projector = Projector(loaded(folder, text))
    found = []
    for version in ("2024-01-15", "2024-09-01", "2025-06-01"):
        node: Any = projector.contract(version, "production").document
        for step in path:
            node = None if node is None else node.get(step)
        found.append(node)
    return found


def list_problem_ids(folder: Path, text: str) -> list[str]:
    """Return the ids of the problems of *text* as an authored source."""
    with pytest.raises(SourceError) as found:
        loaded(folder, text, adopted=False)
    return sorted({problem.id for problem in found.value.problems})


def test_document_itself_may_have_a_history(tmp_path: Path) -> None:
    text = f"{ROOT}paths: {{}}\nx-was: {{ 2025-06-01: {{ openapi: 3.1.1, security: [] }} }}\n"
    assert show_at(tmp_path, text, "openapi") == ["3.1.1", "3.1.1", "3.1.0"]
    assert show_at(tmp_path, text, "security") == [[], [], None]
    assert "misplaced-annotation" in list_problem_ids(tmp_path, text)


def test_required_keys_may_have_a_history(tmp_path: Path) -> None:
    text = """
openapi: 3.1.0
info:
  title: Library
  version: '3'
  x-was: { 2025-06-01: { version: '2' }, 2024-09-01: { version: '1' } }
  contact: { name: Desk, x-was: { 2024-09-01: { name: Counter } } }
paths:
  /loan:
    get:
      responses:
        '200': { description: ok }
        x-note: b
        x-was: { 2025-06-01: { x-note: a, '404': { description: none } } }
"""
    assert show_at(tmp_path, text, "info", "version") == ["1", "2", "3"]
    assert show_at(tmp_path, text, "info", "contact", "name") == ["Counter", "Desk", "Desk"]
    none = {"description": "none"}
    assert show_at(tmp_path, text, "paths", "/loan", "get", "responses") == [
        {"200": {"description": "ok"}, "404": none, "x-note": "a"},
        {"200": {"description": "ok"}, "404": none, "x-note": "a"},
        {"200": {"description": "ok"}, "x-note": "b"},
    ]
    assert "misplaced-annotation" in list_problem_ids(tmp_path, text)


def test_webhooks_are_removed_with_the_last_one(tmp_path: Path) -> None:
    text = f"{ROOT}webhooks: {{ a: {{ x-added: 2024-09-01, post: {{}} }} }}\n"
    assert show_at(tmp_path, text, "webhooks") == [None, {"a": {"post": {}}}, {"a": {"post": {}}}]


def test_components_keep_foreign_keys(tmp_path: Path) -> None:
    text = f"""{ROOT}paths: {{}}
components:
  x-note: b
  x-was: {{ 2024-09-01: {{ x-note: a }} }}
  schemas: {{ Loan: {{ x-removed: 2025-06-01 }} }}
"""
    assert show_at(tmp_path, text, "components") == [
        {"schemas": {"Loan": {}}, "x-note": "a"},
        {"schemas": {"Loan": {}}, "x-note": "b"},
        {"x-note": "b"},
    ]


GONE = f"""{ROOT}paths: {{}}
components: {{ schemas: {{ Loan: {{ x-removed: 2025-06-01 }} }} }}
"""


def test_components_are_removed_with_the_last_one(tmp_path: Path) -> None:
    there: dict[str, Any] = {"schemas": {"Loan": {}}}
    assert show_at(tmp_path, GONE, "components") == [there, there, None]


REACHED = """
openapi: 3.1.0
info: { title: Library, version: '3' }
paths:
  /loan:
    x-added: 2024-09-01
    get:
      operationId: getLoan
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components: { schemas: { Loan: { type: string%s } } }
"""


@cases(
    ("gate", "there"),
    [
        ("", [False, True, True]),
        (", x-added: 2024-01-15", [True, True, True]),
        (", x-removed: 2024-09-01", [True, False, False]),
        (", x-added: 2025-06-01", [False, False, True]),
        (", x-removed: 2025-06-01", [True, True, False]),
    ],
)
def test_component_with_a_gate_is_shown_without_references(
    tmp_path: Path, gate: str, there: list[bool]
) -> None:
    found = show_at(tmp_path, REACHED % gate, "components", "schemas")
    assert ["Loan" in (schemas or {}) for schemas in found] == there


def test_authored_component_may_be_gated_since_the_first_version(
    tmp_path: Path,
) -> None:
    by_itself = REACHED % ", x-added: 2024-01-15"
    loaded(tmp_path, by_itself, adopted=False)
    operation = by_itself.replace("x-added: 2024-09-01", "x-added: 2024-01-15")
    assert list_problem_ids(tmp_path, operation) == ["gate-without-effect"]


def test_restored_part_declares_its_earlier_versions(tmp_path: Path) -> None:
    text = f"""{ROOT}paths: {{}}
components:
  schemas:
    Loan:
      required: [a, b]
      properties:
        a:
          type: string
          x-added: 2025-06-01
          x-was: {{ 2025-06-01: {{ x-added: null, x-removed: 2024-09-01, type: number }} }}
        b: {{}}
"""
    assert show_at(tmp_path, text, "components", "schemas", "Loan") == [
        {"required": ["a", "b"], "properties": {"a": {"type": "number"}, "b": {}}},
        {"required": ["b"], "properties": {"b": {}}},
        {"required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {}}},
    ]
    assert "misplaced-annotation" in list_problem_ids(tmp_path, text)


def test_dates_in_a_history_of_presence_are_versions() -> None:
    text = """
openapi: 3.1.0
info: { title: Library, version: '3' }
components:
  schemas:
    A: { x-added: 2025-06-01, x-was: { 2025-06-01: { x-added: null, x-removed: 2024-9-1 } } }
"""
    assert [line.split(": ")[1] for line in check_document(text, adopted=True)] == ["date"]


BESIDE = """
openapi: 3.1.0
info: { title: Library, version: '3' }
paths:
  /loan:
    get:
      operationId: getLoan
      parameters:
        - { $ref: '#/components/parameters/New', x-added: 2024-09-01 }
        - { name: page, in: query, schema: {}, x-removed: 2024-09-01 }
      responses:
        '200':
          $ref: '#/components/responses/New'
          x-was: { 2025-06-01: { set: { description: old }, unset: [$ref] } }
components:
  parameters: { New: { name: page, in: query, schema: {} } }
  responses: { New: { description: new } }
"""


def test_reference_may_have_gates(tmp_path: Path) -> None:
    new = {"$ref": "#/components/parameters/New"}
    old = {"name": "page", "in": "query", "schema": {}}
    assert show_at(tmp_path, BESIDE, "paths", "/loan", "get", "parameters") == [[old], [new], [new]]
    assert show_at(tmp_path, BESIDE, "paths", "/loan", "get", "responses", "200") == [
        {"description": "old"},
        {"description": "old"},
        {"$ref": "#/components/responses/New"},
    ]
    assert "misplaced-annotation" in list_problem_ids(tmp_path, BESIDE)


def test_former_reference_is_checked_as_well() -> None:
    text = BESIDE.replace("description: old", "description: 7").replace(
        "x-added: 2024-09-01", "x-added: 2024-9-1"
    )
    assert sorted(line.split(": ")[1] for line in check_document(text, adopted=True)) == [
        "date",
        "wrong-type",
    ]


def test_parameters_with_one_name_are_refused_if_a_version_has_both() -> None:
    text = BESIDE.replace("x-removed: 2024-09-01", "x-removed: 2025-06-01")
    assert [line.split(": ")[1] for line in check_document(text, adopted=True)] == [
        "parameter-twice"
    ]


HELD_BACK = """
openapi: 3.1.0
info: { title: Library, version: '3' }
paths:
  /loan:
    get:
      operationId: getLoan
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
    Loan:
      type: object
      required: [state]
      properties:
        state: { oneOf: [{ const: a }, { const: b, x-added: 2024-09-01 }] }
        note: { type: string, x-added: 2025-06-01 }
"""


def test_changes_between_adopted_versions_break_no_rule(tmp_path: Path) -> None:
    api = loaded(tmp_path, HELD_BACK)
    nothing = Published(label="nothing", documents={})
    findings = check(api, nothing, today=date(2026, 1, 1))
    assert breaches(findings) == []
    assert [finding.rule for finding in findings] == ["member-without-substitute"]


WITH_DRAFT: Final = TABLE.replace("date: 2025-06-01", "date: next, draft: true") + "lint: adopted\n"


def test_draft_in_adopted_sources_follows_the_rules(tmp_path: Path) -> None:
    (tmp_path / "versions.yaml").write_text(WITH_DRAFT)
    (tmp_path / "api.yaml").write_text(
        HELD_BACK.replace("2024-09-01", "next").replace(", x-added: 2025-06-01", "")
    )
    nothing = Published(label="nothing", documents={})
    findings = check(load(tmp_path), nothing, today=date(2026, 1, 1))
    assert [finding.rule for finding in breaches(findings)] == ["member-without-substitute"]


REFERENCE: Final = (
    ROOT
    + """
paths:
  /loans:
    get:
      responses:
        '200': { $ref: '#/components/responses/Loans'%s }
components:
  responses:
    Loans: { description: loans%s }
"""
)


@cases(
    ("place", "goal", "where"),
    [
        ("", "", None),
        ("", ", x-removed: 2024-09-01", None),
        ("", ", x-added: 2024-09-01", None),
        (", x-removed: next", ", x-removed: 2024-09-01", None),
        (", x-added: next", ", x-added: next", None),
        ("", ", x-added: next", "2024-01-15, 2024-09-01"),
        ("", ", x-added: 2024-09-01, x-removed: next", "2024-01-15, next"),
        ("", ", x-removed: next", "next"),
        (", x-added: next", ", x-removed: 2024-09-01", "next"),
        (", x-added: 2024-09-01", ", x-added: next", "2024-09-01"),
    ],
)
def test_only_adopted_versions_refer_to_missing_parts(
    tmp_path: Path, place: str, goal: str, where: str | None
) -> None:
    (tmp_path / "versions.yaml").write_text(WITH_DRAFT)
    (tmp_path / "api.yaml").write_text(REFERENCE % (place, goal))
    try:
        load(tmp_path)
        found = None
    except SourceError as error:
        [problem] = error.problems
        assert problem.id == "reference-outlives-target"
        found = problem.message.split(" is shown in ")[1].split(", where ")[0]
    assert found == where
