"""No command runs a program that a repository or the environment configures for git."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections import ChainMap
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from support.commands import Outcome, dateline
from support.repositories import FILES, commit, edit, enter_copy, git, repository, unpack

from dateline import cache
from dateline.check.git import GitError, NoRepositoryError, Repository

CLEAN, FOUND, MISUSE, UNREADABLE = 0, 1, 2, 3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the canaries are shell scripts")

COMMANDS: Final = (
    ["check"],
    ["check", "--against", "HEAD"],
    ["check", "--against", "main"],
    ["diff", "HEAD", "main"],
    ["diff", "HEAD", "2024-01-15"],
    ["status"],
    ["generate"],
    ["gate"],
    ["retire", "2024-01-15"],
    ["cut", "2025-09-01", "--title", "Loans stay.", "--undisclosed"],
    [
        "waive",
        "type-changed",
        "/components/schemas/Loan",
        "--version=2025-06-01",
        "--reason=No.",
        "--expires=2999-01-01",
    ],
)


class Canaries:
    """Programs that leave a file in a folder when they run."""

    def __init__(self, root: Path) -> None:
        self._programs = root / "canaries"
        self._ran = root / "ran"
        for each in (self._programs, self._ran):
            each.mkdir()

    def plant(self, name: str, then: str = "cat") -> str:
        """Return the path of a program that records *name* and copies its input to its output."""
        program = self._programs / name
        program.write_text(f"#!/bin/sh\n: > {self._ran}/{name}\n{then}\n")
        program.chmod(0o755)
        return str(program)

    def ran(self) -> set[str]:
        return {each.name for each in self._ran.iterdir()}

    def clear(self) -> None:
        for each in self._ran.iterdir():
            each.unlink()


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which the library API is published."""
    return repository(tmp_path_factory.mktemp("published"), FILES)


