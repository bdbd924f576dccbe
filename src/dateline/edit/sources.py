"""A folder of sources that can be edited, tried out and written."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

from dateline.gates import order
from dateline.load import TABLE, list_source_files, load, read_known_table
from dateline.model import NEXT, Api, Day, Place, Problem, SourceError, Trail
from dateline.openapi import follow, pointer
from dateline.paths import call_path, name_file, name_folder
from dateline.source.splice import EditableSource

TITLE: Final = "Being prepared."
"""The title of a version in the table that has none yet."""

_DEEP: Final = "/" + "folder/" * 64


class Sources:
    """The sources of an API, by file name, and the edits so far.

    A path of the joined document leads to the same place in the file that contains it, as long as
    no list on the way has got or lost an item before it. A target of several references is edited
    once.
    """

    def __init__(self, api: Api, contents: Mapping[str, bytes]) -> None:
        self._api = api
        self._contents = contents
        self._edited: dict[str, EditableSource] = {}
        self.added: dict[Trail, str] = {}
        """The files of components that the definitions lack so far."""
        self._made: set[Trail] = set()
        self._gone: set[str] = set()
        # the path by which each edit of a place in a file was done
        self._done: dict[tuple[str, str, Trail, str], Trail] = {}

    def file(self, name: str) -> EditableSource:
        """Return the file called *name*, a path from the folder of the sources."""
        if name not in self._edited:
            self._edited[name] = EditableSource(self._contents[name], json=name.endswith(".json"))
        return self._edited[name]

    # The edits of ``EditableSource``, at a path of the joined document

    def put(self, path: Trail, value: Any, at: int | None = None) -> None:
        """Set the key at the end of *path* to *value*; a new one becomes number *at*."""
        self._edit(EditableSource.put, path, value, at)

    def insert(self, path: Trail, value: Any) -> None:
        """Insert *value* into a list, before the item at *path*; an index past the end appends."""
        self._edit(EditableSource.insert, path, value)

    def replace(self, path: Trail, value: Any) -> None:
        """Replace the value at *path* by *value*."""
        self._edit(EditableSource.replace, path, value)

    def remove(self, path: Trail) -> None:
        """Remove the key or item at *path*; if it is a file of its own, with the file."""
        file, there = self._api.trace(path)
        if there:
            self._edit(EditableSource.remove, path)
        else:
            self._gone.add(file)

    def rename(self, path: Trail, name: str) -> None:
        """Rename the key at the end of *path*; it keeps its place and its value."""
        self._edit(EditableSource.rename, path, name)

    def remove_empty(self, path: Trail) -> None:
        """Remove the collection around *path* if its file leaves it empty; so for `components`."""
        name, there = self._api.trace(path)
        file, around = self.file(name), there[:-1]
        while around and file.has(around) and file.is_empty(around):
            file.remove(around)
            around = around[:-1] if around[:-1] == ("components",) else ()

    def _edit(self, edit: Callable[..., None], path: Trail, *arguments: Any) -> None:
        """Do an *edit* with *arguments* at *path*, unless another path has led to it before."""
        file, there = self._api.trace(path)
        key = _find_referring_key(path)
        arguments = tuple(
            self._localize_below(key, each, file) if file in self._api.parts else each
            for each in arguments
        )
        done = edit.__name__, file, there, repr(arguments)
        if not self._api.parts or self._done.setdefault(done, path) == path:
            edit(self.file(file), there, *arguments)

    def _localize(self, value: Any, file: str) -> Any:
        """Return *value* with the addresses of the joined document as *file* must write them."""
        if file not in self._api.parts:
            return value
        if isinstance(value, list):
            return [self._localize(one, file) for one in value]
        if not isinstance(value, dict):
            return value
        return {key: self._localize_below(key, below, file) for key, below in value.items()}

    def _localize_below(self, key: str, below: Any, file: str) -> Any:
        if key in ("$ref", "defaultMapping") and isinstance(below, str):
            return self._relate(below, file)
        if key == "mapping" and isinstance(below, dict):
            return {
                tag: self._relate(name, file) if isinstance(name, str) else name
                for tag, name in below.items()
            }
        return self._localize(below, file)

    def _relate(self, reference: str, file: str) -> str:
        """Return the address, in *file*, of the target of *reference* in the joined document."""
        if not reference.startswith("#"):
            return reference
        path = follow(self._api.document, unquote(reference[1:]))
        other, path = (self.added[path], path) if path in self.added else self._api.trace(path)
        if is_shared(file) and not is_shared(other):
            message = (
                f"{name_file(self._api.folder, file)} is shared, and can't refer to {pointer(path)}"
                f" in {other}; restore there by hand what was removed"
            )
            place = Place(name_file(self._api.folder, file), 1, 1)
            raise SourceError([Problem(place=place, id="reference-outside", message=message)])
        # what is shared may be further up than the working folder
        name = posixpath.relpath(_DEEP + other, _DEEP + posixpath.dirname(file))
        return ("" if other == file else name) + (f"#{pointer(path)}" if path else "")

    def give_back(
        self, path: Trail, holder: Trail, value: Any, at: int, file: str | None = None
    ) -> None:
        """Put *value* at *path*, as number *at* of what *holder*, the start of the path, contains.

        Missing parts of the path are created. A new list item's own index in *path* means nothing.
        """
        depth = len(holder)
        while file and depth and not self.file(file).has(path[:depth]):
            depth -= 1
        while depth + 1 < len(path) and path[: depth + 1] in self._made:
            depth, at = depth + 1, 0
        self._made.update(path[:number] for number in range(depth + 1, len(path)))
        for step in reversed(path[depth + 1 :]):
            value = [value] if isinstance(step, int) else {step: value}
        if file:
            self.file(file).put(path[: depth + 1], value, at)
        elif isinstance(path[depth], int):
            self.insert((*path[:depth], at), value)
        else:
            self.put(path[: depth + 1], value, at)

    def read_contents(self) -> dict[str, bytes]:
        """Return the content of every file with all edits applied."""
        return {
            name: self._edited[name].content() if name in self._edited else content
            for name, content in self._contents.items()
            if name not in self._gone
        }


def _find_referring_key(path: Trail) -> str:
    """Return the key by which what is at *path* is a reference, or contains some; else ""."""
    if path[-3:-1] == ("discriminator", "mapping"):
        return "$ref"
    is_key = path[-1:] == ("$ref",) or path[-2:-1] == ("discriminator",)
    return str(path[-1]) if is_key else ""


def read_contents(folder: Path) -> dict[str, bytes]:
    """Return the content of the sources in *folder*, by file name, and its shared files."""
    table = read_known_table(folder)
    contents = {}
    for around in ("", *(table.shared if table else ())):
        for path in list_source_files(folder / around, []):
            name = posixpath.join(around, path.relative_to(folder / around).as_posix())
            if not around or path.is_file():
                contents[name] = path.read_bytes()
    return contents


def is_shared(name: str) -> bool:
    """Return whether the file called *name*, a path from the folder of the sources, is shared."""
    return name.startswith("../")


def open_sources(
    folder: Path, *, tolerated: Collection[str] = (), day: str = NEXT
) -> tuple[Api, dict[str, bytes]]:
    """Return the API that the sources in *folder* define, and their content by file name.

    If gates name `next`, or *day*, and its row is the only thing missing, it is added to the
    version table. Raises SourceError as ``load`` does, except for problems that are *tolerated*.
    """
    try:
        return load(folder, tolerated=tolerated), read_contents(folder)
    except SourceError as error:
        table = read_known_table(folder)
        if table is None or any(problem.id != "unknown-version" for problem in error.problems):
            raise
        known = read_contents(folder)
        missing = [date for date in {NEXT: 0, day: 0} if date not in table.dates]
        for dates in dict.fromkeys([(date,) for date in missing] + [tuple(reversed(missing))]):
            tried = known
            for number, date in enumerate(dates):
                older = (order(one.date) < order(date) for one in table.versions)
                tried = add_version(tried, date, sum(older) + number)
            with suppress(SourceError):
                api = load_contents(name_folder(folder), tried, tolerated)
                return replace(api, folder=folder), tried
        raise


def load_contents(name: str, contents: Mapping[str, bytes], tolerated: Collection[str] = ()) -> Api:
    """Return the API that *contents* would define in a folder called *name*.

    Raises SourceError as ``load`` does, except for problems that are *tolerated*.
    """
    with write_trial(name, contents) as folder:
        return load(folder, tolerated=tolerated)


@contextmanager
def write_trial(name: str, contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Write *contents* to a temporary folder called *name* in messages."""
    with TemporaryDirectory() as parent:
        # what is shared is further up
        up = max((file.split("/").count("..") for file in contents), default=0)
        folder = Path(parent, *["inside"] * up)
        folder.mkdir(exist_ok=True, parents=True)
        for file, content in contents.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        with call_path(folder, name):
            yield folder


def add_version(contents: Mapping[str, bytes], date: str, number: int) -> dict[str, bytes]:
    """Return *contents* with a draft version as row *number* of the version table."""
    table = EditableSource(contents[TABLE])
    table.insert(("versions", number), {"date": Day(date), "title": TITLE, "draft": True})
    return {**contents, TABLE: table.content()}
