"""The steps of the GitHub action, as a runner runs them on a pull request."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest
from support.actions import Run, Runner
from support.checkouts import LINE, PROJECT, Checkout, clone
from support.comment_hosts import CommentHost
from support.repositories import commit, git

PLACE = f"file={PROJECT}/schemas/loans.yaml,line={LINE},"
MARKER = f"<!-- dateline of {PROJECT} -->"


def run_action(
    checkout: Checkout,
    comments: CommentHost,
    event: dict[str, object] | None = None,
    event_name: str = "pull_request",
    without: Collection[str] = ("install",),
    **given: str,
) -> Run:
    """Run the action on a pull request from *checkout*, or on *event*."""
    temporary = checkout.root.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    event_file = temporary / "event.json"
    pull = {"pull_request": {"number": 7, "base": {"sha": checkout.base}}}
    event_file.write_text(json.dumps(pull if event is None else event))
    variables = {
        "GITHUB_API_URL": comments.address,
        "GITHUB_EVENT_NAME": event_name,
        "GITHUB_EVENT_PATH": str(event_file),
        "GITHUB_REPOSITORY": "library/apis",
    }
    runner = Runner(Path(__file__).parents[2], checkout.root, temporary, variables)
    inputs = {"project": PROJECT, "generated": "false", **given}
    return runner.run(inputs, without=frozenset(without))


def test_base_is_what_the_request_is_merged_into(clean: Checkout, comments: CommentHost) -> None:
    """Also if the event names an older commit."""
    git("-C", str(clean.root), "fetch", "--quiet", "--depth=1", "origin", "main")
    head = git("-C", str(clean.root), "rev-parse", "HEAD").strip()
    merge = ["commit-tree", "HEAD^{tree}", "-p", clean.base, "-p", head, "-m", "Merge"]
    merged = git("-C", str(clean.root), *merge).strip()
    git("-C", str(clean.root), "checkout", "--quiet", merged)
    for named, base in ((head, clean.base), (clean.base, head)):
        pull = {"number": 7, "base": {"sha": head}, "head": {"sha": named}}
        others = ("install", "check", "comment", "verdict")
        run = run_action(clean, comments, {"pull_request": pull}, without=others)
        assert run.steps["base"]["against"] == base


def find_annotations(run: Run) -> list[str]:
    return [line for line in run.log.splitlines() if line.startswith("::")]


def test_breaking_change_is_annotated_summarized_and_commented(
    breaking: Checkout, comments: CommentHost
) -> None:
    run = run_action(breaking, comments)
    assert run.status == 1
    [annotation] = find_annotations(run)
    assert annotation.startswith(f"::error {PLACE}")
    assert "[response-field-removed]" in annotation
    assert "response-field-removed" in run.summary
    assert list(comments.comments) == [1]
    assert comments.comments[1].startswith(f"{MARKER}\n<!-- dateline check -->\n")
    assert comments.tokens == {"Bearer secret"}
    sarif = json.loads(Path(run.steps["check"]["sarif"]).read_text("utf-8"))
    [result] = sarif["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == f"{PROJECT}/schemas/loans.yaml"
    assert location["region"]["startLine"] == LINE


def test_nothing_is_written_without_findings(clean: Checkout, comments: CommentHost) -> None:
    run = run_action(clean, comments)
    assert (run.status, find_annotations(run)) == (0, [])
    assert comments.requests == ["GET /repos/library/apis/issues/7/comments"]


def test_single_comment_is_updated_and_removed(
    breaking: Checkout, clean: Checkout, comments: CommentHost
) -> None:
    others = {number: f"A word of a reviewer, {number}" for number in range(1, 151)}
    comments.comments |= others
    run_action(breaking, comments)
    assert [*comments.comments] == [*others, 151]
    comments.comments[151] = f"{MARKER}\nof an earlier push"
    run_action(breaking, comments)
    assert "response-field-removed" in comments.comments[151]
    run_action(clean, comments)
    assert comments.comments == others


def test_each_project_has_its_own_comment(breaking: Checkout, comments: CommentHost) -> None:
    run = run_action(breaking, comments, against="main")
    assert run.steps["base"]["against"] == breaking.base
    run_action(breaking, comments, event_name="pull_request_target", name="lending, again")
    assert [text.partition("\n")[0] for text in comments.comments.values()] == [
        MARKER,
        "<!-- dateline of lending__again -->",
    ]


def test_fork_without_a_token_gets_the_verdict(
    breaking: Checkout, clean: Checkout, comments: CommentHost
) -> None:
    comments.writable = False
    run = run_action(breaking, comments)
    assert run.status == 1
    assert "The token may not comment here (HTTP 403); the log has the report." in run.log
    assert run_action(clean, comments).status == 0


def test_unreadable_input_gets_a_comment_too(clean: Checkout, comments: CommentHost) -> None:
    (clean.root / PROJECT / "schemas" / "loans.yaml").write_text("components: [")
    run = run_action(clean, comments)
    assert run.status == 3
    assert list(comments.comments) == [1]
    assert comments.comments[1].startswith(MARKER)


def test_stale_outputs_fail_unless_disabled(clean: Checkout, comments: CommentHost) -> None:
    loans = clean.root / PROJECT / "schemas" / "loans.yaml"
    loans.write_text(loans.read_text("utf-8").replace("a loan can be paused", "it pauses"), "utf-8")
    document = clean.root / PROJECT / "generated" / "spec" / "production" / "versions.json"
    document.write_text(document.read_text("utf-8") + "\n")
    assert run_action(clean, comments, generated="false").status == 0
    run = run_action(clean, comments, generated="true")
    assert run.status == 4
    assert find_annotations(run)[-1].startswith("::error title=dateline generate --check::")


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("push", {"before": "{base}"}),
        ("merge_group", {"merge_group": {"base_sha": "{base}"}}),
        ("workflow_dispatch", {}),
        ("push", {"before": "0" * 40}),
    ],
)
def test_other_events_are_checked_without_a_comment(
    name: str, event: dict[str, object], breaking: Checkout, comments: CommentHost
) -> None:
    known = json.loads(json.dumps(event).replace("{base}", breaking.base))
    run = run_action(breaking, comments, known, name)
    assert run.status == 1
    assert comments.requests == []


def test_missing_base_ends_the_run(breaking: Checkout, comments: CommentHost) -> None:
    run = run_action(breaking, comments, against="no-such-branch")
    assert run.status == 2
    assert find_annotations(run) == [
        "::error title=dateline::no-such-branch, the base of the comparison, is neither here nor "
        "at `origin`."
    ]


def test_base_that_is_checked_out_ends_the_run(clean: Checkout, comments: CommentHost) -> None:
    """As with `pull_request_target`, where actions/checkout takes the base of a pull request."""
    head = git("-C", str(clean.root), "rev-parse", "HEAD").strip()
    pull: dict[str, object] = {"pull_request": {"number": 7, "base": {"sha": head}}}
    run = run_action(clean, comments, pull, "pull_request_target")
    assert run.status == 2
    assert "The checkout is the base of the comparison" in find_annotations(run)[0]


@pytest.mark.parametrize("is_given", [False, True], ids=["found", "given"])
def test_folder_named_like_the_base_is_not_the_base(
    breaking: Checkout,
    comments: CommentHost,
    is_given: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    against = breaking.base if is_given else ""
    monkeypatch.chdir(breaking.root / PROJECT)
    shutil.copytree("generated", breaking.base)
    shutil.copytree(breaking.base, breaking.root / breaking.base)
    run = run_action(breaking, comments, against=against)
    assert run.status != 0
    shutil.rmtree(breaking.root / PROJECT / breaking.base)
    run = run_action(breaking, comments, against=against)
    assert "[response-field-removed]" in "".join(find_annotations(run))


@pytest.mark.parametrize(
    "against",
    [
        "$(touch canary)",
        "--output=canary",
        "--upload-pack=touch canary; git-upload-pack",
    ],
)
def test_input_can_not_become_a_command(
    against: str, breaking: Checkout, comments: CommentHost
) -> None:
    run = run_action(breaking, comments, against=against)
    assert run.status == 2
    assert list(breaking.root.rglob("canary")) == []


def test_submodule_has_paths_of_its_own(
    breaking: Checkout, comments: CommentHost, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    subprocess.run(["git", "init", "--quiet", str(outer)], check=True)
    allowed = ["git", "-C", str(outer), "-c", "protocol.file.allow=always"]
    subprocess.run(
        [*allowed, "submodule", "--quiet", "add", f"file://{breaking.root}", "shared"],
        check=True,
        capture_output=True,
    )
    inner = Checkout(outer / "shared", breaking.base)
    run = run_action(inner, comments, {})
    assert run.status == 1
    assert find_annotations(run)[0].startswith(f"::error {PLACE}")


def test_three_projects_are_one_run_with_one_comment(
    origin: Path, comments: CommentHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monorepo = shutil.copytree(origin, tmp_path / "monorepo", symlinks=True)
    monkeypatch.chdir(monorepo)
    for name in ("books", "cards"):
        shutil.copytree(PROJECT, f"apis/{name}", ignore=shutil.ignore_patterns(".git*dateline"))
    Path("dateline.toml").write_text('projects = ["apis/*"]\n', "utf-8")
    commit()
    git("checkout", "--quiet", "-b", "two", "main")
    for name in ("books", "lending"):
        loans = Path(f"apis/{name}/schemas/loans.yaml")
        loans.write_text(loans.read_text("utf-8").replace("note:", "remark:"), "utf-8")
    commit()
    git("checkout", "--quiet", "main")
    run = run_action(clone(monorepo, "two", tmp_path / "two"), comments, project=".")
    assert run.status == 1
    places = [f"::error file=apis/{name}/schemas/loans.yaml,line=" for name in ("books", "lending")]
    found = find_annotations(run)
    assert [line.startswith(place) for line, place in zip(found, places, strict=True)] == [True] * 2
    assert len(comments.comments) == 1
