"""A git repository, read without touching its work tree or its index."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dateline.model import DatelineError

# In a container the repository often belongs to another user; reading objects runs none of its
# code, so that is no reason to stop. The settings that could run some are switched off.
_SETTINGS: Final = ("safe.directory=*", "core.fsmonitor=false", "core.hooksPath=/dev/null")


class GitError(DatelineError):
    """git can't give what was asked for."""


class Repository:
    """The repository that holds *path*. Raises GitError where there is none."""

    def __init__(self, path: Path) -> None:
        # as it was given: messages show it
        self._folder = next(folder for folder in [path, *path.parents] if folder.is_dir())
        self.top = Path(self._run("rev-parse", "--show-toplevel").rstrip("\n"))

    def relative(self, path: Path) -> str:
        """Return *path* as git spells it: from the top, with forward slashes."""
        return path.resolve().relative_to(self.top.resolve()).as_posix()

    def commit(self, reference: str) -> str:
        """Return the commit that *reference* names."""
        asked = f"{reference}^{{commit}}"
        found = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", asked)
        if found.returncode == 0:
            return found.stdout.strip()
        shallow = self._run("rev-parse", "--is-shallow-repository").strip() == "true"
        raise GitError(
            f"{reference}: revision-unknown: neither a path nor a revision of the repository that "
            f"holds {self._folder}; "
            + (
                f"this clone is shallow: run `{self._fetch(reference)}` first"
                if shallow or self._is_remote(reference)
                else "name a branch, a tag, a commit, a folder or a document"
            )
        )

    def files(self, commit: str) -> list[str]:
        """Return every file of *commit*, from the top of the repository."""
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
        return [name for name in listed.split("\0") if name]

    def contents(self, commit: str, names: list[str]) -> list[str]:
        """Return the text of each of *names* in *commit*."""
        asked = "".join(f"{commit}:{name}\n" for name in names).encode()
        answer = subprocess.run(
            self._command("cat-file", "--batch"),
            input=asked,
            capture_output=True,
            check=False,
            env=self._environment(),
        ).stdout
        texts = []
        for name in names:
            header, _, answer = answer.partition(b"\n")
            if b" blob " not in header:
                raise GitError(f"{name}: blob-missing: git can't read it at {commit[:7]}")
            size = int(header.rpartition(b" ")[2])
            texts.append(answer[:size].decode())
            answer = answer[size + 1 :]
        return texts

    def uncommitted(self, folders: Iterable[Path]) -> list[str]:
        """Return every file in *folders* that is not as the last commit has it, or not in it."""
        top = self.top.resolve()
        inside = [str(path) for path in map(Path.resolve, folders) if path.is_relative_to(top)]
        listed = self._run(
            "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *inside
        )
        # two letters and a blank say what is different
        return [entry[3:] for entry in listed.split("\0") if entry]

    def is_merging(self) -> bool:
        """Tell whether a merge is under way: what it brings is in no commit of this branch yet."""
        return self._ask("rev-parse", "--verify", "--quiet", "MERGE_HEAD").returncode == 0

    def commit_that_published(self, output: Path, version: str) -> str | None:
        """Return the last commit with which an index in *output* got *version*, if one did."""
        if not output.resolve().is_relative_to(self.top.resolve()):
            return None
        folder = f"{self.relative(output)}/spec"
        indexes = f":(top,glob){folder}/*/versions.json"
        # announcements name versions in such a row, too
        row = f'"version": "{version}"'
        commits = self._run("log", "--format=%H", f"-S{row}", "--", indexes).split()
        for commit in commits:
            before, after = (self._offers(one, folder, version) for one in (f"{commit}^", commit))
            if after and not before:
                return commit
        return None

    def _offers(self, commit: str, folder: str, version: str) -> bool:
        """Tell whether an index in *folder* lists *version* in *commit*, which need not exist."""
        listed = self._ask("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, folder)
        names = [name for name in listed.stdout.split("\0") if name.endswith("/versions.json")]
        return any(_lists(text, version) for text in self.contents(commit, names))

    def _fetch(self, reference: str) -> str:
        """Return the command that brings what *reference* names into a shallow clone."""
        if re.fullmatch(r"[\w./-]+", reference) is None or reference == "HEAD":
            return "git fetch --unshallow"
        remote, _, branch = reference.partition("/")
        if not self._is_remote(reference):
            return f"git fetch --depth=1 origin +{reference}:{reference}"
        return f"git fetch --depth=1 {remote} +{branch}:refs/remotes/{remote}/{branch}"

    def _is_remote(self, reference: str) -> bool:
        remotes = self._run("remote").split()
        return "/" in reference and reference.split("/")[0] in remotes

    def _run(self, *arguments: str) -> str:
        done = self._ask(*arguments)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["no reason given"]
            raise GitError(f"{self._folder}: git-refused: {said[0].removeprefix('fatal: ')}")
        return done.stdout

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                self._command(*arguments),
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="surrogateescape",
                check=False,
                env=self._environment(),
            )
        except FileNotFoundError as error:
            raise GitError("git is not installed; compare with a folder instead") from error

    def _command(self, *arguments: str) -> list[str]:
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        return ["git", *settings, "-C", str(self._folder), *arguments]

    @staticmethod
    def _environment() -> dict[str, str]:
        # messages in one language, and no lock files beside what is only read
        return {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def _lists(index: str, version: str) -> bool:
    """Tell whether the text of an *index* has *version* among its versions."""
    try:
        rows = json.loads(index)["versions"]
        return any(row["version"] == version for row in rows)
    except (ValueError, KeyError, TypeError):
        return False
