"""The states of a waiver: active, settled by a merge, expired, or never used."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import pytest
from support.commands import dateline
from support.policies import committed, copy_committed, edit, git, list_unwaived, project
from support.published_projects import SOURCES, Project
from support.repositories import enter_copy, slim
from support.sources import folder

__all__ = ["committed", "project"]

REASON: Final = ("--reason", "Agreed with both partners.", "--expires", "2999-01-01")
LOST: Final = ("[active, returned]", "[active, returned, lost]")
STATE: Final = "/components/schemas/Loan/properties/state/enum"


def waivers(root: Path) -> str:
    return (root / "schemas" / "waivers.yaml").read_text()


def status_lines() -> list[str]:
    lines = dateline("status").out.splitlines()
    start = lines.index("waivers") + 1
    return [line.strip() for line in lines[start : lines.index("outputs")]]


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project on a branch with a new enum value, waived, generated and committed."""
    root = tmp_path_factory.mktemp("settled")
    copy_committed(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        git("checkout", "-q", "-b", "change")
        edit(root, LOST)
        assert dateline("waive", "value-added", "Loan.state", *REASON).status == 0
        assert status_lines() == [
            f"active until 2999-01-01  value-added at {STATE}/2: Agreed with both partners."
        ]
        assert dateline("generate").status == 0
        # compared with the last commit, it is needed until it is committed as well
        assert status_lines()[0].startswith("active until")
        git("add", "-A")
        git("commit", "-q", "-m", "two")
        slim()
    return root


@pytest.fixture
def waived(settled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the project with a settled waiver, as the current folder."""
    return enter_copy(settled, tmp_path, monkeypatch)


def test_merge_settles_a_waiver(waived: Path) -> None:
    assert status_lines()[0].startswith("settled until 2999-01-01")
    assert (list_unwaived(), list_unwaived("--against", "main")) == ([], [])
    git("checkout", "-q", "main")
    git("merge", "-q", "--ff-only", "change")
    assert (list_unwaived(), list_unwaived("--against", "main")) == ([], [])
    assert dateline("generate").status == 0
    assert dateline("generate", "--check").status == 0
    assert status_lines()[0].startswith("settled until 2999-01-01")
    assert waived.is_dir()


@pytest.mark.parametrize(
    "name", ["", "/spec", "/spec/production", "/spec/production/2024-01-15.json"]
)
def test_settled_waiver_is_settled_for_any_baseline_path(name: str, waived: Path) -> None:
    assert list_unwaived("--against", f"generated{name}") == []
    edit(waived, ("[active, returned, lost]", "[active, returned, burnt]"))
    assert list_unwaived("--against", f"generated{name}") != []


def test_settled_waiver_does_not_cover_later_findings(waived: Path) -> None:
    edit(waived, ("[active, returned, lost]", "[active, returned, burnt]"))
    assert ("value-added", "never", "Loan.state: value burnt added") in list_unwaived()
    assert dateline("generate").status == 1


@pytest.mark.parametrize("baseline", [[], ["--against", "HEAD"], ["--against", "generated"]])
def test_printed_command_names_the_given_baseline(baseline: list[str], committed: Path) -> None:
    edit(committed, LOST)
    outcome = dateline("check", *baseline)
    words = shlex.split(outcome.out.partition("to let one pass: dateline ")[2].partition("\n")[0])
    assert outcome.status == 1
    assert words[:1] + words[3:-4] == ["waive", *baseline]
    filled = {"TEXT": "Agreed.", "DATE": "2999-01-01"}
    assert dateline(*(filled.get(word, word) for word in words)).status == 0
    assert dateline("check", *baseline).status == 0


def test_printed_commands_waive_one_finding_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a deleted field that was renamed: two findings at one place
    table = FICKLE_TABLE + "python: { package: library }\n"
    renamed = FICKLE.replace(
        "note: { type: string }", "note: { type: string, x-was: { 2024-06-01: { name: text } } }"
    )
    made = Project(
        folder(tmp_path, {"versions.yaml": table, "api.yaml": renamed}), tmp_path / "generated"
    )
    monkeypatch.chdir(tmp_path)
    made.publish()
    deleted = r"\n        note: .*|\n.*\[id, note\].*"
    (made.schemas / "api.yaml").write_text(re.sub(deleted, "", renamed))
    printed = []
    while found := re.search("to let one pass: dateline (.*)", dateline("check").out):
        filled = {"TEXT": "Agreed.", "DATE": "2999-01-01"}
        words = [filled.get(word, word) for word in shlex.split(found[1])]
        assert dateline(*words).status == 0
        printed.append(words[2])
    assert printed == [f"/components/schemas/Loan/properties/{name}" for name in ("note", "text")]
    assert dateline("check").status == 0


@pytest.mark.parametrize(
    ("values", "is_covered"),
    [
        ("lost", True),
        ("burnt", False),
        ("burnt, lost", False),
        ("'true'", False),
    ],
)
def test_waiver_covers_no_other_value_at_the_same_index(
    values: str, *, is_covered: bool, committed: Path
) -> None:
    edit(committed, LOST)
    assert dateline("waive", "value-added", "Loan.state", *REASON).status == 0
    assert waivers(committed).endswith("    value: lost\n")
    edit(committed, ("[active, returned, lost]", f"[active, returned, {values}]"))
    assert (list_unwaived() == []) == is_covered


def expire(root: Path) -> None:
    path = root / "schemas" / "waivers.yaml"
    path.write_text(waivers(root).replace("2999-01-01", "2024-02-01"))


def test_expired_waiver_is_a_finding(committed: Path) -> None:
    edit(committed, LOST)
    assert dateline("waive", "value-added", "Loan.state", *REASON).status == 0
    expire(committed)
    assert [one[:2] for one in list_unwaived()] == [
        ("value-added", "never"),
        ("waiver-expired", "gated"),
    ]
    assert dateline("generate").status == 1


@pytest.mark.parametrize("against", [(), ("--against", "main"), ("--against", "change")])
def test_settled_waiver_that_expires_is_no_finding(against: tuple[str, ...], waived: Path) -> None:
    git("branch", "-f", "main")
    expire(waived)
    assert [one[:2] for one in list_unwaived(*against)] == [("waiver-expired", "information")]
    assert dateline("check", *against).status == 0
    assert status_lines()[0].startswith("expired on 2024-02-01")
    assert (dateline("generate").status, dateline("generate", "--check").status) == (0, 0)


def test_waiver_that_was_never_used_is_a_finding(committed: Path) -> None:
    given = ("value-added", f"{STATE}/0", "--version", "2024-01-15", *REASON)
    assert dateline("waive", *given).status == 0
    assert [rule for rule, _, _ in list_unwaived()] == ["waiver-unused"]
    assert dateline("generate").status == 1
    assert status_lines()[0].startswith("unused until 2999-01-01")
    assert committed.is_dir()


def test_waiver_for_some_versions_names_the_missing_ones(tmp_path: Path) -> None:
    made = Project(folder(tmp_path, SOURCES), tmp_path / "generated")
    made.publish()
    made.edit(("enum: [active, returned]", "enum: [active, paused, returned]"))
    row = (
        "  - {{ rule: value-added, pointer: /components/schemas/State/enum/1, "
        "versions: [{}], reason: Agreed., expires: 2999-01-01 }}\n"
    )
    path = made.schemas / "waivers.yaml"
    path.write_text("waivers:\n" + row.format("2024-01-15"))
    (found,) = made.findings()
    assert (found.rule, found.waived) == ("value-added", None)
    assert found.help.endswith(
        "The waiver at schemas/waivers.yaml:2:5 does not cover 2024-09-01; add what is missing "
        "to `versions`."
    )
    # two waivers may cover it together
    path.write_text("waivers:\n" + row.format("2024-01-15") + row.format("2024-09-01"))
    assert [(one.rule, one.waived) for one in made.findings()] == [("value-added", "Agreed.")]


FICKLE_TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: The first. }
  - { date: 2024-06-01, title: The second. }
  - { date: 2024-09-01, title: The third. }
environments: { production: { servers: [{ url: https://api.library.example }] } }
"""

# what is required in the second version alone
FICKLE: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }]
paths:
  /loans:
    put:
      operationId: putLoan
      tags: [Loans]
      parameters:
        - name: shelf
          in: query
          required: false
          schema: { type: string }
          x-was: { 2024-06-01: { required: false }, 2024-09-01: { required: true } }
      requestBody: { required: true, content: { application/json: { schema: <Sent> } } }
      responses:
        '200':
          description: the loan
          headers:
            X-Total:
              schema: { type: string }
              x-was: { 2024-06-01: { required: null }, 2024-09-01: { required: true } }
          content: { application/json: { schema: <Loan> } }
