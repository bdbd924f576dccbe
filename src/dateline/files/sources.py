"""Replace files among others, all of them or none, with a folder of outputs if necessary.

New contents are staged in a folder beside the files. They count from the moment on when a journal
there names them; with outputs, when these are switched. What a killed run leaves counts for
nothing, or is finished by ``recover``.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from dateline.files import WriteResult, remember, settle
from dateline.files import write as write_outputs
from dateline.files.artifacts import collect_contents
from dateline.files.disk import create, is_tree, lock, read_or_none, sync
from dateline.files.errors import EditError, explain_edit
from dateline.fresh import STAGED_EDIT
from dateline.manifest import digest_of
from dateline.model import MANIFEST, Artifact

_JOURNAL: Final = "journal"
_DRAFT: Final = "journal.draft"


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A file by its name in the folder, its content before and after.

    The name may lead into folders below; one that begins with `../` is of a file that is shared
    with other folders. None stands for no file: it is new, or to be removed.
    """

    name: str
    before: bytes | None
    after: bytes | None

    @property
    def verb(self) -> str:
        """What happens to the file."""
        if self.before is None:
            return "added"
        return "changed" if self.after is not None else "removed"


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """A folder of outputs that changes together with the files.

    Once both have changed, the result of ``key`` and ``remarks`` are recorded (see
    ``files.remember``).
    """

    folder: Path
    artifacts: Sequence[Artifact]
    protected: Sequence[Path]
    key: Callable[[], str]
    remarks: int = 0


def write(
    folder: Path, replacements: Iterable[Replacement], outputs: Outputs | None = None
) -> WriteResult | None:
    """Give every file its new content; return what was done to the *outputs*.

    With *outputs* the files are new if, and only if, these are. A run that is killed leaves
    everything as it was, or a journal from which ``recover`` finishes: before that, some of it
    may be new. Shared files, which a journal can't name, come first, each by itself. Raises
    EditError, and writes nothing, where a file is not what its replacement was made for, or can't
    be written; and what ``files.write`` raises.
    """
    ordered = sorted(replacements, key=lambda replacement: replacement.name)
    shared = [one for one in ordered if one.name.startswith("../")]
    wanted = [one for one in ordered if one not in shared]
    if not ordered and outputs is None:
        return None
    with explain_edit(folder), _locked(folder), _shared_replaced(folder, shared):
        _recover(folder)
        for one in wanted:
            _require_unedited(folder / one.name, one.before)
        stage = folder / STAGED_EDIT
        stage.mkdir()
        try:
            _stage(folder, wanted, outputs)
        except BaseException:
            _discard(stage)
            raise
        # from here on the new contents count; those of outputs, once these are switched
        (stage / _DRAFT).rename(stage / _JOURNAL)
        sync(stage)
        try:
            if outputs is None:
                return None
            return write_outputs(outputs.artifacts, outputs.folder, protected=outputs.protected)
        finally:
            _recover(folder, outputs)


def _require_unedited(path: Path, before: bytes | None) -> None:
    if read_or_none(path) != before:
        raise EditError(
            f"{path}: edited-meanwhile: the file was edited since it was read; run the command "
            "again"
        )


@contextmanager
def _shared_replaced(folder: Path, shared: Sequence[Replacement]) -> Iterator[None]:
    """Replace the content of each *shared* file, and restore it if what follows fails.

    The commands that edit such a file go on where a killed run left one with its new content.
    """
    with ExitStack() as undoing:
        for one in shared:
            path = Path(os.path.normpath(folder / one.name))
            _require_unedited(path, one.before)
            if one.before is None or one.after is None:
                raise EditError(
                    f"{path}: edit-shared: other projects may refer to the file; it is only "
                    "changed, never added or removed"
                )
            undoing.callback(_replace_file, path, one.before)
            _replace_file(path, one.after)
        yield
        undoing.pop_all()


def _replace_file(path: Path, content: bytes) -> None:
    place = path.resolve()
    staged = place.with_name(f".{place.name}{STAGED_EDIT}")
    staged.unlink(missing_ok=True)
    create(staged, content)
    staged.chmod(stat.S_IMODE(place.stat().st_mode))
    staged.replace(place)
    sync(place.parent)


