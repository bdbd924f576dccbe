"""Read-only access to a git repository that runs no program named by the repository.

Only plumbing commands that read refs, trees and blobs are used. Whether a file is committed is
decided by its blob id, computed here: `git status` and `git diff` run filters, the file system
monitor, text converters and external diff programs that the repository configures.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from dateline.model import MANIFEST, DatelineError

# Settings on the command line override those of every file. An empty file system monitor means none
# in every release of git; `false` was the name of a program before 2.36.
_SETTINGS: Final = (
    "core.fsmonitor=",
    f"core.hooksPath={os.devnull}",
    "core.warnAmbiguousRefs=true",
    "safe.bareRepository=explicit",
)

# Messages in one language, no replacement objects. A partial clone must not fetch what it lacks,
# which would start the transports of its remotes: before 2.44, git can only be kept from that by
# allowing no protocol.
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}

_VERIFY: Final = ("--verify", "--quiet")

# What `Repository` reads first.
_PLACED: Final = ("--show-toplevel", "--is-shallow-repository", "--git-path", "MERGE_HEAD")
_PLACES: Final = re.compile(
    r"(?P<top>.*)\n(?P<shallow>true|false)\n(?P<merge>.*MERGE_HEAD)\n((?P<head>[0-9a-f]+)\n)?",
    re.DOTALL,
)

_UNTRUSTED: Final = "detected dubious ownership"
_SHA256_DIGITS: Final = 64
_LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"


class GitError(DatelineError):
    """git can't provide what was requested."""


class NoRepositoryError(GitError):
    """No repository holds the path, or git is not installed."""


class Blob(NamedTuple):
    """A file of a commit: its name from the top of the repository, and the id of its content."""

    name: str
    id: str


