"""A version from the first edit of the definitions to its date."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.commands import Outcome, dateline, read_files
from support.repositories import (
    CLEAN,
    DAY,
    FILES,
    FOUND,
    LOST,
    MISUSE,
    TITLE,
    changed_lines,
    commit,
    edit,
    enter_copy,
    git,
    recorded,
    repository,
)
from support.sources import NOTE
from support.tables import cases

from dateline import fresh
from dateline.check.baseline import read_tree
from dateline.edit.cut import CutRequest, cut
from dateline.load import load
from dateline.project import Projector

CASES: list[dict[str, Any]] = yaml.load(
    Path(__file__).with_name("cuts.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which the library API is published, without a draft."""
    return repository(tmp_path_factory.mktemp("published"), FILES)


@pytest.fixture
def project(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published API in the current folder."""
    return enter_copy(published, tmp_path, monkeypatch)


def replace_next(files: dict[str, str]) -> dict[str, str]:
    """Return the sources *files* with `next` replaced by the day, line by line."""
    row = "  - { date: next, title: Being prepared., draft: true }\n"
    return {
        path: text.replace(row, f"  - {{ date: {DAY}, title: {TITLE} }}\n")
        if path.endswith("versions.yaml")
        else re.sub(r"\bnext\b", DAY, text)
        for path, text in files.items()
    }


def is_clean(*arguments: str) -> bool:
    """Return whether a command finds nothing except converters that a draft needs."""
    outcome = dateline(*arguments)
    last = outcome.out.splitlines()[-1]
    return outcome.status == CLEAN and bool(re.fullmatch(r"no findings|\d+ information", last))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["it"])
def test_edit_becomes_a_version(case: Any, project: Path) -> None:
    edit(*case["edits"])
    # parts that a gate needs and can't derive are written by hand
    assert dateline("gate", "--yes").status == (FOUND if "finish" in case else CLEAN)
    edit(*case.get("finish", []))
    assert is_clean("check")
    commit()
    gated, contracts = read_files(project / "schemas"), Projector(load(Path("schemas")))
    before = read_files(project / "generated")

    outcome = dateline("cut", DAY, "--title", TITLE)

    notes = NOTE + case.get("note", "")
    assert (outcome.status, outcome.err) == (CLEAN, f"{notes}now commit schemas and generated\n")
    after = read_files(project / "generated")
    assert read_files(project / "schemas") == {**replace_next(gated), **recorded(DAY, after)}
    for version in ("2024-01-15", "2025-06-01"):
        name = f"spec/production/{version}.json"
        assert after[name] == before[name]
    document = contracts.contract("next", "production").document
    document["info"] = {**document["info"], "version": DAY}
    assert json.loads(after[f"spec/production/{DAY}.json"]) == document
    assert dateline("generate") == Outcome(CLEAN, "generated: up to date\n", "")
    assert dateline("check") == Outcome(CLEAN, f"{fresh.NO_FINDINGS}\n", "")
    assert dateline("check", "--against", "HEAD").status == CLEAN


def prepare(*edits: tuple[str, str]) -> None:
    """Commit a gated change, the row of `next` for it, and *edits*."""
    edit(LOST)
    assert dateline("gate").status == CLEAN
    edit(*edits)
    commit()


def list_planned_lines(*arguments: str) -> list[str]:
    """Return the lines that cutting would change; it must not write anything."""
    before = read_files(Path())
    outcome = dateline("cut", *arguments, "--dry-run")
    assert (outcome.status, outcome.err) == (CLEAN, "")
    assert read_files(Path()) == before
    return changed_lines(outcome.out)


# The draft `next`


def test_gate_may_use_next_before_the_table_does(project: Path) -> None:
    edit(LOST)
    assert dateline("check").err == (
        "schemas/loans.yaml:38:35: unknown-version: the version table has no `next`; run "
        "`dateline gate`, or add `- { date: next, title: Being prepared., draft: true }` to the "
        "end of its `versions`\n"
    )
    assert dateline("gate") == Outcome(
        CLEAN, "schemas/versions.yaml:6:13: the version next is being prepared\n", ""
    )
    assert changed_lines(git("diff", "schemas/versions.yaml")) == [
        "+  - { date: next, title: Being prepared., draft: true }"
    ]
    assert dateline("check").status == CLEAN
    assert dateline("gate") == Outcome(CLEAN, "", "nothing to gate\n")
    assert read_files(project / "schemas")["loans.yaml"] == FILES["loans.yaml"].replace(*LOST)


def test_version_is_cut_without_a_row_for_next(project: Path) -> None:
    edit(LOST)
    assert list_planned_lines(DAY, "--title", TITLE) == [
        f"-{LOST[1].splitlines()[1]}",
        f"+{LOST[1].splitlines()[1]}".replace("next", DAY),
        f"+  - {{ date: {DAY}, title: {TITLE} }}",
    ]
    assert project.is_dir()


MEMBERS = """\
components:
  schemas:
    Member:
      type: object
      properties:
        age: { type: integer }
"""


def test_branches_with_drafts_merge(project: Path) -> None:
    (project / "schemas" / "members.yaml").write_text(MEMBERS, "utf-8")
    assert dateline("generate").status == CLEAN
    commit()
    for branch, change in (
        ("loans", LOST),
        ("members", ("age: { type: integer }", "age: { type: string }")),
    ):
        git("checkout", "--quiet", "-b", branch, "main")
        edit(change)
        assert dateline("gate").status == CLEAN
        assert dateline("generate").status == CLEAN
        commit()
    git("merge", "--quiet", "--message", "Merge", "loans")
    assert git("status", "--porcelain") == ""
    merged = read_files(project / "schemas")
    assert is_clean("check")
    assert dateline("generate").status == CLEAN
    commit()
    assert read_files(project / "schemas") == merged
    assert dateline("cut", DAY, "--title", TITLE).status == CLEAN
    member = "age: { type: string, x-was: { next: { type: integer } } }"
    assert merged["members.yaml"] == MEMBERS.replace("age: { type: integer }", member)
    record = recorded(DAY, read_files(project / "generated"))
    assert read_files(project / "schemas") == {**replace_next(merged), **record}


# Edits of the sources


ROW = "  - { date: next, title: Being prepared., draft: true }\n"


@pytest.mark.parametrize(
    ("row", "cut"),
    [
        (
            "  # in spring\n\n  - date: 'next' # soon\n    draft: true\n"
            '    title: "Books get lost"\n',
            [
                "-  - date: 'next' # soon",
                "-    draft: true",
                '-    title: "Books get lost"',
                f"+  - date: '{DAY}' # soon",
                f"+    title: {TITLE}",
            ],
        ),
        (
            "  - {title: Soon, draft: true, date: next, undisclosed: false} # !\n",
            [
                "-  - {title: Soon, draft: true, date: next, undisclosed: false} # !",
                f"+  - {{title: {TITLE}, date: {DAY}, undisclosed: false}} # !",
            ],
        ),
        (
            "  - { date: next, title: Soon, draft: true } # last\nannotation: 'next'\n",
            [
                "-  - { date: next, title: Soon, draft: true } # last",
                "-annotation: 'next'",
                f"+  - {{ date: {DAY}, title: {TITLE} }} # last",
                f"+annotation: '{DAY}'",
            ],
        ),
    ],
)
def test_row_keeps_its_style(project: Path, row: str, cut: list[str]) -> None:
    prepare((ROW, row))
    assert project.is_dir()
    assert [
        line for line in list_planned_lines(DAY, "--title", TITLE) if "const" not in line
    ] == cut


def test_gates_keep_their_quotes_comments_and_line_ends(project: Path) -> None:
    loans = project / "schemas" / "loans.yaml"
    edit(
        ("note: { type: string }", "note: { type: string, x-removed: 'next' } # at last"),
        (
            "        channel: {",
            '        pages:\n          type: string\n          x-was: # in\n\n            "next": '
            "{ type: integer } # words\n        channel: {",
        ),
    )
    loans.write_bytes(loans.read_bytes().replace(b"\n", b"\r\n"))
    assert dateline("gate").status == CLEAN
    commit()
    before = loans.read_bytes()
    assert dateline("cut", DAY, "--title", TITLE).status == CLEAN
    assert before.count(b"next") == 2
    assert loans.read_bytes() == before.replace(b"next", DAY.encode())


def test_json_sources_are_cut_as_well(project: Path) -> None:
    text = json.dumps({"components": {"schemas": {"A": {"type": "string"}}}}, indent=2)
    source = project / "schemas" / "a.json"
    source.write_text(text, "utf-8")
    assert dateline("generate").status == CLEAN
    edit(('"type": "string"', '"type": "integer",\n  "x-was": { "next": { "type": "string" } }'))
    assert dateline("gate").status == CLEAN
    assert list_planned_lines(DAY, "--title", TITLE)[:2] == [
        '-  "x-was": { "next": { "type": "string" } }',
        f'+  "x-was": {{ "{DAY}": {{ "type": "string" }} }}',
    ]


def test_waivers_of_drafts_apply_to_the_version(project: Path) -> None:
    prepare()
    shelf = "        shelf: { type: string, x-added: next }\n        channel: {"
    edit(("        channel: {", shelf))
    assert dateline("check").status == FOUND
    pointer = "/components/schemas/Loan/properties/shelf"
    given = ["--version", "next", "--reason", "Not yet.", "--expires", "2999-01-01"]
    assert dateline("waive", "response-field-added", pointer, *given).status == CLEAN
    commit()
    assert dateline("cut", DAY, "--title", TITLE).status == CLEAN
    assert changed_lines(git("diff", "schemas/waivers.yaml")) == [
        "-      - next",
        f"+      - {DAY}",
    ]
    assert dateline("check", "--against", "HEAD").out.splitlines()[-1] == "no findings; 1 waived"
    assert project.is_dir()


def test_dry_run_shows_changes_by_reason_and_a_patch_that_git_applies(project: Path) -> None:
    prepare(
        ("        note: { type: string }\n", "        note: { type: string, x-removed: next }\n")
    )
    shown = dateline("cut", DAY, "--title", TITLE, "--dry-run").out
    assert shown.partition("--- a/")[0].splitlines() == [
        f"{DAY}: {TITLE}",
        "  Books get lost.",
        "    LoanState: value lost added",
        "  no reason given (`x-why`)",
        "    Loan.note: field removed",
        f"schemas: added _additions/spec/production/{DAY}.json",
    ]
    gated = read_files(project / "schemas")
    (project / "cut.patch").write_text(shown, "utf-8")
    git("apply", "cut.patch")
    assert read_files(project / "schemas") == replace_next(gated)


# Drafts with a date


DRAFTS = """\
  - { date: 2025-08-01, title: Loans can be paused, draft: true }
  - { date: next, title: Books get lost, draft: true }
"""


@pytest.fixture(scope="module")
def drafted(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published API with two drafts that change the same parts; one has a date."""
    root = tmp_path_factory.mktemp("drafted") / "project"
    shutil.copytree(published, root, symlinks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        edit(
            ("environments:\n", f"{DRAFTS}environments:\n"),
            (
                "        - const: returned\n",
                "        - const: returned\n"
                "        - { const: paused, x-added: 2025-08-01, x-shown-as: active }\n"
                "        - { const: lost, x-added: next, x-shown-as: active }\n",
            ),
            (
                "note: { type: string }",
                "note: { type: [integer, 'null'], x-was: { 2025-08-01: { type: string }, "
                "next: { type: integer } } }",
            ),
        )
        assert dateline("generate").status == CLEAN
        commit()
    return root


@pytest.fixture
def drafts(drafted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the API with two drafts in the current folder."""
    return enter_copy(drafted, tmp_path, monkeypatch)


def test_dated_draft_is_no_contract(drafts: Path) -> None:
    assert (drafts / "generated/spec/production/2025-08-01.json").exists()
    for baseline in ("generated", "HEAD"):
        assert is_clean("check", "--against", baseline)
    edit(("x-was: { 2025-08-01: { type: string }, next", "x-was: { next"))
    edit(("next: { type: integer }", "next: { type: string }"))
    assert is_clean("check")


def test_dated_draft_is_cut_on_its_date_and_the_next_one_stays(drafts: Path) -> None:
    assert drafts.is_dir()
    assert list_planned_lines("2025-08-01") == [
        "-  - { date: 2025-08-01, title: Loans can be paused, draft: true }",
        "+  - { date: 2025-08-01, title: Loans can be paused }",
    ]


def test_drafts_are_folded_into_one_version(drafts: Path) -> None:
    assert drafts.is_dir()
    assert list_planned_lines(
        DAY, "--title", TITLE, "--draft", "next", "--draft", "2025-08-01"
    ) == [
        "-        note: { type: [integer, 'null'], x-was: { 2025-08-01: { type: string }, "
        "next: { type: integer } } }",
        f"+        note: {{ type: [integer, 'null'], x-was: {{ {DAY}: {{ type: string }} }} }}",
        "-        - { const: paused, x-added: 2025-08-01, x-shown-as: active }",
        "-        - { const: lost, x-added: next, x-shown-as: active }",
        f"+        - {{ const: paused, x-added: {DAY}, x-shown-as: active }}",
        f"+        - {{ const: lost, x-added: {DAY}, x-shown-as: active }}",
        *(f"-{line}" for line in DRAFTS.splitlines()),
        f"+  - {{ date: {DAY}, title: {TITLE} }}",
    ]


def test_folded_drafts_leave_no_history_between_them(drafts: Path) -> None:
    assert drafts.is_dir()
    edit(
        (
            "        channel: {",
            "        shelf: { type: integer, maximum: 9, x-added: 2025-08-01, "
            "x-was: { next: { maximum: 7 } } }\n        channel: {",
        ),
        ("author_name, state]", "author_name, state, shelf]"),
    )
    lines = list_planned_lines(DAY, "--title", TITLE, "--draft", "2025-08-01", "--draft", "next")
    assert f"+        shelf: {{ type: integer, maximum: 9, x-added: {DAY} }}" in lines


SHELF = (
    ("author_name, state]", "author_name, state, shelf]"),
    (
        "        channel: {",
        """\
        # Where the book stands.
        shelf:
          $ref: '#/components/schemas/Shelf'
          x-added: 2025-08-01
          x-removed: next
        channel: {""",
    ),
    ("    LoanState:\n", "    # One of many.\n    Shelf: { type: string }\n    LoanState:\n"),
)


def test_part_added_and_removed_by_folded_drafts_is_left_out(drafts: Path) -> None:
    asked = CutRequest(day=DAY, title=TITLE, drafts=("2025-08-01", "next"))

    def after() -> dict[str, bytes | None]:
        plan = cut(drafts / "schemas", asked, read_tree(drafts / "generated"))
        return {one.name: one.after for one in plan.replacements}

    without = after()
    edit(*SHELF)
    assert dateline("generate").status == CLEAN
    assert after() == without


def test_reasons_are_folded_with_their_gates(drafts: Path) -> None:
    was = "next: { type: integer } }"
    given = "{ 2025-08-01: Notes are counted., next: None is null. }"
    edit((f"{was} }}", f"{was}, x-why: {given} }}"))
    assert drafts.is_dir()
    lines = list_planned_lines(DAY, "--title", TITLE, "--draft", "2025-08-01", "--draft", "next")
    assert (
        f"+        note: {{ type: [integer, 'null'], x-was: {{ {DAY}: {{ type: string }} }}, "
        f"x-why: {{ {DAY}: Notes are counted. None is null. }} }}"
    ) in lines


def test_version_can_be_cut_before_a_draft_with_a_later_date(drafts: Path) -> None:
    assert drafts.is_dir()
    edit(("        note: { type: [integer, 'null'], x-was: { 2025-08-01: { type: string }, "
          "next: { type: integer } } }\n", "        note: { type: string }\n"))  # fmt: skip
    lines = list_planned_lines("2025-07-01", "--title", TITLE)
    assert [line for line in lines if "date:" in line] == [
        f"+  - {{ date: 2025-07-01, title: {TITLE} }}",
        f"-{DRAFTS.splitlines()[1]}",
    ]


def test_empty_version_needs_its_mark(project: Path) -> None:
    assert project.is_dir()
    assert dateline("cut", DAY, "--title", TITLE) == Outcome(
        MISUSE,
        "",
        f"no gate says next, so {DAY} would promise the same as 2025-06-01 does; gate a change, or "
        "mark the version with `--undisclosed`\n",
    )
    assert list_planned_lines(DAY, "--title", TITLE, "--undisclosed") == [
        f"+  - {{ date: {DAY}, title: {TITLE}, undisclosed: true }}"
    ]


# Refusals


@cases(
    ("arguments", "said"),
    [
        (["2025-9-1"], "'2025-9-1' is not a date in the form YYYY-MM-DD"),
        (["2026-02-30"], "'2026-02-30' is not a date in the form YYYY-MM-DD"),
        (["next"], "'next' is not a date in the form YYYY-MM-DD"),
        (
            ["2025-06-01"],
            "2025-06-01 is not newer than 2025-06-01, the newest version that is cut; name a "
            "later day",
        ),
        (
            ["2024-12-31"],
            "2024-12-31 is not newer than 2025-06-01, the newest version that is cut; name a "
            "later day",
        ),
        (
            ["2025-08-01", "--title", " "],
            "the title is blank; say what callers will notice",
        ),
        (
            ["2025-08-01", "--title", "a\nb"],
            r"the title 'a\nb' is not one line; say what callers will notice",
        ),
        ([DAY, "--draft", "nxt"], "the version table has no draft nxt; did you mean 'next'?"),
        (
            [DAY],
            "2025-08-01 is a draft, and not newer than 2025-09-01; fold it in with "
            "`--draft 2025-08-01 --draft next`",
        ),
        (
            [DAY, "--draft", "2025-08-01", "--draft", "next"],
            "`--title` is missing: say in one sentence what callers will notice",
        ),
        (
            ["2025-08-01", "--undisclosed"],
            "gates say 2025-08-01, so 2025-08-01 shows changes; leave `undisclosed` out",
        ),
    ],
)
def test_refused_cut_is_reported_with_a_way_out(
    drafts: Path, arguments: list[str], said: str
) -> None:
    before = read_files(drafts)
    assert dateline("cut", *arguments) == Outcome(MISUSE, "", f"{said}\n")
    assert read_files(drafts) == before


def test_placeholder_is_not_accepted_as_a_title(project: Path) -> None:
    prepare()
    assert dateline("cut", DAY).err == (
        "`--title` is missing: say in one sentence what callers will notice\n"
    )
    edit(("Being prepared.", "Books get lost."))
    assert list_planned_lines(DAY)[-1] == f"+  - {{ date: {DAY}, title: Books get lost. }}"
    assert project.is_dir()


@pytest.mark.parametrize(
    "path", ["schemas/loans.yaml", "schemas/new.yaml", "generated/spec/production/next.json"]
)
def test_uncommitted_edits_are_not_mixed_with_a_cut(project: Path, path: str) -> None:
    prepare()
    with (project / path).open("a") as file:
        file.write("# later\n")
    before = read_files(project)
    outcome = dateline("cut", DAY, "--title", TITLE)
    assert outcome == Outcome(
        MISUSE, "", f"{path} is not committed; commit first, or set it aside\n"
    )
    assert read_files(project) == before


def test_failing_check_stops_the_cut(project: Path) -> None:
    prepare(("        note: { type: string }\n", ""))
    before = read_files(project)
    outcome = dateline("cut", DAY, "--title", TITLE)
    assert (outcome.status, outcome.out) == (FOUND, "")
    assert "gated [response-field-removed] Loan.note: field removed" in outcome.err
    assert read_files(project) == before


def test_invalid_resulting_definitions_stop_the_cut(drafts: Path) -> None:
    # the draft between the two refers to a part that no version would have
    edit(
        ("x-added: 2025-08-01,", "x-added: 2025-08-01, x-removed: next,"),
        (
            "  - { date: next,",
            "  - { date: 2025-10-01, title: Between, draft: true }\n  - { date: next,",
        ),
    )
    commit()
    before = read_files(drafts)
    folded = ["--draft", "2025-08-01", "--draft", "next"]
    outcome = dateline("cut", DAY, "--title", TITLE, *folded)
    assert outcome.status == 3
    assert outcome.err.startswith(
        f"schemas/loans.yaml:38:60: never-there: added at {DAY}, so no version has it; remove it "
        "later, or leave the node out\n"
    )
    assert read_files(drafts) == before


# Published contracts


PAGES = ("        note: {", "        pages: { type: integer }\n        note: {")


def test_uncommitted_contract_is_not_binding(project: Path) -> None:
    edit(PAGES)
    assert dateline("generate").status == CLEAN
    edit(("pages: { type: integer }", "pages: { type: string }"))
    commit_now = git("rev-parse", "--short=7", "HEAD").strip()
    said = f"compared with git HEAD ({commit_now})\nno findings\n"
    assert dateline("check") == Outcome(CLEAN, said, "")
    assert dateline("gate") == Outcome(CLEAN, "", "nothing to gate\n")
    assert dateline("generate").status == CLEAN
    edit(("        pages: { type: string }\n", ""))
    assert dateline("generate").status == CLEAN
    assert git("status", "--porcelain") == ""
    # a committed one is, whatever was generated since
    edit(PAGES)
    assert dateline("generate").status == CLEAN
    commit()
    edit(("pages: { type: integer }", "shelf: { type: string }\n        pages: { type: integer }"))
    assert dateline("generate").status == CLEAN
    edit(("        pages: { type: integer }\n", ""))
    outcome = dateline("generate")
    assert outcome.status == FOUND
    assert "gated [response-field-removed] Loan.pages: field removed" in outcome.err
    assert project.is_dir()


def test_merged_contract_is_binding_before_it_is_committed(project: Path) -> None:
    git("checkout", "--quiet", "-b", "pages")
    edit(PAGES)
    assert dateline("generate").status == CLEAN
    commit()
    git("checkout", "--quiet", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "A step")
    git("merge", "--quiet", "--no-commit", "--no-ff", "pages")
    edit((PAGES[1], PAGES[0]))
    outcome = dateline("generate")
    assert outcome.status == FOUND
    assert "gated [response-field-removed] Loan.pages: field removed" in outcome.err
    assert project.is_dir()


# The states of a version in `status`


def test_status_shows_the_state_of_a_version(project: Path) -> None:
    prepare(
        ("        note: {", "        pages: { type: integer }\n        note: {"),
        ("due: { type: string,", "due: { type: string, description: Until when.,"),
        ("environments:\n", f"{ANNOUNCED}environments:\n"),
    )
    for pointer, day in (
        ("/components/schemas/Loan", "2999-01-01"),
        ("/paths", "2999-02-01"),
    ):
        given = ["--version", "next", "--reason", "Nobody asks.", "--expires", day]
        assert dateline("waive", "type-changed", pointer, *given).status == CLEAN
    edit(("2999-02-01", "2024-01-01"))  # as if time had passed
    first = git("rev-list", "--max-parents=0", "--abbrev=7", "--abbrev-commit", "HEAD").strip()
    shown = dateline("status")
    assert shown.status == CLEAN
    assert (
        shown.out[shown.out.index("announced\n") : shown.out.index("outputs\n")]
        == f"""\
announced
  2998-01-01  2025-06-01 becomes the default
  2998-06-01  2024-01-15 ends
pending for next
  Books get lost.
    LoanState: value lost added
added to all versions since 2025-06-01 was cut ({first})
  Loan.pages: field added
waivers
  expired on 2024-01-01  type-changed at /paths: Nobody asks.
  unused until 2999-01-01  type-changed at /components/schemas/Loan: Nobody asks.
"""
    )
    assert "  generated/spec/production/next.json: missing\n" in shown.out
    assert project.is_dir()


def test_announcement_is_no_cut(project: Path) -> None:
    edit(PAGES)
    assert dateline("generate").status == CLEAN
    commit()
    since = re.compile(r"added to all versions since .*\n.*\n")
    before = since.search(dateline("status").out)
    assert before is not None
    assert before[0].endswith("  Loan.pages: field added\n")
    edit(("environments:\n", f"{ANNOUNCED}environments:\n"))
    assert dateline("generate").status == CLEAN
    commit()
    after = since.search(dateline("status").out)
    assert after is not None
    assert after[0] == before[0]
    assert project.is_dir()


ANNOUNCED = """\
announcements:
  - { ends: 2024-01-15, from: 2998-06-01, announced: 2025-06-01 }
  - { default: 2025-06-01, from: 2998-01-01, announced: 2025-06-01 }
"""
