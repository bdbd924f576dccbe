"""Gating preserves what an edit breaks for older versions; the newest version is as written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from support.commands import dateline
from support.gating import (
    APIS,
    ROW,
    TODAY,
    batch_cases,
    changed_lines,
    edit_for,
    edit_texts,
    publish_cut,
    require_law,
)
from support.mutations import EDITS
from support.pets import PETS
from support.schema_sites import sites
from support.seeds import seeds
from support.sources import API, LIBRARY, LOANS, VERSIONS, folder, loaded, plain
from support.surrounding_edits import DOCUMENT_EDITS
from support.yaml_styles import Writer

from dateline.check import Published, Waiver
from dateline.edit.gate import Plan, apply, gate
from dateline.files import EditError
from dateline.load import load
from dateline.model import Api, Place, SourceError

BATCHES = [batch for api in APIS for batch in batch_cases(api)]


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{batch[0]['it']} ({len(batch)})")
def test_gating_edits_the_sources(
    batch: list[Any], tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    name = batch[0]["api"]
    api = loaded(tmp_path, edit_for(batch))
    plan = gate(api, callers_have[name], today=TODAY)
    patches = {case["it"]: case["patch"].splitlines() for case in batch}
    patches["the draft"] = ROW if name == "payment" else []
    changed = changed_lines(plan)
    assert sorted(changed) == sorted(line for lines in patches.values() for line in lines)
    assert [each for each, lines in patches.items() if not is_in_order(lines, changed)] == []
    assert (plan.left, plan.questions) == ((), ())
    require_law(api, plan, callers_have[name])


def is_in_order(lines: list[str], changed: list[str]) -> bool:
    """Return whether *changed* has *lines* in the same order, among others."""
    rest = iter(changed)
    return all(line in rest for line in lines)


def test_unedited_project_needs_no_gate(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    for name, files in APIS.items():
        api = loaded(tmp_path / name, dict(files))
        assert gate(api, callers_have[name], today=TODAY) == Plan(folder=api.folder)


def test_additive_edit_needs_no_gate(tmp_path: Path, callers_have: Mapping[str, Published]) -> None:
    note = "        note: { type: string }\n"
    api = loaded(tmp_path, edit_texts(LIBRARY, (note, note + "        shelf: { type: string }\n")))
    assert gate(api, callers_have["library"], today=TODAY) == Plan(folder=api.folder)


def test_gated_edit_is_reported_with_its_place_and_cause(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(
        tmp_path, edit_texts(LIBRARY, ("note: { type: string }", "note: { type: integer }"))
    )
    plan = gate(api, callers_have["library"], today=TODAY)
    assert [(str(edit.place), edit.message) for edit in plan.edits] == [
        (
            "schemas/loans.yaml:31:9",
            "Loan.note: type changed ('string' -> 'integer'); `x-was` says what it was before next",
        )
    ]


def test_edit_with_several_causes_is_reported_once(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    files = edit_texts(LIBRARY, ("const: returned", "const: back"))
    (edit,) = gate(loaded(tmp_path, files), callers_have["library"], today=TODAY).edits
    assert edit.message == (
        "LoanState: value back added, LoanState: value returned removed; back has `x-added: next`; "
        "returned has `x-removed: next`"
    )


def test_renamed_schema_with_a_tag_is_left_alone(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(tmp_path, edit_texts(PETS, ("    Cat:\n", "    Feline:\n")))
    plan = gate(api, callers_have["pets"], today=TODAY)
    assert (plan.edits, [one.message.split(":")[0] for one in plan.left]) == ((), ["Pet", "Feline"])


@pytest.mark.parametrize("drafted", [True, False])
def test_moving_version_is_neither_gated_nor_the_date_of_a_gate(
    drafted: bool, tmp_path: Path
) -> None:
    row = "  - { date: unstable, moving: true, title: Changes at any time }\n"
    files = {**LIBRARY, "versions.yaml": VERSIONS.replace("environments:", f"{row}environments:")}
    if not drafted:
        cut = {", draft: true": "", "next": "2025-09-01"}
        for old, new in cut.items():
            files = {name: text.replace(old, new) for name, text in files.items()}
    before = publish_cut(loaded(tmp_path / "before", files))
    note = "        note: { type: string }\n"
    api = loaded(tmp_path, edit_texts(files, (note, "")))

    plan = gate(api, before, today=TODAY)

    draft = [] if drafted else [line for line in changed_lines(plan) if "date: next" in line]
    assert changed_lines(plan) == ["+        note: { type: string, x-removed: next }", *draft]
    assert (len(draft), plan.left) == (not drafted, ())
    dated = {one: text for one, text in before.documents.items() if one.version != "unstable"}
    require_law(api, plan, replace(before, documents=dated))


def test_missing_converter_is_mentioned(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    lost = ("        - const: returned\n", "        - const: returned\n        - const: lost\n")
    plan = gate(loaded(tmp_path, edit_texts(LIBRARY, lost)), callers_have["library"], today=TODAY)
    (remark,) = plan.remarks
    assert remark.startswith("schemas/loans.yaml:40:11: member-without-substitute: LoanState: lost")


def adopted_library() -> dict[str, str]:
    return {**LIBRARY, "versions.yaml": f"{VERSIONS}lint: adopted\n"}


def test_removed_field_that_is_still_required_is_explained(tmp_path: Path) -> None:
    before = publish_cut(loaded(tmp_path / "before", adopted_library()))
    api = loaded(
        tmp_path,
        edit_texts(adopted_library(), ("        id: { type: string, format: uuid }\n", "")),
    )
    (left,) = gate(api, before, today=TODAY).left
    assert (left.message, left.reason) == (
        "Loan.id: required field removed",
        "`required` still names it; remove it there, or restore it",
    )


def test_restored_fields_keep_their_published_order(tmp_path: Path) -> None:
    inline = "        note:\n          type: object\n{}"
    fields = (
        "          properties:\n            a: { type: string }\n            z: { type: string }\n"
    )
    note = "        note: { type: string }\n"
    files = edit_texts(adopted_library(), (note, inline.format(fields)))
    before = publish_cut(loaded(tmp_path / "before", files))
    api = loaded(tmp_path, edit_texts(files, (inline.format(fields), inline.format(""))))
    plan = gate(api, before, today=TODAY)
    assert [line for line in changed_lines(plan) if "type: string" in line] == [
        "+            a: { type: string, x-removed: next }",
        "+            z: { type: string, x-removed: next }",
    ]


def test_advice_for_a_removed_value_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path, LIBRARY)
    assert dateline("generate").status == 0
    value = "        - const: returned\n"
    folder(tmp_path, {**LIBRARY, "loans.yaml": LOANS.replace(value, "")})
    (found,) = json.loads(dateline("check", "--format", "json").out)["changes"]
    assert found["rule"] == "response-narrowed"
    assert all(word in found["help"] for word in ("`x-removed: next`", "`x-shown-as`"))
    # exactly what it says
    back = "        - { const: returned, x-removed: next, x-shown-as: active }\n"
    folder(tmp_path, {**LIBRARY, "loans.yaml": LOANS.replace(value, back)})
    assert dateline("check").status == 0


# Renames


RENAMED = ("        note: { type: string }\n", "        remark: { type: string }\n")


def test_possible_rename_needs_confirmation(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(tmp_path, edit_texts(LIBRARY, RENAMED))
    plan = gate(api, callers_have["library"], today=TODAY)
    (question,) = plan.questions
    assert (question.before, question.after) == ("note", "remark")
    # without confirmation it is a removed field and an added one
    assert changed_lines(plan) == ["+        note: { type: string, x-removed: next }"]
    affirmed = gate(api, callers_have["library"], today=TODAY, renames=plan.questions)
    assert affirmed.questions == ()
    assert changed_lines(affirmed) == [
        "-        remark: { type: string }",
        "+        remark: { type: string, x-was: { next: { name: note } } }",
    ]
    require_law(api, affirmed, callers_have["library"])


def test_rename_keeps_the_history_of_names(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    renamed = [
        ("        author_name:\n", "        author:\n"),
        ("[id, item, author_name, state]", "[id, item, author, state]"),
    ]
    api = loaded(tmp_path, edit_texts(LIBRARY, *renamed))
    plan = gate(api, callers_have["library"], today=TODAY)
    affirmed = gate(api, callers_have["library"], today=TODAY, renames=plan.questions)
    assert changed_lines(affirmed) == [
        "-          x-was: { 2025-06-01: { name: writer } }",
        "+          x-was: { 2025-06-01: { name: writer }, next: { name: author_name } }",
    ]
    assert {edit.message.partition("; ")[2] for edit in affirmed.edits} == {
        "`x-was` says what it was before next"
    }
    require_law(api, affirmed, callers_have["library"])


def test_renamed_parameter_needs_confirmation(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(tmp_path, edit_texts(APIS["payment"], ("name: search_term", "name: search")))
    plan = gate(api, callers_have["payment"], today=TODAY)
    affirmed = gate(api, callers_have["payment"], today=TODAY, renames=plan.questions)
    assert changed_lines(affirmed) == [
        "+          x-was: { next: { name: search_term } }",
        *ROW,
    ]
    require_law(api, affirmed, callers_have["payment"])


TRACE = "{ name: X-Trace, in: header, schema: { type: string } }"


@pytest.mark.parametrize(
    ("listed", "components"),
    [
        pytest.param(
            "{ $ref: '#/components/parameters/Trace' }",
            f"  parameters:\n    Trace: {TRACE}\n",
            id="a component with several references",
        ),
        pytest.param(
            "{ name: page, in: query, schema: { type: string }, x-removed: 2025-06-01 }, " + TRACE,
            "",
            id="in a component that is removed as well",
        ),
    ],
)
def test_check_recognizes_a_renamed_parameter(
    listed: str, components: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = "parameters: [{ name: id, in: path, required: true, schema: { type: string } }"
    written = LOANS.replace(own, f"{own}, {listed}")
    written = written.replace("components:\n", f"components:\n{components}")
    folder(tmp_path, {**LIBRARY, "loans.yaml": written})
    assert dateline("generate").status == 0
    renamed = written.replace("X-Trace", "X-Request")
    folder(tmp_path, {**LIBRARY, "loans.yaml": renamed})
    assert dateline("gate", "--yes").status == 0
    now = TRACE.replace("X-Trace", "X-Request")
    was = now.replace(" } }", " }, x-was: { next: { name: X-Trace } } }")
    assert (tmp_path / "schemas" / "loans.yaml").read_text() == renamed.replace(now, was)
    assert dateline("check").status == 0


@pytest.mark.parametrize(
    "fields",
    [
        "        remark: { type: integer }\n",
        "        remark: { type: string }\n        comment: { type: string }\n",
    ],
)
def test_ambiguous_rename_is_not_proposed(
    fields: str, tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(tmp_path, edit_texts(LIBRARY, (RENAMED[0], fields)))
    plan = gate(api, callers_have["library"], today=TODAY)
    assert plan.questions == ()
    require_law(api, plan, callers_have["library"])


# Changes that can't be gated


@pytest.mark.parametrize(
    ("api", "edits", "left"),
    [
        (
            "library",
            [("  /loans/{id}:\n    get:\n", "  /loans/{id}:\n    put:\n")],
            [
                "schemas/loans.yaml:2:3: GET /loans/{id}: operation removed: Put the operation "
                "back, with its old path and method. If nobody should use it any longer, mark it "
                "`deprecated: true`; a new path goes beside it.",
            ],
        ),
        (
            "library",
            [("note: { type: string }", "note: { type: string, x-environments: [sandbox] }")],
            [
                "schemas/loans.yaml:20:5: Loan.note: field removed: `x-environments` applies to "
                "all versions; drop it, and write what is to differ beside this",
            ],
        ),
        (
            "library",
            [
                ("        author_name:\n", "        author:\n"),
                ("[id, item, author_name, state]", "[id, item, author, state]"),
            ],
            [
                "schemas/loans.yaml:27:9: Loan.author: required field added: it would have to come "
                "and go more than once, or in one environment only; if it was renamed, confirm "
                "that, else write it under a new name",
            ],
        ),
        (
            "library",
            [
                (
                    "  /loans/{id}:\n    get:\n      operationId: getLoan\n      tags: [Loans]\n"
                    "      parameters: [{ name: id,",
                    "  /loans/{loan}:\n    get:\n      operationId: getLoan\n      tags: [Loans]\n"
                    "      parameters: [{ name: loan,",
                )
            ],
            [
                "schemas/loans.yaml:6:20: GET /loans/{loan}: path parameter renamed ('id' -> "
                "'loan'): a path is the same in every version, and so are the names in it; write "
                "the old one back",
            ],
        ),
    ],
)
def test_ungated_change_has_a_reason_and_a_way_out(
    api: str,
    edits: list[tuple[str, str]],
    left: list[str],
    tmp_path: Path,
    callers_have: Mapping[str, Published],
) -> None:
    written = loaded(tmp_path, edit_texts(APIS[api], *edits))
    plan = gate(written, callers_have[api], today=TODAY)
    assert [f"{one.place}: {one.message}: {one.reason}" for one in plan.left] == left
    require_law(written, plan, callers_have[api])


def test_other_changes_are_gated_despite_one_that_can_not(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    edits = [
        ("  /loans/{id}:\n    get:\n", "  /loans/{id}:\n    put:\n"),
        ("note: { type: string }", "note: { type: integer }"),
    ]
    api = loaded(tmp_path, edit_texts(LIBRARY, *edits))
    plan = gate(api, callers_have["library"], today=TODAY)
    assert [one.message for one in plan.left] == ["GET /loans/{id}: operation removed"]
    assert changed_lines(plan) == [
        "-        note: { type: integer }",
        "+        note: { type: integer, x-was: { next: { type: string } } }",
    ]
    require_law(api, plan, callers_have["library"])


def test_component_removed_with_its_operation_is_not_reported_separately(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    operation = LOANS[LOANS.index("  /loans/{id}:\n") : LOANS.index("  /sandbox")]
    components = LOANS[LOANS.index("    Loan:\n") :]
    left = LOANS.replace(operation, "").replace(components, "    Own: { type: string }\n")
    api = loaded(tmp_path, {**LIBRARY, "loans.yaml": left})
    plan = gate(api, callers_have["library"], today=TODAY)
    names = ("AudioBook", "Book", "Item", "Loan", "LoanState")
    assert plan.edits == ()
    assert sorted((one.message, one.reason.partition(",")[0]) for one in plan.left) == [
        *((f"{name}: component removed", "it went with GET /loans/{id}; put both back")
          for name in names[:2]),
        ("GET /loans/{id}: operation removed", "Put the operation back"),
        *((f"{name}: component removed", "it went with GET /loans/{id}; put both back")
          for name in names[2:]),
    ]  # fmt: skip


def test_waived_change_is_left_alone(tmp_path: Path, callers_have: Mapping[str, Published]) -> None:
    edits = [
        ("note: { type: string }", "note: { type: integer }"),
        ("fine_cents: { type: integer,", "fine_cents: { type: string,"),
    ]
    api = loaded(tmp_path, edit_texts(LIBRARY, *edits))
    waiver = Waiver(
        rule="type-changed",
        pointer="/components/schemas/Loan/properties/note/type",
        versions=("2024-01-15", "2024-09-01", "2025-06-01"),
        reason="Nobody reads it.",
        expires="2025-12-31",
        place=Place("schemas/waivers.yaml", 1, 1),
    )
    plan = gate(api, callers_have["library"], today=TODAY, waivers=[waiver])
    assert changed_lines(plan) == [
        "-        fine_cents: { type: string, x-removed: 2025-06-01 }",
        "+        fine_cents: { type: string, x-removed: 2025-06-01, "
        "x-was: { 2025-06-01: { type: integer } } }",
    ]
    late = gate(api, callers_have["library"], today=date(2026, 1, 1), waivers=[waiver])
    assert [edit.message.partition(":")[0] for edit in late.edits] == [
        "Loan.fine_cents",
        "Loan.note",
    ]


def test_reasons_that_the_table_demands_are_left_to_the_user(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    demanded = ("policy: dated-contract", "policy: dated-contract\nrequire-why: true")
    found = {}
    for edits in ([], [demanded], [demanded, (", x-why: a loan can be paused", "")]):
        files = edit_texts(LIBRARY, ("note: { type: string }", "note: { type: integer }"), *edits)
        api = loaded(tmp_path / str(len(edits)), files)
        plan = gate(api, callers_have["library"], today=TODAY)
        # what lacked its reason before is no news
        found[len(edits)] = plan.incomplete, [one.split(". ")[0] for one in plan.remarks]
    one = ["schemas/loans.yaml:31:32: reason-missing: `x-was` of next gives no reason"]
    assert found == {0: (False, []), 1: (True, one), 2: (True, one)}


# The files


def test_git_applies_the_patch(
    tmp_path: Path, callers_have: Mapping[str, Published], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = edit_texts(LIBRARY, ("note: { type: string }", "note: { type: integer }"))
    files["versions.yaml"] = VERSIONS.replace(
        "  - { date: next, title: Loans can be paused, draft: true }\n", ""
    ).rstrip("\n")
    files["loans.yaml"] = files["loans.yaml"].replace("x-added: next, x-shown-as: active, ", "")
    files["loans.yaml"] = files["loans.yaml"].replace("x-why: a loan can be paused ", "")
    files["loans.yaml"] = files["loans.yaml"].replace(", }", " }").replace("\n", "\r\n")
    api = loaded(tmp_path, files)
    plan = gate(api, callers_have["library"], today=TODAY)
    patch = tmp_path / "gates.patch"
    patch.write_bytes(plan.patch().encode())
    subprocess.run(["git", "apply", patch.name], cwd=tmp_path, check=True)
    for replacement in plan.replacements:
        assert (api.folder / replacement.name).read_bytes() == replacement.after
    assert {one.name for one in plan.replacements} == {"loans.yaml", "versions.yaml"}


def test_draft_is_added_to_the_list_in_its_style(tmp_path: Path) -> None:
    files = {
        "versions.yaml": "versions:\n  - { date: 2024-01-15, title: First } # in spring\n"
        "environments:\n  production: { servers: [{ url: /api }] }\n",
        "api.yaml": API + "paths: {}\ncomponents:\n  schemas:\n    Loan: { type: object }\n",
    }
    before = publish_cut(loaded(tmp_path / "before", files))
    api = loaded(tmp_path, edit_texts(files, ("{ type: object }", "{ type: string }")))
    plan = gate(api, before, today=TODAY)
    assert changed_lines(plan) == [
        "-    Loan: { type: string }",
        "+    Loan: { type: string, x-was: { next: { type: object } } }",
        "+  - { date: next, title: Being prepared., draft: true }",
    ]
    require_law(api, plan, before)


def test_dated_draft_gets_the_gates(tmp_path: Path, callers_have: Mapping[str, Published]) -> None:
    edits = [
        ("date: next, title: Loans can be paused", "date: 2025-09-01, title: Loans can be paused"),
        ("x-added: next", "x-added: 2025-09-01"),
        ("note: { type: string }", "note: { type: integer }"),
    ]
    api = loaded(tmp_path, edit_texts(LIBRARY, *edits))
    plan = gate(api, callers_have["library"], today=TODAY)
    assert changed_lines(plan) == [
        "-        note: { type: integer }",
        "+        note: { type: integer, x-was: { 2025-09-01: { type: string } } }",
    ]
    require_law(api, plan, callers_have["library"])


def test_json_sources_are_gated_as_well(tmp_path: Path) -> None:
    files = dict(LIBRARY)
    files["loans.json"] = json.dumps(yaml.safe_load(json_like(files.pop("loans.yaml"))), indent=2)
    before = publish_cut(loaded(tmp_path / "before", files))
    old = '"note": {\n            "type": "string"\n          }'
    api = loaded(tmp_path, edit_texts(files, (old, old.replace("string", "integer"))))
    plan = gate(api, before, today=TODAY)
    assert changed_lines(plan) == [
        '-            "type": "integer"',
        '+            "type": "integer",',
        '+            "x-was": {',
        '+              "next": {',
        '+                "type": "string"',
        "+              }",
        "+            }",
    ]
    require_law(api, plan, before)


def json_like(text: str) -> str:
    """Return *text* with dates that every YAML reader takes for strings."""
    for day in ("2024-09-01", "2025-06-01"):
        text = text.replace(day, f"'{day}'")
    return text


ADOPTED = {
    "versions.yaml": "lint: adopted\nversions:\n- date: 2024-01-15\n  title: As adopted\n",
    "api.yaml": """\
