"""A gate at a cut version is explained, and a second edit keeps the history of the first."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

import pytest
from support.gating import edit_texts, publish_cut
from support.published_projects import SOURCES, Project
from support.sources import LIBRARY, folder, loaded

from dateline.check import breaches
from dateline.check.baseline import read_tree
from dateline.edit.gate import apply, gate
from dateline.edit.sources import open_sources
from dateline.generate import Workspace, plan_gates

TODAY: Final = date(2026, 1, 1)
FINE: Final = "fine_cents: { type: integer }"
DATED: Final = "not cut yet, such as `next`."

Edits = tuple[tuple[str, str], ...]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(folder(tmp_path, SOURCES), tmp_path / "generated")


ATTACHED: Final[dict[str, tuple[Edits, str]]] = {
    "an enum member": (
        (("enum: [active, returned]", "oneOf: [{ const: active }, { const: returned }, "
          "{ const: paused, x-added: 2024-09-01, x-shown-as: active }]"),),
        "`x-added: 2024-09-01` attaches to a version that is cut, and 2024-09-01 stays as it is "
        "published. Date it with a version that is not cut yet, such as `next`.",
    ),
    "a removed field": (
        ((FINE, "fine_cents: { type: integer, x-removed: 2024-09-01 }"),),
        "`x-removed: 2024-09-01` attaches to a version that is cut, and 2024-09-01 stays",
    ),
    "a field that is hidden": (
        ((FINE, "fine_cents: { type: integer, x-added: 2024-09-01 }"),),
        "`x-added: 2024-09-01` hides it from 2024-01-15, where it is published. Drop the key, or",
    ),
    "a member that comes later than it did": (
        (("          x-added: 2024-09-01\n", "          x-added: next\n"),),
        "`x-added: next` hides it from 2024-09-01, where it is published. Drop the key, or give "
        "it the date of the first version that has it.",
    ),
    "a keyword": (
        ((FINE, "fine_cents: { type: string, x-was: { 2024-09-01: { type: integer } } }"),),
        "`x-was: 2024-09-01` attaches to a version that is cut, and 2024-09-01 stays",
    ),
    "a history that is made up": (
        ((FINE, "fine_cents: { type: integer, x-was: { 2024-09-01: { type: string } } }"),),
        "`x-was: 2024-09-01` attaches to a version that is cut, and changes what is published "
        "of 2024-01-15. Drop it.",
    ),
    "a request field": (
        (("note: { type: string }",
          "note: { type: string }\n        days: { type: integer, x-added: 2024-09-01 }"),),
        "`x-added: 2024-09-01` attaches to a version that is cut, and 2024-09-01 stays",
    ),
    "a parameter": (
        (("        - { name: size", "        - { name: tag, in: query, required: true, "
          "x-added: 2024-09-01, schema: { type: string, default: a } }\n        - { name: size"),),
        "`x-added: 2024-09-01` attaches to a version that is cut, and 2024-09-01 stays",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ATTACHED)
def test_new_gate_at_a_cut_version_is_explained(what: str, project: Project) -> None:
    project.publish()
    edits, said = ATTACHED[what]
    project.edit(*edits)
    helps = [found.help for found in project.findings()]
    assert [text for text in helps if text.startswith(said)], helps
    if said.endswith(DATED):
        dated = [(new, new.replace("2024-09-01", "next")) for _, new in edits]
        project.edit(*dated)
        assert breaches(project.findings()) == []


@pytest.mark.parametrize(
    "edit",
    [
        (FINE, "fine_cents: { type: string }"),
        ("minutes: { type: integer }", "minutes: { type: string }"),
        ("maxLength: 20", "maxLength: 10"),
        ("        note: { type: string }\n", ""),
    ],
)
def test_edit_without_a_gate_at_a_cut_version_is_not_explained_so(
    edit: tuple[str, str], project: Project
) -> None:
    project.publish()
    project.edit(edit)
    found = project.findings()
    assert found
    assert [one.help for one in found if "attaches" in one.help or "hides" in one.help] == []


def test_edit_of_a_part_with_a_published_gate_is_not_explained_so(project: Project) -> None:
    known = "x-was: { 2024-09-01: { type: string } }"
    project.edit((FINE, f"fine_cents: {{ type: integer, {known} }}"))
    project.publish()
    project.edit((f"type: integer, {known}", f"type: number, {known}"))
    assert [one.help for one in project.findings() if "attaches" in one.help] == []


WAS: Final = "x-was: { 2024-09-01: { type: string } }"
NAMED: Final = "x-was: { 2024-09-01: { name: fine } }"
LONGER: Final = "x-was: { 2024-09-01: { maxLength: 30 } }"

AGAIN: Final[dict[str, tuple[tuple[str, str], tuple[str, str], str]]] = {
    "another type": (
        (FINE, f"fine_cents: {{ type: integer, {WAS} }}"),
        (f"{{ type: integer, {WAS} }}", f"{{ type: number, {WAS} }}"),
        "{ type: number, x-was: { 2024-09-01: { type: string }, next: { type: integer } } }",
    ),
    "the type of before": (
        (FINE, f"fine_cents: {{ type: integer, {WAS} }}"),
        (f"{{ type: integer, {WAS} }}", f"{{ type: string, {WAS} }}"),
        "{ type: string, x-was: { 2024-09-01: { type: string }, next: { type: integer } } }",
    ),
    "the type of before, its history deleted": (
        (FINE, f"fine_cents: {{ type: integer, {WAS} }}"),
        (f"{{ type: integer, {WAS} }}", "{ type: string }"),
        "{ type: string, x-was: { 2024-09-01: { type: string }, next: { type: integer } } }",
    ),
    "another name": (
        (FINE, f"fine_cents: {{ type: integer, {NAMED} }}"),
        (f"fine_cents: {{ type: integer, {NAMED} }}", f"fee: {{ type: integer, {NAMED} }}"),
        "fee: { type: integer, x-was: { 2024-09-01: { name: fine }, next: { name: fine_cents } } }",
    ),
    "a bound": (
        ("maxLength: 20 }", f"maxLength: 20, {LONGER} }}"),
        (f"maxLength: 20, {LONGER}", f"maxLength: 10, {LONGER}"),
        "maxLength: 10, x-was: { 2024-09-01: { maxLength: 30 }, next: { maxLength: 20 } } }",
    ),
    "the bound of before": (
        ("maxLength: 20 }", f"maxLength: 20, {LONGER} }}"),
        (f"maxLength: 20, {LONGER}", f"maxLength: 30, {LONGER}"),
        "maxLength: 30, x-was: { 2024-09-01: { maxLength: 30 }, next: { maxLength: 20 } } }",
    ),
}


@pytest.mark.parametrize("what", AGAIN)
def test_second_edit_is_gated_after_the_history_of_the_first(what: str, project: Project) -> None:
    first, second, expected = AGAIN[what]
    project.edit(first)
    project.publish()
    project.edit(second)
    workspace = Workspace(schemas=project.schemas, output=project.output)
    plan = plan_gates(workspace, None, lambda _, __: True)
    apply(plan)
    assert (plan.left, breaches(project.findings())) == ((), [])
    assert expected in (project.schemas / "loans.yaml").read_text()


def test_component_that_only_a_gated_place_reaches_needs_no_gate(project: Project) -> None:
    project.publish()
    project.edit(("channel: {", "film: { $ref: '#/components/schemas/Film', x-added: next }\n"
                  "        channel: {"))  # fmt: skip
    (removed,) = [one for one in project.findings() if one.rule == "component-removed"]
    assert removed.help.endswith(
        "Give it `x-added: 2024-01-15`, the first version, to make it visible by itself "
        "(`dateline gate` writes it)."
    )
    api, known = open_sources(project.schemas)
    apply(gate(api, read_tree(project.output), today=TODAY, known=known))
    assert (project.schemas / "loans.yaml").read_text().endswith("\n      x-added: 2024-01-15\n")
    assert [one.rule for one in project.findings()] == ["response-field-added"]


CALLED: Final = "x-was: { 2025-06-01: { name: old-%s } }"
RENAMED: Final = edit_texts(
    LIBRARY,
    (
        "schema: { type: string } }]\n      responses:\n        '200':\n",
        "schema: { type: string } },\n"
        f"        {{ name: size, in: query, schema: {{ type: integer }}, {CALLED % 'size'} }},\n"
        f"        {{ name: page, in: query, required: true, schema: {{}}, {CALLED % 'page'} }},\n"
        "        { $ref: '#/components/parameters/Shelf' }]\n      responses:\n        '200':\n"
        f"          headers: {{ X-Left: {{ schema: {{}}, {CALLED % 'left'} }} }}\n",
    ),
    (
        "components:\n",
        "components:\n  parameters:\n"
        f"    Shelf: {{ name: shelf, in: header, schema: {{}}, {CALLED % 'shelf'} }}\n",
    ),
)


def test_dates_of_names_are_corrected_wherever_they_are(tmp_path: Path) -> None:
    published = publish_cut(loaded(tmp_path, RENAMED))
    text = RENAMED["loans.yaml"]
    edited = text.replace("2025-06-01: { name:", "2024-09-01: { name:")
    assert edited.count("2024-09-01: { name:") == 5
    api = loaded(tmp_path, {"loans.yaml": edited})
    plan = gate(api, published, today=TODAY)
    assert (plan.left, plan.questions) == ((), ())
    apply(plan)
    assert (tmp_path / "schemas" / "loans.yaml").read_text() == text