@pytest.fixture
def project(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published API in the current folder; git has to read its files again."""
    root = enter_copy(published, tmp_path, monkeypatch)
    # without the record of unchanged inputs, every command has to look
    for kept in (root / ".generated.dateline").iterdir():
        if kept.name not in (cache.FILE, ".gitignore"):
            kept.unlink()
    touch(root)
    return root


@pytest.fixture(scope="module")
def expected(published: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """The output of reading a baseline in a copy of the published API."""
    with pytest.MonkeyPatch.context() as patch:
        enter_copy(published, tmp_path_factory.mktemp("expected"), patch)
        return read_baseline()


@pytest.fixture
def canaries(tmp_path: Path) -> Canaries:
    return Canaries(tmp_path)


def touch(root: Path) -> None:
    """Make the index stale for every file, so that git compares contents."""
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1_000_000_000, 1_000_000_000))


def run_git(*arguments: str) -> None:
    """Run git as a user would, and ignore its status."""
    subprocess.run(["git", *arguments], capture_output=True, check=False, timeout=60)


def sign_last_commit() -> None:
    """Give the last commit something that looks like a signature."""
    header, _, message = git("cat-file", "commit", "HEAD").partition("\n\n")
    signature = "-----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----"
    signed = f"{header}\ngpgsig {signature}\n\n{message}"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        input=signed,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    git("update-ref", "refs/heads/main", made)


def plant_in_repository(root: Path, canaries: Canaries) -> None:
    """Configure a program for everything that git runs while it looks at files."""
    (root / ".git/info/attributes").write_text(
        "*.json filter=clean diff=text\n*.yaml filter=process diff=command\n"
    )
    (root / ".git/included").write_text(f"[core]\nfsmonitor = {canaries.plant('fsmonitor')}\n")
    for name, value in {
        "filter.clean.clean": canaries.plant("clean"),
        "filter.clean.smudge": canaries.plant("smudge"),
        "filter.process.process": canaries.plant("process"),
        "diff.text.textconv": canaries.plant("textconv"),
        "diff.command.command": canaries.plant("command"),
        "diff.external": canaries.plant("external"),
        "include.path": "included",
        "log.showSignature": "true",
        "gpg.program": canaries.plant("gpg"),
        "core.pager": canaries.plant("pager"),
        "core.editor": canaries.plant("editor"),
        "core.askPass": canaries.plant("askpass"),
        "core.alternateRefsCommand": canaries.plant("alternates"),
        "uploadpack.packObjectsHook": canaries.plant("pack"),
        **{
            f"alias.{each}": f"!{canaries.plant('alias')}"
            for each in ("rev-parse", "ls-tree", "cat-file", "rev-list", "remote", "canary")
        },
    }.items():
        git("config", name, value)
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        shutil.copy(canaries.plant("hook"), root / ".git/hooks" / hook)


def test_no_command_runs_programs_of_the_repository(
    project: Path, canaries: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("tools").mkdir()
    for folder in (".", "tools"):
        shutil.copy(canaries.plant("git"), Path(folder, "git"))
    commit()
    sign_last_commit()
    plant_in_repository(project, canaries)
    known = os.environ["PATH"]
    entries = ["", ".", "tools", str(project), f"{project}/tools"]
    monkeypatch.setenv("PATH", os.pathsep.join([*entries, known]))
    statuses = [dateline(*command).status for command in COMMANDS]
    assert (statuses, canaries.ran()) == ([CLEAN] * 8 + [MISUSE, CLEAN, CLEAN], set())
    # the cut is not committed: the baseline comes from the repository, and no second cut is made
    # before the first is committed
    Path("schemas/waivers.yaml").unlink()
    statuses = [dateline(*command).status for command in COMMANDS]
    assert (statuses, canaries.ran()) == ([CLEAN] * 8 + [MISUSE, MISUSE, CLEAN], set())
    # a shell runs git from each of these folders
    for entry in entries:
        monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{known}")
        subprocess.run(["/bin/sh", "-c", "git --version"], check=False, stdin=subprocess.DEVNULL)
        assert canaries.ran() == {"git"}, entry
        canaries.clear()


def test_plain_git_runs_programs_of_the_repository(project: Path, canaries: Canaries) -> None:
    sign_last_commit()
    plant_in_repository(project, canaries)
    run_git("status")
    assert canaries.ran() >= {"clean", "process", "fsmonitor", "hook"}
    edit(("title: Library", "title: Libraries"))
    for path in Path("generated/spec").rglob("*.json"):
        path.write_text("{}")
    run_git("-c", "filter.clean.clean=", "-c", "filter.process.process=", "diff")
    run_git("diff", "--no-ext-diff", "--", "*.json")
    run_git("log", "-1")
    run_git("canary")
    run_git("checkout", "HEAD", "--", "generated")
    run_git("clone", "--quiet", f"file://{project}", "../clone")
    assert canaries.ran() >= {"external", "textconv", "gpg", "alias", "smudge"}


PARTIAL: Final[dict[str, Callable[[str], dict[str, str]]]] = {
    "a transport of its own": lambda canary: {
        "remote.origin.url": f"ext::{canary}",
        "protocol.ext.allow": "always",
    },
    "a helper": lambda _: {"remote.origin.url": "x://x", "remote.origin.vcs": "canary"},
    "ssh": lambda canary: {
        "remote.origin.url": "ssh://library.example/x",
        "core.sshCommand": canary,
    },
    "a proxy": lambda canary: {
        "remote.origin.url": "git://library.example/x",
        "core.gitProxy": canary,
    },
    "the other side": lambda canary: {
        "remote.origin.url": ".",
        "remote.origin.uploadpack": canary,
    },
}


def configure(known: str, settings: dict[str, str]) -> None:
    """Set the configuration of the repository to *known* and *settings*."""
    Path(".git/config").write_text(known)
    for key, value in settings.items():
        git("config", key, value)


def test_partial_clone_fetches_nothing(
    project: Path, canaries: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = canaries.plant("canary", then="exit 1")
    shutil.copy(canary, Path(canary).with_name("git-remote-canary"))
    monkeypatch.setenv("PATH", f"{Path(canary).parent}{os.pathsep}{os.environ['PATH']}")
    name = "generated/spec/production/2024-01-15.json"
    blob = git("rev-parse", f"HEAD:{name}").strip()
    unpack()
    (project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    Path(name).write_text("{}")
    refusal = (
        f"{name}: blob-missing: this clone does not have its content ({blob[:7]}), and dateline "
        "does not fetch; run `git fetch --refetch --no-filter` first\n"
    )
    known = Path(".git/config").read_text()
    promising = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
    }
    for way, settings in PARTIAL.items():
        configure(known, promising | settings(canary))
        commands = (["check", "--against", "HEAD"], ["diff", "HEAD", "2024-01-15"], ["status"])
        # they read files with one function, in one way
        for command in commands if way == "ssh" else commands[:1]:
            outcome = dateline(*command)
            assert (outcome.status, outcome.err) == (UNREADABLE, refusal), way
        assert canaries.ran() == set(), way
        run_git("cat-file", "blob", blob)
        assert canaries.ran() == {"canary"}, way
        canaries.clear()


SURROUNDINGS: Final[dict[str, Callable[[str, str], dict[str, str]]]] = {
    "settings by number": lambda canary, _: {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": canary,
    },
    "settings of the command line": lambda canary, _: {
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{canary}'"
    },
    "settings in a file": lambda _, other: {"GIT_CONFIG_GLOBAL": f"{other}/.git/config"},
    "another repository": lambda _, other: {"GIT_DIR": f"{other}/.git", "GIT_WORK_TREE": other},
    "other commands": lambda canary, _: {"GIT_EXEC_PATH": str(Path(canary).parent)},
    "a diff program": lambda canary, _: {"GIT_EXTERNAL_DIFF": canary},
}


def test_git_settings_from_elsewhere_have_no_effect(
    project: Path,
    tmp_path: Path,
    canaries: Canaries,
    monkeypatch: pytest.MonkeyPatch,
    expected: list[Outcome],
) -> None:
    canary = canaries.plant("canary")
    shutil.copy(canary, Path(canary).with_name("git-submodule"))
    other = shutil.copytree(project, tmp_path / "other")
    git("-C", str(other), "config", "core.fsmonitor", canary)
    settings = {name: each(canary, str(other)) for name, each in SURROUNDINGS.items()}
    with monkeypatch.context() as patch:
        for key, value in {k: v for each in settings.values() for k, v in each.items()}.items():
            patch.setenv(key, value)
        assert (read_baseline(), canaries.ran()) == (expected, set())
    edit(("title: Library", "title: Libraries"))
    # each of them has an effect on git itself
    for name, each in settings.items():
        with monkeypatch.context() as patch:
            for key, value in each.items():
                patch.setenv(key, value)
            for command in ("status", "diff", "submodule"):
                run_git(command)
        assert canaries.ran() == {"canary"}, name
        canaries.clear()


def test_folder_that_looks_like_a_bare_repository_is_refused(
    project: Path, canaries: Canaries
) -> None:
    for each in (project / ".git").iterdir():
        each.rename(project / each.name)
    (project / ".git").rmdir()
    git("config", "--file", "config", "core.fsmonitor", canaries.plant("fsmonitor"))
    git("config", "--file", "config", "core.worktree", str(project))
    for command in (["check"], ["check", "--against", "main"], ["status"], ["generate"]):
        assert dateline(*command).status == UNREADABLE
    assert canaries.ran() == set()
    run_git("status")
    assert canaries.ran() == {"fsmonitor"}


def test_submodule_is_left_alone(project: Path, published: Path, canaries: Canaries) -> None:
    git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(published), "vendor")
    commit()
    git("-C", "vendor", "config", "core.fsmonitor", canaries.plant("fsmonitor"))
    touch(project)
    assert Repository(project).list_uncommitted([project]) == []
    assert canaries.ran() == set()
    run_git("status")
    assert canaries.ran() == {"fsmonitor"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away")
def test_repository_of_another_user_is_refused_with_a_way_out(project: Path) -> None:
    os.chown(".", 4321, 4321)
    os.chown(".git", 4321, 4321)
    refusal = (
        f"generated: git-refused: detected dubious ownership in repository at '{project}'; if you "
        f"trust its owner, run `git config --global --add safe.directory {project}`\n"
    )
    for command in (["check"], ["check", "--against", "HEAD"], ["generate"]):
        assert dateline(*command) == Outcome(UNREADABLE, "", refusal)
    for command in (["status"], ["gate"], *COMMANDS[8:10]):
        outcome = dateline(*command)
        assert outcome.status == UNREADABLE
        assert "git config --global --add safe.directory" in outcome.err


@pytest.mark.usefixtures("project")
def test_another_work_tree_is_no_baseline(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git("config", "core.worktree", str(elsewhere))
    outcome = dateline("check", "--against", "HEAD")
    assert (outcome.status, outcome.out) == (UNREADABLE, "")
    assert "git-refused" in outcome.err


@pytest.mark.usefixtures("project")
def test_replacement_objects_are_not_read() -> None:
    name = "generated/spec/production/2024-01-15.json"
    fake = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        input="{}",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    said = dateline("check", "--against", "HEAD")
    git("replace", git("rev-parse", f"HEAD:{name}").strip(), fake)
    assert git("show", f"HEAD:{name}") == "{}"
    assert dateline("check", "--against", "HEAD") == said


# Ways to read a baseline, for every layout of a repository

READING: Final = (
    ["check", "--against", "HEAD"],
    ["diff", "main", "2024-01-15"],
    ["status"],
)


def read_baseline() -> list[Outcome]:
    return [dateline(*command) for command in READING]


# For each program that git runs to connect or to include settings: the settings that name it, and a
# git command that runs it.
NAMED_PROGRAMS: Final[dict[str, tuple[Callable[[str], dict[str, str]], list[str]]]] = {
    "core.sshCommand": (
        lambda canary: {
            "core.sshCommand": canary,
            "remote.origin.url": "ssh://library.example/x",
            "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
        },
        ["fetch", "origin"],
    ),
    "core.gitProxy": (
        lambda canary: {"core.gitProxy": canary, "remote.origin.url": "git://library.example/x"},
        ["fetch", "origin"],
    ),
    "a helper of a remote": (
        lambda _: {"remote.origin.url": "x://x", "remote.origin.vcs": "canary"},
        ["fetch", "origin"],
    ),
    "credential.helper": (
        lambda canary: {"credential.helper": f"!{canary}", "core.askPass": "true"},
        ["credential", "fill"],
    ),
    "core.askPass": (
        lambda canary: {"credential.helper": "", "core.askPass": canary},
        ["credential", "fill"],
    ),
    "includeIf": (
        lambda _: {
            "includeIf.gitdir:**.path": "included",
            "includeIf.onbranch:**.path": "included",
        },
        ["status"],
    ),
    "an alternate": (lambda canary: {"core.alternateRefsCommand": canary}, ["fetch", "../other"]),
}


def test_reading_a_baseline_runs_no_configured_program(
    project: Path,
    tmp_path: Path,
    canaries: Canaries,
    monkeypatch: pytest.MonkeyPatch,
    expected: list[Outcome],
) -> None:
    canary = canaries.plant("canary", then="exit 1")
    shutil.copy(canary, Path(canary).with_name("git-remote-canary"))
    monkeypatch.setenv("PATH", f"{Path(canary).parent}{os.pathsep}{os.environ['PATH']}")
    other = shutil.copytree(project, tmp_path / "other")
    (project / ".git/objects/info").mkdir(exist_ok=True)
    (project / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    (project / ".git/included").write_text(f"[core]\nfsmonitor = {canary}\n")
    asked = "protocol=https\nhost=library.example\n\n"
    known = Path(".git/config").read_text()
    every = [settings(canary) for settings, _ in NAMED_PROGRAMS.values()]
    # some name the same setting, and the last one applies
    for each in (every, every[::-1]):
        configure(known, dict(ChainMap(*each)))
        assert (read_baseline(), canaries.ran()) == (expected, set())
    for name, (settings, command) in NAMED_PROGRAMS.items():
        configure(known, settings(canary))
        git("-C", str(other), "commit", "--quiet", "--allow-empty", "--message", "Another step")
        subprocess.run(["git", *command], input=asked, text=True, check=False, capture_output=True)
        assert canaries.ran() == {"canary"}, name
        canaries.clear()


def test_borrowed_objects_are_read_and_reported_if_missing(
    project: Path, tmp_path: Path, expected: list[Outcome]
) -> None:
    lender = tmp_path / "lender"
    shutil.move(".git/objects", lender)
    Path(".git/objects/info").mkdir(parents=True)
    Path(".git/objects/info/alternates").write_text(f"{lender}\n")
    assert read_baseline() == expected
    shutil.rmtree(lender)
    commit = Path(".git/refs/heads/main").read_text()[:7]
    missing = (
        f"generated: commit-missing: the repository lacks its last commit ({commit}); run "
        "`git fsck`, or compare with a folder by `--against`\n"
    )
    for command in (["check"], ["status"], ["generate"], ["gate"]):
        outcome = dateline(*command)
        assert (outcome.status, outcome.err) == (UNREADABLE, missing)
    unknown = dateline("check", "--against", "HEAD")
    assert (unknown.status, unknown.out) == (UNREADABLE, "")
    assert unknown.err.startswith("HEAD: revision-unknown: ")
    assert project.is_dir()


def test_linked_worktree_is_read_like_the_main_one(
    project: Path,
    tmp_path: Path,
    canaries: Canaries,
    monkeypatch: pytest.MonkeyPatch,
    expected: list[Outcome],
) -> None:
    git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    git("config", "extensions.worktreeConfig", "true")
    monkeypatch.chdir(tmp_path / "linked")
    git("config", "--worktree", "core.fsmonitor", canaries.plant("fsmonitor"))
    assert (read_baseline(), canaries.ran()) == (expected, set())
    run_git("status")
    assert canaries.ran() == {"fsmonitor"}
    assert project.is_dir()


@pytest.mark.parametrize("outputs", ["outputs", "../outputs"])
def test_outputs_behind_a_symbolic_link_are_refused(project: Path, outputs: str) -> None:
    Path("generated").rename(outputs)
    Path("generated").symlink_to(outputs)
    refusal = Outcome(
        MISUSE, "", "generated: output-path: is a symbolic link, name the folder it points to\n"
    )
    assert {*read_baseline()} == {refusal}
    if outputs == "outputs":
        commit()
        named = dateline("check", "--output", outputs, "--against", "HEAD")
        assert (named.status, named.out.splitlines()[1:]) == (CLEAN, ["no findings"])
    assert project.is_dir()


def test_shallow_clone_is_read_and_missing_commits_are_explained(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(("title: Library", "title: Libraries"))
    assert dateline("generate").status == CLEAN
    commit()
    expected = read_baseline()
    git("clone", "--quiet", "--depth=1", f"file://{project}", str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert [each.status for each in read_baseline()] == [each.status for each in expected]
    for reference, fetch in {
        "HEAD~1": "git fetch --unshallow",
        "origin/other": "git fetch --depth=1 origin +other:refs/remotes/origin/other",
    }.items():
        assert dateline("check", "--against", reference) == Outcome(
            UNREADABLE,
            "",
            f"{reference}: revision-unknown: neither a path nor a revision of the repository that "
            f"contains generated; this clone is shallow: run `{fetch}` first\n",
        )
    git("fetch", "--quiet", "--unshallow")
    found = dateline("check", "--against", "origin/other")
    assert "contains generated; run `git fetch origin`, or name a branch, a tag, a" in found.err


def test_sha256_repository_is_read(
    project: Path, canaries: Canaries, expected: list[Outcome]
) -> None:
    shutil.rmtree(".git")
    git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    commit()
    outcomes = read_baseline()
    assert [each.status for each in outcomes] == [each.status for each in expected]
    edit(("note: { type: string }", "note: { type: integer }"))
    outcome = dateline("check", "--against", "HEAD")
    assert (outcome.status, "[type-changed]" in outcome.out) == (FOUND, True)
    assert (canaries.ran(), project.is_dir()) == (set(), True)


# Whether files are committed is decided without git's own comparison


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_files_that_differ_from_the_last_commit_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", f"--object-format={form}")
    for name in ("same", "edited", "lines", "gone", "staged", "back", "a b", "\u00e9", "run", "x"):
        Path(name).write_bytes(f"{name}\nin two lines\n".encode())
    Path("ends").write_bytes(b"one\r\ntwo\r\n")
    Path("link").symlink_to("same")
    Path("moved").symlink_to("same")
    Path(".gitignore").write_text("ignored\n")
    everything = sorted(each.name for each in tmp_path.iterdir() if each.name != ".git")
    assert Repository(Path("schemas")).list_uncommitted([tmp_path]) == everything
    commit()
    repository = Repository(Path("schemas"))
    assert repository.list_uncommitted([tmp_path]) == []
    Path("edited").write_text("other")
    Path("lines").write_bytes(b"lines\r\nin two lines\r\n")
    Path("ends").write_bytes(b"one\ntwo\n")
    Path("gone").unlink()
    for name, then in (("staged", "other"), ("back", "other")):
        Path(name).write_text(then)
        git("add", name)
    Path("back").write_bytes(b"back\nin two lines\n")
    Path("run").chmod(0o755)
    Path("moved").unlink()
    Path("moved").symlink_to("edited")
    Path("x").unlink()
    Path("x").mkdir()
    Path("x/inner").write_text("new")
    for name in ("new", "ignored"):
        Path(name).write_text("new")
    expected = ["edited", "gone", "moved", "new", "staged", "x", "x/inner"]
    assert repository.list_uncommitted([tmp_path]) == expected
    assert repository.list_uncommitted([tmp_path / "x", tmp_path / "new", tmp_path / "same"]) == [
        "new",
        "x",
        "x/inner",
    ]
    assert repository.list_uncommitted([tmp_path.parent / "elsewhere"]) == []


def test_other_line_endings_are_no_difference(project: Path) -> None:
    git("config", "core.autocrlf", "true")
    documents = [*Path("generated/spec").rglob("*.json")]
    for path in (*documents, *Path("schemas").glob("*.yaml")):
        path.unlink()
    git("checkout", "--", ".")
    assert b"\r\n" in Path("schemas/loans.yaml").read_bytes()
    # outputs have attributes of their own: their digests are those of the manifest
    assert not any(b"\r\n" in path.read_bytes() for path in documents)
    assert Repository(project).list_uncommitted([project]) == []
    # the control: another character is a difference
    edit(("title: Library", "title: Libraries"))
    assert Repository(project).list_uncommitted([project]) == ["schemas/api.yaml"]


def test_git_lfs_file_is_compared_by_digest_and_is_no_baseline(project: Path) -> None:
    name = "generated/spec/production/2024-01-15.json"
    content = Path(name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    pointer = (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    )
    Path(name).write_text(pointer)
    commit()
    Path(name).write_bytes(content)
    assert Repository(project).list_uncommitted([project]) == []
    Path(name).write_bytes(content + b"\n")
    assert Repository(project).list_uncommitted([project]) == [name]
    outcome = dateline("check", "--against", "HEAD")
    assert outcome == Outcome(
        UNREADABLE,
        "",
        f"{name}: blob-filtered: git stores a Git LFS pointer in its place; take it out of the "
        "filter in .gitattributes\n",
    )


def test_filter_that_hides_whether_a_file_is_committed_is_named(
    project: Path, canaries: Canaries
) -> None:
    Path(".gitattributes").write_text("schemas/loans.yaml filter=upper\n")
    git("config", "filter.upper.clean", "tr a-z A-Z")
    commit()
    git("config", "filter.upper.clean", canaries.plant("clean"))
    touch(project)
    outcome = dateline("cut", "2025-09-01", "--title", "Loans stay.", "--undisclosed")
    assert outcome == Outcome(
        MISUSE,
        "",
        "schemas/loans.yaml is not as it was committed, or the filter 'upper' of gitattributes, "
        "which is not run, makes it so; take it out of the filter\n",
    )
    assert canaries.ran() == set()


@pytest.mark.usefixtures("project")
def test_name_of_a_branch_and_a_tag_is_refused() -> None:
    git("tag", "before")
    git("config", "core.warnAmbiguousRefs", "false")
    git("branch", "both", git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Next").strip())
    git("tag", "both", "before")
    repository = Repository(Path())
    for name in ("both", "both~0"):
        with pytest.raises(GitError, match=f"^{name}: revision-ambiguous: a branch and a tag"):
            repository.commit(name)
    named = ("before", "refs/tags/both", "tags/both^0", "refs/heads/both", "refs/heads/both~1")
    start, after = (git("rev-parse", name).strip() for name in ("before", "refs/heads/both"))
    assert [*map(repository.commit, named)] == [start, start, start, after, start]


@pytest.mark.usefixtures("project")
def test_merge_of_several_branches_at_once_is_refused() -> None:
    head, merged = git("rev-parse", "HEAD"), Path(".git/MERGE_HEAD")
    git("branch", "MERGE_HEAD")
    assert not Repository(Path("schemas")).is_merging()
    merged.write_text(head)
    assert Repository(Path("schemas")).is_merging()
    merged.write_text(head + head)
    assert dateline("check").err.startswith("generated: merge-of-several: ")


def test_repository_without_a_commit_is_read(tmp_path: Path) -> None:
    root = tmp_path / "with a\nline break"
    git("init", "-q", str(root))
    (root / ".gitattributes").write_text("*.bin filter=lfs\n*.txt -filter\n")
    found = Repository(root)
    assert (found.top, found.head(), found.is_merging()) == (root.resolve(), None, False)
    names = ["a.txt", "b.bin", "c.md", "d.txt", "e.bin", "f.bin"]
    assert found.filters(names) == {"b.bin": "lfs", "e.bin": "lfs", "f.bin": "lfs"}


def test_missing_git_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoRepositoryError, match=r": this is in no git repository$"):
        Repository(tmp_path)
    git("init", "-q", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(NoRepositoryError) as caught:
        Repository(tmp_path)
    assert str(caught.value) == "git is not installed; compare with a folder instead"