openapi: 3.1.0
info: {title: Loans, version: '7'}
paths: {}
components:
  schemas:
    loan-list:
      properties:
        Total: {type: integer, enum: [1, 2]}
        x-y: {type: string}
""",
}


def test_adopted_documents_are_gated_as_well(tmp_path: Path) -> None:
    before = publish_cut(loaded(tmp_path / "before", ADOPTED))
    edits = [("enum: [1, 2]", "enum: [1, 2, 3]"), ("        x-y: {type: string}\n", "")]
    api = loaded(tmp_path, edit_texts(ADOPTED, *edits))
    plan = gate(api, before, today=TODAY)
    assert changed_lines(plan) == [
        "-        Total: {type: integer, enum: [1, 2, 3]}",
        "+        Total: {type: integer, "
        "oneOf: [{const: 1}, {const: 2}, {const: 3, x-added: next}]}",
        "+        x-y: {type: string, x-removed: next}",
        "+- date: next",
        "+  title: Being prepared.",
        "+  draft: true",
    ]
    require_law(api, plan, before)


def test_file_that_was_edited_meanwhile_is_not_overwritten(
    tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    api = loaded(
        tmp_path, edit_texts(LIBRARY, ("note: { type: string }", "note: { type: integer }"))
    )
    plan = gate(api, callers_have["library"], today=TODAY)
    loans = api.folder / "loans.yaml"
    loans.write_text(loans.read_text(encoding="utf-8") + "# later\n", encoding="utf-8")
    before = loans.read_bytes()
    with pytest.raises(EditError, match="edited-meanwhile"):
        apply(plan)
    assert loans.read_bytes() == before


# Random edits


def meaningful_edit(random: Random, base: Api, root: Path) -> Api | None:
    """Return an API that differs from *base* in one edit; None if the edit has no effect.

    It is written to one file, in a mix of styles.
    """
    table = (base.folder / "versions.yaml").read_text(encoding="utf-8")
    document = plain(base.document)
    if random.random() < 0.7:
        done = random.choice(EDITS).change(random, random.choice(sites(document)).node)
    else:
        done = random.choice(DOCUMENT_EDITS).change(random, document)
    try:
        text = Writer(random).text(document)
        return load(folder(root, {"versions.yaml": table, "api.yaml": text})) if done else None
    except SourceError:
        return None


@pytest.mark.parametrize(
    ("name", "seed"),
    [*(("library", seed) for seed in seeds(8)), *(("payment", seed) for seed in seeds(2))],
)
def test_every_breaking_edit_is_gated_or_reported(
    name: str, seed: int, tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    base = loaded(tmp_path / "base", dict(APIS[name]))
    random = Random(seed)
    breaking = 0
    while breaking < (4 if name == "library" else 2):
        api = meaningful_edit(random, base, tmp_path)
        if api is None:
            continue
        plan = gate(api, callers_have[name], today=TODAY)
        if not (plan.edits or plan.left):
            continue
        breaking += 1
        if plan.questions and random.random() < 0.5:
            plan = gate(api, callers_have[name], today=TODAY, renames=plan.questions)
        require_law(api, plan, callers_have[name])
        # routes can't be gated; everything else can, unless an example shows a gated part
        assert [
            one
            for one in plan.left
            if not one.message.endswith("operation removed")
            and "reference-outlives-target" not in one.reason
        ] == []


@pytest.mark.parametrize(
    ("place", "old"),
    [
        (
            "parameters: [{ name: id, in: path, required: true, schema: { type: string } }]\n"
            "      responses:\n",
            "{ name: shelf, in: query, required: true, x-added: 2025-06-01, "
            "schema: { type: string } }",
        ),
        ("        note: { type: string }\n", "shelf: { type: string, x-added: 2025-06-01 }"),
    ],
)
def test_finding_that_depends_on_a_gate_of_a_draft_is_mentioned(
    place: str, old: str, tmp_path: Path
) -> None:
    """What requests of published versions lack is information, until a draft changes it as well."""
    files = adopted_library()
    if old.startswith("{"):
        known = (place, place.replace("}]", f"}}, {old}]"))
        remark = "GET /loans/{id}: parameter rack is required, and new"
    else:
        body = "      requestBody: { content: { application/json: { schema: { $ref: REF } } } }\n"
        sent = body.replace("REF", "'#/components/schemas/Loan'")
        expire = "      operationId: expireLoan\n"
        known = (place, f"{place}        {old}\n")
        files = edit_texts(
            files, (expire, expire + sent), ("author_name, state]", "author_name, state, shelf]")
        )
        remark = "Loan.rack: required in requests, and absent in 2024-01-15, 2024-09-01"
    files = edit_texts(files, known)
    before = publish_cut(loaded(tmp_path / "before", files))
    renamed = [(old, old.replace("shelf", "rack"))]
    if "shelf]" in files["loans.yaml"]:
        renamed.append((", shelf]", ", rack]"))
    api = loaded(tmp_path, edit_texts(files, *renamed))

    questions = gate(api, before, today=TODAY).questions
    plan = gate(api, before, today=TODAY, renames=questions)

    assert len(questions) == 1
    assert plan.incomplete
    assert [one.split(": request-without-way-up: ")[1].split(". ")[0] for one in plan.remarks] == [
        remark
    ]
