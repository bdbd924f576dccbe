"""The targets of the references of a document, in its own file and in others."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from dateline.bundle.addresses import (
    Address,
    AddressError,
    find_path,
    is_local,
    parse_address,
    strip_base,
)
from dateline.bundle.identities import Identity, find_resource, list_identities
from dateline.bundle.sources import Files, Readings, SourceFile, read_source
from dateline.model import Problem, Trail
from dateline.openapi import pointer, step_into
from dateline.source.reader import ADOPTED, UnreadableFileError

_MOST_FILES: Final = 10_000


class Goal(NamedTuple):
    """The target of a reference: a file, and the path in it."""

    file: str
    path: Trail

    def below(self, step: str | int) -> Goal:
        return Goal(self.file, (*self.path, step))


@dataclass(frozen=True)
class Fragments:
    """The files whose union is a document, by their names relative to the folder of all.

    ``find_file`` returns the file that has a path of the document. ``find_part`` returns one of the
    other files, in the folder or in those ``shared`` with others; None if there is no such file. It
    raises AddressError for one that is not a source.
    """

    files: Mapping[str, Any]
    find_file: Callable[[Trail], str]
    find_part: Callable[[str], SourceFile | None]
    shared: tuple[str, ...] = ()
    adopted: bool = False

    def parse(self, reference: str, file: str) -> Address:
        """Return the target of *reference*, written in *file*; raises what `parse_address` does."""
        way_out = "move the file there, or list its folder under `shared` in versions.yaml"
        return parse_address(reference, file, self.shared, way_out)


class FileSet:
    """The files of a document, each read when a reference first leads there."""

    def __init__(
        self,
        main: SourceFile,
        name: str,
        files: Files,
        readings: Readings | None,
        problems: list[Problem],
        fragments: Fragments | None = None,
    ) -> None:
        self.main = name
        self.sources: dict[str, SourceFile | None] = {name: main}
        self.fragments = fragments
        # names in messages begin with the folder that the first one begins with
        self._folder = main.name.removesuffix(name)
        self._files = files
        # parts of other files are shared with nothing
        self._readings = Readings() if readings else None
        self.problems = problems
        self._bytes_left = ADOPTED.size
        self._identities: dict[str, dict[str, Trail]] = {}

    def forget_unread(self) -> None:
        """Forget which files can't be read, so that the next reference reports the reason."""
        self.sources = {name: each for name, each in self.sources.items() if each is not None}

    def find_file(self, at: Goal) -> str:
        """Return the name of the file that contains *at*."""
        if self.fragments is None or at.file != self.main:
            return at.file
        return self.fragments.find_file(at.path)

    def follow(self, reference: str, at: Goal, depth: int = 0) -> Goal:
        """Return the target of *reference*, written at *at*, following further references.

        Raises AddressError if it is unknown.
        """
        met: set[Goal] = set()
        while True:
            goal = self.find(self._parse(reference, at), depth)
            onward = get_reference(self.node(goal))
            if onward is None or (goal.file == self.main and is_local(onward)):
                return goal
            if goal in met:
                raise AddressError("reference-circular", "it leads back to itself; fix one of them")
            met.add(goal)
            reference, at = onward, goal

    def _parse(self, reference: str, at: Goal) -> Goal:
        """Return the target of *reference*, which need not exist."""
        file = self.find_file(at)
        is_union = self.fragments is not None and at.file == self.main
        resource = None if is_union else find_resource(self._root(at.file), at.path)
        if resource is not None:
            if (goal := self._find_by_identity(reference, at.file, resource)) is not None:
                return goal
            named = urljoin(resource.address, reference)
            if not is_local(reference) and self._is_file(named, file):
                reference = named
        for named in (file, self.main):
            root = self._content(named)
            base = root.get("$self") if isinstance(root, dict) else None
            relative = strip_base(reference, base) if isinstance(base, str) else None
            if relative is not None:
                reference, file = relative, named
                break
        parse = parse_address if self.fragments is None else self.fragments.parse
        address = parse(reference, file)
        path = find_path(self._content(address.file), address.fragment)
        if self.fragments is None or address.file not in self.fragments.files:
            return Goal(address.file, path)
        if len(path) < (3 if path[:1] == ("components",) else 2):
            raise AddressError(
                "reference-form", "it leads to a whole file of definitions; refer to one in it"
            )
        if self.fragments.find_file(path) != address.file:
            raise self._dangling(address.file, path)
        return Goal(self.main, path)

    def _find_by_identity(self, reference: str, file: str, resource: Identity) -> Goal | None:
        """Return the target of *reference* in *file*, if it depends on the `$id` of a schema there.

        *resource* is the schema with an `$id` that surrounds the reference.
        """
        address, fragment = urldefrag(urljoin(resource.address, reference))
        if file not in self._identities:
            self._identities[file] = list_identities(self._root(file))
        known = resource.path if is_local(reference) else self._identities[file].get(address)
        if known is None:
            return None
        goal = Goal(file, known)
        try:
            found = Goal(file, (*known, *find_path(self.node(goal), unquote(fragment))))
            self.find(found)
        except AddressError:
            return None  # as most tools read it, from the root of the file
        return found

    def _is_file(self, reference: str, file: str) -> bool:
        """Return whether *reference*, written in *file*, leads to a file that can be read."""
        try:
            self._root(parse_address(reference, file).file)
        except AddressError:
            return False
        return True

    def _dangling(self, file: str, path: Trail) -> AddressError:
        return AddressError(
            "reference-dangling",
            f"there is no {format_local(path)} in {posixpath.normpath(self._folder + file)}; "
            "write it there, or refer to what is there",
        )

    def find(self, goal: Goal, depth: int = 0) -> Goal:
        """Return the place of *goal*, following references on the way."""
        if depth > ADOPTED.depth:
            raise AddressError("reference-circular", "it leads back to itself; fix one of them")
        found = Goal(goal.file, ())
        node: Any = self._root(goal.file)
        for step in goal.path:
            reference = node.get("$ref") if isinstance(node, dict) else None
            if isinstance(reference, str) and step not in node:
                found = self.follow(reference, found, depth + 1)
                node = self.node(found)
            index = step_into(node, step) if isinstance(step, str) else step
            if index is None:
                raise self._dangling(self.find_file(goal), goal.path)
            node = node[index]
            found = found.below(index)
        return found

    def node(self, goal: Goal) -> Any:
        """Return the node at *goal*, which exists."""
        node: Any = self._root(goal.file)
        for step in goal.path:
            node = node[step]
        return node

    def _content(self, file: str) -> Any:
        """Return the content of *file*, which may be one of the fragments."""
        fragments = {} if self.fragments is None else self.fragments.files
        return fragments[file] if file in fragments else self._root(file)

    def _root(self, file: str) -> Any:
        """Return the content of *file*. Raises AddressError if it can't be read."""
        if file not in self.sources:
            self.sources[file] = None  # until it is read
            known = self.fragments.find_part(file) if self.fragments else None
            source = known or self._read(file)
            # what replaces a reference may be a value, whose type is one of JSON
            as_plain = list if source and isinstance(source.root, list) else dict
            self.sources[file] = source and replace(source, root=as_plain(source.root))
        source = self.sources[file]
        if source is None:
            # the reason is reported once
            raise AddressError("", "")
        return source.root

    def _read(self, file: str) -> SourceFile | None:
        if len(self.sources) > _MOST_FILES:
            message = f"more than {_MOST_FILES:,} files are referred to; name a smaller document"
            raise AddressError("too-large", message)
        try:
            content = self._files.content(file)
        except UnreadableFileError as error:
            del self.sources[file]
            raise AddressError("reference-unreadable", f"{error.message}") from error
        self._bytes_left -= len(content)
        if self._bytes_left < 0:
            message = f"the files have more than {ADOPTED.size:,} bytes; name a smaller document"
            raise AddressError("too-large", message)
        name = self._folder + file
        source = read_source(content, name, self.problems, self._readings, part=True)
        if source is None:
            return None
        main = self._root(self.main)
        if _is_swagger(source.root) is (not _is_swagger(main)):
            message = "Swagger 2.0 and OpenAPI 3 can't be in one document; convert one of the files"
            raise AddressError("unsupported-dialect", message)
        return source

    def find_behind(self, goal: Goal, path: Trail) -> Goal | None:
        """Return what is at *path* below *goal*, following references; None if nothing is."""
        try:
            found = self.find(Goal(goal.file, (*goal.path, *path)))
            reference = get_reference(self.node(found))
            return found if reference is None else self.follow(reference, found)
        except AddressError:
            return None  # reported at the reference


def _is_swagger(root: Any) -> bool | None:
    """Return whether *root* is Swagger 2.0 and not OpenAPI; None if it is neither."""
    if isinstance(root, list):
        return None
    return "swagger" in root if {"swagger", "openapi"} & root.keys() else None


def get_reference(node: Any) -> str | None:
    """Return the address if *node* is only a reference."""
    if isinstance(node, dict) and len(node) == 1 and isinstance(node.get("$ref"), str):
        reference: str = node["$ref"]
        return reference
    return None


def format_local(path: Trail) -> str:
    """Return the address of *path* within one document (RFC 6901, section 6)."""
    return "#" + pointer(path).replace("%", "%25")
