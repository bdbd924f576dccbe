"""The published policy applies: a policy loosened in the same commit has no effect."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import dateline
from support.policies import (
    FINES,
    POLICY,
    WAIVED,
    Edits,
    committed,
    edit,
    git,
    list_unwaived,
    project,
)
from support.sources import LIBRARY, VERSIONS, loaded
from support.tables import cases

from dateline.check import Published
from dateline.check.git import Repository
from dateline.check.header import check_header
from dateline.check.policy import PolicyRecord
from dateline.model import Announcement, Place
from dateline.project import Projector

__all__ = ["committed", "project"]

GONE: Final = ("operation-removed", "never", "GET /fines: operation removed")
LOST: Final = ("value-added", "never", "Loan.state: value lost added")

LOOSENED: Final[dict[str, tuple[Edits, list[tuple[str, str, str]]]]] = {
    "a rule is overridden": (
        ((POLICY, POLICY.replace("never", "never, operation-removed: additive")), (FINES, "")),
        [GONE, ("policy-loosened", "gated",
                "operation-removed loosened (never -> additive). It would hide "
                "“GET /fines: operation removed”")],
    ),
    "a rule is overridden by less": (
        ((POLICY, POLICY.replace("never", "never, operation-removed: gated")), (FINES, "")),
        [GONE, ("policy-loosened", "gated",
                "operation-removed loosened (never -> gated). It would hide "
                "“GET /fines: operation removed”")],
    ),
    "a stricter override is dropped": (
        ((POLICY, POLICY.replace(" rules: { value-added: never },", "")),
         ("[active, returned]", "[active, returned, lost]")),
        [("policy-loosened", "gated",
          "value-added loosened (never -> gated). It would hide "
          "“Loan.state: value lost added”"),
         LOST],
    ),
    "the policy is removed": (
        ((f"{POLICY}\n", ""), ("[active, returned]", "[active, returned, lost]")),
        [("policy-loosened", "gated",
          "value-added loosened (never -> gated). It would hide "
          "“Loan.state: value lost added”"),
         LOST],
    ),
    "less notice": (
        (("notice-days: 90", "notice-days: 0"),),
        [("policy-loosened", "gated",
          "notice-days lowered (90 -> 0), which loosens notice-too-short")],
    ),
    "reasons are demanded no more": (
        (("require-why: true", "require-why: false"),
         ("id: { type: string }", "id: { type: string, x-was: { next: { type: integer } } }")),
        [("policy-loosened", "gated",
          "require-why dropped, which loosens reason-missing. It would hide “`x-was` of next "
          "gives no reason”"),
         ("reason-missing", "gated", "`x-was` of next gives no reason"),
         ("type-changed", "gated", "Loan.id: type changed ('string' -> 'integer')")],
    ),
    "definitions are called adopted": (
        (("require-why", "lint: adopted\nrequire-why"),),
        [("policy-loosened", "gated",
          "lint changed (authored -> adopted), which loosens the rules between versions and "
          "for the server")],
    ),
    "the version header has another name": (
        (("X-API-Version", "Library-Version"),),
        [("parameter-removed", "gated", ""),
         ("version-header-changed", "never",
          "the version header is renamed (X-API-Version -> Library-Version)")],
    ),
    "a group ignores the header": (
        (("ignores-header: [Prices]", "ignores-header: [Prices, Fines]"),
         ("tags: [Fines]\n      parameters: [{ $ref: '#/components/parameters/Version' }]",
          "tags: [Fines]")),
        [("ignored-header-changed", "never", "GET /fines: ignores the header X-API-Version now"),
         ("parameter-removed", "gated", "")],
    ),
    "a group ignores the header no more": (
        (("ignores-header: [Prices]\n", ""),
         ("tags: [Prices],", "tags: [Prices], "
          "parameters: [{ $ref: '#/components/parameters/Version' }],")),
        [("ignored-header-changed", "never", "GET /prices: uses the header X-API-Version now")],
    ),
    "an operation moves to a group that ignores the header": (
        (("tags: [Fines]\n      parameters: [{ $ref: '#/components/parameters/Version' }]",
          "tags: [Prices]"),),
        [("ignored-header-changed", "never", "GET /fines: ignores the header X-API-Version now"),
         ("parameter-removed", "gated", "")],
    ),
    "the default moves": (
        (("default: 2024-01-15", "default: 2024-03-01"),
         ("  - { date: next", "  - { date: 2024-03-01, title: More., undisclosed: true }\n"
          "  - { date: next")),
        [("default-moved", "never",
          "the default moves from 2024-01-15 to 2024-03-01 unannounced")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOSENED)
def test_looser_policy_lets_nothing_pass(name: str, committed: Path) -> None:
    edits, expected = LOOSENED[name]
    edit(committed, *edits)
    baselines = ((), ("--against", "main"))
    for against in baselines if name == "a rule is overridden" else baselines[:1]:
        found = list_unwaived(*against)
        judged = {(rule, verdict) for rule, verdict, _ in found if verdict != "information"}
        assert judged == {one[:2] for one in expected}, against
        assert {one for one in expected if one[2]} <= set(found), against
    before = (committed / "generated" / "policy.json").read_bytes()
    assert dateline("generate").status == 1
    assert (committed / "generated" / "policy.json").read_bytes() == before


STRICTER: Final[dict[str, Edits]] = {
    "a rule": ((POLICY, POLICY.replace("never", "never, response-field-added: gated")),),
    "notice": (("notice-days: 90", "notice-days: 365"),),
    "a preset that is the same": (
        ("rules: { value-added: never }", "rules: { value-added: never, value-removed: gated }"),
    ),
    "a header in other letters": (("X-API-Version", "x-api-version"),),
    "a group of new operations": (
        ("ignores-header: [Prices]", "ignores-header: [Prices, News]"),
        ("{ name: Fines }", "{ name: Fines }, { name: News }"),
        ("  /prices:", "  /news:\n    get: { operationId: listNews, tags: [News], "
         "responses: { '204': { description: news } } }\n  /prices:"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STRICTER)
def test_stricter_policy_is_no_finding(name: str, committed: Path) -> None:
    edit(committed, *STRICTER[name])
    rules = {rule for rule, _, _ in list_unwaived()}
    assert rules <= {"parameter-renamed"}


def test_stricter_policy_applies_immediately(committed: Path) -> None:
    edit(committed, *STRICTER["a rule"], ("id: { type", "shelf: { type: string }, id: { type"))
    assert ("response-field-added", "gated", "Loan.shelf: field added") in list_unwaived()


def test_changed_descriptions_are_found_if_a_policy_demands_it(project: Path) -> None:
    edit(project, ("description: fines", "description: what is owed"))
    assert list_unwaived() == []
    edit(project, (POLICY, POLICY.replace("never", "never, documentation-changed: gated")))
    assert list_unwaived() == [
        ("documentation-changed", "gated", "GET /fines: description changed")
    ]


def test_looser_policy_applies_after_it_was_waived_and_published(committed: Path) -> None:
    edit(committed, (POLICY, POLICY.replace("never", "never, operation-removed: additive")),
         ("  - { date: next, title: What comes next., draft: true }\n", ""))  # fmt: skip
    pointer = "/policy/rules/operation-removed"
    assert dateline("waive", "policy-loosened", pointer, *WAIVED).status == 0
    assert list_unwaived() == []
    edit(committed, (FINES, ""))
    assert list_unwaived() == [GONE]
    edit(committed, ("  /prices:", f"{FINES}  /prices:"))
    assert dateline("generate").status == 0
    # what is not committed is not binding
    edit(committed, (FINES, ""))
    assert list_unwaived() == [GONE]
    git("add", "-A", "generated", "schemas/versions.yaml", "schemas/waivers.yaml")
    git("commit", "-q", "-m", "two")
    assert (list_unwaived(), list_unwaived("--against", "main")) == ([], [])


@pytest.mark.parametrize("lost", ["deleted", "edited", "not JSON", "another form"])
def test_deleting_the_record_does_not_change_the_policy(lost: str, committed: Path) -> None:
    record = committed / "generated" / "policy.json"
    edits, _ = LOOSENED["a rule is overridden"]
    edit(committed, *edits)
    _lose(record, lost)
    # the committed record decides
    assert dateline("generate").status == 1
    shutil.rmtree(committed / ".git")
    for command in (("generate",), ("check",)):
        outcome = dateline(*command)
        assert outcome.status == 3
        assert "generated/policy.json:1:1: baseline-edited:" in outcome.err


def _lose(record: Path, how: str) -> None:
    texts = {"edited": record.read_text().replace("never", "additive"), "not JSON": "<<<<"}
    if how == "deleted":
        record.unlink()
    else:
        record.write_text(texts.get(how, "{}"))


def test_baseline_without_a_record_has_no_policy(committed: Path) -> None:
    spec = committed / "published" / "spec"
    shutil.copytree(committed / "generated" / "spec", spec)
    edits, _ = LOOSENED["less notice"]
    edit(committed, *edits)
    assert list_unwaived("--against", "published") == []


def test_gate_follows_the_published_policy(committed: Path) -> None:
    looser = "value-added: never, response-field-removed: additive"
    edit(committed, ("value-added: never", looser), ("id: { type: string }, ", ""))
    # the reason is left to be written
    assert dateline("gate").status == 1
    assert "x-removed: next" in (committed / "schemas" / "api.yaml").read_text()


@pytest.mark.parametrize("place", ["outside of git", "in one commit", "in a commit before"])
def test_documents_without_a_record_are_checked_with_the_default_preset(
    place: str, committed: Path
) -> None:
    record, manifest = (committed / "generated" / name for name in ("policy.json", "manifest.json"))
    git("checkout", "-q", "-b", "change")
    if place == "outside of git":
        shutil.rmtree(committed / ".git")
    if place == "in a commit before":
        record.unlink()
        git("commit", "-q", "-a", "-m", "record")
        git("branch", "-f", "main")
    record.unlink(missing_ok=True)
    manifest.unlink()
    looser = "policy: { preset: github, rules: { response-field-removed: additive } }"
    edit(committed, (POLICY, looser), ("id: { type: string }, ", ""),
         ("[active, returned]", "[active, returned, lost]"))  # fmt: skip
    if place != "outside of git":
        git("commit", "-q", "-a", "-m", "two")
    outcome = dateline("check", *(["--against", "main"] if place == "in a commit before" else []))
    assert outcome.status == 1
    assert "gated [response-field-removed] Loan.id: field removed" in outcome.out
    assert "gated [value-added] Loan.state: value lost added" in outcome.out
    assert "[policy-loosened] preset changed (dated-contract -> github)" in outcome.out
    assert ", whose policy.json is gone: the built-in preset applies\n" in outcome.out


@pytest.mark.parametrize("loss", ["deleted", "edited"])
@pytest.mark.parametrize("breaks", [True, False])
def test_deleted_document_is_restored_as_it_was_or_not_at_all(
    loss: str, breaks: bool, project: Path
) -> None:
    document = project / "generated" / "spec" / "production" / "2024-01-15.json"
    published = document.read_bytes()
    if loss == "edited":
        document.write_bytes(published.replace(b"returned", b"retired"))
    else:
        document.unlink()
    assert (dateline("check").status, dateline("gate").status) == (3, 3)
    if breaks:
        edit(project, ("[active, returned]", "[active]"))
    outcome = dateline("generate")
    if breaks:
        assert outcome.status == 3
        assert "generated/spec/production/2024-01-15.json:1:1: baseline-edited:" in outcome.err
        assert not document.exists() or document.read_bytes() != published
    else:
        assert (outcome.status, document.read_bytes()) == (0, published)


def test_deleted_document_is_found_in_a_commit(committed: Path) -> None:
    (committed / "generated" / "spec" / "production" / "2024-01-15.json").unlink()
    (committed / "generated" / "manifest.json").unlink()
    git("commit", "-q", "-a", "-m", "two")
    for given in ((), ("--against", "HEAD")):
        outcome = dateline("check", *given)
        assert outcome.status == 3
        assert "spec/production/2024-01-15.json:1:1: baseline-edited:" in outcome.err
    assert dateline("check", "--against", "HEAD^").status == 0


def test_unrecognized_index_hides_nothing(project: Path) -> None:
    templates = project / "templates" / "spec" / "{environment}"
    templates.mkdir(parents=True)
    (templates / "versions.json.jinja").write_text('{"versions": [], "default": "2020-01-01"}\n')
    newer = "  - { date: 2024-03-01, title: More., undisclosed: true }\n  - { date: next"
    ends = "announcements: [{ ends: 2024-01-15, from: 2999-01-01, announced: 2024-03-01 }]\n"
    moves = "announcements: [{ default: 2024-03-01, from: 2998-01-01, announced: 2024-03-01 }, "
    ends = ends.replace("announcements: [", moves)
    edit(project, ("  - { date: next", newer), ("require-why", f"{ends}require-why"))
    assert dateline("generate", "--templates", "templates").status == 0
    assert list_unwaived("--templates", "templates") == []
    edit(project, ("2999-01-01", "2998-06-01"), ("[active, returned]", "[active]"))
    assert {rule for rule, _, _ in list_unwaived("--templates", "templates")} == {
        *("announcement-changed", "response-narrowed"),
    }


RECORD: Final = PolicyRecord(
    nearest=True,
    counterparts={
        "production/2025-06-01": {
            "/a": {"2024-01-15": {"name": "b", "shown-as": [["c", {"kind": "d"}]]}}
        }
    },
    header="X-Version",
    default="2024-01-15",
    ignoring_tags=("A", "B\u00fccher"),
    preset="github",
    rules={"default-changed": "additive", "value-added": "never"},
    notice_days=0,
    require_why=True,
    adopted=True,
    waivers=({"rule": "a", "owner": "x"}, {"rule": "b"}),
    versions=("2024-01-15", "2025-06-01"),
    environments=("production",),
    announcements=(
        Announcement(
            kind="ends",
            version="2024-01-15",
            day="2999-01-01",
            announced="2024-03-01",
            place=Place("policy.json", 1, 1),
        ),
    ),
)


def test_record_round_trips() -> None:
    for record in (RECORD, replace(RECORD, adopted=False, require_why=False, notice_days=30)):
        assert PolicyRecord.read(json.loads(record.text())) == record
        mixed = replace(
            record,
            ignoring_tags=record.ignoring_tags[::-1],
            rules=dict(reversed([*record.rules.items()])),
            waivers=record.waivers[::-1],
        )
        assert mixed.text() == record.text()
    assert RECORD.text().endswith("}\n")
    assert '    "B\u00fccher"\n' in RECORD.text()
    (announcement,) = PolicyRecord.read(json.loads(RECORD.text())).announcements or ()
    assert announcement.place == Place("policy.json", 1, 1)


def test_record_of_an_older_release_names_no_versions() -> None:
    data = json.loads(RECORD.text())
    kept = {key: value for key, value in data.items() if key not in ("versions", "announcements")}
    older = replace(RECORD, versions=None, announcements=None)
    assert PolicyRecord.read(kept) == older
    assert PolicyRecord.read({**kept, "versions": "all", "announcements": ["soon"]}) == older


COUNTERPARTS: Final[list[Any]] = [
    [],
    {"/c": 1},
    {"/c": {"2024-01-15": "d"}},
    {"/c": {"2024-01-15": {"was": {"d": "e"}}}},
    {"/c": {"2024-01-15": {"shown-as": ["d"]}}},
    {"/c": {"2024-01-15": {"shown-as": [["d"]]}}},
    {"/c": {"2024-01-15": {"shown-as": [[1, "d"]]}}},
]
MISFIT: Final = "`counterparts` is not what `dateline generate` writes"


@cases(
    ("key", "value", "said"),
    [
        ("header", None, "`header` is not what `dateline generate` writes"),
        ("default", 1, "`default` is not what `dateline generate` writes"),
        ("ignores-header", "A", "`ignores-header` is not what `dateline generate` writes"),
        ("policy", "github", "`policy` is not what `dateline generate` writes"),
        ("policy", {"notice-days": "1"}, "`policy` is not what `dateline generate` writes"),
        (
            "policy",
            {"notice-days": 1, "rules": []},
            "`policy` is not what `dateline generate` writes",
        ),
        (
            "policy",
            {"notice-days": 1, "rules": {"value-added": "fine"}},
            "`policy` has an unknown verdict",
        ),
        ("require-why", 1, "`require-why` is not what `dateline generate` writes"),
        ("lint", True, "`lint` is not what `dateline generate` writes"),
        ("waivers", {}, "`waivers` is not what `dateline generate` writes"),
        *(("counterparts", {"a/b": given}, MISFIT) for given in COUNTERPARTS),
    ],
)
def test_malformed_record_is_refused(key: str, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        PolicyRecord.read({**json.loads(RECORD.text()), key: value})
    assert str(caught.value) == said


def test_record_drops_unknown_rules() -> None:
    policy = {"preset": "github", "notice-days": 1, "rules": {"gone-since": "fine"}}
    record = PolicyRecord.read({**json.loads(RECORD.text()), "policy": policy})
    assert record == replace(RECORD, rules={}, notice_days=1)


def test_record_of_an_older_release_is_a_baseline(committed: Path) -> None:
    record = committed / "generated" / "policy.json"
    kept = json.loads(record.read_text())
    for key in ("versions", "environments", "announcements"):
        del kept[key]
    copy = shutil.copytree(committed / "generated", committed / "released")
    (copy / "policy.json").write_text(json.dumps(kept))
    assert list_unwaived("--against", "released") == []
    edit(committed, (FINES, ""))
    assert list_unwaived("--against", "released") == [GONE]


def test_renamed_header_is_reported_in_the_table(project: Path) -> None:
    header = "header: X-API-Version\n"
    edit(project, (header, ""), ("X-API-Version", "Library-Version"))
    table = project / "schemas" / "versions.yaml"
    kept = table.read_text()
    table.write_text(f"{kept}header: Library-Version\n")
    place = f"schemas/versions.yaml:{len(kept.splitlines()) + 1}:1"
    assert f"{place}: never [version-header-changed]" in dateline("check").out


@cases("key, rules", [("header", []), ("media-type", []), ("query", ["version-header-changed"])])
def test_only_names_of_query_parameters_are_case_sensitive(
    key: str, rules: list[str], tmp_path: Path
) -> None:
    versions = [VERSIONS.replace("header: X-API-Version", f"{key}: {name}") for name in ("v", "V")]
    before, after = (loaded(tmp_path, {**LIBRARY, "versions.yaml": text}) for text in versions)
    published = Published(label="published", policy=PolicyRecord.of(before.table, ()))
    found = check_header(after, Projector(after), published)
    assert [each.rule for each in found] == rules


REFUSED: Final = "an unknown version is refused (unknown: nearest -> refused)"


@pytest.mark.parametrize(
    ("place", "after"),
    [
        ("header: X-API-Version", ""),
        ("header: X-API-Version", "unknown: refused\n"),
        ("query: version", ""),
        ("path: true", ""),
    ],
)
def test_unknown_versions_stay_accepted(place: str, after: str, project: Path) -> None:
    near = f"{place}\nunknown: nearest\ndefault"
    parameter = "      parameters: [{ $ref: '#/components/parameters/Version' }]\n"
    heeded = () if place.startswith("header") else ((parameter, ""),)
    edit(project, ("header: X-API-Version\ndefault", near), *heeded)
    shutil.rmtree(project / "generated")
    assert dateline("generate").status == 0
    assert list_unwaived() == []
    edit(project, ("unknown: nearest\n", after))
    assert list_unwaived() == [("version-header-changed", "never", REFUSED)]
    kept = (project / "generated" / "policy.json").read_bytes()
    assert dateline("generate").status == 1
    assert (project / "generated" / "policy.json").read_bytes() == kept


def test_first_environment_stays_the_first(project: Path) -> None:
    first = "production: { servers: [{ url: https://api.library.example }] }"
    second = "test: { servers: [{ url: https://test.library.example }] }"
    edit(project, (first, f"{first}, {second}"))
    assert list_unwaived() == []
    edit(project, (f"{first}, {second}", f"{second}, {first}"))
    changed = "default-environment-changed"
    message = "the first environment is test, and was production"
    assert list_unwaived() == [(changed, "gated", message)]
    until = ("--reason", "named everywhere", "--expires", "2099-01-01")
    assert dateline("waive", changed, "/environments", *until).status == 0
    assert list_unwaived() == []


SUFFIXED: Final = "an unknown version with a suffix is refused (form: %s -> %s)"


@pytest.mark.parametrize("nearest", ["unknown: nearest\n", ""])
@cases(
    ("before", "after", "is_refused"),
    [
        ("YYYY-MM-DD", "YYYY-MM-DD-suffix", False),
        ("YYYY-MM-DD", "YYYY-MM-DD.suffix", False),
        ("YYYY-MM-DD-suffix", "YYYY-MM-DD", True),
        ("YYYY-MM-DD.suffix", "YYYY-MM-DD", True),
        ("YYYY-MM-DD-suffix", "YYYY-MM-DD.suffix", True),
    ],
)
def test_form_of_unknown_versions_stays_accepted(
    before: str, after: str, is_refused: bool, nearest: str, tmp_path: Path
) -> None:
    forms = [
        VERSIONS.replace("default:", f"{nearest}form: {form}\ndefault:") for form in (before, after)
    ]
    was, now = (loaded(tmp_path, {**LIBRARY, "versions.yaml": text}) for text in forms)
    record = PolicyRecord.read(json.loads(PolicyRecord.of(was.table, ()).text()))
    found = check_header(now, Projector(now), Published(label="published", policy=record))
    expected = [SUFFIXED % (before, after)] if is_refused and nearest else []
    assert [(each.rule, each.message) for each in found] == [
        ("version-header-changed", message) for message in expected
    ]


def test_form_is_unknown_in_records_of_older_releases() -> None:
    record = json.loads(RECORD.text())
    assert PolicyRecord.read({**record, "versions": ["2024-01"]}).form is None
    assert PolicyRecord.read({**record, "versions": ["2024-01-15"]}).form == "YYYY-MM-DD"


def test_unknown_versions_may_become_accepted(project: Path) -> None:
    edit(project, ("default: 2024", "unknown: nearest\ndefault: 2024"))
    assert list_unwaived() == []
    assert dateline("generate").status == 0
    edit(project, ("unknown: nearest\n", ""))
    assert [rule for rule, _, _ in list_unwaived()] == ["version-header-changed"]


def test_operations_that_start_to_ignore_the_header_are_counted(project: Path) -> None:
    edit(
        project,
        ("ignores-header: [Prices]", "ignores-header: [Prices, Fines, Loans]"),
        ("      parameters: [{ $ref: '#/components/parameters/Version' }]\n", ""),
    )
    assert list_unwaived()[0] == (
        "ignored-header-changed",
        "never",
        "GET /fines and 1 more: ignores the header X-API-Version now",
    )


def test_removed_values_are_listed_as_published(project: Path) -> None:
    values = ["active", "zulu", "alpha", "mike", "bravo"]
    edit(project, ("[active, returned]", f"[{', '.join(values)}]"))
    shutil.rmtree(project / "generated")
    assert dateline("generate").status == 0
    edit(project, (f"[{', '.join(values)}]", "[active]"))
    report = json.loads(dateline("check", "--format", "json").out)
    assert [one["message"] for one in report["changes"]] == [
        f"Loan.state: value {value} removed" for value in values[1:]
    ]


def test_changes_that_a_looser_policy_would_hide_are_listed_in_part(committed: Path) -> None:
    paths = [f"/l{number}" for number in range(5)]
    added = "".join(
        f"  {path}:\n    get: {{ operationId: get{path[1:]}, tags: [Prices], responses: "
        "{ '204': { description: none } } }\n"
        for path in paths
    )
    edit(committed, ("components:\n", f"{added}components:\n"))
    assert dateline("generate").status == 0
    git("add", "-A")
    git("commit", "-q", "-m", "two")
    looser = POLICY.replace("never", "never, operation-removed: additive")
    edit(committed, (added, ""), (POLICY, looser))
    shown = ", ".join(f"“GET {path}: operation removed”" for path in paths[:3])
    assert [message for rule, _, message in list_unwaived() if rule == "policy-loosened"] == [
        f"operation-removed loosened (never -> additive). It would hide {shown} and 2 more"
    ]


# Where a revision has the published documents


def test_project_may_be_published_at_the_top_of_its_repository(project: Path) -> None:
    for path in (project / "generated").iterdir():
        path.rename(project / path.name)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    edit(project, (FINES, ""))
    assert list_unwaived("--output", ".", "--against", "main") == [GONE]


def test_ambiguous_output_folder_is_not_guessed(committed: Path) -> None:
    for name in ("internal", "public"):
        shutil.copytree(committed / "generated", committed / name)
    git("rm", "-r", "-q", "--cached", "generated")
    git("add", "public", "internal")
    git("commit", "-q", "-m", "two")
    outcome = dateline("check", "--against", "main")
    assert outcome.status == 3
    assert re.fullmatch(
        r"generated: baseline-ambiguous: git main \([0-9a-f]{7}\) has no such folder, but "
        r"internal, public; name one with --output\n",
        outcome.err,
    )


def test_file_named_like_a_git_reference_is_no_merge(committed: Path) -> None:
    (committed / "MERGE_HEAD").write_text("a file")
    assert Repository(committed).is_merging() is False
    (committed / ".git" / "MERGE_HEAD").write_text(f"{Repository(committed).commit('HEAD')}\n")
    assert Repository(committed).is_merging() is True


def test_path_named_like_a_revision_is_not_the_baseline(committed: Path) -> None:
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    git("tag", "v1")
    commit = Repository(committed).commit("HEAD")
    edit(committed, (FINES, ""))
    assert dateline("generate", "--output", "loose").status == 0
    folder = committed / "loose"
    file = folder / "spec/production/2024-01-15.json"
    branch, *others = ("main", "origin/main", "v1", commit, commit[:8])
    for name, path in ((branch, file), *((each, folder) for each in (branch, *others))):
        goal = committed / name
        goal.parent.mkdir(exist_ok=True)
        path.rename(goal)
        outcome = dateline("check", "--against", name)
        assert outcome.status == 3
        assert outcome.err == (
            f"{name}: baseline-ambiguous: this is a path and a git revision; write ./{name} for "
            f"the path, {name}^0 for the revision\n"
        )
        assert list_unwaived("--against", f"{name}^0") == [GONE]
        assert list_unwaived("--against", f"./{name}") == []
        assert list_unwaived("--against", str(goal)) == []
        goal.rename(path)
