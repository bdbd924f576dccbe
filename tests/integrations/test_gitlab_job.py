"""The script of the GitLab job, as a runner runs it on a merge request."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.checkouts import LINE, PROJECT, Checkout
from support.comment_hosts import CommentHost

FILE = Path(__file__).parents[2] / "integrations" / "gitlab" / "check.yml"
STALE = 4
SOURCE = Path(__file__).parents[2] / "src"


def read_job(**given: str) -> dict[str, Any]:
    """Return the job that the file defines, with *given* as inputs."""
    head, body = FILE.read_text("utf-8").split("\n---\n")
    inputs = {
        name: given.get(name, str(each["default"]))
        for name, each in yaml.safe_load(head)["spec"]["inputs"].items()
    }
    filled = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: inputs[found[1]], body)
    job: dict[str, Any] = yaml.safe_load(filled)["dateline"]
    return job


def run_job(checkout: Checkout, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the job on *checkout*."""
    job = read_job(project=PROJECT, install="echo installed")
    lines = [*job["before_script"], *job["script"]]
    environment = {**os.environ, **job["variables"], **variables, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)],
        cwd=checkout.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def merge_request(checkout: Checkout, comments: CommentHost) -> dict[str, str]:
    return {
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": checkout.base,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_PROJECT_ID": "42",
        "CI_API_V4_URL": f"{comments.address}/api/v4",
        "DATELINE_TOKEN": "secret",
    }


def test_breaking_change_is_reported_and_noted(
    breaking: Checkout, clean: Checkout, comments: CommentHost
) -> None:
    done = run_job(breaking, **merge_request(breaking, comments))
    assert done.returncode == 1
    artifacts = read_job()["artifacts"]["reports"]
    [found] = json.loads((breaking.root / artifacts["codequality"]).read_text("utf-8"))
    assert found["check_name"] == "response-field-removed"
    assert found["location"]["path"] == f"{PROJECT}/schemas/loans.yaml"
    assert "response-field-removed" in (breaking.root / artifacts["junit"]).read_text("utf-8")
    assert list(comments.comments) == [1]
    assert comments.tokens == {"secret"}
    (clean.root / PROJECT / "generated" / "policy.json").write_bytes(b"")
    assert run_job(clean, **merge_request(clean, comments)).returncode == STALE
    assert comments.comments == {}


def test_nothing_is_sent_without_a_token(breaking: Checkout, comments: CommentHost) -> None:
    variables = merge_request(breaking, comments) | {"DATELINE_TOKEN": ""}
    assert run_job(breaking, **variables).returncode == 1
    assert comments.requests == []


@pytest.mark.parametrize("before", ["", "0" * 40, "{base}"])
def test_push_to_a_branch_is_checked(before: str, breaking: Checkout) -> None:
    done = run_job(breaking, CI_COMMIT_BEFORE_SHA=before.format(base=breaking.base))
    assert done.returncode == 1
    assert f"schemas/loans.yaml:{LINE}:" in done.stdout
