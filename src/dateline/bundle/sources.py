"""Read JSON and YAML files by other hands, with the place of everything in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from dateline.collector import collection_off
from dateline.model import Place, Problem
from dateline.source.reader import (
    ADOPTED,
    JsonPlaces,
    JsonReader,
    Locator,
    Log,
    StoppedError,
    decode,
    read_content,
)
from dateline.source.reader.json_document import JsonDocument

Trail = tuple[str | int, ...]

# Escapes of halves of surrogate pairs: alone, one is no character that could be printed.
_HALVES: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})*")
_PAIRS: Final = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})+")


class Files(Protocol):
    """The files of a folder, on disk or in a commit."""

    def content(self, name: str) -> bytes:
        """Return what the file *name* holds, a path from the folder with forward slashes.

        Raises UnreadableFileError where there is no such file, and where it can't be read.
        """


class Readings:
    """What is read together: what a document has in common with the one before is read once."""

    def __init__(self) -> None:
        self.last: JsonPlaces | None = None


@dataclass(frozen=True)
class Source:
    """A file that was read: its name for people, what it holds, and where that is."""

    name: str
    root: dict[str, Any]
    locate: Callable[..., Place]
    text: str | None = None
    """The text of a JSON file."""


def read_source(
    content: bytes, name: str, problems: list[Problem], readings: Readings | None
) -> Source | None:
    """Return what a file called *name* holds whose bytes are *content*.

    It is JSON if its name ends in `.json`, else YAML; in UTF-8, with or without a byte order
    mark. Objects of JSON that have the same text in what was read before in the same
    *readings* are the same objects; without readings, JSON has to be what sources may hold:
    invisible characters are refused. Never raises for bad input: None is returned, and
    *problems* holds what is wrong.
    """
    if readings is not None and name.lower().endswith(".json"):
        return _read_json(content, name, problems, readings)
    found: list[Problem] = []
    root = read_content(content, name, adopted=True, problems=found)
    problems += found
    if root is None or found:
        return None
    text = root.text if isinstance(root, JsonDocument) else None
    return Source(name, root, Locator([root]).locate, text)


def _read_json(
    content: bytes, name: str, problems: list[Problem], readings: Readings
) -> Source | None:
    found: list[Problem] = []
    log = Log(name, found)
    try:
        text = decode(content, log)
        reader = JsonReader(text, ADOPTED, log)
        reader.check_structure()
        places = JsonPlaces(name, text)
        try:
            with collection_off():
                root = places.read(readings.last)
            if isinstance(root, dict) and _has_whole_pairs(text):
                readings.last = places
                return Source(name, root, places.find, text)
        except ValueError:
            pass  # what is wrong, and where, the reader finds out
        document = reader.read()
        if not found:
            return Source(name, document, Locator([document]).locate, text)
    except StoppedError:
        pass
    problems += found
    return None


def _has_whole_pairs(text: str) -> bool:
    """Return whether every escaped half of a surrogate pair certainly stands beside the other."""
    return all(
        _PAIRS.fullmatch(found[0]) and text[found.start() - 1] != "\\"
        for found in _HALVES.finditer(text)
    )


def may_refer_to_files(source: Source) -> bool:
    """Return whether *source* may hold an address of another file.

    Most documents are one file: to know that of JSON, its text need not be walked.
    """
    text = source.text
    if text is None:
        return _refers_to_files(source.root)
    if _ESCAPED_KEY.search(text) or _ELSEWHERE.search(text):
        return True
    mappings = _MAPPING.findall(text)
    return len(mappings) != len(_MAPPING_KEY.findall(text)) or any(
        not value.startswith("#") and not _NAME.fullmatch(value)
        for mapping in mappings
        for value in _VALUE.findall(mapping)
    )


def _refers_to_files(root: Any) -> bool:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            if any(not _is_local(node[key]) for key in _REFERENCES if key in node):
                return True
            mapping = node.get("mapping")
            values = mapping.values() if isinstance(mapping, dict) else ()
            if any(not _is_local(value) and not _NAME.fullmatch(str(value)) for value in values):
                return True
            pending += node.values()
    return False


def _is_local(reference: Any) -> bool:
    return isinstance(reference, str) and reference.startswith("#")


_REFERENCES: Final = ("$ref", "$dynamicRef", "operationRef")
# ASCII letters and signs as escapes, behind which one of our keys may hide. An address that
# begins with an escape is not taken for a local one.
_ESCAPED_KEY: Final = re.compile(r'\\u00[2-7](?:[^"\\]|\\.){0,128}+"\s*:')
# A key that holds a reference, which does not begin with `#`. Most keys end otherwise.
_ELSEWHERE: Final = re.compile(
    r'ef"(?:(?<="\$ref")|(?<="\$dynamicRef")|(?<="operationRef"))(?!\s*:\s*"#)'
)
_MAPPING_KEY: Final = re.compile(r'"mapping"\s*:')
_MAPPING: Final = re.compile(r'"mapping"\s*:\s*\{([^{}]*)\}')
_VALUE: Final = re.compile(r':\s*"((?:[^"\\]|\\.)*)"')
_NAME: Final = re.compile(r"[\w-]*")
