"""Join the files of a folder into the document that they define together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dateline.bundle.sources import SourceFile
from dateline.load.kept import Fragment
from dateline.load.shared import SharedFiles
from dateline.model import Map, Place, Problem, Trail
from dateline.openapi import COMPONENTS, OBJECTS
from dateline.paths import name_file, name_folder
from dateline.source.reader import Locator, UnreadableFileError
from dateline.wording import find_nearest, quote

# Sections of the root that fragments share; everything else is in one fragment.
SHARED: Final = ("paths", "webhooks", "components")
OF_A_DOCUMENT: Final = frozenset({"openapi", "info", "paths", "webhooks", "components"})

# The name of the union of the fragments, beside the files of the folder.
_UNION: Final = ""


@dataclass(frozen=True)
class Joined:
    """The document that files define, and the place of everything in it.

    ``locate`` returns the place of a path of the document, or of its nearest ancestor in the
    sources; ``trace`` the name of the file that contains it, and the path there.
    """

    document: dict[str, Any]
    locate: Callable[..., Place]
    trace: Callable[[Trail], tuple[str, Trail]]
    parts: frozenset[str] = frozenset()


def join_files(
    found: Mapping[str, Fragment],
    folder: Path,
    shared: SharedFiles,
    problems: list[Problem],
    *,
    adopted: bool = False,
) -> Joined | None:
    """Return the union of the files *found*, by name, some of which are parts of others.

    A part is a file that a reference leads to and that is not a document of its own, or one that is
    *shared* with other projects. Its content becomes components, or replaces the reference to it.
    Returns None, and appends to *problems*, if a name is defined twice or a reference to a file is
    dangling.
    """
    files = {name: fragment.document for name, fragment in found.items()}
    parts = {name: file for name, file in files.items() if _may_be_part(file)}
    while True:
        fragments = {name: file for name, file in files.items() if name not in parts}
        if not fragments or not (parts or any(found[name].refers for name in fragments)):
            return _join(files, folder, problems)
        joined = _bundle(fragments, parts, folder, shared, problems, adopted=adopted)
        reached = parts.keys() & joined.parts if joined else set()
        if problems or reached == parts.keys():
            return joined
        # a file that nothing refers to is a fragment, or unused
        for name in parts.keys() - reached:
            if not any(find_nearest(key, OBJECTS["document"]) for key in files[name]):
                problems.append(_create_unreached(files[name]))
        if problems:
            return None
        parts = {name: parts[name] for name in parts.keys() & reached}


def _may_be_part(file: Map) -> bool:
    keys = file.keys()
    return keys.isdisjoint(OF_A_DOCUMENT) and any(
        key not in OBJECTS["document"] and not key.startswith("x-") for key in keys
    )


def _create_unreached(file: Map) -> Problem:
    return Problem(
        place=Locator([file]).locate(()),
        id="source-not-read",
        message="no reference leads to this file, and it has no section of definitions "
        "(`paths`, `components`, ...); refer to it, or delete it",
    )


def _join(files: Mapping[str, Map], folder: Path, problems: list[Problem]) -> Joined | None:
    document = _join_fragments([*files.values()], problems)
    if problems:
        return None
    locate = Locator(files.values()).locate
    prefix = f"{name_folder(folder)}/"

    def trace(path: Trail) -> tuple[str, Trail]:
        return locate(path).file.removeprefix(prefix), path

    return Joined(document, locate, trace)


def _bundle(
    fragments: Mapping[str, Map],
    parts: Mapping[str, Map],
    folder: Path,
    shared: SharedFiles,
    problems: list[Problem],
    *,
    adopted: bool,
) -> Joined | None:
    """Return *fragments* with what they refer to in *parts* and in *shared* files."""
    # slow to import, and not needed if no file refers to another
    from dateline.bundle.bundler import Bundler
    from dateline.bundle.goals import FileSet, Fragments

    union = _join(fragments, folder, problems)
    if union is None:
        return None
    sources = {
        name: SourceFile(name_file(folder, name), file, Locator([file]).locate)
        for name, file in parts.items()
    }

    def find_part(name: str) -> SourceFile | None:
        return sources.get(name) or shared.find(name)

    main = SourceFile(f"{name_folder(folder)}/{_UNION}", union.document, union.locate)
    known = Fragments(
        fragments, lambda path: union.trace(path)[0], find_part, shared.names, adopted
    )
    files = FileSet(main, _UNION, _OtherFiles(folder), None, problems, known)
    bundle = Bundler(files).bundle()
    if bundle is None:
        return None

    def trace(path: Trail) -> tuple[str, Trail]:
        goal = bundle.trace(path)
        return known.find_file(goal.path) if goal.file == _UNION else goal.file, goal.path

    reached = bundle.sources.keys() - {_UNION}
    return Joined(bundle.document, bundle.locate, trace, frozenset(reached))


@dataclass(frozen=True)
class _OtherFiles:
    """Targets of references that are not sources."""

    folder: Path

    def content(self, name: str) -> bytes:
        around = name_file(self.folder, name).rpartition("/")[0]
        if (self.folder / name).exists():
            message = "it is not a source: names that begin with . or _, or end in ~, are skipped"
        else:
            message = f"there is no such file in {around}/; write it, or name another"
        raise UnreadableFileError("reference-unreadable", message)


def _join_fragments(fragments: list[Map], problems: list[Problem]) -> dict[str, Any]:
    """Return the union of *fragments*; a name defined twice is a problem that shows both."""
    document: dict[str, Any] = {}
    origins: dict[tuple[str, ...], Map] = {}

    def add(into: dict[str, Any], fragment: Map, path: tuple[str, ...], node: Any) -> None:
        first = origins.setdefault(path, fragment)
        if first is fragment:
            into[path[-1]] = node
            return
        holder = "/".join(path[:-1]) or "the document"
        earlier = Locator([first]).locate(path)
        message = f"{path[-1]!r} of {holder} is also defined at {earlier}; keep one of the two"
        place = Locator([fragment]).locate(path)
        problems.append(Problem(place=place, id="defined-twice", message=message))

    def find_shared(into: dict[str, Any], fragment: Map, path: tuple[str, ...], node: Any) -> Any:
        """Return the mapping of *into* that fragments share; None if *node* is not a mapping."""
        if isinstance(node, dict):
            return into.setdefault(path[-1], {})
        message = f"{quote(node)} where a mapping belongs"
        place = Locator([fragment]).locate(path, value=True)
        problems.append(Problem(place=place, id="wrong-type", message=message))
        return None

    for fragment in fragments:
        for key, value in fragment.items():
            if key not in SHARED:
                add(document, fragment, (key,), value)
                continue
            into = find_shared(document, fragment, (key,), value)
            for name, node in value.items() if into is not None else ():
                if key != "components" or name not in COMPONENTS:
                    add(into, fragment, (key, name), node)
                    continue
                section = find_shared(into, fragment, (key, name), node)
                for component, below in node.items() if section is not None else ():
                    add(section, fragment, (key, name, component), below)
    return document
