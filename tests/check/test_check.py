"""Every mistake that an author can make against the versioning rules, with its finding."""

from __future__ import annotations

import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import Final

import pytest
from support.published_projects import LOANS, MISTAKES, SOURCES, TODAY, Project, line
from support.sources import folder, loaded
from support.tables import cases

from dateline.check import BaselineError, Published, breaches, check
from dateline.check.baseline import read_baseline
from dateline.generate import BreachError, Workspace, generate
from dateline.load import load
from dateline.model import DatelineError, SourceError
from dateline.project_checks import read_against


def test_unedited_project_has_no_findings(project: Project) -> None:
    assert project.said() == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_reported_with_its_place_and_help(project: Project, mistake: str) -> None:
    edits, expected = MISTAKES[mistake]
    project.edit(*edits)
    try:
        found = project.findings()
        said, helps = [line(each) for each in found], [each.help for each in found]
    except SourceError as error:
        said = helps = str(error).split("\n")
    assert said == expected
    assert [text for text in helps if len(text) < 40] == []


@pytest.mark.parametrize(
    "edit",
    [
        ("    Loan:\n", "    # a comment\n    Loan:\n"),
        ("required: [id, item, state]", "required: [state, id, item]"),
        ("{ type: integer, maximum: 100, default: 10 }",
         "{default: 10, maximum: 100, type: integer}"),
        ("{ type: string, enum: [active, returned] }",
         '{ "type": "string", enum: ["active", returned] }'),
        ("description: loans", "description: All loans."),
        ("channel: { type: string, x-extensible-enum: [desk, app] }",
         "channel: { type: string, x-extensible-enum: [desk, app, mail] }"),
        ("        fine_cents: { type: integer }\n",
         "        fine_cents: { type: integer }\n        shelf: { type: string }\n"),
        ("        - { name: size", "        - { name: tag, in: query, schema: { type: string } }\n"
         "        - { name: size"),
        ("enum: [active, returned]", "oneOf: [{ const: active }, { const: returned }]"),
        ("    Film:\n", "    Movie:\n"),
    ],
)  # fmt: skip
def test_cosmetic_and_additive_edits_pass(project: Project, edit: tuple[str, str]) -> None:
    project.edit(edit)
    kept = [said for said in project.said() if "Film" not in said]
    assert kept == []


def test_findings_with_one_cause_are_merged(project: Project) -> None:
    project.edit(("id: { type: string, format: uuid }", "id: { type: string }"))
    (finding,) = project.findings()
    assert finding.versions == ("2024-01-15", "2024-09-01")
    assert finding.environments == ("production", "sandbox")
    assert finding.operations == ("GET /loans", "POST /loans")
    assert (finding.schema, finding.field) == ("Loan", "id")
    assert (finding.before, finding.after) == ("uuid", None)
    document = project.output / "spec" / "production" / "2024-01-15.json"
    assert str(finding.before_source).startswith(f"{document}:")
    assert str(finding.after_source) == "schemas/loans.yaml:30:9"


def test_fingerprint_does_not_depend_on_texts(project: Project) -> None:
    project.edit(("maxLength: 20", "maxLength: 10"))
    (first,) = project.findings()
    project.edit(("description: loans", "description: Loans."))
    (second,) = project.findings()
    assert first.fingerprint == second.fingerprint
    project.edit(("maxLength: 10", "maxLength: 11"))
    (third,) = project.findings()
    assert third.fingerprint != first.fingerprint


