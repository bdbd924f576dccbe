"""Who may approve waivers, by the policy and by CODEOWNERS, and the classes of reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support.commands import dateline
from support.policies import TABLE, committed, copy_generated, edit, git, list_unwaived
from support.tables import cases

from dateline.check.approvals import _matches, _read_owners, is_approved

__all__ = ["committed"]

LOST: Final = ("[active, returned]", "[active, returned, lost]")
ASKED: Final = (
    "waive",
    "value-added",
    "Loan.state",
    "--reason",
    "Agreed.",
    "--expires",
    "2999-01-01",
)
POLICY: Final = "notice-days: 90 }"
TEAM: Final = "notice-days: 90, approvals: ['@library/api', ada] }"
OWNERS: Final = "notice-days: 90, approvals: [CODEOWNERS] }"
UNAPPROVED: Final = "waiver-unapproved"


def publish(root: Path, policy: str) -> None:
    """Publish *root*, without edits, with that policy."""
    copy_generated(root, TABLE.replace(POLICY, policy))
    git("add", "-A")
    git("commit", "-q", "-m", "policy")


def test_listed_approver_may_approve(committed: Path) -> None:
    publish(committed, TEAM)
    edit(committed, LOST)
    assert dateline(*ASKED, "--approved-by", "Ada Lovelace (@Library/API)").status == 0
    assert list_unwaived() == []
    assert "Agreed. (approved by Ada Lovelace (@Library/API))" in dateline("status").out


@pytest.mark.parametrize("who", [None, "adam"])
def test_unlisted_approver_may_not_approve(committed: Path, who: str | None) -> None:
    publish(committed, TEAM)
    edit(committed, LOST)
    assert dateline(*ASKED, *(("--approved-by", who) if who else ())).status == 0
    outcome = dateline("check")
    assert outcome.status == 1
    assert "[value-added]" in outcome.out
    by = f"approved by {who} only" if who else "not approved"
    assert f"is {by}; who may: @library/api, ada" in outcome.out
    assert "  unapproved until 2999-01-01" in dateline("status").out


@cases(
    ("who", "may"),
    [
        *((who, True) for who in ("@library/api", "ADA", "Ada (@Library/API)", "bob, ada")),
        *((who, False) for who in (None, "", "@library", "@library/apis", "adam", "api")),
    ],
)
def test_approvers_are_whole_names_in_any_case(who: str | None, may: bool) -> None:
    assert is_approved(who, frozenset({"@library/api", "ada"})) is may


def test_settled_waiver_needs_no_approval_later(committed: Path) -> None:
    edit(committed, LOST)
    assert dateline(*ASKED).status == 0
    assert dateline("generate").status == 0
    git("add", "-A")
    git("commit", "-q", "-m", "waived")
    edit(committed, (POLICY, TEAM))
    assert dateline("generate").status == 0
    git("commit", "-q", "--all", "-m", "policy")
    assert list_unwaived() == []
    assert "  settled until 2999-01-01" in dateline("status").out


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (POLICY, "approvals widened (anybody)"),
        (TEAM.replace("ada", "ada, bob"), "approvals widened (bob)"),
        (TEAM.replace(", ada", ""), None),
    ],
    ids=["anybody", "one more", "one fewer"],
)
def test_approvers_added_in_the_same_change_do_not_count(
    committed: Path, now: str, said: str | None
) -> None:
    publish(committed, TEAM)
    edit(committed, LOST, (TEAM, now))
    assert dateline(*ASKED, "--approved-by", "bob").status == 0
    found = dateline("check").out
    assert "is approved by bob only" in found
    assert ("[policy-loosened]" in found) == (said is not None)
    assert said is None or said in found


def test_code_owners_of_the_waivers_file_approve(committed: Path) -> None:
    owners = committed / ".github" / "CODEOWNERS"
    owners.parent.mkdir()
    owners.write_text("* @library/all\n/schemas/ @library/api # the promises\n", "utf-8")
    publish(committed, OWNERS)
    edit(committed, LOST)
    assert dateline(*ASKED, "--approved-by", "@library/api").status == 0
    assert list_unwaived() == []
    assert dateline("generate").status == 0
    assert dateline("check").status == 0
    owners.write_text("* @library/all @LIBRARY/API\n", "utf-8")
    assert dateline("check", "--against", "HEAD").status == 0
    owners.write_text("* @library/all\n", "utf-8")
    assert "who may: nobody: CODEOWNERS" in dateline("check", "--against", "HEAD").out
    owners.unlink()
    assert "who may: nobody: CODEOWNERS names no owner" in dateline("check").out


@pytest.mark.parametrize(
    ("place", "before", "now"),
    [
        (".github/CODEOWNERS", "* @library/api\n", "* @library/api @mallory\n"),
        (".github/CODEOWNERS", "* @library/api\n/docs/ @mallory\n", "* @mallory\n"),
        ("CODEOWNERS", "* @library/api\n", "* @library/api\n/schemas/ @mallory\n"),
        ("CODEOWNERS", None, "* @mallory\n"),
        ("docs/CODEOWNERS", "* @library/api\n", "* @mallory\n"),
    ],
)
def test_code_owners_added_in_the_same_change_do_not_count(
    committed: Path, place: str, before: str | None, now: str
) -> None:
    owners = committed / place
    owners.parent.mkdir(exist_ok=True)
    if before is not None:
        owners.write_text(before, "utf-8")
    publish(committed, OWNERS)
    owners.write_text(now, "utf-8")
    edit(committed, LOST)
    assert dateline(*ASKED, "--approved-by", "@mallory").status == 0
    baselines = ((), ("--against", "HEAD"))
    for against in baselines:
        outcome = dateline("check", *against)
        assert outcome.status == 1, against
        assert "is approved by @mallory only" in outcome.out, against
    git("add", place)
    git("commit", "-q", "-m", "owners")
    assert [dateline("check", *against).status for against in baselines] == [0, 0]


def test_approval_survives_renamed_files(committed: Path) -> None:
    publish(committed, TEAM)
    edit(committed, LOST)
    assert dateline(*ASKED, "--approved-by", "ada").status == 0
    before = dateline("check", "--waived").out
    source = next(
        path for path in (committed / "schemas").glob("*.yaml") if "Loan:" in path.read_text()
    )
    (committed / "schemas" / "lending").mkdir()
    moved = source.rename(committed / "schemas" / "lending" / "books.yaml")
    after = dateline("check", "--waived").out
    assert after == before.replace(source.name, f"lending/{moved.name}")
    assert "1 waived" in after


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--class", "security"), "Agreed. (class security)"),
        (
            ("--class", "no-callers", "--usage", "https://usage.example/lost"),
            "Agreed. (class no-callers, usage https://usage.example/lost)",
        ),
    ],
    ids=["security", "no callers"],
)
def test_waiver_class_sets_its_approvers(
    committed: Path, words: tuple[str, ...], said: str
) -> None:
    edit(committed, LOST)
    assert dateline(*ASKED, *words).status == 0
    assert said in dateline("status").out


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("class: nicer", "'nicer' is not a class of reasons; known: bug-fix, security, no-callers"),
        ("class: no-callers", "`class: no-callers` needs a `usage` that shows it"),
    ],
)
def test_waiver_class_has_to_be_known_and_is_shown(committed: Path, row: str, said: str) -> None:
    edit(committed, LOST)
    assert dateline(*ASKED).status == 0
    waivers = committed / "schemas" / "waivers.yaml"
    text = waivers.read_text("utf-8").replace("reason: Agreed.", f"reason: Agreed.\n    {row}")
    waivers.write_text(text, "utf-8")
    outcome = dateline("check")
    assert outcome.status == 3
    assert f"waiver-form: {said}" in outcome.err


CASES: Final[list[tuple[str, bool]]] = [
    ("*", True),
    ("*.yaml", True),
    ("*.yml", False),
    ("waivers.yaml", True),
    ("/waivers.yaml", False),
    ("schemas", True),
    ("schemas/", True),
    ("/schemas/", False),
    ("/apis/*/schemas/", True),
    ("apis/lending", True),
    ("apis/lend", False),
    ("/apis/*", False),
    ("/apis/**", True),
    ("**/schemas/*", True),
    ("apis/**/waivers.yaml", True),
    ("apis/lending/schemas/*.yaml", True),
    ("apis/?ending/", True),
    ("lending/schemas/", False),
]


@cases(("pattern", "matches"), CASES)
def test_code_owner_patterns_match_like_those_of_code_hosts(pattern: str, matches: bool) -> None:
    assert _matches(pattern, "apis/lending/schemas/waivers.yaml") is matches


@cases(
    ("text", "owners"),
    [
        ("* @all\n/a/ @a @b\n", ["@a", "@b"]),
        ("/a/ @a\n* @all # everybody\n", ["@all"]),
        ("* @all\n/a/\n", []),
        ("# * @no\n\n/a/ @a\n/b/ @b\n", ["@a"]),
        ("/a/ @a\n[Contracts][2] @c @d\nw.yaml\n^[Docs]\n/a/ @e\n", ["@a", "@c", "@d", "@e"]),
        (r"/a\ b/ @no" + "\n/a/ mail@library.example\n", ["mail@library.example"]),
    ],
    ids=["last wins", "last is everybody", "taken away", "comments", "sections", "spaces"],
)
def test_last_matching_pattern_of_each_section_counts(text: str, owners: list[str]) -> None:
    assert list(_read_owners(text, "a/w.yaml")) == owners


def test_anybody_may_approve_without_a_policy() -> None:
    assert all(is_approved(one, None) for one in (None, "", "@a"))
