"""A folder contains exactly the artifacts, or is unchanged."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from support.repositories import git
from support.written_trees import (
    NEW,
    OLD,
    SOURCE,
    artifacts,
    list_metadata,
    manifest,
    read_inodes,
    tree,
    with_manifest,
)

from dateline.files import (
    ArtifactError,
    BusyError,
    OutputError,
    Stale,
    WriteResult,
    find_stale,
    remember,
    write,
)
from dateline.fresh import is_same_commit, is_unchanged_since
from dateline.model import Artifact

# Writing


def test_folder_contains_the_artifacts_and_their_manifest(folder: Path) -> None:
    result = write(artifacts(OLD), folder)
    assert result == WriteResult(
        added=("a.txt", "deep/c.txt", "deep/er/b.txt", "gone/d.txt", "manifest.json"),
        changed=(),
        removed=(),
        unchanged=(),
    )
    assert tree(folder) == with_manifest(OLD)


def test_folder_without_artifacts_contains_an_empty_manifest(folder: Path) -> None:
    write([], folder)
    assert {name: json.loads(content) for name, content in tree(folder).items()} == {
        "manifest.json": {"files": []}
    }
    assert find_stale([], folder) == []


def test_changes_are_reported_and_removed_files_are_gone(written: Path) -> None:
    assert write(artifacts(NEW), written) == WriteResult(
        added=("come/e.txt",),
        changed=("deep/er/b.txt", "manifest.json"),
        removed=("gone/d.txt",),
        unchanged=("a.txt", "deep/c.txt"),
    )
    assert tree(written) == with_manifest(NEW)
    assert not (written / "gone").exists()


def test_unchanged_files_are_not_touched(written: Path) -> None:
    before = read_inodes(written)
    write(artifacts(NEW), written)
    after = read_inodes(written)
    assert [path for path in before if after.get(path) == before[path]] == ["a.txt", "deep/c.txt"]


def test_nothing_is_switched_if_nothing_differs(written: Path) -> None:
    before = (written.stat().st_ino, written.stat().st_mtime_ns, read_inodes(written))
    assert write(artifacts(OLD), written) == WriteResult(
        (), (), (), tuple(sorted(with_manifest(OLD)))
    )
    assert (written.stat().st_ino, written.stat().st_mtime_ns, read_inodes(written)) == before


def test_only_the_lock_and_a_gitignore_stay_beside_the_folder(written: Path) -> None:
    write(artifacts(NEW), written)
    assert list_metadata(written) == [".gitignore", "lock", "written"]
    assert (written.parent / ".generated.dateline/.gitignore").read_bytes() == b"*\n"
    assert sorted(path.name for path in Path().iterdir()) == [".generated.dateline", "generated"]


def test_order_of_artifacts_does_not_matter(folder: Path) -> None:
    write(artifacts(OLD)[::-1], folder)
    assert write(artifacts(OLD), folder) == WriteResult(
        (), (), (), tuple(sorted(with_manifest(OLD)))
    )


def test_file_is_replaced_by_a_folder_and_back(folder: Path) -> None:
    one, other = {"x": b"1", "y/z": b"2"}, {"x/w": b"1", "y": b"2"}
    for files in (one, other, one):
        write(artifacts(files), folder)
        assert tree(folder) == with_manifest(files)


def test_missing_parents_are_created(folder: Path) -> None:
    write(artifacts(OLD), folder / "one/two")
    assert tree(folder / "one/two") == with_manifest(OLD)


def test_folders_keep_their_mode(written: Path) -> None:
    (written / "deep").chmod(0o2775)
    write(artifacts(NEW), written)
    assert stat.S_IMODE((written / "deep").stat().st_mode) == 0o2775


def test_edited_files_are_restored(written: Path) -> None:
    (written / "a.txt").write_bytes(b"edited")
    (written / "deep/c.txt").unlink()
    (written / "deep/c.txt").symlink_to("er/b.txt")
    assert write(artifacts(OLD), written) == WriteResult(
        added=(),
        changed=("a.txt", "deep/c.txt"),
        removed=(),
        unchanged=("deep/er/b.txt", "gone/d.txt", "manifest.json"),
    )
    assert tree(written) == with_manifest(OLD)
    assert not (written / "deep/c.txt").is_symlink()


def test_file_restored_through_a_hard_link_leaves_its_other_name_alone(written: Path) -> None:
    os.link(written / "deep/er/b.txt", "backup.txt")
    write(artifacts(NEW), written)
    assert Path("backup.txt").read_bytes() == b"b"


# Staleness


def test_nothing_is_stale_after_writing(written: Path) -> None:
    assert find_stale(artifacts(OLD), written) == []


def test_everything_is_missing_before_the_first_run(folder: Path) -> None:
    assert list(map(str, find_stale(artifacts({"b": b"", "a": b""}), folder))) == [
        "a: missing",
        "b: missing",
        "manifest.json: missing",
    ]
    assert list(Path().iterdir()) == []


def test_every_state_is_distinguished(written: Path) -> None:
    (written / "a.txt").write_bytes(b"edited")
    (written / "deep/c.txt").unlink()
    (written / "notes.txt").write_bytes(b"by hand")
    assert find_stale(artifacts(NEW), written) == [
        Stale("a.txt", "edited"),
        Stale("come/e.txt", "missing"),
        Stale("deep/c.txt", "missing"),
        Stale("deep/er/b.txt", "outdated"),
        Stale("gone/d.txt", "extra"),
        Stale("manifest.json", "outdated"),
        Stale("notes.txt", "extra"),
    ]


def test_edited_manifest_is_distinguished_from_an_outdated_one(written: Path) -> None:
    text = (written / "manifest.json").read_bytes()
    (written / "manifest.json").write_bytes(text.replace(b"    ", b"  "))
    assert find_stale(artifacts(OLD), written) == [Stale("manifest.json", "edited")]


def test_irregular_file_counts_as_edited_and_is_never_read(written: Path) -> None:
    (written / "a.txt").unlink()
    os.mkfifo(written / "a.txt")
    assert find_stale(artifacts(OLD), written) == [Stale("a.txt", "edited")]
    write(artifacts(OLD), written)
    assert tree(written) == with_manifest(OLD)


def test_unprintable_name_is_escaped(written: Path) -> None:
    (written / "x\ny").write_bytes(b"")
    Path(os.fsdecode(os.fsencode(written) + b"/\xff")).write_bytes(b"")
    assert list(map(str, find_stale(artifacts(OLD), written))) == ["x\\ny: extra", "\\udcff: extra"]


def test_staleness_check_writes_nothing(written: Path) -> None:
    shutil.rmtree(".generated.dateline")
    find_stale(artifacts(NEW), written)
    assert tree(written) == with_manifest(OLD)
    assert [path.name for path in Path().iterdir()] == ["generated"]


# Foreign files


@pytest.mark.parametrize(
    ("foreign", "others"), [(["notes.txt"], ""), (["z", "deep/y", "w/x"], " (nor 2 more)")]
)
def test_foreign_files_are_refused(written: Path, foreign: list[str], others: str) -> None:
    for path in foreign:
        (written / path).parent.mkdir(exist_ok=True)
        (written / path).write_bytes(b"by hand")
    before = tree(written)
    with pytest.raises(OutputError) as caught:
        write(artifacts(NEW), written)
    assert str(caught.value) == (
        f"generated/{min(foreign)}: output-foreign: dateline did not write this file{others}, "
        "move it out of the output folder"
    )
    assert caught.value.exit_code == 2
    assert tree(written) == before


def test_folder_of_another_tool_is_unchanged(folder: Path) -> None:
    folder.mkdir()
    (folder / "manifest.json").write_bytes(b'{"name": "a web application"}\n')
    with pytest.raises(OutputError, match=r"generated/manifest\.json: output-foreign"):
        write(artifacts(NEW), folder)
    assert tree(Path()) == {"generated/manifest.json": b'{"name": "a web application"}\n'}


def test_foreign_link_to_a_folder_is_not_followed(written: Path) -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/c.txt").write_bytes(b"precious")
    shutil.rmtree(written / "deep")
    (written / "deep").symlink_to("../elsewhere")
    with pytest.raises(OutputError, match="generated/deep: output-foreign"):
        write(artifacts(OLD), written)
    assert Path("elsewhere/c.txt").read_bytes() == b"precious"


def test_name_with_a_line_break_is_escaped_in_the_refusal(written: Path) -> None:
    (written / "x\ny").write_bytes(b"")
    with pytest.raises(OutputError, match=r"^generated/x\\ny: output-foreign: [^\n]*$"):
        write(artifacts(OLD), written)


def test_tree_restored_without_its_manifest_is_repaired(written: Path) -> None:
    (written / "manifest.json").unlink()
    assert write(artifacts(OLD), written) == WriteResult(
        added=("manifest.json",), changed=(), removed=(), unchanged=tuple(sorted(OLD))
    )


def test_unlisted_file_that_differs_is_foreign(written: Path) -> None:
    (written / "manifest.json").unlink()
    (written / "a.txt").write_bytes(b"by hand")
    assert find_stale(artifacts(OLD), written) == [
        Stale("a.txt", "extra"),
        Stale("manifest.json", "missing"),
    ]
    with pytest.raises(OutputError, match=r"generated/a\.txt: output-foreign"):
        write(artifacts(OLD), written)


def test_merge_conflicts_are_repaired(written: Path) -> None:
    ours, theirs = manifest(OLD), manifest(NEW)
    merged = b"<<<<<<< ours\n" + ours + b"=======\n" + theirs + b">>>>>>> theirs\n"
    (written / "manifest.json").write_bytes(merged)
    (written / "come").mkdir()
    (written / "come/e.txt").write_bytes(b"theirs")
    (written / "deep/er/b.txt").write_bytes(b"<<<<<<< ours\nb=======\nB>>>>>>> theirs\n")
    write(artifacts(OLD), written)
    assert tree(written) == with_manifest(OLD)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b'{"files": 7}', b"[" * 100_000, b"\xff\xfe", b'{"files": [{}, 1]}']
)
def test_broken_manifest_is_repaired(written: Path, text: bytes) -> None:
    (written / "manifest.json").write_bytes(text)
    assert find_stale(artifacts(OLD), written) == [Stale("manifest.json", "edited")]
    write(artifacts(OLD), written)
    assert tree(written) == with_manifest(OLD)


def test_empty_folders_are_ignored(written: Path) -> None:
    (written / "hollow/inside").mkdir(parents=True)
    assert find_stale(artifacts(OLD), written) == []
    write(artifacts(NEW), written)
    assert tree(written) == with_manifest(NEW)


CACHES = (
    "__pycache__/a.cpython-311.pyc",
    "deep/__pycache__/c.cpython-311.opt-1.pyc",
    "deep/c.pyc",
    "paynet.egg-info/PKG-INFO",
    ".mypy_cache/3.11/x.json",
    ".ruff_cache/x",
    ".pytest_cache/v/x",
)
PYTHON = {"a.py": b"a", "deep/c.py": b"c", "deep/d.py": b"d", "gone/e.py": b"e"}


def test_caches_of_tools_are_kept(folder: Path) -> None:
    write(artifacts(PYTHON), folder)
    for path in CACHES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"cached")
    assert find_stale(artifacts(PYTHON), folder) == []
    changed = {**PYTHON, "deep/d.py": b"D"}
    write(artifacts(changed), folder)
    assert tree(folder) == with_manifest(changed) | dict.fromkeys(CACHES, b"cached")


def test_bytecode_is_removed_with_its_source(folder: Path) -> None:
    write(artifacts(PYTHON), folder)
    for path in (
        "deep/__pycache__/c.3.pyc",
        "deep/__pycache__/d.3.pyc",
        "gone/__pycache__/e.3.pyc",
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"cached")
    changed = {"a.py": b"a", "deep/c.py": b"c", "deep/d.py": b"D"}
    write(artifacts(changed), folder)
    assert tree(folder) == with_manifest(changed) | {"deep/__pycache__/c.3.pyc": b"cached"}
    assert not (folder / "gone").exists()


# Forbidden output folders


def refusal(folder: Path, *protected: Path) -> str:
    with pytest.raises(OutputError) as caught:
        write(artifacts(OLD), folder, protected=protected)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("/", "is the root of the file system, give the output a folder of its own"),
        (".", "is the current directory, give the output a folder of its own"),
        ("..", "contains the current directory, give the output a folder of its own"),
        ("../home", "is the home directory, give the output a folder of its own"),
        ("schemas", "is schemas, give the output a folder of its own"),
        ("defs", "contains defs/templates, give the output a folder of its own"),
        ("schemas/out", "lies in schemas, give the output a folder of its own"),
        ("alias/out", "lies in schemas, give the output a folder of its own"),
        ("file", "is not a folder, name another output"),
        ("link", "is a symbolic link, name the folder it points to"),
        ("dangling", "is a symbolic link, name the folder it points to"),
        ("taken", "needs .taken.dateline beside it as a folder, move away what is there"),
        ("led", "needs .led.dateline beside it as a folder, move away what is there"),
    ],
)
def test_forbidden_output_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, reason: str
) -> None:
    work = tmp_path / "work"
    for name in ("schemas", "defs/templates", "free", "x/y"):
        (work / name).mkdir(parents=True)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Path("file").write_bytes(b"")
    Path("link").symlink_to("free")
    Path("dangling").symlink_to("nowhere")
    Path("alias").symlink_to("schemas")
    Path(".taken.dateline").write_bytes(b"")
    Path(".led.dateline").symlink_to("free")
    before = sorted(map(str, tmp_path.rglob("*")))
    protected = [Path("schemas"), Path("defs/templates"), Path("absent")]
    assert refusal(Path(output), *protected) == f"{output}: output-path: {reason}"
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_folder_is_named_by_its_own_name(folder: Path) -> None:
    Path("a/b").mkdir(parents=True)
    assert refusal(folder / "../a/b/..") == (
        "generated/../a/b/..: output-path: ends in '..', name the folder itself"
    )


@pytest.mark.skipif(not Path("/proc").is_mount(), reason="needs a mount point that is always there")
def test_mount_point_is_refused() -> None:
    assert refusal(Path("/proc")) == (
        "/proc: output-path: is a mount point and can't be switched, name a folder in it"
    )


def test_staleness_check_refuses_a_path_that_is_no_folder(folder: Path) -> None:
    folder.write_bytes(b"")
    with pytest.raises(OutputError, match="is not a folder"):
        find_stale(artifacts(OLD), folder)


# Paths of artifacts


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("../x", "has an empty part, '.' or '..'"),
        ("a/../x", "has an empty part, '.' or '..'"),
        ("./x", "has an empty part, '.' or '..'"),
        ("a//x", "has an empty part, '.' or '..'"),
        ("a/", "has an empty part, '.' or '..'"),
        ("a\\x", 'contains one of \\ < > : " | ? *'),
        ("C:x", 'contains one of \\ < > : " | ? *'),
        ("a\nx", "contains a control character"),
        ("a\0x", "contains a control character"),
        ("a\u202ex", "contains a control character"),
        ("a\ud800x", "contains a control character"),
        ("nul", "has a part that is the name of a device on Windows"),
        ("Con.txt/x", "has a part that is the name of a device on Windows"),
        ("a/LPT1.tar.gz", "has a part that is the name of a device on Windows"),
        ("a/x.", "has a part that ends in a dot or a space"),
        ("a /x", "has a part that ends in a dot or a space"),
        ("a/" + "x" * 199, "is longer than 200 bytes"),
        ("é" * 101, "is longer than 200 bytes"),
        ("a/__pycache__/x", "lies where tools keep caches"),
        ("x.pyc", "lies where tools keep caches"),
    ],
)
def test_path_that_some_systems_do_not_support_is_refused(
    folder: Path, path: str, fault: str
) -> None:
    with pytest.raises(ArtifactError) as caught:
        write(artifacts({path: b""}), folder)
    shown = path.encode("unicode_escape").decode() if not path.isprintable() else path
    shown = {"a\0x": "a\\x00x"}.get(path, shown)
    assert str(caught.value) == f"{shown}: artifact-path: {fault}, rename it"
    assert caught.value.exit_code == 3
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("paths", "earlier", "later"),
    [
        (["x", "x"], "x", "x"),
        (["A.py", "a.py"], "A.py", "a.py"),
        (["straße", "STRASSE"], "STRASSE", "straße"),
        (["\u00e9", "e\u0301"], "e\u0301", "\u00e9"),
        (["a", "a/b"], "a", "a/"),
        (["A", "a/b"], "A", "a/"),
        (["A/x", "a/y"], "A/", "a/"),
        (["Manifest.JSON"], "manifest.json", "Manifest.JSON"),
        (["manifest.json/x"], "manifest.json", "manifest.json/"),
    ],
)
def test_paths_that_differ_only_in_case_or_normalization_are_refused(
    folder: Path, paths: list[str], earlier: str, later: str
) -> None:
    with pytest.raises(ArtifactError) as caught:
        write([Artifact(path=path, content=b"") for path in paths], folder)
    assert str(caught.value) == (
        f"{later}: artifact-path: can't be beside {earlier} on every file system, rename one"
    )
    assert list(Path().iterdir()) == []


def test_all_invalid_paths_are_reported_together(folder: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        find_stale(artifacts({"/x": b"", "ok": b"", "aux": b""}), folder)
    assert str(caught.value).splitlines() == [
        "/x: artifact-path: is absolute, rename it",
        "aux: artifact-path: has a part that is the name of a device on Windows, rename it",
    ]


def test_unusual_but_valid_paths_are_written(folder: Path) -> None:
    files = {"2025-03-13..2026-07-01.md": b"1", ".hidden": b"2", "a b/con1": b"3", "x" * 200: b"4"}
    write(artifacts(files), folder)
    assert tree(folder) == with_manifest(files)


# Nothing to do


def test_there_is_nothing_to_do_for_the_recorded_key_only(written: Path) -> None:
    assert not is_unchanged_since(written, "inputs")
    remember(written, "inputs")
    assert is_unchanged_since(written, "inputs")
    assert not is_unchanged_since(written, "other inputs")
    assert list_metadata(written) == [".gitignore", "lock", "record", "written"]


def test_written_tree_is_recognized_without_reading_it(written: Path) -> None:
    (written / "__pycache__").mkdir()
    (written / "__pycache__/a.pyc").write_bytes(b"a cache")
    for wanted in (OLD, NEW, {"a\u00fc.txt": b"", "deep/b": b"1", "deep.txt": b"2"}):
        write(artifacts(wanted), written, key="inputs")
        assert is_unchanged_since(written, "inputs")
    (written / "deep/b").unlink()
    assert not is_unchanged_since(written, "inputs")
    (written / "deep/b").symlink_to("../deep.txt")
    (written / "deep.txt").write_bytes(b"1")
    assert not is_unchanged_since(written, "inputs")


def test_write_can_record_its_key(written: Path) -> None:
    write(artifacts(OLD), written, key="inputs")
    assert is_unchanged_since(written, "inputs")
    write(artifacts(NEW), written, key="other inputs")
    assert not is_unchanged_since(written, "inputs")
    assert is_unchanged_since(written, "other inputs")


def test_different_tree_needs_a_run(written: Path) -> None:
    remember(written, "inputs")
    write(artifacts(NEW), written)
    assert not is_unchanged_since(written, "inputs")


def link_away(path: Path) -> None:
    path.rename("elsewhere")
    path.symlink_to(Path("elsewhere").resolve())


DISTURBANCES: dict[str, Callable[[Path], object]] = {
    "generated/a.txt": lambda path: path.write_bytes(b"A"),
    "generated/deep/c.txt": Path.unlink,
    "generated/deep/er/b.txt": link_away,
    "generated/extra.txt": Path.touch,
    "generated/deep/er/manifest.json": Path.touch,
    "generated/manifest.json": lambda path: path.write_bytes(manifest({})),
    "generated": shutil.rmtree,
    ".generated.dateline": shutil.rmtree,
    ".generated.dateline/record": lambda path: path.write_bytes(b"[" * 100_000),
}


@pytest.mark.parametrize("place", DISTURBANCES)
def test_modified_tree_needs_a_run(written: Path, place: str) -> None:
    remember(written, "inputs")
    DISTURBANCES[place](Path(place))
    assert not is_unchanged_since(written, "inputs")


def test_caches_and_empty_folders_need_no_run(written: Path) -> None:
    remember(written, "inputs")
    (written / "deep/__pycache__").mkdir()
    (written / "deep/__pycache__/x").write_bytes(b"")
    (written / "hollow").mkdir()
    assert is_unchanged_since(written, "inputs")


def test_another_commit_is_noticed_wherever_git_names_it(folder: Path) -> None:
    write(artifacts(OLD), folder)

    def commit() -> None:
        git("commit", "--quiet", "--allow-empty", "--message", "A step")

    moves: list[Callable[[], object]] = [
        lambda: git("init", "--quiet", "--initial-branch=main"),
        commit,
        lambda: git("pack-refs", "--all"),
        commit,
        lambda: git("symbolic-ref", "HEAD", "refs/heads/alias"),
        lambda: git("symbolic-ref", "refs/heads/alias", "refs/heads/main"),
        commit,
        lambda: git("checkout", "--quiet", "--detach"),
        commit,
        lambda: Path(".git").rename("home"),
        lambda: Path(".git").write_text("gitdir: home\n"),
        lambda: git("checkout", "--quiet", "main"),
        lambda: Path("home/MERGE_HEAD").write_text(git("rev-parse", "HEAD~1")),
    ]
    noticed = []
    for move in moves:
        remember(folder, "inputs")
        move()
        noticed.append(is_same_commit(folder))
        assert is_unchanged_since(folder, "inputs")
    assert [number for number, same in enumerate(noticed) if same] == [2]


def test_key_is_not_recorded_without_a_tree(folder: Path) -> None:
    with pytest.raises(OutputError, match=r"^generated: output-unusable: No such file"):
        remember(folder, "inputs")


# Concurrent runs


PAUSED = """
import sys
from pathlib import Path
from dateline.files import write
from dateline.model import Artifact