# --- The version table


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [("  - { date: 2024-01-15, title: Initial version }\n", ""),
             ("default: 2024-01-15", "default: 2024-09-01"),
             ("          x-added: 2024-09-01\n"
              "          x-shown-as: { kind: Book, title: audio book }\n", "")],
            ["schemas/versions.yaml:3:13: never [version-withdrawn] 2024-01-15 is published and "
             "not in the table"],
        ),
        (
            [("2024-09-01, title", "2024-09-02, title"),
             ("x-added: 2024-09-01", "x-added: 2024-09-02")],
            ["schemas/versions.yaml:3:13: never [version-withdrawn] 2024-09-01 is published and "
             "not in the table, which has 2024-09-02 instead"],
        ),
        (
            [("title: Audio books }", "title: Audio books, draft: true }")],
            ["schemas/versions.yaml:4:13: never [version-drafted] 2024-09-01 is published, and the "
             "table calls it a draft"],
        ),
        (
            [("  - { date: 2024-09-01",
              "  - { date: 2024-05-01, title: Between, undisclosed: true }\n"
              "  - { date: 2024-09-01")],
            ["schemas/versions.yaml:4:13: never [version-backdated] 2024-05-01 is new, and "
             "2024-09-01 is cut already"],
        ),
        (
            [("  - { date: next, title: What comes next, draft: true }",
              "  - { date: 2025-01-01, title: Nothing }")],
            ["schemas/versions.yaml:5:13: gated [version-without-change] 2025-01-01 promises the "
             "same as 2024-09-01 does"],
        ),
        (
            [("  - { date: next, title: What comes next, draft: true }",
              "  - { date: 2025-01-01, title: Not told, undisclosed: true }")],
            [],
        ),
        (
            [("default: 2024-01-15", "header: X-API-Version\ndefault: 2024-09-01")],
            ["schemas/versions.yaml:2:1: never [default-moved] the default moves from 2024-01-15 "
             "to 2024-09-01 unannounced"],
        ),
        (
            [("default: 2024-01-15", "default: 2024-09-01\n"
              "policy: { preset: dated-contract, notice-days: 0 }\n"
              "announcements: [{ default: 2024-09-01, from: 2026-01-01, announced: 2025-12-01 }]")],
            [],
        ),
        (
            [("default: 2024-01-15", "default: 2024-09-01\n"
              "policy: { preset: dated-contract, notice-days: 1 }\n"
              "announcements: [{ default: 2024-09-01, from: 2026-01-02, announced: 2025-12-01 }]")],
            ["schemas/versions.yaml:1:1: never [default-moved] the default moves from 2024-01-15 "
             "to 2024-09-01 before 2026-01-02, the announced day"],
        ),
        (
            [("default: 2024", "policy: { preset: github, rules: { variant-aded: additive } }\n"
              "default: 2024")],
            ["schemas/versions.yaml:1:36: gated [policy-rule-unknown] the policy names "
             "variant-aded, which is not a rule; did you mean 'variant-added'?"],
        ),
        (
            [("  sandbox: { servers: [{ url: https://sandbox.library.example }] }\n", "")],
            ["schemas/versions.yaml:6:1: never [environment-withdrawn] the environment sandbox is "
             "published and not in the table"],
        ),
    ],
)  # fmt: skip
def test_version_table_mistakes_are_found(
    project: Project, edits: list[tuple[str, str]], expected: list[str]
) -> None:
    project.edit(*edits)
    assert project.said() == expected


def test_ignoring_tags_can_not_change_unnoticed(tmp_path: Path) -> None:
    header = "        - { name: X-API-Version, in: header, schema: { type: string } }\n"
    making = "      requestBody:\n"
    given = {
        **SOURCES,
        "loans.yaml": LOANS.replace("      parameters:\n", f"      parameters:\n{header}")
        .replace("makeLoan\n      tags: [Loans]", "makeLoan\n      tags: [Sandbox]")
        .replace(making, f"      parameters:\n{header}{making}", 1),
    }
    project = Project(folder(tmp_path, given), tmp_path / "generated")
    project.publish()
    project.edit(("default: 2024", "ignores-header: [Sandbox]\ndefault: 2024"))
    with pytest.raises(SourceError, match="version-header-ignored"):
        project.said()
    project.edit((f"      parameters:\n{header}{making}", making))
    assert project.said() == [
        "schemas/loans.yaml:16:5: gated [parameter-removed] POST /loans: parameter X-API-Version "
        "removed in 2024-01-15, 2024-09-01"
    ]


# --- Places


def test_changed_servers_are_reported_at_their_place(project: Project) -> None:
    project.edit(("https://sandbox.library", "https://testing.library"))
    assert project.said() == [
        "schemas/versions.yaml:8:14: gated [servers-changed] GET /loans and 1 more: servers "
        'changed ([{"url": "https://sandbox.library.example"}] -> [{"url": '
        '"https://testing.library.example"}]) in 2024-01-15, 2024-09-01'
    ]


FINE: Final = """\
paths:
  {}:
    get: {{ operationId: {}, tags: [Loans], responses: {{ '204': {{ description: x }} }} }}
"""


