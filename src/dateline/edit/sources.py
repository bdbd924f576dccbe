"""A folder of sources that can be edited, tried out and written."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from dateline.load import TABLE, list_source_files, load, read_known_table
from dateline.model import NEXT, Api, Day, SourceError
from dateline.source.splice import EditableSource

TITLE: Final = "Being prepared."
"""What the version table says of a version that nobody has found words for."""

Trail = tuple[str | int, ...]
"""Keys and indexes from the root of the joined document to a place in it."""


class Sources:
    """The sources of an API, by file name, and the edits done to them so far.

    A trail of the joined document leads to the same place in the file that holds it, as long as
    no list on the way has got or lost an item before it.
    """

    def __init__(self, api: Api, contents: Mapping[str, bytes]) -> None:
        self._api = api
        self._contents = contents
        self._edited: dict[str, EditableSource] = {}
        self._made: set[Trail] = set()

    def of(self, path: Trail) -> EditableSource:
        """Return the file that holds *path*, or most of it."""
        return self.file(self._api.locate(path).file.partition("/")[2])

    def file(self, name: str) -> EditableSource:
        """Return the file called *name*, a path from the folder of the sources."""
        if name not in self._edited:
            self._edited[name] = EditableSource(self._contents[name], json=name.endswith(".json"))
        return self._edited[name]

    def give_back(
        self, path: Trail, holder: Trail, value: Any, at: int, file: str | None = None
    ) -> None:
        """Put *value* at *path*, as number *at* of what *holder*, the start of the path, holds.

        What is missing in between is made. A new list item's own number in *path* means nothing.
        """
        source = self.file(file) if file else self.of(holder)
        depth = len(holder)
        while depth + 1 < len(path) and path[: depth + 1] in self._made:
            depth, at = depth + 1, 0
        self._made.update(path[:number] for number in range(depth + 1, len(path)))
        for step in reversed(path[depth + 1 :]):
            value = [value] if isinstance(step, int) else {step: value}
        if isinstance(path[depth], int):
            source.insert((*path[:depth], at), value)
        else:
            source.put(path[: depth + 1], value, at)

    def read_contents(self) -> dict[str, bytes]:
        """Return the content of every file with all edits done."""
        return {
            name: self._edited[name].content() if name in self._edited else content
            for name, content in self._contents.items()
        }


def read_contents(folder: Path) -> dict[str, bytes]:
    """Return what the sources in *folder* hold, by file name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in list_source_files(folder, [])
    }


def open_sources(folder: Path, *, tolerated: Collection[str] = ()) -> tuple[Api, dict[str, bytes]]:
    """Return the API that the sources in *folder* define, and what they hold by file name.

    Where gates say `next`, and that is all that is wrong, its row in the version table is put
    there. Raises SourceError as ``load`` does, but for problems that are *tolerated*.
    """
    try:
        return load(folder, tolerated=tolerated), read_contents(folder)
    except SourceError as error:
        if any(problem.id != "unknown-version" for problem in error.problems):
            raise
        table = read_known_table(folder)
        rows = sum(not version.moving for version in table.versions) if table else sys.maxsize
        known = add_version(read_contents(folder), NEXT, rows)
        try:
            return replace(load_contents(folder.name, known, tolerated), folder=folder), known
        except SourceError:
            raise error from None


def load_contents(name: str, contents: Mapping[str, bytes], tolerated: Collection[str] = ()) -> Api:
    """Return the API that *contents* would define in a folder called *name*.

    Raises SourceError as ``load`` does, but for problems that are *tolerated*.
    """
    with write_trial(name, contents) as folder:
        return load(folder, tolerated=tolerated)


@contextmanager
def write_trial(name: str, contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Make *contents* a folder called *name* for a while."""
    with TemporaryDirectory() as parent:
        folder = Path(parent) / name
        folder.mkdir()
        for file, content in contents.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        yield folder


def add_version(contents: Mapping[str, bytes], date: str, number: int) -> dict[str, bytes]:
    """Return *contents* with a version being prepared as row *number* of the version table."""
    table = EditableSource(contents[TABLE])
    table.insert(("versions", number), {"date": Day(date), "title": TITLE, "draft": True})
    return {**contents, TABLE: table.content()}
