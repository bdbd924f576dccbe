"""Two APIs refer to files in one folder: every command reads it, and no other outside folder."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import dateline
from support.repositories import commit, git
from support.sharing import FILES, MONEY_FILE, NAMES, edit, workspace

from dateline.generate import Generated, watch
from dateline.report import FORMATS
from dateline.settings import find_projects

NOTE = "    note: { type: string }\n"
TABLE = "apis/cards/schemas/versions.yaml"
API = "apis/cards/schemas/api.yaml"
DAY = "2026-06-01"


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository of both APIs, as the current folder."""
    monkeypatch.chdir(workspace(tmp_path / "top"))
    return tmp_path / "top"


def check(*arguments: str) -> list[tuple[str, str, list[str]]]:
    """Return the findings: what was broken, in which file, for which operations."""
    outcome = dateline("check", "--format", "json", *arguments)
    found = json.loads(outcome.out)["changes"]
    assert outcome.status == (1 if found else 0), outcome.err
    return [(one["rule"], one["after_source"]["file"], one["operations"]) for one in found]


REMOVED = [("response-field-removed", MONEY_FILE, [f"GET /{name}"]) for name in NAMES]


@pytest.mark.parametrize("base", [[], ["--against", "main"]], ids=str)
def test_edit_of_a_shared_file_is_found_in_both_projects(
    base: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(*base) == []
    edit(MONEY_FILE, NOTE, "")
    assert check(*base) == REMOVED
    # also for one project alone, and from the shared folder
    assert check("-p", "loans", *base) == REMOVED[1:]
    monkeypatch.chdir("common")
    assert check(*base) == REMOVED
    monkeypatch.chdir("../apis/cards")
    assert check(*base) == REMOVED[:1]


def test_commit_is_compared_with_its_base() -> None:
    git("switch", "--quiet", "--create", "topic")
    edit(MONEY_FILE, NOTE, "")
    commit()
    assert check("--against", "main") == REMOVED


def test_reports_of_every_format_name_the_shared_file_relative_to_the_repository(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit(MONEY_FILE, NOTE, "")
    monkeypatch.chdir("apis/cards/schemas")
    files = [f"--format={name}=found.{name}.txt" for name in FORMATS]
    assert dateline("check", *files).status == 1
    for name in FORMATS:
        written = Path(f"found.{name}.txt").read_text(encoding="utf-8")
        assert MONEY_FILE in written, name
        assert "../common" not in written, name
    assert "    4 |   properties:\n" in dateline("check").out


def test_problem_in_a_shared_file_is_reported_once_with_its_place() -> None:
    edit(MONEY_FILE, NOTE, "    note: { type: text }\n")
    outcome = dateline("check")
    assert outcome.status == 3
    assert {line.partition(" ")[0] for line in outcome.err.splitlines()} == {f"{MONEY_FILE}:7:19:"}
    Path(MONEY_FILE).write_text("Money: [", encoding="utf-8")
    assert dateline("check").err.startswith(f"{MONEY_FILE}:2:1: yaml-syntax: ")


def test_outputs_are_fresh_until_a_shared_file_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    untouched = "no findings: nothing has changed since the outputs were generated\n"
    assert dateline("check").out == untouched
    monkeypatch.chdir("apis/cards")
    assert dateline("check").out == untouched
    edit("../../common/sub/currency.yaml", "[EUR, USD]", "[EUR, USD]\ndescription: ISO 4217\n")
    assert dateline("check").out != untouched
    assert dateline("generate", "--check").status == 4
    assert dateline("generate", "--quiet") == (0, "", "")
    assert dateline("check").out == untouched
    assert dateline("generate", "--check").status == 0
    document = json.loads(Path("generated/spec/production/2026-01-01.json").read_text("utf-8"))
    assert document["components"]["schemas"]["Currency"]["description"] == "ISO 4217"


def test_cached_result_of_a_shared_file_is_dropped_when_it_changes() -> None:
    """The second check uses the cache as far as possible."""
    for number in range(3):
        edit(MONEY_FILE, NOTE, "") if number == 1 else None
        assert check("-p", "cards", "--against", "main") == REMOVED[:1] * bool(number)


def test_watching_notices_an_edit_of_a_shared_file() -> None:
    (cards,) = find_projects(["cards"])
    runs = watch(cards)
    first = next(runs)
    assert isinstance(first, Generated)
    assert first.written is None
    edit("common/sub/currency.yaml", "[EUR, USD]", "[EUR, USD]\ndescription: ISO 4217\n")
    second = next(runs)
    assert isinstance(second, Generated)
    assert second.written
    assert "spec/production/2026-01-01.json" in second.written.changed


def test_record_of_a_run_without_shared_folders_does_not_apply_with_them() -> None:
    for name in (".git", "apis/cards/generated"):
        shutil.rmtree(name)
    texts = {name: Path(name).read_text(encoding="utf-8") for name in (TABLE, API)}
    edit(TABLE, "shared: [../../../common]\n", "")
    edit(API, "{ $ref: '../../../common/money.yaml#/Money' }", "{ type: object }")
    assert dateline("generate", "-p", "cards", "--quiet").status == 0
    shutil.rmtree("apis/cards/generated")
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    for edited in (False, True):
        if edited:
            edit("common/sub/currency.yaml", "[EUR, USD]", "[EUR, USD]\ndescription: ISO 4217\n")
        assert dateline("generate", "-p", "cards", "--check").status == 4
        assert dateline("generate", "-p", "cards", "--quiet").status == 0
        assert dateline("generate", "-p", "cards").out == "apis/cards/generated: up to date\n"


def test_gating_and_cutting_edit_the_shared_file_for_both() -> None:
    edit(MONEY_FILE, NOTE, "")
    gated = dateline("gate", "-p", "loans")
    assert gated.status == 0
    assert f"{MONEY_FILE}: it is shared: run `dateline gate` in the other projects" in gated.err
    text = Path(MONEY_FILE).read_text(encoding="utf-8")
    assert "    note: { type: string, x-removed: next }\n" in text
    # the other project doesn't have the version yet, and gets advice
    left = dateline("check")
    assert (left.status, left.err.split(": ")[:2]) == (3, [f"{MONEY_FILE}:7:38", "unknown-version"])
    assert "run `dateline gate`" in left.err
    assert dateline("gate", "-p", "cards").status == 0
    assert Path(MONEY_FILE).read_text(encoding="utf-8") == text
    assert check("--against", "main") == []
    assert dateline("generate", "--quiet").status == 0
    commit()

    dry = dateline("cut", DAY, "-p", "loans", "--title", "No note.", "--dry-run")
    assert f"--- a/{MONEY_FILE}\n+++ b/{MONEY_FILE}\n" in dry.out
    cut = dateline("cut", DAY, "-p", "loans", "--title", "No note.")
    assert cut.status == 0
    assert f"changed {MONEY_FILE}\n" in cut.out
    folders = "apis/loans/schemas, common/money.yaml and apis/loans/generated"
    assert cut.err.splitlines()[-1] == f"now commit {folders}"
    left = dateline("check")
    assert left.status == 3
    assert "run `dateline cut` with that day here, too" in left.err
    assert dateline("cut", DAY, "-p", "cards", "--title", "No note.").status == 0
    assert check("--against", "main") == []
    assert "next" not in Path(TABLE).read_text(encoding="utf-8")
    assert f"x-removed: {DAY} }}" in Path(MONEY_FILE).read_text(encoding="utf-8")
    assert git("status", "--short", "common") == f" M {MONEY_FILE}\n"


def test_shared_file_never_refers_to_a_project() -> None:
    """Components that only the removed field used would be restored in the project's own files."""
    edit(MONEY_FILE, "[amount, currency]", "[amount]")
    edit(MONEY_FILE, "    currency: { $ref: 'sub/currency.yaml' }\n", "")
    outcome = dateline("gate", "-p", "cards")
    assert outcome.status == 1
    assert f"{MONEY_FILE} is shared, and can't refer to /components/schemas/Currency" in outcome.err
    assert git("status", "--short", "common") == f" M {MONEY_FILE}\n"
    assert "next" not in Path(MONEY_FILE).read_text(encoding="utf-8")


def test_retiring_refuses_to_remove_a_shared_gate() -> None:
    edit(MONEY_FILE, NOTE, f"    note: {{ type: string, x-removed: {DAY} }}\n")
    for name in NAMES:
        table = f"apis/{name}/schemas/versions.yaml"
        row = "  - { date: 2026-01-01, title: First. }\n"
        edit(table, row, f"{row}  - {{ date: {DAY}, title: Second. }}\n")
        ends = "{ ends: 2026-01-01, from: 2026-09-02, announced: 2026-01-01 }"
        edit(table, "versions:", f"default: {DAY}\nannouncements: [{ends}]\nversions:")
    commit()
    before = Path(MONEY_FILE).read_text(encoding="utf-8")
    outcome = dateline("retire", "2026-01-01", "-p", "cards", "--dry-run")
    assert outcome.status == 2
    assert f"{MONEY_FILE}: a gate of 2026-01-01 is in a file that other projects share" in (
        outcome.err
    )
    assert Path(MONEY_FILE).read_text(encoding="utf-8") == before


def test_shared_file_is_restored_if_the_rest_of_an_edit_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit(MONEY_FILE, NOTE, "")
    for name in NAMES:
        assert dateline("gate", "-p", name).status == 0
    assert dateline("generate", "--quiet").status == 0
    commit()
    monkeypatch.chdir("apis/loans")
    # foreign files in the outputs are not overwritten
    Path("generated/changes/mine.md").write_text("mine", encoding="utf-8")
    git("add", "--all")
    commit()
    refused = dateline("cut", DAY, "--title", "No note.")
    assert (refused.status, "generated/changes/mine.md" in refused.err) == (2, True), refused.err
    assert git("status", "--short", ":/") == ""


# What may be listed instead of the shared folder, and how it is refused.
LISTED = (
    ("[../../../nowhere]", "there is no folder nowhere"),
    ("[../../../../other]", "is in another repository"),
    ("[../../../apis]", "contains the definitions themselves"),
    ("[../../../linked]", "a link is on the path"),
    ("[../../../money.yaml]", "there is no folder money.yaml"),
    ("[common]", "is not a folder beside this one"),
    ("[/etc]", "is not a folder beside this one"),
    ("[../..]", "is not a folder beside this one"),
    ("[../../../common/../../other]", "is not a folder beside this one"),
    ("[../../../common/]", "is not a folder beside this one"),
    ("../../../common", "where a list belongs"),
)


def test_other_folders_can_not_be_shared(top: Path) -> None:
    (top.parent / "other").mkdir()
    (top / "linked").symlink_to("common")
    Path("money.yaml").touch()
    table = Path(TABLE).read_text(encoding="utf-8")
    for listed, refusal in LISTED:
        text = table.replace("[../../../common]", listed)
        Path(TABLE).write_text(text, encoding="utf-8")
        outcome = dateline("check", "-p", "cards")
        assert (outcome.status, outcome.err.startswith(f"{TABLE}:1:")) == (3, True), listed
        assert refusal in outcome.err


OUTSIDE = {
    "../../../secret.yaml": "reference-outside",
    "../../../common/../secret.yaml": "reference-outside",
    "../../../common/%2e%2e/secret.yaml": "reference-outside",
    "../../loans/schemas/api.yaml#/info": "reference-outside",
    "../../../common/link.yaml": "symlink-outside",
    "../../../common/linked/secret.yaml": "symlink-outside",
    "../../../common/nothing.yaml": "reference-unreadable",
    "../../../common/via.yaml": "reference-outside",
    "../../../common/back.yaml": "reference-outside",
}


def test_other_references_to_outside_files_are_refused() -> None:
    Path("secret.yaml").write_text("type: string\n", encoding="utf-8")
    Path("common/link.yaml").symlink_to("../secret.yaml")
    Path("common/linked").symlink_to("..")
    Path("common/via.yaml").write_text("$ref: ../secret.yaml\n", encoding="utf-8")
    Path("common/back.yaml").write_text("$ref: ../apis/cards/schemas/x.yaml\n", encoding="utf-8")
    Path("apis/cards/schemas/x.yaml").write_text("type: string\n", encoding="utf-8")
    text = Path(API).read_text(encoding="utf-8")
    for address, id in OUTSIDE.items():
        named = text.replace("../../../common/money.yaml#/Money", address)
        Path(API).write_text(named, encoding="utf-8")
        outcome = dateline("check", "-p", "cards")
        assert (outcome.status, f": {id}: " in outcome.err) == (3, True), address


def test_symbolic_link_within_the_shared_folder_is_followed() -> None:
    Path("common/coins.yaml").symlink_to("money.yaml")
    edit(API, "money.yaml", "coins.yaml")
    assert check("-p", "cards") == []


def test_project_without_the_setting_is_told_about_it() -> None:
    edit(TABLE, "shared: [../../../common]\n", "")
    outcome = dateline("check", "-p", "cards")
    assert outcome.status == 3
    assert "list its folder under `shared` in versions.yaml" in outcome.err


def test_clone_elsewhere_checks_the_same(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(MONEY_FILE, NOTE, "")
    commit()
    clone = top.parent / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-local", top, clone], check=True)
    monkeypatch.chdir(clone)
    assert check("--against", "HEAD~1") == REMOVED


def test_outputs_equal_those_of_a_single_folder(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared files are rendered as if they were part of the definitions."""
    alone = top.parent / "alone" / "schemas"
    for name, text in FILES.items():
        if name.startswith("common/") and "notes" not in name and "other" not in name:
            path = alone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for name in (TABLE, API):
        text = Path(name).read_text(encoding="utf-8").replace("shared: [../../../common]\n", "")
        (alone / Path(name).name).write_text(text.replace("../../../", ""), encoding="utf-8")
    monkeypatch.chdir(alone.parent)
    assert dateline("generate", "--quiet").status == 0
    for one in ("spec/production/2026-01-01.json", "python/api_models/models/v2026_01_01.py"):
        written = (top / "apis/cards/generated" / one).read_bytes()
        assert written == Path("generated", one).read_bytes(), one
