"""Several files are written completely or not at all, even if the run is killed."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from support.forks import FileEvents, KillAt, run_beforehand, run_forked

from dateline.files import EditError, OutputError, WriteResult
from dateline.files import write as write_outputs
from dateline.files.sources import Outputs, Replacement, recover, write
from dateline.fresh import digest_inputs, is_unchanged_since
from dateline.model import Artifact

OLD = {"a.yaml": b"a: old\n", "b.yaml": b"b: old\r\n", "c.yaml": b"c: stays\n"}
NEW = {"a.yaml": b"a: new\n", "b.yaml": b"b: new\r\n"}
WRITTEN = {**OLD, **NEW}
REPLACEMENTS = [Replacement(name=name, before=OLD[name], after=NEW[name]) for name in sorted(NEW)]

# Files are added, changed and removed, also in subfolders.
MOVED_FROM = {**OLD, "_kept/one.json": b"1\n", "_kept/in/two.json": b"2\n"}
MOVED_TO = {**WRITTEN, "_kept/in/three.json": b"3\n", "_new/in/four.json": b"4\n"}
MOVES = [
    Replacement(name=name, before=MOVED_FROM.get(name), after=MOVED_TO.get(name))
    for name in sorted({**MOVED_FROM, **MOVED_TO})
    if MOVED_FROM.get(name) != MOVED_TO.get(name)
]


def read_content(folder: Path) -> dict[str, bytes]:
    """Return the content of *folder* by path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "schemas"
    made.mkdir()
    for name, content in OLD.items():
        (made / name).write_bytes(content)
    return made


def test_every_file_is_written_and_nothing_is_left_over(folder: Path) -> None:
    assert write(folder, REPLACEMENTS) is None
    assert read_content(folder) == WRITTEN
    assert sorted(path.name for path in folder.iterdir()) == sorted(WRITTEN)


def test_new_file_is_created(folder: Path) -> None:
    write(folder, [Replacement(name="d.yaml", before=None, after=b"d: new\n")])
    assert read_content(folder) == {**OLD, "d.yaml": b"d: new\n"}


def test_file_keeps_its_mode(folder: Path) -> None:
    (folder / "a.yaml").chmod(0o640)
    write(folder, REPLACEMENTS)
    assert (folder / "a.yaml").stat().st_mode & 0o777 == 0o640


def test_symbolic_link_stays_one(folder: Path) -> None:
    (folder / "a.yaml").rename(folder / "_a.yaml")
    (folder / "a.yaml").symlink_to("_a.yaml")
    write(folder, REPLACEMENTS)
    assert (folder / "a.yaml").is_symlink()
    assert (folder / "_a.yaml").read_bytes() == NEW["a.yaml"]


def test_nothing_is_written_if_a_file_has_changed(folder: Path) -> None:
    (folder / "b.yaml").write_bytes(b"b: edited\n")
    with pytest.raises(EditError) as caught:
        write(folder, REPLACEMENTS)
    assert str(caught.value) == (
        f"{folder}/b.yaml: edited-meanwhile: the file was edited since it was read; "
        "run the command again"
    )
    assert read_content(folder) == {**OLD, "b.yaml": b"b: edited\n"}


@pytest.mark.parametrize(
    ("in_the_way", "fault"),
    [("generated/mine", "output-foreign"), (".generated.dateline/record/in", "output-unusable")],
    ids=["before the switch", "after it"],
)
def test_files_are_new_if_and_only_if_the_outputs_are(
    folder: Path, in_the_way: str, fault: str
) -> None:
    before, after = ([Artifact(path="a", content=text)] for text in (b"old", b"new"))
    output = folder.parent / "generated"
    write_outputs(before, output)
    path = folder.parent / in_the_way
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"in the way")
    outputs = Outputs(folder=output, artifacts=after, protected=(folder,), key=lambda: "made of")
    with pytest.raises(OutputError, match=fault):
        write(folder, REPLACEMENTS, outputs)
    switched = fault == "output-unusable"
    assert read_content(folder) == (WRITTEN if switched else OLD)
    assert (output / "a").read_bytes() == (b"new" if switched else b"old")