def _stage(folder: Path, wanted: Iterable[Replacement], outputs: Outputs | None) -> None:
    """Write all new contents, and a draft of the journal with what ``recover`` needs."""
    stage = folder / STAGED_EDIT
    rows = []
    for one in wanted:
        before, after = _digest(one.before), _digest(one.after)
        rows.append({"name": one.name, "before": before, "after": after})
        if one.after is not None:
            staged, path = _staged_path(stage, one.name), folder / one.name
            create(staged, one.after)
            if path.exists():
                staged.chmod(stat.S_IMODE(path.stat().st_mode))
    journal: dict[str, Any] = {"files": rows, "outputs": None}
    if outputs is not None:
        place = outputs.folder.resolve()
        with suppress(ValueError):  # between drives there is no relative path
            place = Path(os.path.relpath(place, folder.resolve()))
        manifest = digest_of(collect_contents(outputs.artifacts)[MANIFEST])
        journal["outputs"] = {"folder": place.as_posix(), "manifest": manifest}
    create(stage / _DRAFT, json.dumps(journal).encode())


def recover(folder: Path) -> None:
    """Finish what a killed run began in *folder*, or discard it if it was not far enough.

    Call it before reading the files. A run that is still writing them is waited for. Raises
    EditError for a file that was edited since: the intended content is beside it.
    """
    if is_tree(folder / STAGED_EDIT):
        with explain_edit(folder), _locked(folder):
            _recover(folder)


def _recover(folder: Path, outputs: Outputs | None = None) -> None:
    stage = folder / STAGED_EDIT
    if not is_tree(stage):
        return
    if (stage / _JOURNAL).exists():
        files, there = _read_journal(stage)
        if there is None or _is_switched(folder.resolve() / there["folder"], there["manifest"]):
            _finish(folder, files)
            with ExitStack() as last:
                last.callback(_discard, stage)
                if outputs is not None:
                    remember(outputs.folder, outputs.key(), outputs.remarks)
            return
    _discard(stage)


def _is_switched(output: Path, manifest: str) -> bool:
    settle(output)
    return _digest(read_or_none(output / MANIFEST)) == manifest


def _digest(content: bytes | None) -> str | None:
    return None if content is None else digest_of(content)


def _read_journal(stage: Path) -> tuple[list[dict[str, str | None]], dict[str, str] | None]:
    """Return the files and the outputs that the journal in *stage* names.

    Raises EditError for one that no run wrote: it could name any file.
    """
    try:
        journal = json.loads((stage / _JOURNAL).read_bytes())
        files = [{key: row[key] for key in ("name", "before", "after")} for row in journal["files"]]
        outputs = journal["outputs"]
        names = [PurePosixPath(row["name"]) for row in files]
        texts = [value for row in files for value in row.values() if value is not None]
        if outputs is not None:
            texts += [outputs["folder"], outputs["manifest"]]
        # half of a surrogate pair can't be written: ValueError
        if not all(
            isinstance(text, str) and b"\0" not in os.fsencode(text) for text in texts
        ) or any(name.is_absolute() or ".." in name.parts or not name.name for name in names):
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise EditError(
            f"{stage / _JOURNAL}: edit-interrupted: no run of dateline wrote this; delete {stage}"
        ) from error
    return files, outputs


def _finish(folder: Path, files: Iterable[dict[str, str | None]]) -> None:
    stage = folder / STAGED_EDIT
    touched = {folder}
    for row in files:
        path, staged = folder / str(row["name"]), _staged_path(stage, str(row["name"]))
        removed = row["after"] is None
        if not removed and not staged.exists():
            continue
        if _digest(read_or_none(path)) not in (row["before"], row["after"]):
            target = (
                "remove it; keep what you need elsewhere"
                if removed
                else f"change it; take over what you need from {staged}"
            )
            raise EditError(
                f"{path}: edit-interrupted: the file was edited after a run was stopped that was "
                f"to {target}, then delete {stage}"
            )
        if removed:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            # a link stays one: its target is replaced
            staged.replace(path.resolve())
        touched.add(path.parent)
    for parent in sorted(touched):
        sync(parent)


def _staged_path(stage: Path, name: str) -> Path:
    # in one folder, so that the order of creation and deletion doesn't matter
    return stage / name.replace("/", "=")


def _discard(stage: Path) -> None:
    # the journal last: as long as it exists, the staged files are needed
    for path in sorted(stage.iterdir(), key=lambda path: (path.name == _JOURNAL, path.name)):
        path.unlink()
    stage.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock *folder* against other runs for the duration, if the system can."""
    with ExitStack() as stack:
        with suppress(OSError):
            # the folder itself is locked, so that no file stays behind
            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            lock(descriptor, wait=True)
        yield