def pause(event, arguments):
    if event == "os.chmod" and Path(arguments[0]).name == "new":
        print("staging", flush=True)
        sys.stdin.readline()

sys.addaudithook(pause)
write([Artifact(path="a.txt", content=b"by the first")], Path("generated"))
"""


def paused_run() -> subprocess.Popen[str]:
    """Start a run that pauses while it stages its tree."""
    run = subprocess.Popen(
        [sys.executable, "-c", PAUSED],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    output: IO[str] | None = run.stdout
    assert output is not None
    assert output.readline() == "staging\n"
    return run


def test_concurrent_run_is_refused(written: Path) -> None:
    with paused_run() as first:
        with pytest.raises(BusyError) as caught:
            write(artifacts(NEW), written)
        assert tree(written) == with_manifest(OLD)
        first.communicate("go on\n")
    assert first.returncode == 0
    assert str(caught.value) == (
        f"generated: output-busy: another dateline (process {first.pid}) is writing to it, "
        "wait for it to end"
    )
    assert caught.value.exit_code == 3
    assert tree(written) == with_manifest({"a.txt": b"by the first"})
    assert list_metadata(written) == [".gitignore", "lock", "written"]


def test_lock_is_released_with_the_process(written: Path) -> None:
    with paused_run() as first:
        first.kill()
    assert list_metadata(written) == [".gitignore", "lock", "new", "written"]
    write(artifacts(NEW), written)
    assert tree(written) == with_manifest(NEW)
    assert list_metadata(written) == [".gitignore", "lock", "written"]


def test_file_saved_while_the_tree_is_staged_survives(written: Path) -> None:
    with paused_run() as first:
        (written / "notes").mkdir()
        (written / "notes/today.txt").write_bytes(b"precious")
        first.communicate("go on\n")
    assert first.returncode == 0
    files = {"a.txt": b"by the first"}
    assert tree(written) == {**with_manifest(files), "notes/today.txt": b"precious"}


def test_leftovers_of_a_killed_run_are_removed(written: Path) -> None:
    for name in ("new/deep", "old/deep", "copy/deep"):
        Path(".generated.dateline", name).mkdir(parents=True)
        Path(".generated.dateline", name, "x").write_bytes(b"half")
    Path(".generated.dateline/draft").write_bytes(b"half")
    Path(".generated.dateline/.gitignore").write_bytes(b"")
    for name in OLD:
        Path(".generated.dateline/old", name).parent.mkdir(parents=True, exist_ok=True)
        Path(".generated.dateline/old", name).write_bytes(b"older")
    shutil.rmtree(".generated.dateline/new")
    write(artifacts(NEW), written)
    assert tree(written) == with_manifest(NEW)
    assert list_metadata(written) == [".gitignore", "lock", "written"]
    assert Path(".generated.dateline/.gitignore").read_bytes() == b"*\n"


def test_planted_links_beside_the_folder_are_not_followed(written: Path) -> None:
    Path("elsewhere/deep").mkdir(parents=True)
    Path("elsewhere/deep/precious").write_bytes(b"precious")
    Path("mine").write_bytes(b"mine")
    for name in ("new", "old", "copy"):
        Path(".generated.dateline", name).symlink_to("../elsewhere")
    for name in ("draft", ".gitignore", "record"):
        Path(".generated.dateline", name).unlink(missing_ok=True)
        Path(".generated.dateline", name).symlink_to("../mine")
    write(artifacts(NEW), written, key="inputs")
    assert tree(written) == with_manifest(NEW)
    assert tree(Path("elsewhere")) == {"deep/precious": b"precious"}
    assert Path("mine").read_bytes() == b"mine"
    assert list_metadata(written) == [".gitignore", "lock", "record", "written"]
