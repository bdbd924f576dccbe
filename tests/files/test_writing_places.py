"""Write under other locales, on full disks, without permissions and on overlay file systems."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.written_trees import (
    OLD,
    SOURCE,
    artifacts,
    list_metadata,
    python,
    read_inodes,
    tree,
    with_manifest,
)

from dateline.files import (
    find_stale,
    remember,
    write,
)
from dateline.fresh import is_unchanged_since

# System errors


ELSEWHERE = """
import os, sys
from pathlib import Path
from dateline.files import write
from dateline.model import Artifact
os.umask(0o077)
write([Artifact(path="deep/a.txt", content="\\xe9\\n".encode())], Path(sys.argv[1]), key="k")
"""


def test_locale_umask_place_and_time_zone_do_not_matter(folder: Path, tmp_path: Path) -> None:
    files = {"deep/a.txt": "é\n".encode()}
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Kolkata"}
    (tmp_path / "home").mkdir(mode=0o555)
    run = python(
        ELSEWHERE, str(tmp_path / folder), cwd="/", env={**env, "HOME": str(tmp_path / "home")}
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert tree(folder) == with_manifest(files)
    assert {
        path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in [folder, *folder.rglob("*")]
    } == {".": 0o755, "deep": 0o755, "deep/a.txt": 0o644, "manifest.json": 0o644}


def test_name_that_the_locale_can_not_encode_is_refused(folder: Path) -> None:
    script = (
        "from pathlib import Path\n"
        "from dateline.files import ArtifactError, write\n"
        "from dateline.model import Artifact\n"
        "try:\n"
        "    write([Artifact(path='\\xe9', content=b'')], Path('generated'))\n"
        "except ArtifactError as error:\n"
        "    print(ascii(str(error)))\n"
    )
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = python(script, cwd=folder.parent, env=env)
    assert run.stdout == (
        '"\\xe9: artifact-path: can\'t be spelt in this locale (LC_ALL=C.UTF-8 would), rename it"\n'
    )


TOLD = """
import ctypes, fcntl, os, resource, shutil, sys, unicodedata  # another user may not read them
from pathlib import Path
from dateline.files import OutputError, write
from dateline.model import Artifact

new = [Artifact(path="a.txt", content=b"new" * 100_000), Artifact(path="b.txt", content=b"new")]
exec(sys.argv[1])
try:
    print(write(new, Path(sys.argv[2])))
except OutputError as error:
    print(error)
"""


def report_write(prepare: str, output: str = "generated") -> str:
    """Write two other files to *output* in a process with a given problem."""
    run = python(TOLD, prepare, output)
    assert run.stderr == ""
    return run.stdout


def test_full_disk_leaves_the_old_tree(written: Path) -> None:
    remember(written, "inputs")
    line = report_write("resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))")
    assert line == (
        f"generated: output-unusable: {os.strerror(errno.EFBIG)}, nothing was changed; "
        "fix that or name another output\n"
    )
    assert is_unchanged_since(written, "inputs")
    assert list_metadata(written) == [".gitignore", "lock", "record", "written"]


def test_unwritable_folder_is_unchanged(folder: Path, tmp_path: Path) -> None:
    output = Path("closed/generated")
    write(artifacts(OLD), output)
    shutil.rmtree("closed/.generated.dateline")
    Path("closed").chmod(0o555)
    tmp_path.chmod(0o755)
    line = report_write("if not os.getuid(): os.setuid(65534)", str(output))
    Path("closed").chmod(0o755)
    assert line == (
        f"closed/generated: output-unusable: {os.strerror(errno.EACCES)} at "
        "closed/.generated.dateline, nothing was changed; fix that or name another output\n"
    )
    assert tree(Path("closed")) == {
        f"generated/{path}": c for path, c in with_manifest(OLD).items()
    }
    assert folder.exists() is False


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to someone else")
def test_files_that_can_not_be_linked_are_copied(folder: Path, tmp_path: Path) -> None:
    # Linux restricts hard links to files that the user owns or can write
    output = Path("open/generated")
    write(artifacts({"a.txt": b"new" * 100_000, "c.txt": b"c"}), output)
    before = read_inodes(output)
    for path in [tmp_path, *tmp_path.rglob("*")]:
        if path.is_dir() or "dateline" in str(path.parent.name):
            os.chown(path, 65534, 65534)
    assert report_write("os.setuid(65534)", str(output)) == (
        "WriteResult(added=('b.txt',), changed=('manifest.json',), removed=('c.txt',), "
        "unchanged=('a.txt',))\n"
    )
    assert tree(output) == with_manifest({"a.txt": b"new" * 100_000, "b.txt": b"new"})
    assert read_inodes(output)["a.txt"][1] == before["a.txt"][1]
    assert not folder.exists()


def in_namespace(mount: str, prepare: str, output: str) -> str:
    """Write like ``told`` in a namespace with an unprivileged *mount*."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs Linux namespaces")
    inside = ["unshare", "-rm", "sh", "-c"]
    trial = subprocess.run([*inside, mount], capture_output=True, text=True, check=False)
    if trial.returncode:
        pytest.skip(f"can't mount here: {trial.stderr.strip()}")
    run = subprocess.run(
        [*inside, f'{mount} && exec "$@"', "sh", sys.executable, "-c", TOLD, prepare, output],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    return run.stdout


def test_full_disk_is_reported_in_a_sentence(folder: Path) -> None:
    Path("small").mkdir()
    lines = in_namespace(
        "mount -t tmpfs -o size=64k none small",
        "write([Artifact(path='a.txt', content=b'old')], Path('small/generated'))",
        "small/generated",
    )
    assert lines == (
        f"small/generated: output-unusable: {os.strerror(errno.ENOSPC)}, nothing was changed; "
        "fix that or name another output\n"
    )
    assert not folder.exists()


def test_tree_in_a_lower_layer_of_an_overlay_is_replaced(folder: Path) -> None:
    # there, a folder can't be renamed: rename(2) fails with EXDEV
    for name in ("lower", "upper", "work", "merged"):
        Path(name).mkdir()
    before = {"a.txt": b"new" * 100_000, "deep/c.txt": b"c"}
    write(artifacts(before), Path("lower") / folder)
    lines = in_namespace(
        "mount -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work none merged",
        "pass",
        "merged/generated",
    )
    assert lines == (
        "WriteResult(added=('b.txt',), changed=('manifest.json',), removed=('deep/c.txt',), "
        "unchanged=('a.txt',))\n"
    )
    assert tree(Path("upper/generated")) == with_manifest(
        {"a.txt": b"new" * 100_000, "b.txt": b"new"}
    )
    assert tree(Path("lower/generated")) == with_manifest(before)


def test_tree_half_removed_from_a_lower_layer_is_completed(written: Path) -> None:
    # as after a kill on the way from `old` to `new`, when the folder couldn't be renamed
    Path(".generated.dateline/new").mkdir()
    shutil.copytree(written, ".generated.dateline/old")
    shutil.rmtree(written / "deep")
    (written / "manifest.json").unlink()
    assert find_stale(artifacts(OLD), written) == []
    assert tree(written) == with_manifest(OLD)
    assert list_metadata(written) == [".gitignore", "lock", "written"]
