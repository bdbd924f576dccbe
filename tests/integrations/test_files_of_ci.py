"""The files for CI systems are valid, pinned, and up to date."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from pathlib import Path

import yaml
from click.testing import CliRunner
from support.tables import cases

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def check_file(schema: str, *files: Path) -> None:
    main = import_module("check_jsonschema.cli.main_command").main
    done = CliRunner().invoke(main, ["--builtin-schema", schema, *map(str, files)])
    assert done.exit_code == 0, done.output


@cases(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ],
)
def test_file_satisfies_its_public_schema(schema: str, files: list[Path]) -> None:
    check_file(schema, *files)


def test_gitlab_job_satisfies_its_public_schema(tmp_path: Path) -> None:
    text = (ROOT / "integrations" / "gitlab" / "check.yml").read_text("utf-8")
    head, body = text.split("\n---\n")
    for name, each in yaml.safe_load(head)["spec"]["inputs"].items():
        body = body.replace(f"$[[ inputs.{name} ]]", str(each["default"]))
    job = tmp_path / ".gitlab-ci.yml"
    job.write_text(body)
    check_file("vendor.gitlab-ci", job)


@cases("path", [ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_every_foreign_action_is_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text("utf-8"))
    assert used
    assert [each for each in used if not re.search(r"^\./$|@[0-9a-f]{40}$", each)] == []


def test_inputs_are_not_interpolated_into_scripts() -> None:
    text = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert [step["run"] for step in text["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_lock_of_the_action_is_part_of_the_projects() -> None:
    functions = runpy.run_path(str(ROOT / "integrations" / "lock.py"))
    written = (ROOT / "integrations" / "requirements.lock").read_text("utf-8")
    whole = (ROOT / "requirements.lock").read_text("utf-8")
    assert written == functions["write_subset"](whole), "run: python integrations/lock.py"


INSTRUCTION = re.compile(r"^([A-Z]+) ((?:.*\\\n)*.*)$", re.M)


def test_image_is_small_and_runs_unprivileged() -> None:
    """Checks the rules of hadolint that apply."""
    steps = INSTRUCTION.findall((ROOT / "Containerfile").read_text(encoding="utf-8"))
    stages = [number for number, (word, _) in enumerate(steps) if word == "FROM"]
    first, last = steps[: stages[-1]], steps[stages[-1] :]
    assert {steps[number][1].split(" ")[0] for number in stages} == {"python:3.13-slim"}
    # build tools are left behind: the last stage copies one folder
    assert [text for word, text in last if word == "COPY"] == [
        "--from=build /opt/dateline /opt/dateline"
    ]
    for word, text in first:
        names = text.split()[:-1] if word == "COPY" else []
        assert all((ROOT / name).exists() for name in names)
    installs = [text for _, text in first if "pip install" in text]
    assert all("--require-hashes" in one or "--no-deps" in one for one in installs)
    assert all("--no-cache-dir" in one for one in installs)
    (apt,) = [text for _, text in last if "apt-get" in text]
    assert "--no-install-recommends" in apt
    assert "rm -rf /var/lib/apt/lists/*" in apt
    # no root privileges afterwards; the user is a number, so that orchestrators can tell
    words = [word for word, _ in last]
    assert dict(last)["USER"] == "10001"
    assert "RUN" not in words[words.index("USER") :]
    assert yaml.safe_load(dict(last)["ENTRYPOINT"]) == ["dateline"]
    assert not {"ADD", "VOLUME", "EXPOSE"} & {*words}


def test_all_supported_python_versions_must_pass() -> None:
    listed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)
    job = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]["test"]
    may_fail = re.findall(r"matrix\.python == '([\d.]+)'", job["continue-on-error"])
    assert [one for one in job["strategy"]["matrix"]["python"] if one not in may_fail] == listed
    assert f'requires-python = ">={listed[0]}"' in PROJECT
