"""Read one source file: mappings and lists with positions, and its problems."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dateline.model import Map, Place, Problem
from dateline.source.problems import MOST_PROBLEMS, Log, StoppedError
from dateline.source.reader.characters import (
    UnreadableFileError,
    file_content,
    published_text,
    text_of,
    yaml_of,
)
from dateline.source.reader.json_document import JsonReader
from dateline.source.reader.json_text import JsonText
from dateline.source.reader.limits import ADOPTED, AUTHORED, Limits
from dateline.source.reader.locator import KeptDocument, Locator, choose_search
from dateline.source.reader.yaml_document import YamlReader
from dateline.source.reader.yaml_text import YamlText

__all__ = [
    "ADOPTED",
    "AUTHORED",
    "MOST_PROBLEMS",
    "JsonReader",
    "JsonText",
    "KeptDocument",
    "Limits",
    "Locator",
    "Log",
    "StoppedError",
    "UnreadableFileError",
    "YamlReader",
    "YamlText",
    "choose_search",
    "file_content",
    "published_text",
    "read",
    "read_content",
    "refuse_conflicts",
    "yaml_of",
]


_CONFLICT: Final = re.compile(r"^<<<<<<< .*?^=======$.*?^>>>>>>> ", re.MULTILINE | re.DOTALL)
"""The lines that git writes around conflicting changes."""


def read(path: Path, name: str, *, adopted: bool, problems: list[Problem]) -> Map | None:
    """Return the content of the `.yaml` or `.json` file at *path*, called *name* in messages.

    Mappings from YAML are ``Map`` and lists ``Seq``, with the place of every key, value and item.
    Objects from JSON are ``Map`` without marks, arrays plain lists: ``Locator`` finds their places
    when one is needed.

    Never raises for bad input: every problem is appended to *problems*. Returns None if the file
    could not be read to its end; else its content, with refused values as text and the first value
    of a duplicate key.
    """
    content = read_bytes(path, name, adopted=adopted, problems=problems)
    if content is None:
        return None
    return read_content(content, name, adopted=adopted, problems=problems)


def read_bytes(
    path: Path, name: str, *, adopted: bool, problems: list[Problem], inside: Path | None = None
) -> bytes | None:
    """Return the bytes of the file at *path*; None, after reporting why, if it can't be read.

    A link may lead no further than to the folder *inside*, by default that of the file.
    """
    try:
        size = (ADOPTED if adopted else AUTHORED).size
        return file_content(path, size, inside=inside or path.parent)
    except UnreadableFileError as error:
        place = Place(name, 1, 1)
        problems.append(Problem(place=place, id=error.kind, message=error.message))
        return None


def read_content(
    content: bytes, name: str, *, adopted: bool, problems: list[Problem]
) -> Map | None:
    """Return what ``read`` does for a file called *name* with the bytes *content*.

    It is JSON if its name ends in `.json`, else YAML.
    """
    log = Log(name, problems)
    limits = ADOPTED if adopted else AUTHORED
    try:
        text = text_of(content, log)
        refuse_conflicts(text, log)
        if name.lower().endswith(".json"):
            return JsonReader(text, limits, log).read()
        return YamlReader(text, limits, adopted, log).read()
    except StoppedError:
        return None


def refuse_conflicts(text: str, log: Log) -> None:
    """Report each merge conflict in *text*. Raises StoppedError if there is any."""
    if "<<<<<<< " not in text:
        return
    found = [text.count("\n", 0, each.start()) + 1 for each in _CONFLICT.finditer(text)]
    for line in found:
        log.note(
            line,
            1,
            "merge-conflict",
            "a merge left both sides here; keep one of them, and delete the lines that begin with "
            "<<<<<<<, ======= and >>>>>>>",
        )
    if found:
        raise StoppedError