@pytest.mark.parametrize(
    ("gone", "place"),
    [
        ("/loans/fines", "schemas/loans.yaml:2:3"),
        ("/returns/late", "schemas/returns.yaml:2:3"),
        ("/elsewhere", "schemas/fines.yaml:1:1"),
    ],
)
def test_removed_path_is_reported_at_its_neighbour(tmp_path: Path, gone: str, place: str) -> None:
    files = {
        **SOURCES,
        "fines.yaml": FINE.format("/fines", "listFines"),
        "returns.yaml": FINE.format("/returns", "listReturns"),
        "late.yaml": FINE.format(gone, "goneSoon"),
    }
    project = Project(folder(tmp_path, files), tmp_path / "generated")
    project.publish()
    (project.schemas / "late.yaml").unlink()
    assert project.said() == [
        f"{place}: never [operation-removed] GET {gone}: operation removed in 2024-01-15, "
        "2024-09-01"
    ]


BODY: Final = "{ description: gone, content: { text/plain: { schema: { type: string } } } }"
GONE: Final = f"""\
paths:
  /loans/all:
    delete: {{ operationId: dropAll, tags: [Loans], responses: {{ STATUS: @ }} }}
  /loans/none:
    x-environments: [sandbox]
    delete:
      x-added: next
      operationId: dropNone
      responses: {{ STATUS: @ }}
components: {{ responses: {{ Gone: {BODY} }} }}
"""
EVERY: Final = ("2024-01-15", "2024-09-01", "next")
EVERYWHERE: Final = ("production", "sandbox")


@cases("status", ["204", "205", "304"])
@cases(
    ("answer", "expected"),
    [
        (
            BODY,
            [
                ("3:93", "DELETE /loans/all", ("DELETE /loans/all",), EVERY, EVERYWHERE),
                ("9:48", "DELETE /loans/none", ("DELETE /loans/none",), ("next",), ("sandbox",)),
            ],
        ),
        (
            "{ $ref: '#/components/responses/Gone' }",
            [
                (
                    *("10:55", "/components/responses/Gone"),
                    ("DELETE /loans/all", "DELETE /loans/none"),
                    *(EVERY, EVERYWHERE),
                )
            ],
        ),
    ],
)
def test_unsent_body_is_reported_with_all_declarations(
    tmp_path: Path, status: str, answer: str, expected: list[tuple[object, ...]]
) -> None:
    gone = GONE.replace("@", answer).replace("STATUS", repr(status))
    files = {**SOURCES, "gone.yaml": gone}
    found = check(loaded(tmp_path, files), Published(label="nothing"), today=TODAY)
    assert [
        (str(one.after_source), one.message, one.operations, one.versions, one.environments)
        for one in found
        if one.rule == "body-without-content"
    ] == [
        (f"schemas/gone.yaml:{at}", f"{name}: a body is declared for {status}", *concerned)
        for at, name, *concerned in expected
    ]


# --- Waivers


WAIVER: Final = """\
waivers:
  - rule: request-narrowed
    pointer: /components/schemas/LoanParams/properties/book/maxLength
    versions: [2024-01-15, 2024-09-01]
    reason: Nobody ever sent more.
    expires: 2026-06-30
"""


def test_waiver_lets_a_finding_pass_until_it_expires(project: Project) -> None:
    project.edit(("maxLength: 20", "maxLength: 10"))
    (project.schemas / "waivers.yaml").write_text(WAIVER)
    (finding,) = project.findings()
    assert finding.waived == "Nobody ever sent more."
    assert breaches([finding]) == []
    assert project.said(date(2026, 6, 30)) == project.said()
    assert [said.split("] ")[0] for said in project.said(date(2026, 7, 1))] == [
        "schemas/loans.yaml:39:31: gated [request-narrowed",
        "schemas/waivers.yaml:2:5: gated [waiver-expired",
    ]


