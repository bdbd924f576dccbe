"""Read third-party OpenAPI documents, from one file or several.

All documents that dateline did not check itself are read here, to be compared or adopted.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dateline.bundle.sources import (
    Files,
    Readings,
    SourceFile,
    may_refer_to_files,
    read_source,
)
from dateline.model import Place, Problem, SourceError, Trail
from dateline.openapi import PUBLISHED_VERSIONS, ConvertedDocument, follow
from dateline.openapi import pointer as format_pointer
from dateline.paths import find_top
from dateline.source.problems import short
from dateline.source.reader import ADOPTED, UnreadableFileError, file_content
from dateline.wording import quote

if TYPE_CHECKING:
    from dateline.bundle.bundler import Bundle
    from dateline.bundle.goals import Goal
    from dateline.bundle.swagger_files import PassedOver

__all__ = [
    "Document",
    "Files",
    "FolderFiles",
    "Readings",
    "SourceFile",
    "open_document",
    "read_contents",
    "read_source",
]


@dataclass(frozen=True)
class FolderFiles:
    """The files of a folder on disk."""

    folder: Path

    def content(self, name: str) -> bytes:
        """Return the content of the file *name*; raises UnreadableFileError as ``Files`` does."""
        return file_content(self.folder / name, ADOPTED.size, inside=self.folder)


class _NoFiles:
    def content(self, name: str) -> bytes:  # noqa: ARG002  # there is no file of any name
        raise UnreadableFileError("unreadable-file", "there are no files beside this one")


NO_FILES: Final = _NoFiles()


@dataclass(frozen=True, kw_only=True)
class Document:
    """An OpenAPI document: its name in messages, the bytes of its file, and the files around it."""

    name: str
    data: bytes
    files: Files = NO_FILES
    path: str = ""
    """Where it is among ``files``; by default, the last part of its name."""
    readings: Readings | None = field(default_factory=Readings, compare=False, repr=False)
    """None for a document that is to become a source: see ``read_source``."""
    restore: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """Removes what a document shows in addition to its contract."""
    is_meant: bool = False
    """Whether ``restore`` reads the oddities of the document, too."""

    @property
    def content(self) -> dict[str, Any]:
        """The document as data, complete: it refers to no other file.

        Swagger 2.0 is converted to OpenAPI 3.0. Raises SourceError with all problems if a file
        can't be read or is neither JSON nor YAML, or if the version of the document is not
        supported.
        """
        return self._restored

    @cached_property
    def _restored(self) -> dict[str, Any]:
        document = self._bundle.document
        return document if self.restore is None else self.restore(document)

    @property
    def is_alone(self) -> bool:
        """Whether the document consists of its own bytes only. Raises what `content` raises."""
        return self._bundle.sources.keys() == {self._bundle.main}

    def place(self, pointer: str, other: Document | None = None) -> Place:
        """Return where *pointer* leads in the files, or the place of its nearest ancestor.

        It may lead to something that the document says in other words, as `keep_oddities` does. If
        that depends on several places, return the first that the *other* document has differently.
        """
        path = self._find_path(pointer)
        if not isinstance(self.content, ConvertedDocument):
            return self.locate(path)
        goal = self._find_edit(path, other)
        return self._bundle.sources[goal.file].locate(goal.path)

    def _find_path(self, pointer: str) -> Trail:
        """Return the path at which the document says what is at *pointer* in its meaning."""
        # slow to import, and not needed if nothing is reported
        from dateline.oddities import find_published

        return find_published(self._bundle.document, follow(self.content, pointer))

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return the place of *path*, or of its nearest ancestor; or that of its *value*."""
        return self._bundle.locate(path, value=value)

    def find_pointer(self, pointer: str, other: Document | None = None) -> str:
        """Return the pointer in the file as its author wrote it, which may be Swagger 2.0.

        It leads to what is at the *place* of that pointer.
        """
        path = self._find_path(pointer)
        if not isinstance(self.content, ConvertedDocument):
            return format_pointer(path)
        return format_pointer(self._find_edit(path, other).path)

    def _find_edit(self, path: Trail, other: Document | None) -> Goal:
        is_alike = other is not None and isinstance(other.content, ConvertedDocument)
        return self._bundle.find_edit(path, other._bundle if other and is_alike else None)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What the conversion from Swagger 2.0 could not express, and what files have twice."""
        files = (note for source in self._bundle.sources.values() for note in source.notes)
        return (*self._bundle.notes, *files)

    @cached_property
    def _bundle(self) -> Bundle:
        # slow to import, and not needed for what was compared before
        from dateline.bundle.dialects import find_foreign_dialects, may_have_dialects

        problems: list[Problem] = []
        bundle = self._read(problems)
        if bundle is None:
            raise SourceError(problems)
        # the content of other files is missing
        if len(bundle.sources) > 1 or may_have_dialects(self.data):
            for path, message in find_foreign_dialects(bundle.document):
                place = bundle.locate(path, value=True)
                problems.append(Problem(place=place, id="unsupported-dialect", message=message))
        if problems:
            raise SourceError(problems)
        return bundle

    def _read(self, problems: list[Problem]) -> Bundle | None:
        from dateline.bundle.bundler import Bundle, Bundler
        from dateline.bundle.goals import FileSet

        source = read_source(self.data, self.name, problems, self.readings)
        if source is None:
            return None
        file = self.path or posixpath.basename(self.name)
        if str(source.root.get("swagger")) == "2.0" and "openapi" not in source.root:
            return self._read_swagger(source, file, problems)
        if (problem := _not_openapi(source)) is not None:
            problems.append(problem)
            return None
        source = _from_root(source)
        if not may_refer_to_files(source):
            return Bundle(source.root, file, {file: source}, {})
        return Bundler(FileSet(source, file, self.files, self.readings, problems)).bundle()

    def _read_swagger(
        self, source: SourceFile, file: str, problems: list[Problem]
    ) -> Bundle | None:
        # slow to import, and not needed for other documents
        from dateline.bundle.bundler import Bundle
        from dateline.bundle.goals import FileSet, Goal
        from dateline.bundle.swagger import convert
        from dateline.bundle.swagger_files import join_files

        sources = {file: source}
        trace: Callable[[Trail], Goal] = partial(Goal, file)
        passed_over: list[PassedOver] = []
        values: dict[tuple[int, str | int], Goal] = {}
        if may_refer_to_files(source):
            files = FileSet(source, file, self.files, self.readings, problems)
            joined = join_files(source, file, files, problems)
            if joined is None:
                return None
            source, trace, passed_over = joined.source, joined.trace, joined.passed_over
            values = joined.values
            sources = {**joined.sources, file: source}
        converted = convert(source, file, problems, passed_over)
        if converted is None:
            return None
        origins = values | {key: trace(path) for key, path in converted.origins.items()}
        reasons = {key: tuple(map(trace, paths)) for key, paths in converted.reasons.items()}
        return Bundle(converted.document, file, sources, origins, reasons, converted.notes)


def _from_root(source: SourceFile) -> SourceFile:
    """Return *source* with references that begin at its root."""
    from dateline.bundle.identities import may_have_identities, resolve_identities

    if source.text is not None and not may_have_identities(source.text):
        return source
    root = resolve_identities(source.root)
    return source if root is source.root else replace(source, root=root, text=None)


Key = TypeVar("Key")


def read_contents(documents: Mapping[Key, Document]) -> dict[Key, dict[str, Any]]:
    """Return the content of each of *documents*; raises SourceError with the problems of all."""
    found: dict[Key, dict[str, Any]] = {}
    problems: list[Problem] = []
    for key, document in documents.items():
        try:
            found[key] = document.content
        except SourceError as error:
            problems += error.problems
    if problems:
        raise SourceError(problems)
    return found


def open_document(path: Path, name: str, readings: Readings | None) -> Document:
    """Return the document in the file at *path*, called *name* in messages.

    It may refer to the files of its repository or, outside of git, to those in the current folder
    and below; if it is in neither, to those in its own folder and below. Raises SourceError if the
    file can't be read.
    """
    try:
        # a link that the user named may lead anywhere
        data = file_content(path, ADOPTED.size)
    except UnreadableFileError as error:
        place = Place(name, 1, 1)
        raise SourceError([Problem(place=place, id=error.kind, message=error.message)]) from error
    folder, within = _find_tree(path)
    files = FolderFiles(folder)
    return Document(name=name, data=data, files=files, path=within, readings=readings)


def _find_tree(path: Path) -> tuple[Path, str]:
    """Return the folder whose files the document at *path* may refer to, and its path in there."""
    # what is named by a link keeps its own name; folders don't, since files are read from them
    place = path.parent.resolve() / path.name
    top = find_top(place) or Path.cwd().resolve()
    if not place.is_relative_to(top):
        top = place.parent
    return top, place.relative_to(top).as_posix()


def _not_openapi(source: SourceFile) -> Problem | None:
    """Return why *source* is not an OpenAPI document that can be compared; None if it is one."""
    root = source.root
    version = root.get("openapi")
    at: Trail = ("openapi",)
    # in YAML, a version without quotes is a number
    named = str(version) if isinstance(version, float) else version
    if isinstance(named, str) and PUBLISHED_VERSIONS.fullmatch(named):
        return None
    if "openapi" not in root:
        at = ()
        for key, name in _OTHERS.items():
            if key in root:
                at = (key,)
                message = f"this is {name.format(short(str(root[key])))}"
                break
        else:
            message = "this is not an OpenAPI document: it has no `openapi`; name one that has"
    elif not isinstance(version, str):
        message = (
            f"{quote(version)} is not text; write the whole version in quotes, such as '3.1.0'"
        )
    else:
        message = f"{quote(version)} is not OpenAPI 3.0, 3.1 or 3.2; convert the document to 3.1"
    return Problem(place=source.locate(at, value=True), id="openapi-version", message=message)


_OTHERS: Final = {
    "swagger": "Swagger {}; convert it to Swagger 2.0 or OpenAPI 3",
    "asyncapi": "AsyncAPI {}, which describes messages; name an OpenAPI document",
    "arazzo": "Arazzo {}, which describes workflows; name the OpenAPI document that they use",
    "overlay": "an overlay ({}); name the OpenAPI document that comes of applying it",
}
