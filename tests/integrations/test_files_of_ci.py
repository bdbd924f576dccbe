"""The files that CI systems read: valid, pinned, and no part of them stale."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ],
)
def test_a_file_is_what_its_public_schema_says(schema: str, files: list[Path]) -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        schema,
        *map(str, files),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_job_of_gitlab_is_what_its_public_schema_says(tmp_path: Path) -> None:
    text = (ROOT / "integrations" / "gitlab" / "check.yml").read_text("utf-8")
    head, body = text.split("\n---\n")
    for name, each in yaml.safe_load(head)["spec"]["inputs"].items():
        body = body.replace(f"$[[ inputs.{name} ]]", str(each["default"]))
    job = tmp_path / ".gitlab-ci.yml"
    job.write_text(body)
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.gitlab-ci",
        str(job),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_every_action_of_others_is_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text("utf-8"))
    assert used
    assert [each for each in used if not re.search(r"^\./$|@[0-9a-f]{40}$", each)] == []


def test_no_input_is_pasted_into_a_script() -> None:
    text = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert [step["run"] for step in text["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_the_lock_of_the_action_is_part_of_the_projects() -> None:
    functions = runpy.run_path(str(ROOT / "integrations" / "lock.py"))
    written = (ROOT / "integrations" / "requirements.lock").read_text("utf-8")
    whole = (ROOT / "requirements.lock").read_text("utf-8")
    assert written == functions["write_subset"](whole), "run: python integrations/lock.py"
