"""Write merged definitions to a folder, once they read back as the original documents."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from dateline.adopt.documents import MergedDocuments, find_unequal, unequal_error
from dateline.adopt.fragments import split
from dateline.adopt.inputs import Source, UsageError, yaml_file
from dateline.changes.additions import begin_record
from dateline.load import TABLE, load
from dateline.model import Api, DatelineError, Place, Trail
from dateline.project import Projector


class WriteError(DatelineError):
    """The folder can't be written."""


@dataclass(frozen=True)
class WrittenDefinitions:
    """The files of the definitions, sorted, and the API that was read from them."""

    files: list[Path]
    folder: Path
    api: Api

    def locate(self, path: Trail) -> Place:
        """Return the place of *path*, or of its nearest ancestor in the sources."""
        place = self.api.locate(path)
        return place._replace(file=(self.folder / Path(place.file).name).as_posix())


def write(
    merged: MergedDocuments, sources: list[Source], table: str, folder: Path
) -> WrittenDefinitions:
    """Write the definitions and their *table* to *folder* at once.

    They are written to a folder beside it, which replaces it only after each document was restored
    from what was read there. Raises UsageError if *folder* is not empty, and UnequalError if a
    document is not restored; *folder* is then unchanged.
    """
    _refuse_taken(folder)
    staged = folder.parent / f".{folder.name}.adopt"
    try:
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        texts = {name: yaml_file(content) for name, content in split(merged.document).items()}
        for name, text in {TABLE: table, **texts}.items():
            (staged / name).write_text(text, encoding="utf-8", newline="\n")
        api = load(staged)
        projector = Projector(api)
        for date, path in find_unequal(projector, merged.wanted, api.table):
            raise unequal_error(next(one for one in sources if one.date == date), path)
        record = replace(begin_record(projector, api.table.latest), words=merged.words)
        for name, content in record.files.items():
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_bytes(content)
        names = sorted(path.relative_to(staged) for path in staged.rglob("*") if path.is_file())
        # an empty folder is replaced; one that was filled meanwhile is not
        staged.replace(folder)
    except OSError as error:
        raise WriteError(f"{folder} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return WrittenDefinitions([folder / name for name in names], folder, api)


def _refuse_taken(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder; name another one with --into")
    present = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if present:
        raise UsageError(f"{folder} contains {present[0]!r}; name an empty folder with --into")
