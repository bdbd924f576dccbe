"""The hooks, run by pre-commit itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.checkouts import PROJECT, Checkout
from support.repositories import git

ROOT = Path(__file__).parents[2]


def pre_commit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_manifest_is_valid() -> None:
    done = pre_commit("validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.fixture
def project(breaking: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with both hooks configured, from a repository with our manifest."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(hooks)
    (hooks / ".pre-commit-hooks.yaml").write_bytes((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Hooks")
    folders = [f"--schemas={PROJECT}/schemas", f"--output={PROJECT}/generated"]
    # the current installation replaces the environment that pre-commit would build for the hook
    hook = {"language": "system", "args": folders, "additional_dependencies": []}
    configured = {
        "repo": str(hooks),
        "rev": git("rev-parse", "HEAD").strip(),
        "hooks": [{"id": "dateline-check", **hook}, {"id": "dateline-generate", **hook}],
    }
    monkeypatch.chdir(breaking.root)
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [configured]}))
    git("add", ".pre-commit-config.yaml")
    return breaking.root / PROJECT


def test_breaking_change_is_refused(project: Path) -> None:
    loans = project / "schemas" / "loans.yaml"
    loans.write_text(loans.read_text("utf-8").replace("remark:", "memo:"), "utf-8")
    git("add", "--all")
    done = pre_commit("run", "dateline-check")
    assert done.returncode == 1
    assert "response-field-removed" in done.stdout


def test_files_written_by_generate_stop_the_commit_once(project: Path) -> None:
    page = project / "generated" / "spec" / "production" / "versions.json"
    published = page.read_bytes()
    page.write_bytes(b"{}")
    git("add", "--all")
    assert pre_commit("run", "dateline-check").returncode == 1
    loans = project / "schemas" / "loans.yaml"
    loans.write_text(loans.read_text("utf-8").replace("remark:", "note:"), "utf-8")
    git("add", "--all")
    done = pre_commit("run", "dateline-generate")
    assert "files were modified by this hook" in done.stdout
    assert page.read_bytes() == published
    git("add", "--all")
    assert pre_commit("run", "dateline-generate").returncode == 0


def test_removed_file_is_noticed(project: Path) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "Configured")
    git("rm", "--quiet", str(project / "schemas" / "loans.yaml"))
    done = pre_commit("run", "dateline-check")
    assert done.returncode == 1
    assert "the document needs `paths`" in done.stdout