components:
  schemas:
    Loan:
      type: object
      required: [id]
      x-was: { 2024-06-01: { required: [id] }, 2024-09-01: { required: [id, note] } }
      properties:
        id: { type: string }
        note: { type: string }
    Sent:
      type: object
      required: [id]
      x-was: { 2024-06-01: { required: [id] }, 2024-09-01: { required: [id, text] } }
      properties:
        id: { type: string }
        text: { type: string }
""".replace("<Loan>", "{ $ref: '#/components/schemas/Loan' }").replace(
    "<Sent>", "{ $ref: '#/components/schemas/Sent' }"
)


@pytest.mark.parametrize(
    ("rule", "deleted"),
    [
        ("response-field-removed", r"\n        note: .*|\n.*\[id, note\].*"),
        ("request-field-removed", r"\n        text: .*|\n.*\[id, text\].*"),
        ("parameter-removed", r"\n      parameters:(?s:.*?)true \} \}"),
        ("header-removed", r"\n          headers:(?s:.*?)true \} \}"),
    ],
)
def test_what_only_some_versions_required_is_missed_in_all(
    rule: str, deleted: str, tmp_path: Path
) -> None:
    sources = {"versions.yaml": FICKLE_TABLE, "api.yaml": FICKLE}
    made = Project(folder(tmp_path, sources), tmp_path / "generated")
    made.publish()
    (made.schemas / "api.yaml").write_text(re.sub(deleted, "", FICKLE))
    missed = [date for one in made.findings() if one.rule == rule for date in one.versions]
    assert sorted(missed) == ["2024-01-15", "2024-06-01", "2024-09-01"]


@pytest.mark.parametrize(
    "place",
    [
        "Loan.state",
        f"{STATE}/2",
        f"#{STATE}/2",
        "schemas/api.yaml:31:90",
    ],
)
def test_command_in_the_report_identifies_the_finding(place: str, committed: Path) -> None:
    edit(committed, LOST)
    printed = dateline("check").out
    if ":" in place:
        place = printed.partition(": never [value-added]")[0].splitlines()[-1]
        assert place.startswith("schemas/api.yaml:")
    assert dateline("waive", "value-added", place, *REASON).status == 0
    assert list_unwaived() == []
    assert f"pointer: {STATE}/2\n" in waivers(committed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("value-add", "Loan.state"), "Did you mean 'value-added'?"),
        (("value-added", "Loan.stat"), "Loan.stat is not a place of a finding of value-added, nor "
         "of a document; did you mean 'Loan.state'?"),
        (("value-added", f"{STATE}/9"), "/enum/9 is not a place of a finding"),
        (("value-added", "/components/schemas/Lone"), "is not a place of a finding"),
        (("value-removed", "Loan.state"), "nothing breaks value-removed now"),
        (("value-added", "Loan.state", "--version", "2024-01-16"), "no version 2024-01-16 in the "
         "version table; did you mean '2024-01-15'?"),
        (("value-removed", "/components/schemas/Loan"), "so name the versions"),
        (("value-added", "Loan.state"), f"is the place of several findings; name one of {STATE}/2"),
    ],
)  # fmt: skip
def test_unknown_finding_can_not_be_waived(
    given: tuple[str, ...], said: str, committed: Path
) -> None:
    edit(committed, LOST, ("returned, lost]", "returned, lost, burnt]"))
    refused = dateline("waive", *given, *REASON)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not (committed / "schemas" / "waivers.yaml").exists()


@pytest.mark.parametrize("waivers", ["settled", "unused"])
def test_generating_into_a_new_folder_needs_no_waiver(waivers: str, waived: Path) -> None:
    if waivers == "unused":
        other = ("value-added", f"{STATE}/0", "--version", "2024-01-15", *REASON)
        assert dateline("waive", *other).status == 0
        assert [one[0] for one in list_unwaived()] == ["waiver-unused"]
    assert dateline("generate", "--output", "elsewhere").status == 0
    assert dateline("generate", "--output", "elsewhere", "--check").status == 0
    # later findings are not covered there either
    edit(waived, ("[active, returned, lost]", "[active, returned, lost, burnt]"))
    assert dateline("generate", "--output", "elsewhere").status == 1


def test_conflicts_of_waivers_are_named_with_all_others(committed: Path) -> None:
    conflict = "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n"
    (committed / "schemas/waivers.yaml").write_text(conflict)
    for name in ("schemas/api.yaml", "generated/policy.json"):
        (committed / name).write_text(conflict + (committed / name).read_text())
    found = []
    for _ in range(2):
        outcome = dateline("check")
        found.append([line.partition(":")[0] for line in outcome.err.splitlines()])
        assert (outcome.status, outcome.err.count("merge-conflict")) == (3, len(found[-1]))
        git("checkout", "--quiet", "schemas/api.yaml")
    assert found == [["schemas/api.yaml", "schemas/waivers.yaml"], ["schemas/waivers.yaml"]]


def test_waiver_of_the_other_branch_is_settled_while_it_is_merged(waived: Path) -> None:
    git("checkout", "-q", "main")
    edit(waived, ("description: loans", "description: All loans."))
    assert dateline("generate").status == 0
    git("commit", "-q", "-a", "-m", "three")
    git("merge", "-q", "--no-commit", "--no-ff", "change", check=False)
    outcome = dateline("generate")
    assert (outcome.status, outcome.err) == (0, "")
    assert status_lines()[0].startswith("settled until 2999-01-01")
    git("add", "-A")
    git("commit", "-q", "-m", "four")
    assert (list_unwaived(), list_unwaived("--against", "HEAD~1")) == ([], [])


def test_settled_waiver_of_the_same_change_is_named(waived: Path) -> None:
    edit(waived, (LOST[1], LOST[0]))
    assert dateline("waive", "response-narrowed", "Loan.state", *REASON).status == 0
    assert dateline("generate").status == 0
    git("add", "-A")
    git("commit", "-q", "-m", "three")
    edit(waived, LOST)
    assert dateline("waive", "value-added", "Loan.state", *REASON).status == 0
    said = " ".join(dateline("check").out.split())
    assert "The waiver at schemas/waivers.yaml:3:5 is settled: its change is published." in said
    assert dateline("waive", "value-added", "Loan.state", "--reason", "Again.", *REASON[2:])
    assert list_unwaived() == []