def test_unused_waiver_is_a_finding(project: Project) -> None:
    (project.schemas / "waivers.yaml").write_text(WAIVER)
    assert project.said() == [
        "schemas/waivers.yaml:2:5: gated [waiver-unused] the waiver of request-narrowed at "
        "/components/schemas/LoanParams/properties/book/maxLength covers no finding in "
        "2024-01-15, 2024-09-01"
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rule: request", "rul: request", "2:5: waiver-form: 'rul' is not a key of a waiver; "
         "known: rule, pointer, versions, reason, expires, class, usage, owner, approved-by, "
         "value"),
        ("    reason: Nobody ever sent more.\n", "", "2:5: waiver-form: `reason` is missing"),
        ("2026-06-30", "soon", "2:5: waiver-form: 'soon' is not a canonical YYYY-MM-DD date"),
        ("waivers:", "waver:", "1:1: waivers-form: write `waivers:` and a list of { rule, pointer, "
         "versions, reason, expires }"),
        ("Nobody ever sent more.", "yes", "5:13: ambiguous-scalar: YAML readers "
         "disagree about yes; write 'yes' for the text or true for the boolean"),
        ("[2024-01-15, 2024-09-01]", "all", "2:5: waiver-form: `versions` has to be a list of "
         "dates"),
    ],
)  # fmt: skip
def test_malformed_waiver_is_an_error_with_its_place(
    project: Project, old: str, new: str, said: str
) -> None:
    (project.schemas / "waivers.yaml").write_text(WAIVER.replace(old, new))
    with pytest.raises(SourceError) as caught:
        project.findings()
    assert str(caught.value) == f"schemas/waivers.yaml:{said}"


# --- Baselines


@pytest.fixture
def repository(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name, value in (("NAME", "A"), ("EMAIL", "a@example.org")):
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    root = project.schemas.parent
    monkeypatch.chdir(root)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=Cut")
    return project


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def held_against(project: Project, reference: str) -> list[str]:
    published = read_baseline(reference, project.output)
    return [line(found) for found in check(load(project.schemas), published, today=TODAY)]


NARROWED: Final = [
    "schemas/loans.yaml:39:31: gated [request-narrowed] LoanParams.book: maxLength changed "
    "(20 -> 10) in 2024-01-15, 2024-09-01"
]


def narrow_and_regenerate(project: Project) -> None:
    """Break a contract and overwrite the published documents."""
    project.edit(("maxLength: 20", "maxLength: 10"))
    project.publish()
    assert project.said() == []


def test_revision_is_a_baseline_for_documents_changed_in_the_work_tree(repository: Project) -> None:
    narrow_and_regenerate(repository)
    assert held_against(repository, "main") == NARROWED
    assert held_against(repository, "HEAD") == NARROWED


def test_reading_a_revision_leaves_the_work_tree_alone(repository: Project) -> None:
    narrow_and_regenerate(repository)
    root = repository.schemas.parent
    before = git(root, "status", "--porcelain")
    held_against(repository, "main")
    assert git(root, "status", "--porcelain") == before


def test_renamed_output_folder_is_found(repository: Project) -> None:
    narrow_and_regenerate(repository)
    moved = repository.output.with_name("public")
    repository.output.rename(moved)
    assert held_against(repository._replace(output=moved), "main") == NARROWED


def test_folder_and_document_can_be_the_baseline(project: Project) -> None:
    copy = project.output.with_name("released")
    shutil.copytree(project.output, copy)
    narrow_and_regenerate(project)
    assert held_against(project, str(copy)) == NARROWED
    assert held_against(project, str(copy / "spec")) == NARROWED


@pytest.mark.parametrize(
    ("reference", "output"),
    [
        ("nowhere", "generated"),
        ("--help", "generated"),
        ("nowhere", "not/generated/yet"),
    ],
)
def test_unknown_revision_is_an_error_with_a_way_out(
    repository: Project, reference: str, output: str
) -> None:
    with pytest.raises(DatelineError) as caught:
        held_against(repository._replace(output=Path(output)), reference)
    assert str(caught.value) == (
        f"{reference}: revision-unknown: neither a path nor a revision of the repository that "
        f"contains {output if output == 'generated' else '.'}; name a branch, a tag, a commit, a "
        "folder or a document"
    )
    assert caught.value.exit_code == 3


def test_error_in_a_shallow_clone_names_the_git_command(
    repository: Project, tmp_path: Path
) -> None:
    root = repository.schemas.parent
    git(root, "commit", "--quiet", "--allow-empty", "--message=Two")
    git(root, "branch", "release")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{root}", str(shallow))
    clone = Project(shallow / "schemas", shallow / "generated")
    with pytest.raises(DatelineError) as caught:
        held_against(clone, "origin/release")
    command = str(caught.value).split("`")[1]
    assert command == "git fetch --depth=1 origin +release:refs/remotes/origin/release"
    git(shallow, *command.split(" ")[1:])
    assert held_against(clone, "origin/release") == []


def test_label_says_that_the_branch_lacks_commits(repository: Project) -> None:
    root = repository.schemas.parent
    workspace = Workspace(schemas=repository.schemas, output=repository.output)

    def is_behind(reference: str) -> bool:
        label = read_against(workspace, reference).label
        return label.endswith(", which has commits that this branch lacks")

    git(root, "switch", "--quiet", "--create=ahead")
    git(root, "commit", "--quiet", "--allow-empty", "--message=Two")
    assert [is_behind(each) for each in ("ahead", "main", "HEAD")] == [False] * 3
    git(root, "switch", "--quiet", "main")
    git(root, "commit", "--quiet", "--allow-empty", "--message=Three")
    assert [is_behind(each) for each in ("ahead", "ahead~1", "HEAD")] == [True, False, False]
    assert read_against(workspace, "./generated").label == "generated"
    git(root, "merge", "--quiet", "--no-edit", "ahead")
    assert not is_behind("ahead")


def test_revision_outside_of_git_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.output.parent)
    with pytest.raises(
        DatelineError,
        match=r"^main: revision-unknown: no path has this name, and generated is in no git",
    ):
        held_against(project._replace(output=Path("generated")), "main")


