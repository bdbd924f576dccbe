"""What was merged in, a folder of definitions out that was read again and found to be right."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from dateline.adopt.documents import Merged, unequal_at
from dateline.adopt.gating import dated
from dateline.adopt.inputs import Source, UsageError, yaml_file
from dateline.adopt.shared import differences
from dateline.adopt.splitting import split
from dateline.changes.additions import begun
from dateline.changes.record import Record
from dateline.load import TABLE, load
from dateline.model import Api, DatelineError, Place
from dateline.project import Projector


class WriteError(DatelineError):
    """The folder can't be written."""


@dataclass(frozen=True)
class Written:
    """The files of the definitions, sorted, and where they hold what."""

    files: list[Path]
    folder: Path
    api: Api

    def locate(self, path: tuple[str | int, ...]) -> Place:
        """Return where *path* stands, or the nearest thing around it."""
        place = self.api.locate(path)
        return place._replace(file=(self.folder / Path(place.file).name).as_posix())


def write(merged: Merged, sources: list[Source], table: str, folder: Path) -> Written:
    """Write the definitions and their *table* to *folder* at once.

    They are written beside it first and read from there: only if each document comes back from
    what was read does the folder take its place. Raises UsageError where it holds anything, and
    UnequalError where a document does not come back; *folder* is then as it was.
    """
    _refuse_taken(folder)
    staged = folder.parent / f".{folder.name}.adopt"
    try:
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        fragments = split(dated("document", merged.document))
        texts = {name: yaml_file(content) for name, content in fragments.items()}
        for name, text in {TABLE: table, **texts}.items():
            (staged / name).write_text(text, encoding="utf-8", newline="\n")
        api = load(staged)
        for name, content in _proven(merged, sources, api).files.items():
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_bytes(content)
        names = sorted(path.relative_to(staged) for path in staged.rglob("*") if path.is_file())
        # an empty folder gives way; one that was filled meanwhile does not
        staged.replace(folder)
    except OSError as error:
        raise WriteError(f"{folder} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return Written([folder / name for name in names], folder, api)


def _refuse_taken(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder; name another one with --into")
    present = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if present:
        raise UsageError(f"{folder} holds {present[0]!r}; name an empty folder with --into")


def _proven(merged: Merged, sources: list[Source], api: Api) -> Record:
    """Return the record that begins with the newest of the documents.

    Raises UnequalError unless *api*, which was read from the files, gives back each.
    """
    projector = Projector(api)
    environment = api.table.environments[0].name
    for source in sources:
        shown = projector.contract(source.date, environment).document
        path = next(differences(shown, merged.wanted[source.date]), None)
        if path is not None:
            raise unequal_at(source, path)
    return begun(api, projector, api.table.latest)