def test_inputs_of_the_outputs_are_recorded(folder: Path) -> None:
    output = folder.parent / "generated"
    artifacts = [Artifact(path="a", content=b"new")]
    outputs = Outputs(
        folder=output, artifacts=artifacts, protected=(), key=lambda: digest_inputs(folder)
    )
    written = write(folder, REPLACEMENTS, outputs)
    assert written == WriteResult(
        added=("a", "manifest.json"), changed=(), removed=(), unchanged=()
    )
    assert is_unchanged_since(output, digest_inputs(folder))
    assert not (folder / ".dateline-edit").exists()


def test_error_of_the_system_is_reported_in_a_sentence(folder: Path) -> None:
    (folder / ".dateline-edit").write_bytes(b"in the way")
    with pytest.raises(EditError) as caught:
        write(folder, REPLACEMENTS)
    assert str(caught.value) == (
        f"{folder}/.dateline-edit: edit-impossible: File exists; fix that and run again"
    )
    assert read_content(folder) == {**OLD, ".dateline-edit": b"in the way"}


def test_file_edited_after_a_killed_run_is_not_lost(folder: Path) -> None:
    killed = crash_at(folder, "os.rename", 2)
    assert killed
    (folder / "b.yaml").write_bytes(b"b: mine\n")
    with pytest.raises(EditError, match=r"b\.yaml: edit-interrupted: .* take over what you need"):
        recover(folder)
    assert read_content(folder)["b.yaml"] == b"b: mine\n"
    assert read_content(folder)[".dateline-edit/b.yaml"] == NEW["b.yaml"]


def test_file_edited_before_a_killed_run_removes_it_is_not_lost(folder: Path) -> None:
    removal = [Replacement(name="a.yaml", before=OLD["a.yaml"], after=None)]
    assert crash_at(folder, "os.remove", 1, replacements=removal)
    (folder / "a.yaml").write_bytes(b"a: mine\n")
    with pytest.raises(EditError) as caught:
        recover(folder)
    assert str(caught.value) == (
        f"{folder}/a.yaml: edit-interrupted: the file was edited after a run was stopped that was "
        f"to remove it; keep what you need elsewhere, then delete {folder}/.dateline-edit"
    )
    assert read_content(folder)["a.yaml"] == b"a: mine\n"


def test_nothing_is_recovered_without_an_interruption(folder: Path) -> None:
    recover(folder)
    assert read_content(folder) == OLD


def crash_at(
    folder: Path,
    event: str,
    point: int,
    action: str = "write",
    replacements: Sequence[Replacement] = REPLACEMENTS,
) -> bool:
    """Run *action* in a process that kills itself at event *point*; return whether it did."""
    run = partial(write, folder, replacements) if action == "write" else partial(recover, folder)
    status = run_forked(KillAt(point, FileEvents(event), run))
    assert status in (0, -signal.SIGKILL)
    return status != 0


def put_back(folder: Path, files: dict[str, bytes]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("old", "new", "replacements"),
    [(OLD, WRITTEN, REPLACEMENTS), (MOVED_FROM, MOVED_TO, MOVES)],
    ids=["changed", "moved"],
)
def test_kill_at_any_moment_leaves_the_old_or_the_new_files(
    folder: Path, old: dict[str, bytes], new: dict[str, bytes], replacements: list[Replacement]
) -> None:
    put_back(folder, old)
    run_beforehand(partial(write, folder, replacements))
    outcomes = []
    interrupted = []
    point = 0
    killed = True
    while killed:
        point += 1
        put_back(folder, old)
        killed = crash_at(folder, "", point, replacements=replacements)
        found = read_content(folder)
        # no file is ever half written, or missing
        assert all(found.get(name) in (old.get(name), new.get(name)) for name in {**old, **new})
        if found.get("a.yaml") != found.get("b.yaml") and ".dateline-edit/journal" in found:
            interrupted.append(found)
        recover(folder)
        outcomes.append(read_content(folder))
        assert not (folder / ".dateline-edit").exists()
    assert outcomes[0] == old
    assert outcomes[-1] == new
    assert all(outcome in (old, new) for outcome in outcomes)
    # the switch from old to new happens once
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome == new)
    # a killed recovery is recovered from in turn
    start = interrupted[0]
    put_back(folder, start)
    run_beforehand(partial(recover, folder))
    point = 0
    killed = True
    while killed:
        point += 1
        put_back(folder, start)
        killed = crash_at(folder, "", point, "recover")
        recover(folder)
        assert read_content(folder) == new