class Repository:
    """The repository that contains *path*, with its references as they are when first read.

    Raises NoRepositoryError if there is none, and GitError if git refuses to read it.
    """

    def __init__(self, path: Path) -> None:
        # as it was given, for messages
        self._folder = next(folder for folder in [path, *path.parents] if folder.is_dir())
        self._program = _find_git(self._folder)
        # one process for all, since to start it takes longer than its work; the last commit, which
        # there may not be, comes last
        done = self._ask("rev-parse", *_PLACED, *_VERIFY, _commit("HEAD"))
        read = _PLACES.fullmatch(_decode(done.stdout))
        if read is None:
            raise self._refusal(done.stderr)
        self.top = Path(read["top"])
        self._is_shallow = read["shallow"] == "true"
        self._merge = self._folder / read["merge"]
        self._commits: dict[str, str | None] = {"HEAD": read["head"]}

    def _contains(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.top.resolve())

    def relative(self, path: Path) -> str:
        """Return *path* in git's spelling: relative to the top, with forward slashes."""
        if not self._contains(path):
            raise GitError(f"{path}: git-refused: outside of the work tree {self.top}")
        return path.resolve().relative_to(self.top.resolve()).as_posix()

    def has(self, reference: str) -> bool:
        """Return whether *reference* names a commit."""
        return self._find_commit(reference) is not None

    def lacks(self, reference: str) -> bool:
        """Return whether the current branch lacks the commit *reference*, as far as is known."""
        found = self._ask("merge-base", "--is-ancestor", _commit(reference), "HEAD")
        return found.returncode == 1 and not self._is_shallow

    def commit(self, reference: str) -> str:
        """Return the commit that *reference* names; git would prefer a tag to a branch."""
        if found := self._find_commit(reference):
            warned = self._ask("rev-parse", "--verify", "--end-of-options", reference).stderr
            if b"is ambiguous" in warned:
                raise GitError(
                    f"{reference}: revision-ambiguous: a branch and a tag have this name; write "
                    f"refs/heads/{reference} for the branch, refs/tags/{reference} for the tag"
                )
            return found
        if self._is_shallow:
            advice = f"this clone is shallow: run `{self._fetch(reference)}` first"
        else:
            advice = "name a branch, a tag, a commit, a folder or a document"
            if self._is_remote(reference):
                advice = f"run `git fetch {reference.partition('/')[0]}`, or {advice}"
        raise GitError(
            f"{reference}: revision-unknown: neither a path nor a revision of the repository that "
            f"contains {self._folder}; {advice}"
        )

    def head(self) -> str | None:
        """Return the last commit of the current branch, or None if it has none yet.

        Raises GitError if the repository lacks that commit.
        """
        if found := self._find_commit("HEAD"):
            return found
        named = self._ask("rev-parse", "--verify", "--quiet", "HEAD")
        if named.returncode == 0:
            commit = _decode(named.stdout).strip()
            raise GitError(
                f"{self._folder}: commit-missing: the repository lacks its last commit "
                f"({commit[:7]}); run `git fsck`, or compare with a folder by `--against`"
            )
        return None

    def files(self, commit: str, *paths: str) -> list[Blob]:
        """Return every file of *commit* that is one of *paths*, named from the top, or below one.

        That is every file without *paths*.
        """
        within = [] if {"", "."} & {*paths} else paths
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *within)
        entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
        return [
            Blob(name, found.split(" ")[2])
            for found, _, name in entries
            # a submodule is a repository of its own
            if found.split(" ")[1] == "blob"
        ]

    def list_folders(self, reference: str, files: Iterable[str]) -> list[Path]:
        """Return the folders that have all *files* in the commit *reference*; none if unknown."""
        commit = self._find_commit(reference)
        found = [PurePosixPath(blob.name) for blob in self.files(commit)] if commit else []
        wanted = {*files}
        names: dict[PurePosixPath, set[str]] = {}
        for path in found:
            names.setdefault(path.parent, set()).add(path.name)
        return sorted(self.top / folder for folder, has in names.items() if wanted <= has)

    def has_file(self, folder: Path, reference: str) -> bool:
        """Return whether *reference* names a commit that has a file in *folder*."""
        commit = self._find_commit(reference) if self._contains(folder) else None
        return commit is not None and bool(self.files(commit, self.relative(folder)))

    def contents(self, blobs: Iterable[Blob]) -> list[bytes]:
        """Return the content of each of *blobs*. Raises GitError if git can't provide one."""
        requested = list(blobs)
        contents = self._contents(requested)
        for each, content in zip(requested, contents, strict=True):
            if content.startswith(_LFS_POINTER):
                raise GitError(
                    f"{each.name}: blob-filtered: git stores a Git LFS pointer in its place; "
                    "take it out of the filter in .gitattributes"
                )
        return contents

    def list_uncommitted(self, paths: Iterable[Path]) -> list[str]:
        """Return the files in *paths*, sorted, that differ from the last commit.

        That includes files it lacks, unless they are ignored. Different line ends alone don't
        count. A file that a filter changes on its way into the repository counts as changed, since
        the filter is not run; for Git LFS the digest is compared instead.
        """
        top = self.top.resolve()
        inside = [path.resolve() for path in paths if self._contains(path)]
        head = self.head()
        listed = self.files(head, *map(self.relative, inside)) if head and inside else ()
        committed = {blob.name: blob for blob in listed}
        present = {file.relative_to(top).as_posix() for path in inside for file in _files(path)}
        contents = {name: _read(top / name) for name in present & {*committed}}
        differing = [
            committed[name]
            for name, content in contents.items()
            if _blob_id(content, committed[name].id) != committed[name].id
        ]
        changed = {
            blob.name
            for blob, content in zip(differing, self._contents(differing), strict=True)
            if not _is_same(contents[blob.name], content)
        }
        missing = {*committed} - present
        return sorted(changed | missing | self._not_ignored(present - {*committed}))

    def filters(self, names: Iterable[str]) -> dict[str, str]:
        """Return the filter that .gitattributes assigns to each of *names*, if any."""
        given = "".join(f"{name}\0" for name in names)
        listed = self._run("check-attr", "--stdin", "-z", "filter", given=given, folder=self.top)
        parts = listed.split("\0")
        found = zip(parts[::3], parts[2::3], strict=False)
        return {name: value for name, value in found if value not in ("unspecified", "unset")}

    def is_merging(self) -> bool:
        """Return whether a merge is in progress, so that its changes are in no commit yet.

        Raises GitError if it is one of several branches at once.
        """
        # a branch may have this name, too
        if not (self._merge.is_file() and self._find_commit("MERGE_HEAD")):
            return False
        if len(self._merge.read_text(encoding="utf-8").split()) > 1:
            raise GitError(
                f"{self._folder}: merge-of-several: several branches are being merged at once, and "
                "are compared with one by one only; merge them one after the other"
            )
        return True

    def find_merge_base(self) -> str | None:
        """Return the commit from which both branches of a merge in progress come, or None."""
        found = self._ask("merge-base", "HEAD", "MERGE_HEAD")
        return _decode(found.stdout).strip() or None

    def commit_that_published(self, output: Path, version: str) -> str | None:
        """Return the last commit with which an index in *output* got *version*, or None."""
        head = self.head()
        if head is None or not self._contains(output):
            return None
        folder = f"{self.relative(output)}/spec"
        if not self._offers(head, folder, version):
            return None
        # unlike its relatives, rev-list never runs a text converter or checks a signature
        indexes = f":(top,glob){folder}/*/versions.json"
        for commit in self._run("rev-list", head, "--", indexes).split():
            parent = self._find_commit(f"{commit}^")
            if self._offers(commit, folder, version) and not (
                parent and self._offers(parent, folder, version)
            ):
                return commit
        return None

    def list_versions(self, output: Path, paths: Iterable[str], most: int) -> Iterator[bytes]:
        """Yield the manifest of *output* in commits that changed one of *paths* in it.

        Commits of all branches and stashes count, and those of a merge or cherry-pick in progress:
        at most *most*, the newest first.
        """
        if not self._contains(output):
            return
        folder = self.relative(output)
        names = [f":(top,literal){folder}/{path}" for path in paths]
        coming = filter(None, map(self._find_commit, ("MERGE_HEAD", "CHERRY_PICK_HEAD")))
        listed = self._run("rev-list", "--all", f"--max-count={most}", *coming, "--", *names)
        for commit in listed.split():
            yield from self.contents(self.files(commit, f"{folder}/{MANIFEST}"))

    def _offers(self, commit: str, folder: str, version: str) -> bool:
        """Return whether an index in *folder* lists *version* in *commit*."""
        found = self.files(commit, folder)
        indexes = [blob for blob in found if blob.name.endswith("/versions.json")]
        return any(_lists(text, version) for text in self.contents(indexes))

    def _find_commit(self, reference: str) -> str | None:
        if reference not in self._commits:
            found = self._ask("rev-parse", *_VERIFY, "--end-of-options", _commit(reference))
            commit = found.stdout.decode().strip() if found.returncode == 0 else None
            self._commits[reference] = commit
        return self._commits[reference]

    def _contents(self, blobs: list[Blob]) -> list[bytes]:
        given = "".join(f"{blob.id}\n" for blob in blobs)
        answer = self._ask("cat-file", "--batch", given=given).stdout if blobs else b""
        contents = []
        for blob in blobs:
            header, _, answer = answer.partition(b"\n")
            if b" blob " not in header:
                raise GitError(
                    f"{blob.name}: blob-missing: this clone does not have its content "
                    f"({blob.id[:7]}), and dateline does not fetch; run "
                    "`git fetch --refetch --no-filter` first"
                )
            size = int(header.rpartition(b" ")[2])
            contents.append(answer[:size])
            answer = answer[size + 1 :]
        return contents

    def _not_ignored(self, names: set[str]) -> set[str]:
        if not names:
            return names
        given = "".join(f"{name}\0" for name in names)
        arguments = ("check-ignore", "--no-index", "--stdin", "-z")
        found = self._ask(*arguments, given=given, folder=self.top)
        if found.returncode > 1:
            raise self._refusal(found.stderr)
        return names - {*_decode(found.stdout).split("\0")}

    def _fetch(self, reference: str) -> str:
        """Return the command that fetches *reference* into a shallow clone."""
        if re.fullmatch(r"[\w./-]+", reference) is None or reference == "HEAD":
            return "git fetch --unshallow"
        remote, _, branch = reference.partition("/")
        if not self._is_remote(reference):
            return f"git fetch --depth=1 origin +{reference}:{reference}"
        return f"git fetch --depth=1 {remote} +{branch}:refs/remotes/{remote}/{branch}"

    def _is_remote(self, reference: str) -> bool:
        remotes = self._run("remote").split()
        return "/" in reference and reference.split("/")[0] in remotes

    def _run(self, *arguments: str, given: str = "", folder: Path | None = None) -> str:
        done = self._ask(*arguments, given=given, folder=folder)
        if done.returncode:
            raise self._refusal(done.stderr)
        return _decode(done.stdout)

    def _refusal(self, output: bytes) -> GitError:
        first = (_decode(output).strip().splitlines() or ["no reason given"])[0]
        fact = first.removeprefix("fatal: ")
        kind = NoRepositoryError if fact.startswith("not a git repository") else GitError
        if _UNTRUSTED in fact:
            where = fact.partition("'")[2].rpartition("'")[0]
            fact += (
                "; if you trust its owner, run "
                f"`git config --global --add safe.directory {shlex.quote(where)}`"
            )
        return kind(f"{self._folder}: git-refused: {fact}")

    def _ask(
        self, *arguments: str, given: str = "", folder: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        # settings of others may name another repository, or programs to run in it
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(
            [self._program, *settings, "-C", str(folder or self._folder), *arguments],
            input=given.encode(errors="surrogateescape"),
            capture_output=True,
            check=False,
            env={**kept, **_ENVIRONMENT},
        )


def require_committed(folder: Path, paths: Iterable[Path], refusal: type[DatelineError]) -> None:
    """Raise *refusal* if git reports uncommitted changes below *paths*.

    Does nothing if *folder* is outside of git.
    """
    try:
        repository = Repository(folder)
    except NoRepositoryError:
        return
    changed = repository.list_uncommitted(paths)
    if changed:
        others = f" (nor {len(changed) - 1} more)" if len(changed) > 1 else ""
        first = changed[0]
        if passed := repository.filters([first]).get(first):
            raise refusal(
                f"{first} is not as it was committed{others}, or the filter {passed!r} of "
                "gitattributes, which is not run, makes it so; take it out of the filter"
            )
        raise refusal(f"{first} is not committed{others}; commit first, or set it aside")


def _find_git(folder: Path) -> str:
    """Return the path of git, never one in the working folder or in a repository of *folder*.

    Raises NoRepositoryError if there is no git, or nothing that it may take for a repository.
    """
    home = folder.resolve()
    above = (home, *home.parents)
    tops = [each for each in above if (each / ".git").exists()]
    # a repository without a work tree, which git refuses to read, has this file itself
    if not (tops or any(os.path.lexists(each / "HEAD") for each in above)):
        raise NoRepositoryError(f"{folder}: git-refused: this is in no git repository")
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep):
        place = Path(entry).resolve()
        if not Path(entry).is_absolute() or any(map(place.is_relative_to, tops)):
            continue
        for name in ("git", "git.exe"):
            if found := shutil.which(place / name):
                return str(found)
    raise NoRepositoryError("git is not installed; compare with a folder instead")


