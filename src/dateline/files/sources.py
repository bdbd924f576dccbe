"""New contents of several files in, all of them written or none, whenever the run is killed."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from dateline import files as emit
from dateline.files.disk import create, sync
from dateline.fresh import STAGED_EDIT
from dateline.model import MANIFEST, DatelineError, printable

_STAGE: Final = STAGED_EDIT
"""The folder, beside the files, that holds new contents until all are in their places."""

_JOURNAL: Final = "journal"
_DRAFT: Final = "journal.draft"


class EditError(DatelineError):
    """The files can't be written, or are not what the edits were made for."""


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A file by its name in the folder, what it holds and what it is to hold.

    The name may lead into folders below. None stands for no file: it is new, or to be removed.
    """

    name: str
    before: bytes | None
    after: bytes | None

    @property
    def verb(self) -> str:
        """What becomes of the file."""
        if self.before is None:
            return "added"
        return "changed" if self.after is not None else "removed"


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """A folder of outputs that changes together with the files.

    ``switch`` puts the tree there, at once, whose manifest is ``manifest``.
    """

    folder: Path
    manifest: bytes
    switch: Callable[[], object]


def write(
    folder: Path, replacements: Iterable[Replacement], outputs: Outputs | None = None
) -> list[Path]:
    """Give every file its new content; return their paths, sorted.

    With *outputs* the files are new if, and only if, these are. A run that is killed leaves
    everything as it was, or a journal from which ``recover`` finishes: before that, some of it
    may be new. Raises EditError, and writes nothing, where a file is not what its replacement
    was made for, or can't be written; and what the switch of *outputs* raises.
    """
    wanted = sorted(replacements, key=lambda replacement: replacement.name)
    if not wanted:
        return []
    with _explained(folder), _alone(folder):
        _recover(folder)
        for replacement in wanted:
            if _content(folder / replacement.name) != replacement.before:
                raise EditError(
                    f"{folder / replacement.name}: edited-meanwhile: the file was edited since it "
                    f"was read; run the command again"
                )
        stage = folder / _STAGE
        stage.mkdir()
        try:
            for replacement in wanted:
                if replacement.after is not None:
                    staged = stage / _staged(replacement.name)
                    create(staged, replacement.after)
                    _keep_mode(folder / replacement.name, staged)
            journal = _journal(folder, wanted, outputs)
            create(stage / _DRAFT, json.dumps(journal).encode())
        except BaseException:
            _discard(stage)
            raise
        # from here on the new contents count; those of outputs, once these are switched
        (stage / _DRAFT).rename(stage / _JOURNAL)
        sync(stage)
        try:
            if outputs is not None:
                outputs.switch()
        finally:
            _recover(folder)
    return [folder / replacement.name for replacement in wanted]


def _journal(
    folder: Path, wanted: Iterable[Replacement], outputs: Outputs | None
) -> dict[str, Any]:
    """Return what ``recover`` has to know."""
    files = [
        {"name": one.name, "before": _digest(one.before), "after": _digest(one.after)}
        for one in wanted
    ]
    if outputs is None:
        return {"files": files, "outputs": None}
    place = outputs.folder.resolve()
    with suppress(ValueError):  # on another drive there is no way from here to there
        place = Path(os.path.relpath(place, folder.resolve()))
    return {
        "files": files,
        "outputs": {"folder": place.as_posix(), "manifest": _digest(outputs.manifest)},
    }


def recover(folder: Path) -> None:
    """Finish what a killed run began in *folder*, or forget it if it had not come far enough.

    Whoever is about to read the files asks for this first. A run that is still writing them is
    waited for. Raises EditError for a file that was edited since: what was meant stands beside it.
    """
    if _begun(folder):
        with _explained(folder), _alone(folder):
            _recover(folder)


def _begun(folder: Path) -> bool:
    stage = folder / _STAGE
    # someone else's link must not lead what is moved or deleted out of here
    return stage.is_dir() and not stage.is_symlink()


def _recover(folder: Path) -> None:
    stage = folder / _STAGE
    if _begun(folder):
        if (stage / _JOURNAL).exists():
            files, outputs = _read_journal(stage)
            if _counts(folder, outputs):
                _finish(folder, stage, files)
        _discard(stage)


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


def _counts(folder: Path, outputs: dict[str, str] | None) -> bool:
    """Tell whether new contents count: always, or if the *outputs* that go with them are there."""
    if outputs is None:
        return True
    there = folder.resolve() / outputs["folder"]
    emit.settle(there)
    return _digest(_content(there / MANIFEST)) == outputs["manifest"]


def _finish(folder: Path, stage: Path, files: Iterable[dict[str, str | None]]) -> None:
    touched = {folder}
    for entry in files:
        path, staged = folder / str(entry["name"]), stage / _staged(str(entry["name"]))
        removed = entry["after"] is None
        if not removed and not staged.exists():
            continue
        if _digest(_content(path)) not in (entry["before"], entry["after"]):
            meant = (
                "remove it; keep what you need elsewhere"
                if removed
                else f"change it; take over what you need from {staged}"
            )
            raise EditError(
                f"{path}: edit-interrupted: the file was edited after a run was stopped that was "
                f"to {meant}, then delete {stage}"
            )
        if removed:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            # a link stays one: the file that it leads to is replaced
            staged.replace(path.resolve())
        touched.add(path.parent)
    for parent in sorted(touched):
        sync(parent)


def _staged(name: str) -> str:
    """Return what the file called *name* is called while it is staged."""
    # in one folder, so that nothing has to be made or emptied in a certain order
    return name.replace("/", "=")


def _discard(stage: Path) -> None:
    # the journal last: as long as it stands, what is staged is needed
    names = sorted(path.name for path in stage.iterdir())
    for name in sorted(names, key=lambda name: name == _JOURNAL):
        (stage / name).unlink()
    stage.rmdir()


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _digest(content: bytes | None) -> str | None:
    return None if content is None else sha256(content).hexdigest()


def _keep_mode(path: Path, staged: Path) -> None:
    if path.exists():
        staged.chmod(stat.S_IMODE(path.stat().st_mode))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs off *folder* meanwhile; where the system can't, they are not kept off."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl

            # the lock is the system's, so that it goes with the process, and leaves no file
            descriptor = os.open(folder, os.O_RDONLY)
            held.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence."""
    try:
        yield
    except OSError as error:
        at = error.filename or folder
        raise EditError(
            printable(f"{at}: edit-impossible: {error.strerror or error}; mend it and run again")
        ) from error