def test_revision_without_documents_has_no_findings(repository: Project) -> None:
    root = repository.schemas.parent
    git(root, "rm", "-r", "--quiet", "generated")
    git(root, "commit", "--quiet", "--message=Nothing published")
    published = read_baseline("main", repository.output)
    assert published.documents == {}
    assert published.label.endswith(", where nothing is published")


@pytest.mark.parametrize(
    ("damage", "said"),
    [("{", "baseline-edited"), ('{"openapi": "3.1.0"}\n', "baseline-edited")],
)
def test_edited_published_document_is_not_mistaken_for_unchanged(
    project: Project, damage: str, said: str
) -> None:
    document = project.output / "spec" / "sandbox" / "2024-09-01.json"
    document.write_text(damage)
    with pytest.raises(BaselineError, match=said):
        project.findings()


def test_unreadable_published_document_is_an_error(project: Project) -> None:
    copy = project.output.with_name("released")
    shutil.copytree(project.output, copy)
    (copy / "spec" / "sandbox" / "2024-09-01.json").write_text("{")
    with pytest.raises(SourceError, match="json-syntax"):
        held_against(project, str(copy))


def test_policy_can_override_a_verdict(project: Project) -> None:
    project.edit(("enum: [active, returned]", "enum: [active, paused, returned]"))
    assert [finding.rule for finding in project.findings()] == ["value-added"]
    additive = "policy: { preset: dated-contract, rules: { value-added: additive } }"
    project.edit(("default: 2024", f"{additive}\ndefault: 2024"))
    assert project.findings() == []


def test_github_preset_allows_a_new_enum_value(project: Project) -> None:
    project.edit(("enum: [active, returned]", "enum: [active, paused, returned]"))
    project.edit(("default: 2024", "policy: github\ndefault: 2024"))
    assert project.findings() == []
    project.edit(("        fine_cents: { type: integer }\n", ""))
    assert [finding.rule for finding in project.findings()] == ["response-field-removed"]


# --- Versions that are cut


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            ("fine_cents: { type: integer }",
             "fine_cents: { type: integer }\n        shelf: { type: string, x-added: 2024-09-01 }"),
            "schemas/loans.yaml:35:9: additive [response-field-added] Loan.shelf: field added in "
            "2024-09-01",
        ),
        (
            ("  /loans:\n", "  /fines:\n    x-added: 2024-09-01\n    get: { operationId: listFines,"
             " tags: [Loans], responses: { '200': { description: fines } } }\n  /loans:\n"),
            "schemas/loans.yaml:4:5: additive [operation-added] GET /fines: operation added in "
            "2024-09-01",
        ),
    ],
)  # fmt: skip
def test_additive_changes_of_cut_versions_pass(
    project: Project, edit: tuple[str, str], expected: str
) -> None:
    project.edit(edit)
    assert project.said() == [expected]


def test_fields_once_hidden_from_a_version_stay_in_its_history(project: Project) -> None:
    shelf = "        shelf: { type: string, x-added: 2024-09-01 }\n    LoanParams:\n"
    project.edit(("    LoanParams:\n", shelf))
    project.publish()
    assert project.said() == []