def _commit(reference: str) -> str:
    """Return the revision that is the commit of *reference*."""
    return f"{reference}^{{commit}}"


def _files(path: Path) -> Iterator[Path]:
    """Yield *path* or every file in it, including links, but none of another repository."""
    if path.is_symlink() or not path.is_dir():
        yield from [path] if os.path.lexists(path) else []
        return
    for inner in path.iterdir():
        if inner.name != ".git" and not (inner / ".git").exists():
            yield from _files(inner)


def _read(path: Path) -> bytes:
    """Return what git records of a file, or of a link: its target."""
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()


def _blob_id(content: bytes, like: str) -> str:
    """Return the id of a blob with *content*, in a repository with ids *like* that one."""
    digest = hashlib.sha256 if len(like) == _SHA256_DIGITS else hashlib.sha1
    return digest(b"blob %d\0" % len(content) + content).hexdigest()


def _is_same(content: bytes, committed: bytes) -> bool:
    """Return whether a file equals the *committed* one, except for line ends and Git LFS."""
    if committed.startswith(_LFS_POINTER):
        return b"\noid sha256:%s\n" % hashlib.sha256(content).hexdigest().encode() in committed
    return content.replace(b"\r\n", b"\n") == committed.replace(b"\r\n", b"\n")


def _decode(output: bytes) -> str:
    return output.decode(errors="surrogateescape")


def _lists(index: bytes, version: str) -> bool:
    """Return whether the text of an *index* has *version* among its versions."""
    try:
        rows = json.loads(index)["versions"]
        return any(row["version"] == version for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
