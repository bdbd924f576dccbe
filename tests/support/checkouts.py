"""Repositories with a base branch and changes, cloned as CI clones them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from support.repositories import FILES, commit, git, repository

PROJECT = "apis/lending"
"""Where the project is in the repository."""

LINE = FILES["loans.yaml"].partition("note:")[0].count("\n") + 1
"""The line of the field that the branch `breaking` renames."""


@dataclass(frozen=True)
class Checkout:
    """A shallow clone of a change; ``base`` is the published commit."""

    root: Path
    base: str


def make_monorepo(root: Path) -> None:
    """Make *root* a repository with a published API on `main`, and two branches with a change.

    The branch `breaking` renames a field in a response; `clean` only changes a comment.
    """
    project = root / PROJECT
    project.mkdir(parents=True)
    repository(project, FILES)
    (project / ".git").rename(root / ".git")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        git("add", "--all")
        git("commit", "--quiet", "--amend", "--message", "The project below apis/")
        git("config", "uploadpack.allowAnySHA1InWant", "true")
        for branch in ("breaking", "clean"):
            git("checkout", "--quiet", "-b", branch, "main")
            loans = project / "schemas" / "loans.yaml"
            text = loans.read_text("utf-8") + "# reviewed\n"
            if branch == "breaking":
                text = text.replace("note:", "remark:")
            loans.write_text(text, "utf-8", newline="\n")
            commit()
        git("checkout", "--quiet", "main")


def clone(origin: Path, branch: str, to: Path) -> Checkout:
    """Return a shallow clone of the last commit of *branch*."""
    git("clone", "--quiet", "--depth=1", f"--branch={branch}", f"file://{origin}", str(to))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(origin)
        return Checkout(to, git("rev-parse", "main").strip())