def test_version_without_changes_still_needs_its_mark_after_the_cut(project: Project) -> None:
    row = "  - { date: 2025-01-01, title: Not told, undisclosed: true }"
    project.edit(("  - { date: next, title: What comes next, draft: true }", row))
    project.publish()
    assert project.said() == []
    project.edit((", undisclosed: true", ""))
    assert project.said() == [
        "schemas/versions.yaml:5:13: gated [version-without-change] 2025-01-01 promises the same "
        "as "
        "2024-09-01 does"
    ]


def test_requirement_for_newer_requests_only_has_no_way_up(project: Project) -> None:
    demanded = "required: [book, note]\n      x-was: { next: { required: [book] } }"
    project.edit(("required: [book]", demanded))
    assert project.said() == [
        "schemas/loans.yaml:37:7: gated [request-without-way-up] LoanParams.note: required in "
        "requests, and optional in 2024-01-15, 2024-09-01"
    ]


def test_removed_component_is_reported_despite_a_similar_name(
    project: Project,
) -> None:
    note = ("    LoanParams:\n", "    LoanNote: { type: string }\n    LoanParams:\n")
    project.edit(note)
    project.publish()
    project.edit((note[1], note[0]))
    assert project.said() == [
        "schemas/loans.yaml:26:5: gated [component-removed] LoanNote: component removed in "
        "2024-01-15, 2024-09-01"
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "state",
            [
                "schemas/loans.yaml:7:37: gated [request-without-way-up] GET /loans: parameter "
                "state is required, and optional in 2024-01-15, 2024-09-01"
            ],
        ),
        ("size", []),  # it has a default
    ],
)
def test_parameter_that_became_required_needs_a_default(
    project: Project, name: str, said: list[str]
) -> None:
    was = "required: true, x-was: { next: { required: null } }"
    project.edit((f"{{ name: {name}, in: query", f"{{ name: {name}, in: query, {was}"))
    assert project.said() == said


def test_number_without_a_substitute_is_named(project: Project) -> None:
    numbers = "type: integer, oneOf: [{ const: 1 }, { const: 0, x-added: next }]"
    project.edit(("type: string, enum: [active, returned]", numbers))
    messages = [f.message for f in project.findings() if f.rule == "member-without-substitute"]
    assert messages == [
        "State: 0 is absent in 2024-01-15, 2024-09-01, and Loan.state is required and single-valued"
    ]


def test_renamed_field_finding_explains_how_to_keep_the_old_name(project: Project) -> None:
    project.edit(("fine_cents: { type: integer }", "fine: { type: integer }"))
    (finding,) = project.findings()
    way_out = "If it is called `fine` now, give that one `x-was: {next: {name: fine_cents}}`"
    assert way_out in finding.help


@pytest.mark.parametrize(
    ("came", "said"),
    [
        ("part: { type: object, properties: { fine: { type: integer } } }", False),
        ("fine: { type: string }", False),
        ("fine: { type: integer }", True),
    ],
)
def test_field_with_another_type_is_not_a_rename(project: Project, came: str, said: bool) -> None:
    project.edit(("fine_cents: { type: integer }", "part: { type: object }"))
    project.publish()
    project.edit(
        ("part: { type: object }", "part: { type: object }\n        old: { type: integer }")
    )
    project.publish()
    project.edit(("\n        old: { type: integer }", ""))
    project.edit(
        (
            "part: { type: object }",
            came if "part" in came else f"part: {{ type: object }}\n        {came}",
        )
    )
    (finding,) = project.findings()
    assert ("If it is called" in finding.help) is said


@pytest.mark.parametrize("loss", ["edited", "deleted", "all deleted"])
def test_git_baseline_counts_after_documents_are_edited_or_deleted(
    repository: Project, loss: str
) -> None:
    repository.edit(("        fine_cents: { type: integer }\n", ""))
    documents = sorted(repository.output.glob("spec/*/*.json"))
    if loss == "all deleted":
        shutil.rmtree(repository.output)
    for document in documents:
        if loss == "edited":
            document.write_text(document.read_text().replace("fine_cents", "fine"))
        elif loss == "deleted":
            document.unlink()
    workspace = Workspace(schemas=repository.schemas, output=repository.output)
    with pytest.raises(BreachError) as caught:
        generate(workspace)
    assert [found.rule for found in caught.value.findings] == ["response-field-removed"]


def test_document_is_compared_with_the_most_similar_environment(project: Project) -> None:
    for environment in ("production", "sandbox"):
        document = project.output / "spec" / environment / "2024-01-15.json"
        assert held_against(project, str(document)) == []
        assert held_against(project, str(document.parent)) == []
