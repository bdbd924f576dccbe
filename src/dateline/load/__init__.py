"""Read a folder of sources as the canonical API, or report all of their problems at once."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from posixpath import normpath
from typing import Any, Final

from dateline.cache import Cache
from dateline.gates import Timeline
from dateline.load.joining import join_files
from dateline.load.kept import Fragment, read_fragment
from dateline.load.meaning import (
    digest_comparison,
    digest_equality,
    find_words,
    join_meanings,
    list_words,
)
from dateline.load.shared import SharedFiles
from dateline.load.table import read_table
from dateline.model import Api, Definitions, Map, Place, Problem, SourceError, Table
from dateline.paths import name_file, name_folder
from dateline.source.reader import read

TABLE: Final = "versions.yaml"
_BESIDE: Final = (TABLE, "waivers.yaml")
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def load(folder: Path, *, tolerated: Collection[str] = (), cache: Cache | None = None) -> Api:
    """Read the definitions in *folder*: `versions.yaml`, and fragments in YAML and JSON.

    Fragments may be in subfolders, and refer to other files there and in folders that the table
    lists as shared. Files that ``list_source_files`` skips are not read. Raises SourceError with
    every problem found, sorted by place; problems whose ids are *tolerated* are ignored. The
    *cache* holds what earlier runs read and found to be valid.
    """
    problems: list[Problem] = []
    if not os.path.lexists(folder / TABLE):
        raise SourceError([_create_missing_table(folder)])
    table_map = _read(folder / TABLE, folder, adopted=False, problems=problems)
    if table_map is None:
        raise SourceError(problems)
    table = read_table(table_map, problems)
    adopted = table.adopted if table else table_map.get("lint") == "adopted"
    # the repository of the folder is the same for all files
    around = name_folder(folder)
    found = {
        name: fragment
        for path in list_source_files(folder, problems)
        if (name := path.relative_to(folder).as_posix()) not in _BESIDE
        and (
            fragment := read_fragment(
                path, normpath(f"{around}/{name}"), adopted=adopted, problems=problems, cache=cache
            )
        )
    }
    if not found and not problems:
        problems.append(_create_missing_files(folder))
    if table is None or problems:
        raise SourceError(problems)
    shared = SharedFiles(folder, table, problems, cache)
    joined = None
    if not problems:
        joined = join_files(found, folder, shared, problems, adopted=table.adopted)
    if joined is None or problems:
        raise SourceError(problems)
    document = joined.document
    if cache is not None and not tolerated:
        document = _add_meaning(document, found, shared.read)
    timeline = Timeline(table)
    return Api(
        folder=folder,
        name=name_folder(folder),
        document=document,
        table=table,
        combinations=timeline.combinations,
        visible=_check(document, table, timeline, shared, joined.locate, tolerated, cache),
        locate=joined.locate,
        trace=joined.trace,
        parts=joined.parts,
    )


def _add_meaning(
    document: dict[str, Any], own: Mapping[str, Fragment], shared: Mapping[str, Fragment]
) -> Definitions:
    """Return *document* with its meaning and its words, those of its files."""
    definitions = Definitions(document)
    known = [
        (name, meaning, fragment.document)
        for name, fragment in (*own.items(), *shared.items())
        if (meaning := fragment.meaning) is not None
    ]
    definitions.meaning = join_meanings((name, meaning) for name, meaning, _ in known)
    refers = any(fragment.refers for fragment in own.values())
    if refers:
        definitions.meaning += digest_equality(definitions)
    meanings = [meaning for _, meaning, _ in known]
    definitions.comparison = digest_comparison(meanings, refers=refers)
    words = list_words(meanings)
    definitions.words = tuple(word.digest for word in words)
    definitions.units = tuple(word.unit for word in words)
    definitions.find_words = partial(find_words, [each[1:] for each in known])
    return definitions


def _check(
    document: dict[str, Any],
    table: Table,
    timeline: Timeline,
    shared: SharedFiles,
    locate: Callable[..., Place],
    tolerated: Collection[str],
    cache: Cache | None,
) -> dict[tuple[str, str], int]:
    """Return where each component of *document* is part of the contract, by section and name.

    Raises SourceError with every problem found.
    """
    key = None
    if cache is not None and isinstance(document, Definitions):
        key = cache.key("sound", document.meaning, repr(table))
        if (known := cache.get(key)) is not None:
            return {(section, name): mask for section, name, mask in json.loads(known)}
    # slow to import, and not needed for definitions that were valid before
    from dateline.load.availability import find_availability
    from dateline.load.checks import find_problems

    found = find_problems(document, table, locate)
    if problems := [problem for problem in found if problem.id not in tolerated]:
        raise SourceError(map(shared.explain, problems))
    visible, breaches = find_availability(
        document, timeline, locate, adopted=table.adopted, drafts=table.drafts
    )
    if breaches:
        raise SourceError(breaches)
    if cache is not None and key is not None:
        rows = [[section, name, mask] for (section, name), mask in visible.items()]
        cache.put(key, json.dumps(rows).encode())
    return visible


def read_known_table(folder: Path) -> Table | None:
    """Return the version table in *folder*; None if it is missing or has errors.

    For completion and editors: errors are reported when definitions are loaded.
    """
    problems: list[Problem] = []
    document = _read(folder / TABLE, folder, adopted=False, problems=problems)
    return None if document is None else read_table(document, problems)


def list_source_files(folder: Path, problems: list[Problem]) -> list[Path]:
    """Return the files with definitions in *folder* and its subfolders, sorted by path.

    Files and folders whose names begin with a dot or an underscore, or end in `~`, are skipped. A
    file that looks like a source but would be skipped is a problem: no source is ignored silently.
    """
    return sorted(_find_source_files(folder, folder, problems))


def _find_source_files(folder: Path, root: Path, problems: list[Problem]) -> Iterator[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        message = f"the folder can't be read: {error.strerror}; check its permissions"
        place = Place(ascii(name_source(folder, root))[1:-1], 1, 1)
        problems.append(Problem(place=place, id="unreadable-file", message=message))
        return
    for path in paths:
        suffix = path.suffix.lower()
        if path.name.startswith((".", "_")) or path.name.endswith("~"):
            continue
        if suffix in _SUFFIXES and not path.is_dir():
            if path.suffix != suffix:
                way_out = f"rename it to {path.stem}{suffix}"
                problems.append(_create_misplaced(path, root, way_out))
            elif _FILE_NAME.fullmatch(path.name) is None:
                way_out = "name it with ASCII letters, digits, . _ and -"
                problems.append(_create_misplaced(path, root, way_out))
            else:
                yield path
        elif path.is_dir():
            # problems inside it would name a folder whose own name can't be used in messages
            inside: list[Problem] = []
            found = [] if path.is_symlink() else list(_find_source_files(path, root, inside))
            if path.is_symlink() and any(map(_looks_like_source, path.iterdir())):
                way_out = "a link to a folder is not followed, move the folder here"
                problems.append(_create_misplaced(path, root, way_out))
            elif (found or inside) and _FILE_NAME.fullmatch(path.name) is None:
                way_out = "name the folder with ASCII letters, digits, . _ and -"
                problems.append(_create_misplaced(path, root, way_out))
            else:
                problems += inside
                yield from found


def _looks_like_source(path: Path) -> bool:
    named = path.name.startswith((".", "_")) or path.name.endswith("~")
    return path.suffix.lower() in _SUFFIXES and not named


def name_source(path: Path, folder: Path) -> str:
    """Return the name in messages of what is at *path* in the *folder* of the definitions."""
    return name_file(folder, path.relative_to(folder).as_posix())


def _create_misplaced(path: Path, folder: Path, way_out: str) -> Problem:
    return Problem(
        place=Place(ascii(name_source(path, folder))[1:-1], 1, 1),
        id="source-not-read",
        message=f"{path.name!a} is not read as a source; {way_out}",
    )


def _create_missing_table(folder: Path) -> Problem:
    return Problem(
        place=Place(name_source(folder / TABLE, folder), 1, 1),
        id="no-definitions",
        message="there is no such file; run `dateline init` to start a project in an empty folder, "
        "or name the folder of the definitions with --schemas",
    )


def _create_missing_files(folder: Path) -> Problem:
    return Problem(
        place=Place(name_source(folder / TABLE, folder), 1, 1),
        id="no-definitions",
        message=f"no .yaml or .json file with definitions is in {name_folder(folder)}/ beside "
        f"{TABLE}; add one that begins with `openapi: 3.1.0`",
    )


def _read(path: Path, folder: Path, *, adopted: bool, problems: list[Problem]) -> Map | None:
    return read(path, name_source(path, folder), adopted=adopted, problems=problems)
